/* SPDX-License-Identifier: Apache-2.0 */
/* Plan: from what is asked and what is there to the steps to run and what there is to say. Pure. */
#ifndef CNI_PLAN_H
#define CNI_PLAN_H

#include "cni/observe.h"
#include "cni/step.h"
#include "conf/finding.h"
#include "conf/mtu.h"
#include "conf/result.h"

/**
 * struct plan - the answer
 * @steps, @n_steps:	in the order they run
 * @findings:		an error among them refuses the ADD before anything is touched
 * @chain:		the MTU chain, judged
 */
struct plan {
	struct step steps[STEPS_MAX];
	size_t n_steps;
	struct findings findings;
	struct mtu_chain chain;
};

/**
 * plan_add() - the steps that bring the device into the pod, up to the IPAM plugin's answer
 * @conf:	configuration
 * @profile:	node profile
 * @state:	what the host shows
 * @ifname:	CNI_IFNAME
 * @ret_plan:	the plan; its steps borrow texts from @conf and @state
 *
 * Order: down; PF-side settings, MAC, MTU while it is down and on the host; netdev; RDMA device;
 * addresses from IPAM; up. Undo in reverse brings the RDMA device back before the netdev.
 */
void plan_add(const struct netconf *conf, const struct profile *profile,
	      const struct host_state *state, const char *ifname, struct plan *ret_plan);

/**
 * plan_home() - what the profile says that a VF has between two pods
 * @fabric:	the fabric of a VF; NULL: it has none, or is no VF
 * @steps, @n:	steps of its ADD, as they go into the journal: where the profile has a value, that is
 *		what they restore, instead of what was found
 *
 * A VF that something else left dirty is clean after the first pod, and stays so.
 */
void plan_home(const struct fabric *fabric, struct step *steps, size_t n);

/**
 * plan_check() - what stands against an ADD, but for the MTU
 * @conf, @profile, @state, @ifname: as plan_add()
 * @findings:	receives it
 */
void plan_check(const struct netconf *conf, const struct profile *profile,
		const struct host_state *state, const char *ifname, struct findings *findings);

/* plan_check_rdma() - the RDMA side of it: see plan_check(). */
void plan_check_rdma(const struct netconf *conf, const struct host_state *state,
		     struct findings *findings);

/* plan_rate_wanted() - the rates that a VF shall have. */
struct vf_rate plan_rate_wanted(const struct netconf *conf, const struct host_state *state);

/**
 * plan_check_device() - may the device be given to a pod at all
 * @profile:	node profile
 * @state:	what the host shows
 * @findings:	receives an error for each thing that forbids it
 */
void plan_check_device(const struct profile *profile, const struct host_state *state,
		       struct findings *findings);

/**
 * plan_forbidden() - what the network asks for and the node's administrator has forbidden
 * @conf:	configuration
 * @profile:	node profile
 * @findings:	receives an error for each
 */
void plan_forbidden(const struct netconf *conf, const struct profile *profile,
		    struct findings *findings);

/**
 * plan_check_no_vf() - a PF's settings of a VF, asked for a device that is none
 * @conf:	configuration
 * @findings:	receives an error for each
 */
void plan_check_no_vf(const struct netconf *conf, struct findings *findings);

/**
 * plan_policy() - the policy that holds for a network
 * @conf:	configuration
 * @profile:	node profile
 * @findings:	receives an error if the network's is looser than the node's and must not be
 *
 * Return: the policy.
 */
enum mtu_policy plan_policy(const struct netconf *conf, const struct profile *profile,
			    struct findings *findings);

/**
 * plan_addresses() - the steps that configure what the IPAM plugin answered
 * @result:	its answer
 * @ret_plan:	plan with just these steps
 *
 * A route without a gateway gets the first gateway of its IP version among the addresses.
 */
void plan_addresses(const struct cni_result *result, struct plan *ret_plan);

#endif
