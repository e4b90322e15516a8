// SPDX-License-Identifier: Apache-2.0
#include "conf/fabric.h"

#include "conf/roce.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

/* ---- readers of single values ---- */

int fabric_read_mtu(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, NETDEV_MTU_MIN, NETDEV_MTU_MAX, "a netdev MTU in bytes", field,
			 err);
}

int fabric_read_roce_mtu(const json_t *value, const char *path, void *field, struct err *err)
{
	struct opt_int mtu;
	int r = jx_int(value, path, &mtu, err);

	if (r < 0)
		return r;
	for (int valid = ROCE_MTU_MIN; valid <= ROCE_MTU_MAX; valid *= 2) {
		if (mtu.value == valid) {
			*(struct opt_int *)field = mtu;
			return 0;
		}
	}
	return jx_value_error(err, path,
			      "%d is not a RoCE path MTU: it must be 256, 512, 1024, 2048 or 4096 (the netdev MTU is \"mtu\")",
			      mtu.value);
}

static int read_class(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, SWITCH_CLASSES - 1, "a traffic class", field, err);
}

static int read_dscp(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, 63, "a DSCP", field, err);
}

/* ---- switch ---- */

static int read_semantics(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (switch_semantics_parse(text, field) < 0)
		return jx_value_error(err, path,
				      "\"%s\" is not known; it must be \"l3\" (the number counts the IP packet), \"l2hdr\" (and the Ethernet header) or \"l2frame\" (and the FCS)",
				      text);
	return 0;
}

static int read_platform(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);
	const struct switch_platform **platform = field, *known;
	const char *meant;
	size_t n;

	if (!text)
		return jx_type_error(value, path, "a string", err);
	*platform = switch_platform(text);
	if (*platform)
		return 0;
	known = switch_platforms(&n);
	meant = jx_closest(text, &known->name, n, sizeof(*known));
	if (meant)
		return jx_value_error(err, path, "\"%s\" is not known; did you mean \"%s\"?", text,
				      meant);
	return jx_value_error(err, path, "\"%s\" is not known; write \"semantics\" instead", text);
}

static int read_tags(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, SWITCH_TAGS_MAX, "a number of VLAN tags", field, err);
}

static int read_encapsulation(const json_t *value, const char *path, void *field, struct err *err)
{
	return jx_int_in(value, path, 0, SWITCH_ENCAPSULATION_MAX, "a number of bytes", field, err);
}

static int read_class_mtu(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[SWITCH_CLASSES] = {
#define CLASS(n) { #n, fabric_read_mtu, (n) * sizeof(struct opt_int) }
		CLASS(0), CLASS(1), CLASS(2), CLASS(3), CLASS(4), CLASS(5), CLASS(6), CLASS(7),
#undef CLASS
	};

	return jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);
}

/* A switch's MTU must be one that its platform can be set to. */
static int check_range(const struct fabric_switch *sw, const char *path, const char *key, int mtu,
		       struct err *err)
{
	const struct switch_platform *p = sw->platform;

	if (!p || switch_takes(p, mtu))
		return 0;
	return jx_value_error(err, path, "%s%d cannot be set on platform \"%s\": it takes %d to %d",
			      key, mtu, p->name, p->least ? p->least : NETDEV_MTU_MIN, p->most);
}

static int check_switch(const struct fabric_switch *sw, const char *path, struct err *err)
{
	int r = check_range(sw, path, "mtu ", sw->mtu.value, err);

	for (int i = 0; r == 0 && i < SWITCH_CLASSES; i++)
		if (sw->class_mtu[i].set)
			r = check_range(sw, path, "classMTU ", sw->class_mtu[i].value, err);
	return r;
}

void fabric_adopt_platform(struct fabric_switch *sw)
{
	const struct switch_platform *p = sw->platform;

	if (!p)
		return;
	sw->semantics = p->semantics;
	if (!sw->mtu.set && p->mtu)
		sw->mtu = (struct opt_int){ true, p->mtu };
}

static int settle_platform(const json_t *value, const char *path, struct fabric_switch *sw,
			   struct err *err)
{
	const struct switch_platform *p = sw->platform;

