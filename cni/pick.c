// SPDX-License-Identifier: Apache-2.0
#include "cni/pick.h"

#include "base/log.h"
#include "cni/pf.h"
#include "cni/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum {
	LISTED_MAX = 4,
	SHORT_ID = 12, /* of a container, as crictl and podman show it */
	NAP_MS = 10,
};

enum state {
	STATE_FREE,
	STATE_HELD,   /* somebody works on it */
	STATE_IN_POD, /* claimed, and not on the host */
	STATE_ABSENT, /* not on the host, and nobody has claimed it */
	STATE_BARRED,
	STATE_MAX,
};

/* One VF; @why is the container that has it, or what forbids it. @failed: once is enough. */
struct candidate {
	char pci[PCI_ADDR_SIZE];
	const struct pf *pf;
	int index;
	bool preferred;
	bool failed;
	enum state state;
	char why[256];
};

struct view {
	const struct pick *pick;
	struct pf_list pfs;
	struct candidate *vfs;
	size_t n;
};

static void view_close(struct view *view)
{
	pf_free(&view->pfs);
	free(view->vfs);
}

/* ---- which VFs there are ---- */

static int add_vfs(struct view *view, const struct pf *pf)
{
	for (int i = 0; i < pf->pci.num_vfs; i++) {
		struct candidate vf = { .pf = pf, .index = i };
		struct candidate *grown;

		if (pci_vf(pf->pci.addr, i, vf.pci) < 0)
			continue;
		grown = base_grow(view->vfs, view->n, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		vf.preferred = pf->fabric && vfset_has(&pf->fabric->vfs, i);
		view->vfs = grown;
		grown[view->n++] = vf;
	}
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->preferred != y->preferred)
		return y->preferred - x->preferred;
	if (x->index != y->index)
		return x->index - y->index;
	return strcmp(x->pf->pci.addr, y->pf->pci.addr);
}

static int view_open(const struct pick *pick, struct view *view, struct err *err)
{
	int r = pf_find(pick->host, pick->profile, pick->pf, pick->fabric, &view->pfs, err);

	for (size_t i = 0; r == 0 && i < view->pfs.n; i++)
		r = add_vfs(view, &view->pfs.items[i]);
	if (view->n > 0)
		qsort(view->vfs, view->n, sizeof(*view->vfs), by_order);
	return r < 0 ? err_set(err, CNI_IO_FAILURE, r, "out of memory") : 0;
}

/* ---- what became of each ---- */

/* "attachments/NETWORK/CONTAINER:IFNAME" to the container. */
static bool find_container(const struct view *view, struct candidate *vf)
{
	char owner[STORE_NAME_SIZE];
	const char *name;

	if (view->pick->store->dir < 0 || !store_owner(view->pick->store, vf->pci, owner))
		return false;
	name = strrchr(owner, '/') ? strrchr(owner, '/') + 1 : owner;
	snprintf(vf->why, sizeof(vf->why), "%.*s", (int)strcspn(name, ":"), name);
	return true;
}

static bool is_barred(const struct view *view, struct candidate *vf)
{
	const struct side nowhere = SIDE_CLOSED;
	struct netconf conf = { .fabric = view->pick->fabric };
	struct findings findings = { .n = 0 };
	struct host_state state;
	struct device device;
	struct err err = { 0 };
	int r;

	snprintf(conf.device_id, sizeof(conf.device_id), "%s", vf->pci);
	r = observe_device(&conf, view->pick->host, &device, &err);
	if (r == 0)
		r = observe_state(&conf, view->pick->profile, &device, view->pick->host, &nowhere, "",
				  &state, &err);
	if (r == 0)
		plan_check_device(view->pick->profile, &state, &findings);
	snprintf(vf->why, sizeof(vf->why), "%.255s", r < 0 ? err.msg : findings.items[0].text);
	return r < 0 || findings.n > 0;
}

/* A device is in one namespace: on the host, a claim is a dead pod's, or that of an ADD at work. */
static enum state look(const struct view *view, struct candidate *vf)
{
	struct link link;

