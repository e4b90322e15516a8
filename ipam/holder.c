// SPDX-License-Identifier: Apache-2.0
#include "ipam/holder.h"

#include <errno.h>
#include <sys/stat.h>

enum holder_state holder_state(const struct home *home, const struct lease *lease,
			       const char **ret_reason)
{
	struct stat st;

	*ret_reason = "";
	if (home_is_earlier_boot(home, lease->node, lease->boot)) {
		*ret_reason = "of an earlier boot";
		return HOLDER_STALE;
	}
	if (!streq(lease->node, home->node))
		*ret_reason = "of another node";
	else if (lease->netns[0] != '/')
		*ret_reason = "its network namespace is not known";
	else if (stat(lease->netns, &st) == 0)
		return HOLDER_OK;
	else if (errno != ENOENT)
		*ret_reason = "the path of its network namespace cannot be looked at";
	if (**ret_reason)
		return HOLDER_UNKNOWN;
	*ret_reason = "its network namespace is gone";
	return HOLDER_ORPHAN;
}