	if (p && json_object_get(value, "semantics") && sw->semantics != p->semantics)
		return jx_value_error(err, path,
				      "\"semantics\": \"%s\" contradicts \"platform\": \"%s\", whose MTU is \"%s\"; keep one",
				      switch_semantics_name(sw->semantics), p->name,
				      switch_semantics_name(p->semantics));
	fabric_adopt_platform(sw);
	return 0;
}

static int read_switch(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "mtu", fabric_read_mtu, offsetof(struct fabric_switch, mtu) },
		{ "semantics", read_semantics, offsetof(struct fabric_switch, semantics) },
		{ "platform", read_platform, offsetof(struct fabric_switch, platform) },
		{ "tags", read_tags, offsetof(struct fabric_switch, tags) },
		{ "encapsulation", read_encapsulation,
		  offsetof(struct fabric_switch, encapsulation) },
		{ "classMTU", read_class_mtu, offsetof(struct fabric_switch, class_mtu) },
	};
	struct fabric_switch *sw = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, sw, err);

	if (r == 0)
		r = settle_platform(value, path, sw, err);
	if (r < 0)
		return r;
	if (!sw->mtu.set && sw->platform)
		return jx_value_error(err, path,
				      "needs \"mtu\": platform \"%s\" is delivered with different ones",
				      sw->platform->name);
	if (!sw->mtu.set || (!sw->platform && !json_object_get(value, "semantics")))
		return jx_value_error(err, path,
				      "needs both \"mtu\" and \"semantics\" (or \"platform\"): vendors count different bytes in that number");
	return check_switch(sw, path, err);
}

/* ---- qos ---- */

static int read_trust(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (!streq(text, "pcp") && !streq(text, "dscp"))
		return jx_value_error(err, path, "\"%s\" is not known; it must be \"pcp\" or \"dscp\"",
				      text);
	*(enum fabric_trust *)field = streq(text, "pcp") ? FABRIC_TRUST_PCP : FABRIC_TRUST_DSCP;
	return 0;
}

static int read_pfc(const json_t *value, const char *path, void *field, struct err *err)
{
	struct fabric_qos *qos = field;
	struct opt_int priorities[SWITCH_CLASSES];
	size_t n;
	int r = jx_array(value, path, read_class, SWITCH_CLASSES, priorities, sizeof(*priorities), &n,
			 err);

	for (size_t i = 0; r == 0 && i < n; i++)
		qos->pfc |= 1U << priorities[i].value;
	qos->has_pfc = true;
	return r;
}

static int read_ecn(const json_t *value, const char *path, void *field, struct err *err)
{
	struct fabric_qos *qos = field;

	qos->has_ecn = true;
	return jx_bool(value, path, &qos->ecn, err);
}

static int read_qos(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "trafficClass", read_class, offsetof(struct fabric_qos, traffic_class) },
		{ "dscp", read_dscp, offsetof(struct fabric_qos, dscp) },
		{ "trust", read_trust, offsetof(struct fabric_qos, trust) },
		{ "pfc", read_pfc, 0 },
		{ "ecn", read_ecn, 0 },
	};
	const struct fabric_qos *qos = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);

	if (r == 0 && qos->pfc && qos->traffic_class.set &&
	    !(qos->pfc & 1U << qos->traffic_class.value))
		return jx_value_error(err, path,
				      "\"pfc\" pauses other priorities than RoCE's \"trafficClass\": %d",
				      qos->traffic_class.value);
	return r;
}

/* ---- pfs ---- */

static int read_pf_pci(const json_t *value, const char *path, void *field, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return jx_type_error(value, path, "a string", err);
	if (pci_addr_parse(text, field) < 0)
		return jx_value_error(err, path,
				      "\"%s\" is not a PCI address such as \"0000:3b:00.0\"", text);
	return 0;
}

static int read_pattern(const json_t *value, const char *path, void *field, struct err *err)
{
	int r = jx_string(value, path, field, err);

	if (r == 0 && !**(const char **)field)
		return jx_value_error(err, path, "must not be empty");
	return r;
}

