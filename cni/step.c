// SPDX-License-Identifier: Apache-2.0
#include "cni/step.h"

#include "conf/inet.h"

#include <errno.h>
#include <stdio.h>

static const char *const type_names[STEP_TYPE_MAX] = {
	[STEP_LINK_STATE] = "link-state", [STEP_VF_VLAN] = "vf-vlan",
	[STEP_MAC] = "mac",		  [STEP_LINK_MTU] = "link-mtu",
	[STEP_LINK_MOVE] = "link-move",	  [STEP_RDMA_MOVE] = "rdma-move",
	[STEP_IPAM] = "ipam",		  [STEP_ADDR] = "addr",
	[STEP_ROUTE] = "route",
};

const char *step_type_name(enum step_type type)
{
	return type_names[type];
}

int step_type_parse(const char *name, enum step_type *ret_type)
{
	for (int t = 0; t < STEP_TYPE_MAX; t++) {
		if (streq(name, type_names[t])) {
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

static bool same_vlan(struct vf_vlan a, struct vf_vlan b)
{
	return a.id == b.id && a.qos == b.qos && a.proto == b.proto;
}

bool step_changes(const struct step *step)
{
	const union step_value *have = &step->have, *want = &step->want;

	switch (step->type) {
	case STEP_LINK_STATE:
		return have->up != want->up;
	case STEP_VF_VLAN:
		return !same_vlan(have->vlan, want->vlan);
	case STEP_MAC:
		return memcmp(&have->mac, &want->mac, sizeof(have->mac)) != 0;
	case STEP_LINK_MTU:
		return have->mtu != want->mtu;
	case STEP_LINK_MOVE:
		return have->at.place != want->at.place;
	case STEP_RDMA_MOVE:
		return have->rdma != want->rdma;
	case STEP_IPAM:
	case STEP_ADDR:
	case STEP_ROUTE:
		return have->present != want->present;
	case STEP_TYPE_MAX:
		break;
	}
	return false;
}

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

static void print_mac(const struct step *step, const char *device, char *buf)
{
	char have[MAC_TEXT_SIZE], want[MAC_TEXT_SIZE];

	mac_format(step->have.mac.link, have);
	mac_format(step->want.mac.link, want);
	if (!streq(have, want))
		snprintf(buf, STEP_TEXT_SIZE, "%s: MAC %s -> %s", device, have, want);
	else if (step_changes(step))
		snprintf(buf, STEP_TEXT_SIZE, "%s: the PF orders MAC %s", device, want);
	else
		snprintf(buf, STEP_TEXT_SIZE, "%s: keep MAC %s", device, have);
}

static void print_vlan(const struct step *step, const char *device, char *buf)
{
	if (step_changes(step))
		snprintf(buf, STEP_TEXT_SIZE, "%s: VLAN %d -> %d", device, step->have.vlan.id,
			 step->want.vlan.id);
	else
		snprintf(buf, STEP_TEXT_SIZE, "%s: keep VLAN %d", device, step->have.vlan.id);
}

static void print_mtu(const struct step *step, const char *device, char *buf)
{
	if (step_changes(step))
		snprintf(buf, STEP_TEXT_SIZE, "%s: MTU %d -> %d", device, step->have.mtu,
			 step->want.mtu);
	else
		snprintf(buf, STEP_TEXT_SIZE, "%s: keep MTU %d", device, step->have.mtu);
}

const char *step_print(const struct step *step, const char *device, char buf[STEP_TEXT_SIZE])
{
	char text[INET_PREFIX_TEXT_SIZE];

	switch (step->type) {
	case STEP_LINK_STATE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: %s %s", device,
			 step_changes(step) ? "set" : "keep", step->want.up ? "up" : "down");
		break;
	case STEP_VF_VLAN:
		print_vlan(step, device, buf);
		break;
	case STEP_MAC:
		print_mac(step, device, buf);
		break;
	case STEP_LINK_MTU:
		print_mtu(step, device, buf);
		break;
	case STEP_LINK_MOVE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: move to the %s as %s", device,
			 place_text(step->want.at.place), step->want.at.name);
		break;
	case STEP_RDMA_MOVE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: move its RDMA device to the %s", device,
			 place_text(step->want.rdma));
		break;
	case STEP_IPAM:
		snprintf(buf, STEP_TEXT_SIZE, "%s addresses from the IPAM plugin",
			 step->want.present ? "take" : "give back");
		break;
	case STEP_ADDR:
		snprintf(buf, STEP_TEXT_SIZE, "%s: address %s", device, addr_text(&step->addr, text));
		break;
	case STEP_ROUTE:
		snprintf(buf, STEP_TEXT_SIZE, "%s: route to %s", device,
			 addr_text(&step->route.dst, text));
		break;
	case STEP_TYPE_MAX:
		buf[0] = '\0';
		break;
	}
	return buf;
}
