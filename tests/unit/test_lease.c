// SPDX-License-Identifier: Apache-2.0
/* Lease records: text and back, and every way a record can be damaged. */
#include "ipam/lease.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

static struct lease sample(void)
{
	struct lease lease = {
		.network = "rail1",
		.domain = ".domain",
		.address.len = 24,
		.range = 1,
		.id = "0123456789abcdef",
		.ifname = "net1",
		.pod = "default/web-0",
		.netns = "/run/netns/cni-1 with a blank",
		.node = "worker-1",
		.boot = "5a2c1f1e-0000-4000-8000-000000000000",
		.time = 1767225600,
	};

	assert_int_equal(inet_parse("10.56.0.2", &lease.address.addr), 0);
	return lease;
}

static void prints(void **state)
{
	struct lease lease = sample();
	char text[LEASE_TEXT_MAX];
	size_t len = lease_format(&lease, text);

	(void)state;
	assert_int_equal(len, strlen(text));
	assert_string_equal(text, "roce-ipam 1\n"
				  "network rail1\n"
				  "domain .domain\n"
				  "address 10.56.0.2/24\n"
				  "range 1\n"
				  "id 0123456789abcdef\n"
				  "ifname net1\n"
				  "pod default/web-0\n"
				  "netns /run/netns/cni-1 with a blank\n"
				  "node worker-1\n"
				  "boot 5a2c1f1e-0000-4000-8000-000000000000\n"
				  "time 1767225600\n"
				  "crc32 ea283661\n");
}

static void assert_same(const struct lease *a, const struct lease *b)
{
	char x[LEASE_TEXT_MAX], y[LEASE_TEXT_MAX];

	lease_format(a, x);
	lease_format(b, y);
	assert_string_equal(x, y);
}

static void reads_back(void **state)
{
	struct lease lease = sample(), back;
	char text[LEASE_TEXT_MAX];
	struct err err = { 0 };

	(void)state;
	assert_int_equal(lease_parse(text, lease_format(&lease, text), &back, &err), 0);
	assert_same(&lease, &back);
	strcpy(lease.ifname, "a\x01\xff"); /* the kernel takes it, DEL must find it */
	assert_int_equal(lease_parse(text, lease_format(&lease, text), &back, &err), 0);
	assert_true(lease_is_of(&back, lease.id, "a\x01\xff", 1));
	lease.pod[0] = lease.netns[0] = lease.node[0] = lease.boot[0] = '\0';
	assert_int_equal(inet_parse_prefix("fd00::1/64", &lease.address), 0);
	assert_int_equal(lease_parse(text, lease_format(&lease, text), &back, &err), 0);
	assert_same(&lease, &back);
}

/* A record from before there were domains. */
static void reads_one_without_domain(void **state)
{
	static const char text[] = "roce-ipam 1\n"
				   "network rail1\n"
				   "address 10.56.0.2/24\n"
				   "range 1\n"
				   "id 0123456789abcdef\n"
				   "ifname net1\n"
				   "pod default/web-0\n"
				   "netns /run/netns/cni-1 with a blank\n"
				   "node worker-1\n"
				   "boot 5a2c1f1e-0000-4000-8000-000000000000\n"
				   "time 1767225600\n"
				   "crc32 30920863\n";
	struct lease lease = sample(), back;
	struct err err = { 0 };

	(void)state;
	lease.domain[0] = '\0';
	assert_int_equal(lease_parse(text, strlen(text), &back, &err), 0);
	assert_same(&lease, &back);
}

/* The longest of everything fits. */
static void longest(void **state)
{
	struct lease lease = sample(), back;
	char text[LEASE_TEXT_MAX];
	struct err err = { 0 };
	size_t len;

	(void)state;
	memset(lease.network, 'n', sizeof(lease.network) - 1);
	memset(lease.domain, 'd', sizeof(lease.domain) - 1);
	memset(lease.id, 'i', sizeof(lease.id) - 1);
	memset(lease.ifname, 'f', sizeof(lease.ifname) - 1);
	memset(lease.pod, 'p', sizeof(lease.pod) - 1);
	memset(lease.netns, 's', sizeof(lease.netns) - 1);
	memset(lease.node, 'o', sizeof(lease.node) - 1);
	len = lease_format(&lease, text);
	assert_true(len < LEASE_TEXT_MAX);
	assert_int_equal(lease_parse(text, len, &back, &err), 0);
	assert_same(&lease, &back);
}

