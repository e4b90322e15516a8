// SPDX-License-Identifier: Apache-2.0
#include "cni/ready.h"

#include "base/file.h"
#include "base/log.h"
#include "base/stop.h"
#include "netlink/verbs.h"

#include <errno.h>
#include <stdio.h>

/* What one look at the GID table is for. */
struct look {
	const struct apply *a;
	struct verbs *verbs;
	struct verbs_gid gids[VERBS_GIDS_MAX];
	ssize_t n;
};

/* The GID of an address: itself, an IPv4 one mapped (IBTA Annex A17). */
static void gid_of(struct inet_addr addr, unsigned char gid[VERBS_GID_LEN])
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(gid, mapped, sizeof(mapped));
	inet_to_bytes(addr, addr.family == AF_INET ? gid + sizeof(mapped) : gid);
}

/* Index of an address's RoCE v2 GID; -1: it is not there. */
static int find_gid(const struct look *look, struct inet_addr addr)
{
	unsigned char gid[VERBS_GID_LEN];

	gid_of(addr, gid);
	for (ssize_t i = 0; i < look->n; i++)
		if (look->gids[i].roce_v2 && memcmp(look->gids[i].bytes, gid, sizeof(gid)) == 0)
			return look->gids[i].index;
	return -1;
}

/* Return: an address without a GID, or NULL. */
static const struct cni_ip *find_missing(struct look *look)
{
	const struct cni_result *result = &look->a->result;

	look->n = verbs_gids(look->verbs, look->gids);
	for (size_t i = 0; i < result->n_ips; i++)
		if (find_gid(look, result->ips[i].address.addr) < 0)
			return &result->ips[i];
	return NULL;
}

static void say_found(const struct look *look)
{
	const struct cni_result *result = &look->a->result;
	char text[INET_PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < result->n_ips; i++) {
		struct inet_prefix address = result->ips[i].address;
		int index = find_gid(look, address.addr);

		if (index >= 0)
			log_info("RDMA device %s: address %s has the RoCE v2 GID index %d",
				 look->a->device.rdma.name, inet_format_prefix(address, text), index);
	}
}

/* Until all are there, the table cannot be read, or the time is over. Return: 0, or -EINTR for a signal. */
static int wait_for(struct look *look, int timeout_ms, const struct cni_ip **ret_missing,
		    struct err *err)
{
	int64_t deadline = file_deadline(timeout_ms);
	const struct cni_ip *missing;
	int left, r = 0;

	while ((missing = find_missing(look)) && look->n >= 0 &&
	       (left = file_time_left(deadline)) > 0 && (r = stop_check(err)) == 0)
		verbs_wait(look->verbs, left < STOP_TICK_MS ? left : STOP_TICK_MS);
	*ret_missing = missing;
	return r;
}

/* Of a device that is gone the table cannot be read, either. */
static const char *why_missing(const struct look *look, int timeout_ms, char buf[64])
{
	if (look->n < 0)
		return strerror((int)-look->n);
	snprintf(buf, 64, "it was not in the table within %d ms", timeout_ms);
	return buf;
}

static int wait_gids(struct look *look, bool required, int timeout_ms, struct err *err)
{
	const char *name = look->a->device.rdma.name;
	const struct cni_ip *missing;
	char text[INET_PREFIX_TEXT_SIZE], why[64];
	int r = wait_for(look, timeout_ms, &missing, err);

	if (r < 0)
		return r;
	say_found(look);
	if (!missing)
		return 0;
	inet_format_prefix(missing->address, text);
	if (required)
		return err_set(err, ROCE_RDMA_UNUSABLE, -ETIMEDOUT,
			       "RDMA device %s has no RoCE v2 GID of the pod's address %s: %s; see in the pod: ibv_devinfo -v -d %s; the node profile's gidWait is the time",
			       name, text, why_missing(look, timeout_ms, why), name);
	log_warn("RDMA device %s has no RoCE v2 GID of the pod's address %s: %s; applications will not connect until it is",
		 name, text, why_missing(look, timeout_ms, why));
	return 0;
}

/* Less than is needed goes only with the policy "warn", and not in silence. */
static int check_mtu(const struct look *look, const struct mtu_chain *chain, struct err *err)
{
	int active = verbs_active_mtu(look->verbs);
	int need = chain->roce_mtu.set ? chain->roce_mtu.value : 0;
	const char *name = look->a->device.rdma.name;
	struct err small = { 0 };

	log_info("RDMA device %s reports RoCE path MTU %d (%d was derived)", name, active,
		 chain->device_roce_mtu);
	if (active == 0 || active >= need)
		return 0;
	err_set(&small, ROCE_MTU_MISMATCH, -EIO,
		"MTU_MISMATCH at the RDMA device: %s reports RoCE path MTU %d with netdev MTU %d, %d is needed; see: ibv_devinfo -d %s",
		name, active, chain->pod_mtu, need, name);
	if (chain->policy != MTU_WARN) {
		*err = small;
		return -EIO;
	}
	log_warn("%s", small.msg);
	return 0;
}

/* The pod sees the device by its own namespace, in either mode. */
int ready_wait(const struct apply *a, const struct mtu_chain *chain, bool required, int timeout_ms,
	       struct err *err)
{
	_cleanup_verbs_ struct verbs *verbs = NULL;
	struct err closed = { 0 };
	struct look look = { .a = a };
	int r = verbs_open(a->pod.netns, a->device.rdma.name, &verbs, &closed);

	if (r < 0 && required && r != -EOPNOTSUPP) { /* a file it has, where it is required: see the plan */
		*err = closed;
		return r;
	}
	if (r < 0) {
		log_info("%s; RoCE path MTU %d is derived from the netdev's", closed.msg,
			 chain->device_roce_mtu);
		return 0;
	}
	look.verbs = verbs;
	r = check_mtu(&look, chain, err);
	return r < 0 ? r : wait_gids(&look, required, timeout_ms, err);
}
