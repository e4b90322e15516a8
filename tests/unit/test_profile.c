// SPDX-License-Identifier: Apache-2.0
/* The node profile: an example, every error with its JSON path, and the choice of a fabric. */
#include "conf/profile.h"

#include "tests/unit/row.h"

#include <fcntl.h>
#include <stdio.h>

static char folder[] = "/tmp/test_profile.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/profile.json", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

/* Writes @text as the profile and loads it. */
static int load(const char *text, struct profile *profile, struct err *err)
{
	assert_int_equal(file_write_atomic(AT_FDCWD, path, text, strlen(text), FILE_VOLATILE), 0);
	return profile_load(path, profile, err);
}

static void must_load(const char *name, const char *text, struct profile *profile)
{
	struct err err = { 0 };

	if (load(text, profile, &err) < 0)
		fail_msg("row \"%s\": %s", name, err.msg);
}

/* ---- what is read ---- */

static const char example[] =
	"{\"version\": 1, \"defaultFabric\": \"rail\", \"fabrics\": {\"rail\": {"
	"\"switch\": {\"mtu\": 9216, \"semantics\": \"l3\"}, \"roceMTU\": 4096, \"podMTU\": 9000,"
	"\"pfs\": [{\"pci\": \"0000:03:00.0\"}, {\"name\": \"ens1f*\"}, {\"driver\": "
	"\"mlx5_core\"}]}},"
	"\"policy\": {\"mtu\": \"strict\"}, \"stateDir\": \"/run\"}";

static void example_is_read(void **state)
{
	struct profile profile;
	const struct fabric *rail = &profile.fabrics[0];

	(void)state;
	must_load("example", example, &profile);
	assert_true(profile.present);
	assert_int_equal(profile.n_fabrics, 1);
	assert_string_equal(profile.default_fabric, "rail");
	assert_int_equal(profile.mtu, MTU_STRICT);
	assert_string_equal(profile.state_dir, "/run");
	assert_int_equal(profile.durability, FILE_VOLATILE);
	assert_string_equal(rail->name, "rail");
	assert_true(rail->sw.mtu.set && rail->sw.mtu.value == 9216);
	assert_int_equal(rail->sw.semantics, SWITCH_L3);
	assert_false(profile.may_loosen);
	assert_true(rail->roce_mtu.set && rail->roce_mtu.value == 4096);
	assert_true(rail->pod_mtu.set && rail->pod_mtu.value == 9000);
	assert_int_equal(rail->n_pfs, 3);
	assert_string_equal(rail->pfs[0].pci, "0000:03:00.0");
	assert_string_equal(rail->pfs[1].name, "ens1f*");
	assert_string_equal(rail->pfs[2].driver, "mlx5_core");
	profile_free(&profile);
	assert_null(profile.doc);
}

static void least_is_read(void **state)
{
	struct profile profile;

	(void)state;
	must_load("least", "{\"version\":1}", &profile);
	assert_true(profile.present);
	assert_int_equal(profile.n_fabrics, 0);
	assert_null(profile.default_fabric);
	assert_string_equal(profile.state_dir, PROFILE_STATE_DIR);
	profile_free(&profile);
}

static void waits_are_read(void **state)
{
	static const struct {
		const char *name, *text;
		int carrier, gid;
	} rows[] = {
		{ "default", "{\"version\":1}", 200, 2000 },
		{ "none", "{\"version\":1,\"carrierWait\":0,\"gidWait\":0}", 0, 0 },
		{ "shorter", "{\"version\":1,\"carrierWait\":1}", 1, 2000 },
		{ "longest", "{\"version\":1,\"carrierWait\":10000}", 10000, 2000 },
		{ "shorter for GIDs", "{\"version\":1,\"gidWait\":1}", 200, 1 },
		{ "longest for GIDs", "{\"version\":1,\"gidWait\":10000}", 200, 10000 },
	};
	struct profile profile;

	(void)state;
	for_each_row(row, rows)
	{
		must_load(row->name, row->text, &profile);
		row_int(row->name, "carrier_wait_ms", profile.carrier_wait_ms, row->carrier);
		row_int(row->name, "gid_wait_ms", profile.gid_wait_ms, row->gid);
		profile_free(&profile);
	}
}

static void missing_file_gives_the_defaults(void **state)
{
	struct profile profile;
	const struct fabric_port port = { "0000:03:00.0", "ens1f0", "mlx5_core", "" };
	const struct fabric *fabric = (void *)&profile;
	struct err err = { 0 };

	(void)state;
	unlink(path);
	assert_int_equal(profile_load(path, &profile, &err), 0);
	assert_false(err_is_set(&err));
	assert_false(profile.present);
	assert_int_equal(profile.n_fabrics, 0);
	assert_int_equal(profile.mtu, MTU_STRICT);
	assert_string_equal(profile.state_dir, "/run");
	assert_int_equal(profile.carrier_wait_ms, 200);
	assert_int_equal(profile.gid_wait_ms, 2000);
	assert_int_equal(profile.durability, FILE_VOLATILE);
	assert_int_equal(profile_fabric(&profile, NULL, &port, &fabric, &err), 0);
	assert_null(fabric);
	profile_free(&profile);
}

