// SPDX-License-Identifier: Apache-2.0
#include "cni/pf.h"

#include "cni/chain.h"

#include <errno.h>

/* What is looked for, and what was found; @only: of this fabric alone. */
struct search {
	const struct side *host;
	const struct profile *profile;
	const char *wanted;
	const struct fabric *only;
	struct pf_list *list;
	bool no_memory;
};

static void add(struct search *search, const struct pf *pf)
{
	struct pf_list *list = search->list;
	struct pf *grown = base_grow(list->items, list->n, sizeof(*grown));

	if (!grown) {
		search->no_memory = true;
		return;
	}
	list->items = grown;
	list->items[list->n++] = *pf;
}

static int no_vfs(const struct pf *pf, struct err *err)
{
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "PF %s (%s) has no VFs, it can have %d; make them: echo %d > /sys/class/net/%s/device/sriov_numvfs",
		       pf->link.name, pf->pci.addr, pf->pci.total_vfs, pf->pci.total_vfs, pf->link.name);
}

/* ---- one PF, by its name ---- */

static int find_addr(const struct side *host, const char *name, char ret_addr[PCI_TEXT_SIZE],
		     struct err *err)
{
	struct link link;
	int r = pci_addr_parse(name, ret_addr);

	if (r == 0)
		return 0;
	r = link_find(host->rt, name, &link);
	if (r < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, r,
			       "pf: no interface %s on the host (see: ip link)", name);
	if (link_is_representor(&link))
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "pf: %s is a representor (%s), not the port; name the PF's own interface",
			       link.name, link.phys_port_name);
	if (pci_addr_parse(link.parent, ret_addr) < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "pf: %s is no PCI device, so it cannot have VFs; write \"device\": \"%s\" for the netdev itself",
			       link.name, link.name);
	return 0;
}

static int check_pf(const struct pci_dev *pci, const char *name, struct err *err)
{
	if (pci->is_vf)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "pf: %s is a VF of PF %s; write \"pf\": \"%s\", or \"deviceID\": \"%s\" for this very VF",
			       name, pci->pf, pci->pf, pci->addr);
	if (pci->total_vfs == 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "pf: %s cannot have VFs: it has no SR-IOV, or that is off in firmware or BIOS; write \"deviceID\": \"%s\" for the device itself",
			       name, pci->addr);
	return 0;
}

static int find_named(struct search *search, const char *name, struct err *err)
{
	char addr[PCI_TEXT_SIZE];
	struct pf pf;
	int r = find_addr(search->host, name, addr, err);

	if (r == 0)
		r = pci_get(addr, &pf.pci, err);
	if (r == 0)
		r = check_pf(&pf.pci, name, err);
	if (r < 0)
		return r;
	if (link_find_parent(search->host->rt, addr, &pf.link) < 0)
		return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
			       "PF %s has no network interface on the host: its driver is %s; bind it to its network driver",
			       addr, *pf.pci.driver ? pf.pci.driver : "not bound");
	r = chain_fabric(search->profile, search->wanted, &pf.link, &pf.pci, NULL, &pf.fabric, err);
	if (r < 0)
		return r;
	if (pf.pci.num_vfs == 0)
		return no_vfs(&pf, err);
	add(search, &pf);
	return 0;
}

/* ---- any PF ---- */

static bool is_allowed(const struct search *search, struct pf *pf)
{
	const struct fabric_port port = { pf->pci.addr, pf->link.name, pf->pci.driver,
					  pf->link.phys_port_name };
	struct err ignored = { 0 };

	pf->fabric = search->only;
	if (search->only)
		return profile_port_is_on(search->profile, search->only, &port);
	return chain_fabric(search->profile, search->wanted, &pf->link, &pf->pci, NULL, &pf->fabric,
			    &ignored) == 0;
}

static bool visit(const struct pci_dev *pci, void *arg)
{
	struct search *search = arg;
	struct pf pf = { .pci = *pci };

	if (link_find_parent(search->host->rt, pci->addr, &pf.link) == 0 && is_allowed(search, &pf))
		add(search, &pf);
	return search->no_memory;
}

static int find_any(struct search *search, struct err *err)
{
	const struct pf_list *list = search->list;

	pci_each_pf(visit, search);
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].pci.num_vfs > 0)
			return 0;
	if (list->n > 0)
		return no_vfs(&list->items[0], err);
	return err_set(err, ROCE_DEVICE_NOT_FOUND, -ENODEV,
		       "%s%s; PFs are: ls -d /sys/bus/pci/devices/*/sriov_totalvfs, and which of them may be used is in fabrics.NAME.pfs in %s",
		       search->only ? "no PF of this node is on fabric " :
				      "this node has no PF that this network may use",
		       search->only ? search->only->name : "", PROFILE_PATH);
}

int pf_find(const struct side *host, const struct profile *profile, const char *name,
	    const char *fabric, struct pf_list *ret_list, struct err *err)
{
	struct search search = { host, profile, fabric, NULL, ret_list, false };
	bool any = !name || streq(name, NETCONF_ANY_PF);
	int r = 0;

	*ret_list = (struct pf_list){ .n = 0 };
	if (name && any)
		r = profile_network_fabric(profile, fabric, &search.only, err);
	if (r == 0)
		r = any ? find_any(&search, err) : find_named(&search, name, err);
	if (r == 0 && search.no_memory)
		r = err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	if (r < 0)
		pf_free(ret_list);
	return r;
}

void pf_free(struct pf_list *list)
{
	free(list->items);
	*list = (struct pf_list){ .n = 0 };
}
