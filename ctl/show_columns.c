// SPDX-License-Identifier: Apache-2.0
#include "ctl/show.h"

#include "conf/roce.h"

enum { SHOW_WIDTH = 100, SORT_COLUMNS = 7 };

/* ---- getters ---- */

static json_t *get_network(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->attachment->network);
}

static json_t *get_pod_namespace(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->pod_namespace);
}

static json_t *get_pod_name(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->pod_name);
}

static json_t *get_container(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->attachment->container_id);
}

static json_t *get_pod(const void *item)
{
	const struct shown *shown = item;

	if (!*shown->pod_name)
		return json_null();
	if (!*shown->pod_namespace)
		return json_string(shown->pod_name);
	return json_sprintf("%s/%s", shown->pod_namespace, shown->pod_name);
}

/* Of a container its short ID, as container runtimes print it. */
static json_t *get_pod_or_container(const void *item)
{
	const struct shown *shown = item;
	const char *id = shown->attachment->container_id;

	return *shown->pod_name ? get_pod(shown) : json_sprintf("%.*s", TABLE_SHORT_ID, id);
}

static json_t *get_ifname(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->attachment->ifname);
}

static json_t *get_device(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->journal->device.name);
}

static json_t *get_pci(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->journal->device.pci.addr);
}

static json_t *get_pci_or_device(const void *item)
{
	const struct shown *shown = item;

	return *shown->journal->device.pci.addr ? get_pci(shown) : get_device(shown);
}

static json_t *get_pf(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->journal->device.pci.pf);
}

static json_t *get_vf(const void *item)
{
	const struct shown *shown = item;
	const struct pci_dev *pci = &shown->journal->device.pci;

	return pci->is_vf ? json_integer(pci->vf_index) : json_null();
}

static json_t *get_rdma(const void *item)
{
	const struct shown *shown = item;
	const struct device *device = &shown->journal->device;

	return device->has_rdma ? table_text(device->rdma.name) : json_null();
}

static json_t *get_addresses(const void *item)
{
	const struct shown *shown = item;

	return result_prefixes(shown->journal->addresses, shown->journal->n_addresses);
}

/* What the ADD set; 0: the journal does not say. */
static int planned_mtu(const struct journal *journal)
{
	for (size_t i = 0; i < journal->n_steps; i++)
		if (journal->steps[i].type == STEP_LINK_MTU)
			return journal->steps[i].want.number;
	return 0;
}

static json_t *get_mtu(const void *item)
{
	const struct shown *shown = item;
	int mtu = planned_mtu(shown->journal);

	return mtu ? json_integer(mtu) : json_null();
}

static json_t *get_roce_mtu(const void *item)
{
	const struct shown *shown = item;
	int mtu = planned_mtu(shown->journal);

	return mtu ? json_integer(roce_carried(mtu)) : json_null();
}

static json_t *get_state(const void *item)
{
	const struct shown *shown = item;

	return json_string(shown->state);
}

static json_t *get_reason(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->reason);
}

static json_t *get_age(const void *item)
{
	const struct shown *shown = item;

	return shown->journal->time ? table_age(shown->now, shown->journal->time) : json_null();
}

static json_t *get_created(const void *item)
{
	const struct shown *shown = item;

	return table_time(shown->journal->time);
}

static json_t *get_netns(const void *item)
{
	const struct shown *shown = item;

	return table_text(shown->journal->netns);
}

/* ---- the table ---- */

/* The only list of columns. In text they and the gaps, cut to the least, fill SHOW_WIDTH. */
static const struct table_column columns[] = {
	{ "NETWORK", "network", TABLE_ANY, 8, get_network, NULL },
	{ NULL, "podNamespace", TABLE_JSON, 0, get_pod_namespace, NULL },
	{ NULL, "podName", TABLE_JSON, 0, get_pod_name, NULL },
	{ "POD", NULL, TABLE_WIDE, 0, get_pod, NULL },
	{ "POD", NULL, TABLE_TEXT, 14, get_pod_or_container, NULL },
	{ "CONTAINER", "containerID", TABLE_FULL, 0, get_container, NULL },
	{ "IFNAME", "ifname", TABLE_ANY, 15, get_ifname, NULL },
	{ "DEVICE", NULL, TABLE_TEXT, 15, get_pci_or_device, NULL },
	{ "DEVICE", "device", TABLE_FULL, 0, get_device, NULL },
	{ "PCI", "pci", TABLE_FULL, 0, get_pci, NULL },
	{ "PF", "pf", TABLE_FULL, 0, get_pf, NULL },
	{ "VF", "vfIndex", TABLE_FULL, 0, get_vf, NULL },
	{ "RDMA", "rdmaDevice", TABLE_FULL, 0, get_rdma, NULL },
	{ "ADDRESSES", "addresses", TABLE_ANY, 12, get_addresses, NULL },
	{ "ROCE", "roceMTU", TABLE_ANY, 4, get_roce_mtu, NULL },
	{ "MTU", "mtu", TABLE_ANY, 5, get_mtu, NULL },
	{ "STATE", "state", TABLE_ANY, 7, get_state, NULL },
	{ "AGE", "ageSeconds", TABLE_ANY, 4, get_age, table_print_age },
	{ "CREATED", "created", TABLE_FULL, 0, get_created, NULL },
	{ NULL, "netns", TABLE_JSON, 0, get_netns, NULL },
	{ "REASON", "reason", TABLE_FULL, 0, get_reason, NULL },
};

struct table show_table(void)
{
	return (struct table){ .columns = columns,
			       .n_columns = ARRAY_SIZE(columns),
			       .n_sort = SORT_COLUMNS,
			       .width = SHOW_WIDTH };
}
