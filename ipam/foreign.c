// SPDX-License-Identifier: Apache-2.0
#include "ipam/foreign.h"

#define NO_CLUSTER "roce-ipam keeps its leases in files and asks no cluster"
#define NO_LEADER "roce-ipam elects no leader, it locks a file"
#define NO_ETCD "roce-ipam keeps its leases in files and has no etcd"

static const struct ipamconf_note foreign[] = {
	{ "kubernetes", NO_CLUSTER, true },
	{ "datastore", NO_CLUSTER, true },
	{ "configuration_path",
	  "roce-ipam reads no file of defaults: write what it says into the network", true },
	{ "node_slice_size",
	  "roce-ipam has no controller that divides a range: write \"nodeSlice\": {\"size\": ...} "
	  "and give each node a \"nodeIndex\" in its profile",
	  true },
	{ "etcd_host", NO_ETCD, true },
	{ "etcd_username", NO_ETCD, true },
	{ "etcd_password", NO_ETCD, true },
	{ "etcd_key_file", NO_ETCD, true },
	{ "etcd_cert_file", NO_ETCD, true },
	{ "etcd_ca_cert_file", NO_ETCD, true },
	{ "leader_lease_duration", NO_LEADER, true },
	{ "leader_renew_deadline", NO_LEADER, true },
	{ "leader_retry_period", NO_LEADER, true },
	{ "reconciler_cron_expression", "roce-ipam has no reconciler: leases go with DEL and GC",
	  true },
	{ "sleep_for_race", "it is a test hook of Whereabouts", true },
	{ "log_file", "roce-ipam logs to stderr, and where the network's own \"logFile\" says", false },
	{ "log_level", "roce-ipam goes by the network's own \"logLevel\"", false },
};

static bool is_nothing(const json_t *value)
{
	const char *text = json_string_value(value);

	return json_is_null(value) || (text && !*text);
}

int foreign_take_out(json_t *ipam, struct ipamconf *conf, struct err *err)
{
	const json_t *resolv = json_object_get(ipam, "resolvConf");

	_Static_assert(ARRAY_SIZE(foreign) <= IPAMCONF_NOTES_MAX, "room for all notes");
	if (resolv && !is_nothing(resolv))
		return jx_value_error(
			err, "ipam.resolvConf",
			"a file that a network names is not read; write its content as "
			"\"dns\": {\"nameservers\": [...]}");
	json_object_del(ipam, "resolvConf");
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		const json_t *value = json_object_get(ipam, foreign[i].key);

		if (!value)
			continue;
		if (!is_nothing(value))
			conf->notes[conf->n_notes++] = &foreign[i];
		json_object_del(ipam, foreign[i].key);
	}
	return 0;
}
