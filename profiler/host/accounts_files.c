// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * User accounts from /etc/passwd and /etc/group. Must not know why bprof looks up an account.
 */
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/accounts.h"

/* Finds the account by its name, or by its uid if name is NULL. */
static const struct passwd *find_account(const char *name, uid_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *p = NULL;

	while (file && (p = fgetpwent(file)))
		if (name ? !strcmp(p->pw_name, name) : p->pw_uid == uid)
			break;
	if (file)
		fclose(file);
	return p;
}

const struct passwd *accounts__by_name(const char *name)
{
	return find_account(name, 0);
}

const struct passwd *accounts__by_uid(uid_t uid)
{
	return find_account(NULL, uid);
}

static bool has_member(const struct group *g, const char *name)
{
	for (char *const *member = g->gr_mem; *member; member++)
		if (!strcmp(*member, name))
			return true;
	return false;
}

int accounts__groups(const char *name, gid_t gid, gid_t *v, int *cnt)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *g;
	int max = *cnt, n = 0;

	if (n++ < max)
		v[0] = gid;
	while (file && (g = fgetgrent(file)))
		if (g->gr_gid != gid && has_member(g, name) && n++ < max)
			v[n - 1] = g->gr_gid;
	if (file)
		fclose(file);
	*cnt = n;
	return n > max ? -1 : 0;
}
