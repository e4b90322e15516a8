/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the roce plugin. Each is a cnicall_handler. */
#ifndef CNI_VERBS_H
#define CNI_VERBS_H

#include "cni/delegate.h"
#include "cni/journal.h"
#include "conf/cnicall.h"

int verb_add(const struct cni_call *call, char **ret_answer, struct err *err);
int verb_del(const struct cni_call *call, char **ret_answer, struct err *err);
int verb_check(const struct cni_call *call, char **ret_answer, struct err *err);
int verb_gc(const struct cni_call *call, char **ret_answer, struct err *err);
int verb_status(const struct cni_call *call, char **ret_answer, struct err *err);

/* verbs_attachment() - what the attachment of a call is known by. */
struct attachment verbs_attachment(const struct cni_call *call);

/**
 * verbs_delegate() - the IPAM plugin of a call, given what the call was given
 * @call:	the call
 * @type:	the plugin's name, or NULL for none
 */
struct delegate verbs_delegate(const struct cni_call *call, const char *type);

/* verbs_forward() - run the IPAM plugin that a call's configuration names, if any, for its verb. */
int verbs_forward(const struct cni_call *call, struct err *err);

#endif