/* A DEL gets the defaults, and is told what is wrong. */
static void broken_profile_does_not_stop_a_del(void **state)
{
	static const char broken[] = "{\"version\": 1, \"stateDir\": 7}";
	struct profile profile;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(file_write_atomic(AT_FDCWD, path, broken, strlen(broken), FILE_VOLATILE),
			 0);
	profile_load_for_del(path, &profile, &err);
	assert_int_equal(err.code, ROCE_PROFILE_INVALID);
	assert_string_equal(profile.state_dir, PROFILE_STATE_DIR);
	assert_int_equal(profile.n_fabrics, 0);
	assert_null(profile.doc);
	profile_free(&profile);
}

static void unreadable_file_is_an_error(void **state)
{
	struct profile profile;
	struct err err = { 0 };

	(void)state;
	assert_true(profile_load(folder, &profile, &err) < 0);
	assert_int_equal(err.code, ROCE_PROFILE_INVALID);
	row_part("a folder", "message", err.msg, folder);
}

static const struct {
	const char *text, *dir;
	enum file_durability durability;
} state_dirs[] = {
	{ "{\"version\":1,\"stateDir\":\"/run\"}", "/run", FILE_VOLATILE },
	{ "{\"version\":1,\"stateDir\":\"/run/roce\"}", "/run/roce", FILE_VOLATILE },
	{ "{\"version\":1,\"stateDir\":\"/running\"}", "/running", FILE_DURABLE },
	{ "{\"version\":1,\"stateDir\":\"/var/lib\"}", "/var/lib", FILE_DURABLE },
	{ "{\"version\":1,\"stateDir\":\"/mnt/shared.d/a\"}", "/mnt/shared.d/a", FILE_DURABLE },
};

static void state_dir_decides_durability(void **state)
{
	(void)state;
	for_each_row(row, state_dirs)
	{
		struct profile profile;

		must_load(row->text, row->text, &profile);
		row_text(row->text, "state_dir", profile.state_dir, row->dir);
		row_int(row->text, "durability", profile.durability, row->durability);
		profile_free(&profile);
	}
}

#define V "{\"version\":1,"

/* ---- what networks must not ask for ---- */

static void forbid_is_read(void **state)
{
	struct profile profile;

	(void)state;
	must_load("none", V "\"forbid\":[]}", &profile);
	assert_int_equal(profile.n_forbid, 0);
	profile_free(&profile);
	must_load("two", V "\"forbid\":[\"trust\",\"sysctl\"]}", &profile);
	assert_int_equal(profile.n_forbid, 2);
	assert_string_equal(profile.forbid[0]->name, "trust");
	assert_string_equal(profile.forbid[1]->name, "sysctl");
	profile_free(&profile);
}

/* Every setting can be forbidden, and all of them together. */
static void all_can_be_forbidden(void **state)
{
	size_t n;
	const struct setting *table = setting_table(&n);
	struct profile profile;
	char text[512] = V "\"forbid\":[";

	(void)state;
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\"%s\"", i ? "," : "",
			 table[i].name);
	strcat(text, "]}");
	must_load("all", text, &profile);
	assert_int_equal(profile.n_forbid, n);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(profile.forbid[i], &table[i]);
	profile_free(&profile);
}

static void baseline_of_vfs_is_read(void **state)
{
	struct profile profile;
	const struct settings *vf = &profile.fabrics[0].vf;

	(void)state;
	must_load("vfBaseline",
		  V "\"fabrics\":{\"rail\":{\"vfBaseline\":{\"spoofchk\":\"on\",\"vlan\":0,\"mtu\":1500}}}}",
		  &profile);
	assert_true(vf->spoofchk.set && vf->spoofchk.value == 1);
	assert_true(vf->vlan.set && vf->vlan.value == 0);
	assert_true(vf->mtu.set && vf->mtu.value == 1500);
	assert_false(vf->trust.set || vf->link_state.set || vf->mac.set || vf->has_sysctls);
	profile_free(&profile);
}

static const struct {
	const char *text;
	enum mtu_policy mtu;
	const char *name;
	bool may_loosen;
} policies[] = {
	{ "{\"version\":1}", MTU_STRICT, "strict", false },
	{ V "\"policy\":{}}", MTU_STRICT, "strict", false },
	{ V "\"policy\":{\"mtu\":\"strict\"}}", MTU_STRICT, "strict", false },
	{ V "\"policy\":{\"mtu\":\"clamp\"}}", MTU_CLAMP, "clamp", false },
	{ V "\"policy\":{\"mtu\":\"warn\"}}", MTU_WARN, "warn", false },
	{ V "\"policy\":{\"mayLoosen\":true}}", MTU_STRICT, "strict", true },
	{ V "\"policy\":{\"mayLoosen\":false}}", MTU_STRICT, "strict", false },
	{ V "\"policy\":{\"mtu\":\"clamp\",\"mayLoosen\":true}}", MTU_CLAMP, "clamp", true },
};

static void policies_are_read(void **state)
{
	(void)state;
	assert_true(MTU_STRICT < MTU_CLAMP && MTU_CLAMP < MTU_WARN); /* each is looser */
	for_each_row(row, policies)
	{
		struct profile profile;

		must_load(row->text, row->text, &profile);
		row_int(row->text, "mtu", profile.mtu, row->mtu);
		row_text(row->text, "name", profile_policy_name(profile.mtu), row->name);
		row_int(row->text, "may_loosen", profile.may_loosen, row->may_loosen);
		profile_free(&profile);
	}
}

