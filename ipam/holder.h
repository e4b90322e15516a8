/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the holder of a lease still exists, as far as its record and a path tell. */
#ifndef IPAM_HOLDER_H
#define IPAM_HOLDER_H

#include "ipam/home.h"
#include "ipam/lease.h"

enum holder_state {
	HOLDER_OK,	/* of this boot, and the path of its namespace exists */
	HOLDER_STALE,	/* of an earlier boot of this node: its namespace is gone */
	HOLDER_ORPHAN,	/* of this boot, and nothing is at the path of its namespace */
	HOLDER_UNKNOWN, /* another node's, or the path is not known or cannot be looked at */
};

/**
 * holder_state() - what has become of a lease's holder
 * @home:	the store, and the node that asks
 * @lease:	the lease
 * @ret_reason:	why it is not HOLDER_OK; "" if it is
 *
 * Paths are those of the caller's mount namespace: ask on the node itself, not in a container.
 */
enum holder_state holder_state(const struct home *home, const struct lease *lease,
			       const char **ret_reason);

#endif
