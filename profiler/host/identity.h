/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The identity with which a command runs: user, groups, home directory.
 */
#ifndef BPROF_IDENTITY_H
#define BPROF_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

#define IDENTITY_MAX_GROUPS 1024

struct identity {
	bool known; /* false: the command has the identity of this process */
	uid_t uid;
	gid_t gid;
	char name[256], home[4096]; /* empty: not known */
	gid_t groups[IDENTITY_MAX_GROUPS];
	int group_cnt;
};

/* Finds a user by name or number. Returns 0, -ENOENT, or -E2BIG: in too many groups. */
int identity__find(const char *user, struct identity *out);

/*
 * Finds the user who called sudo, if sudo started this process for root. Otherwise out->known is
 * false. Returns 0, or -E2BIG like identity__find().
 */
int identity__find_invoker(struct identity *out);

/*
 * Gives this process the identity, and the environment that belongs to the identity (HOME, USER,
 * LOGNAME). Returns 0 or -errno.
 */
int identity__take(const struct identity *id);

#endif
