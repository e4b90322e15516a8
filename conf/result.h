/* SPDX-License-Identifier: Apache-2.0 */
/* CNI results, errors and versions: structs here, JSON of the caller's spec version outside. */
#ifndef CONF_RESULT_H
#define CONF_RESULT_H

#include "base/err.h"
#include "conf/cniargs.h"
#include "conf/inet.h"
#include "conf/jx.h"

/* The newest CNI specification supported: what VERSION answers with. */
#define CNI_VERSION_NEWEST "1.1.0"

enum {
	RESULT_IPS_MAX = 32,
	RESULT_ROUTES_MAX = 128,
	CNI_SCOPE_LINK = 253, /* rtnetlink's RT_SCOPE_LINK: from here on a route has no gateway */
};

/*
 * One address of a result. @gateway.family is AF_UNSPEC when there is none; @interface is its index
 * among the result's interfaces, when it was read from a prevResult.
 */
struct cni_ip {
	struct inet_prefix address;
	struct inet_addr gateway;
	struct opt_int interface;
};

/* One route of a result; @gw.family is AF_UNSPEC when it has none. All but dst and gw: spec 1.1.0. */
struct cni_route {
	struct inet_prefix dst;
	struct inet_addr gw;
	struct opt_int mtu, advmss, priority, table, scope;
};

/* The interface that an ADD made; IPAM results have none. */
struct cni_iface {
	char name[CNI_IFNAME_SIZE];
	char mac[MAC_TEXT_SIZE]; /* "" if nobody ordered one: a VF without netdev */
	char pci[PCI_TEXT_SIZE]; /* "" for a netdev without a PCI address */
	int mtu;		 /* bytes, as the kernel reports it in the pod; 0: not known */
	const char *sandbox;	 /* CNI_NETNS, byte for byte */
};

/**
 * struct cni_result - what an ADD answers
 * @ips, @routes:	addresses and routes
 * @dns:		the "dns" object as it came, or NULL; borrowed
 */
struct cni_result {
	struct cni_ip ips[RESULT_IPS_MAX];
	size_t n_ips;
	struct cni_route routes[RESULT_ROUTES_MAX];
	size_t n_routes;
	const json_t *dns;
};

/**
 * result_version_check() - refuse a cniVersion that is not supported
 * @version:	text of the configuration's cniVersion
 * @err:	CNI_VERSION_UNSUPPORTED, the details list what is supported
 *
 * Return: 0 or a negative errno.
 */
int result_version_check(const char *version, struct err *err);

/* result_version_at_least() - compare two versions such as "0.4.0" by their numbers. */
bool result_version_at_least(const char *version, const char *least);

/**
 * result_parse() - read a result, for example an IPAM plugin's answer
 * @json:	the result, of any supported version
 * @ret_result:	its addresses, routes and dns; @dns borrows from @json
 * @err:	CNI_DECODING_FAILURE or CNI_CONFIG_INVALID with the JSON path
 *
 * Return: 0 or a negative errno.
 */
int result_parse(const json_t *json, struct cni_result *ret_result, struct err *err);

/**
 * result_find_iface() - find an interface in a prevResult
 * @prev:	the result
 * @name, @sandbox: CNI_IFNAME and CNI_NETNS
 * @ret_iface:	what it says of the interface; @mtu is 0 when it says nothing
 *
 * Return: the interface's index, or -1.
 */
int result_find_iface(const json_t *prev, const char *name, const char *sandbox,
		      struct cni_iface *ret_iface);

/* result_read_route() - jx_reader for one route object into a struct cni_route. */
int result_read_route(const json_t *value, const char *path, void *field, struct err *err);

/* result_read_prefix() - jx_reader for ADDRESS/LENGTH into a struct inet_prefix. */
int result_read_prefix(const json_t *value, const char *path, void *field, struct err *err);

/* result_read_addr() - jx_reader for a bare IP address into a struct inet_addr. */
int result_read_addr(const json_t *value, const char *path, void *field, struct err *err);

/* result_prefixes() - addresses with their prefix lengths as a JSON array of strings. */
json_t *result_prefixes(const struct inet_prefix *prefixes, size_t n);

/**
 * result_print() - the answer of an ADD
 * @result:	addresses, routes, dns
 * @iface:	our interface, or NULL in an IPAM plugin's answer
 * @prev:	prevResult of a chained call, or NULL: everything in it is kept, ours is appended
 * @version:	cniVersion to answer in
 *
 * Return: the JSON text, which the caller frees, or NULL without memory.
 */
char *result_print(const struct cni_result *result, const struct cni_iface *iface,
		   const json_t *prev, const char *version);

/**
 * result_print_error() - the error document
 * @err:	the error
 * @version:	cniVersion of the configuration, NULL when it is not known: the newest then
 *
 * Return: the JSON text, which the caller frees, or NULL without memory.
 */
char *result_print_error(const struct err *err, const char *version);

/* result_print_versions() - the answer of VERSION; the caller frees it. */
char *result_print_versions(void);

#endif
