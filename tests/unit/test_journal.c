// SPDX-License-Identifier: Apache-2.0
/* Journals: what is written is read again; what is damaged is ROCE_STATE_BROKEN, never a crash. */
#include "cni/journal.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <sys/stat.h>

#define MAC(n)                                                                                     \
	{                                                                                          \
		0x02, 0x00, 0x5e, 0x00, 0x53, (n)                                                  \
	}
#define NAME "attachments/n1/c1:net1"

static char folder[] = "/tmp/test_journal.XXXXXX";
static struct store store = STORE_CLOSED;

static int make_folder(void **state)
{
	struct profile profile = { .state_dir = folder };
	struct err err = { 0 };

	(void)state;
	if (!mkdtemp(folder) || store_open(&profile, &store, &err) < 0)
		return -1;
	return mkdirat(store.dir, "attachments/n1", 0700);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	store_close(&store);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* A journal with a step of every type that a journal holds. */
static struct journal sample(void)
{
	struct journal journal = {
		.attachment = { "n1", "c1", "net1" },
		.boot_id = "5a2c1f1e-0000-4000-8000-000000000000",
		.netns = "/run/netns/x",
		.netns_id = { .dev = 4, .ino = 4026532281 },
		.time = 1767225600,
		.addresses = { { { AF_INET, 0x0a380002 }, 24 },
			       { { AF_INET6, (inet_num)0x20010db8 << 96 | 2 }, 64 } },
		.n_addresses = 2,
		.device = { .key = "0000:3b:00.2", .name = "ens1f0v2", .ifindex = 12,
			    .pod_ifindex = 3, .mac = MAC(1),
			    .pci = { .addr = "0000:3b:00.2", .is_vf = true, .pf = "0000:3b:00.0",
				     .vf_index = 2 },
			    .has_rdma = true, .rdma = { 4, 0x020000fffe000004, "mlx5_4" },
			    .altnames = { "enp59s0f0v2", "a-name-longer-than-fifteen" }, .n_altnames = 2,
			    .conf = { .v4 = { 1, -1, 2147483647 }, .n4 = 3, .v6 = { 0, 64, -1, 7 }, .n6 = 4 },
			    .conf_files = { { "2001:db8::1", "", "1" } } },
		.steps = {
			{ .type = STEP_LINK_STATE, .have.on = true, .want.on = false },
			{ .type = STEP_VF_VLAN, .have.vlan = { 7, 3, ETH_P_8021AD },
			  .want.vlan = { 100, 0, ETH_P_8021Q } },
			{ .type = STEP_MAC, .have.mac = { { 0 }, MAC(1) },
			  .want.mac = { MAC(9), MAC(9) } },
			{ .type = STEP_LINK_MTU, .have.number = 1500, .want.number = 9000 },
			{ .type = STEP_LINK_MOVE, .have.at = { PLACE_HOST, "ens1f0v2", 12 },
			  .want.at = { PLACE_POD, "net1", 3 } },
			{ .type = STEP_RDMA_MOVE, .have.place = PLACE_HOST, .want.place = PLACE_POD },
			{ .type = STEP_IPAM, .have.on = false, .want.on = true },
			{ .type = STEP_LINK_STATE, .have.on = false, .want.on = true },
			{ .type = STEP_CONF },
			{ .type = STEP_ALTNAMES, .have.names = 3, .want.names = 2 },
			{ .type = STEP_VF_RATE, .have.rate = { 0, 0 }, .want.rate = { 10, 100 } },
			{ .type = STEP_VF_SPOOFCHK, .have.on = true, .want.on = false },
			{ .type = STEP_VF_TRUST, .have.on = false, .want.on = true },
			{ .type = STEP_VF_LINK, .have.link = VF_LINK_AUTO, .want.link = VF_LINK_DISABLE },
			{ .type = STEP_PROMISC, .have.on = false, .want.on = true },
			{ .type = STEP_ALLMULTI, .have.on = true, .want.on = false },
			{ .type = STEP_TXQLEN, .have.number = 1000, .want.number = 0 },
			{ .type = STEP_SYSCTL, .have.text = NULL, .want.text = "1",
			  .sysctl = "net/ipv4/conf/net1/arp_filter" },
			{ .type = STEP_SYSCTL, .have.text = "", .want.text = "8080",
			  .sysctl = "net/ipv4/ip_local_reserved_ports" },
			{ .type = STEP_RDMA_SOFT, .have.on = false, .want.on = true,
			  .soft = "rxe_4026532281_net1" },
		},
		.n_steps = 20,
		.ipam_type = "roce-ipam",
		.cni_args = "IgnoreUnknown=1;K8S_POD_NAME=p",
		.config = "{\"name\": \"n1\",\n\t\"note\": \"\xc3\xa4 \\\" \"}",
	};

	journal.config_len = strlen(journal.config);
	return journal;
}

static void must_write(const struct journal *journal)
{
	struct err err = { 0 };

	if (journal_write(&store, journal, &err) < 0)
		fail_msg("journal_write(): %s", err.msg);
}

static void same_device(const struct device *a, const struct device *b)
{
	assert_string_equal(a->key, b->key);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->kind, b->kind);
	assert_int_equal(a->ifindex, b->ifindex);
	assert_int_equal(a->pod_ifindex, b->pod_ifindex);
	assert_memory_equal(a->mac, b->mac, LINK_MAC_LEN);
	assert_string_equal(a->pci.addr, b->pci.addr);
	assert_int_equal(a->pci.is_vf, b->pci.is_vf);
	assert_int_equal(a->pci.is_sf, b->pci.is_sf);
	assert_string_equal(a->pci.pf, b->pci.pf);
	assert_int_equal(a->pci.vf_index, b->pci.vf_index);
	assert_int_equal(a->has_rdma, b->has_rdma);
	assert_string_equal(a->rdma.name, b->rdma.name);
	assert_int_equal(a->rdma.index, b->rdma.index);
	assert_int_equal(a->rdma.guid, b->rdma.guid);
	assert_int_equal(a->userspace, b->userspace);
	assert_int_equal(a->n_altnames, b->n_altnames);
	for (size_t i = 0; i < a->n_altnames; i++)
		assert_string_equal(a->altnames[i], b->altnames[i]);
	assert_memory_equal(&a->conf_files, &b->conf_files, sizeof(a->conf_files));
	assert_int_equal(a->conf.n4, b->conf.n4);
	assert_int_equal(a->conf.n6, b->conf.n6);
	assert_memory_equal(a->conf.v4, b->conf.v4, sizeof(a->conf.v4));
	assert_memory_equal(a->conf.v6, b->conf.v6, sizeof(a->conf.v6));
}

