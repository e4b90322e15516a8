// SPDX-License-Identifier: Apache-2.0
#include "netlink/vf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

struct vf_search {
	int index;
	struct vf *vf;
	bool found;
};

/* The list has the protocol, the older attribute has not. */
static void parse_vlan(struct vf_vlan *vlan, struct nlattr *single, struct nlattr *list)
{
	struct nlattr *attr;
	int left;

	if (single) {
		const struct ifla_vf_vlan *v = nla_data(single);

		*vlan = (struct vf_vlan){ (int)v->vlan, (int)v->qos, ETH_P_8021Q };
	}
	if (!list)
		return;
	nla_for_each_nested(attr, list, left) {
		const struct ifla_vf_vlan_info *v = nla_data(attr);

		*vlan = (struct vf_vlan){ (int)v->vlan, (int)v->qos, ntohs(v->vlan_proto) };
	}
}

/* Drivers that know nothing of it leave -1 (net/core/rtnetlink.c, rtnl_fill_vfinfo()). */
static enum vf_switch parse_switch(struct nlattr *attr)
{
	const struct ifla_vf_spoofchk *v = attr ? nla_data(attr) : NULL;

	return !v || v->setting == UINT32_MAX ? VF_UNKNOWN : v->setting ? VF_ON : VF_OFF;
}

static void parse_settings(struct vf *vf, struct nlattr **tb)
{
	if (tb[IFLA_VF_RATE]) {
		const struct ifla_vf_rate *v = nla_data(tb[IFLA_VF_RATE]);

		vf->rate = (struct vf_rate){ (int)v->min_tx_rate, (int)v->max_tx_rate };
	}
	if (tb[IFLA_VF_LINK_STATE]) {
		const struct ifla_vf_link_state *v = nla_data(tb[IFLA_VF_LINK_STATE]);

		vf->link = v->link_state < VF_LINK_MAX ? v->link_state : VF_LINK_AUTO;
	}
	parse_vlan(&vf->vlan, tb[IFLA_VF_VLAN], tb[IFLA_VF_VLAN_LIST]);
	vf->spoofchk = parse_switch(tb[IFLA_VF_SPOOFCHK]);
	vf->trust = parse_switch(tb[IFLA_VF_TRUST]);
}

static void parse_vf(struct vf_search *search, struct nlattr *info)
{
	struct nlattr *tb[IFLA_VF_MAX + 1] = { NULL };
	const struct ifla_vf_mac *mac;

	if (nla_parse_nested(tb, IFLA_VF_MAX, info, NULL) < 0 || !tb[IFLA_VF_MAC])
		return;
	mac = nla_data(tb[IFLA_VF_MAC]);
	if ((int)mac->vf != search->index)
		return;
	*search->vf = (struct vf){ 0 };
	memcpy(search->vf->mac, mac->mac, LINK_MAC_LEN);
	parse_settings(search->vf, tb);
	search->found = true;
}

static int on_pf(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1] = { NULL }, *attr;
	int left;

	if (nlmsg_parse(nlh, sizeof(struct ifinfomsg), tb, IFLA_MAX, NULL) < 0)
		return -EIO;
	if (!tb[IFLA_VFINFO_LIST])
		return 0;
	nla_for_each_nested(attr, tb[IFLA_VFINFO_LIST], left)
		parse_vf(arg, attr);
	return 0;
}

static struct nl_msg *pf_request(int type, int pf)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC, .ifi_index = pf };
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST);

	if (msg)
		nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO);
	return msg;
}

int vf_get(struct nlsock *sock, int pf, int index, struct vf *ret_vf, struct err *err)
{
	struct vf_search search = { .index = index, .vf = ret_vf };
	struct nl_msg *msg = pf_request(RTM_GETLINK, pf);
	int r;

	if (msg)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_VF);
	r = nlsock_talk(sock, msg, on_pf, &search);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading VF %d of its PF: %s", index,
			       nlsock_words(sock));
	if (!search.found)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "the PF (ifindex %d) does not list VF %d", pf, index);
	return 0;
}

/* IFLA_VFINFO_LIST / IFLA_VF_INFO / @type: the form of net/core/rtnetlink.c, do_setvfinfo(). */
static int set(struct nlsock *sock, int pf, int type, const void *data, int len, const char *what,
	       struct err *err)
{
	struct nl_msg *msg = pf_request(RTM_SETLINK, pf);
	struct nlattr *list, *vf;
	int r;

	if (msg) {
		list = nla_nest_start(msg, IFLA_VFINFO_LIST);
		vf = nla_nest_start(msg, IFLA_VF_INFO);
		nla_put(msg, type, len, data);
		nla_nest_end(msg, vf);
		nla_nest_end(msg, list);
	}
	r = nlsock_talk(sock, msg, NULL, NULL);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "the driver refuses the VF's %s: %s",
			       what, nlsock_words(sock));
	return 0;
}

int vf_set_mac(struct nlsock *sock, int pf, int index, const unsigned char mac[LINK_MAC_LEN],
	       struct err *err)
{
	struct ifla_vf_mac vf = { .vf = (unsigned)index };

	memcpy(vf.mac, mac, LINK_MAC_LEN);
	return set(sock, pf, IFLA_VF_MAC, &vf, sizeof(vf), "MAC", err);
}

int vf_set_vlan(struct nlsock *sock, int pf, int index, struct vf_vlan vlan, struct err *err)
{
	struct ifla_vf_vlan plain = { .vf = (unsigned)index,
				      .vlan = (unsigned)vlan.id,
				      .qos = (unsigned)vlan.qos };
	struct {
		struct nlattr head;
		struct ifla_vf_vlan_info info;
	} listed = {
		.head = { .nla_len = sizeof(listed), .nla_type = IFLA_VF_VLAN_INFO },
		.info = { .vf = (unsigned)index,
			  .vlan = (unsigned)vlan.id,
			  .qos = (unsigned)vlan.qos,
			  .vlan_proto = htons(vlan.proto) },
	};

	if (vlan.proto == ETH_P_8021AD)
		return set(sock, pf, IFLA_VF_VLAN_LIST, &listed, sizeof(listed), "VLAN", err);
	return set(sock, pf, IFLA_VF_VLAN, &plain, sizeof(plain), "VLAN", err);
}

int vf_set_rate(struct nlsock *sock, int pf, int index, struct vf_rate rate, struct err *err)
{
	struct ifla_vf_rate vf = { (unsigned)index, (unsigned)rate.min, (unsigned)rate.max };

	return set(sock, pf, IFLA_VF_RATE, &vf, sizeof(vf), "min_tx_rate and max_tx_rate", err);
}

int vf_set_spoofchk(struct nlsock *sock, int pf, int index, bool on, struct err *err)
{
	struct ifla_vf_spoofchk vf = { (unsigned)index, on };

	return set(sock, pf, IFLA_VF_SPOOFCHK, &vf, sizeof(vf), "spoofchk", err);
}

int vf_set_trust(struct nlsock *sock, int pf, int index, bool on, struct err *err)
{
	struct ifla_vf_trust vf = { (unsigned)index, on };

	return set(sock, pf, IFLA_VF_TRUST, &vf, sizeof(vf), "trust", err);
}

int vf_set_link(struct nlsock *sock, int pf, int index, enum vf_link link, struct err *err)
{
	struct ifla_vf_link_state vf = { (unsigned)index, link };

	return set(sock, pf, IFLA_VF_LINK_STATE, &vf, sizeof(vf), "link_state", err);
}
