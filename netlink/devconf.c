// SPDX-License-Identifier: Apache-2.0
#include "netlink/devconf.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ipv6.h>
#include <stdio.h>

enum {
	FORCE_FORWARDING = DEVCONF_ACCEPT_RA_MIN_LFT + 1, /* kernel 6.17, younger than many headers */
};

/* A sysctl of IPv6, and how many of netlink's units (milliseconds) make one of the file's (seconds). */
struct entry {
	const char *name;
	int per_unit;
};

/*
 * What can be written, by its number (net/ipv6/addrconf.c: ipv6_store_devconf(), addrconf_sysctl[]).
 * Not here: mc_forwarding, which is a daemon's; and those of @files.
 */
static const struct entry entries[] = {
	[DEVCONF_FORWARDING] = { "forwarding", 1 },
	[DEVCONF_HOPLIMIT] = { "hop_limit", 1 },
	[DEVCONF_MTU6] = { "mtu", 1 },
	[DEVCONF_ACCEPT_RA] = { "accept_ra", 1 },
	[DEVCONF_ACCEPT_REDIRECTS] = { "accept_redirects", 1 },
	[DEVCONF_AUTOCONF] = { "autoconf", 1 },
	[DEVCONF_DAD_TRANSMITS] = { "dad_transmits", 1 },
	[DEVCONF_RTR_SOLICITS] = { "router_solicitations", 1 },
	[DEVCONF_USE_TEMPADDR] = { "use_tempaddr", 1 },
	[DEVCONF_TEMP_VALID_LFT] = { "temp_valid_lft", 1 },
	[DEVCONF_TEMP_PREFERED_LFT] = { "temp_prefered_lft", 1 },
	[DEVCONF_REGEN_MAX_RETRY] = { "regen_max_retry", 1 },
	[DEVCONF_MAX_DESYNC_FACTOR] = { "max_desync_factor", 1 },
	[DEVCONF_MAX_ADDRESSES] = { "max_addresses", 1 },
	[DEVCONF_FORCE_MLD_VERSION] = { "force_mld_version", 1 },
	[DEVCONF_ACCEPT_RA_DEFRTR] = { "accept_ra_defrtr", 1 },
	[DEVCONF_ACCEPT_RA_PINFO] = { "accept_ra_pinfo", 1 },
	[DEVCONF_ACCEPT_RA_RTR_PREF] = { "accept_ra_rtr_pref", 1 },
	[DEVCONF_ACCEPT_RA_RT_INFO_MAX_PLEN] = { "accept_ra_rt_info_max_plen", 1 },
	[DEVCONF_PROXY_NDP] = { "proxy_ndp", 1 },
	[DEVCONF_OPTIMISTIC_DAD] = { "optimistic_dad", 1 },
	[DEVCONF_ACCEPT_SOURCE_ROUTE] = { "accept_source_route", 1 },
	[DEVCONF_DISABLE_IPV6] = { "disable_ipv6", 1 },
	[DEVCONF_ACCEPT_DAD] = { "accept_dad", 1 },
	[DEVCONF_FORCE_TLLAO] = { "force_tllao", 1 },
	[DEVCONF_NDISC_NOTIFY] = { "ndisc_notify", 1 },
	[DEVCONF_SUPPRESS_FRAG_NDISC] = { "suppress_frag_ndisc", 1 },
	[DEVCONF_ACCEPT_RA_FROM_LOCAL] = { "accept_ra_from_local", 1 },
	[DEVCONF_USE_OPTIMISTIC] = { "use_optimistic", 1 },
	[DEVCONF_ACCEPT_RA_MTU] = { "accept_ra_mtu", 1 },
	[DEVCONF_USE_OIF_ADDRS_ONLY] = { "use_oif_addrs_only", 1 },
	[DEVCONF_ACCEPT_RA_MIN_HOP_LIMIT] = { "accept_ra_min_hop_limit", 1 },
	[DEVCONF_IGNORE_ROUTES_WITH_LINKDOWN] = { "ignore_routes_with_linkdown", 1 },
	[DEVCONF_DROP_UNICAST_IN_L2_MULTICAST] = { "drop_unicast_in_l2_multicast", 1 },
	[DEVCONF_DROP_UNSOLICITED_NA] = { "drop_unsolicited_na", 1 },
	[DEVCONF_KEEP_ADDR_ON_DOWN] = { "keep_addr_on_down", 1 },
	[DEVCONF_SEG6_ENABLED] = { "seg6_enabled", 1 },
	[DEVCONF_SEG6_REQUIRE_HMAC] = { "seg6_require_hmac", 1 },
	[DEVCONF_ENHANCED_DAD] = { "enhanced_dad", 1 },
	[DEVCONF_ADDR_GEN_MODE] = { "addr_gen_mode", 1 },
	[DEVCONF_DISABLE_POLICY] = { "disable_policy", 1 },
	[DEVCONF_ACCEPT_RA_RT_INFO_MIN_PLEN] = { "accept_ra_rt_info_min_plen", 1 },
	[DEVCONF_NDISC_TCLASS] = { "ndisc_tclass", 1 },
	[DEVCONF_RPL_SEG_ENABLED] = { "rpl_seg_enabled", 1 },
	[DEVCONF_RA_DEFRTR_METRIC] = { "ra_defrtr_metric", 1 },
	[DEVCONF_IOAM6_ENABLED] = { "ioam6_enabled", 1 },
	[DEVCONF_IOAM6_ID] = { "ioam6_id", 1 },
	[DEVCONF_IOAM6_ID_WIDE] = { "ioam6_id_wide", 1 },
	[DEVCONF_NDISC_EVICT_NOCARRIER] = { "ndisc_evict_nocarrier", 1 },
	[DEVCONF_ACCEPT_UNTRACKED_NA] = { "accept_untracked_na", 1 },
	[DEVCONF_ACCEPT_RA_MIN_LFT] = { "accept_ra_min_lft", 1 },
	[DEVCONF_MLDV1_UNSOLICITED_REPORT_INTERVAL] = { "mldv1_unsolicited_report_interval", 1 },
	[DEVCONF_MLDV2_UNSOLICITED_REPORT_INTERVAL] = { "mldv2_unsolicited_report_interval", 1 },
	[DEVCONF_RTR_SOLICIT_INTERVAL] = { "router_solicitation_interval", 1000 },
	[DEVCONF_RTR_SOLICIT_DELAY] = { "router_solicitation_delay", 1000 },
	[DEVCONF_RTR_PROBE_INTERVAL] = { "router_probe_interval", 1000 },
	[DEVCONF_RTR_SOLICIT_MAX_INTERVAL] = { "router_solicitation_max_interval", 1000 },
	[FORCE_FORWARDING] = { "force_forwarding", 1 },
};

