/* SPDX-License-Identifier: Apache-2.0 */
/* The part of rocectl validate that looks at the node: observe and plan as ADD does, and no more. */
#ifndef CTL_NODE_H
#define CTL_NODE_H

#include "conf/netconf.h"
#include "ctl/report.h"
#include "ipam/ipamconf.h"

/* The last answer of node_pick(): most networks of a cluster ask the same. */
struct node_picked {
	bool asked;
	char pf[128];
	char fabric[128];
	char pci[PCI_TEXT_SIZE];
	struct err err;
};

/**
 * struct node - the node, open for looking
 * @host, @pod:	the two sides; the pod's is an empty namespace unless one was named
 * @pod_err:	why there is no pod side
 * @picked:	the free VF that was found last
 */
struct node {
	struct side host, pod;
	struct err pod_err;
	struct node_picked picked;
};

/**
 * node_open() - open both sides
 * @netns:	the pod's namespace, or NULL
 * @ret_node:	the node; the caller calls node_close()
 * @err:	ROCE_NETNS_INVALID
 *
 * Return: 0 or a negative errno.
 */
int node_open(const char *netns, struct node *ret_node, struct err *err);

/* node_log() - what stands at an allowed "logFile"; nothing is made. */
void node_log(const struct profile *profile, const char *file, struct findings *findings);

/* node_close() - close what is open. */
void node_close(struct node *node);

/**
 * node_pick() - the VF that an ADD would pick; where Multus will name the device, the first free one
 * @node, @profile: where
 * @conf:	"pf" and "fabric" of the network
 * @ret_pci:	its PCI address
 * @err:	see pick_look()
 *
 * Return: 0 or a negative errno.
 */
int node_pick(struct node *node, const struct profile *profile, const struct netconf *conf,
	      char ret_pci[PCI_TEXT_SIZE], struct err *err);

/**
 * node_plan() - the plan of an ADD
 * @node, @profile: where
 * @conf:	configuration
 * @ifname:	interface name in the pod
 * @report:	receives plan, device and findings
 */
void node_plan(const struct node *node, const struct profile *profile, const struct netconf *conf,
	       const char *ifname, struct report *report);

/**
 * node_addresses() - the addresses that roce-ipam would give out next
 * @profile:	node profile
 * @network:	name of the network
 * @ipam:	its configuration; cut to what is this node's
 * @report:	receives addresses and findings
 */
void node_addresses(const struct profile *profile, const char *network, struct ipamconf *ipam,
		    struct report *report);

#endif
