/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machine's user accounts. accounts_nss.c asks all services of nsswitch.conf. Static programs
 * cannot load these services: they use accounts_files.c, which reads /etc/passwd and /etc/group.
 */
#ifndef BPROF_ACCOUNTS_H
#define BPROF_ACCOUNTS_H

#include <pwd.h>
#include <sys/types.h>

/* These functions return NULL if there is no such account. The result is valid until the next call. */
const struct passwd *accounts__by_name(const char *name);
const struct passwd *accounts__by_uid(uid_t uid);

/*
 * Stores the groups of an account in v, including gid, and their number in *cnt. Before the call,
 * *cnt is the number of groups for which v has room. Returns -1 if the account has more groups.
 */
int accounts__groups(const char *name, gid_t gid, gid_t *v, int *cnt);

#endif
