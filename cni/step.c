// SPDX-License-Identifier: Apache-2.0
#include "cni/step.h"

#include "conf/inet.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>

/**
 * struct type - a type of step
 * @name:	in journals and in the dry run
 * @kind:	of its value
 * @label:	of its value, for people
 */
struct type {
	const char *name;
	enum step_kind kind;
	const char *label;
};

static const struct type types[STEP_TYPE_MAX] = {
	[STEP_LINK_STATE] = { "link-state", KIND_SWITCH, "up" },
	[STEP_CONF] = { "conf", KIND_NOTHING, "sysctls of the netdev" },
	[STEP_ALTNAMES] = { "altnames", KIND_NAMES, "altnames" },
	[STEP_VF_VLAN] = { "vf-vlan", KIND_VLAN, "VLAN" },
	[STEP_MAC] = { "mac", KIND_MAC, "MAC" },
	[STEP_VF_RATE] = { "vf-rate", KIND_RATE, "rate" },
	[STEP_VF_SPOOFCHK] = { "vf-spoofchk", KIND_SWITCH, "spoofchk" },
	[STEP_VF_TRUST] = { "vf-trust", KIND_SWITCH, "trust" },
	[STEP_VF_LINK] = { "vf-link-state", KIND_VF_LINK, "link state of the VF" },
	[STEP_LINK_MTU] = { "link-mtu", KIND_NUMBER, "MTU" },
	[STEP_PROMISC] = { "promisc", KIND_SWITCH, "promisc" },
	[STEP_ALLMULTI] = { "allmulti", KIND_SWITCH, "allmulti" },
	[STEP_TXQLEN] = { "txqlen", KIND_NUMBER, "transmit queue" },
	[STEP_LINK_MOVE] = { "link-move", KIND_AT, "" },
	[STEP_RDMA_MOVE] = { "rdma-move", KIND_PLACE, "" },
	[STEP_RDMA_SOFT] = { "rdma-soft", KIND_SWITCH, "" },
	[STEP_SYSCTL] = { "sysctl", KIND_TEXT, "" },
	[STEP_IPAM] = { "ipam", KIND_SWITCH, "" },
	[STEP_ADDR] = { "addr", KIND_SWITCH, "" },
	[STEP_ROUTE] = { "route", KIND_SWITCH, "" },
};

const char *step_type_name(enum step_type type)
{
	return types[type].name;
}

enum step_kind step_kind(enum step_type type)
{
	return types[type].kind;
}

int step_type_parse(const char *name, enum step_type *ret_type)
{
	for (int t = 0; t < STEP_TYPE_MAX; t++) {
		if (streq(name, types[t].name)) {
			*ret_type = t;
			return 0;
		}
	}
	return -EINVAL;
}

struct step step_inverse(const struct step *step)
{
	struct step inverse = *step;

	inverse.have = step->want;
	inverse.want = step->have;
	return inverse;
}

/* Without a VLAN its priority and protocol say nothing. */
static bool same_vlan(struct vf_vlan a, struct vf_vlan b)
{
	return a.id == b.id && (a.id == 0 || (a.qos == b.qos && a.proto == b.proto));
}

bool step_changes(const struct step *step)
{
	const union step_value *have = &step->have, *want = &step->want;

	switch (step_kind(step->type)) {
	case KIND_SWITCH:
		return have->on != want->on;
	case KIND_NUMBER:
		return have->number != want->number;
	case KIND_VLAN:
		return !same_vlan(have->vlan, want->vlan);
	case KIND_RATE:
		return have->rate.min != want->rate.min || have->rate.max != want->rate.max;
	case KIND_VF_LINK:
		return have->link != want->link;
	case KIND_MAC:
		return memcmp(&have->mac, &want->mac, sizeof(have->mac)) != 0;
	case KIND_AT:
		return have->at.place != want->at.place;
	case KIND_PLACE:
		return have->place != want->place;
	case KIND_NAMES:
		return have->names != want->names;
	case KIND_TEXT:
		return !have->text || !want->text || !streq(have->text, want->text);
	case KIND_NOTHING:
		break;
	}
	return false;
}

