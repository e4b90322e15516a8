// SPDX-License-Identifier: Apache-2.0
/* Plans over hand-made hosts: the steps as golden lines, the refusals, and addresses. */
#include "cni/plan.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>

#define SET(n)                                                                                     \
	{                                                                                          \
		true, (n)                                                                          \
	}

static const struct mac mac_9 = { true, { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x09 } };
static const struct profile profile = { .present = true };

/* ---- hosts ---- */

/* A VF of an mlx5 PF, both at 9000, down, the RDMA device shared. */
static struct host_state host_vf(void)
{
	struct host_state state = {
		.device = { .key = "0000:3b:00.2",
			    .name = "ens1f0v2",
			    .ifindex = 12,
			    .pod_ifindex = 3,
			    .pci = { .addr = "0000:3b:00.2",
				     .driver = "mlx5_core",
				     .is_vf = true,
				     .pf = "0000:3b:00.0",
				     .vf_index = 2 },
			    .has_rdma = true,
			    .rdma = { 4, 0, "mlx5_4" } },
		.link = { .ifindex = 12,
			  .name = "ens1f0v2",
			  .mtu = 1500,
			  .max_mtu = 9978,
			  .mac = { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x01 },
			  .ethernet = true },
		.pf = { .ifindex = 7, .name = "ens1f0", .mtu = 9000, .ethernet = true },
		.vf = { .vlan = { 0, 0, ETH_P_8021Q } },
		.rdma_mode = RDMADEV_SHARED,
		.chain = { .hops = { { .kind = MTU_HOP_DEVICE,
				       .name = "ens1f0v2",
				       .mtu = 1500,
				       .max = 9978 },
				     { .kind = MTU_HOP_PF, .name = "ens1f0", .mtu = 9000 } },
			   .n_hops = 2 },
	};

	return state;
}

/* A subfunction of the same PF, which has VFs. */
static struct host_state host_sf(void)
{
	struct host_state state = host_vf();

	snprintf(state.device.key, sizeof(state.device.key), "mlx5_core.sf.4");
	state.device.pci = (struct pci_dev){
		.addr = "mlx5_core.sf.4",
		.driver = "mlx5_core",
		.is_sf = true,
		.pf = "0000:3b:00.0",
	};
	state.rdma_mode = RDMADEV_EXCLUSIVE;
	return state;
}

static struct host_state host_sf_pf_1500(void)
{
	struct host_state state = host_sf();

	state.pf.mtu = state.chain.hops[1].mtu = 1500;
	return state;
}

static struct host_state host_veth(void)
{
	struct host_state state = {
		.device = { .key = "21-02:00:5e:00:53:05",
			    .name = "veth5",
			    .ifindex = 21,
			    .pod_ifindex = 21,
			    .kind = "veth" },
		.link = { .ifindex = 21,
			  .name = "veth5",
			  .mtu = 1500,
			  .max_mtu = 65535,
			  .up = true,
			  .mac = { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x05 },
			  .ethernet = true,
			  .kind = "veth" },
		.chain = { .hops = { { .kind = MTU_HOP_DEVICE,
				       .name = "veth5",
				       .mtu = 1500,
				       .max = 65535 } },
			   .n_hops = 1 },
	};

	return state;
}

static struct host_state host_vf_up(void)
{
	struct host_state state = host_vf();

	state.link.up = true;
	return state;
}

static struct host_state host_vf_exclusive(void)
{
	struct host_state state = host_vf();

	state.rdma_mode = RDMADEV_EXCLUSIVE;
	return state;
}

static struct host_state host_vf_exclusive_no_rdma(void)
{
	struct host_state state = host_vf_exclusive();

	state.device.has_rdma = false;
	return state;
}

static struct host_state host_vf_no_subsystem(void)
{
	struct host_state state = host_vf_exclusive_no_rdma();

	state.rdma_mode = RDMADEV_NONE;
	return state;
}

static struct host_state host_vf_unknown_driver(void)
{
	struct host_state state = host_vf_exclusive_no_rdma();

	snprintf(state.device.pci.driver, sizeof(state.device.pci.driver), "igbvf");
	return state;
}

static struct host_state host_vf_works(void)
{
	struct host_state state = host_vf_exclusive();

	snprintf(state.chardev, sizeof(state.chardev), "uverbs4");
	snprintf(state.soft, sizeof(state.soft), "rxe_7_net1");
	return state;
}

static struct host_state host_vf_shared(void)
{
	struct host_state state = host_vf_works();

	state.rdma_mode = RDMADEV_SHARED;
	return state;
}

static struct host_state host_vf_in_use(void)
{
	struct host_state state = host_vf_works();

	snprintf(state.rdma_holder, sizeof(state.rdma_holder), "ib_write_bw (process 4711)");
	return state;
}

static struct host_state host_vf_vlan_7(void)
{
	struct host_state state = host_vf();

	state.vf.vlan = (struct vf_vlan){ 7, 3, ETH_P_8021AD };
	return state;
}

static struct host_state host_vf_admin_mac(void)
{
	struct host_state state = host_vf();

	memcpy(state.vf.mac, state.link.mac, LINK_MAC_LEN);
	return state;
}

static struct host_state host_vf_at_9000(void)
{
	struct host_state state = host_vf();

	state.link.mtu = state.chain.hops[0].mtu = 9000;
	return state;
}

/* A VF whose PF reports all there is, at values that are not those of a new VF. */
static struct host_state host_vf_reporting(void)
{
	struct host_state state = host_vf_at_9000();

	state.vf.rate = (struct vf_rate){ 5, 1000 };
	state.vf.spoofchk = VF_ON;
	state.vf.trust = VF_OFF;
	state.link.txqlen = 1000;
	return state;
}

static struct host_state host_vf_userspace(void)
{
	struct host_state state = host_vf_reporting();

	state.device.userspace = true;
	state.device.ifindex = state.device.pod_ifindex = 0;
	snprintf(state.device.name, sizeof(state.device.name), "0000:3b:00.2");
	snprintf(state.device.pci.driver, sizeof(state.device.pci.driver), "vfio-pci");
	state.link = (struct link){ 0 };
	return state;
}

static struct host_state host_vf_userspace_no_rdma(void)
{
	struct host_state state = host_vf_userspace();

	state.device.has_rdma = false;
	return state;
}

static struct host_state host_veth_rdma(void)
{
	struct host_state state = host_veth();

	state.rdma_mode = RDMADEV_SHARED;
	return state;
}

static struct host_state host_altnames(void)
{
	struct host_state state = host_vf_at_9000();

	state.device.n_altnames = 3;
	return state;
}

static struct host_state host_altname_taken(void)
{
	struct host_state state = host_altnames();

	state.alt_taken = 2;
	return state;
}

/* The files of the two sysctls of with_sysctls, and what the pod has. */
static struct host_state host_sysctls(void)
{
	struct host_state state = host_vf_at_9000();

	snprintf(state.sysctls[0].path, SETTING_PATH_SIZE, "net/ipv4/conf/net1/arp_filter");
	snprintf(state.sysctls[0].value, SYSCTL_VALUE_SIZE, "lo's");
	snprintf(state.sysctls[1].path, SETTING_PATH_SIZE, "net/ipv4/ip_forward");
	snprintf(state.sysctls[1].value, SYSCTL_VALUE_SIZE, "0");
	return state;
}

static struct host_state host_sysctl_unknown(void)
{
	struct host_state state = host_vf_at_9000();

	state.sysctls[0].error = -ENOENT;
	return state;
}

static struct host_state host_sysctl_read_only(void)
{
	struct host_state state = host_vf_at_9000();

	state.sysctls[0].error = -EACCES;
	return state;
}

static struct host_state host_vf_pf_1500(void)
{
	struct host_state state = host_vf();

	state.chain.hops[1].mtu = 1500;
	return state;
}

static struct host_state host_vf_on_tagged_switch(void)
{
	static const struct fabric fabric = {
		.name = "rail", .sw = { .mtu = SET(9018), .semantics = SWITCH_L2FRAME }
	};
	struct host_state state = host_vf_vlan_7();

	state.fabric = &fabric;
	return state;
}

/* A macvlan on a VLAN: its own frames are tagged, whatever a PF does. */
static struct host_state host_macvlan_on_tagged_switch(void)
{
	static const struct fabric fabric = {
		.name = "rail", .sw = { .mtu = SET(9018), .semantics = SWITCH_L2FRAME }
	};
	struct host_state state = host_veth();

	state.fabric = &fabric;
	state.chain.tags = 1;
	return state;
}

