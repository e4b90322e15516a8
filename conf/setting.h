/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of a device: what a network may ask for, under the names that sriov-cni and the tuning
 * plugin have for it, and what a fabric's profile says that its VFs have between two pods.
 */
#ifndef CONF_SETTING_H
#define CONF_SETTING_H

#include "conf/inet.h"
#include "conf/jx.h"

enum {
	SETTING_SYSCTLS_MAX = 32,
	SETTING_PATH_SIZE = 160,
};

/* What "link_state" asks for; the kernel's IFLA_VF_LINK_STATE_* have the same numbers. */
enum setting_link_state {
	SETTING_LINK_AUTO,
	SETTING_LINK_ENABLE,
	SETTING_LINK_DISABLE,
	SETTING_LINK_MAX,
};

/* One entry of "sysctl", borrowed from the document: "net.ipv4.conf.IFNAME.arp_filter" and "1". */
struct setting_sysctl {
	const char *key;
	const char *value;
};

/**
 * struct settings - settings, each of which may be absent: it is left as it is then
 * @vlan:		VLAN ID that the PF tags with; 0: none
 * @vlan_qos:		priority in the tag, 0 to 7
 * @vlan_proto:		ETH_P_8021Q or ETH_P_8021AD
 * @mac:		hardware address, of a VF also the administrative one
 * @spoofchk, @trust:	0 or 1
 * @link_state:		enum setting_link_state
 * @min_tx_rate, @max_tx_rate: Mbit/s; 0: no limit
 * @mtu:		netdev MTU, bytes
 * @promisc, @allmulti:	0 or 1
 * @txqlen:		length of the transmit queue, packets
 * @has_sysctls, @sysctls, @n_sysctls: sysctls of the pod
 */
struct settings {
	struct opt_int vlan, vlan_qos, vlan_proto;
	struct mac mac;
	struct opt_int spoofchk, trust, link_state;
	struct opt_int min_tx_rate, max_tx_rate;
	struct opt_int mtu;
	struct opt_int promisc, allmulti, txqlen;
	bool has_sysctls;
	struct setting_sysctl sysctls[SETTING_SYSCTLS_MAX];
	size_t n_sysctls;
};

/* What a device must be for a setting. */
enum setting_needs { SETTING_ANY, SETTING_VF, SETTING_NETDEV };

/**
 * struct setting - a setting as such
 * @name:	its key
 * @read:	its reader
 * @offset:	of its member in struct settings; that begins with the flag of its presence
 * @needs:	what the device must be
 */
struct setting {
	const char *name;
	jx_reader read;
	size_t offset;
	enum setting_needs needs;
};

/* setting_table() - all of them. */
const struct setting *setting_table(size_t *ret_n);

/* setting_is_set() - whether @settings has it. */
bool setting_is_set(const struct settings *settings, const struct setting *setting);

/* Readers of single values, each into the member of its type; as jx_reader. */
int setting_read_vlan(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_qos(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_proto(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_mac(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_switch(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_link_state(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_rate(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_flag(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_txqlen(const json_t *value, const char *path, void *field, struct err *err);
int setting_read_sysctls(const json_t *value, const char *path, void *field, struct err *err);

/**
 * setting_read_mac_text() - a MAC address that is no JSON value
 * @text:	text
 * @path:	where it stands, for the error
 * @mac:	the address
 * @err:	CNI_CONFIG_INVALID
 *
 * Return: 0 or a negative errno.
 */
int setting_read_mac_text(const char *text, const char *path, struct mac *mac, struct err *err);

/**
 * settings_check() - refuse what contradicts itself
 * @settings:	settings
 * @path:	JSON path of the object that has them, "" for the document
 * @err:	CNI_CONFIG_INVALID
 *
 * Return: 0 or a negative errno.
 */
int settings_check(const struct settings *settings, const char *path, struct err *err);

/**
 * setting_sysctl_path() - the file of a sysctl
 * @key:	"net.ipv4.conf.IFNAME.arp_filter"; parts may also be separated by '/'
 * @ifname:	what stands for IFNAME
 * @buf:	receives "net/ipv4/conf/net1/arp_filter", below /proc/sys
 *
 * Only below net, whose files belong to the network namespace that opens them.
 *
 * Return: true; false if the key is none.
 */
bool setting_sysctl_path(const char *key, const char *ifname, char buf[SETTING_PATH_SIZE]);

/*
 * setting_same_value() - whether two values of a sysctl are the same: word by word, numbers in any base,
 * since the kernel shows "4096\t16384" for "4096 0x4000".
 */
bool setting_same_value(const char *a, const char *b);

/* setting_of_device() - whether a part of a sysctl's key is IFNAME. */
bool setting_of_device(const char *key);

#endif