/* Texts are borrowed: the same words, at another place. */
static bool same_step(const struct step *a, const struct step *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == STEP_RDMA_SOFT)
		return a->have.on == b->have.on && a->want.on == b->want.on && streq(a->soft, b->soft);
	if (a->type != STEP_SYSCTL)
		return memcmp(a, b, sizeof(*a)) == 0;
	row_text(a->sysctl, "have", a->have.text, b->have.text);
	row_text(a->sysctl, "want", a->want.text, b->want.text);
	return streq(a->sysctl, b->sysctl);
}

static void same_journal(const struct journal *a, const struct journal *b)
{
	assert_string_equal(a->attachment.network, b->attachment.network);
	assert_string_equal(a->attachment.container_id, b->attachment.container_id);
	assert_string_equal(a->attachment.ifname, b->attachment.ifname);
	assert_int_equal(a->active, b->active);
	assert_string_equal(a->boot_id, b->boot_id);
	assert_string_equal(a->netns, b->netns);
	assert_true(a->netns_id.dev == b->netns_id.dev);
	assert_true(a->netns_id.ino == b->netns_id.ino);
	assert_true(a->time == b->time);
	assert_int_equal(a->n_addresses, b->n_addresses);
	for (size_t i = 0; i < a->n_addresses; i++)
		row_true("address", "as it was",
			 inet_equal(a->addresses[i].addr, b->addresses[i].addr) &&
				 a->addresses[i].len == b->addresses[i].len);
	same_device(&a->device, &b->device);
	assert_int_equal(a->n_steps, b->n_steps);
	for (size_t i = 0; i < a->n_steps; i++)
		row_true(step_type_name(a->steps[i].type), "step as it was",
			 same_step(&a->steps[i], &b->steps[i]));
	row_text("journal", "ipam_type", a->ipam_type, b->ipam_type);
	assert_string_equal(a->cni_args, b->cni_args);
	assert_string_equal(a->config, b->config);
	assert_int_equal(a->config_len, b->config_len);
}

