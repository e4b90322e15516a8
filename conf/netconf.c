// SPDX-License-Identifier: Apache-2.0
#include "conf/netconf.h"

#include <errno.h>
#include <stdio.h>

/* While reading: the same thing may be said in several places. */
struct reading {
	struct netconf conf;
	char device_id[DEVICE_ID_SIZE];
	char pci_bus_id[DEVICE_ID_SIZE];
	char runtime_device_id[DEVICE_ID_SIZE];
	struct mac runtime_mac;
};

static int read_device_id(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (device_id_parse(text, field) < 0)
		return jx_value_error(
			err, path,
			"\"%s\" is not a PCI address such as \"0000:3b:00.2\", nor an auxiliary device such as \"mlx5_core.sf.4\"",
			text);
	return 0;
}

static int read_device(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (!cniargs_ifname_ok(text))
		return jx_value_error(err, path, "\"%s\" cannot be an interface name", text);
	*(const char **)field = text;
	return 0;
}

/* An altname may be longer than a name; a PCI address looks like one. */
static int read_pf(const json_t *value, const char *path, void *field, struct err *err)
{
	enum { ALTNAME_MAX = 127 };
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (!*text || strlen(text) > ALTNAME_MAX || text[strcspn(text, "/ \t\n")])
		return jx_value_error(
			err, path,
			"\"%s\" cannot be a PF: write its interface name, its PCI address, or \"*\" for any PF of the fabric",
			text);
	*(const char **)field = text;
	return 0;
}

static int read_policy(const json_t *value, const char *path, void *field, struct err *err)
{
	struct netconf *conf = field;

	conf->has_policy = true;
	return profile_read_policy(value, path, &conf->policy, err);
}

static int read_rdma(const json_t *value, const char *path, void *field, struct err *err)
{
	static const char *const names[RDMA_MAX] = {
		[RDMA_AUTO] = "auto",
		[RDMA_REQUIRED] = "required",
		[RDMA_OFF] = "off",
		[RDMA_SOFT] = "soft",
	};
	int rdma, r;

	r = jx_word(value, path, names, RDMA_MAX, "\"auto\", \"required\", \"off\" or \"soft\"", &rdma, err);
	if (r == 0)
		*(enum netconf_rdma *)field = rdma;
	return r;
}

static bool plugin_name_ok(const char *name)
{
	return *name && !strchr(name, '/') && !streq(name, ".") && !streq(name, "..");
}

static int read_ipam_type(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (!plugin_name_ok(text))
		return jx_value_error(err, path, "\"%s\" cannot be the file name of a plugin", text);
	*(const char **)field = text;
	return 0;
}

/* The rest of "ipam" is the IPAM plugin's. */
static int read_ipam(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "type", read_ipam_type, offsetof(struct netconf, ipam_type) },
	};
	struct netconf *conf = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_ACCEPT, conf, err);

	if (r == 0 && json_object_size(value) > 0 && !conf->ipam_type)
		return jx_value_error(err, path, "\"type\" is missing; write for example \"roce-ipam\"");
	return r;
}

static int read_runtime(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "deviceID", read_device_id, offsetof(struct reading, runtime_device_id) },
		{ "mac", setting_read_mac, offsetof(struct reading, runtime_mac) },
		{ "CNIDeviceInfoFile", jx_string, offsetof(struct reading, conf.device_info_file) },
	};

	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_ACCEPT, field, err);
}

/* An object that is kept as it is; Go writes null for an absent one. */
static int read_object(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_object(value) && !json_is_null(value))
		return jx_type_error(value, path, "an object", err);
	return json_is_null(value) ? 0 : jx_json(value, path, field, err);
}