union step_value step_value_of_vf(enum step_type type, const struct vf *vf)
{
	union step_value value = { 0 };

	if (type == STEP_VF_VLAN)
		value.vlan = vf->vlan;
	else if (type == STEP_VF_RATE)
		value.rate = vf->rate;
	else if (type == STEP_VF_LINK)
		value.link = vf->link;
	else
		value.on = (type == STEP_VF_TRUST ? vf->trust : vf->spoofchk) == VF_ON;
	return value;
}

union step_value step_value_of_link(enum step_type type, const struct link *link)
{
	union step_value value = { 0 };

	if (type == STEP_LINK_MTU)
		value.number = link->mtu;
	else if (type == STEP_TXQLEN)
		value.number = link->txqlen;
	else
		value.on = type == STEP_PROMISC	   ? link->promisc
			   : type == STEP_ALLMULTI ? link->allmulti
						   : link->up;
	return value;
}

/* ---- for people ---- */

const char *step_label(const struct step *step)
{
	return step->type == STEP_SYSCTL ? step->sysctl : types[step->type].label;
}

static const char *const vf_links[] = {
	[VF_LINK_AUTO] = "auto",
	[VF_LINK_ENABLE] = "enable",
	[VF_LINK_DISABLE] = "disable",
};

static const char *addr_text(const struct addr *addr, char buf[INET_PREFIX_TEXT_SIZE])
{
	struct inet_prefix prefix = {
		.addr = inet_from_bytes(addr->bytes, addr->family == AF_INET ? 4 : 16),
		.len = addr->prefix_len,
	};

	return inet_format_prefix(prefix, buf);
}

static const char *place_text(enum place place)
{
	return place == PLACE_POD ? "pod" : "host";
}

/* A VF without a netdev has only the administrative one. */
static void print_mac(const struct step *step, const char *device, char *buf)
{
	static const unsigned char none[LINK_MAC_LEN];
	const struct step_mac *have = &step->have.mac, *want = &step->want.mac;
	bool has_link = memcmp(want->link, none, LINK_MAC_LEN) != 0;
	char from[MAC_TEXT_SIZE], to[MAC_TEXT_SIZE], admin[MAC_TEXT_SIZE];

	mac_format(have->link, from);
	mac_format(want->link, to);
	mac_format(want->admin, admin);
	if (!streq(from, to))
		snprintf(buf, STEP_TEXT_SIZE, "%s: MAC %s -> %s", device, from, to);
	else if (step_changes(step))
		snprintf(buf, STEP_TEXT_SIZE, "%s: the PF orders MAC %s", device, admin);
	else
		snprintf(buf, STEP_TEXT_SIZE, "%s: keep MAC %s", device, has_link ? from : admin);
}

static void rate_text(struct vf_rate rate, char buf[STEP_VALUE_SIZE])
{
	if (rate.max)
		snprintf(buf, STEP_VALUE_SIZE, "%d to %d Mbit/s", rate.min, rate.max);
	else
		snprintf(buf, STEP_VALUE_SIZE, "%d Mbit/s or more", rate.min);
}

/* Priority and protocol are told where they change, or are not the usual ones. */
static bool same_tag(struct vf_vlan a, struct vf_vlan b)
{
	return a.qos == b.qos && (a.proto == b.proto || a.id == 0 || b.id == 0);
}

static void vlan_text(struct vf_vlan vlan, bool full, char buf[STEP_VALUE_SIZE])
{
	if (vlan.id && (full || vlan.qos || vlan.proto == ETH_P_8021AD))
		snprintf(buf, STEP_VALUE_SIZE, "%d (%s, priority %d)", vlan.id,
			 vlan.proto == ETH_P_8021AD ? "802.1ad" : "802.1q", vlan.qos);
	else
		snprintf(buf, STEP_VALUE_SIZE, "%d", vlan.id);
}

