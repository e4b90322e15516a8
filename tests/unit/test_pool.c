// SPDX-License-Identifier: Apache-2.0
/* Pools in a real folder: allocation, release, repair, damage, reboot. */
#include "ipam/alloc.h"
#include "ipam/peek.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include "tests/unit/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64];
static bool sharing; /* whether new leases enter the collision domain */

static int make_folder(void **state)
{
	(void)state;
	sharing = false;
	return folder_make(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	return folder_remove(folder);
}

/* ---- short words for long calls ---- */

static const char *at(const char *name)
{
	static char path[4][512];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/n1/%s", folder, name);
	return path[turn];
}

static bool exists(const char *name)
{
	return access(at(name), F_OK) == 0;
}

/* The test's folder; set anew before each use, since children and tests change it. */
static const struct home *home(void)
{
	static struct home here;
	struct err err = { 0 };

	assert_int_equal(home_at(folder, FILE_VOLATILE, &here, &err), 0);
	return &here;
}

static struct pool opened_as(const char *network, enum home_mode mode)
{
	char domain[LEASE_DOMAIN_SIZE];
	struct err err = { 0 };
	struct pool pool;

	if (pool_open(home(), network, mode, file_deadline(2000), &pool, &err) < 0)
		fail_msg("%s", err.msg);
	if (sharing)
		pool_share(&pool, domain_name("", domain));
	return pool;
}

static struct pool opened(enum home_mode mode)
{
	return opened_as("n1", mode);
}

static struct range range_of(const char *text, const char *exclude)
{
	struct range_spec spec = {
		.path = "ipam", .range = text, .exclude = { exclude }, .n_exclude = exclude ? 1 : 0
	};
	struct err err = { 0 };
	struct range range;

	if (range_settle(&spec, (struct inet_addr){ 0 }, &range, &err) < 0)
		fail_msg("%s", err.msg);
	return range;
}

static struct lease holder(const char *id)
{
	struct lease lease = { .ifname = "net1" };

	lease_copy_text(lease.id, sizeof(lease.id), id);
	return lease;
}

/* One want for each range. */
static const struct want *wanted(const struct range *ranges, size_t n)
{
	static struct want wants[LEASE_SLOTS_MAX];

	for (size_t i = 0; i < n; i++)
		wants[i] = (struct want){ .slot = (int)i, .ranges = &ranges[i], .n_ranges = 1 };
	return wants;
}

/* ADD of @id in @network; the addresses, or the error, as one text. */
static const char *add_wants(const char *network, const char *id, const struct want *wants,
			     size_t n)
{
	static char text[1200];
	struct inet_prefix addresses[LEASE_SLOTS_MAX];
	struct pool pool = opened_as(network, HOME_CREATE);
	struct lease owner = holder(id);
	struct err err = { 0 };
	unsigned new;

	text[0] = '\0';
	if (alloc_add(&pool, &owner, wants, n, addresses, &new, &err) < 0)
		snprintf(text, sizeof(text), "%s: %s", err_code_name(err.code), err.msg);
	else
		for (size_t i = 0; i < n; i++) {
			char one[INET_PREFIX_TEXT_SIZE];

			strcat(text, i ? " " : "");
			strcat(text, inet_format_prefix(addresses[i], one));
		}
	pool_close(&pool);
	return text;
}

static const char *add(const char *id, const struct range *ranges, size_t n)
{
	return add_wants("n1", id, wanted(ranges, n), n);
}

static const char *add_in(const char *id, const char *range, const char *exclude)
{
	struct range r = range_of(range, exclude);
	const char *text = add(id, &r, 1);

	range_free(&r);
	return text;
}

static void del(const char *id)
{
	struct pool pool = opened(HOME_EXISTING);
	struct err err = { 0 };

	if (alloc_release(&pool, id, "net1", ALLOC_ALL_SLOTS, &err) < 0)
		fail_msg("%s", err.msg);
	pool_close(&pool);
}

static bool keep_listed(const char *id, const char *ifname, const void *arg)
{
	return strstr(arg, id) && streq(ifname, "net1");
}

static void collect(const char *valid)
{
	struct pool pool = opened(HOME_EXISTING);
	struct err err = { 0 };

	if (alloc_collect(&pool, keep_listed, valid, &err) < 0)
		fail_msg("%s", err.msg);
	pool_close(&pool);
}

static void write_file(const char *name, const char *text)
{
	assert_int_equal(file_write_atomic(AT_FDCWD, at(name), text, strlen(text), FILE_VOLATILE),
			 0);
}

/* Change bytes in place: both names of the record see it. */
static void overwrite(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(file_write_fd(fd, text, strlen(text)), 0);
	close(fd);
}

/* ---- allocation ---- */

/* 22, 24, 26, 28, 30, 32, 34: a fresh pool each */
static void first_addresses(void **state)
{
	static const struct {
		const char *range, *exclude, *want;
	} table[] = {
		{ "192.168.1.1/24", NULL, "192.168.1.1/24" },
		{ "192.168.0.0/29", "192.168.0.0/30", "192.168.0.4/29" },
		{ "192.168.0.0/29", "192.168.0.1", "192.168.0.2/29" },
		{ "2001:db8::/30", "2001:db8::0/32", "2001:db9::/30" },
		{ "192.168.1.11-192.168.1.23/24", NULL, "192.168.1.11/24" },
		{ "192.168.1.5-192.168.1.25/24", NULL, "192.168.1.5/24" },
		{ "192.0.2.0/31", NULL, "192.0.2.0/31" },
		{ "2001:db8::5/128", NULL, "2001:db8::5/128" },
		{ "10.0.0.0/8", "10.0.0.0/9", "10.128.0.0/8" },
		{ "fd00::/64", "fd00::/65", "fd00::8000:0:0:0/64" },
		{ "::/0", "::/1", "8000::/0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_string_equal(add_in("c1", table[i].range, table[i].exclude), table[i].want);
		remove_folder(state);
		make_folder(state);
	}
}

static void lowest_free_first(void **state)
{
	struct range range = range_of("10.56.0.0/29", NULL);

	(void)state;
	assert_string_equal(add("c1", &range, 1), "10.56.0.1/29");
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/29");
	assert_string_equal(add("c3", &range, 1), "10.56.0.3/29");
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/29"); /* again: the same */
	del("c2");
	del("c2");
	assert_string_equal(add("c4", &range, 1), "10.56.0.2/29");
	assert_string_equal(add("c5", &range, 1), "10.56.0.4/29");
	range_free(&range);
}

/* 28 */
static void exhausted(void **state)
{
	struct range range = range_of("192.168.0.0/29", "192.168.0.0/30");
	char want[512];

	(void)state;
	add("c4", &range, 1);
	add("c5", &range, 1);
	assert_string_equal(add("c6", &range, 1), "192.168.0.6/29");
	snprintf(want, sizeof(want),
		 "IPAM_EXHAUSTED: no address is free in range 192.168.0.0/29 (192.168.0.1 .. "
		 "192.168.0.6, 3 excluded): 3 of 3 taken; widen the range or delete unused pods; "
		 "who holds them: ls %s/n1/by-id",
		 folder);
	assert_string_equal(add("c7", &range, 1), want);
	assert_string_equal(add("c5", &range, 1), "192.168.0.5/29");
	del("c5");
	assert_string_equal(add("c7", &range, 1), "192.168.0.5/29");
	range_free(&range);
}

/* Many leases and holes, over several blocks of the map, against the definition of "lowest". */
static void lowest_of_many(void **state)
{
	enum { N = 10000 };
	static bool taken[N + 1];
	struct range range = range_of("10.56.0.0/16", NULL);
	struct inet_prefix address;
	struct pool pool = opened(HOME_CREATE);
	struct err err = { 0 };
	unsigned new, seed = 7;
	char id[16];

	(void)state;
	for (int i = 1; i <= N; i++) {
		struct lease owner = { .ifname = "net1" };

		snprintf(owner.id, sizeof(owner.id), "c%d", i);
		assert_int_equal(alloc_add(&pool, &owner, wanted(&range, 1), 1, &address, &new, &err), 0);
		assert_int_equal(address.addr.num & 0xffff, i);
		taken[i] = true;
	}
	for (int i = 0; i < N / 2; i++) {
		int n = 1 + rand_r(&seed) % N;

		snprintf(id, sizeof(id), "c%d", n);
		assert_int_equal(alloc_release(&pool, id, "net1", 1, &err), 0);
		taken[n] = false;
	}
	pool_close(&pool);
	pool = opened(HOME_EXISTING);
	for (int want = 1; want <= N; want++) {
		struct lease owner = { .ifname = "net1" };

		if (taken[want])
			continue;
		snprintf(owner.id, sizeof(owner.id), "d%d", want);
		assert_int_equal(alloc_add(&pool, &owner, wanted(&range, 1), 1, &address, &new, &err), 0);
		assert_int_equal(address.addr.num & 0xffff, want);
	}
	assert_false(pool.map.rebuilt);
	pool_close(&pool);
	range_free(&range);
}

/* ---- several ranges ---- */

static void dual_stack(void **state)
{
	struct range ranges[] = { range_of("10.56.0.0/30", NULL), range_of("fd00::/126", NULL) };

	(void)state;
	assert_string_equal(add("c1", ranges, 2), "10.56.0.1/30 fd00::1/126");
	assert_string_equal(add("c1", ranges, 2), "10.56.0.1/30 fd00::1/126");
	assert_true(exists("by-id/c1:net1:0"));
	assert_true(exists("by-id/c1:net1:1"));
	del("c1");
	assert_false(exists("10.56.0.1"));
	assert_false(exists("fd00::1"));
	range_free(&ranges[0]);
	range_free(&ranges[1]);
}

/* 80: the second range is full, so the first is given back; DEL takes what there is */
static void all_or_nothing(void **state)
{
	struct range ranges[] = { range_of("10.56.0.0/24", NULL), range_of("fd00::1/128", NULL) };

	(void)state;
	assert_string_equal(add("c1", ranges, 2), "10.56.0.1/24 fd00::1/128");
	assert_memory_equal(add("c2", ranges, 2), "IPAM_EXHAUSTED", 14);
	assert_false(exists("10.56.0.2"));
	assert_false(exists("by-id/c2:net1:0"));
	/* what was held before a failing ADD is kept */
	assert_string_equal(add("c3", ranges, 1), "10.56.0.2/24");
	assert_memory_equal(add("c3", ranges, 2), "IPAM_EXHAUSTED", 14);
	assert_true(exists("10.56.0.2"));
	del("c3");
	assert_false(exists("10.56.0.2"));
	unlink(at("by-id/c1:net1:0"));
	del("c1");
	assert_false(exists("fd00::1"));
	range_free(&ranges[0]);
	range_free(&ranges[1]);
}

/* The same range twice gives two addresses. */
static void same_range_twice(void **state)
{
	struct range ranges[] = { range_of("10.56.0.0/30", NULL), range_of("10.56.0.0/30", NULL) };

	(void)state;
	assert_string_equal(add("c1", ranges, 2), "10.56.0.1/30 10.56.0.2/30");
	range_free(&ranges[0]);
	range_free(&ranges[1]);
}

/* ---- the map ---- */

static void map_may_vanish_or_lie(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	add("c1", &range, 1);
	add("c2", &range, 1);
	add("c3", &range, 1);
	unlink(at("map"));
	assert_string_equal(add("c4", &range, 1), "10.56.0.4/24");
	overwrite("map", "garbage");
	assert_string_equal(add("c5", &range, 1), "10.56.0.5/24");
	/* removed by hand: the folder's time tells, a tick of its clock later */
	usleep(20000);
	unlink(at("10.56.0.2"));
	assert_string_equal(add("c6", &range, 1), "10.56.0.2/24");
	/* made by hand */
	usleep(20000);
	write_file("10.56.0.6", "mine");
	assert_string_equal(add("c7", &range, 1), "10.56.0.7/24");
	range_free(&range);
}

/* Bits that lie although the stamp fits: no address is given twice, none is lost for ever. */
static void map_that_lies_under_a_good_stamp(void **state)
{
	struct range range = range_of("10.56.0.0/30", NULL);
	struct pool pool;

	(void)state;
	add("c1", &range, 1);
	pool = opened(HOME_EXISTING);
	assert_true(addrmap_load(&pool.map, pool.home->boot));
	addrmap_clear(&pool.map, range_addr(&range, range.first));
	pool_close(&pool);
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/30");
	del("c2");
	pool = opened(HOME_EXISTING);
	assert_true(addrmap_load(&pool.map, pool.home->boot));
	addrmap_set(&pool.map, range_addr(&range, range.last));
	pool_close(&pool);
	assert_string_equal(add("c3", &range, 1), "10.56.0.2/30");
	range_free(&range);
}

/* ---- what killed processes and people leave ---- */

static void pending_is_taken_back(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	add("c1", &range, 1);
	/* 1 name: only written */
	write_file("pending", "roce-ip");
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/24");
	assert_false(exists("pending"));
	/* 2 names: the address is linked, by-id not */
	assert_int_equal(link(at("10.56.0.2"), at("pending")), 0);
	unlink(at("by-id/c2:net1:0"));
	assert_string_equal(add("c3", &range, 1), "10.56.0.2/24");
	assert_false(exists("pending"));
	/* 2 names and no readable text */
	assert_int_equal(link(at("10.56.0.2"), at("pending")), 0);
	unlink(at("by-id/c3:net1:0"));
	overwrite("pending", "");
	assert_string_equal(add("c4", &range, 1), "10.56.0.2/24");
	/* 3 names: complete */
	assert_int_equal(link(at("10.56.0.2"), at("pending")), 0);
	assert_string_equal(add("c5", &range, 1), "10.56.0.3/24");
	assert_string_equal(add("c4", &range, 1), "10.56.0.2/24");
	assert_false(exists("pending"));
	range_free(&range);
}

/* A DEL killed between its two unlinks; meanwhile the address went to somebody else. */
static void stale_by_id(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	add("c1", &range, 1);
	unlink(at("10.56.0.1"));
	assert_string_equal(add("c2", &range, 1), "10.56.0.1/24");
	del("c1");
	assert_false(exists("by-id/c1:net1:0"));
	assert_true(exists("10.56.0.1"));
	unlink(at("10.56.0.1"));
	assert_string_equal(add("c2", &range, 1), "10.56.0.1/24");
	range_free(&range);
}

static void by_id_lost(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	add("c1", &range, 1);
	add("c2", &range, 1);
	unlink(at("by-id/c1:net1:0"));
	unlink(at("by-id/c2:net1:0"));
	rmdir(at("by-id"));
	del("c1");
	assert_false(exists("10.56.0.1"));
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/24");
	/* one name only: GC mends it */
	unlink(at("by-id/c2:net1:0"));
	collect("c2");
	assert_true(exists("by-id/c2:net1:0"));
	range_free(&range);
}

/* A store restored from a copy has no hard links, but it says who holds what. */
static void copied_store(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	char text[2048];
	int fd, len;

	(void)state;
	add("c1", &range, 1);
	fd = open(at("10.56.0.1"), O_RDONLY);
	len = (int)read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len] = '\0';
	unlink(at("10.56.0.1"));
	write_file("10.56.0.1", text);
	assert_string_equal(add("c1", &range, 1), "10.56.0.1/24");
	del("c1");
	assert_false(exists("10.56.0.1"));
	range_free(&range);
}

/* 74 */
static void damaged_records(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	add("c1", &range, 1);
	add("c2", &range, 1);
	add("c3", &range, 1);
	overwrite("10.56.0.1", "");
	overwrite("10.56.0.2", "roce-ipam 1\nnetwork n");
	assert_string_equal(add("c4", &range, 1), "10.56.0.4/24");
	assert_string_equal(add("c3", &range, 1), "10.56.0.3/24");
	/* GC cannot tell whose they are: they stay */
	collect("c3 c4");
	assert_true(exists("10.56.0.1"));
	/* their holders can: DEL releases, ADD replaces */
	del("c1");
	assert_false(exists("10.56.0.1"));
	assert_false(exists("by-id/c1:net1:0"));
	assert_string_equal(add("c2", &range, 1), "10.56.0.1/24");
	assert_false(exists("10.56.0.2"));
	range_free(&range);
}

static void damaged_record_is_an_error_to_find(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	struct lease lease;
	struct err err = { 0 };
	struct pool pool;
	char want[512];

	(void)state;
	add("c1", &range, 1);
	overwrite("10.56.0.1", "");
	pool = opened(HOME_EXISTING);
	assert_int_equal(pool_find(&pool, "c1", "net1", 0, &lease, &err), -EBADMSG);
	snprintf(want, sizeof(want),
		 "%s/n1/by-id/c1:net1:0: damaged lease record: the file is empty", folder);
	assert_string_equal(err.msg, want);
	pool_close(&pool);
	range_free(&range);
}

/* ---- boots and nodes ---- */

static void rewrite_record(const char *name, const char *boot, const char *node)
{
	char text[LEASE_TEXT_MAX];
	struct err err = { 0 };
	struct lease lease;
	int fd = open(at(name), O_RDONLY);
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[len] = '\0';
	assert_int_equal(lease_parse(text, len, &lease, &err), 0);
	if (boot)
		lease_copy_text(lease.boot, sizeof(lease.boot), boot);
	if (node)
		lease_copy_text(lease.node, sizeof(lease.node), node);
	lease_format(&lease, text);
	overwrite(name, text);
}

/* 76: a full range takes back what an earlier boot left, of this node only */
static void reboot(void **state)
{
	struct range range = range_of("10.56.0.0/29", "10.56.0.6");

	(void)state;
	add("c1", &range, 1);
	add("c2", &range, 1);
	add("c3", &range, 1);
	add("c4", &range, 1);
	rewrite_record("10.56.0.2", "an-earlier-boot", NULL);
	rewrite_record("10.56.0.3", "an-earlier-boot", "another-node");
	/* never while there are others */
	assert_string_equal(add("c5", &range, 1), "10.56.0.5/29");
	assert_string_equal(add("c6", &range, 1), "10.56.0.2/29");
	assert_memory_equal(add("c7", &range, 1), "IPAM_EXHAUSTED", 14);
	assert_true(exists("10.56.0.3"));
	range_free(&range);
}

/* The same container after a reboot: the same address, under the new boot. */
static void restarted_container(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	struct lease lease;
	struct err err = { 0 };
	struct pool pool;

	(void)state;
	add("c1", &range, 1);
	add("c2", &range, 1);
	rewrite_record("10.56.0.2", "an-earlier-boot", NULL);
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/24");
	pool = opened(HOME_EXISTING);
	assert_int_equal(pool_find(&pool, "c2", "net1", 0, &lease, &err), 1);
	assert_string_equal(lease.boot, pool.home->boot);
	pool_close(&pool);
	range_free(&range);
}

/* 78 */
static void collection(void **state)
{
	struct range ranges[] = { range_of("10.56.0.0/24", NULL), range_of("fd00::/64", NULL) };

	(void)state;
	add("c1", ranges, 2);
	add("c2", ranges, 2);
	add("c3", ranges, 2);
	rewrite_record("10.56.0.3", NULL, "another-node");
	collect("c1");
	assert_true(exists("10.56.0.1"));
	assert_true(exists("fd00::1"));
	assert_false(exists("10.56.0.2"));
	assert_false(exists("fd00::2"));
	assert_false(exists("by-id/c2:net1:1"));
	assert_true(exists("10.56.0.3"));
	assert_false(exists("fd00::3"));
	collect("");
	assert_false(exists("10.56.0.1"));
	assert_true(exists("10.56.0.3"));
	assert_true(exists("lock"));
	assert_true(exists("map"));
	range_free(&ranges[0]);
	range_free(&ranges[1]);
}

/* ---- several networks, one collision domain ---- */

/* A path below the test's folder, of any network or domain. */
static const char *in(const char *name)
{
	static char path[4][512];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static bool there(const char *name)
{
	return access(in(name), F_OK) == 0;
}

static const char *add_net(const char *network, const char *id, const struct range *range)
{
	return add_wants(network, id, wanted(range, 1), 1);
}

static void del_net(const char *network, const char *id)
{
	struct pool pool = opened_as(network, HOME_EXISTING);
	struct err err = { 0 };

	if (alloc_release(&pool, id, "net1", ALLOC_ALL_SLOTS, &err) < 0)
		fail_msg("%s", err.msg);
	pool_close(&pool);
}

/* 42 */
static void no_address_twice_in_a_domain(void **state)
{
	struct range wide = range_of("192.168.22.0/24", NULL);
	struct range narrow = range_of("192.168.22.0/28", NULL);

	(void)state;
	sharing = true;
	assert_string_equal(add_net("n1", "c1", &wide), "192.168.22.1/24");
	assert_string_equal(add_net("n2", "c1", &narrow), "192.168.22.2/28");
	assert_string_equal(add_net("n1", "c2", &wide), "192.168.22.3/24");
	assert_true(there(".domain/192.168.22.2"));
	/* a network that opted out neither looks nor reserves */
	sharing = false;
	assert_string_equal(add_net("n3", "c1", &narrow), "192.168.22.1/28");
	sharing = true;
	/* what it holds in its own pool counts all the same */
	assert_string_equal(add_net("n3", "c2", &narrow), "192.168.22.4/28");
	del_net("n1", "c1");
	assert_false(there(".domain/192.168.22.1"));
	assert_string_equal(add_net("n2", "c2", &narrow), "192.168.22.1/28");
	del_net("n3", "c1");
	assert_true(there("n2/192.168.22.1"));
	assert_true(there(".domain/192.168.22.1"));
	range_free(&wide);
	range_free(&narrow);
}

/* What a dry run shows is what the next ADD gives. */
static void peeked_in_a_domain(void **state)
{
	struct range range = range_of("10.56.0.0/29", NULL);
	struct inet_addr addr;
	char text[INET_TEXT_SIZE];

	(void)state;
	assert_int_equal(peek_first_free(in("n1"), ".domain", &range, &addr), 1);
	assert_string_equal(inet_format(addr, text), "10.56.0.1");
	sharing = true;
	add_net("n1", "c1", &range);
	add_net("n2", "c2", &range);
	add_net("n1", "c3", &range);
	del_net("n1", "c1");
	add_net("n2", "c4", &range);
	assert_int_equal(peek_first_free(in("n1"), ".domain", &range, &addr), 1);
	assert_string_equal(inet_format(addr, text), "10.56.0.4");
	assert_string_equal(add_net("n1", "c5", &range), "10.56.0.4/29");
	assert_int_equal(peek_first_free(in("n2"), NULL, &range, &addr), 1);
	assert_string_equal(inet_format(addr, text), "10.56.0.3");
	add_net("n1", "c6", &range);
	add_net("n2", "c7", &range);
	assert_int_equal(peek_first_free(in("n1"), ".domain", &range, &addr), 0);
	range_free(&range);
}

static void others_fill_the_range(void **state)
{
	struct range range = range_of("10.56.0.0/30", NULL);
	char want[512];

	(void)state;
	sharing = true;
	add_net("n1", "c1", &range);
	add_net("n2", "c2", &range);
	snprintf(want, sizeof(want),
		 "IPAM_EXHAUSTED: no address is free in range 10.56.0.0/30 (10.56.0.1 .. 10.56.0.2, 0 "
		 "excluded): 2 of 2 taken; widen the range or delete unused pods; who holds them: ls "
		 "%s/n1/by-id; some are held by other networks: ls %s/.domain",
		 folder, folder);
	assert_string_equal(add_net("n1", "c3", &range), want);
	del_net("n2", "c2");
	assert_string_equal(add_net("n1", "c3", &range), "10.56.0.2/30");
	range_free(&range);
}

/* Names that no lease stands behind are found before a range is called full. */
static void orphans_in_a_domain(void **state)
{
	struct range range = range_of("10.56.0.0/29", NULL);

	(void)state;
	sharing = true;
	for (int i = 1; i <= 6; i++) {
		char id[8];

		snprintf(id, sizeof(id), "c%d", i);
		add_net(i % 2 ? "n1" : "n2", id, &range);
	}
	/* the administrator frees one by hand; by-id and domain have it still */
	unlink(in("n1/10.56.0.3"));
	/* and a whole network */
	assert_int_equal(rename(in("n2"), in("gone")), 0);
	assert_string_equal(add_net("n1", "d1", &range), "10.56.0.2/29");
	assert_string_equal(add_net("n1", "d2", &range), "10.56.0.3/29");
	assert_string_equal(add_net("n2", "d3", &range), "10.56.0.4/29");
	assert_true(there(".domain/10.56.0.1"));
	assert_true(there(".domain/10.56.0.5"));
	/* its DEL finds the address with somebody else */
	del_net("n1", "c3");
	assert_true(there("n1/10.56.0.3"));
	assert_true(there(".domain/10.56.0.3"));
	range_free(&range);
}

/* Every state that a kill leaves while a record with four names comes in. */
static void pending_in_a_domain(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	static const struct {
		bool domain, address, by_id;
		const char *next; /* what another container gets then */
	} kills[] = {
		{ false, false, false, "10.56.0.1/24" },
		{ true, false, false, "10.56.0.1/24" },
		{ true, true, false, "10.56.0.1/24" },
		{ true, true, true, "10.56.0.2/24" },
	};

	(void)state;
	sharing = true;
	for (size_t i = 0; i < ARRAY_SIZE(kills); i++) {
		add_net("n1", "c1", &range);
		assert_int_equal(link(in("n1/10.56.0.1"), in("n1/pending")), 0);
		if (!kills[i].by_id)
			unlink(in("n1/by-id/c1:net1:0"));
		if (!kills[i].address)
			unlink(in("n1/10.56.0.1"));
		if (!kills[i].domain)
			unlink(in(".domain/10.56.0.1"));
		assert_string_equal(add_net("n1", "c2", &range), kills[i].next);
		assert_false(there("n1/pending"));
		assert_int_equal(there("n1/by-id/c1:net1:0"), kills[i].by_id);
		del_net("n1", "c1");
		del_net("n1", "c2");
		assert_false(there(".domain/10.56.0.1"));
		assert_false(there(".domain/10.56.0.2"));
	}
	range_free(&range);
}

/* A DEL killed between address and domain, and between domain and by-id. */
static void half_released_in_a_domain(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	sharing = true;
	for (int domain = 0; domain < 2; domain++) {
		add_net("n1", "c1", &range);
		unlink(in("n1/10.56.0.1"));
		if (domain)
			unlink(in(".domain/10.56.0.1"));
		assert_string_equal(add_net("n1", "c1", &range), "10.56.0.1/24");
		unlink(in("n1/10.56.0.1"));
		if (domain)
			unlink(in(".domain/10.56.0.1"));
		del_net("n1", "c1");
		assert_false(there(".domain/10.56.0.1"));
		assert_false(there("n1/by-id/c1:net1:0"));
		assert_string_equal(add_net("n2", "c2", &range), "10.56.0.1/24");
		del_net("n2", "c2");
	}
	range_free(&range);
}

/* GC: a lost name in the domain is restored, one too many is dropped. */
static void mended_domain(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	sharing = true;
	add_net("n1", "c1", &range);
	add_net("n1", "c2", &range);
	add_net("n1", "c3", &range);
	unlink(in(".domain/10.56.0.1"));
	unlink(in("n1/10.56.0.2"));
	collect("c1 c2 c3");
	assert_true(there(".domain/10.56.0.1"));
	assert_false(there(".domain/10.56.0.2"));
	assert_false(there("n1/by-id/c2:net1:0"));
	assert_true(there(".domain/10.56.0.3"));
	/* all of it removed by hand, under a new map */
	unlink(in(".domain/10.56.0.1"));
	unlink(in(".domain/10.56.0.3"));
	unlink(in(".domain/map"));
	unlink(in(".domain/lock"));
	assert_int_equal(rmdir(in(".domain")), 0);
	collect("c1 c3");
	assert_true(there(".domain/10.56.0.1"));
	assert_string_equal(add_net("n2", "c9", &range), "10.56.0.2/24");
	collect("");
	assert_false(there(".domain/10.56.0.1"));
	assert_false(there(".domain/10.56.0.3"));
	assert_true(there(".domain/10.56.0.2"));
	range_free(&range);
}

/* Another network's lease of an earlier boot is in nobody's way. */
static void earlier_boot_in_a_domain(void **state)
{
	struct range range = range_of("10.56.0.0/30", NULL);

	(void)state;
	sharing = true;
	add_net("n2", "c1", &range);
	add_net("n1", "c2", &range);
	{
		char text[LEASE_TEXT_MAX];
		struct err err = { 0 };
		struct lease lease;
		int fd = open(in("n2/10.56.0.1"), O_RDONLY);
		ssize_t len = read(fd, text, sizeof(text) - 1);

		close(fd);
		assert_int_equal(lease_parse(text, len, &lease, &err), 0);
		lease_copy_text(lease.boot, sizeof(lease.boot), "an-earlier-boot");
		lease_format(&lease, text);
		fd = open(in("n2/10.56.0.1"), O_WRONLY | O_TRUNC);
		assert_int_equal(write(fd, text, strlen(text)), strlen(text));
		close(fd);
	}
	assert_string_equal(add_net("n1", "c3", &range), "10.56.0.1/30");
	/* its own container starts again: there is no address now, and nothing is given twice */
	assert_memory_equal(add_net("n2", "c1", &range), "IPAM_EXHAUSTED", 14);
	del_net("n1", "c2");
	assert_string_equal(add_net("n2", "c1", &range), "10.56.0.2/30");
	assert_true(there("n1/10.56.0.1"));
	range_free(&range);
}

/* The network changed its domain while a container was running. */
static void changed_domain(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	char domain[LEASE_DOMAIN_SIZE];
	struct err err = { 0 };
	struct pool pool;

	(void)state;
	sharing = true;
	add_net("n1", "c1", &range);
	pool = opened_as("n1", HOME_EXISTING);
	pool_share(&pool, domain_name("blue", domain));
	{
		struct inet_prefix address;
		struct lease owner = holder("c2");
		unsigned new;

		assert_int_equal(alloc_add(&pool, &owner, wanted(&range, 1), 1, &address, &new, &err), 0);
		assert_int_equal(address.addr.num & 0xff, 2);
		assert_int_equal(alloc_release(&pool, "c1", "net1", ALLOC_ALL_SLOTS, &err), 0);
	}
	pool_close(&pool);
	assert_false(there(".domain/10.56.0.1"));
	assert_true(there(".domain.blue/10.56.0.2"));
	del_net("n1", "c2");
	assert_false(there(".domain.blue/10.56.0.2"));
	range_free(&range);
}

/* 64 KiB of neighbours: the domain's map is as good as the pool's. */
static void lowest_of_many_in_a_domain(void **state)
{
	enum { N = 6000 };
	struct range range = range_of("10.56.0.0/16", NULL);
	struct pool pool;

	(void)state;
	sharing = true;
	for (int net = 1; net <= 2; net++) {
		pool = opened_as(net == 1 ? "n1" : "n2", HOME_CREATE);
		for (int i = 1; i <= N; i++) {
			struct lease owner = { .ifname = "net1" };
			struct inet_prefix address;
			struct err err = { 0 };
			unsigned new;

			snprintf(owner.id, sizeof(owner.id), "c%d", i);
			assert_int_equal(alloc_add(&pool, &owner, wanted(&range, 1), 1, &address, &new,
						   &err),
					 0);
			assert_int_equal(address.addr.num & 0xffff, (net - 1) * N + i);
		}
		pool_close(&pool);
	}
	del_net("n1", "c77");
	pool = opened_as("n2", HOME_EXISTING);
	{
		struct lease owner = { .id = "d1", .ifname = "net1" };
		struct inet_prefix address;
		struct err err = { 0 };
		unsigned new;

		assert_int_equal(alloc_add(&pool, &owner, wanted(&range, 1), 1, &address, &new, &err), 0);
		assert_int_equal(address.addr.num & 0xffff, 77);
		assert_false(pool.map.rebuilt);
		assert_false(pool.domain.map.rebuilt);
	}
	pool_close(&pool);
	range_free(&range);
}

/* ---- addresses that are asked for ---- */

static const struct want *exactly(const struct range *range, int slot, const char *address)
{
	static struct want want;

	want = (struct want){ .slot = slot, .ranges = range, .n_ranges = range ? 1 : 0 };
	snprintf(want.path, sizeof(want.path), range ? "runtimeConfig.ips[0]" :
						       "ipam.addresses[0].address");
	assert_int_equal(inet_parse_prefix(address, &want.exact), 0);
	return &want;
}

static void requested(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	sharing = true;
	assert_string_equal(add_wants("n1", "c1", exactly(&range, 0, "10.56.0.9/24"), 1), "10.56.0.9/24");
	assert_string_equal(add_wants("n1", "c1", exactly(&range, 0, "10.56.0.9/24"), 1), "10.56.0.9/24");
	assert_string_equal(add("c1", &range, 1), "10.56.0.9/24");
	assert_string_equal(add_wants("n1", "c1", exactly(&range, 0, "10.56.0.8/24"), 1),
			    "CONFIG_INVALID: runtimeConfig.ips[0]: 10.56.0.8 is asked for, but container "
			    "c1, interface net1 has 10.56.0.9 already: delete it first");
	for (int net = 1; net <= 2; net++) {
		const char *text = add_wants(net == 1 ? "n1" : "n2", "c2",
					     exactly(&range, 0, "10.56.0.9/24"), 1);
		const char want[] = "IPAM_EXHAUSTED: runtimeConfig.ips[0]: 10.56.0.9 is taken by container "
				    "c1, interface net1, of network n1 on node ";

		assert_memory_equal(text, want, sizeof(want) - 1);
	}
	/* nobody's any more: an orphan in the domain */
	unlink(in("n1/10.56.0.9"));
	assert_string_equal(add_wants("n2", "c2", exactly(&range, 0, "10.56.0.9/24"), 1), "10.56.0.9/24");
	range_free(&range);
}

static void requested_of_an_earlier_boot(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);

	(void)state;
	for (int i = 0; i < 2; i++) {
		sharing = i == 1;
		add_wants("n1", "c1", exactly(&range, 0, "10.56.0.9/24"), 1);
		rewrite_record("10.56.0.9", "an-earlier-boot", "another-node");
		assert_memory_equal(add_wants("n1", "c2", exactly(&range, 0, "10.56.0.9/24"), 1),
				    "IPAM_EXHAUSTED", 14);
		rewrite_record("10.56.0.9", "an-earlier-boot", home()->node);
		assert_string_equal(add_wants("n1", "c2", exactly(&range, 0, "10.56.0.9/24"), 1),
				    "10.56.0.9/24");
		del("c2");
		del("c1");
		assert_false(exists("10.56.0.9"));
		assert_false(there(".domain/10.56.0.9"));
	}
	range_free(&range);
}

/* The same static address for a second pod: refused, and nothing of the rest is kept. */
static void static_address_twice(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	struct want wants[2];

	(void)state;
	sharing = true;
	wants[0] = wanted(&range, 1)[0];
	wants[1] = *exactly(NULL, LEASE_RANGES_MAX, "10.9.0.1/16");
	assert_string_equal(add_wants("n1", "c1", wants, 2), "10.56.0.1/24 10.9.0.1/16");
	assert_string_equal(add_wants("n1", "c1", wants, 2), "10.56.0.1/24 10.9.0.1/16");
	assert_true(exists("by-id/c1:net1:8"));
	assert_memory_equal(add_wants("n1", "c2", wants, 2),
			    "IPAM_EXHAUSTED: ipam.addresses[0].address: 10.9.0.1 is taken by container c1, ",
			    78);
	assert_false(exists("10.56.0.2"));
	assert_false(there(".domain/10.56.0.2"));
	assert_false(exists("by-id/c2:net1:0"));
	del("c1");
	assert_false(there(".domain/10.9.0.1"));
	assert_string_equal(add_wants("n1", "c2", wants, 2), "10.56.0.1/24 10.9.0.1/16");
	range_free(&range);
}

/* A set gives of its second range once the first is full. */
static void set_of_ranges(void **state)
{
	struct range ranges[] = { range_of("10.1.0.0/30", NULL), range_of("10.2.0.0/25", NULL) };
	const struct want set = { .ranges = ranges, .n_ranges = 2 };

	(void)state;
	assert_string_equal(add_wants("n1", "c1", &set, 1), "10.1.0.1/30");
	assert_string_equal(add_wants("n1", "c2", &set, 1), "10.1.0.2/30");
	assert_string_equal(add_wants("n1", "c3", &set, 1), "10.2.0.1/25");
	del("c1");
	assert_string_equal(add_wants("n1", "c4", &set, 1), "10.1.0.1/30");
	range_free(&ranges[1]);
	ranges[1] = range_of("10.1.0.0/30", NULL);
	assert_non_null(strstr(add_wants("n1", "c5", &set, 1),
			       "0 excluded) and the 1 others of its set: 2 of 2 taken;"));
	range_free(&ranges[0]);
	range_free(&ranges[1]);
}

/* ---- locking ---- */

/* 82 and the deadline */
static void lock(void **state)
{
	struct pool holding, waiting;
	struct err err = { 0 };
	char want[512];

	(void)state;
	holding = opened(HOME_CREATE);
	assert_int_equal(pool_open(home(), "n1", HOME_CREATE, file_deadline(50), &waiting, &err),
			 -ETIMEDOUT);
	assert_int_equal(err.code, CNI_TRY_AGAIN);
	snprintf(want, sizeof(want),
		 "address pool %s/n1: lock lock is still held by process %d; try again, or see "
		 "what that process waits for",
		 folder, getpid());
	assert_string_equal(err.msg, want);
	pool_close(&holding);
	waiting = opened(HOME_EXISTING);
	pool_close(&waiting);
}

static void no_pool(void **state)
{
	struct err err = { 0 };
	struct pool pool;

	(void)state;
	assert_int_equal(pool_open(home(), "n1", HOME_EXISTING, file_deadline(50), &pool, &err),
			 -ENOENT);
	assert_false(err_is_set(&err));
	assert_false(exists(""));
}

/* The folder is removed while somebody waits for its lock: the waiter works in the new one. */
static void folder_replaced(void **state)
{
	struct range range = range_of("10.56.0.0/24", NULL);
	int held[2], status = 1;
	struct pool holding;
	char old[512];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(held), 0);
	pid = fork(); /* before the lock: a child would share it */
	if (pid == 0) {
		char byte;

		_exit(read(held[0], &byte, 1) == 1 && streq(add("c1", &range, 1), "10.56.0.1/24")
			      ? 0
			      : 1);
	}
	holding = opened(HOME_CREATE);
	assert_int_equal(write(held[1], "", 1), 1);
	usleep(100000); /* the child waits for the lock by now; if not, the test proves less */
	snprintf(old, sizeof(old), "%s/old", folder);
	assert_int_equal(rename(at(""), old), 0);
	pool_close(&holding);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(exists("10.56.0.1"));
	close(held[0]);
	close(held[1]);
	range_free(&range);
}