/* Writes @journal, reads it again and compares. */
static void round_trip(const struct journal *journal)
{
	struct journal again;
	struct err err = { 0 };

	must_write(journal);
	if (journal_read(&store, NAME, &again, &err) < 0)
		fail_msg("journal_read(): %s", err.msg);
	same_journal(&again, journal);
	journal_free(&again);
	assert_null(again.doc);
}

/* ---- round trips ---- */

static void everything_comes_back(void **state)
{
	struct journal journal = sample();

	(void)state;
	round_trip(&journal);
	journal.active = true;
	round_trip(&journal);
	store.durability = FILE_DURABLE;
	round_trip(&journal);
	store.durability = FILE_VOLATILE;
}

static void plain_netdev_comes_back(void **state)
{
	struct journal journal = sample();

	(void)state;
	journal.device = (struct device){ .key = "21-02:00:5e:00:53:05",
					  .name = "veth5",
					  .ifindex = 21,
					  .pod_ifindex = 21,
					  .kind = "veth",
					  .mac = MAC(5) };
	journal.ipam_type = NULL;
	journal.cni_args = "";
	journal.n_steps = 0;
	journal.n_addresses = 0;
	round_trip(&journal);
}

/* Every type that there is, but for addresses and routes, which the journal has as such. */
static void every_type_comes_back(void **state)
{
	struct journal journal = sample();
	bool seen[STEP_TYPE_MAX] = { [STEP_ADDR] = true, [STEP_ROUTE] = true };

	(void)state;
	for (size_t i = 0; i < journal.n_steps; i++)
		seen[journal.steps[i].type] = true;
	for (int t = 0; t < STEP_TYPE_MAX; t++)
		row_true(step_type_name(t), "is in the sample", seen[t]);
}

static void vf_for_userspace_comes_back(void **state)
{
	struct journal journal = sample();

	(void)state;
	journal.device = (struct device){ .key = "0000:3b:00.2",
					  .name = "0000:3b:00.2",
					  .userspace = true,
					  .pci = { .addr = "0000:3b:00.2",
						   .is_vf = true,
						   .pf = "0000:3b:00.0",
						   .vf_index = 2 } };
	round_trip(&journal);
}

static void subfunction_comes_back(void **state)
{
	struct journal journal = sample();

	(void)state;
	snprintf(journal.device.key, sizeof(journal.device.key), "mlx5_core.sf.4");
	journal.device.pci = (struct pci_dev){ .addr = "mlx5_core.sf.4", .is_sf = true, .pf = "0000:3b:00.0" };
	round_trip(&journal);
}

static void extremes_come_back(void **state)
{
	struct journal journal = sample();

	(void)state;
	journal.netns_id = (struct netns_id){ .dev = UINT64_MAX, .ino = UINT64_MAX };
	journal.device.ifindex = 2147483647;
	journal.time = INT64_MAX;
	for (journal.n_addresses = 2; journal.n_addresses < RESULT_IPS_MAX; journal.n_addresses++)
		journal.addresses[journal.n_addresses] = journal.addresses[1];
	journal.n_steps = JOURNAL_STEPS_MAX;
	for (size_t i = 0; i < JOURNAL_STEPS_MAX; i++)
		journal.steps[i] = (struct step){ .type = STEP_LINK_MTU,
						  .have.number = (int)i,
						  .want.number = 65535 };
	memset(journal.device.key, 'k', sizeof(journal.device.key) - 1);
	memset(journal.device.name, 'n', sizeof(journal.device.name) - 1);
	memset(journal.device.rdma.name, 'r', sizeof(journal.device.rdma.name) - 1);
	for (journal.device.n_altnames = 0; journal.device.n_altnames < LINK_ALTNAMES_MAX;)
		memset(journal.device.altnames[journal.device.n_altnames++], 'a', LINK_ALTNAME_SIZE - 1);
	journal.device.conf.n4 = journal.device.conf.n6 = LINK_CONF_MAX;
	round_trip(&journal);
}