/* 74: no prefix of a record and no changed byte is ever taken for a record. */
static void damage_is_seen(void **state)
{
	struct lease lease = sample(), back;
	char text[LEASE_TEXT_MAX], broken[LEASE_TEXT_MAX];
	size_t len = lease_format(&lease, text);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		struct err err = { 0 };

		memcpy(broken, text, len + 1);
		broken[i] = '\0';
		assert_int_equal(lease_parse(broken, i, &back, &err), -EBADMSG);
		assert_int_equal(err.code, ROCE_STATE_BROKEN);
		for (int bit = 0; bit < 8; bit++) {
			struct err flipped = { 0 };

			memcpy(broken, text, len + 1);
			broken[i] = (char)(broken[i] ^ 1 << bit);
			assert_int_equal(lease_parse(broken, len, &back, &flipped), -EBADMSG);
		}
	}
}

struct message {
	const char *text, *want;
};

static void says_what_is_wrong(void **state)
{
	static const struct message table[] = {
		{ "", "damaged lease record: the file is empty" },
		{ "c1\r\nnet1", "damaged lease record: only 8 bytes" },
		{ "roce-ipam 2\nnetwork rail1\ncrc32 00000000\n",
		  "damaged lease record: it starts with \"roce-ipam 2\", this version reads "
		  "\"roce-ipam 1\"" },
		{ "roce-ipam 1\nnetwork rail1\ncrc32 00000000\n",
		  "damaged lease record: the checksum does not match: cut short or edited" },
		{ "roce-ipam 1\nrange 16\ncrc32 c410ab41\n",
		  "damaged lease record: \"range 16\" cannot be read" },
		{ "roce-ipam 1\nrange 123\ncrc32 3a454258\n",
		  "damaged lease record: \"range 123\" cannot be read" },
		{ "roce-ipam 1\nrange -1\ncrc32 9e6d6792\n",
		  "damaged lease record: \"range -1\" cannot be read" },
		{ "roce-ipam 1\nrange 1x\ncrc32 aaeac9ca\n",
		  "damaged lease record: \"range 1x\" cannot be read" },
		{ "roce-ipam 1\nrange 1\ncrc32 51e4f552\n",
		  "damaged lease record: a line is missing" },
		{ "roce-ipam 1\nlater\ncrc32 fe1eda01\n",
		  "damaged lease record: line \"later\" has no value" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct err err = { 0 };
		struct lease lease;

		assert_int_equal(lease_parse(table[i].text, strlen(table[i].text), &lease, &err),
				 -EBADMSG);
		assert_string_equal(err.msg, table[i].want);
	}
}

/* A text from outside can neither add a line nor name something else by being cut. */
static void copies_text(void **state)
{
	char buf[8];

	(void)state;
	lease_copy_text(buf, sizeof(buf), "a\nb\x7f");
	assert_string_equal(buf, "a?b?");
	lease_copy_text(buf, sizeof(buf), "1234567");
	assert_string_equal(buf, "1234567");
	lease_copy_text(buf, sizeof(buf), "12345678");
	assert_string_equal(buf, "");
	lease_copy_text(buf, sizeof(buf), NULL);
	assert_string_equal(buf, "");
}

static void keys(void **state)
{
	struct lease lease = sample();
	char key[LEASE_KEY_SIZE], id[CNI_NAME_MAX + 1] = "";

	(void)state;
	assert_string_equal(lease_key("c1", "net1", 0, key), "c1:net1:0");
	memset(id, 'x', CNI_NAME_MAX);
	lease_key(id, "fifteen-letters", 7, key);
	assert_string_equal(key + CNI_NAME_MAX, ":fifteen-letters:7");
	assert_true(strlen(key) < 255);
	lease_key(id, "fifteen-letters", LEASE_SLOTS_MAX - 1, key);
	assert_string_equal(key + CNI_NAME_MAX, ":fifteen-letters:15");
	assert_true(lease_is_of(&lease, "0123456789abcdef", "net1", 1));
	assert_false(lease_is_of(&lease, "0123456789abcdef", "net1", 0));
	assert_false(lease_is_of(&lease, "0123456789abcdef", "net2", 1));
	assert_false(lease_is_of(&lease, "0123456789abcde", "net1", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints),
		cmocka_unit_test(reads_back),
		cmocka_unit_test(reads_one_without_domain),
		cmocka_unit_test(longest),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(copies_text),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
