// SPDX-License-Identifier: Apache-2.0
#include "cni/verbs.h"

struct attachment verbs_attachment(const struct cni_call *call)
{
	return (struct attachment){
		.network = call->name,
		.container_id = call->args.container_id,
		.ifname = call->args.ifname,
	};
}

static const char *text(const char *value)
{
	return value ? value : "";
}

struct delegate verbs_delegate(const struct cni_call *call, const char *type)
{
	const struct cni_args *args = &call->args;

	return (struct delegate){
		.type = type,
		.config = call->text,
		.config_len = call->text_len,
		.path = args->path,
		.container_id = text(args->container_id),
		.netns = text(args->netns),
		.ifname = text(args->ifname),
		.cni_args = args->args,
	};
}

int verbs_forward(const struct cni_call *call, struct err *err)
{
	struct delegate delegate = verbs_delegate(call, netconf_ipam_type(call->json));

	return delegate.type ? delegate_call(&delegate, call->args.verb, err) : 0;
}
