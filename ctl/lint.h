/* SPDX-License-Identifier: Apache-2.0 */
/* The part of rocectl validate that needs no host: a network against the rules and the profile. */
#ifndef CTL_LINT_H
#define CTL_LINT_H

#include "conf/document.h"
#include "conf/netconf.h"
#include "ctl/report.h"
#include "ipam/ipamconf.h"

/* Stands for a device that is only known at run time. */
#define LINT_ANY_DEVICE "0000:00:00.0"

/* A network that has been seen, to compare the next ones with. */
struct lint_range {
	const char *file;
	char name[CNI_NAME_MAX + 1];
	char namespace[64];
	char domain[64]; /* network_name of its collision domain */
	bool shares;
	int line;
	int family;
	inet_num first, last;
};

struct lint_seen {
	struct lint_range *ranges;
	size_t n;
};

/**
 * lint_config() - read a plugin's configuration, and all that is wrong with it
 * @document, @i: the plugin
 * @device:	the device that Multus would name, or NULL
 * @call:	from document_call(); what is wrong is removed from its JSON
 * @ret_conf:	the rest of it
 * @report:	receives findings
 *
 * Return: true if @ret_conf can be used.
 */
bool lint_config(const struct document *document, const char *device, struct cni_call *call,
		 struct netconf *ret_conf, struct report *report);

/**
 * lint_ipam() - read the "ipam" object, if it is roce-ipam's
 * @document:	the network
 * @call:	what is wrong is removed from its JSON
 * @profile:	node profile
 * @ret_ipam:	what it says; the caller calls ipamconf_free()
 * @report:	receives findings
 *
 * Return: true if @ret_ipam is set.
 */
bool lint_ipam(const struct document *document, struct cni_call *call, const struct profile *profile,
	       struct ipamconf *ret_ipam, struct report *report);

/* lint_pf() - whether the profile says which fabric is meant by "pf": "*". */
void lint_pf(const struct netconf *conf, const struct profile *profile, struct findings *findings);

/**
 * lint_mtu() - the MTU arithmetic, on every fabric that the network can be on
 * @conf, @profile: what is asked and allowed
 * @report:	receives findings and, in its plan, the last chain
 */
void lint_mtu(const struct netconf *conf, const struct profile *profile, struct report *report);

/* lint_log() - whether the profile allows "logFile". Return: true if there is one, and it does. */
bool lint_log(const struct netconf *conf, const struct profile *profile, struct findings *findings);

/* lint_routes() - the MTU of roce-ipam's routes against that of the interface. */
void lint_routes(const struct mtu_chain *chain, const struct ipamconf *ipam,
		 struct findings *findings);

/* lint_remember() - keep a network's ranges for lint_overlaps(). Return: 0 or -ENOMEM. */
int lint_remember(struct lint_seen *seen, const struct report *report, const struct ipamconf *ipam);

/* lint_overlaps() - the ranges of different networks that overlap, as findings of the file. */
void lint_overlaps(struct lint_seen *seen, struct findings *findings);

/* lint_forget() - release what lint_remember() took. */
void lint_forget(struct lint_seen *seen);

/* lint_locate() - fill in the lines of the findings that have a path but no line yet. */
void lint_locate(struct source *source, const struct document *document, size_t plugin,
		 struct findings *findings);

/**
 * lint_error() - an error as a finding
 * @err:	the error
 * @manual:	the page that has the keys, if the error is about one: "man 8 roce"
 * @findings:	receives it
 */
void lint_error(const struct err *err, const char *manual, struct findings *findings);

#endif
