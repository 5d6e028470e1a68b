/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machine's user accounts. accounts_nss.c asks all services of nsswitch.conf;
 * accounts_files.c, for static programs, which cannot load such services, reads /etc/passwd and
 * /etc/group.
 */
#ifndef BPROF_ACCOUNTS_H
#define BPROF_ACCOUNTS_H

#include <pwd.h>
#include <sys/types.h>

/* Return NULL if there is no such account. The result is valid until the next call. */
const struct passwd *accounts__by_name(const char *name);
const struct passwd *accounts__by_uid(uid_t uid);

/*
 * Stores the groups of an account, of which gid is one, in v, which has room for *cnt of them, and
 * their number in *cnt. Returns -1 if there are more.
 */
int accounts__groups(const char *name, gid_t gid, gid_t *v, int *cnt);

#endif
