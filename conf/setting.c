// SPDX-License-Identifier: Apache-2.0
#include "conf/setting.h"

#include "conf/fabric.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- readers ---- */

int setting_read_vlan(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, 4094, "a VLAN ID", field, err);
}

int setting_read_qos(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, 7, "the priority of a VLAN tag", field, err);
}

int setting_read_rate(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, INT_MAX, "a rate in Mbit/s", field, err);
}

int setting_read_txqlen(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, INT_MAX, "a number of packets", field, err);
}

/* One of a few words, in any case, as a number. */
struct word {
	const char *text;
	int value;
};

static int read_word(const json_t *value, const char *path, const struct word *words, size_t n,
		     struct opt_int *ret, struct err *err)
{
	const char *text = json_string_value(value);
	char all[128] = "";
	size_t len = 0;

	if (!text)
		return jx_type_error(value, path, "a string", err);
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(text, words[i].text) == 0) {
			*ret = (struct opt_int){ true, words[i].value };
			return 0;
		}
		len += snprintf(all + len, sizeof(all) - len, "%s\"%s\"",
				i == 0 ? "" : i + 1 < n ? ", " : " or ", words[i].text);
	}
	return jx_value_error(err, path, "\"%s\" is not known; it must be %s", text, all);
}

int setting_read_proto(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct word words[] = { { "802.1q", ETH_P_8021Q }, { "802.1ad", ETH_P_8021AD } };

	return read_word(value, path, words, ARRAY_SIZE(words), field, err);
}

int setting_read_switch(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct word words[] = { { "on", 1 }, { "off", 0 } };

	return read_word(value, path, words, ARRAY_SIZE(words), field, err);
}

int setting_read_link_state(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct word words[] = { { "auto", SETTING_LINK_AUTO },
					     { "enable", SETTING_LINK_ENABLE },
					     { "disable", SETTING_LINK_DISABLE } };

	return read_word(value, path, words, ARRAY_SIZE(words), field, err);
}

int setting_read_flag(const json_t *value, const char *path, void *field, struct err *err)
{
	bool on;
	int r = jx_bool(value, path, &on, err);

	if (r == 0)
		*(struct opt_int *)field = (struct opt_int){ true, on };
	return r;
}

int setting_read_mac_text(const char *text, const char *path, struct mac *mac, struct err *err)
{
	if (mac_parse(text, mac) < 0 || !mac_is_unicast(mac->bytes))
		return jx_value_error(err, path,
				      "\"%s\" is not a unicast MAC address such as \"02:00:5e:00:53:01\"",
				      text);
	return 0;
}

int setting_read_mac(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	return *text ? setting_read_mac_text(text, path, field, err) : 0;
}

/* ---- sysctls ---- */

static bool is_device(const char *part, size_t len)
{
	return len == 6 && strncmp(part, "IFNAME", 6) == 0;
}

static const char *separator_of(const char *key)
{
	return strchr(key, '/') ? "/" : ".";
}

bool setting_of_device(const char *key)
{
	const char *separator = separator_of(key);

	for (size_t len; *key; key += len + (key[len] != '\0')) {
		len = strcspn(key, separator);
		if (is_device(key, len))
			return true;
	}
	return false;
}

/* Names of files only: nothing empty, no ".", no "..", no character that a sysctl does not have. */
static bool part_ok(const char *part, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)part[i]) && !strchr("_-.:@", part[i]))
			return false;
	return len > 0 && part[0] != '.' && len < 64;
}

bool setting_sysctl_path(const char *key, const char *ifname, char buf[SETTING_PATH_SIZE])
{
	const char *separator = separator_of(key);
	size_t len = 0;

	if (strncmp(key, "net", 3) != 0 || key[3] != *separator)
		return false;
	for (const char *part = key;; part++) {
		size_t n = strcspn(part, separator);
		bool device = is_device(part, n);

		if (!part_ok(part, n))
			return false;
		len += snprintf(buf + len, SETTING_PATH_SIZE - len, "%s%.*s", len ? "/" : "",
				device ? 16 : (int)n, device ? ifname : part);
		if (len >= SETTING_PATH_SIZE)
			return false;
		part += n;
		if (!*part)
			return true;
	}
}

bool setting_same_value(const char *a, const char *b)
{
	while (true) {
		char *end_a, *end_b;
		size_t len_a, len_b;

		a += strspn(a, " \t\n");
		b += strspn(b, " \t\n");
		len_a = strcspn(a, " \t\n");
		len_b = strcspn(b, " \t\n");
		if (len_a == 0 || len_b == 0)
			return len_a == len_b;
		if ((len_a != len_b || strncmp(a, b, len_a) != 0) &&
		    (strtoll(a, &end_a, 0) != strtoll(b, &end_b, 0) || end_a != a + len_a ||
		     end_b != b + len_b))
			return false;
		a += len_a;
		b += len_b;
	}
}

