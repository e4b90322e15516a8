/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state folder: <stateDir>/roce-cni.
 *
 *	attachments/NETWORK/CONTAINER:IFNAME		journal of one attachment
 *	attachments/NETWORK/.CONTAINER:IFNAME.lock	its lock, only while somebody works on it
 *	devices/KEY					claim: symbolic link to the owner's journal
 *	devices/.KEY.lock				lock of the device
 */
#ifndef CNI_STORE_H
#define CNI_STORE_H

#include "base/file.h"
#include "conf/profile.h"

enum {
	STORE_NAME_SIZE = 512,
	STORE_LOCK_MS = 15000, /* with the IPAM plugin's time below CRI-O's 60 s for a DEL */
};

/* The open folder, and how its files are written. */
struct store {
	int dir;
	enum file_durability durability;
};

#define STORE_CLOSED { .dir = -1 }

/* What an attachment is known by. */
struct attachment {
	const char *network;
	const char *container_id;
	const char *ifname;
};

/* store_open() - open (and create) the folder. Return: 0 or a negative errno, with @err set. */
int store_open(const struct profile *profile, struct store *ret_store, struct err *err);

/**
 * store_peek() - open the folder to look, without creating anything
 * @profile:	says where it is
 * @ret_store:	the folder
 *
 * Return: 0 or a negative errno; -ENOENT: there never was an attachment.
 */
int store_peek(const struct profile *profile, struct store *ret_store);

/* store_close() - close it. */
void store_close(struct store *store);
#define _cleanup_store_ _cleanup_(store_close)

/* store_name() - name of an attachment's journal below the folder. Return: @buf. */
const char *store_name(const struct attachment *attachment, char buf[STORE_NAME_SIZE]);

/**
 * store_visitor - called for every attachment on this node
 * @attachment:	whose; valid during the call
 * @arg:	of store_each()
 */
typedef void (*store_visitor)(const struct attachment *attachment, void *arg);

/* store_each() - visit every attachment of @network, or of all networks if it is NULL. */
void store_each(const struct store *store, const char *network, store_visitor visit, void *arg);

/* A lock held; an empty one (fd -1) is fine to release. */
struct store_lock {
	int dir;
	int fd;
	char name[STORE_NAME_SIZE];
};

#define STORE_UNLOCKED { .fd = -1 }

/* store_lock_attachment() - lock one attachment. Return: 0 or a negative errno (CNI_TRY_AGAIN). */
int store_lock_attachment(const struct store *store, const struct attachment *attachment,
			  struct store_lock *ret_lock, struct err *err);

/* store_lock_device() - lock one device, after the attachment. Return: as above. */
int store_lock_device(const struct store *store, const char *key, struct store_lock *ret_lock,
		      struct err *err);

/* store_is_locked() - does somebody work on a device; false also if the folder cannot be read. */
bool store_is_locked(const struct store *store, const char *key);

/*
 * store_try_attachment(), store_try_device() - the same locks, at once or not at all. Return: 0,
 * -ETIMEDOUT without a message if somebody has it, or another negative errno.
 */
int store_try_attachment(const struct store *store, const struct attachment *attachment,
			 struct store_lock *ret_lock, struct err *err);
int store_try_device(const struct store *store, const char *key, struct store_lock *ret_lock,
		     struct err *err);

/* store_is_busy() - true if somebody works on an attachment; nothing is created. */
bool store_is_busy(const struct store *store, const struct attachment *attachment);

/* store_unlock() - remove the lock file and release the lock. */
void store_unlock(struct store_lock *lock);
#define _cleanup_lock_ _cleanup_(store_unlock)

/**
 * store_sweep() - remove the lock files of devices that nobody holds
 *
 * A killed process leaves its lock file. That stands for nothing, but a host that is as it was before
 * does not have it.
 */
void store_sweep(const struct store *store);

/* store_sweep_network() - the same for the attachments of a network, and for journals half-written. */
void store_sweep_network(const struct store *store, const char *network);

/**
 * store_claim() - write down whose a device is
 * @store:	state folder
 * @key:	device, locked
 * @attachment: the owner
 * @err:	CNI_IO_FAILURE
 *
 * An older claim is replaced.
 *
 * Return: 0 or a negative errno.
 */
int store_claim(const struct store *store, const char *key, const struct attachment *attachment,
		struct err *err);

/* store_owner() - journal name of a device's owner in @buf, below the folder. Return: true if any. */
bool store_owner(const struct store *store, const char *key, char buf[STORE_NAME_SIZE]);

/* store_owns() - true if @attachment has the claim on a device. */
bool store_owns(const struct store *store, const struct attachment *attachment, const char *key);

/* store_claim_visitor - called for every device that has a claim; @key is valid during the call. */
typedef void (*store_claim_visitor)(const char *key, void *arg);

/* store_each_claim() - visit every claim of this node. */
void store_each_claim(const struct store *store, store_claim_visitor visit, void *arg);

/* store_unclaim() - remove a claim. */
void store_unclaim(const struct store *store, const char *key);

#endif