/*
 * Those that netlink does not show. The secret comes before all: writing it changes addr_gen_mode, which may
 * need it.
 */
static const char *const files[DEVCONF_FILES] = {
	"stable_secret", "regen_min_advance", "ra_honor_pio_life", "ra_honor_pio_pflag",
};

const char *devconf_file_name(size_t i)
{
	return files[i];
}

static const char *file_path(const char *ifname, const char *name, char buf[128])
{
	snprintf(buf, 128, "/proc/sys/net/ipv6/conf/%s/%s", ifname, name);
	return buf;
}

void devconf_read_files(const char *ifname, struct devconf_files *ret_files)
{
	char path[128];

	for (size_t i = 0; i < DEVCONF_FILES; i++) {
		char *value = ret_files->values[i];

		if (file_read_line(file_path(ifname, files[i], path), value, DEVCONF_FILE_SIZE) < 0)
			value[0] = '\0'; /* a kernel without it, or no secret yet */
	}
}

static void write_file(const char *ifname, const char *name, const char *text, struct err *err)
{
	char path[128];
	_cleanup_close_ int fd = open(file_path(ifname, name, path), O_WRONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : file_write_fd(fd, text, strlen(text));

	if (r < 0 && r != -ENOENT) /* a kernel built without it */
		err_set(err, ROCE_KERNEL_REFUSED, r, "writing %s to %s: %s", text, path,
			strerror(-r));
}

/* Return: whether something was written. */
static bool restore_files(const char *ifname, const struct devconf_files *want, struct err *err)
{
	struct devconf_files have;
	bool written = false;

	devconf_read_files(ifname, &have);
	for (size_t i = 0; i < DEVCONF_FILES; i++) {
		if (!*want->values[i] || streq(want->values[i], have.values[i]))
			continue;
		write_file(ifname, files[i], want->values[i], err);
		written = true;
	}
	return written;
}

/* True for numbers that netlink shows as they are, while the file takes none below 0. */
static bool is_unsigned(size_t index)
{
	return index == DEVCONF_RA_DEFRTR_METRIC || index == DEVCONF_IOAM6_ID_WIDE;
}

static void write_entry(const struct link *link, size_t index, int value, struct err *err)
{
	const struct entry *entry = &entries[index];
	long long number = is_unsigned(index) ? (long long)(unsigned)value :
						 value / entry->per_unit;
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	write_file(link->name, entry->name, text, err);
}

static void restore_v6(const struct link *link, const struct link_conf *want, struct err *err)
{
	const struct link_conf *have = &link->conf;

	for (size_t i = 0; i < ARRAY_SIZE(entries) && i < want->n6 && i < have->n6; i++) {
		if (i == DEVCONF_MTU6 && (want->v6[i] == 0 || want->v6[i] > link->mtu))
			continue; /* it follows the netdev's, or that could not be restored */
		if (entries[i].name && want->v6[i] != have->v6[i])
			write_entry(link, i, want->v6[i], err);
	}
}

struct link_conf devconf_of(const struct link *link)
{
	struct link_conf conf = link->conf;

	if (conf.n6 > DEVCONF_MTU6 && conf.v6[DEVCONF_MTU6] == link->mtu)
		conf.v6[DEVCONF_MTU6] = 0;
	return conf;
}

/* As much as can be: one that is refused hinders no other, and the first is told. */
int devconf_restore(struct nlsock *sock, const struct link *link, const struct link_conf *want,
		    const struct devconf_files *want_files, struct err *err)
{
	struct link now = *link;

	link_set_conf4(sock, link->ifindex, &link->conf, want, err);
	if (restore_files(link->name, want_files, err))
		link_get(sock, link->ifindex, &now);
	restore_v6(&now, want, err);
	return -err->eno;
}