/* Keys without a reader belong to the runtime, to Multus or to other plugins of a chain. */
static const struct jx_key keys[] = {
	{ "cniVersion", NULL, 0 },
	{ "cniVersions", NULL, 0 },
	{ "name", NULL, 0 },
	{ "type", NULL, 0 },
	{ "deviceID", read_device_id, offsetof(struct reading, device_id) },
	{ "pciBusID", read_device_id, offsetof(struct reading, pci_bus_id) },
	{ "device", read_device, offsetof(struct reading, conf.device) },
	{ "pf", read_pf, offsetof(struct reading, conf.pf) },
	{ "roceMTU", fabric_read_roce_mtu, offsetof(struct reading, conf.roce_mtu) },
	{ "mtuPolicy", read_policy, offsetof(struct reading, conf) },
	{ "fabric", jx_string, offsetof(struct reading, conf.fabric) },
	{ "mtu", fabric_read_mtu, offsetof(struct reading, conf.set.mtu) },
	{ "vlan", setting_read_vlan, offsetof(struct reading, conf.set.vlan) },
	{ "vlanQoS", setting_read_qos, offsetof(struct reading, conf.set.vlan_qos) },
	{ "vlanProto", setting_read_proto, offsetof(struct reading, conf.set.vlan_proto) },
	{ "mac", setting_read_mac, offsetof(struct reading, conf.set.mac) },
	{ "spoofchk", setting_read_switch, offsetof(struct reading, conf.set.spoofchk) },
	{ "trust", setting_read_switch, offsetof(struct reading, conf.set.trust) },
	{ "link_state", setting_read_link_state, offsetof(struct reading, conf.set.link_state) },
	{ "min_tx_rate", setting_read_rate, offsetof(struct reading, conf.set.min_tx_rate) },
	{ "max_tx_rate", setting_read_rate, offsetof(struct reading, conf.set.max_tx_rate) },
	{ "promisc", setting_read_flag, offsetof(struct reading, conf.set.promisc) },
	{ "allmulti", setting_read_flag, offsetof(struct reading, conf.set.allmulti) },
	{ "txQLen", setting_read_txqlen, offsetof(struct reading, conf.set.txqlen) },
	{ "sysctl", setting_read_sysctls, offsetof(struct reading, conf.set.has_sysctls) },
	{ "rdma", read_rdma, offsetof(struct reading, conf.rdma) },
	{ "ipam", read_ipam, offsetof(struct reading, conf) },
	{ "dns", read_object, offsetof(struct reading, conf.dns) },
	{ "logLevel", logconf_read_level, offsetof(struct reading, conf.log) },
	{ "logFile", logconf_read_file, offsetof(struct reading, conf.log) },
	{ "runtimeConfig", read_runtime, 0 },
	{ "prevResult", read_object, offsetof(struct reading, conf.prev_result) },
	{ "args", NULL, 0 },
	{ "capabilities", NULL, 0 },
	{ "resourceName", NULL, 0 },
	{ "disableCheck", NULL, 0 },
	{ "disableGC", NULL, 0 },
	{ "loadOnlyInlinedPlugins", NULL, 0 },
	{ "ipMasq", NULL, 0 },
};

const struct jx_key *netconf_keys(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(keys);
	return keys;
}

/* With a device plugin the VF is allotted; taking another one would be behind its back. */
static int refuse_pf(const struct netconf *conf, struct err *err)
{
	if (conf->device)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "pf %s and device %s are both given; keep one", conf->pf, conf->device);
	return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
		       "pf %s and deviceID %s are both given; if a device plugin allots the VF (Multus writes its deviceID), remove \"pf\", else remove \"deviceID\", or the annotation k8s.v1.cni.cncf.io/resourceName",
		       conf->pf, conf->device_id);
}

/* Order of precedence: runtimeConfig, then deviceID, then pciBusID; they must not contradict. */
static int settle_device(struct reading *in, struct err *err)
{
	const char *ids[] = { in->runtime_device_id, in->device_id, in->pci_bus_id };
	struct netconf *conf = &in->conf;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		if (!*ids[i])
			continue;
		if (*conf->device_id && !streq(conf->device_id, ids[i]))
			return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
				       "deviceID and pciBusID name two devices, %s and %s; keep one",
				       conf->device_id, ids[i]);
		memcpy(conf->device_id, ids[i], DEVICE_ID_SIZE);
	}
	if (conf->pf && (*conf->device_id || conf->device))
		return refuse_pf(conf, err);
	if (*conf->device_id && conf->device)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "deviceID %s and device %s are both given; keep one", conf->device_id,
			       conf->device);
	if (!*conf->device_id && !conf->device && !conf->pf)
		return err_set(err, CNI_CONFIG_INVALID, -EINVAL,
			       "no device: Multus gave no deviceID and the configuration names none; annotate the NetworkAttachmentDefinition with k8s.v1.cni.cncf.io/resourceName and have the pod request that resource, or write \"deviceID\", \"pf\" or \"device\"");
	return 0;
}

/* CONVENTIONS of the CNI: what runtimeConfig gives is not taken from CNI_ARGS. */
static int settle_mac(struct reading *in, const char *cni_args, struct err *err)
{
	_cleanup_free_ char *text = malloc(strlen(cni_args) + 1);

	if (!text)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (in->runtime_mac.set) {
		in->conf.set.mac = in->runtime_mac;
		return 0;
	}
	if (!cniargs_find(cni_args, "MAC", text, strlen(cni_args) + 1) || !*text)
		return 0;
	return setting_read_mac_text(text, "CNI_ARGS MAC", &in->conf.set.mac, err);
}

int netconf_read(const struct cni_call *call, struct netconf *ret_conf, struct err *err)
{
	struct reading in = { 0 };
	int r;

	r = jx_object(call->json, "", keys, ARRAY_SIZE(keys), JX_REFUSE, &in, err);
	if (r == 0)
		r = settle_device(&in, err);
	if (r == 0)
		r = settle_mac(&in, call->args.args, err);
	if (r == 0)
		r = settings_check(&in.conf.set, "", err);
	if (r == 0)
		*ret_conf = in.conf;
	return r;
}

const char *netconf_ipam_type(const json_t *json)
{
	const char *type =
		json_string_value(json_object_get(json_object_get(json, "ipam"), "type"));

	return type && plugin_name_ok(type) ? type : NULL;
}