static void config_is_not_more_than_its_length(void **state)
{
	struct journal journal = sample(), again;
	struct err err = { 0 };

	(void)state;
	journal.config = "{}GARBAGE";
	journal.config_len = 2;
	must_write(&journal);
	assert_int_equal(journal_read(&store, NAME, &again, &err), 0);
	assert_string_equal(again.config, "{}");
	assert_int_equal(again.config_len, 2);
	journal_free(&again);
}

static void bytes_that_are_no_utf8_are_refused_before_anything_is_done(void **state)
{
	struct journal journal = sample();
	struct err err = { 0 };

	(void)state;
	journal.cni_args = "X=\xff";
	journal_remove(&store, &journal.attachment);
	assert_true(journal_write(&store, &journal, &err) < 0);
	row_part("CNI_ARGS", "message", err.msg, "UTF-8");
	assert_int_equal(faccessat(store.dir, NAME, F_OK, 0), -1);
}

static void missing_folder_is_an_error(void **state)
{
	struct journal journal = sample();
	struct err err = { 0 };

	(void)state;
	journal.attachment.network = "n9";
	assert_int_equal(journal_write(&store, &journal, &err), -ENOENT);
	assert_int_equal(err.code, CNI_IO_FAILURE);
	row_part("no folder", "message", err.msg, "attachments/n9/c1:net1");
}

static void removed_journal_is_enoent(void **state)
{
	struct journal journal = sample(), again;
	struct err err = { 0 };

	(void)state;
	must_write(&journal);
	journal_remove(&store, &journal.attachment);
	journal_remove(&store, &journal.attachment); /* again */
	assert_int_equal(journal_read(&store, NAME, &again, &err), -ENOENT);
	assert_false(err_is_set(&err));
}

static void boot_id_is_read(void **state)
{
	char id[BOOT_ID_SIZE];

	(void)state;
	journal_boot_id(id);
	assert_int_equal(strlen(id), 36);
}

/* ---- damage ---- */

static void put(const char *text, size_t len)
{
	assert_int_equal(file_write_atomic(store.dir, NAME, text, len, FILE_VOLATILE), 0);
}

/* Reads what put() wrote as a journal, which must be refused as broken. */
static void must_be_broken(const char *name)
{
	struct journal journal;
	struct err err = { 0 };
	int r;

	r = journal_read(&store, NAME, &journal, &err);
	if (r == 0)
		journal_free(&journal);
	row_true(name, "refused", r < 0);
	row_int(name, "code", err.code, ROCE_STATE_BROKEN);
	row_part(name, "message", err.msg, "the journal " NAME " cannot be used: ");
}

static json_t *sample_json(void)
{
	struct journal journal = sample();
	char *text;
	size_t len;
	json_t *json;

	must_write(&journal);
	assert_int_equal(file_read(store.dir, NAME, 1 << 20, &text, &len), 0);
	json = json_loadb(text, len, 0, NULL);
	free(text);
	assert_non_null(json);
	return json;
}

/* Cut at every byte: none of the pieces is a journal, and none is a crash. */
static void every_truncation_is_broken(void **state)
{
	json_t *json = sample_json();
	char *text = json_dumps(json, JSON_INDENT(1));

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		char name[32];

		snprintf(name, sizeof(name), "cut at %zu", len);
		put(text, len);
		must_be_broken(name);
	}
	free(text);
	json_decref(json);
}

