// SPDX-License-Identifier: Apache-2.0
#include "cni/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { JOURNAL_VERSION = 1, JOURNAL_SIZE_MAX = 8 << 20 };

void journal_boot_id(char ret_id[BOOT_ID_SIZE])
{
	if (file_read_line("/proc/sys/kernel/random/boot_id", ret_id, BOOT_ID_SIZE) < 0)
		ret_id[0] = '\0';
}

bool journal_of_this_boot(const struct journal *journal)
{
	char boot_id[BOOT_ID_SIZE];

	journal_boot_id(boot_id);
	return streq(boot_id, journal->boot_id);
}

static bool has_mac(const struct journal *journal, const struct link *link)
{
	if (memcmp(link->mac, journal->device.mac, LINK_MAC_LEN) == 0)
		return true;
	for (size_t i = 0; i < journal->n_steps; i++)
		if (journal->steps[i].type == STEP_MAC &&
		    memcmp(link->mac, journal->steps[i].want.mac.link, LINK_MAC_LEN) == 0)
			return true;
	return false;
}

/*
 * The kernel gives the number of a namespace that is gone to the next one, and that one has an interface
 * with any ifindex. At no path that we know, it is the pod's only if it has the device's MAC, too.
 */
static bool is_stranger(const struct journal *journal, const char *netns, const struct side *pod)
{
	struct link link;

	if (*journal->device.pci.addr || netns_at(netns, pod->id) == 0 ||
	    netns_at(journal->netns, pod->id) == 0)
		return false;
	return link_get(pod->rt, journal->device.pod_ifindex, &link) < 0 || !has_mac(journal, &link);
}

int journal_open_pod(const struct journal *journal, const char *netns, struct side *ret_pod,
		     struct err *err)
{
	const char *first = netns ? netns : journal->netns;
	int r;

	*ret_pod = (struct side)SIDE_CLOSED;
	if (!journal_of_this_boot(journal))
		return 0; /* its inode number may come again */
	r = side_reopen_pod(first, journal->netns_id, ret_pod, err);
	if (r == 0 && ret_pod->netns < 0 && !streq(first, journal->netns))
		r = side_reopen_pod(journal->netns, journal->netns_id, ret_pod, err);
	if (r == 0 && ret_pod->netns >= 0 && is_stranger(journal, first, ret_pod))
		side_close(ret_pod);
	return r;
}

/* ---- writing ---- */

static json_t *mac_json(const unsigned char mac[LINK_MAC_LEN])
{
	char text[MAC_TEXT_SIZE];

	return json_string(mac_format(mac, text));
}

static json_t *place_json(enum place place)
{
	return json_string(place == PLACE_POD ? "pod" : "host");
}

static json_t *value_json(enum step_kind kind, const union step_value *value)
{
	switch (kind) {
	case KIND_SWITCH:
		return json_boolean(value->on);
	case KIND_NUMBER:
		return json_integer(value->number);
	case KIND_VLAN:
		return json_pack("{si si si}", "id", value->vlan.id, "qos", value->vlan.qos, "proto",
				 (int)value->vlan.proto);
	case KIND_RATE:
		return json_pack("{si si}", "min", value->rate.min, "max", value->rate.max);
	case KIND_VF_LINK:
		return json_integer(value->link);
	case KIND_MAC:
		return json_pack("{so so}", "admin", mac_json(value->mac.admin), "link",
				 mac_json(value->mac.link));
	case KIND_AT:
		return json_pack("{so ss si}", "place", place_json(value->at.place), "name",
				 value->at.name, "ifindex", value->at.ifindex);
	case KIND_PLACE:
		return place_json(value->place);
	case KIND_NAMES:
		return json_integer(value->names);
	case KIND_TEXT:
		return value->text ? json_string(value->text) : json_null();
	case KIND_NOTHING:
		break;
	}
	return json_null();
}

static json_t *step_json(const struct step *step)
{
	enum step_kind kind = step_kind(step->type);
	json_t *json = json_pack("{ss so so}", "type", step_type_name(step->type), "have",
				 value_json(kind, &step->have), "want",
				 value_json(kind, &step->want));

	if (step->type == STEP_SYSCTL)
		json_object_set_new(json, "sysctl", json_string(step->sysctl));
	if (step->type == STEP_RDMA_SOFT)
		json_object_set_new(json, "name", json_string(step->soft));
	return json;
}

