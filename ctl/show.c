// SPDX-License-Identifier: Apache-2.0
/* rocectl show: the attachments on this node, from their journals. */
#include "ctl/ctl.h"

#include "cni/journal.h"

#include <errno.h>
#include <stdio.h>

static const char *state_of(const struct journal *journal)
{
	struct netns_id id;
	struct err gone = { 0 };
	int fd;

	if (!journal->active)
		return "unfinished";
	fd = netns_open(journal->netns, &id, &gone);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && netns_same(id, journal->netns_id) ? "active" : "orphan";
}

static int planned_mtu(const struct journal *journal)
{
	for (size_t i = 0; i < journal->n_steps; i++)
		if (journal->steps[i].type == STEP_LINK_MTU)
			return journal->steps[i].want.mtu;
	return 0;
}

static void show_one(const struct attachment *attachment, void *arg)
{
	_cleanup_journal_ struct journal journal = { 0 };
	const struct store *store = arg;
	char name[STORE_NAME_SIZE];
	struct err err = { 0 };

	if (journal_read(store, store_name(attachment, name), &journal, &err) < 0) {
		ctl_print_error("rocectl", &err);
		return;
	}
	printf("%-16s %-14.12s %-8s %-14s %-13s %6d  %s\n", attachment->network,
	       attachment->container_id, attachment->ifname, journal.device.name,
	       *journal.device.pci.addr ? journal.device.pci.addr : "-", planned_mtu(&journal),
	       state_of(&journal));
}

static int run(const struct ctl_command *command, int argc, char **argv)
{
	_cleanup_store_ struct store store = STORE_CLOSED;
	struct profile profile;
	struct err err = { 0 };
	int r;

	if (ctl_options(command, argc, argv, NULL) != argc)
		return ctl_usage(command, stderr);
	if (profile_load(PROFILE_PATH, &profile, &err) < 0)
		return ctl_print_error("rocectl", &err);
	printf("%-16s %-14s %-8s %-14s %-13s %6s  %s\n", "NETWORK", "CONTAINER", "IFNAME", "DEVICE",
	       "PCI", "MTU", "STATE");
	r = store_peek(&profile, &store);
	profile_free(&profile);
	if (r < 0 && r != -ENOENT) {
		fprintf(stderr, "rocectl: cannot open the state folder: %s\n", strerror(-r));
		return CTL_ERRORS;
	}
	if (r == 0)
		store_each(&store, NULL, show_one, &store);
	return CTL_OK;
}

const struct ctl_command ctl_show = {
	.name = "show",
	.operands = "",
	.about = "the attachments on this node",
	.run = run,
};
