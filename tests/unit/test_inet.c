// SPDX-License-Identifier: Apache-2.0
/* Addresses: IP, prefix, MAC and PCI texts, and the edges of the arithmetic. */
#include "conf/inet.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <stdio.h>

/* ---- addresses ---- */

static const struct {
	const char *text;
	int family;
	const char *canonical;
} addresses[] = {
	{ "0.0.0.0", AF_INET, "0.0.0.0" },
	{ "192.0.2.5", AF_INET, "192.0.2.5" },
	{ "255.255.255.255", AF_INET, "255.255.255.255" },
	{ "10.0.0.1", AF_INET, "10.0.0.1" },
	{ "::", AF_INET6, "::" },
	{ "::1", AF_INET6, "::1" },
	{ "fd00::1", AF_INET6, "fd00::1" },
	{ "FD00::AB", AF_INET6, "fd00::ab" },
	{ "fd00:0:0:0:0:0:0:1", AF_INET6, "fd00::1" },
	{ "fd00:0000:0000:0000:0000:0000:0000:0001", AF_INET6, "fd00::1" },
	{ "2001:db8:0:0:1:0:0:1", AF_INET6, "2001:db8::1:0:0:1" },
	{ "::ffff:192.0.2.5", AF_INET6, "::ffff:192.0.2.5" },
	{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AF_INET6,
	  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	{ "fe80::5054:ff:fe12:3456", AF_INET6, "fe80::5054:ff:fe12:3456" },
};

static void addresses_parse_and_print(void **state)
{
	(void)state;
	for_each_row(row, addresses)
	{
		struct inet_addr addr, again;
		unsigned char bytes[16];
		char text[INET_TEXT_SIZE];
		size_t len;

		row_int(row->text, "inet_parse()", inet_parse(row->text, &addr), 0);
		row_int(row->text, "family", addr.family, row->family);
		row_text(row->text, "text", inet_format(addr, text), row->canonical);
		len = inet_to_bytes(addr, bytes);
		row_int(row->text, "number of bytes", (long long)len, inet_bits(row->family) / 8);
		again = inet_from_bytes(bytes, len);
		row_true(row->text, "bytes and back", inet_equal(addr, again));
	}
}

static const char *const no_addresses[] = {
	"",
	" ",
	"192.0.2",
	"192.0.2.5.6",
	"192.0.2.256",
	"192.0.2.05",
	"010.0.0.1",
	"00.0.0.0",
	"0x7f.0.0.1",
	"192.0.2.-1",
	" 192.0.2.5",
	"192.0.2.5 ",
	"192.0.2.5/24",
	"192.0.2.",
	"3221226501",
	":",
	":::",
	"fd00::1::2",
	"fd00::12345",
	"fd00::g",
	"fe80::1%lo",
	"1:2:3:4:5:6:7",
	"1:2:3:4:5:6:7:8:9",
	"[::1]",
	"fd00::1/64",
	"::192.0.2.05",
	"host.example",
};

static void bad_addresses_are_refused(void **state)
{
	(void)state;
	for_each_row(row, no_addresses)
	{
		struct inet_addr addr = { .family = AF_UNSPEC };

		row_int(*row, "inet_parse()", inet_parse(*row, &addr), -EINVAL);
		row_int(*row, "family after a refusal", addr.family, AF_UNSPEC);
	}
}

static void no_address_prints_none(void **state)
{
	char text[INET_TEXT_SIZE];

	(void)state;
	assert_string_equal(inet_format((struct inet_addr){ .family = AF_UNSPEC }, text), "none");
}

static void families_are_never_equal(void **state)
{
	struct inet_addr v4, v6;

	(void)state;
	assert_int_equal(inet_parse("0.0.0.1", &v4), 0);
	assert_int_equal(inet_parse("::1", &v6), 0);
	assert_true(v4.num == v6.num);
	assert_false(inet_equal(v4, v6));
	assert_true(inet_equal(v4, v4));
	assert_int_equal(inet_bits(AF_INET), 32);
	assert_int_equal(inet_bits(AF_INET6), 128);
}

/* ---- prefixes ---- */

static const struct {
	const char *text, *canonical, *first, *last;
} prefixes[] = {
	{ "192.0.2.5/24", "192.0.2.5/24", "192.0.2.0", "192.0.2.255" },
	{ "192.0.2.5/32", "192.0.2.5/32", "192.0.2.5", "192.0.2.5" },
	{ "192.0.2.5/31", "192.0.2.5/31", "192.0.2.4", "192.0.2.5" },
	{ "192.0.2.4/31", "192.0.2.4/31", "192.0.2.4", "192.0.2.5" },
	{ "192.0.2.5/30", "192.0.2.5/30", "192.0.2.4", "192.0.2.7" },
	{ "192.0.2.5/1", "192.0.2.5/1", "128.0.0.0", "255.255.255.255" },
	{ "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0", "255.255.255.255" },
	{ "192.0.2.5/0", "192.0.2.5/0", "0.0.0.0", "255.255.255.255" },
	{ "255.255.255.255/25", "255.255.255.255/25", "255.255.255.128", "255.255.255.255" },
	{ "::/0", "::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	{ "fd00::5/128", "fd00::5/128", "fd00::5", "fd00::5" },
	{ "fd00::5/127", "fd00::5/127", "fd00::4", "fd00::5" },
	{ "fd00::5/126", "fd00::5/126", "fd00::4", "fd00::7" },
	{ "FD00::5/64", "fd00::5/64", "fd00::", "fd00::ffff:ffff:ffff:ffff" },
	{ "2001:db8::1/63", "2001:db8::1/63", "2001:db8::", "2001:db8:0:1:ffff:ffff:ffff:ffff" },
	{ "8000::/1", "8000::/1", "8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
};

static void prefixes_parse_and_print(void **state)
{
	(void)state;
	for_each_row(row, prefixes)
	{
		struct inet_prefix prefix;
		char text[INET_PREFIX_TEXT_SIZE];

		row_int(row->text, "inet_parse_prefix()", inet_parse_prefix(row->text, &prefix), 0);
		row_text(row->text, "text", inet_format_prefix(prefix, text), row->canonical);
		row_text(row->text, "first", inet_format(inet_first(prefix), text), row->first);
		row_text(row->text, "last", inet_format(inet_last(prefix), text), row->last);
		row_true(row->text, "contains itself", inet_contains(prefix, prefix.addr));
	}
}

static const char *const no_prefixes[] = {
	"",
	"/",
	"/24",
	"192.0.2.5",
	"192.0.2.5/",
	"192.0.2.5/33",
	"192.0.2.5/-1",
	"192.0.2.5/024",
	"192.0.2.5/00",
	"192.0.2.5/0x8",
	"192.0.2.5/+8",
	"192.0.2.5/ 8",
	"192.0.2.5/8 ",
	"192.0.2.5/1000",
	"192.0.2.5/24/24",
	"192.0.2/24",
	"192.0.2.05/24",
	"fd00::1/129",
	"fd00::1/999",
	"fd00::1/064",
	"fd00::1",
	"192.0.2.5/255.255.255.0",
	"192.0.2.5/99999999999999999999",
	"fd00:0000:0000:0000:0000:0000:0000:0000:0000:0001/64",
};

static void bad_prefixes_are_refused(void **state)
{
	(void)state;
	for_each_row(row, no_prefixes)
	{
		struct inet_prefix prefix = { .len = -7 };

		row_int(*row, "inet_parse_prefix()", inet_parse_prefix(*row, &prefix), -EINVAL);
		row_int(*row, "length after a refusal", prefix.len, -7);
	}
}

static const struct {
	const char *prefix, *addr;
	bool inside;
} members[] = {
	{ "192.0.2.0/24", "192.0.2.0", true },
	{ "192.0.2.0/24", "192.0.2.255", true },
	{ "192.0.2.0/24", "192.0.1.255", false },
	{ "192.0.2.0/24", "192.0.3.0", false },
	{ "192.0.2.77/24", "192.0.2.1", true },
	{ "192.0.2.4/31", "192.0.2.5", true },
	{ "192.0.2.4/31", "192.0.2.3", false },
	{ "192.0.2.4/31", "192.0.2.6", false },
	{ "192.0.2.4/32", "192.0.2.4", true },
	{ "192.0.2.4/32", "192.0.2.5", false },
	{ "0.0.0.0/0", "255.255.255.255", true },
	{ "0.0.0.0/0", "::1", false },
	{ "::/0", "0.0.0.1", false },
	{ "::/0", "ffff::1", true },
	{ "fd00::/64", "fd00::ffff:ffff:ffff:ffff", true },
	{ "fd00::/64", "fd00:0:0:1::", false },
	{ "fd00::/64", "fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false },
	{ "fd00::4/127", "fd00::5", true },
	{ "fd00::4/127", "fd00::6", false },
	{ "fd00::4/128", "fd00::5", false },
	/* equal below 2^64: must not alias */
	{ "fd00:0:0:1::/64", "fd00:0:0:2::1", false },
};

static void prefixes_contain(void **state)
{
	(void)state;
	for_each_row(row, members)
	{
		struct inet_prefix prefix;
		struct inet_addr addr;
		char name[128];

		snprintf(name, sizeof(name), "%s in %s", row->addr, row->prefix);
		row_int(name, "inet_parse_prefix()", inet_parse_prefix(row->prefix, &prefix), 0);
		row_int(name, "inet_parse()", inet_parse(row->addr, &addr), 0);
		row_int(name, "inet_contains()", inet_contains(prefix, addr), row->inside);
	}
}

/* ---- MAC ---- */

static const struct {
	const char *text, *canonical;
	bool unicast;
} macs[] = {
	{ "02:00:5e:00:53:01", "02:00:5e:00:53:01", true },
	{ "02-00-5E-00-53-01", "02:00:5e:00:53:01", true },
	{ "AA:BB:CC:DD:EE:FF", "aa:bb:cc:dd:ee:ff", true },
	{ "00:00:00:00:00:01", "00:00:00:00:00:01", true },
	{ "fe:ff:ff:ff:ff:ff", "fe:ff:ff:ff:ff:ff", true },
	{ "00:00:00:00:00:00", "00:00:00:00:00:00", false },
	{ "01:00:5e:00:00:01", "01:00:5e:00:00:01", false },
	{ "33:33:00:00:00:01", "33:33:00:00:00:01", false },
	{ "ff:ff:ff:ff:ff:ff", "ff:ff:ff:ff:ff:ff", false },
};

static void macs_parse_and_print(void **state)
{
	(void)state;
	for_each_row(row, macs)
	{
		struct mac mac = { .set = false };
		char text[MAC_TEXT_SIZE];

		row_int(row->text, "mac_parse()", mac_parse(row->text, &mac), 0);
		row_true(row->text, "set", mac.set);
		row_text(row->text, "text", mac_format(mac.bytes, text), row->canonical);
		row_int(row->text, "unicast", mac_is_unicast(mac.bytes), row->unicast);
	}
}

static const char *const no_macs[] = {
	"",
	"02:00:5e:00:53",
	"02:00:5e:00:53:",
	"02:00:5e:00:53:1",
	"02:00:5e:00:53:01:",
	"02:00:5e:00:53:0g",
	"02005e005301",
	"0200.5e00.5301",
	"02:00:5e:00:53:01:00:00",
	"02.00.5e.00.53.01",
	" 2:00:5e:00:53:01",
	"+2:00:5e:00:53:01",
};

static void bad_macs_are_refused(void **state)
{
	(void)state;
	for_each_row(row, no_macs)
	{
		struct mac mac = { .set = false };

		row_int(*row, "mac_parse()", mac_parse(*row, &mac), -EINVAL);
		row_true(*row, "nothing set", !mac.set);
	}
}

/* ---- PCI ---- */

static const struct {
	const char *text, *canonical; /* NULL: refused */
} pcis[] = {
	{ "0000:3b:00.2", "0000:3b:00.2" },
	{ "0000:3B:00.2", "0000:3b:00.2" },
	{ "ABCD:EF:1f.7", "abcd:ef:1f.7" },
	{ "0000:00:00.0", "0000:00:00.0" },
	{ "", NULL },
	{ "3b:00.2", NULL },
	{ "0000:3b:00", NULL },
	{ "0000:3b:00.", NULL },
	{ "0000:3b:00.8", NULL },
	{ "0000:3b:00.a", NULL },
	{ "0000:3b:00.22", NULL },
	{ "0000:3b:00:2", NULL },
	{ "0000.3b.00.2", NULL },
	{ "0000:3g:00.2", NULL },
	{ "00000:3b:00.2", NULL },
	{ " 000:3b:00.2", NULL },
	{ "../../3b:00.", NULL },
	{ "0000:3b:00.2\n", NULL },
};

static void pci_addresses_parse(void **state)
{
	(void)state;
	for_each_row(row, pcis)
	{
		char addr[PCI_TEXT_SIZE] = "";
		int r = pci_addr_parse(row->text, addr);

		row_int(row->text, "pci_addr_parse()", r, row->canonical ? 0 : -EINVAL);
		if (row->canonical)
			row_text(row->text, "address", addr, row->canonical);
	}
}

/* ---- device IDs ---- */

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static const struct {
	const char *text, *canonical; /* NULL: refused */
	bool auxiliary;
} ids[] = {
	{ "0000:3b:00.2", "0000:3b:00.2", false },
	{ "0000:3B:00.2", "0000:3b:00.2", false },
	{ "mlx5_core.sf.4", "mlx5_core.sf.4", true },
	{ "mlx5_core.eth-rep.0", "mlx5_core.eth-rep.0", true },
	{ "ice.SF.4294967295", "ice.SF.4294967295", true },
	{ FIFTY "012345678.s.4", FIFTY "012345678.s.4", true },
	{ FIFTY "0123456789.s.4", NULL, false },
	{ "", NULL, false },
	{ "mlx5_core", NULL, false },
	{ "mlx5_core.sf", NULL, false },
	{ "mlx5_core.sf.", NULL, false },
	{ "mlx5_core..4", NULL, false },
	{ ".sf.4", NULL, false },
	{ "...", NULL, false },
	{ "../sf.4", NULL, false },
	{ "mlx5_core.sf.4/net", NULL, false },
	{ "mlx5_core/../sf.4", NULL, false },
	{ "mlx5-core.sf.4", NULL, false },
	{ "mlx5_core.sf.4a", NULL, false },
	{ "mlx5_core.sf.-4", NULL, false },
	{ "mlx5_core.sf.4.5", NULL, false },
	{ "mlx5_core.sf.4 ", NULL, false },
	{ " mlx5_core.sf.4", NULL, false },
	{ "mlx5_core.s f.4", NULL, false },
	{ "mlx5_core.sf.4\n", NULL, false },
	{ "mlx5_c\xc3\xb6re.sf.4", NULL, false },
	{ "0000:3b:00", NULL, false },
	{ "ens1f0", NULL, false },
	{ "netdev-7", NULL, false },
};

static void device_ids_parse(void **state)
{
	(void)state;
	for_each_row(row, ids)
	{
		char id[DEVICE_ID_SIZE] = "";
		int r = device_id_parse(row->text, id);

		row_int(row->text, "device_id_parse()", r, row->canonical ? 0 : -EINVAL);
		if (!row->canonical)
			continue;
		row_text(row->text, "ID", id, row->canonical);
		row_int(row->text, "auxiliary", device_id_is_auxiliary(id), row->auxiliary);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_parse_and_print),
		cmocka_unit_test(bad_addresses_are_refused),
		cmocka_unit_test(no_address_prints_none),
		cmocka_unit_test(families_are_never_equal),
		cmocka_unit_test(prefixes_parse_and_print),
		cmocka_unit_test(bad_prefixes_are_refused),
		cmocka_unit_test(prefixes_contain),
		cmocka_unit_test(macs_parse_and_print),
		cmocka_unit_test(bad_macs_are_refused),
		cmocka_unit_test(pci_addresses_parse),
		cmocka_unit_test(device_ids_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
