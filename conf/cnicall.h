/* SPDX-License-Identifier: Apache-2.0 */
/* One CNI call as both plugins serve it: environment and stdin in, one JSON document out. */
#ifndef CONF_CNICALL_H
#define CONF_CNICALL_H

#include "conf/cniargs.h"
#include "conf/result.h"

/**
 * struct cni_call - one call, checked
 * @args:	the environment
 * @text:	stdin, byte for byte: what a delegated plugin gets
 * @text_len:	its length in bytes
 * @json:	@text parsed
 * @name:	the network's name
 * @version:	its cniVersion, one of those supported
 */
struct cni_call {
	struct cni_args args;
	char *text;
	size_t text_len;
	json_t *json;
	const char *name;
	const char *version;
};

/**
 * cnicall_handler - serve one verb
 * @call:	the call
 * @ret_answer:	what goes to stdout, freed by the caller; left NULL for no output
 * @err:	what went wrong
 *
 * Return: 0 or a negative errno.
 */
typedef int (*cnicall_handler)(const struct cni_call *call, char **ret_answer, struct err *err);

/**
 * struct cnicall_plugin - one plugin
 * @name:	its file name, for the log
 * @about:	two lines for somebody who starts it by hand
 * @is_guest:	the configuration is another plugin's, which answers for what it says of the log; it
 *		counts if that plugin is roce
 * @verbs:	handlers; a NULL one is an unknown CNI_COMMAND. VERSION is served here
 * @undo:	called when the answer of a successful ADD could not be written: nobody knows of it,
 *		so it must not last
 */
struct cnicall_plugin {
	const char *name;
	const char *about;
	bool is_guest;
	cnicall_handler verbs[CNI_VERB_MAX];
	void (*undo)(const struct cni_call *call);
};

/**
 * cnicall_check() - check name and cniVersion of a configuration, and take them over
 * @call:	@json is set; receives @name and @version
 * @err:	CNI_CONFIG_INVALID, CNI_VERSION_UNSUPPORTED
 *
 * Return: 0 or a negative errno.
 */
int cnicall_check(struct cni_call *call, struct err *err);

/**
 * cnicall_main() - the whole of a plugin's main()
 *
 * Order of checks as in the Go library's skeleton: environment, stdin, JSON, name, version, verb.
 *
 * Return: the exit status.
 */
int cnicall_main(const struct cnicall_plugin *plugin);

#endif