static const struct {
	const char *text;
	size_t n;
	const char *first;
} log_roots[] = {
	{ V "\"nodeIndex\":1}", 1, "/var/log" },
	{ V "\"logRoots\":[]}", 0, NULL },
	{ V "\"logRoots\":[\"/var/log\"]}", 1, "/var/log" },
	{ V "\"logRoots\":[\"/srv/log\",\"/var/log/roce\"]}", 2, "/srv/log" },
	{ V "\"logRoots\":[\"/srv/log\"],\"ipam\":{\"dataRoots\":[\"/srv/leases\"]}}", 1, "/srv/log" },
	/* what is not written contradicts nothing */
	{ V "\"stateDir\":\"/var/log\"}", 1, "/var/log" },
};

static void log_roots_are_read(void **state)
{
	(void)state;
	for_each_row(row, log_roots)
	{
		const char *const *roots;
		struct profile profile;
		size_t n;

		must_load(row->text, row->text, &profile);
		n = profile_log_roots(&profile, &roots);
		row_int(row->text, "number", (long long)n, (long long)row->n);
		row_text(row->text, "first", n ? roots[0] : NULL, row->first);
		profile_free(&profile);
	}
}

/* The network's "mtuPolicy" is read by the same reader. */
static void policy_reader_names_the_path(void **state)
{
	enum mtu_policy policy = MTU_WARN;
	_cleanup_json_ json_t *number = json_integer(1), *wrong = json_string("Strict");
	struct err err = { 0 };

	(void)state;
	assert_true(profile_read_policy(number, "mtuPolicy", &policy, &err) < 0);
	assert_string_equal(err.msg, "mtuPolicy: must be a string, is an integer");
	err = (struct err){ 0 };
	assert_true(profile_read_policy(wrong, "mtuPolicy", &policy, &err) < 0);
	row_part("mtuPolicy", "message", err.msg, "mtuPolicy: \"Strict\" is not known");
	assert_int_equal(policy, MTU_WARN);
}

/* ---- what is refused ---- */

#define FABRIC(keys) V "\"fabrics\":{\"a\":{" keys "}}}"
#define PFS(items) FABRIC("\"pfs\":[" items "]")
#define VFS(items) FABRIC("\"vfs\":[" items "]")