/* A PF port that is a VLAN device's, with the PF's VLAN on top. */
static struct host_state host_vf_two_tags(void)
{
	struct host_state state = host_vf_on_tagged_switch();

	state.chain.tags = 1;
	return state;
}

static struct host_state host_carries(void)
{
	struct host_state state = host_veth();

	snprintf(state.chain.carries, sizeof(state.chain.carries), "veth5.7");
	return state;
}

static struct host_state host_parent_down(void)
{
	struct host_state state = host_veth();

	snprintf(state.chain.down, sizeof(state.chain.down), "ens9");
	return state;
}

static struct host_state host_more(void)
{
	struct host_state state = host_vf();

	state.chain.more = true;
	return state;
}

static struct host_state host_address(void)
{
	struct host_state state = host_veth();

	state.has_address = true;
	return state;
}

static struct host_state host_default_route(void)
{
	struct host_state state = host_veth();

	state.has_default_route = true;
	return state;
}

static struct host_state host_enslaved(void)
{
	struct host_state state = host_veth();

	state.link.master = 5;
	return state;
}

static struct host_state host_loopback(void)
{
	struct host_state state = host_veth();

	state.link.loopback = true;
	return state;
}

static struct host_state host_infiniband(void)
{
	struct host_state state = host_veth();

	state.link.ethernet = false;
	return state;
}

static struct host_state host_pf_with_vfs(void)
{
	struct host_state state = host_veth();

	snprintf(state.device.pci.addr, PCI_ADDR_SIZE, "0000:3b:00.0");
	state.device.pci.num_vfs = 4;
	return state;
}

static struct host_state host_pf_without_vfs(void)
{
	struct host_state state = host_pf_with_vfs();

	state.device.pci.num_vfs = 0;
	state.device.pci.total_vfs = 8;
	return state;
}

/* It has the PCI address of its PF, and so its VFs. */
static struct host_state host_representor(void)
{
	struct host_state state = host_pf_with_vfs();

	state.device.pci.total_vfs = 8;
	snprintf(state.link.phys_port_name, sizeof(state.link.phys_port_name), "pf0vf3");
	return state;
}

/* A VF of a virtual machine, or a card without SR-IOV. */
static struct host_state host_plain_function(void)
{
	struct host_state state = host_veth();

	snprintf(state.device.pci.addr, PCI_ADDR_SIZE, "0000:00:05.0");
	return state;
}

static struct host_state host_name_taken(void)
{
	struct host_state state = host_veth();

	snprintf(state.pod_taken, sizeof(state.pod_taken), "net1");
	return state;
}

static struct host_state host_busy_in_every_way(void)
{
	struct host_state state = host_name_taken();

	state.has_address = state.has_default_route = true;
	state.link.master = 5;
	return state;
}

/* ---- steps ---- */

/* The steps of a plan that change something, a line each. */
static const char *print_steps(const struct plan *plan, const char *device, char buf[8192])
{
	char line[STEP_TEXT_SIZE];
	int n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < plan->n_steps; i++)
		if (step_changes(&plan->steps[i]))
			n += snprintf(buf + n, 8192 - n, "%s\n",
				      step_print(&plan->steps[i], device, line));
	return buf;
}

#define MOVED "x: move to the pod as net1\nx: set up\n"
#define EVERY_VF_SETTING                                                                           \
	.set.vlan = SET(7), .set.vlan_qos = SET(3), .set.vlan_proto = SET(ETH_P_8021AD),           \
	.set.mac = { true, { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x09 } }, .set.spoofchk = SET(0),       \
	.set.trust = SET(1), .set.link_state = SET(SETTING_LINK_DISABLE),                          \
	.set.min_tx_rate = SET(10), .set.max_tx_rate = SET(100)
#define SYSCTLS                                                                                    \
	.set.has_sysctls = true, .set.n_sysctls = 2,                                               \
	.set.sysctls = { { "net.ipv4.conf.IFNAME.arp_filter", "1" }, { "net.ipv4.ip_forward", "1" } }