static json_t *steps_json(const struct journal *journal)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < journal->n_steps; i++)
		json_array_append_new(steps, step_json(&journal->steps[i]));
	return steps;
}

static json_t *numbers_json(const int *numbers, size_t n)
{
	json_t *json = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(json, json_integer(numbers[i]));
	return json;
}

static json_t *altnames_json(const struct device *d)
{
	json_t *json = json_array();

	for (size_t i = 0; i < d->n_altnames; i++)
		json_array_append_new(json, json_string(d->altnames[i]));
	return json;
}

static json_t *files_json(const struct devconf_files *files)
{
	json_t *json = json_object();

	for (size_t i = 0; i < DEVCONF_FILES; i++)
		if (*files->values[i])
			json_object_set_new(json, devconf_file_name(i), json_string(files->values[i]));
	return json;
}

static json_t *device_json(const struct device *d)
{
	json_t *json = json_pack("{ss ss si si ss so sb so so so so}", "key", d->key, "name", d->name,
				 "ifindex", d->ifindex, "podIfindex", d->pod_ifindex, "kind", d->kind,
				 "mac", mac_json(d->mac), "userspace", d->userspace, "altnames",
				 altnames_json(d), "conf4", numbers_json(d->conf.v4, d->conf.n4),
				 "conf6", numbers_json(d->conf.v6, d->conf.n6), "files6",
				 files_json(&d->conf_files));

	if (*d->pci.addr)
		json_object_set_new(json, "pci", json_string(d->pci.addr));
	if (d->pci.is_vf)
		json_object_set_new(json, "vf",
				    json_pack("{ss si}", "pf", d->pci.pf, "index", d->pci.vf_index));
	if (d->pci.is_sf)
		json_object_set_new(json, "sf", json_pack("{ss}", "pf", d->pci.pf));
	if (d->has_rdma)
		json_object_set_new(
			json, "rdma",
			json_pack("{ss si sI}", "name", d->rdma.name, "index", d->rdma.index,
				  "guid", (json_int_t)d->rdma.guid));
	return json;
}

static json_t *journal_json(const struct journal *j)
{
	json_t *json = json_pack(
		"{si ss ss ss ss ss s{ss sI sI} sI so so so ss ss%}", "version", JOURNAL_VERSION, "bootID",
		j->boot_id, "network", j->attachment.network, "containerID",
		j->attachment.container_id, "ifname", j->attachment.ifname, "state",
		j->active ? "active" : "planned", "netns", "path", j->netns, "dev",
		(json_int_t)j->netns_id.dev, "ino", (json_int_t)j->netns_id.ino, "time",
		(json_int_t)j->time, "device", device_json(&j->device), "addresses",
		result_prefixes(j->addresses, j->n_addresses), "steps", steps_json(j), "cniArgs",
		j->cni_args, "config",
		j->config, j->config_len);

	if (j->ipam_type)
		json_object_set_new(json, "ipam", json_string(j->ipam_type));
	return json;
}

int journal_write(const struct store *store, const struct journal *journal, struct err *err)
{
	_cleanup_json_ json_t *json = journal_json(journal);
	_cleanup_free_ char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
	char name[STORE_NAME_SIZE];
	int r;

	if (!text)
		return err_set(err, CNI_DECODING_FAILURE, -EINVAL,
			       "CNI_ARGS, CNI_NETNS or the configuration are not UTF-8");
	r = file_write_atomic(store->dir, store_name(&journal->attachment, name), text, strlen(text),
			      store->durability);
	if (r < 0)
		return err_set(err, CNI_IO_FAILURE, r, "cannot write the journal %s: %s", name,
			       strerror(-r));
	return 0;
}

/* ---- reading ---- */

static int read_mac(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);
	struct mac mac;

	if (!text || mac_parse(text, &mac) < 0)
		return jx_type_error(value, path, "a MAC address", err);
	memcpy(field, mac.bytes, LINK_MAC_LEN);
	return 0;
}

static int read_place(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text || !(streq(text, "host") || streq(text, "pod")))
		return jx_type_error(value, path, "\"host\" or \"pod\"", err);
	*(enum place *)field = streq(text, "pod") ? PLACE_POD : PLACE_HOST;
	return 0;
}