static int read_pf(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "pci", read_pf_pci, offsetof(struct fabric_pf, pci) },
		{ "name", read_pattern, offsetof(struct fabric_pf, name) },
		{ "driver", read_pattern, offsetof(struct fabric_pf, driver) },
		{ "physPortName", read_pattern, offsetof(struct fabric_pf, phys_port_name) },
	};
	const struct fabric_pf *pf = field;
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);

	if (r == 0 && !!*pf->pci + !!pf->name + !!pf->driver + !!pf->phys_port_name != 1)
		return jx_value_error(err, path,
				      "needs exactly one of \"pci\", \"name\", \"driver\" and \"physPortName\"");
	return r;
}

static int read_pfs(const json_t *value, const char *path, void *field, struct err *err)
{
	struct fabric *fabric = field;

	return jx_array(value, path, read_pf, FABRIC_PFS_MAX, fabric->pfs, sizeof(*fabric->pfs),
			&fabric->n_pfs, err);
}

static bool text_equal(const char *a, const char *b)
{
	return a && b && streq(a, b);
}

bool fabric_pf_equal(const struct fabric_pf *a, const struct fabric_pf *b)
{
	return (*a->pci && streq(a->pci, b->pci)) || text_equal(a->name, b->name) ||
	       text_equal(a->driver, b->driver) || text_equal(a->phys_port_name, b->phys_port_name);
}

static bool pf_matches(const struct fabric_pf *pf, const struct fabric_port *port)
{
	if (*pf->pci)
		return streq(pf->pci, port->pci);
	if (pf->name)
		return fnmatch(pf->name, port->name, 0) == 0;
	if (pf->driver)
		return streq(pf->driver, port->driver);
	return streq(pf->phys_port_name, port->phys_port_name);
}

bool fabric_has(const struct fabric *fabric, const struct fabric_port *port)
{
	for (size_t i = 0; i < fabric->n_pfs; i++)
		if (pf_matches(&fabric->pfs[i], port))
			return true;
	return fabric->n_pfs == 0;
}

/* ---- what the switches permit ---- */

static int class_mtu(const struct fabric_switch *sw, int class)
{
	return sw->class_mtu[class].set ? sw->class_mtu[class].value : sw->mtu.value;
}

static int least_class_mtu(const struct fabric *fabric)
{
	const struct opt_int *roce = &fabric->qos.traffic_class;
	int least = NETDEV_MTU_MAX;

	for (int class = 0; class < SWITCH_CLASSES; class++)
		if (!(roce->set && roce->value == class) && class_mtu(&fabric->sw, class) < least)
			least = class_mtu(&fabric->sw, class);
	return least;
}

int fabric_tags(const struct fabric *fabric, int vlan_tags)
{
	return fabric->sw.tags.value > vlan_tags ? fabric->sw.tags.value : vlan_tags;
}

static int permits(const struct fabric *fabric, int switch_mtu, int vlan_tags)
{
	return switch_permits(switch_mtu, fabric->sw.semantics, fabric_tags(fabric, vlan_tags)) -
	       fabric->sw.encapsulation.value;
}

int fabric_permits(const struct fabric *fabric, int vlan_tags)
{
	return permits(fabric, least_class_mtu(fabric), vlan_tags);
}

int fabric_permits_roce(const struct fabric *fabric, int vlan_tags)
{
	const struct opt_int *class = &fabric->qos.traffic_class;

	if (!class->set)
		return fabric_permits(fabric, vlan_tags);
	return permits(fabric, class_mtu(&fabric->sw, class->value), vlan_tags);
}

int fabric_needs(const struct fabric *fabric, int netdev_mtu, int vlan_tags)
{
	return switch_needs(netdev_mtu + fabric->sw.encapsulation.value, fabric->sw.semantics,
			    fabric_tags(fabric, vlan_tags));
}

/* ---- the VFs between two pods ---- */