static const struct {
	const char *name;
	struct host_state (*host)(void);
	struct netconf conf;
	const char *steps;
} golden[] = {
	{ "VF, nothing asked for",
	  host_vf,
	  { .fabric = NULL },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "VF, everything asked for",
	  host_vf,
	  { .set.mtu = SET(4200),
	    .roce_mtu = SET(4096),
	    .set.vlan = SET(100),
	    .set.mac = { true, { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x09 } },
	    .ipam_type = "roce-ipam" },
	  "x: VLAN 0 -> 100\nx: MAC 02:00:5e:00:53:01 -> 02:00:5e:00:53:09\n"
	  "x: MTU 1500 -> 4200\nx: move to the pod as net1\n"
	  "take addresses from the IPAM plugin\nx: set up\n" },
	{ "VF that is up",
	  host_vf_up,
	  { .set.mtu = SET(1500) },
	  "x: set down\n"
	  "x: move to the pod as net1\nx: set up\n" },
	{ "exclusive RDMA",
	  host_vf_exclusive,
	  { .set.mtu = SET(9000), .ipam_type = "i" },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: move its RDMA device to the pod\n"
	  "take addresses from the IPAM plugin\nx: set up\n" },
	{ "exclusive, no RDMA device",
	  host_vf_exclusive_no_rdma,
	  { .set.mtu = SET(9000) },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "exclusive, RDMA off",
	  host_vf_works,
	  { .set.mtu = SET(9000), .rdma = RDMA_OFF },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "exclusive, RDMA required",
	  host_vf_works,
	  { .set.mtu = SET(9000), .rdma = RDMA_REQUIRED },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: move its RDMA device to the pod\n"
	  "x: set up\n" },
	{ "soft RoCE: the VF's own device stays, the soft one comes last",
	  host_vf_shared,
	  { .set.mtu = SET(9000), .ipam_type = "i", .rdma = RDMA_SOFT },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\n"
	  "take addresses from the IPAM plugin\nx: set up\nx: make soft-RoCE device rxe_7_net1\n" },
	{ "a subfunction",
	  host_sf,
	  { .set.mac = { true, { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x09 } }, .ipam_type = "i" },
	  "x: MAC 02:00:5e:00:53:01 -> 02:00:5e:00:53:09\nx: MTU 1500 -> 9000\n"
	  "x: move to the pod as net1\nx: move its RDMA device to the pod\n"
	  "take addresses from the IPAM plugin\nx: set up\n" },
	{ "VLAN of before stays",
	  host_vf_vlan_7,
	  { .set.mtu = SET(9000) },
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "VLAN 0 takes it off",
	  host_vf_vlan_7,
	  { .set.mtu = SET(9000), .set.vlan = SET(0) },
	  "x: VLAN 7 (802.1ad, priority 3) -> 0\n"
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "MTU of before stays",
	  host_vf_at_9000,
	  { .set.mtu = SET(9000) },
	  "x: move to the pod as net1\nx: set up\n" },
	{ "the tag of before counts on the switch",
	  host_vf_on_tagged_switch,
	  { .fabric = NULL },
	  "x: MTU 1500 -> 8996\nx: move to the pod as net1\nx: set up\n" },
	{ "the tag taken off does not",
	  host_vf_on_tagged_switch,
	  { .set.vlan = SET(0) },
	  "x: VLAN 7 (802.1ad, priority 3) -> 0\n"
	  "x: MTU 1500 -> 9000\nx: move to the pod as net1\nx: set up\n" },
	{ "another tag than before counts as one",
	  host_vf_on_tagged_switch,
	  { .set.vlan = SET(8) },
	  "x: VLAN 7 (802.1ad, priority 3) -> 8 (802.1q, priority 0)\n"
	  "x: MTU 1500 -> 8996\nx: move to the pod as net1\nx: set up\n" },
	{ "the device's own tag counts on the switch",
	  host_macvlan_on_tagged_switch,
	  { .fabric = NULL },
	  "x: set down\nx: MTU 1500 -> 8996\n"
	  "x: move to the pod as net1\nx: set up\n" },
	{ "the device's own tag and the PF's",
	  host_vf_two_tags,
	  { .fabric = NULL },
	  "x: MTU 1500 -> 8992\nx: move to the pod as net1\nx: set up\n" },
	{ "the device's own tag stays when the PF's is taken off",
	  host_vf_two_tags,
	  { .set.vlan = SET(0) },
	  "x: VLAN 7 (802.1ad, priority 3) -> 0\n"
	  "x: MTU 1500 -> 8996\nx: move to the pod as net1\nx: set up\n" },
	{ "veth",
	  host_veth,
	  { .set.mtu = SET(9000) },
	  "x: set down\nx: MTU 1500 -> 9000\n"
	  "x: move to the pod as net1\nx: set up\n" },
	{ "VLAN, priority and protocol",
	  host_vf_at_9000,
	  { .set.vlan = SET(7), .set.vlan_qos = SET(3), .set.vlan_proto = SET(ETH_P_8021AD) },
	  "x: VLAN 0 -> 7 (802.1ad, priority 3)\n" MOVED },
	{ "VLAN 0 where there is none",
	  host_vf_at_9000,
	  { .set.vlan = SET(0), .set.vlan_qos = SET(0), .set.vlan_proto = SET(ETH_P_8021Q) },
	  MOVED },
	{ "spoofchk", host_vf_reporting, { .set.spoofchk = SET(0) }, "x: spoofchk on -> off\n" MOVED },
	{ "spoofchk as it is", host_vf_reporting, { .set.spoofchk = SET(1) }, MOVED },
	{ "trust", host_vf_reporting, { .set.trust = SET(1) }, "x: trust off -> on\n" MOVED },
	{ "trust as it is", host_vf_reporting, { .set.trust = SET(0) }, MOVED },
	{ "link state",
	  host_vf_reporting,
	  { .set.link_state = SET(SETTING_LINK_ENABLE) },
	  "x: link state of the VF auto -> enable\n" MOVED },
	{ "link state as it is", host_vf_reporting, { .set.link_state = SET(SETTING_LINK_AUTO) }, MOVED },
	{ "the least rate: the most stays",
	  host_vf_reporting,
	  { .set.min_tx_rate = SET(10) },
	  "x: rate 5 to 1000 Mbit/s -> 10 to 1000 Mbit/s\n" MOVED },
	{ "the most: the least rate stays",
	  host_vf_reporting,
	  { .set.max_tx_rate = SET(100) },
	  "x: rate 5 to 1000 Mbit/s -> 5 to 100 Mbit/s\n" MOVED },
	{ "no rates",
	  host_vf_reporting,
	  { .set.min_tx_rate = SET(0), .set.max_tx_rate = SET(0) },
	  "x: rate 5 to 1000 Mbit/s -> 0 Mbit/s or more\n" MOVED },
	{ "promisc", host_vf_reporting, { .set.promisc = SET(1) }, "x: promisc off -> on\n" MOVED },
	{ "allmulti", host_vf_reporting, { .set.allmulti = SET(1) }, "x: allmulti off -> on\n" MOVED },
	{ "queue", host_vf_reporting, { .set.txqlen = SET(0) }, "x: transmit queue 1000 -> 0\n" MOVED },
	{ "flags and queue as they are",
	  host_vf_reporting,
	  { .set.promisc = SET(0), .set.allmulti = SET(0), .set.txqlen = SET(1000) },
	  MOVED },
	{ "flags of another netdev",
	  host_veth,
	  { .set.mtu = SET(1500), .set.promisc = SET(1), .set.allmulti = SET(1), .set.txqlen = SET(7) },
	  "x: set down\nx: promisc off -> on\nx: allmulti off -> on\nx: transmit queue 0 -> 7\n" MOVED },
	{ "sysctls",
	  host_sysctls,
	  { SYSCTLS },
	  "x: move to the pod as net1\nx: net/ipv4/conf/net1/arp_filter (unset) -> 1\n"
	  "x: net/ipv4/ip_forward 0 -> 1\nx: set up\n" },
	{ "altnames go along", host_altnames, { .fabric = NULL }, MOVED },
	{ "an altname that is taken", host_altname_taken, { .fabric = NULL }, "x: altnames 3 -> 2\n" MOVED },
	{ "everything",
	  host_vf_reporting,
	  { EVERY_VF_SETTING, .set.mtu = SET(4200), .set.promisc = SET(1), .set.allmulti = SET(1),
	    .set.txqlen = SET(77), .ipam_type = "i" },
	  "x: VLAN 0 -> 7 (802.1ad, priority 3)\nx: MAC 02:00:5e:00:53:01 -> 02:00:5e:00:53:09\n"
	  "x: rate 5 to 1000 Mbit/s -> 10 to 100 Mbit/s\nx: spoofchk on -> off\nx: trust off -> on\n"
	  "x: link state of the VF auto -> disable\nx: MTU 9000 -> 4200\nx: promisc off -> on\n"
	  "x: allmulti off -> on\nx: transmit queue 1000 -> 77\nx: move to the pod as net1\n"
	  "take addresses from the IPAM plugin\nx: set up\n" },
	{ "a VF for userspace, nothing asked for", host_vf_userspace, { .fabric = NULL }, "" },
	{ "a VF for userspace, everything",
	  host_vf_userspace,
	  { EVERY_VF_SETTING, .set.mtu = SET(4200), .ipam_type = "i" },
	  "x: VLAN 0 -> 7 (802.1ad, priority 3)\nx: the PF orders MAC 02:00:5e:00:53:09\n"
	  "x: rate 5 to 1000 Mbit/s -> 10 to 100 Mbit/s\nx: spoofchk on -> off\nx: trust off -> on\n"
	  "x: link state of the VF auto -> disable\ntake addresses from the IPAM plugin\n" },
};

static void plans_are_golden(void **state)
{
	static struct plan plan;
	char text[8192];

	(void)state;
	for_each_row(row, golden)
	{
		struct host_state host = row->host();

		plan_add(&row->conf, &profile, &host, "net1", &plan);
		if (plan.findings.n > 0)
			fail_msg("row \"%s\": %s", row->name, plan.findings.items[0].text);
		row_text(row->name, "steps", print_steps(&plan, "x", text), row->steps);
	}
}

static const struct step *find_step(const struct plan *plan, enum step_type type)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].type == type)
			return &plan->steps[i];
	fail_msg("no step %s", step_type_name(type));
	return NULL;
}

/* What the lines do not show: everything an undo needs. */
static void steps_hold_what_was(void **state)
{
	static struct plan plan;
	struct host_state host = host_vf_exclusive();
	struct netconf conf = { .set.mtu = SET(9000), .ipam_type = "i" };
	const struct step *move, *last;

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	move = find_step(&plan, STEP_LINK_MOVE);
	assert_int_equal(move->have.at.place, PLACE_HOST);
	assert_string_equal(move->have.at.name, "ens1f0v2");
	assert_int_equal(move->have.at.ifindex, 12);
	assert_int_equal(move->want.at.place, PLACE_POD);
	assert_string_equal(move->want.at.name, "net1");
	assert_int_equal(move->want.at.ifindex, 3);
	assert_int_equal(find_step(&plan, STEP_RDMA_MOVE)->have.place, PLACE_HOST);
	assert_int_equal(find_step(&plan, STEP_RDMA_MOVE)->want.place, PLACE_POD);
	assert_false(find_step(&plan, STEP_IPAM)->have.on);
	assert_int_equal(find_step(&plan, STEP_LINK_MTU)->have.number, 1500);
	last = &plan.steps[plan.n_steps - 1];
	assert_int_equal(last->type, STEP_LINK_STATE);
	assert_true(!last->have.on && last->want.on);
}

static void vlan_keeps_or_replaces_all_of_it(void **state)
{
	static struct plan plan;
	struct host_state host = host_vf_vlan_7();
	struct netconf conf = { .set.mtu = SET(9000) };
	const struct step *step;

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_false(step_changes(find_step(&plan, STEP_VF_VLAN)));
	conf.set.vlan = (struct opt_int)SET(7); /* the same number, but tag and priority are the usual */
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_true(step_changes(find_step(&plan, STEP_VF_VLAN)));
	conf.set.vlan_qos = (struct opt_int)SET(3);
	conf.set.vlan_proto = (struct opt_int)SET(ETH_P_8021AD);
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_false(step_changes(find_step(&plan, STEP_VF_VLAN)));
	conf.set.vlan_qos.set = conf.set.vlan_proto.set = false;
	conf.set.vlan_qos.value = 0;
	conf.set.vlan = (struct opt_int)SET(8);
	plan_add(&conf, &profile, &host, "net1", &plan);
	step = find_step(&plan, STEP_VF_VLAN);
	assert_int_equal(step->have.vlan.proto, ETH_P_8021AD);
	assert_int_equal(step->have.vlan.qos, 3);
	assert_int_equal(step->want.vlan.id, 8);
	assert_int_equal(step->want.vlan.qos, 0);
	assert_int_equal(step->want.vlan.proto, ETH_P_8021Q);
}

