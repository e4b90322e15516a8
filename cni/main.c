// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "cni/verbs.h"

static void undo_add(const struct cni_call *call)
{
	char *answer = NULL;
	struct err err = { 0 };

	if (verb_del(call, &answer, &err) < 0)
		log_warn("undoing the ADD: %s", err.msg);
}

int main(void)
{
	static const struct cnicall_plugin plugin = {
		.name = "roce",
		.about = "roce " ROCE_VERSION
			 " - CNI plugin: moves an SR-IOV VF or RDMA netdev into a pod, with a consistent MTU.\n"
			 "A container runtime starts it: see roce(8). To try a configuration: rocectl validate FILE.",
		.verbs = {
			[CNI_ADD] = verb_add,
			[CNI_DEL] = verb_del,
			[CNI_CHECK] = verb_check,
			[CNI_GC] = verb_gc,
			[CNI_STATUS] = verb_status,
		},
		.undo = undo_add,
	};

	return cnicall_main(&plugin);
}