	if (link_find_parent(view->pick->host->rt, vf->pci, &link) < 0)
		return find_container(view, vf) ? STATE_IN_POD : STATE_ABSENT;
	return is_barred(view, vf) ? STATE_BARRED : STATE_FREE;
}

static bool is_held(const struct view *view, const struct candidate *vf)
{
	return view->pick->store->dir >= 0 && store_is_locked(view->pick->store, vf->pci);
}

/* Who works on it comes first: what is seen meanwhile may not last. */
static bool is_free(const struct view *view, struct candidate *vf)
{
	if (!vf->failed)
		vf->state = is_held(view, vf) ? STATE_HELD : look(view, vf);
	return vf->state == STATE_FREE;
}

/* ---- no VF is free: the words for it ---- */

struct words {
	char text[1000];
	size_t len;
};

static void say(struct words *words, const char *fmt, ...) _printf_(2, 3);

static void say(struct words *words, const char *fmt, ...)
{
	size_t room = sizeof(words->text) - words->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(words->text + words->len, room, fmt, ap);
	va_end(ap);
	words->len += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static size_t count(const struct view *view, enum state state)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n; i++)
		n += view->vfs[i].state == state;
	return n;
}

static void say_vf(struct words *words, const struct candidate *vf)
{
	if (vf->state != STATE_IN_POD)
		say(words, "VF %d of %s", vf->index, vf->pf->link.name);
	if (vf->state == STATE_IN_POD)
		say(words, "%.*s", SHORT_ID, vf->why);
	if (vf->state == STATE_BARRED)
		say(words, ": %s", vf->why);
}

static void say_state(struct words *words, const struct view *view, enum state state,
		      const char *what)
{
	size_t n = count(view, state), listed = 0;

	if (n == 0)
		return;
	say(words, ", %zu %s (", n, what);
	for (size_t i = 0; i < view->n && listed < LISTED_MAX; i++) {
		if (view->vfs[i].state != state)
			continue;
		say(words, "%s", listed++ ? ", " : "");
		say_vf(words, &view->vfs[i]);
	}
	if (n > listed)
		say(words, " and %zu more", n - listed);
	say(words, ")");
}

static const struct candidate *find_unbound(const struct view *view)
{
	for (size_t i = 0; i < view->n; i++) {
		struct err ignored = { 0 };
		struct pci_dev pci;

		if (view->vfs[i].state == STATE_ABSENT &&
		    pci_get(view->vfs[i].pci, &pci, &ignored) == 0 && !*pci.driver)
			return &view->vfs[i];
	}
	return NULL;
}

/* The PF that can best have more VFs: one without any, or NULL. */
static const struct pf *find_growable(const struct view *view)
{
	const struct pf *best = NULL;

	for (size_t i = 0; i < view->pfs.n; i++) {
		const struct pf *pf = &view->pfs.items[i];

		if (pf->pci.num_vfs < pf->pci.total_vfs && (!best || pf->pci.num_vfs == 0))
			best = pf;
	}
	return best;
}

/* A PF's number of VFs can only be changed by way of 0, which takes them all away. */
static void say_more(struct words *words, const struct view *view)
{
	const struct pf *pf = find_growable(view);

	if (!pf) {
		say(words, "; more VFs than these are not possible");
		return;
	}
	say(words, ", or make VFs: ");
	if (pf->pci.num_vfs > 0)
		say(words, "with none of them in a pod, echo 0 > /sys/class/net/%s/device/sriov_numvfs; ",
		    pf->link.name);
	say(words, "echo %d > /sys/class/net/%s/device/sriov_numvfs", pf->pci.total_vfs, pf->link.name);
}

static void say_fixes(struct words *words, const struct view *view)
{
	const struct candidate *unbound = find_unbound(view);

	say(words, "; %s", count(view, STATE_HELD)   ? "try again" :
			   count(view, STATE_IN_POD) ? "delete one of these pods (see: rocectl show)" :
						       "free one of these");
	if (unbound)
		say(words, ", or bind VF %d to its driver: echo %s > /sys/bus/pci/drivers_probe",
		    unbound->index, unbound->pci);
	say_more(words, view);
}

