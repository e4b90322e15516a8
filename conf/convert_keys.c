// SPDX-License-Identifier: Apache-2.0
/* What is known of other plugins: how they find their device, and what their keys become. */
#include "conf/convert_run.h"

#include <strings.h>

static const struct convert_peer peers[] = {
	{ "sriov", { "deviceID", "pciBusID", "device" } },
	{ "host-device", { "device", "pciBusID", "deviceID" } },
	{ "macvlan", { "deviceID", "pciBusID", "device" } },
	{ "ipvlan", { "deviceID", "pciBusID", "device" } },
};

const struct convert_peer *convert_find_peer(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		if (streq(peers[i].type, type))
			return &peers[i];
	return NULL;
}

const char *convert_why_not(const char *type)
{
	if (streq(type, "ib-sriov") || streq(type, "ipoib"))
		return "this is InfiniBand; roce is for Ethernet";
	return "roce cannot take the place of this plugin, it is left as it is";
}

/**
 * struct saying - what there is to say about a key
 * @of:		the plugin
 * @key:	its key, in any case
 * @text:	what is said
 */
struct saying {
	const char *of;
	const char *key;
	const char *text;
};

/* Why a key has no place; asked only when roce's own table has no such key. */
static const struct saying reasons[] = {
	{ "host-device", "hwaddr",
	  "roce finds a device by \"deviceID\" or \"device\", not by its MAC address" },
	{ "host-device", "kernelpath", "roce finds a device by \"deviceID\" or \"device\"" },
	{ "macvlan", "master",
	  "roce moves a device of its own into each pod: have a device plugin offer VFs of this port" },
	{ "macvlan", "mode", "roce moves a device, it makes no macvlan" },
	{ "macvlan", "linkInContainer", "roce takes its device from the host" },
	{ "macvlan", "bcqueuelen", "roce moves a device, it makes no macvlan" },
	{ "ipvlan", "master",
	  "roce moves a device of its own into each pod: have a device plugin offer VFs of this port" },
	{ "ipvlan", "mode", "roce moves a device, it makes no ipvlan" },
	{ "ipvlan", "linkInContainer", "roce takes its device from the host" },
	{ "whereabouts", "node_slice_size",
	  "no controller divides a range: write \"nodeSlice\", and \"nodeIndex\" into each node's profile" },
	{ "whereabouts", "kubernetes", "roce-ipam keeps its leases in files and asks no cluster" },
	{ "whereabouts", "configuration_path",
	  "roce-ipam reads no file of defaults: what it says belongs into the network" },
	{ "whereabouts", "datastore", "roce-ipam keeps its leases in files" },
	{ "whereabouts", "log_file",
	  "roce-ipam logs to stderr, and where the network's own \"logFile\" says" },
	{ "whereabouts", "log_level", "roce-ipam goes by the network's own \"logLevel\"" },
	{ "whereabouts", "leader_lease_duration", "roce-ipam elects no leader, it locks a file" },
	{ "whereabouts", "leader_renew_deadline", "roce-ipam elects no leader, it locks a file" },
	{ "whereabouts", "leader_retry_period", "roce-ipam elects no leader, it locks a file" },
	{ "whereabouts", "reconciler_cron_expression",
	  "roce-ipam has no reconciler: leases go with DEL and GC" },
	{ "host-local", "dataDir",
	  "roce-ipam keeps its leases below the node profile's \"stateDir\"" },
	{ "host-local", "resolvConf", "roce-ipam reads no resolv.conf: write \"dns\"" },
};

/* What changes the meaning of a key, although it has a place. */
static const struct saying remarks[] = {
	{ "sriov", "mtu", "sriov reads this and never sets it; roce does" },
	{ "whereabouts", "type",
	  "Whereabouts' pool is the cluster's, roce-ipam's is each node's: add \"nodeSlice\", or give all nodes one \"stateDir\"" },
	{ "host-local", "capabilities.ipRanges", "roce-ipam takes no ranges from a pod" },
};

static const char *look_up(const struct saying *sayings, size_t n, const char *of, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (streq(sayings[i].of, of) && strcasecmp(sayings[i].key, key) == 0)
			return sayings[i].text;
	return NULL;
}

const char *convert_why_lost(const char *of, const char *key)
{
	return look_up(reasons, ARRAY_SIZE(reasons), of, key);
}

const char *convert_remark(const char *of, const char *key)
{
	return look_up(remarks, ARRAY_SIZE(remarks), of, key);
}