static int check_sysctl(const struct settings *settings, const char *key, const json_t *value,
			const char *path, struct err *err)
{
	char file[SETTING_PATH_SIZE], other[SETTING_PATH_SIZE];

	if (!json_is_string(value))
		return jx_type_error(value, path, "a string", err);
	if (!setting_sysctl_path(key, "IFNAME", file))
		return jx_value_error(err, path,
				      "is no sysctl below \"net.\" such as \"net.ipv4.conf.IFNAME.arp_filter\"");
	if (strlen(json_string_value(value)) >= 128)
		return jx_value_error(err, path, "has a value of more than 127 characters");
	for (size_t i = 0; i < settings->n_sysctls; i++)
		if (setting_sysctl_path(settings->sysctls[i].key, "IFNAME", other) &&
		    streq(file, other))
			return jx_value_error(err, path, "stands there twice, also as \"%s\"",
					      settings->sysctls[i].key);
	return 0;
}

int setting_read_sysctls(const json_t *value, const char *path, void *field, struct err *err)
{
	struct settings *s = (void *)((char *)field - offsetof(struct settings, has_sysctls));
	const char *key;
	json_t *text;

	if (!json_is_object(value))
		return jx_type_error(value, path, "an object of sysctls", err);
	if (json_object_size(value) > SETTING_SYSCTLS_MAX)
		return jx_value_error(err, path, "has more than %d sysctls", SETTING_SYSCTLS_MAX);
	json_object_foreach((json_t *)value, key, text) {
		char sub[256];
		int r;

		snprintf(sub, sizeof(sub), "%s[\"%.200s\"]", path, key);
		r = check_sysctl(s, key, text, sub, err);
		if (r < 0)
			return r;
		s->sysctls[s->n_sysctls++] = (struct setting_sysctl){ key, json_string_value(text) };
	}
	s->has_sysctls = s->n_sysctls > 0;
	return 0;
}

/* ---- the table ---- */

#define SETTING(name, read, member, needs) { name, read, offsetof(struct settings, member), needs }

static const struct setting table[] = {
	SETTING("vlan", setting_read_vlan, vlan, SETTING_VF),
	SETTING("vlanQoS", setting_read_qos, vlan_qos, SETTING_VF),
	SETTING("vlanProto", setting_read_proto, vlan_proto, SETTING_VF),
	SETTING("mac", setting_read_mac, mac, SETTING_ANY),
	SETTING("spoofchk", setting_read_switch, spoofchk, SETTING_VF),
	SETTING("trust", setting_read_switch, trust, SETTING_VF),
	SETTING("link_state", setting_read_link_state, link_state, SETTING_VF),
	SETTING("min_tx_rate", setting_read_rate, min_tx_rate, SETTING_VF),
	SETTING("max_tx_rate", setting_read_rate, max_tx_rate, SETTING_VF),
	SETTING("mtu", fabric_read_mtu, mtu, SETTING_ANY),
	SETTING("promisc", setting_read_flag, promisc, SETTING_NETDEV),
	SETTING("allmulti", setting_read_flag, allmulti, SETTING_NETDEV),
	SETTING("txQLen", setting_read_txqlen, txqlen, SETTING_NETDEV),
	SETTING("sysctl", setting_read_sysctls, has_sysctls, SETTING_ANY),
};

const struct setting *setting_table(size_t *ret_n)
{
	*ret_n = ARRAY_SIZE(table);
	return table;
}

bool setting_is_set(const struct settings *settings, const struct setting *setting)
{
	const char *member = (const char *)settings + setting->offset;

	return setting->read == setting_read_mac ? ((const struct mac *)member)->set
						 : *(const bool *)member;
}

/* ---- together ---- */

static int refuse(const char *path, const char *key, const char *why, struct err *err)
{
	char full[160];

	snprintf(full, sizeof(full), "%s%s%s", path, *path ? "." : "", key);
	return jx_value_error(err, full, "%s", why);
}

int settings_check(const struct settings *s, const char *path, struct err *err)
{
	if (s->vlan_qos.set && !s->vlan.set)
		return refuse(path, "vlanQoS", "needs \"vlan\"", err);
	if (s->vlan_proto.set && !s->vlan.set)
		return refuse(path, "vlanProto", "needs \"vlan\"", err);
	if (s->vlan_qos.value > 0 && s->vlan.value == 0)
		return refuse(path, "vlanQoS", "is the priority of a tag, and \"vlan\" 0 asks for none",
			      err);
	if (s->vlan_proto.value == ETH_P_8021AD && s->vlan.value == 0)
		return refuse(path, "vlanProto", "is the kind of a tag, and \"vlan\" 0 asks for none",
			      err);
	if (s->min_tx_rate.set && s->max_tx_rate.set && s->max_tx_rate.value > 0 &&
	    s->min_tx_rate.value > s->max_tx_rate.value)
		return refuse(path, "min_tx_rate", "must not be more than \"max_tx_rate\"", err);
	return 0;
}
