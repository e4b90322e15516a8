// SPDX-License-Identifier: Apache-2.0
/* rocectl validate: the plan that an ADD would run, printed and not run. */
#include "ctl/ctl.h"

#include "conf/document.h"

#include <errno.h>
#include <stdio.h>

/* What the command line says. */
struct options {
	const char *profile;
	const char *netns;
	const char *ifname;
	const char *device;
	bool offline;
};

static const struct ctl_option options_table[] = {
	{ "offline", 0, NULL, "look at no host, only at the files", ctl_read_flag,
	  offsetof(struct options, offline) },
	{ "profile", 0, "FILE", "node profile (default " PROFILE_PATH ")", ctl_read_text,
	  offsetof(struct options, profile) },
	{ "device", 0, "PCI", "the VF that Multus would name", ctl_read_text,
	  offsetof(struct options, device) },
	{ "netns", 0, "PATH", "the pod's network namespace", ctl_read_text,
	  offsetof(struct options, netns) },
	{ "ifname", 0, "NAME", "interface name in the pod (default net1)", ctl_read_text,
	  offsetof(struct options, ifname) },
};

static int plan_on_host(const struct netconf *conf, const struct profile *profile,
			const struct options *options, const struct side *host,
			const struct side *pod, struct plan *ret_plan, struct device *ret_device,
			struct err *err)
{
	struct host_state state;
	int r = observe_device(conf, host, ret_device, err);

	if (r == 0)
		r = observe_state(conf, profile, ret_device, host, pod, options->ifname, &state, err);
	if (r == 0)
		plan_add(conf, profile, &state, options->ifname, ret_plan);
	return r;
}

static int observe_and_plan(const struct netconf *conf, const struct profile *profile,
			    const struct options *options, struct plan *ret_plan,
			    struct device *ret_device, struct err *err)
{
	struct side host = SIDE_CLOSED, pod = SIDE_CLOSED;
	int r = side_open_host(&host, err);

	if (r == 0 && options->netns)
		r = side_open_pod(options->netns, &host, false, &pod, err);
	if (r == 0)
		r = plan_on_host(conf, profile, options, &host, &pod, ret_plan, ret_device, err);
	side_close(&pod);
	side_close(&host);
	return r;
}

/* Without a node there is no device, so the parser is told of one where Multus would inject it. */
static int read_conf(struct cni_call *call, const struct options *options, struct netconf *ret_conf,
		     struct err *err)
{
	bool named = json_object_get(call->json, "deviceID") ||
		     json_object_get(call->json, "pciBusID") ||
		     json_object_get(call->json, "device");

	if (options->device)
		json_object_set_new(call->json, "deviceID", json_string(options->device));
	else if (!named && options->offline)
		json_object_set_new(call->json, "deviceID", json_string("0000:00:00.0"));
	return netconf_read(call, ret_conf, err);
}

static int validate_call(struct cni_call *call, const struct profile *profile,
			 const struct options *options, struct err *err)
{
	struct netconf conf;
	struct device device;
	struct err refusal = { 0 };
	struct plan plan;
	int r = read_conf(call, options, &conf, err);

	if (r < 0)
		return r;
	printf("network %s\n", call->name);
	if (options->offline)
		return 0;
	r = observe_and_plan(&conf, profile, options, &plan, &device, err);
	if (r < 0)
		return r;
	ctl_print_chain(&plan.chain, options->ifname);
	ctl_print_steps(&plan, device.name);
	ctl_print_findings(&plan.findings);
	return finding_refuse(&plan.findings, &refusal);
}

static int validate_file(const char *path, const struct profile *profile,
			 const struct options *options)
{
	struct document doc;
	struct err err = { 0 };
	int status = CTL_OK;

	if (document_load(path, &doc, &err) < 0) {
		ctl_print_error(path, &err);
		return err.code == CNI_IO_FAILURE ? CTL_USAGE : CTL_ERRORS;
	}
	for (size_t i = 0; i < doc.n_calls; i++) {
		struct err one = { 0 };

		if (validate_call(&doc.calls[i], profile, options, &one) < 0)
			status = CTL_ERRORS;
		if (err_is_set(&one))
			ctl_print_error(path, &one);
	}
	document_free(&doc);
	return status;
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	struct options options = { .profile = PROFILE_PATH, .ifname = "net1" };
	int first = ctl_options(command, argc, argv, &options);
	struct profile profile;
	struct err err = { 0 };
	int status = CTL_OK;

	if (first < 0 || first == argc)
		return first < 0 ? CTL_USAGE : ctl_usage(command, stderr);
	if (profile_load(options.profile, &profile, &err) < 0)
		return ctl_print_error("rocectl", &err);
	for (int i = first; i < argc; i++) {
		int one = validate_file(argv[i], &profile, &options);

		status = one > status ? one : status;
	}
	profile_free(&profile);
	return status;
}

const struct ctl_command ctl_validate = {
	.name = "validate",
	.operands = "FILE...",
	.about = "check network configurations: the plan of an ADD, not run",
	.options = options_table,
	.n_options = ARRAY_SIZE(options_table),
	.run = run,
};
