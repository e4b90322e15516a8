/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the audit, for each other. */
#ifndef IPAM_AUDIT_RUN_H
#define IPAM_AUDIT_RUN_H

#include "ipam/audit.h"

#define AUDIT_ASIDE ".aside"

/**
 * struct audit_look - a look at one folder
 * @home, @home_fd: the store, open
 * @folder:	name of the folder in it; "" for the store's own
 * @dir:	the folder, open
 * @by_id:	its folder of by-id names, -1 if there is none
 * @list:	receives the findings
 * @failed:	out of memory
 */
struct audit_look {
	const struct home *home;
	int home_fd;
	const char *folder;
	int dir;
	int by_id;
	struct audit_list *list;
	bool failed;
};

/* audit_say() - add a finding. @name may be "". */
void audit_say(struct audit_look *look, enum audit_kind kind, const char *name, const char *fmt,
	       ...) _printf_(4, 5);

/* audit_find_pool(), audit_find_domain(), audit_find_home() - what is wrong in a folder. */
void audit_find_pool(struct audit_look *look);
void audit_find_domain(struct audit_look *look);
void audit_find_home(struct audit_look *look);

/**
 * audit_key_parse() - a by-id name, "ID:IFNAME:SLOT"
 * @key:	the name
 * @lease:	receives id, ifname and range
 *
 * Return: true if it is one.
 */
bool audit_key_parse(const char *key, struct lease *lease);

/* audit_is_future() - true if a file is a record of another version than this one writes. */
bool audit_is_future(int dir, const char *name);

/* audit_is_domain() - true if a folder of the store is a collision domain by its name. */
static inline bool audit_is_domain(const char *name)
{
	return strncmp(name, ".domain", 7) == 0 && (!name[7] || name[7] == '.');
}

/* audit_open_dir() - a folder, by a name that is no symbolic link. Return: descriptor or -errno. */
int audit_open_dir(int dir, const char *name);

/*
 * audit_mend_pool(), audit_mend_domain(), audit_mend_home() - mend one finding of a folder whose
 * lock is held, and note what became of it.
 */
void audit_mend_pool(struct pool *pool, int home, struct audit_finding *finding);
void audit_mend_domain(struct domain *domain, int home, struct audit_finding *finding);
void audit_mend_home(int home, struct audit_finding *finding);

/**
 * audit_rebuild() - write a damaged record anew, with the holder that its by-id name or its text names
 * @pool:	the pool, locked
 * @home:	the store, open
 * @finding:	the record; what became of it is noted
 */
void audit_rebuild(struct pool *pool, int home, struct audit_finding *finding);

/* audit_replace_name() - put a record in place of another name. Return: 0 or a negative errno. */
int audit_replace_name(const struct pool *pool, const char *from, int dir, const char *to);

/*
 * audit_has_damaged() - true if a network has this damaged file, or another damaged one, as a record of
 * the address @name. A damaged record says no network: any of them may be it.
 */
bool audit_has_damaged(int home, const char *name, const struct stat *st);

/* audit_set_aside() - move a file out of the way, or link it there. Return: 0 or a negative errno. */
int audit_set_aside(int home, int dir, struct audit_finding *finding, bool keep);

/* audit_mended(), audit_kept() - note what became of a finding. */
void audit_mended(struct audit_finding *finding, const char *fmt, ...) _printf_(2, 3);
void audit_kept(struct audit_finding *finding, const char *fmt, ...) _printf_(2, 3);

#endif