static const struct {
	const char *name, *text;
	const char *part[2]; /* of the message */
} refused[] = {
	{ "empty file", "", { "not valid JSON" } },
	{ "garbage", "{\"version\":1", { "not valid JSON: line 1" } },
	{ "an array", "[]", { "must be a JSON object" } },
	{ "a key twice", V "\"version\":1}", { "duplicate" } },
	{ "no version", "{}", { "version: is missing", "\"version\": 1" } },
	{ "version 2", "{\"version\":2}", { "version: 2 is not a supported profile version" } },
	{ "version 0", "{\"version\":0}", { "version: 0" } },
	{ "version string", "{\"version\":\"1\"}", { "version: must be an integer, is a string" } },
	{ "unknown key",
	  V "\"fabric\":{}}",
	  { "unknown key \"fabric\"", "did you mean \"fabrics\"?" } },
	{ "defaultFabric number", V "\"defaultFabric\":1}", { "defaultFabric: must be a string" } },
	{ "defaultFabric unknown",
	  V "\"defaultFabric\":\"b\",\"fabrics\":{\"a\":{}}}",
	  { "defaultFabric: \"b\" is not one of the fabrics" } },
	{ "defaultFabric without fabrics",
	  V "\"defaultFabric\":\"b\"}",
	  { "defaultFabric: \"b\"" } },
	{ "fabrics array", V "\"fabrics\":[]}", { "fabrics: must be an object of fabrics" } },
	{ "fabric string", V "\"fabrics\":{\"a\":\"x\"}}", { "fabrics.a: must be an object" } },
	{ "fabric, unknown key",
	  FABRIC("\"podMtuu\":1"),
	  { "unknown key \"fabrics.a.podMtuu\"", "did you mean \"podMTU\"?" } },
	{ "switch number", FABRIC("\"switch\":9216"), { "fabrics.a.switch: must be an object" } },
	{ "switch empty", FABRIC("\"switch\":{}"), { "fabrics.a.switch: needs both" } },
	{ "switch without semantics",
	  FABRIC("\"switch\":{\"mtu\":9216}"),
	  { "fabrics.a.switch: needs both \"mtu\" and \"semantics\"" } },
	{ "switch without mtu",
	  FABRIC("\"switch\":{\"semantics\":\"l3\"}"),
	  { "fabrics.a.switch: needs both" } },
	{ "switch.mtu string",
	  FABRIC("\"switch\":{\"mtu\":\"9216\",\"semantics\":\"l3\"}"),
	  { "fabrics.a.switch.mtu: must be an integer" } },
	{ "switch.mtu too small",
	  FABRIC("\"switch\":{\"mtu\":67,\"semantics\":\"l3\"}"),
	  { "fabrics.a.switch.mtu: 67", "68 to 65535" } },
	{ "switch.mtu too large",
	  FABRIC("\"switch\":{\"mtu\":65536,\"semantics\":\"l3\"}"),
	  { "fabrics.a.switch.mtu: 65536" } },
	{ "switch.semantics unknown",
	  FABRIC("\"switch\":{\"mtu\":9216,\"semantics\":\"L3\"}"),
	  { "fabrics.a.switch.semantics: \"L3\" is not known", "\"l2frame\"" } },
	{ "switch.semantics number",
	  FABRIC("\"switch\":{\"mtu\":9216,\"semantics\":3}"),
	  { "fabrics.a.switch.semantics: must be a string" } },
	{ "switch, unknown key",
	  FABRIC("\"switch\":{\"mtu\":9216,\"semantic\":\"l3\"}"),
	  { "unknown key \"fabrics.a.switch.semantic\"", "did you mean \"semantics\"?" } },
	{ "roceMTU 4200",
	  FABRIC("\"roceMTU\":4200"),
	  { "fabrics.a.roceMTU: 4200 is not a RoCE path MTU" } },
	{ "roceMTU string",
	  FABRIC("\"roceMTU\":\"4096\""),
	  { "fabrics.a.roceMTU: must be an integer" } },
	{ "podMTU 0", FABRIC("\"podMTU\":0"), { "fabrics.a.podMTU: 0" } },
	{ "podMTU real", FABRIC("\"podMTU\":9000.5"), { "fabrics.a.podMTU: must be an integer" } },
	{ "pfs object", FABRIC("\"pfs\":{}"), { "fabrics.a.pfs: must be an array" } },
	{ "pfs string inside", PFS("\"ens1f0\""), { "fabrics.a.pfs[0]: must be an object" } },
	{ "pfs empty entry", PFS("{}"), { "fabrics.a.pfs[0]: needs exactly one" } },
	{ "pfs two members",
	  PFS("{\"name\":\"a\"},{\"name\":\"b\",\"driver\":\"c\"}"),
	  { "fabrics.a.pfs[1]: needs exactly one" } },
	{ "pfs bad PCI",
	  PFS("{\"pci\":\"03:00.0\"}"),
	  { "fabrics.a.pfs[0].pci: \"03:00.0\" is not a PCI address" } },
	{ "pfs PCI number", PFS("{\"pci\":3}"), { "fabrics.a.pfs[0].pci: must be a string" } },
	{ "pfs name number", PFS("{\"name\":3}"), { "fabrics.a.pfs[0].name: must be a string" } },
	{ "pfs driver null",
	  PFS("{\"driver\":null}"),
	  { "fabrics.a.pfs[0].driver: must be a string" } },
	{ "pfs unknown key",
	  PFS("{\"drver\":\"x\"}"),
	  { "unknown key \"fabrics.a.pfs[0].drver\"", "did you mean \"driver\"?" } },
	/* a key with a dot is never an unknown key, but it names no port either */
	{ "pfs foreign key only",
	  PFS("{\"example.io/x\":1}"),
	  { "fabrics.a.pfs[0]: needs exactly one" } },
	{ "vfs string", FABRIC("\"vfs\":\"0-3\""), { "fabrics.a.vfs: must be an array" } },
	{ "vfs real", VFS("1.5"), { "fabrics.a.vfs[0]: must be a VF number or a range" } },
	{ "vfs null", VFS("0,null"), { "fabrics.a.vfs[1]: must be a VF number or a range" } },
	{ "vfs -1", VFS("-1"), { "fabrics.a.vfs[0]: -1 is not a VF number", "0 to 65534" } },
	{ "vfs 65535", VFS("65535"), { "fabrics.a.vfs[0]: 65535" } },
	{ "vfs range to 65535", VFS("\"0-65535\""), { "fabrics.a.vfs[0]: \"0-65535\"" } },
	{ "vfs backwards", VFS("\"7-4\""), { "fabrics.a.vfs[0]: \"7-4\" ends before it begins" } },
	{ "vfs number in a string", VFS("\"4\""), { "\"4\" is no range of VF numbers" } },
	{ "vfs empty string", VFS("\"\""), { "\"\" is no range" } },
	{ "vfs open range", VFS("\"4-\""), { "\"4-\" is no range" } },
	{ "vfs range of three", VFS("\"1-2-3\""), { "\"1-2-3\" is no range" } },
	{ "vfs range with a space", VFS("\"1 -2\""), { "\"1 -2\" is no range" } },
	{ "vfs range of many digits", VFS("\"0-000004\""), { "\"0-000004\" is no range" } },
	{ "allowPF string",
	  V "\"allowPF\":\"yes\"}",
	  { "allowPF: must be true or false, is a string" } },
	{ "allowPF in another case",
	  V "\"allowPf\":true}",
	  { "unknown key \"allowPf\"", "did you mean \"allowPF\"?" } },
	{ "policy string", V "\"policy\":\"strict\"}", { "policy: must be an object" } },
	{ "policy.mtu lenient",
	  V "\"policy\":{\"mtu\":\"lenient\"}}",
	  { "policy.mtu: \"lenient\" is not known", "\"strict\"" } },
	{ "policy.mtu, what there is",
	  V "\"policy\":{\"mtu\":\"\"}}",
	  { "policy.mtu: \"\" is not known",
	    "\"strict\" (refuse), \"clamp\" (lower the pod's MTU) or \"warn\" (go on)" } },
	{ "policy.mtu number",
	  V "\"policy\":{\"mtu\":1}}",
	  { "policy.mtu: must be a string, is an integer" } },
	{ "policy.mayLoosen string",
	  V "\"policy\":{\"mayLoosen\":\"yes\"}}",
	  { "policy.mayLoosen: must be true or false, is a string" } },
	{ "policy.mayLoosen misspelled",
	  V "\"policy\":{\"mayloosen\":true}}",
	  { "unknown key \"policy.mayloosen\"", "did you mean \"mayLoosen\"?" } },
	{ "one PCI address on two fabrics",
	  V "\"fabrics\":{\"a\":{\"pfs\":[{\"pci\":\"0000:3b:00.0\"}]},"
	    "\"b\":{\"pfs\":[{\"name\":\"x\"},{\"pci\":\"0000:3B:00.0\"}]}}}",
	  { "fabrics.b: pfs[1] is on fabric \"a\", too; a port is on one fabric" } },
	{ "one name on two fabrics",
	  V "\"fabrics\":{\"a\":{\"pfs\":[{\"driver\":\"ice\"},{\"name\":\"ens1f*\"}]},"
	    "\"b\":{},\"c\":{\"pfs\":[{\"name\":\"ens1f*\"}]}}}",
	  { "fabrics.c: pfs[0] is on fabric \"a\", too" } },
	{ "one driver on two fabrics",
	  V "\"fabrics\":{\"a\":{\"pfs\":[{\"driver\":\"ice\"}]},"
	    "\"b\":{\"pfs\":[{\"driver\":\"ice\"}]}}}",
	  { "fabrics.b: pfs[0] is on fabric \"a\", too" } },
	{ "one port name on two fabrics",
	  V "\"fabrics\":{\"a\":{\"pfs\":[{\"physPortName\":\"p0\"}]},"
	    "\"b\":{\"pfs\":[{\"physPortName\":\"p0\"}]}}}",
	  { "fabrics.b: pfs[0] is on fabric \"a\", too" } },
	{ "the second fabric contradicts itself",
	  V "\"fabrics\":{\"a\":{},\"b\":{\"roceMTU\":4096,\"podMTU\":4096}}}",
	  { "fabrics.b: roceMTU 4096 needs 4192, more than podMTU 4096" } },
	{ "policy unknown key",
	  V "\"policy\":{\"mttu\":\"strict\"}}",
	  { "unknown key \"policy.mttu\"" } },
	{ "forbid string", V "\"forbid\":\"trust\"}", { "forbid: must be an array, is a string" } },
	{ "forbid number inside", V "\"forbid\":[\"vlan\",7]}", { "forbid[1]: must be a string, is an integer" } },
	{ "forbid nothing that is known",
	  V "\"forbid\":[\"ipam\"]}",
	  { "forbid[0]: \"ipam\" is no setting" } },
	{ "forbid misspelled",
	  V "\"forbid\":[\"spoofcheck\",\"promics\"]}",
	  { "forbid[0]: \"spoofcheck\" is no setting; did you mean \"spoofchk\"?" } },
	{ "forbid in another case",
	  V "\"forbid\":[\"txqlen\"]}",
	  { "forbid[0]: \"txqlen\" is no setting; did you mean \"txQLen\"?" } },
	{ "forbid too much",
	  V "\"forbid\":[\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\""
	    ",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\",\"mac\"]}",
	  { "forbid: has 17 elements, at most 16" } },
	{ "vfBaseline that contradicts itself",
	  FABRIC("\"vfBaseline\":{\"vlanQoS\":3}"),
	  { "fabrics.a.vfBaseline.vlanQoS: needs \"vlan\"" } },
	{ "gidWait negative",
	  V "\"gidWait\":-1}",
	  { "gidWait: -1 is not a number of milliseconds", "0 to 10000" } },
	{ "gidWait too long", V "\"gidWait\":10001}", { "gidWait: 10001" } },
	{ "carrierWait string", V "\"carrierWait\":\"200\"}", { "carrierWait: must be an integer" } },
	{ "carrierWait real", V "\"carrierWait\":0.2}", { "carrierWait: must be an integer" } },
	{ "carrierWait negative",
	  V "\"carrierWait\":-1}",
	  { "carrierWait: -1 is not a number of milliseconds", "0 to 10000" } },
	{ "carrierWait too long",
	  V "\"carrierWait\":10001}",
	  { "carrierWait: 10001 is not a number of milliseconds", "0 to 10000" } },
	{ "carrierwait", V "\"carrierwait\":0}", { "did you mean \"carrierWait\"?" } },
	{ "stateDir number", V "\"stateDir\":1}", { "stateDir: must be a string" } },
	{ "stateDir relative",
	  V "\"stateDir\":\"run\"}",
	  { "stateDir: \"run\" must be an absolute path" } },
	{ "stateDir empty", V "\"stateDir\":\"\"}", { "stateDir: \"\"" } },
	{ "logRoots string", V "\"logRoots\":\"/var/log\"}", { "logRoots: must be an array" } },
	{ "logRoots number inside", V "\"logRoots\":[1]}", { "logRoots[0]: must be a string" } },
	{ "logRoots relative",
	  V "\"logRoots\":[\"/var/log\",\"log\"]}",
	  { "logRoots[1]: \"log\" must be an absolute path" } },
	{ "logRoots with ..", V "\"logRoots\":[\"/var/../etc\"]}", { "logRoots[0]: " } },
	{ "logRoots, slash at the end", V "\"logRoots\":[\"/var/log/\"]}", { "logRoots[0]: " } },
	{ "logRoots, all", V "\"logRoots\":[\"/\"]}", { "logRoots[0]: " } },
	{ "logRoots, one in another",
	  V "\"logRoots\":[\"/var/log/a\",\"/srv\",\"/var/log\"]}",
	  { "logRoots[2]: \"/var/log\" and \"/var/log/a\": one lies in the other" } },
	{ "logRoots in the state folder",
	  V "\"logRoots\":[\"/run/roce-cni/x\"]}",
	  { "logRoots[0]: \"/run/roce-cni/x\" overlaps /run/roce-cni" } },
	{ "logRoots around the state folder",
	  V "\"logRoots\":[\"/run\"]}",
	  { "logRoots[0]: \"/run\" overlaps /run/roce-ipam" } },
	{ "logRoots among leases",
	  V "\"ipam\":{\"dataRoots\":[\"/srv/a\"]},\"logRoots\":[\"/srv\"]}",
	  { "logRoots[0]: \"/srv\" and \"/srv/a\": one lies in the other" } },
	{ "logRoots, nine of them",
	  V "\"logRoots\":[\"/1\",\"/2\",\"/3\",\"/4\",\"/5\",\"/6\",\"/7\",\"/8\",\"/9\"]}",
	  { "logRoots: has 9 elements, at most 8" } },
	{ "stateDir with ..", V "\"stateDir\":\"/run/../etc\"}", { "stateDir: \"/run/../etc\"" } },
};

