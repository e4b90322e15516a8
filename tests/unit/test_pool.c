// SPDX-License-Identifier: Apache-2.0
/* Pools in a real folder: allocation, release, repair, damage, reboot. */
#include "ipam/alloc.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_pool.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
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

static struct pool opened(enum pool_mode mode)
{
	struct err err = { 0 };
	struct pool pool;

	if (pool_open(at(""), "n1", mode, FILE_VOLATILE, file_deadline(2000), &pool, &err) < 0)
		fail_msg("%s", err.msg);
	return pool;
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

/* ADD of @id; the addresses, or the error, as one text. */
static const char *add(const char *id, const struct range *ranges, size_t n)
{
	static char text[1200];
	struct inet_prefix addresses[LEASE_RANGES_MAX];
	struct pool pool = opened(POOL_CREATE);
	struct lease owner = holder(id);
	struct err err = { 0 };
	unsigned new;

	text[0] = '\0';
	if (alloc_add(&pool, &owner, ranges, n, addresses, &new, &err) < 0)
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

static const char *add_in(const char *id, const char *range, const char *exclude)
{
	struct range r = range_of(range, exclude);
	const char *text = add(id, &r, 1);

	range_free(&r);
	return text;
}

static void del(const char *id)
{
	struct pool pool = opened(POOL_EXISTING);
	struct err err = { 0 };

	if (alloc_release(&pool, id, "net1", ALLOC_ALL_RANGES, &err) < 0)
		fail_msg("%s", err.msg);
	pool_close(&pool);
}

static bool keep_listed(const char *id, const char *ifname, const void *arg)
{
	return strstr(arg, id) && streq(ifname, "net1");
}

static void collect(const char *valid)
{
	struct pool pool = opened(POOL_EXISTING);
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
		 "who holds them: ls %s/n1//by-id",
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
	struct pool pool = opened(POOL_CREATE);
	struct err err = { 0 };
	unsigned new, seed = 7;
	char id[16];

	(void)state;
	for (int i = 1; i <= N; i++) {
		struct lease owner = { .ifname = "net1" };

		snprintf(owner.id, sizeof(owner.id), "c%d", i);
		assert_int_equal(alloc_add(&pool, &owner, &range, 1, &address, &new, &err), 0);
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
	pool = opened(POOL_EXISTING);
	for (int want = 1; want <= N; want++) {
		struct lease owner = { .ifname = "net1" };

		if (taken[want])
			continue;
		snprintf(owner.id, sizeof(owner.id), "d%d", want);
		assert_int_equal(alloc_add(&pool, &owner, &range, 1, &address, &new, &err), 0);
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
	pool = opened(POOL_EXISTING);
	assert_true(addrmap_load(&pool.map, pool.boot));
	addrmap_clear(&pool.map, range_addr(&range, range.first));
	pool_close(&pool);
	assert_string_equal(add("c2", &range, 1), "10.56.0.2/30");
	del("c2");
	pool = opened(POOL_EXISTING);
	assert_true(addrmap_load(&pool.map, pool.boot));
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
	pool = opened(POOL_EXISTING);
	assert_int_equal(pool_find(&pool, "c1", "net1", 0, &lease, &err), -EBADMSG);
	snprintf(want, sizeof(want),
		 "%s/n1//by-id/c1:net1:0: damaged lease record: the file is empty", folder);
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
	pool = opened(POOL_EXISTING);
	assert_int_equal(pool_find(&pool, "c2", "net1", 0, &lease, &err), 1);
	assert_string_equal(lease.boot, pool.boot);
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

/* ---- locking ---- */

/* 82 and the deadline */
static void lock(void **state)
{
	struct pool holding, waiting;
	struct err err = { 0 };
	char want[512];

	(void)state;
	holding = opened(POOL_CREATE);
	assert_int_equal(pool_open(at(""), "n1", POOL_CREATE, FILE_VOLATILE, file_deadline(50),
				   &waiting, &err),
			 -ETIMEDOUT);
	assert_int_equal(err.code, CNI_TRY_AGAIN);
	snprintf(want, sizeof(want),
		 "address pool %s/n1/: lock lock is still held by process %d; try again, or see "
		 "what that process waits for",
		 folder, getpid());
	assert_string_equal(err.msg, want);
	pool_close(&holding);
	waiting = opened(POOL_EXISTING);
	pool_close(&waiting);
}

static void no_pool(void **state)
{
	struct err err = { 0 };
	struct pool pool;

	(void)state;
	assert_int_equal(pool_open(at(""), "n1", POOL_EXISTING, FILE_VOLATILE, file_deadline(50),
				   &pool, &err),
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
	holding = opened(POOL_CREATE);
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
		pool_test(lock),
		pool_test(no_pool),
		pool_test(folder_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