/* Any one byte changed: read or refused, but as nothing else than broken. */
static void no_flipped_byte_crashes(void **state)
{
	static const char bytes[] = { '\0', '"', '{', ']', '9', '-', 'x', '\xff' };
	json_t *json = sample_json();
	char *text = json_dumps(json, JSON_COMPACT);
	size_t len = strlen(text);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		struct journal journal;
		struct err err = { 0 };
		char old = text[i];

		text[i] = bytes[i % sizeof(bytes)];
		put(text, len);
		if (journal_read(&store, NAME, &journal, &err) == 0)
			journal_free(&journal);
		else
			assert_int_equal(err.code, ROCE_STATE_BROKEN);
		text[i] = old;
	}
	free(text);
	json_decref(json);
}

static const char *const garbage[] = {
	"",
	"garbage",
	"null",
	"[]",
	"\"x\"",
	"{}",
	"{\"version\":1}",
	"{\"version\":1,\"version\":1}",
};

static void garbage_is_broken(void **state)
{
	(void)state;
	for_each_row(text, garbage)
	{
		put(*text, strlen(*text));
		must_be_broken(*text);
	}
}

/* One change to a good journal; the path is walked by keys and array indexes, separated by '/'. */
static const struct {
	const char *path;
	const char *value; /* JSON; NULL: the key is removed */
} damages[] = {
	/* keys that are gone */
	{ "version", NULL },
	{ "bootID", NULL },
	{ "network", NULL },
	{ "containerID", NULL },
	{ "ifname", NULL },
	{ "state", NULL },
	{ "netns", NULL },
	{ "netns/path", NULL },
	{ "netns/dev", NULL },
	{ "netns/ino", NULL },
	{ "device", NULL },
	{ "device/key", NULL },
	{ "device/name", NULL },
	{ "device/ifindex", NULL },
	{ "device/podIfindex", NULL },
	{ "device/mac", NULL },
	{ "device/vf/pf", NULL },
	{ "device/vf/index", NULL },
	{ "device/rdma/name", NULL },
	{ "device/rdma/index", NULL },
	{ "steps", NULL },
	{ "steps/0/type", NULL },
	{ "steps/0/have", NULL },
	{ "steps/0/want", NULL },
	{ "steps/1/have", NULL },
	{ "steps/1/have/id", NULL },
	{ "steps/1/have/proto", NULL },
	{ "steps/2/want", NULL },
	{ "steps/2/have/link", NULL },
	{ "steps/3/have", NULL },
	{ "steps/4/want", NULL },
	{ "steps/4/have/place", NULL },
	{ "steps/4/have/name", NULL },
	{ "steps/4/have/ifindex", NULL },
	{ "steps/5/have", NULL },
	{ "steps/6/want", NULL },
	{ "cniArgs", NULL },
	{ "config", NULL },
	{ "steps/9/have", NULL },
	{ "steps/10/want", NULL },
	{ "steps/10/have/max", NULL },
	{ "steps/11/have", NULL },
	{ "steps/13/want", NULL },
	{ "steps/16/have", NULL },
	{ "steps/17/sysctl", NULL },
	{ "steps/17/want", NULL },
	/* wrong values */
	{ "version", "2" },
	{ "version", "0" },
	{ "version", "\"1\"" },
	{ "version", "null" },
	{ "bootID", "7" },
	{ "bootID", "\"0123456789012345678901234567890123456789\"" },
	{ "network", "7" },
	{ "containerID", "null" },
	{ "state", "7" },
	{ "state", "\"activ\"" },
	{ "netns", "\"/run/netns/x\"" },
	{ "netns/ino", "\"7\"" },
	{ "device", "[]" },
	{ "device/key", "\"\"" },
	{ "device/key", "\"0123456789012345678901234567890123456789012345678901234567890123\"" },
	{ "device/name", "\"0123456789012345\"" },
	{ "device/name", "null" },
	{ "device/ifindex", "\"7\"" },
	{ "device/ifindex", "4294967308" },
	{ "device/mac", "\"02:00\"" },
	{ "device/mac", "null" },
	{ "device/pci", "\"0000:3b:00.22\"" },
	{ "device/pci", "\"../../x.sf.4\"" },
	{ "device/sf", "true" },
	{ "device/sf", "{}" },
	{ "device/vf", "true" },
	{ "device/kind", "7" },
	{ "device/rdma", "\"mlx5_4\"" },
	{ "device/colour", "1" },
	{ "steps", "{}" },
	{ "steps/0", "null" },
	{ "steps/0", "\"link-state\"" },
	{ "steps/0/type", "\"link-stat\"" },
	{ "steps/0/type", "null" },
	{ "steps/0/have", "null" },
	{ "steps/0/have", "1" },
	{ "steps/1/have", "7" },
	{ "steps/1/have/id", "\"7\"" },
	{ "steps/2/have", "\"02:00:5e:00:53:01\"" },
	{ "steps/2/have/link", "\"\"" },
	{ "steps/3/have", "\"1500\"" },
	{ "steps/3/have", "1500.5" },
	{ "steps/4/have", "\"host\"" },
	{ "steps/4/have/name", "\"0123456789012345\"" },
	{ "steps/4/have/place", "\"hos\"" },
	{ "steps/5/have", "true" },
	{ "steps/5/want", "\"pods\"" },
	{ "steps/6/want", "\"yes\"" },
	{ "device/userspace", "1" },
	{ "device/altnames", "\"a\"" },
	{ "device/altnames/0", "7" },
	{ "device/altnames", "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]" },
	{ "device/altnames/1",
	  "\"0123456789012345678901234567890123456789012345678901234567890123"
	  "0123456789012345678901234567890123456789012345678901234567890123\"" },
	{ "device/conf4", "{}" },
	{ "device/files6", "[]" },
	{ "device/files6/stable_secret", "7" },
	{ "device/conf4/0", "\"1\"" },
	{ "device/conf6/1", "1.5" },
	{ "device/conf6/1", "2147483648" },
	{ "steps/9/have", "true" },
	{ "steps/9/want", "\"3\"" },
	{ "steps/10/have", "7" },
	{ "steps/10/want/min", "true" },
	{ "steps/11/want", "\"off\"" },
	{ "steps/12/have", "0" },
	{ "steps/13/have", "3" },
	{ "steps/13/want", "-1" },
	{ "steps/13/want", "\"auto\"" },
	{ "steps/14/want", "1" },
	{ "steps/16/want", "true" },
	{ "steps/17/have", "0" },
	{ "steps/17/want", "1" },
	{ "steps/17/want", "null" },
	{ "steps/18/sysctl", "null" },
	{ "steps/18/sysctl", "7" },
	{ "steps/18/sysctl", "\"\"" },
	{ "steps/18/sysctl", "\"../x\"" },
	{ "steps/18/sysctl", "\"kernel/x\"" },
	{ "steps/18/sysctl", "\"/etc/passwd\"" },
	{ "steps/18/sysctl", "\"net/../kernel/x\"" },
	{ "steps/18/sysctl", "\"net/ipv4/../../kernel/x\"" },
	{ "steps/18/sysctl", "\"net\"" },
	{ "cniArgs", "[]" },
	{ "config", "{}" },
	{ "ipam", "7" },
	{ "time", "\"1767225600\"" },
	{ "time", "-1" },
	{ "time", "1.5" },
	{ "addresses", "{}" },
	{ "addresses/0", "null" },
	{ "addresses/0", "\"10.56.0.2\"" },
	{ "addresses/1", "\"2001:db8::2/129\"" },
	{ "unknown", "7" },
};