const char *step_value_print(const struct step *step, const union step_value *value,
			     char buf[STEP_VALUE_SIZE])
{
	const union step_value *have = &step->have, *want = &step->want;
	enum step_kind kind = step_kind(step->type);

	buf[0] = '\0';
	if (kind == KIND_SWITCH)
		snprintf(buf, STEP_VALUE_SIZE, "%s", value->on ? "on" : "off");
	else if (kind == KIND_NUMBER)
		snprintf(buf, STEP_VALUE_SIZE, "%d", value->number);
	else if (kind == KIND_VLAN)
		vlan_text(value->vlan, !same_tag(have->vlan, want->vlan), buf);
	else if (kind == KIND_RATE)
		rate_text(value->rate, buf);
	else if (kind == KIND_VF_LINK)
		snprintf(buf, STEP_VALUE_SIZE, "%s", vf_links[value->link]);
	else if (kind == KIND_NAMES)
		snprintf(buf, STEP_VALUE_SIZE, "%d", __builtin_popcount(value->names));
	else if (kind == KIND_TEXT)
		snprintf(buf, STEP_VALUE_SIZE, "%s",
			 !value->text ? "(unset)" : *value->text ? value->text : "\"\"");
	return buf;
}

static void print_value(const struct step *step, const char *device, char *buf)
{
	const char *label = step_label(step);
	const char *space = step_kind(step->type) == KIND_NOTHING ? "" : " ";
	char have[STEP_VALUE_SIZE], want[STEP_VALUE_SIZE];

	step_value_print(step, &step->have, have);
	step_value_print(step, &step->want, want);
	if (step_changes(step))
		snprintf(buf, STEP_TEXT_SIZE, "%s: %s %s -> %s", device, label, have, want);
	else
		snprintf(buf, STEP_TEXT_SIZE, "%s: keep %s%s%s", device, label, space, want);
}

const char *step_print(const struct step *step, const char *device, char buf[STEP_TEXT_SIZE])
{
	char text[INET_PREFIX_TEXT_SIZE];

	switch (step->type) {
	case STEP_LINK_STATE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: %s %s", device,
			 step_changes(step) ? "set" : "keep", step->want.on ? "up" : "down");
		break;
	case STEP_MAC:
		print_mac(step, device, buf);
		break;
	case STEP_LINK_MOVE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: move to the %s as %s", device,
			 place_text(step->want.at.place), step->want.at.name);
		break;
	case STEP_RDMA_MOVE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: move its RDMA device to the %s", device,
			 place_text(step->want.place));
		break;
	case STEP_RDMA_SOFT:
		snprintf(buf, STEP_TEXT_SIZE, "%s: %s soft-RoCE device %s", device,
			 step->want.on ? "make" : "remove", step->soft);
		break;
	case STEP_IPAM:
		snprintf(buf, STEP_TEXT_SIZE, "%s addresses from the IPAM plugin",
			 step->want.on ? "take" : "give back");
		break;
	case STEP_ADDR:
		snprintf(buf, STEP_TEXT_SIZE, "%s: address %s", device, addr_text(&step->addr, text));
		break;
	case STEP_ROUTE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: route to %s", device,
			 addr_text(&step->route.dst, text));
		break;
	case STEP_CONF:
	case STEP_ALTNAMES:
	case STEP_VF_VLAN:
	case STEP_VF_RATE:
	case STEP_VF_SPOOFCHK:
	case STEP_VF_TRUST:
	case STEP_VF_LINK:
	case STEP_LINK_MTU:
	case STEP_PROMISC:
	case STEP_ALLMULTI:
	case STEP_TXQLEN:
	case STEP_SYSCTL:
		print_value(step, device, buf);
		break;
	case STEP_TYPE_MAX:
		buf[0] = '\0';
		break;
	}
	return buf;
}