static int read_number(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int number;
	int r = jx_int(value, path, &number, err);

	if (r == 0)
		*(int *)field = number.value;
	return r;
}

static int read_u64(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_integer(value))
		return jx_type_error(value, path, "an integer", err);
	*(uint64_t *)field = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_time(const json_t *value, const char *path, void *field, struct err *err)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return jx_type_error(value, path, "seconds since 1970", err);
	*(int64_t *)field = json_integer_value(value);
	return 0;
}

static int read_proto(const json_t *value, const char *path, void *field, struct err *err)
{
	int number = 0;
	int r = read_number(value, path, &number, err);

	*(uint16_t *)field = (uint16_t)number;
	return r;
}

/* A string that is copied, because its struct has room for it. */
#define TEXT_READER(name, size)                                                                    \
	static int name(const json_t *value, const char *path, void *field, struct err *err)       \
	{                                                                                          \
		const char *text = json_string_value(value);                                       \
                                                                                                   \
		if (!text || strlen(text) >= (size))                                               \
			return jx_type_error(value, path, "a short string", err);                  \
		strcpy(field, text);                                                               \
		return 0;                                                                          \
	}
TEXT_READER(read_ifname, LINK_NAME_SIZE)
TEXT_READER(read_key, DEVICE_KEY_SIZE)
TEXT_READER(read_kind, LINK_KIND_SIZE)
TEXT_READER(read_pf, PCI_ADDR_SIZE)
TEXT_READER(read_rdma_name, RDMADEV_NAME_SIZE)
TEXT_READER(read_boot_id, BOOT_ID_SIZE)

/* An object by a table whose last @n_optional keys may be missing. */
#define OBJECT(keys, n_optional, out)                                                              \
	jx_object_of(value, path, keys, ARRAY_SIZE(keys), ARRAY_SIZE(keys) - (n_optional), out, err)

/* Of a PCI function or a subfunction; it becomes part of a path. */
static int read_pci(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text || device_id_parse(text, field) < 0)
		return jx_type_error(value, path, "a PCI address or an auxiliary device", err);
	return 0;
}

/* A device without a key has no lock and no claim. */
static int read_device_key(const json_t *value, const char *path, void *field, struct err *err)
{
	int r = read_key(value, path, field, err);

	return r == 0 && !*(char *)field ? jx_value_error(err, path, "must not be empty") : r;
}

static int read_at(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "place", read_place, offsetof(struct step_at, place) },
		{ "name", read_ifname, offsetof(struct step_at, name) },
		{ "ifindex", read_number, offsetof(struct step_at, ifindex) },
	};

	return OBJECT(keys, 0, field);
}

static int read_vlan(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "id", read_number, offsetof(struct vf_vlan, id) },
		{ "qos", read_number, offsetof(struct vf_vlan, qos) },
		{ "proto", read_proto, offsetof(struct vf_vlan, proto) },
	};

	return OBJECT(keys, 0, field);
}

static int read_macs(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "admin", read_mac, offsetof(struct step_mac, admin) },
		{ "link", read_mac, offsetof(struct step_mac, link) },
	};

	return OBJECT(keys, 0, field);
}

static int read_rate(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "min", read_number, offsetof(struct vf_rate, min) },
		{ "max", read_number, offsetof(struct vf_rate, max) },
	};

	return OBJECT(keys, 0, field);
}

static int read_vf_link(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int number;
	int r = jx_int_in(value, path, 0, VF_LINK_MAX - 1, "a link state", &number, err);

	if (r == 0)
		*(enum vf_link *)field = number.value;
	return r;
}

/* The kernel's own value of a sysctl that comes with the device is none. */
static int read_text(const json_t *value, const char *path, void *field, struct err *err)
{
	*(const char **)field = NULL;
	return json_is_null(value) ? 0 : jx_string(value, path, field, err);
}

static int read_value(enum step_type type, const json_t *value, const char *path,
		      union step_value *ret, struct err *err)
{
	static const jx_reader readers[] = {
		[KIND_SWITCH] = jx_bool, [KIND_NUMBER] = read_number, [KIND_VLAN] = read_vlan,
		[KIND_RATE] = read_rate, [KIND_VF_LINK] = read_vf_link, [KIND_MAC] = read_macs,
		[KIND_AT] = read_at,	 [KIND_PLACE] = read_place,	[KIND_NAMES] = read_number,
		[KIND_TEXT] = read_text, [KIND_NOTHING] = NULL,
	};
	jx_reader read = readers[step_kind(type)];