static json_t *child_of(json_t *json, const char *key)
{
	return json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
				   : json_object_get(json, key);
}

/* Changes or removes what @path leads to. */
static void damage(json_t *json, const char *path, const char *value)
{
	char buf[64], *key, *next;

	snprintf(buf, sizeof(buf), "%s", path);
	for (key = buf; (next = strchr(key, '/')); key = next + 1) {
		*next = '\0';
		json = child_of(json, key);
		assert_non_null(json);
	}
	if (!value)
		assert_int_equal(json_object_del(json, key), 0);
	else if (json_is_array(json))
		assert_int_equal(json_array_set_new(json, strtoul(key, NULL, 10),
						    json_loads(value, JSON_DECODE_ANY, NULL)),
				 0);
	else
		assert_int_equal(
			json_object_set_new(json, key, json_loads(value, JSON_DECODE_ANY, NULL)),
			0);
}

/* One test a row: a row that fails, or crashes, hides no other. */
static void damage_is_broken(void **state)
{
	const __typeof__(damages[0]) *row = *state;
	json_t *json = sample_json();
	char *text, name[128];

	snprintf(name, sizeof(name), "%s = %s", row->path, row->value ? row->value : "(gone)");
	damage(json, row->path, row->value);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	put(text, strlen(text));
	free(text);
	must_be_broken(name);
}

