// SPDX-License-Identifier: Apache-2.0
/*
 * Layout, below the home:
 *
 *	.domain/10.56.0.2	the record of the lease, whatever network has it (a hard link)
 *	.domain/lock		flock(2)
 *	.domain/map		bitmap of the names, a cache (addrmap.c)
 *	.domain.NAME/...	the same for the networks whose "network_name" is NAME
 *
 * No network's name begins with '.', so none of them is a pool.
 *
 * Under the domain's lock a name counts if and only if the pool of the record's network has that
 * record under the same address: a lease is published as domain, address, by-id, and released as
 * address, domain, by-id, all under this lock. So a process killed anywhere leaves a name that
 * either counts or is known to be an orphan, and never an address in a pool without its name here.
 *
 * No fsync: a name here protects a lease of this boot, and power loss ends the boot. A container
 * that starts again after it enters its address anew.
 */
#include "ipam/domain.h"

#include "base/log.h"
#include "ipam/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define PREFIX ".domain"

const char *domain_name(const char *network_name, char buf[LEASE_DOMAIN_SIZE])
{
	snprintf(buf, LEASE_DOMAIN_SIZE, PREFIX "%s%s", *network_name ? "." : "", network_name);
	return buf;
}

void domain_init(struct domain *domain, const struct home *home)
{
	*domain = (struct domain){ .home = home, .folder = FOLDER_CLOSED };
	addrmap_init(&domain->map, -1);
}

/* A record says which; who could write records could write anything, but not by a path. */
static bool name_ok(const char *name)
{
	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && !strchr(name, '/');
}

int domain_switch(struct domain *domain, const char *name, enum home_mode mode, int64_t deadline,
		  struct err *err)
{
	int r;

	if (streq(domain->name, name))
		return 0;
	domain_close(domain);
	if (!name_ok(name))
		return err_set(err, ROCE_STATE_BROKEN, -EBADMSG,
			       "\"%.64s\" is not the name of a collision domain", name);
	r = folder_open(domain->home, name, mode, deadline, &domain->folder, err);
	if (r < 0)
		return r;
	snprintf(domain->name, sizeof(domain->name), "%s", name);
	addrmap_init(&domain->map, domain->folder.dir);
	return 0;
}

void domain_close(struct domain *domain)
{
	if (!*domain->name)
		return;
	addrmap_close(&domain->map);
	folder_close(&domain->folder);
	domain->name[0] = '\0';
}

int domain_enter(struct domain *domain, int dir, const char *from, struct inet_addr addr)
{
	char name[INET_TEXT_SIZE];

	addrmap_load(&domain->map, domain->home->boot); /* before the folder changes */
	if (linkat(dir, from, domain->folder.dir, inet_format(addr, name), 0) < 0)
		return -errno;
	addrmap_set(&domain->map, addr);
	return 0;
}

int domain_remove(struct domain *domain, const char *name, struct inet_addr addr)
{
	addrmap_load(&domain->map, domain->home->boot);
	addrmap_clear(&domain->map, addr);
	return record_unlink(domain->folder.dir, name);
}

int domain_leave(struct domain *domain, const struct stat *st, const struct lease *lease)
{
	char name[INET_TEXT_SIZE];

	inet_format(lease->address.addr, name);
	if (!record_is_lease(domain->folder.dir, name, st, lease))
		return 0;
	return domain_remove(domain, name, lease->address.addr);
}

int domain_find(const struct domain *domain, struct inet_addr addr, struct lease *ret_lease,
		struct err *err)
{
	char name[INET_TEXT_SIZE];
	struct stat st;
	int r = record_read(domain->folder.dir, inet_format(addr, name), ret_lease, &st, err);

	if (r == -EBADMSG)
		return err_wrap(err, "%s/%s/%s", domain->home->path, domain->name, name);
	return r == -ENOENT ? 0 : r < 0 ? r : 1;
}

/* ---- names without a lease ---- */

/**
 * struct sweep - one walk
 * @domain:	the domain
 * @home:	its home, open
 * @n:		names removed
 */
struct sweep {
	struct domain *domain;
	int home;
	int n;
};

/* True if the record's network has it, under this address. */
static bool is_held(int home, const char *name, const struct stat *st, const struct lease *lease)
{
	char path[CNI_NAME_MAX + INET_TEXT_SIZE + 2], text[INET_TEXT_SIZE];

	if (!cniargs_name_ok(lease->network) ||
	    !streq(inet_format(lease->address.addr, text), name))
		return false;
	snprintf(path, sizeof(path), "%s/%s", lease->network, name);
	return record_is_lease(home, path, st, lease);
}

static void sweep_one(struct sweep *sweep, const char *name, struct inet_addr addr)
{
	const struct home *home = sweep->domain->home;
	struct err why = { 0 };
	struct lease lease;
	struct stat st;
	int r = record_read(sweep->domain->folder.dir, name, &lease, &st, &why);

	if (r < 0 && r != -EBADMSG)
		return;
	if (r == -EBADMSG && st.st_nlink > 1) {
		log_warn("%s/%s/%s: %s; its address stays taken until its holder's DEL", home->path,
			 sweep->domain->name, name, why.msg);
		return;
	}
	if (r == 0 && is_held(sweep->home, name, &st, &lease) &&
	    !home_is_earlier_boot(home, lease.node, lease.boot))
		return;
	if (domain_remove(sweep->domain, name, addr) == 0)
		sweep->n++;
}

static int sweep_all(struct sweep *sweep, struct err *err)
{
	_cleanup_names_ DIR *names = record_list(sweep->domain->folder.dir);
	struct inet_addr addr;
	const char *name;

	if (!names)
		return err_set(err, CNI_IO_FAILURE, -errno, "cannot read %s/%s: %m",
			       sweep->domain->home->path, sweep->domain->name);
	while ((name = record_next(names, &addr)))
		sweep_one(sweep, name, addr);
	if (sweep->n > 0)
		log_info("%s/%s: %d addresses without a lease freed", sweep->domain->home->path,
			 sweep->domain->name, sweep->n);
	return sweep->n;
}

int domain_sweep(struct domain *domain, const struct inet_addr *only, struct err *err)
{
	_cleanup_close_ int home = home_open(domain->home, HOME_EXISTING, err);
	struct sweep sweep = { domain, home, 0 };
	char name[INET_TEXT_SIZE];

	if (home < 0)
		return home == -ENOENT ? 0 : home;
	if (!only)
		return sweep_all(&sweep, err);
	sweep_one(&sweep, inet_format(*only, name), *only);
	return sweep.n;
}