/* Of a VF the administrative address goes with the netdev's own; another netdev has none. */
static const struct {
	const char *name;
	struct host_state (*host)(void);
	bool asked;
	unsigned char have_admin, want_admin, have_link, want_link; /* last bytes; 0: all zero */
} mac_steps[] = {
	{ "VF, not asked", host_vf, false, 0, 0, 1, 1 },
	{ "VF with an administrative MAC, not asked", host_vf_admin_mac, false, 1, 1, 1, 1 },
	{ "VF, asked", host_vf, true, 0, 9, 1, 9 },
	{ "VF with an administrative MAC, asked", host_vf_admin_mac, true, 1, 9, 1, 9 },
	{ "veth, not asked", host_veth, false, 0, 0, 5, 5 },
	{ "veth, asked", host_veth, true, 0, 0, 5, 9 },
	{ "VF for userspace, not asked", host_vf_userspace, false, 0, 0, 0, 0 },
	{ "VF for userspace, asked", host_vf_userspace, true, 0, 9, 0, 0 },
};

static void macs_are_planned(void **state)
{
	static struct plan plan;

	(void)state;
	for_each_row(row, mac_steps)
	{
		struct host_state host = row->host();
		struct netconf conf = { .set.mtu = SET(1500) };
		const struct step *step;

		if (row->asked)
			conf.set.mac = mac_9;
		plan_add(&conf, &profile, &host, "net1", &plan);
		step = find_step(&plan, STEP_MAC);
		row_int(row->name, "have.admin", step->have.mac.admin[5], row->have_admin);
		row_int(row->name, "want.admin", step->want.mac.admin[5], row->want_admin);
		row_int(row->name, "have.link", step->have.mac.link[5], row->have_link);
		row_int(row->name, "want.link", step->want.mac.link[5], row->want_link);
	}
}

/* ---- findings ---- */