static int refuse(const struct view *view, struct err *err)
{
	struct words words = { .len = 0 };
	enum err_code code = count(view, STATE_HELD)   ? CNI_TRY_AGAIN :
			     count(view, STATE_IN_POD) ? ROCE_DEVICE_BUSY :
							 ROCE_DEVICE_NOT_FOUND;

	say(&words, "no VF is free on PF ");
	for (size_t i = 0; i < view->pfs.n && i < LISTED_MAX; i++)
		say(&words, "%s%s", i ? ", " : "", view->pfs.items[i].link.name);
	say(&words, ": %zu VFs", view->n);
	say_state(&words, view, STATE_IN_POD, "in pods of roce");
	say_state(&words, view, STATE_HELD, "at work in an ADD or DEL");
	say_state(&words, view, STATE_ABSENT, "without a netdev on the host");
	say_state(&words, view, STATE_BARRED, "not for pods");
	say_fixes(&words, view);
	return err_set(err, code, code == ROCE_DEVICE_NOT_FOUND ? -ENODEV : -EBUSY, "%s", words.text);
}

/* ---- picking ---- */

int pick_look(const struct pick *pick, char ret_pci[PCI_TEXT_SIZE], struct err *err)
{
	_cleanup_(view_close) struct view view = { .pick = pick };
	int r = view_open(pick, &view, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < view.n; i++) {
		if (!is_free(&view, &view.vfs[i]))
			continue;
		memcpy(ret_pci, view.vfs[i].pci, PCI_TEXT_SIZE);
		return 0;
	}
	return refuse(&view, err);
}

/* Its state is STATE_FREE when the caller can have it. */
static void settle_locked(const struct view *view, struct candidate *vf, pick_settle settle, void *arg)
{
	struct err err = { 0 };

	vf->state = look(view, vf);
	if (vf->state != STATE_FREE || settle(vf->pci, arg, &err) == 0)
		return;
	log_warn("VF %s cannot be used: %s", vf->pci, err.msg);
	vf->failed = true;
	vf->state = STATE_BARRED;
	snprintf(vf->why, sizeof(vf->why), "%.255s", err.msg);
}

static bool take(const struct view *view, struct candidate *vf, pick_settle settle, void *arg,
		 struct store_lock *ret_lock)
{
	struct store_lock lock = STORE_UNLOCKED;
	struct err held = { 0 };

	if (!is_free(view, vf))
		return false;
	vf->state = STATE_HELD;
	if (store_try_device(view->pick->store, vf->pci, &lock, &held) < 0)
		return false;
	settle_locked(view, vf, settle, arg);
	if (vf->state == STATE_FREE)
		*ret_lock = lock;
	else
		store_unlock(&lock);
	return vf->state == STATE_FREE;
}

/* The kernel does not wait for the first of several flock()s. Return: false if there is none to wait for. */
static bool wait_for_one(const struct view *view, int64_t deadline)
{
	const struct timespec nap = { 0, NAP_MS * 1000000L };

	while (count(view, STATE_HELD) > 0 && file_time_left(deadline) > 0) {
		nanosleep(&nap, NULL);
		for (size_t i = 0; i < view->n; i++)
			if (view->vfs[i].state == STATE_HELD && !is_held(view, &view->vfs[i]))
				return true;
	}
	return false;
}

int pick_take(const struct pick *pick, pick_settle settle, void *arg, struct store_lock *ret_lock,
	      struct err *err)
{
	_cleanup_(view_close) struct view view = { .pick = pick };
	int64_t deadline = file_deadline(STORE_LOCK_MS);
	int r = view_open(pick, &view, err);

	if (r < 0)
		return r;
	do
		for (size_t i = 0; i < view.n; i++)
			if (take(&view, &view.vfs[i], settle, arg, ret_lock))
				return 0;
	while (wait_for_one(&view, deadline));
	return refuse(&view, err);
}