#define pool_test(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		pool_test(first_addresses),
		pool_test(lowest_free_first),
		pool_test(exhausted),
		pool_test(lowest_of_many),
		pool_test(dual_stack),
		pool_test(all_or_nothing),
		pool_test(same_range_twice),
		pool_test(map_may_vanish_or_lie),
		pool_test(map_that_lies_under_a_good_stamp),
		pool_test(pending_is_taken_back),
		pool_test(stale_by_id),
		pool_test(by_id_lost),
		pool_test(copied_store),
		pool_test(damaged_records),
		pool_test(damaged_record_is_an_error_to_find),
		pool_test(reboot),
		pool_test(restarted_container),
		pool_test(collection),
		pool_test(no_address_twice_in_a_domain),
		pool_test(peeked_in_a_domain),
		pool_test(others_fill_the_range),
		pool_test(orphans_in_a_domain),
		pool_test(pending_in_a_domain),
		pool_test(half_released_in_a_domain),
		pool_test(mended_domain),
		pool_test(earlier_boot_in_a_domain),
		pool_test(changed_domain),
		pool_test(lowest_of_many_in_a_domain),
		pool_test(requested),
		pool_test(requested_of_an_earlier_boot),
		pool_test(static_address_twice),
		pool_test(set_of_ranges),
		pool_test(lock),
		pool_test(no_pool),
		pool_test(folder_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