/* One test a row: a row that fails hides no other. */
static void is_refused(void **state)
{
	const __typeof__(refused[0]) *row = *state;
	struct profile profile;
	struct err err = { 0 };

	if (load(row->text, &profile, &err) == 0) {
		profile_free(&profile);
		fail_msg("row \"%s\" was accepted", row->name);
	}
	row_int(row->name, "code", err.code, ROCE_PROFILE_INVALID);
	row_part(row->name, "message", err.msg, path);
	for (size_t i = 0; i < ARRAY_SIZE(row->part); i++)
		row_part(row->name, "message", err.msg, row->part[i]);
}

static void too_many_are_refused(void **state)
{
	struct profile profile;
	struct err err = { 0 };
	char text[4096];
	int n = snprintf(text, sizeof(text), V "\"fabrics\":{");

	(void)state;
	for (int i = 0; i <= PROFILE_FABRICS_MAX; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s\"f%d\":{}", i ? "," : "", i);
	snprintf(text + n, sizeof(text) - n, "}}");
	assert_true(load(text, &profile, &err) < 0);
	row_part("17 fabrics", "message", err.msg, "fabrics: has more than 16");

	err = (struct err){ 0 };
	n = snprintf(text, sizeof(text), V "\"fabrics\":{\"a\":{\"pfs\":[");
	for (int i = 0; i <= FABRIC_PFS_MAX; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s{\"name\":\"p%d\"}", i ? "," : "", i);
	snprintf(text + n, sizeof(text) - n, "]}}}");
	assert_true(load(text, &profile, &err) < 0);
	row_part("33 ports", "message", err.msg, "fabrics.a.pfs: has 33 elements, at most 32");
}

/* ---- the choice of a fabric ---- */

/* a: by PCI; b: by name; c: by driver; any: takes every port. */
#define A "\"a\":{\"pfs\":[{\"pci\":\"0000:03:00.0\"}]}"
#define B "\"b\":{\"pfs\":[{\"name\":\"ens1f*\"}]}"
#define C "\"c\":{\"pfs\":[{\"driver\":\"ice\"},{\"driver\":\"mlx5_core\"}]}"
#define ANY "\"any\":{}"
#define FABRICS(list) V "\"fabrics\":{" list "}}"
/* Rails: a fabric a port, by each way to name it. */
#define RAIL_0 "\"rail0\":{\"pfs\":[{\"pci\":\"0000:3b:00.0\"}]}"
#define RAIL_1 "\"rail1\":{\"pfs\":[{\"pci\":\"0000:5e:00.0\"}]}"
#define RAIL_2 "\"rail2\":{\"pfs\":[{\"name\":\"ens3f0*\"}]}"
#define RAIL_3 "\"rail3\":{\"pfs\":[{\"physPortName\":\"p7\"}]}"
#define RAILS FABRICS(RAIL_0 "," RAIL_1 "," RAIL_2 "," RAIL_3)
#define DEFAULT(name, list) V "\"defaultFabric\":\"" name "\",\"fabrics\":{" list "}}"

static const struct {
	const char *name, *text, *wanted;
	struct fabric_port port;
	const char *fabric; /* expected; NULL: none */
	enum err_code code;
	const char *part;
} choices[] = {
	{ "no fabrics",
	  "{\"version\":1}",
	  NULL,
	  { "0000:03:00.0", "x", "ice", "" },
	  NULL,
	  CNI_OK,
	  NULL },
	{ "only one", FABRICS(ANY), NULL, { "", "veth0", "", "" }, "any", CNI_OK, NULL },
	{ "by PCI",
	  FABRICS(A "," B "," C),
	  NULL,
	  { "0000:03:00.0", "x", "igb", "" },
	  "a",
	  CNI_OK,
	  NULL },
	{ "by name",
	  FABRICS(A "," B "," C),
	  NULL,
	  { "0000:04:00.0", "ens1f1", "igb", "" },
	  "b",
	  CNI_OK,
	  NULL },
	{ "by driver",
	  FABRICS(A "," B "," C),
	  NULL,
	  { "0000:04:00.0", "x", "mlx5_core", "" },
	  "c",
	  CNI_OK,
	  NULL },
	{ "the first of two",
	  FABRICS(B "," C),
	  NULL,
	  { "0000:04:00.0", "ens1f0", "ice", "" },
	  "b",
	  CNI_OK,
	  NULL },
	{ "the default of two",
	  DEFAULT("c", B "," C),
	  NULL,
	  { "0000:04:00.0", "ens1f0", "ice", "" },
	  "c",
	  CNI_OK,
	  NULL },
	{ "one that names the port before the default that takes any",
	  DEFAULT("any", ANY "," B),
	  NULL,
	  { "", "ens1f0", "", "" },
	  "b",
	  CNI_OK,
	  NULL },
	{ "one that names the port before a default that does not",
	  DEFAULT("c", B "," C),
	  NULL,
	  { "", "ens1f0", "igb", "" },
	  "b",
	  CNI_OK,
	  NULL },
	{ "the default that takes any",
	  DEFAULT("any", ANY "," B),
	  NULL,
	  { "", "veth0", "", "" },
	  "any",
	  CNI_OK,
	  NULL },
	{ "wanted",
	  FABRICS(B "," C),
	  "c",
	  { "0000:04:00.0", "ens1f0", "ice", "" },
	  "c",
	  CNI_OK,
	  NULL },
	{ "wanted before the default",
	  DEFAULT("c", B "," C),
	  "b",
	  { "", "ens1f0", "ice", "" },
	  "b",
	  CNI_OK,
	  NULL },
	{ "wanted, takes any",
	  FABRICS(ANY "," B),
	  "any",
	  { "", "ens1f0", "", "" },
	  "any",
	  CNI_OK,
	  NULL },
	{ "wanted, unknown",
	  FABRICS(A),
	  "z",
	  { "0000:03:00.0", "x", "ice", "" },
	  NULL,
	  CNI_CONFIG_INVALID,
	  "fabric: \"z\" is not in the node profile" },
	{ "wanted, no profile",
	  "{\"version\":1}",
	  "z",
	  { "", "x", "", "" },
	  NULL,
	  CNI_CONFIG_INVALID,
	  "\"z\"" },
	{ "wanted, port not on it",
	  FABRICS(A "," B),
	  "a",
	  { "0000:04:00.0", "ens1f0", "ice", "" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "port ens1f0 (PCI 0000:04:00.0, driver ice) is not on fabric a" },
	{ "on none",
	  FABRICS(A "," B),
	  NULL,
	  { "", "veth0", "", "" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "port veth0 (PCI none, driver unknown)" },
	{ "not on the default",
	  DEFAULT("c", A "," C),
	  NULL,
	  { "", "veth0", "", "" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "is not on fabric c" },
	{ "not on the only one",
	  FABRICS(B),
	  NULL,
	  { "", "ens2f0", "", "" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "fabrics.b.pfs" },
	/* rails: the fabric follows from the port */
	{ "rail 0",
	  RAILS,
	  NULL,
	  { "0000:3b:00.0", "ens1f0", "mlx5_core", "p0" },
	  "rail0",
	  CNI_OK,
	  NULL },
	{ "rail 1",
	  RAILS,
	  NULL,
	  { "0000:5e:00.0", "ens2f0", "mlx5_core", "p0" },
	  "rail1",
	  CNI_OK,
	  NULL },
	{ "rail 2, by its name",
	  RAILS,
	  NULL,
	  { "0000:86:00.0", "ens3f0np0", "mlx5_core", "p0" },
	  "rail2",
	  CNI_OK,
	  NULL },
	{ "rail 3, by its port name",
	  RAILS,
	  NULL,
	  { "0000:af:00.0", "ens4f0", "mlx5_core", "p7" },
	  "rail3",
	  CNI_OK,
	  NULL },
	{ "the rail that is asked for",
	  RAILS,
	  "rail1",
	  { "0000:5e:00.0", "ens2f0", "mlx5_core", "p0" },
	  "rail1",
	  CNI_OK,
	  NULL },
	{ "another rail than the port's",
	  RAILS,
	  "rail0",
	  { "0000:5e:00.0", "ens2f0", "mlx5_core", "p0" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "port ens2f0 (PCI 0000:5e:00.0, driver mlx5_core) is not on fabric rail0 of the node "
	  "profile" },
	{ "a port of no rail",
	  RAILS,
	  NULL,
	  { "0000:d8:00.0", "ens5f0", "mlx5_core", "p0" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "is not on fabric" },
	{ "a rail before the default one",
	  DEFAULT("rail0", RAIL_0 "," RAIL_1),
	  NULL,
	  { "0000:5e:00.0", "ens2f0", "mlx5_core", "p0" },
	  "rail1",
	  CNI_OK,
	  NULL },
	{ "two that take any, no default",
	  FABRICS(ANY ",\"other\":{}"),
	  NULL,
	  { "", "veth0", "", "" },
	  NULL,
	  ROCE_DEVICE_FORBIDDEN,
	  "veth0" },
};

static void fabric_is_chosen(void **state)
{
	(void)state;
	for_each_row(row, choices)
	{
		struct profile profile;
		const struct fabric *fabric = NULL;
		struct err err = { 0 };
		int r;

		must_load(row->name, row->text, &profile);
		r = profile_fabric(&profile, row->wanted, &row->port, &fabric, &err);
		row_int(row->name, "code", err.code, row->code);
		row_int(row->name, "refused", r < 0, row->code != CNI_OK);
		row_text(row->name, "fabric", fabric ? fabric->name : NULL, row->fabric);
		row_part(row->name, "message", err.msg, row->part);
		profile_free(&profile);
	}
}

/* ---- "pf": "*" ---- */

static const struct {
	const char *name, *text, *wanted;
	const char *fabric; /* expected; NULL: refused */
	const char *part;
} networks[] = {
	{ "by name", FABRICS(A "," B), "b", "b", NULL },
	{ "by name, not the default", DEFAULT("a", A "," B), "b", "b", NULL },
	{ "the default", DEFAULT("b", A "," B), NULL, "b", NULL },
	{ "the only one", FABRICS(A), NULL, "a", NULL },
	{ "unknown", FABRICS(A), "z", NULL, "fabric: \"z\" is not in the node profile" },
	{ "one of two", FABRICS(A "," B), NULL, NULL, "pf: \"*\" is any PF of a fabric" },
	{ "no fabrics", "{\"version\":1}", NULL, NULL, "\"defaultFabric\"" },
};

static void network_means_a_fabric(void **state)
{
	(void)state;
	for_each_row(row, networks)
	{
		struct profile profile;
		const struct fabric *fabric = NULL;
		struct err err = { 0 };
		int r;

		must_load(row->name, row->text, &profile);
		r = profile_network_fabric(&profile, row->wanted, &fabric, &err);
		row_int(row->name, "refused", r < 0, row->fabric == NULL);
		row_int(row->name, "code", err.code, row->fabric ? CNI_OK : CNI_CONFIG_INVALID);
		row_text(row->name, "fabric", fabric ? fabric->name : NULL, row->fabric);
		row_part(row->name, "message", err.msg, row->part);
		profile_free(&profile);
	}
}

static const struct {
	const char *name, *text;
	struct fabric_port port;
	bool on_first;
} ports[] = {
	{ "named", FABRICS(A "," B), { "0000:03:00.0", "x", "", "" }, true },
	{ "not named", FABRICS(A "," B), { "0000:04:00.0", "x", "", "" }, false },
	{ "takes any", FABRICS(ANY "," B), { "0000:04:00.0", "x", "", "" }, true },
	{ "takes any, but another names it", FABRICS(ANY "," B), { "", "ens1f0", "", "" }, false },
	{ "both take any", FABRICS(ANY ",\"other\":{}"), { "", "x", "", "" }, true },
	{ "both name it", FABRICS(B "," C), { "", "ens1f0", "ice", "" }, true },
};

static void port_is_on_the_first(void **state)
{
	(void)state;
	for_each_row(row, ports)
	{
		struct profile profile;

		must_load(row->name, row->text, &profile);
		row_int(row->name, "on the first fabric",
			profile_port_is_on(&profile, &profile.fabrics[0], &row->port),
			row->on_first);
		profile_free(&profile);
	}
}

static void vfs_are_a_set(void **state)
{
	struct profile profile;
	const struct vfset *vfs = &profile.fabrics[0].vfs;
	char in[16] = "";

	(void)state;
	must_load("vfs", VFS("0,\"4-6\",\"9-9\",65534"), &profile);
	for (int i = 0; i < 12; i++)
		strcat(in, vfset_has(vfs, i) ? "x" : ".");
	assert_string_equal(in, "x...xxx..x..");
	assert_true(vfset_has(vfs, 65534));
	profile_free(&profile);
	must_load("no vfs", VFS(""), &profile);
	assert_false(vfset_has(vfs, 0));
	profile_free(&profile);
}

static void a_pf_is_not_allowed_by_itself(void **state)
{
	struct profile profile;

	(void)state;
	must_load("without", "{\"version\":1}", &profile);
	assert_false(profile.allow_pf);
	profile_free(&profile);
	must_load("with", V "\"allowPF\":true}", &profile);
	assert_true(profile.allow_pf);
	profile_free(&profile);
}

/* "" stands for "driver unknown"; a profile must not match it by an empty word. */
static void empty_driver_matches_nothing(void **state)
{
	const struct fabric_port port = { "", "veth0", "", "" };
	const struct fabric *fabric = NULL;
	struct profile profile;
	struct err err = { 0 };

	(void)state;
	if (load(PFS("{\"driver\":\"\"}"), &profile, &err) < 0)
		return; /* refused: just as good */
	profile_fabric(&profile, NULL, &port, &fabric, &err);
	profile_free(&profile);
	if (fabric)
		fail_msg("{\"driver\": \"\"} matches a port whose driver is unknown");
}

static const struct CMUnitTest fixed[] = {
	cmocka_unit_test(example_is_read),
	cmocka_unit_test(least_is_read),
	cmocka_unit_test(forbid_is_read),
	cmocka_unit_test(all_can_be_forbidden),
	cmocka_unit_test(baseline_of_vfs_is_read),
	cmocka_unit_test(waits_are_read),
	cmocka_unit_test(policies_are_read),
	cmocka_unit_test(log_roots_are_read),
	cmocka_unit_test(policy_reader_names_the_path),
	cmocka_unit_test(missing_file_gives_the_defaults),
	cmocka_unit_test(unreadable_file_is_an_error),
	cmocka_unit_test(broken_profile_does_not_stop_a_del),
	cmocka_unit_test(state_dir_decides_durability),
	cmocka_unit_test(too_many_are_refused),
	cmocka_unit_test(fabric_is_chosen),
	cmocka_unit_test(network_means_a_fabric),
	cmocka_unit_test(port_is_on_the_first),
	cmocka_unit_test(vfs_are_a_set),
	cmocka_unit_test(a_pf_is_not_allowed_by_itself),
	cmocka_unit_test(empty_driver_matches_nothing),
};

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(fixed) + ARRAY_SIZE(refused)];

	memcpy(tests, fixed, sizeof(fixed));
	row_tests(tests + ARRAY_SIZE(fixed), "refused", refused, is_refused);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