static int read_vf_baseline(const json_t *value, const char *path, void *field, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "mtu", fabric_read_mtu, offsetof(struct settings, mtu) },
		{ "vlan", setting_read_vlan, offsetof(struct settings, vlan) },
		{ "vlanQoS", setting_read_qos, offsetof(struct settings, vlan_qos) },
		{ "vlanProto", setting_read_proto, offsetof(struct settings, vlan_proto) },
		{ "spoofchk", setting_read_switch, offsetof(struct settings, spoofchk) },
		{ "trust", setting_read_switch, offsetof(struct settings, trust) },
		{ "link_state", setting_read_link_state, offsetof(struct settings, link_state) },
		{ "min_tx_rate", setting_read_rate, offsetof(struct settings, min_tx_rate) },
		{ "max_tx_rate", setting_read_rate, offsetof(struct settings, max_tx_rate) },
		{ "promisc", setting_read_flag, offsetof(struct settings, promisc) },
		{ "allmulti", setting_read_flag, offsetof(struct settings, allmulti) },
		{ "txQLen", setting_read_txqlen, offsetof(struct settings, txqlen) },
	};
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, field, err);

	return r < 0 ? r : settings_check(field, path, err);
}

/* ---- the whole ---- */

static int check_order(const char *path, const char *lower, struct opt_int low, int plus,
		       const char *upper, struct opt_int high, struct err *err)
{
	if (!low.set || !high.set || low.value + plus <= high.value)
		return 0;
	return jx_value_error(err, path, "%s %d needs %d, more than %s %d", lower, low.value,
			      low.value + plus, upper, high.value);
}

static int check_switch_permits(const struct fabric *fabric, const char *path, struct err *err)
{
	static const char what[] = "the netdev MTU that \"switch\" permits,";
	struct opt_int permitted = { .set = fabric->sw.mtu.set }, in_class = permitted;
	int r;

	if (!permitted.set)
		return 0;
	permitted.value = fabric_permits(fabric, 0);
	in_class.value = fabric_permits_roce(fabric, 0);
	r = check_order(path, "roceMTU", fabric->roce_mtu, ROCE_OVERHEAD, what, permitted, err);
	if (r == 0)
		r = check_order(path, "roceMTU", fabric->roce_mtu, roce_packet(0, true),
				"what \"switch\" permits in \"qos.trafficClass\",", in_class, err);
	if (r == 0)
		r = check_order(path, "podMTU", fabric->pod_mtu, 0, what, permitted, err);
	return r < 0 ? r : check_order(path, "pfMTU", fabric->pf_mtu, 0, what, permitted, err);
}

static int check_fabric(const struct fabric *fabric, const char *path, struct err *err)
{
	int r = check_order(path, "roceMTU", fabric->roce_mtu, ROCE_OVERHEAD, "podMTU",
			    fabric->pod_mtu, err);

	if (r == 0)
		r = check_order(path, "roceMTU", fabric->roce_mtu, ROCE_OVERHEAD, "pfMTU",
				fabric->pf_mtu, err);
	if (r == 0)
		r = check_order(path, "podMTU", fabric->pod_mtu, 0, "pfMTU", fabric->pf_mtu, err);
	return r < 0 ? r : check_switch_permits(fabric, path, err);
}

int fabric_read(const json_t *value, const char *path, struct fabric *ret_fabric, struct err *err)
{
	static const struct jx_key keys[] = {
		{ "switch", read_switch, offsetof(struct fabric, sw) },
		{ "roceMTU", fabric_read_roce_mtu, offsetof(struct fabric, roce_mtu) },
		{ "podMTU", fabric_read_mtu, offsetof(struct fabric, pod_mtu) },
		{ "pfMTU", fabric_read_mtu, offsetof(struct fabric, pf_mtu) },
		{ "qos", read_qos, offsetof(struct fabric, qos) },
		{ "vfBaseline", read_vf_baseline, offsetof(struct fabric, vf) },
		{ "pfs", read_pfs, 0 },
		{ "vfs", vfset_read, offsetof(struct fabric, vfs) },
	};
	int r = jx_object(value, path, keys, ARRAY_SIZE(keys), JX_REFUSE, ret_fabric, err);

	return r < 0 ? r : check_fabric(ret_fabric, path, err);
}
