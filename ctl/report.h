/* SPDX-License-Identifier: Apache-2.0 */
/* What rocectl validate has to say about one network, and how it says it. */
#ifndef CTL_REPORT_H
#define CTL_REPORT_H

#include "cni/plan.h"
#include "ctl/ctl.h"
#include "ipam/lease.h"

/* Version of the JSON answer; docs/validate.md describes it. */
#define REPORT_SCHEMA_VERSION "1.0"

enum { REPORT_NAME_SIZE = 256 };

/**
 * struct report - one plugin of one network, or a file as a whole
 * @file:	the file
 * @line:	where it starts in the file; 0: unknown
 * @what:	"network", "profile", "file"
 * @name:	name of the network, "" for none
 * @namespace:	of its definition, "" for none
 * @findings:	all there is to say
 * @planned:	the node was looked at: the members below are set
 * @plan:	the plan of an ADD
 * @ifname:	interface name in the pod
 * @device:	name of the device on the host
 * @pci:	its PCI address or the name of its auxiliary device, "" for none
 * @rdma:	RDMA device and mode, in words
 * @next, @n_next: addresses that would be given out next
 */
struct report {
	const char *file;
	int line;
	const char *what;
	char name[REPORT_NAME_SIZE];
	char namespace[REPORT_NAME_SIZE];
	struct findings findings;
	bool planned;
	struct host_state state;
	struct plan plan;
	const char *ifname;
	char device[LINK_NAME_SIZE];
	char pci[DEVICE_ID_SIZE];
	char rdma[160];
	struct inet_prefix next[LEASE_RANGES_MAX];
	size_t n_next;
};

/* How many findings of each severity there were. */
struct tally {
	size_t n[SEVERITY_MAX];
};

/* report_count() - add a report's findings to a tally. */
void report_count(const struct report *report, struct tally *tally);

/* report_print() - a report as text on stdout. */
void report_print(const struct report *report);

/* report_to_json() - a report as an object, for the caller to release. */
json_t *report_to_json(const struct report *report);

#endif
