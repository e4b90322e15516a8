// SPDX-License-Identifier: Apache-2.0
#include "netlink/verbs.h"

#include "netlink/netns.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdlib.h>

enum { PORT = 1 };

struct verbs {
	struct ibv_context *context;
};

/* Not every provider sets errno. */
static int failure(void)
{
	return errno ? -errno : -EIO;
}

/* The list has the devices that have a file and a provider. Return: 0, -EOPNOTSUPP: not in it, or an errno. */
static int open_by_name(const char *name, struct ibv_context **ret_context)
{
	struct ibv_device **list;
	int r;

	errno = 0;
	list = ibv_get_device_list(NULL);
	r = list ? -EOPNOTSUPP : failure();
	for (size_t i = 0; list && list[i]; i++) {
		if (!streq(ibv_get_device_name(list[i]), name))
			continue;
		errno = 0;
		*ret_context = ibv_open_device(list[i]);
		r = *ret_context ? 0 : failure();
	}
	if (list)
		ibv_free_device_list(list);
	return r;
}

static int open_from(int netns, const char *name, struct verbs *verbs, struct err *err)
{
	int back, r = netns_enter(netns, &back, err);

	if (r < 0)
		return r;
	r = open_by_name(name, &verbs->context);
	netns_return(back);
	if (r == -EOPNOTSUPP)
		return err_set(err, ROCE_RDMA_UNUSABLE, r,
			       "RDMA device %s cannot be opened here: no file of it below /dev/infiniband, or no provider for it in this build",
			       name);
	if (r < 0)
		return err_set(err, ROCE_RDMA_UNUSABLE, r,
			       "RDMA device %s cannot be opened: %s; see: ls -l /dev/infiniband", name,
			       strerror(-r));
	return 0;
}

int verbs_open(int netns, const char *name, struct verbs **ret_verbs, struct err *err)
{
	struct verbs *verbs = calloc(1, sizeof(*verbs));
	int r;

	if (!verbs)
		return err_set(err, CNI_IO_FAILURE, -ENOMEM, "out of memory");
	r = open_from(netns, name, verbs, err);
	if (r == 0)
		*ret_verbs = verbs;
	else
		free(verbs);
	return r;
}

void verbs_close(struct verbs *verbs)
{
	if (!verbs)
		return;
	ibv_close_device(verbs->context);
	free(verbs);
}

int verbs_active_mtu(struct verbs *verbs)
{
	struct ibv_port_attr port;

	if (ibv_query_port(verbs->context, PORT, &port) != 0 || port.active_mtu < IBV_MTU_256)
		return 0;
	return 128 << port.active_mtu; /* IBV_MTU_256 is 1 */
}

ssize_t verbs_gids(struct verbs *verbs, struct verbs_gid gids[VERBS_GIDS_MAX])
{
	struct ibv_gid_entry entries[VERBS_GIDS_MAX];
	ssize_t n = ibv_query_gid_table(verbs->context, entries, VERBS_GIDS_MAX, 0), kept = 0;

	for (ssize_t i = 0; i < n; i++) {
		if (entries[i].port_num != PORT)
			continue;
		memcpy(gids[kept].bytes, entries[i].gid.raw, VERBS_GID_LEN);
		gids[kept].index = (int)entries[i].gid_index;
		gids[kept].roce_v2 = entries[i].gid_type == IBV_GID_TYPE_ROCE_V2;
		kept++;
	}
	return n < 0 ? n : kept;
}

void verbs_wait(struct verbs *verbs, int timeout_ms)
{
	struct pollfd pfd = { .fd = verbs->context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	if (poll(&pfd, 1, timeout_ms) > 0 && ibv_get_async_event(verbs->context, &event) == 0)
		ibv_ack_async_event(&event);
}