	return read ? read(value, path, ret, err) : 0; /* every member of the union is at its start */
}

/* A file below net, as ADD wrote it; the journal is root's, but a damaged one must not write elsewhere. */
static int read_sysctl(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *file = json_string_value(value);
	char clean[SETTING_PATH_SIZE];

	if (!file || !setting_sysctl_path(file, "", clean))
		return jx_type_error(value, path, "the file of a sysctl below net", err);
	*(const char **)field = file;
	return 0;
}

static int read_step(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *type = json_string_value(json_object_get(value, "type"));
	struct step *step = field;
	int r;

	*step = (struct step){ 0 };
	if (!type || step_type_parse(type, &step->type) < 0)
		return jx_value_error(err, path, "unknown step type");
	r = read_value(step->type, json_object_get(value, "have"), path, &step->have, err);
	if (r == 0)
		r = read_value(step->type, json_object_get(value, "want"), path, &step->want, err);
	if (r == 0 && step->type == STEP_SYSCTL)
		r = read_sysctl(json_object_get(value, "sysctl"), path, &step->sysctl, err);
	if (r == 0 && step->type == STEP_SYSCTL && !step->want.text)
		return jx_value_error(err, path, "a sysctl becomes nothing");
	if (r == 0 && step->type == STEP_RDMA_SOFT)
		r = jx_string(json_object_get(value, "name"), path, &step->soft, err);
	return r;
}

static int read_steps(const json_t *value, const char *path, void *field, struct err *err)
{
	struct journal *journal = field;

	return jx_array(value, path, read_step, JOURNAL_STEPS_MAX, journal->steps,
			sizeof(*journal->steps), &journal->n_steps, err);
}

static int read_addresses(const json_t *value, const char *path, void *field, struct err *err)
{
	struct journal *journal = field;

	return jx_array(value, path, result_read_prefix, RESULT_IPS_MAX, journal->addresses,
			sizeof(*journal->addresses), &journal->n_addresses, err);
}

static int read_vf(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "pf", read_pf, offsetof(struct device, pci.pf) },
		{ "index", read_number, offsetof(struct device, pci.vf_index) },
	};
	struct device *device = field;

	device->pci.is_vf = true;
	return OBJECT(keys, 0, device);
}

static int read_sf(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "pf", read_pf, offsetof(struct device, pci.pf) },
	};
	struct device *device = field;

	device->pci.is_sf = true;
	return OBJECT(keys, 0, device);
}

static int read_rdma(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "name", read_rdma_name, offsetof(struct device, rdma.name) },
		{ "index", read_number, offsetof(struct device, rdma.index) },
		{ "guid", read_u64, offsetof(struct device, rdma.guid) },
	};
	struct device *device = field;

	device->has_rdma = true;
	return OBJECT(keys, 1, device);
}

TEXT_READER(read_altname, LINK_ALTNAME_SIZE)

static int read_altnames(const json_t *value, const char *path, void *field, struct err *err)
{
	struct device *device = field;

	return jx_array(value, path, read_altname, LINK_ALTNAMES_MAX, device->altnames,
			sizeof(*device->altnames), &device->n_altnames, err);
}

static int read_conf4(const json_t *value, const char *path, void *field, struct err *err)
{
	struct link_conf *conf = field;

	return jx_array(value, path, read_number, LINK_CONF_MAX, conf->v4, sizeof(*conf->v4),
			&conf->n4, err);
}

static int read_conf6(const json_t *value, const char *path, void *field, struct err *err)
{
	struct link_conf *conf = field;

	return jx_array(value, path, read_number, LINK_CONF_MAX, conf->v6, sizeof(*conf->v6),
			&conf->n6, err);
}

TEXT_READER(read_file6, DEVCONF_FILE_SIZE)

static int read_files6(const json_t *value, const char *path, void *field, struct err *err)
{
	struct devconf_files *files = field;
	int r = json_is_object(value) ? 0 : jx_type_error(value, path, "an object of texts", err);

	for (size_t i = 0; r == 0 && i < DEVCONF_FILES; i++) {
		const json_t *text = json_object_get(value, devconf_file_name(i));

		if (text)
			r = read_file6(text, path, files->values[i], err);
	}
	return r;
}