static const struct {
	const char *name;
	struct host_state (*host)(void);
	struct netconf conf;
	enum err_code code;
	const char *id, *hop, *text, *fix;
} refused[] = {
	{ "address",
	  host_address,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-has-address",
	  "device veth5",
	  "veth5 has an IP address of the host",
	  "ip address flush" },
	{ "default route",
	  host_default_route,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-has-default-route",
	  "device veth5",
	  "carries the host's default route",
	  "another device" },
	{ "enslaved",
	  host_enslaved,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-enslaved",
	  "device veth5",
	  "belongs to a bond, team or bridge",
	  "nomaster" },
	{ "loopback",
	  host_loopback,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-not-ethernet",
	  "device veth5",
	  "is no Ethernet interface",
	  "" },
	{ "InfiniBand",
	  host_infiniband,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-not-ethernet",
	  "device veth5",
	  "is no Ethernet interface",
	  "" },
	{ "carries others",
	  host_carries,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-carries-others",
	  "device veth5",
	  "carries another netdev of the host (a VLAN, macvlan or ipvlan): it cannot be given to a "
	  "pod",
	  "ip link del veth5.7" },
	{ "rides on what is down",
	  host_parent_down,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-parent-down",
	  "device veth5",
	  "rides on a netdev that is down",
	  "ip link set dev ens9 up" },
	{ "PF with VFs",
	  host_pf_with_vfs,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-is-pf",
	  "device veth5",
	  "is a PF with VFs",
	  "sriov_numvfs" },
	{ "PF without VFs",
	  host_pf_without_vfs,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-is-pf",
	  "device veth5",
	  "is a PF, and the node profile has no \"allowPF\": true: it cannot be given to a pod",
	  "echo 1 > /sys/class/net/veth5/device/sriov_numvfs" },
	{ "representor",
	  host_representor,
	  { .set.mtu = SET(1500) },
	  ROCE_DEVICE_FORBIDDEN,
	  "device-is-representor",
	  "device veth5",
	  "is a representor",
	  "cat /sys/class/net/veth5/phys_port_name" },
	{ "a VLAN by a PF that is not there",
	  host_plain_function,
	  { .set.mtu = SET(1500), .set.vlan = SET(7) },
	  CNI_CONFIG_INVALID,
	  "setting-needs-vf",
	  "",
	  "vlan: it is a PF's setting of a VF",
	  "name a VF" },
	{ "a VLAN of a subfunction",
	  host_sf,
	  { .set.vlan = SET(7) },
	  CNI_CONFIG_INVALID,
	  "setting-needs-vf",
	  "",
	  "vlan: it is a PF's setting of a VF",
	  "name a VF" },
	{ "a subfunction's PF too small",
	  host_sf_pf_1500,
	  { .set.mtu = SET(9000) },
	  ROCE_MTU_MISMATCH,
	  "port-mtu-too-small",
	  "PF ens1f0",
	  "1500",
	  "ip link set dev ens1f0 mtu 9000" },
	{ "name taken in the pod",
	  host_name_taken,
	  { .set.mtu = SET(1500) },
	  ROCE_IFNAME_TAKEN,
	  "pod-name-taken",
	  "",
	  "the pod has an interface with the name net1 already",
	  "@NAME" },
	{ "PF too small",
	  host_vf_pf_1500,
	  { .set.mtu = SET(9000) },
	  ROCE_MTU_MISMATCH,
	  "port-mtu-too-small",
	  "PF ens1f0",
	  "1500",
	  "ip link set dev ens1f0 mtu 9000" },
	{ "device too small",
	  host_vf,
	  { .set.mtu = SET(9979) },
	  ROCE_MTU_MISMATCH,
	  "device-max-mtu-too-small",
	  "device ens1f0v2",
	  "at most 9978",
	  "" },
	{ "RoCE MTU does not fit",
	  host_vf,
	  { .set.mtu = SET(4096), .roce_mtu = SET(4096) },
	  ROCE_MTU_MISMATCH,
	  "pod-mtu-below-roce-mtu",
	  "pod",
	  "4096",
	  "4200" },
	{ "rates in the wrong order, with one that the VF has",
	  host_vf_reporting,
	  { .set.min_tx_rate = SET(1001) },
	  CNI_CONFIG_INVALID,
	  "rate-order",
	  "",
	  "min_tx_rate 1001 is more than max_tx_rate 1000; the VF has 5 and 1000 now",
	  "write both" },
	{ "the most is less than the least that the VF has",
	  host_vf_reporting,
	  { .set.max_tx_rate = SET(4) },
	  CNI_CONFIG_INVALID,
	  "rate-order",
	  "",
	  "min_tx_rate 5 is more than max_tx_rate 4; the VF has 5 and 1000 now",
	  "write both" },
	{ "spoofchk that is not reported",
	  host_vf_at_9000,
	  { .set.spoofchk = SET(0) },
	  ROCE_KERNEL_REFUSED,
	  "setting-not-reported",
	  "",
	  "spoofchk: the driver of PF ens1f0 does not report it, so it could not be restored",
	  "ip -d link show dev ens1f0" },
	{ "trust that is not reported",
	  host_vf_at_9000,
	  { .set.trust = SET(1) },
	  ROCE_KERNEL_REFUSED,
	  "setting-not-reported",
	  "",
	  "trust: the driver of PF ens1f0 does not report it",
	  "leave \"trust\" out" },
	{ "promisc of a VF for userspace",
	  host_vf_userspace,
	  { .set.promisc = SET(0) },
	  CNI_CONFIG_INVALID,
	  "setting-needs-netdev",
	  "",
	  "promisc: the VF's driver is one for userspace",
	  "bind the VF to its network driver" },
	{ "allmulti of a VF for userspace",
	  host_vf_userspace,
	  { .set.allmulti = SET(1) },
	  CNI_CONFIG_INVALID,
	  "setting-needs-netdev",
	  "",
	  "allmulti: ",
	  "leave it out" },
	{ "RDMA required, no subsystem",
	  host_vf_no_subsystem,
	  { .set.mtu = SET(9000), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-subsystem",
	  "",
	  "the kernel has no RDMA subsystem loaded",
	  "modprobe ib_uverbs" },
	{ "RDMA required, the module is missing",
	  host_vf_exclusive_no_rdma,
	  { .set.mtu = SET(9000), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-device",
	  "",
	  "device ens1f0v2 has no RDMA device on the host; its driver is mlx5_core",
	  "modprobe mlx5_ib" },
	{ "RDMA required, an adapter without",
	  host_vf_unknown_driver,
	  { .set.mtu = SET(9000), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-device",
	  "",
	  "its driver is igbvf",
	  "an adapter with RoCE" },
	{ "RDMA required, a driver for userspace",
	  host_vf_userspace_no_rdma,
	  { .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-device",
	  "",
	  "device 0000:3b:00.2 has no RDMA device on the host; its driver is vfio-pci",
	  "bind the VF to its network driver" },
	{ "RDMA required, a veth",
	  host_veth_rdma,
	  { .set.mtu = SET(1500), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-device",
	  "",
	  "device veth5 has no RDMA device on the host; it is no PCI device",
	  "\"rdma\": \"soft\"" },
	{ "RDMA required, no PCI device",
	  host_veth,
	  { .set.mtu = SET(1500), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-subsystem",
	  "",
	  "the kernel has no RDMA subsystem",
	  "" },
	{ "RDMA required, no file",
	  host_vf_exclusive,
	  { .set.mtu = SET(9000), .rdma = RDMA_REQUIRED },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-no-chardev",
	  "",
	  "no uverbs file below /dev/infiniband",
	  "modprobe ib_uverbs" },
	{ "soft RoCE on a VF for userspace",
	  host_vf_userspace,
	  { .rdma = RDMA_SOFT },
	  CNI_CONFIG_INVALID,
	  "setting-needs-netdev",
	  "",
	  "rdma \"soft\": the VF's driver is one for userspace",
	  "bind the VF to its network driver" },
	{ "queue of a VF for userspace",
	  host_vf_userspace,
	  { .set.txqlen = SET(1) },
	  CNI_CONFIG_INVALID,
	  "setting-needs-netdev",
	  "",
	  "txQLen: ",
	  "leave it out" },
	{ "soft RoCE where a device is in one namespace only",
	  host_vf_exclusive,
	  { .rdma = RDMA_SOFT },
	  ROCE_RDMA_UNUSABLE,
	  "rdma-soft-exclusive",
	  "",
	  "in RDMA mode exclusive the kernel leaves a soft-RoCE device on the host",
	  "options ib_core netns_mode=1" },
	{ "a sysctl of an interface that a VF for userspace has not",
	  host_vf_userspace,
	  { .set.n_sysctls = 1, .set.sysctls = { { "net.ipv4.conf.IFNAME.arp_filter", "1" } } },
	  CNI_CONFIG_INVALID,
	  "sysctl-unknown",
	  "",
	  "sysctl net.ipv4.conf.IFNAME.arp_filter: the VF has no netdev",
	  "sysctl -a" },
	{ "a sysctl that there is not",
	  host_sysctl_unknown,
	  { .set.n_sysctls = 1, .set.sysctls = { { "net.ipv4.no_such", "1" } } },
	  CNI_CONFIG_INVALID,
	  "sysctl-unknown",
	  "",
	  "sysctl net.ipv4.no_such: a pod has none of this name",
	  "sysctl -a" },
	{ "a sysctl that can only be read",
	  host_sysctl_read_only,
	  { .set.n_sysctls = 1, .set.sysctls = { { "net.core.rmem_max", "1" } } },
	  CNI_CONFIG_INVALID,
	  "sysctl-unknown",
	  "",
	  "sysctl net.core.rmem_max: it cannot be read and written in a pod",
	  "" },
	{ "switch too small, one tag",
	  host_vf_on_tagged_switch,
	  { .set.mtu = SET(9000) },
	  ROCE_MTU_MISMATCH,
	  "switch-mtu-too-small",
	  "switch of fabric rail",
	  "8996",
	  "9022" },
};

static void refusals_are_found(void **state)
{
	static struct plan plan;

	(void)state;
	for_each_row(row, refused)
	{
		struct host_state host = row->host();
		const struct finding *f = &plan.findings.items[0];
		struct err err = { 0 };

		plan_add(&row->conf, &profile, &host, "net1", &plan);
		row_true(row->name, "there is a finding", plan.findings.n > 0);
		row_int(row->name, "severity", f->severity, SEVERITY_ERROR);
		row_int(row->name, "code", f->code, row->code);
		row_text(row->name, "id", f->id, row->id);
		row_text(row->name, "hop", f->hop, row->hop);
		row_part(row->name, "text", f->text, row->text);
		row_part(row->name, "fix", f->fix, row->fix);
		row_true(row->name, "refused", finding_refuse(&plan.findings, &err) < 0);
		row_int(row->name, "code of the refusal", err.code, row->code);
		row_part(row->name, "message", err.msg, row->text);
	}
}

/* Only what the administrator allows, and never a PF that has VFs. */
static void a_pf_may_be_allowed(void **state)
{
	static const struct profile allows = { .present = true, .allow_pf = true };
	static struct plan plan;
	struct netconf conf = { .set.mtu = SET(1500) };
	struct host_state without = host_pf_without_vfs(), with = host_pf_with_vfs();
	struct host_state representor = host_representor(), plain = host_plain_function();

	(void)state;
	plan_add(&conf, &allows, &without, "net1", &plan);
	assert_int_equal(plan.findings.n, 0);
	plan_add(&conf, &allows, &with, "net1", &plan);
	assert_int_equal(plan.findings.n, 1);
	assert_string_equal(plan.findings.items[0].id, "device-is-pf");
	plan_add(&conf, &allows, &representor, "net1", &plan);
	assert_int_equal(plan.findings.n, 1);
	assert_string_equal(plan.findings.items[0].id, "device-is-representor");
	plan_add(&conf, &profile, &plain, "net1", &plan);
	assert_int_equal(plan.findings.n, 0);
}

/* All that is wrong is said at once. */
static void refusals_come_together(void **state)
{
	static const char *const ids[] = { "device-has-default-route", "device-has-address",
					   "device-enslaved", "pod-name-taken" };
	static struct plan plan;
	struct host_state host = host_busy_in_every_way();
	struct netconf conf = { .set.mtu = SET(1500) };

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, ARRAY_SIZE(ids));
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_string_equal(plan.findings.items[i].id, ids[i]);
}

/* ---- settings: whose they are, and what the node's administrator forbids ---- */

/* What is asked for by each key of the table. */
static const struct {
	const char *name;
	struct settings set;
	bool needs_vf;
} each[] = {
	{ "vlan", { .vlan = SET(0) }, true },
	{ "vlanQoS", { .vlan_qos = SET(0) }, true },
	{ "vlanProto", { .vlan_proto = SET(ETH_P_8021Q) }, true },
	{ "mac", { .mac = { true, { 0x02, 0x00, 0x5e, 0x00, 0x53, 0x09 } } }, false },
	{ "spoofchk", { .spoofchk = SET(1) }, true },
	{ "trust", { .trust = SET(0) }, true },
	{ "link_state", { .link_state = SET(SETTING_LINK_AUTO) }, true },
	{ "min_tx_rate", { .min_tx_rate = SET(5) }, true },
	{ "max_tx_rate", { .max_tx_rate = SET(1000) }, true },
	{ "mtu", { .mtu = SET(1500) }, false },
	{ "promisc", { .promisc = SET(0) }, false },
	{ "allmulti", { .allmulti = SET(0) }, false },
	{ "txQLen", { .txqlen = SET(1000) }, false },
	{ "sysctl", { .has_sysctls = true, .n_sysctls = 1, .sysctls = { { "net.x", "1" } } }, false },
};

static const struct setting *setting_named(const char *name)
{
	size_t n;
	const struct setting *table = setting_table(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	fail_msg("no setting %s", name);
	return NULL;
}

/* Also what the device has anyway: forbidden is forbidden. */
static void forbidden_is_refused(void **state)
{
	static struct plan plan;

	(void)state;
	for_each_row(row, each)
	{
		struct profile node = { .present = true, .n_forbid = 1 };
		struct netconf conf = { .set = row->set };
		struct host_state host = host_vf_reporting();
		const struct finding *f = &plan.findings.items[0];

		node.forbid[0] = setting_named(row->name);
		plan_add(&conf, &node, &host, "net1", &plan);
		row_int(row->name, "findings", (long long)plan.findings.n, 1);
		row_text(row->name, "id", f->id, "setting-forbidden");
		row_int(row->name, "severity", f->severity, SEVERITY_ERROR);
		row_int(row->name, "code", f->code, ROCE_DEVICE_FORBIDDEN);
		row_text(row->name, "path", f->path, row->name);
		row_part(row->name, "text", f->text, row->name);
		row_part(row->name, "text", f->text, ": the node profile forbids networks to ask for it");
		row_part(row->name, "fix", f->fix, "out of \"forbid\" in " PROFILE_PATH);
	}
}

/* A profile that forbids all refuses nothing of a network that asks for nothing. */
static void forbidden_is_only_what_is_asked(void **state)
{
	static struct plan plan;
	struct profile node = { .present = true };
	struct host_state host = host_vf_reporting();
	struct netconf conf = { .fabric = NULL };

	(void)state;
	for_each_row(row, each) node.forbid[node.n_forbid++] = setting_named(row->name);
	plan_add(&conf, &node, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 0);
	conf.set.vlan = (struct opt_int)SET(7);
	conf.set.trust = (struct opt_int)SET(1);
	plan_add(&conf, &node, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 2);
}

static void settings_need_their_device(void **state)
{
	static struct plan plan;

	(void)state;
	for_each_row(row, each)
	{
		struct netconf conf = { .set = row->set };
		struct host_state vf = host_vf_reporting(), veth = host_veth(), sf = host_sf();
		const struct finding *f = &plan.findings.items[0];

		plan_add(&conf, &profile, &vf, "net1", &plan);
		row_int(row->name, "findings on a VF", (long long)plan.findings.n, 0);
		plan_add(&conf, &profile, &sf, "net1", &plan);
		row_int(row->name, "findings on a subfunction", (long long)plan.findings.n, row->needs_vf);
		plan_add(&conf, &profile, &veth, "net1", &plan);
		row_int(row->name, "findings on a veth", (long long)plan.findings.n, row->needs_vf);
		if (!row->needs_vf)
			continue;
		row_text(row->name, "id", f->id, "setting-needs-vf");
		row_int(row->name, "code", f->code, CNI_CONFIG_INVALID);
		row_text(row->name, "path", f->path, row->name);
		row_part(row->name, "text", f->text, ": it is a PF's setting of a VF, and the device is no VF");
		row_part(row->name, "fix", f->fix, "name a VF: \"deviceID\"");
	}
}

/* What nobody asked for is nobody's mistake. */
static void odd_rates_of_before_are_kept(void **state)
{
	static struct plan plan;
	struct host_state host = host_vf_reporting();
	struct netconf conf = { .fabric = NULL };

	(void)state;
	host.vf.rate = (struct vf_rate){ 10, 5 };
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 0);
	assert_false(step_changes(find_step(&plan, STEP_VF_RATE)));
}

static size_t count_steps(const struct plan *plan, enum step_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_steps; i++)
		n += plan->steps[i].type == type;
	return n;
}

/* What a pod may change is restored although nobody asked for it; what is not reported cannot be. */
static void everything_is_kept(void **state)
{
	static const enum step_type kept[] = {
		STEP_CONF,    STEP_ALTNAMES, STEP_VF_VLAN,  STEP_MAC,	   STEP_VF_RATE, STEP_VF_SPOOFCHK,
		STEP_VF_TRUST, STEP_VF_LINK, STEP_LINK_MTU, STEP_PROMISC, STEP_ALLMULTI, STEP_TXQLEN,
	};
	static struct plan plan;
	struct host_state host = host_vf_reporting();
	struct netconf conf = { .fabric = NULL };

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	for_each_row(type, kept)
	{
		row_int(step_type_name(*type), "steps", (long long)count_steps(&plan, *type), 1);
		row_int(step_type_name(*type), "changes", step_changes(find_step(&plan, *type)), 0);
	}
	host = host_vf_at_9000();
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(count_steps(&plan, STEP_VF_SPOOFCHK), 0);
	assert_int_equal(count_steps(&plan, STEP_VF_TRUST), 0);
}

static void userspace_has_no_netdev_steps(void **state)
{
	static const enum step_type none[] = { STEP_LINK_STATE, STEP_CONF,    STEP_ALTNAMES,
					       STEP_LINK_MTU,	STEP_PROMISC, STEP_ALLMULTI,
					       STEP_TXQLEN,	STEP_LINK_MOVE, STEP_RDMA_MOVE };
	static struct plan plan;
	struct host_state host = host_vf_userspace();
	struct netconf conf = { .fabric = NULL };

	(void)state;
	host.rdma_mode = RDMADEV_EXCLUSIVE;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 0);
	for_each_row(type, none)
		row_int(step_type_name(*type), "steps", (long long)count_steps(&plan, *type), 0);
}

static void sysctls_hold_what_was(void **state)
{
	static struct plan plan;
	struct host_state host = host_sysctls();
	struct netconf conf = { SYSCTLS };
	const struct step *own, *other;

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	own = find_step(&plan, STEP_SYSCTL);
	other = own + 1;
	assert_string_equal(own->sysctl, "net/ipv4/conf/net1/arp_filter");
	assert_null(own->have.text);
	assert_string_equal(own->want.text, "1");
	assert_string_equal(other->sysctl, "net/ipv4/ip_forward");
	assert_string_equal(other->have.text, "0");
	assert_string_equal(other->want.text, "1");
}

static void altnames_are_masks(void **state)
{
	static struct plan plan;
	struct host_state host = host_altname_taken();
	struct netconf conf = { .fabric = NULL };

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(find_step(&plan, STEP_ALTNAMES)->have.names, 7);
	assert_int_equal(find_step(&plan, STEP_ALTNAMES)->want.names, 5);
	host.device.n_altnames = LINK_ALTNAMES_MAX;
	host.alt_taken = 0;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(find_step(&plan, STEP_ALTNAMES)->want.names, 255);
	host.device.n_altnames = 0;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(find_step(&plan, STEP_ALTNAMES)->have.names, 0);
}

/* ---- what a VF has between two pods ---- */

/* Each key of the profile's vfBaseline, on the step that it is about; "x: WANT -> WHAT DEL RESTORES". */
static const struct {
	const char *name;
	struct settings vf;
	struct step step;
	const char *inverse;
} homes[] = {
	{ "nothing", { .n_sysctls = 0 },
	  { STEP_VF_SPOOFCHK, { .on = false }, { .on = false }, { { 0 } } },
	  "x: keep spoofchk off" },
	{ "another key", { .trust = SET(1) },
	  { STEP_VF_SPOOFCHK, { .on = false }, { .on = false }, { { 0 } } },
	  "x: keep spoofchk off" },
	{ "spoofchk", { .spoofchk = SET(1) },
	  { STEP_VF_SPOOFCHK, { .on = false }, { .on = false }, { { 0 } } },
	  "x: spoofchk off -> on" },
	{ "trust", { .trust = SET(0) },
	  { STEP_VF_TRUST, { .on = true }, { .on = true }, { { 0 } } },
	  "x: trust on -> off" },
	{ "link_state", { .link_state = SET(SETTING_LINK_AUTO) },
	  { STEP_VF_LINK, { .link = VF_LINK_DISABLE }, { .link = VF_LINK_DISABLE }, { { 0 } } },
	  "x: link state of the VF disable -> auto" },
	{ "min_tx_rate", { .min_tx_rate = SET(0) },
	  { STEP_VF_RATE, { .rate = { 5, 100 } }, { .rate = { 7, 70 } }, { { 0 } } },
	  "x: rate 7 to 70 Mbit/s -> 0 to 100 Mbit/s" },
	{ "max_tx_rate", { .max_tx_rate = SET(200) },
	  { STEP_VF_RATE, { .rate = { 5, 100 } }, { .rate = { 7, 70 } }, { { 0 } } },
	  "x: rate 7 to 70 Mbit/s -> 5 to 200 Mbit/s" },
	{ "vlan", { .vlan = SET(0) },
	  { STEP_VF_VLAN, { .vlan = { 7, 3, ETH_P_8021AD } }, { .vlan = { 9, 0, ETH_P_8021Q } }, { { 0 } } },
	  "x: VLAN 9 -> 0" },
	{ "vlan with all", { .vlan = SET(5), .vlan_qos = SET(2), .vlan_proto = SET(ETH_P_8021AD) },
	  { STEP_VF_VLAN, { .vlan = { 0, 0, ETH_P_8021Q } }, { .vlan = { 9, 0, ETH_P_8021Q } }, { { 0 } } },
	  "x: VLAN 9 (802.1q, priority 0) -> 5 (802.1ad, priority 2)" },
	{ "mtu", { .mtu = SET(1500) },
	  { STEP_LINK_MTU, { .number = 4200 }, { .number = 9000 }, { { 0 } } },
	  "x: MTU 9000 -> 1500" },
	{ "promisc", { .promisc = SET(0) },
	  { STEP_PROMISC, { .on = true }, { .on = true }, { { 0 } } },
	  "x: promisc on -> off" },
	{ "allmulti", { .allmulti = SET(0) },
	  { STEP_ALLMULTI, { .on = true }, { .on = false }, { { 0 } } },
	  "x: keep allmulti off" },
	{ "txQLen", { .txqlen = SET(1000) },
	  { STEP_TXQLEN, { .number = 1 }, { .number = 77 }, { { 0 } } },
	  "x: transmit queue 77 -> 1000" },
	{ "a step that no key is about", { .txqlen = SET(1000), .promisc = SET(1), .mtu = SET(1500) },
	  { STEP_LINK_STATE, { .on = false }, { .on = true }, { { 0 } } },
	  "x: set down" },
};

static void home_is_what_the_profile_says(void **state)
{
	(void)state;
	for_each_row(row, homes)
	{
		struct fabric fabric = { .name = "rail", .vf = row->vf };
		struct step step = row->step, inverse;
		char text[STEP_TEXT_SIZE];

		plan_home(&fabric, &step, 1);
		inverse = step_inverse(&step);
		row_text(row->name, "inverse", step_print(&inverse, "x", text), row->inverse);
		row_true(row->name, "what the ADD does is the same",
			 memcmp(&step.want, &row->step.want, sizeof(step.want)) == 0);
		step = row->step;
		plan_home(NULL, &step, 1);
		row_true(row->name, "without a fabric nothing changes",
			 memcmp(&step, &row->step, sizeof(step)) == 0);
	}
}

/* ---- the MTU policy: the network's within the node's ---- */

static const struct {
	const char *name;
	enum mtu_policy node;
	bool may_loosen, asked;
	enum mtu_policy network;
	bool refused;
	enum mtu_policy want; /* by which the chain is judged */
	const char *text;     /* of a refusal */
} policies[] = {
	{ "strict", MTU_STRICT, false, false, MTU_STRICT, false, MTU_STRICT, NULL },
	{ "clamp", MTU_CLAMP, false, false, MTU_STRICT, false, MTU_CLAMP, NULL },
	{ "warn", MTU_WARN, false, false, MTU_STRICT, false, MTU_WARN, NULL },
	{ "mayLoosen loosens nothing by itself", MTU_STRICT, true, false, MTU_WARN, false,
	  MTU_STRICT, NULL },
	{ "equal", MTU_CLAMP, false, true, MTU_CLAMP, false, MTU_CLAMP, NULL },
	{ "equal, strict", MTU_STRICT, false, true, MTU_STRICT, false, MTU_STRICT, NULL },
	{ "stricter", MTU_CLAMP, false, true, MTU_STRICT, false, MTU_STRICT, NULL },
	{ "much stricter", MTU_WARN, false, true, MTU_STRICT, false, MTU_STRICT, NULL },
	{ "stricter, may loosen", MTU_WARN, true, true, MTU_CLAMP, false, MTU_CLAMP, NULL },
	{ "looser", MTU_STRICT, false, true, MTU_CLAMP, true, MTU_STRICT,
	  "mtuPolicy \"clamp\" is looser than the node's policy \"strict\"" },
	{ "much looser", MTU_STRICT, false, true, MTU_WARN, true, MTU_STRICT,
	  "mtuPolicy \"warn\" is looser than the node's policy \"strict\"" },
	{ "looser than clamp", MTU_CLAMP, false, true, MTU_WARN, true, MTU_CLAMP,
	  "mtuPolicy \"warn\" is looser than the node's policy \"clamp\"" },
	{ "looser, may loosen", MTU_STRICT, true, true, MTU_CLAMP, false, MTU_CLAMP, NULL },
	{ "much looser, may loosen", MTU_STRICT, true, true, MTU_WARN, false, MTU_WARN, NULL },
};

static void policy_is_settled(void **state)
{
	static struct plan plan;

	(void)state;
	for_each_row(row, policies)
	{
		const struct profile node = { .present = true,
					      .mtu = row->node,
					      .may_loosen = row->may_loosen };
		const struct netconf conf = { .set.mtu = SET(9000),
					      .has_policy = row->asked,
					      .policy = row->network };
		const struct finding *f = &plan.findings.items[0];
		struct host_state host = host_vf();
		struct err err = { 0 };

		plan_add(&conf, &node, &host, "net1", &plan);
		row_int(row->name, "policy", plan.chain.policy, row->want);
		row_int(row->name, "findings", (long long)plan.findings.n, row->refused);
		row_int(row->name, "refused", finding_refuse(&plan.findings, &err) < 0,
			row->refused);
		if (!row->refused)
			continue;
		row_text(row->name, "id", f->id, "mtu-policy-too-loose");
		row_int(row->name, "code", f->code, CNI_CONFIG_INVALID);
		row_text(row->name, "text", f->text, row->text);
		row_part(row->name, "fix", f->fix, "leave mtuPolicy out");
		row_part(row->name, "fix", f->fix, "\"policy\": {\"mayLoosen\": true}");
		row_part(row->name, "fix", f->fix, PROFILE_PATH);
	}
}

/* A policy that is refused judges nothing: the chain is judged by the node's, and all is said. */
static void refused_policy_loosens_nothing(void **state)
{
	static struct plan plan;
	struct host_state host = host_vf_pf_1500();
	struct netconf conf = { .set.mtu = SET(9000), .has_policy = true, .policy = MTU_WARN };

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 2);
	assert_string_equal(plan.findings.items[0].id, "mtu-policy-too-loose");
	assert_string_equal(plan.findings.items[1].id, "port-mtu-too-small");
	assert_int_equal(plan.findings.items[1].severity, SEVERITY_ERROR);
}

/* What a policy decides is what the device is set to. */
static void clamped_mtu_is_planned(void **state)
{
	static const struct profile clamp = { .present = true, .mtu = MTU_CLAMP };
	static struct plan plan;
	struct host_state host = host_vf_pf_1500();
	struct netconf conf = { .set.mtu = SET(9000) };
	struct err err = { 0 };

	(void)state;
	plan_add(&conf, &clamp, &host, "net1", &plan);
	assert_int_equal(finding_refuse(&plan.findings, &err), 0);
	assert_int_equal(plan.findings.n, 2);
	assert_string_equal(plan.findings.items[1].id, "pod-mtu-lowered");
	assert_int_equal(find_step(&plan, STEP_LINK_MTU)->want.number, 1500);
	conf.roce_mtu = (struct opt_int)SET(4096);
	plan_add(&conf, &clamp, &host, "net1", &plan);
	assert_true(finding_refuse(&plan.findings, &err) < 0);
}

static void cut_chain_is_a_warning(void **state)
{
	static struct plan plan;
	struct host_state host = host_more();
	struct netconf conf = { .set.mtu = SET(9000) };
	const struct finding *f = &plan.findings.items[0];

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 1);
	assert_string_equal(f->id, "chain-cut-short");
	assert_int_equal(f->severity, SEVERITY_WARNING);
	row_part("more", "text", f->text, "more than 32 netdevs");
	row_part("more", "text", f->text, "was not looked at");
}

/* Only where the device will be taken away from who has it open. */
static void holder_is_named(void **state)
{
	static const struct {
		const char *name;
		enum rdmadev_mode mode;
		enum netconf_rdma rdma;
		size_t n;
	} rows[] = {
		{ "auto", RDMADEV_EXCLUSIVE, RDMA_AUTO, 1 },
		{ "required", RDMADEV_EXCLUSIVE, RDMA_REQUIRED, 1 },
		{ "off", RDMADEV_EXCLUSIVE, RDMA_OFF, 0 },
		{ "mode shared", RDMADEV_SHARED, RDMA_AUTO, 0 },
	};
	static struct plan plan;

	(void)state;
	for_each_row(row, rows)
	{
		struct host_state host = host_vf_in_use();
		struct netconf conf = { .set.mtu = SET(9000), .rdma = row->rdma };
		const struct finding *f = &plan.findings.items[0];

		host.rdma_mode = row->mode;
		plan_add(&conf, &profile, &host, "net1", &plan);
		row_int(row->name, "findings", (long long)plan.findings.n, (long long)row->n);
		if (row->n == 0)
			continue;
		row_int(row->name, "severity", f->severity, SEVERITY_WARNING);
		row_text(row->name, "id", f->id, "rdma-in-use");
		row_text(row->name, "text", f->text,
			 "RDMA device mlx5_4 is open on the host by ib_write_bw (process 4711): the move cuts it off");
	}
}

/* The question that a plan puts to the engine: hops, tags, driver and fabric as observed. */
static void chain_is_asked_as_observed(void **state)
{
	static struct plan plan;
	struct host_state host = host_vf_two_tags();
	struct netconf conf = { .set.mtu = SET(4200), .roce_mtu = SET(4096) };

	(void)state;
	plan_add(&conf, &profile, &host, "net1", &plan);
	assert_string_equal(plan.chain.driver, "mlx5_core");
	assert_ptr_equal(plan.chain.fabric, host.fabric);
	assert_int_equal(plan.chain.vlan_tags, 2);
	assert_int_equal(plan.chain.n_hops, 3); /* and the switch */
	assert_string_equal(plan.chain.hops[1].name, "ens1f0");
	assert_int_equal(plan.chain.hops[2].kind, MTU_HOP_SWITCH);
	assert_int_equal(plan.chain.mtu.value, 4200);
	assert_int_equal(plan.chain.roce_mtu.value, 4096);
}

static void missing_profile_is_a_warning(void **state)
{
	static const struct profile none = { .present = false };
	static struct plan plan;
	struct host_state host = host_vf();
	struct netconf conf = { .set.mtu = SET(9000) };
	struct err err = { 0 };

	(void)state;
	plan_add(&conf, &none, &host, "net1", &plan);
	assert_int_equal(plan.findings.n, 1);
	assert_int_equal(plan.findings.items[0].severity, SEVERITY_WARNING);
	assert_string_equal(plan.findings.items[0].id, "no-profile");
	row_part("no profile", "fix", plan.findings.items[0].fix, PROFILE_PATH);
	assert_int_equal(finding_refuse(&plan.findings, &err), 0);
}

/* ---- addresses ---- */

static struct cni_ip ip(const char *address, const char *gateway)
{
	struct cni_ip ip = { .gateway.family = AF_UNSPEC };

	assert_int_equal(inet_parse_prefix(address, &ip.address), 0);
	if (gateway)
		assert_int_equal(inet_parse(gateway, &ip.gateway), 0);
	return ip;
}

static struct cni_route route(const char *dst, const char *gw)
{
	struct cni_route route = { .gw.family = AF_UNSPEC };

	assert_int_equal(inet_parse_prefix(dst, &route.dst), 0);
	if (gw)
		assert_int_equal(inet_parse(gw, &route.gw), 0);
	return route;
}

static const char *addr_text(const struct addr *addr, char buf[INET_PREFIX_TEXT_SIZE])
{
	struct inet_prefix prefix = {
		.addr = inet_from_bytes(addr->bytes, addr->family == AF_INET ? 4 : 16),
		.len = addr->prefix_len,
	};

	return inet_format_prefix(prefix, buf);
}

static void addresses_come_first(void **state)
{
	static struct plan plan;
	struct cni_result result = { .n_ips = 2, .n_routes = 1 };
	char text[8192];

	(void)state;
	result.ips[0] = ip("192.0.2.5/24", NULL);
	result.ips[1] = ip("fd00::5/64", NULL);
	result.routes[0] = route("198.51.100.7/24", NULL); /* host bits: the kernel wants none */
	plan_addresses(&result, &plan);
	assert_string_equal(print_steps(&plan, "x", text),
			    "x: address 192.0.2.5/24\nx: address fd00::5/64\n"
			    "x: route to 198.51.100.0/24\n");
	for (size_t i = 0; i < plan.n_steps; i++)
		assert_true(!plan.steps[i].have.on && plan.steps[i].want.on);
	assert_int_equal(plan.findings.n, 0);
}

/* Two IPv4 addresses, only the second with a gateway; one IPv6 address with one. */
static const struct {
	const char *name, *dst, *gw;
	struct opt_int scope;
	const char *want; /* expected gateway; NULL: none */
} gateways[] = {
	{ "its own", "198.51.100.0/24", "192.0.2.9", { false, 0 }, "192.0.2.9/32" },
	{ "the first of its family", "198.51.100.0/24", NULL, { false, 0 }, "192.0.2.1/32" },
	{ "default route", "0.0.0.0/0", NULL, { false, 0 }, "192.0.2.1/32" },
	{ "IPv6", "2001:db8::/32", NULL, { false, 0 }, "fd00::1/128" },
	{ "IPv6, its own", "2001:db8::/32", "fd00::9", { false, 0 }, "fd00::9/128" },
	{ "scope global", "198.51.100.0/24", NULL, SET(0), "192.0.2.1/32" },
	/* "Nexthop has invalid gateway": fib_semantics.c takes none at scope link or host */
	{ "scope link", "198.51.100.0/24", NULL, SET(253), NULL },
	{ "scope host", "198.51.100.0/24", NULL, SET(254), NULL },
};

/* One test a row: a row that fails hides no other. */
static void gateway_is_settled(void **state)
{
	const __typeof__(gateways[0]) *row = *state;
	static struct plan plan;
	struct cni_result result = { .n_ips = 3, .n_routes = 1 };
	const struct route *got = &plan.steps[3].route;
	char text[INET_PREFIX_TEXT_SIZE];

	result.ips[0] = ip("203.0.113.5/24", NULL);
	result.ips[1] = ip("192.0.2.5/24", "192.0.2.1");
	result.ips[2] = ip("fd00::5/64", "fd00::1");
	result.routes[0] = route(row->dst, row->gw);
	result.routes[0].scope = row->scope;
	plan_addresses(&result, &plan);
	row_int(row->name, "type", plan.steps[3].type, STEP_ROUTE);
	row_text(row->name, "destination", addr_text(&got->dst, text), row->dst);
	row_int(row->name, "has a gateway", got->has_gw, row->want != NULL);
	if (row->want)
		row_text(row->name, "gateway", addr_text(&got->gw, text), row->want);
}

static void no_gateway_no_route_gateway(void **state)
{
	static struct plan plan;
	struct cni_result result = { .n_ips = 1, .n_routes = 1 };

	(void)state;
	result.ips[0] = ip("192.0.2.5/24", "192.0.2.1");
	result.routes[0] =
		route("2001:db8::/32", NULL); /* the other family's gateway is of no use */
	plan_addresses(&result, &plan);
	assert_false(plan.steps[1].route.has_gw);
}

static void route_numbers_go_through(void **state)
{
	static struct plan plan;
	struct cni_result result = { .n_routes = 1 };
	const struct route *got = &plan.steps[0].route;

	(void)state;
	result.routes[0] = route("198.51.100.0/24", "192.0.2.1");
	result.routes[0].mtu = (struct opt_int)SET(4200);
	result.routes[0].table = (struct opt_int)SET(100);
	result.routes[0].scope = (struct opt_int)SET(0);
	plan_addresses(&result, &plan);
	assert_true(got->mtu.set && got->mtu.value == 4200);
	assert_true(got->table.set && got->table.value == 100);
	assert_true(got->scope.set && got->scope.value == 0);
	assert_false(got->advmss.set || got->priority.set);
}

/* The largest result there can be fits into a plan. */
static void largest_result_fits(void **state)
{
	static struct plan plan;
	static struct cni_result result = { .n_ips = RESULT_IPS_MAX,
					    .n_routes = RESULT_ROUTES_MAX };

	(void)state;
	for (size_t i = 0; i < result.n_ips; i++)
		result.ips[i] = ip("192.0.2.5/24", NULL);
	for (size_t i = 0; i < result.n_routes; i++)
		result.routes[i] = route("198.51.100.0/24", NULL);
	plan_addresses(&result, &plan);
	assert_int_equal(plan.n_steps, RESULT_IPS_MAX + RESULT_ROUTES_MAX);
	assert_true(plan.n_steps <= STEPS_MAX);
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(plans_are_golden),
	cmocka_unit_test(steps_hold_what_was),
	cmocka_unit_test(vlan_keeps_or_replaces_all_of_it),
	cmocka_unit_test(macs_are_planned),
	cmocka_unit_test(refusals_are_found),
	cmocka_unit_test(a_pf_may_be_allowed),
	cmocka_unit_test(refusals_come_together),
	cmocka_unit_test(forbidden_is_refused),
	cmocka_unit_test(forbidden_is_only_what_is_asked),
	cmocka_unit_test(settings_need_their_device),
	cmocka_unit_test(odd_rates_of_before_are_kept),
	cmocka_unit_test(everything_is_kept),
	cmocka_unit_test(userspace_has_no_netdev_steps),
	cmocka_unit_test(sysctls_hold_what_was),
	cmocka_unit_test(altnames_are_masks),
	cmocka_unit_test(home_is_what_the_profile_says),
	cmocka_unit_test(policy_is_settled),
	cmocka_unit_test(refused_policy_loosens_nothing),
	cmocka_unit_test(clamped_mtu_is_planned),
	cmocka_unit_test(cut_chain_is_a_warning),
	cmocka_unit_test(holder_is_named),
	cmocka_unit_test(chain_is_asked_as_observed),
	cmocka_unit_test(missing_profile_is_a_warning),
	cmocka_unit_test(addresses_come_first),
	cmocka_unit_test(no_gateway_no_route_gateway),
	cmocka_unit_test(route_numbers_go_through),
	cmocka_unit_test(largest_result_fits),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(gateways)];

	memcpy(tests, fixed, sizeof(fixed));
	row_tests(tests + ARRAY_SIZE(fixed), "gateway", gateways, gateway_is_settled);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
