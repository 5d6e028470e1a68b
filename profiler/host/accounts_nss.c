// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * User accounts of all services in the machine's configuration (nsswitch.conf). Must not know why
 * bprof looks up an account.
 */
#include <grp.h>

#include "host/accounts.h"

const struct passwd *accounts__by_name(const char *name)
{
	return getpwnam(name);
}

const struct passwd *accounts__by_uid(uid_t uid)
{
	return getpwuid(uid);
}

int accounts__groups(const char *name, gid_t gid, gid_t *v, int *cnt)
{
	return getgrouplist(name, gid, v, cnt) < 0 ? -1 : 0;
}
