// SPDX-License-Identifier: Apache-2.0
#include "netlink/upper.h"

struct walk {
	struct nlsock *sock;
	const struct link *port;
	int also;
	struct uppers *found;
};

static const struct upper *find(const struct walk *walk, int ifindex)
{
	for (size_t i = 0; i < walk->found->n; i++)
		if (walk->found->items[i].link.ifindex == ifindex)
			return &walk->found->items[i];
	return NULL;
}

static struct upper *add(struct walk *walk, const struct link *link, enum upper_relation relation,
			 int on)
{
	struct uppers *found = walk->found;

	if (link->ifindex == walk->port->ifindex || link->ifindex == walk->also ||
	    find(walk, link->ifindex))
		return NULL; /* two ends of a veth point at each other */
	if (found->n == UPPERS_MAX) {
		found->more = true;
		return NULL;
	}
	found->items[found->n] = (struct upper){ .link = *link, .relation = relation, .on = on };
	return &found->items[found->n++];
}

static int climb(struct walk *walk, const struct link *link);

/* One step from @link to @ifindex, and on from there. Return: VLAN tags of frames sent there. */
static int step(struct walk *walk, const struct link *link, int ifindex, enum upper_relation relation)
{
	struct upper *upper;
	struct link next;

	if (!ifindex || link_get(walk->sock, ifindex, &next) < 0)
		return 0;
	upper = add(walk, &next, relation, link->ifindex);
	if (!upper)
		return 0;
	upper->tags = climb(walk, &next);
	return upper->tags;
}

/* Return: VLAN tags that the frames of @link carry. */
static int climb(struct walk *walk, const struct link *link)
{
	int tags = step(walk, link, link->lower, UPPER_LOWER);

	step(walk, link, link->master, UPPER_MASTER);
	return tags + streq(link->kind, "vlan");
}

/* The VLAN tags below a rider, or -1 if @ifindex is no interface of interest. */
static int tags_below(const struct walk *walk, int ifindex)
{
	const struct upper *upper = find(walk, ifindex);

	if (upper)
		return upper->tags;
	return ifindex == walk->port->ifindex ? walk->found->tags :
	       ifindex == walk->also	      ? 0 :
						-1;
}

static bool bundles(const struct link *link)
{
	return streq(link->kind, "bond") || streq(link->kind, "team");
}

/* Frames that are sent to a bond leave by any of its members. */
static bool is_member(const struct walk *walk, const struct link *link)
{
	const struct upper *master = find(walk, link->master);

	if (link->master == walk->port->ifindex)
		return bundles(walk->port);
	return master && master->relation == UPPER_LOWER && bundles(&master->link);
}

static bool look_at(const struct link *link, void *arg)
{
	struct walk *walk = arg;
	int tags = link->lower ? tags_below(walk, link->lower) : -1;
	struct upper *rider = NULL;

	if (link->master && is_member(walk, link))
		add(walk, link, UPPER_MEMBER, link->master);

	if (tags >= 0 && !streq(link->kind, "veth"))
		rider = add(walk, link, UPPER_RIDER, link->lower);
	if (rider)
		rider->tags = tags + streq(link->kind, "vlan");
	return false;
}

int upper_find(struct nlsock *sock, const struct link *port, int also, struct uppers *ret_uppers,
	       struct err *err)
{
	struct walk walk = { .sock = sock, .port = port, .also = also, .found = ret_uppers };
	size_t before;
	int r;

	ret_uppers->n = 0;
	ret_uppers->more = false;
	ret_uppers->tags = climb(&walk, port);
	do { /* a rider may have riders, of a lower ifindex */
		before = ret_uppers->n;
		r = link_list(sock, look_at, &walk);
	} while (r == 0 && ret_uppers->n > before && !ret_uppers->more);
	if (r < 0)
		return err_set(err, ROCE_KERNEL_REFUSED, r, "reading the host's interfaces: %s",
			       nlsock_words(sock));
	return 0;
}
