/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in a file: CNI configurations and lists, NetworkAttachmentDefinitions, lists of them as
 * kubectl prints, node profiles.
 */
#ifndef CONF_DOCUMENT_H
#define CONF_DOCUMENT_H

#include "conf/cnicall.h"
#include "conf/source.h"

enum { DOCUMENT_PATH_SIZE = 64 };

enum document_kind {
	DOCUMENT_NETWORK, /* a CNI configuration or list, by itself or in a NetworkAttachmentDefinition */
	DOCUMENT_PROFILE, /* a node profile */
	DOCUMENT_OTHER,	  /* another Kubernetes object */
	DOCUMENT_UNKNOWN,
};

/**
 * struct document - one thing in a file; strings are borrowed
 * @kind:	what it is
 * @doc:	index of the document in the source
 * @path:	JSON path of @json in that document: "" or "items[3]"
 * @json:	the object
 * @what:	its "kind" in Kubernetes, "" for none
 * @name, @namespace: of the Kubernetes object; NULL for none
 * @resource:	its annotation k8s.v1.cni.cncf.io/resourceName, or NULL
 * @is_nad:	a NetworkAttachmentDefinition
 * @config:	of a network: its configuration or list; NULL when a definition has none, or when it
 *		cannot be read
 * @err:	why it cannot be read
 */
struct document {
	enum document_kind kind;
	size_t doc;
	char path[DOCUMENT_PATH_SIZE];
	const json_t *json;
	const char *what;
	const char *name, *namespace, *resource;
	bool is_nad;
	json_t *config;
	struct err err;
};

/* document_visitor - called for each thing in a file; it is valid during the call. */
typedef void (*document_visitor)(const struct document *document, void *arg);

/* document_each() - visit everything in a source, in its order. */
void document_each(const struct source *source, document_visitor visit, void *arg);

/* document_plugins() - number of plugins in a network's configuration: 1 unless it is a list. */
size_t document_plugins(const struct document *document);

/* document_plugin() - one plugin's configuration, borrowed; NULL if it is no object. */
const json_t *document_plugin(const struct document *document, size_t i);

/**
 * document_line() - the line of a JSON path in a configuration
 * @source, @document: where
 * @plugin:	index of the plugin that @path is in
 * @path:	JSON path in its configuration
 *
 * Return: line of the file, from 1; 0 when it cannot be told.
 */
int document_line(struct source *source, const struct document *document, size_t plugin,
		  const char *path);

/**
 * document_call() - a plugin's configuration as a runtime would pass it
 * @document:	a network
 * @i:		index of the plugin
 * @ret_call:	@text, @json, @name, @version are set; the caller calls document_free_call()
 * @err:	CNI_CONFIG_INVALID, CNI_VERSION_UNSUPPORTED
 *
 * As Multus and libcni do: a NetworkAttachmentDefinition's name stands in for a missing "name", a
 * list's name and cniVersion are given to each of its plugins.
 *
 * Return: 0 or a negative errno; @ret_call->json is set in any case.
 */
int document_call(const struct document *document, size_t i, struct cni_call *ret_call,
		  struct err *err);

/* document_free_call() - release what document_call() took. */
void document_free_call(struct cni_call *call);

#endif