static int read_device(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "key", read_device_key, offsetof(struct device, key) },
		{ "name", read_ifname, offsetof(struct device, name) },
		{ "ifindex", read_number, offsetof(struct device, ifindex) },
		{ "podIfindex", read_number, offsetof(struct device, pod_ifindex) },
		{ "kind", read_kind, offsetof(struct device, kind) },
		{ "mac", read_mac, offsetof(struct device, mac) },
		{ "pci", read_pci, offsetof(struct device, pci.addr) },
		{ "vf", read_vf, 0 },
		{ "sf", read_sf, 0 },
		{ "rdma", read_rdma, 0 },
		{ "userspace", jx_bool, offsetof(struct device, userspace) },
		{ "altnames", read_altnames, 0 },
		{ "conf4", read_conf4, offsetof(struct device, conf) },
		{ "conf6", read_conf6, offsetof(struct device, conf) },
		{ "files6", read_files6, offsetof(struct device, conf_files) },
	};

	return OBJECT(keys, 9, field);
}

static int read_netns(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "path", jx_string, offsetof(struct journal, netns) },
		{ "dev", read_u64, offsetof(struct journal, netns_id.dev) },
		{ "ino", read_u64, offsetof(struct journal, netns_id.ino) },
	};

	return OBJECT(keys, 0, field);
}

static int read_version(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int version;

	(void)field;
	return jx_int_in(value, path, JOURNAL_VERSION, JOURNAL_VERSION, "a known journal version",
			 &version, err);
}

static int read_active(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *state = json_string_value(value);

	if (!state || !(streq(state, "active") || streq(state, "planned")))
		return jx_type_error(value, path, "\"active\" or \"planned\"", err);
	*(bool *)field = streq(state, "active");
	return 0;
}

static int parse(const json_t *value, struct journal *journal, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "version", read_version, 0 },
		{ "bootID", read_boot_id, offsetof(struct journal, boot_id) },
		{ "network", jx_string, offsetof(struct journal, attachment.network) },
		{ "containerID", jx_string, offsetof(struct journal, attachment.container_id) },
		{ "ifname", jx_string, offsetof(struct journal, attachment.ifname) },
		{ "state", read_active, offsetof(struct journal, active) },
		{ "netns", read_netns, 0 },
		{ "device", read_device, offsetof(struct journal, device) },
		{ "steps", read_steps, 0 },
		{ "cniArgs", jx_string, offsetof(struct journal, cni_args) },
		{ "config", jx_string, offsetof(struct journal, config) },
		{ "ipam", jx_string, offsetof(struct journal, ipam_type) },
		{ "time", read_time, offsetof(struct journal, time) },
		{ "addresses", read_addresses, 0 },
	};
	const char *path = "";
	int r = OBJECT(keys, 3, journal);

	if (r == 0)
		journal->config_len = strlen(journal->config);
	return r;
}

int journal_read(const struct store *store, const char *name, struct journal *ret_journal,
		 struct err *err)
{
	_cleanup_free_ char *text = NULL;
	struct err detail = { 0 };
	size_t len;
	int r;

	memset(ret_journal, 0, sizeof(*ret_journal));
	r = file_read(store->dir, name, JOURNAL_SIZE_MAX, &text, &len);
	if (r == -ENOENT)
		return r;
	if (r == 0)
		r = jx_parse(text, len, "it", &ret_journal->doc, &detail);
	if (r == 0)
		r = parse(ret_journal->doc, ret_journal, &detail);
	if (r == 0)
		return 0;
	journal_free(ret_journal);
	return err_set(err, ROCE_STATE_BROKEN, r, "the journal %s cannot be used: %s", name,
		       err_is_set(&detail) ? detail.msg : strerror(-r));
}

void journal_remove(const struct store *store, const struct attachment *attachment)
{
	char name[STORE_NAME_SIZE], tmp[STORE_NAME_SIZE + 8];

	unlinkat(store->dir, store_name(attachment, name), 0);
	if (file_temporary(name, tmp, sizeof(tmp)) == 0)
		unlinkat(store->dir, tmp, 0); /* of an ADD that was killed while writing it */
}

void journal_free(struct journal *journal)
{
	json_decref(journal->doc);
	journal->doc = NULL;
}