/* A journal of before these keys were there is still a journal. */
static void older_journal_is_read(void **state)
{
	static const char *const younger[] = { "userspace", "altnames", "conf4", "conf6", "files6" };
	struct journal journal;
	struct err err = { 0 };
	json_t *json = sample_json();
	char *text;

	(void)state;
	json_object_del(json, "time");
	json_object_del(json, "addresses");
	for_each_row(key, younger) json_object_del(json_object_get(json, "device"), *key);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	put(text, strlen(text));
	free(text);
	assert_int_equal(journal_read(&store, NAME, &journal, &err), 0);
	assert_true(journal.time == 0);
	assert_int_equal(journal.n_addresses, 0);
	assert_false(journal.device.userspace);
	assert_int_equal(journal.device.n_altnames, 0);
	assert_int_equal(journal.device.conf.n4 + journal.device.conf.n6, 0);
	assert_string_equal(journal.cni_args, "IgnoreUnknown=1;K8S_POD_NAME=p");
	journal_free(&journal);
}

static void too_many_steps_are_broken(void **state)
{
	json_t *json = sample_json(), *steps = json_object_get(json, "steps");
	char *text;

	(void)state;
	while (json_array_size(steps) <= JOURNAL_STEPS_MAX)
		json_array_append(steps, json_array_get(steps, 0));
	text = json_dumps(json, JSON_COMPACT);
	put(text, strlen(text));
	free(text);
	json_decref(json);
	must_be_broken("one step too many");
}

static void unreadable_journal_is_broken(void **state)
{
	struct journal journal;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(journal_read(&store, "attachments/n1", &journal, &err), -EISDIR);
	assert_int_equal(err.code, ROCE_STATE_BROKEN);
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(everything_comes_back),
	cmocka_unit_test(plain_netdev_comes_back),
	cmocka_unit_test(every_type_comes_back),
	cmocka_unit_test(vf_for_userspace_comes_back),
	cmocka_unit_test(subfunction_comes_back),
	cmocka_unit_test(extremes_come_back),
	cmocka_unit_test(config_is_not_more_than_its_length),
	cmocka_unit_test(bytes_that_are_no_utf8_are_refused_before_anything_is_done),
	cmocka_unit_test(missing_folder_is_an_error),
	cmocka_unit_test(removed_journal_is_enoent),
	cmocka_unit_test(boot_id_is_read),
	cmocka_unit_test(every_truncation_is_broken),
	cmocka_unit_test(no_flipped_byte_crashes),
	cmocka_unit_test(garbage_is_broken),
	cmocka_unit_test(older_journal_is_read),
	cmocka_unit_test(too_many_steps_are_broken),
	cmocka_unit_test(unreadable_journal_is_broken),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(damages)];
	static char names[ARRAY_SIZE(damages)][128];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		snprintf(names[i], sizeof(names[i]), "damage: %s = %s", damages[i].path,
			 damages[i].value ? damages[i].value : "(gone)");
		tests[ARRAY_SIZE(fixed) + i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = damage_is_broken,
			.initial_state = (void *)&damages[i],
		};
	}
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
