/* SPDX-License-Identifier: Apache-2.0 */
/* Ready: what an RDMA application in the pod finds when ADD has returned. */
#ifndef CNI_READY_H
#define CNI_READY_H

#include "cni/apply.h"
#include "conf/mtu.h"

/**
 * ready_wait() - wait until the pod's addresses are in the GID table, and look at the path MTU
 * @a:		the apply context after all steps; @a->result has the addresses
 * @chain:	planned: the RoCE path MTU that is needed
 * @required:	the network requires RDMA
 * @timeout_ms:	longest wait for the GIDs
 * @err:	ROCE_MTU_MISMATCH when the port reports less than is needed; ROCE_RDMA_UNUSABLE when RDMA
 *		is required and a GID is missing, or the device cannot be opened
 *
 * The kernel fills the table by itself, some time after an address was set
 * (drivers/infiniband/core/roce_gid_mgmt.c), and uses none of another namespace.
 *
 * Return: 0 or a negative errno.
 */
int ready_wait(const struct apply *a, const struct mtu_chain *chain, bool required, int timeout_ms,
	       struct err *err);

#endif
