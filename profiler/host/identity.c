// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for the user who called sudo, and the order in which a process changes its groups
 * and users. Must not know what the process runs.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "host/accounts.h"
#include "host/identity.h"

static int copy_account(struct identity *id, const struct passwd *p)
{
	id->known = true;
	id->uid = p->pw_uid;
	id->gid = p->pw_gid;
	snprintf(id->name, sizeof(id->name), "%s", p->pw_name);
	snprintf(id->home, sizeof(id->home), "%s", p->pw_dir);
	id->group_cnt = IDENTITY_MAX_GROUPS;
	return accounts__groups(id->name, id->gid, id->groups, &id->group_cnt) ? -E2BIG : 0;
}

/* Parses the id of a user or group. Refuses the highest number, which means "do not change". */
static bool parse_account_id(const char *text, __u64 *out)
{
	return text && !parse_u64(text, UINT_MAX - 1, out);
}

int identity__find(const char *user, struct identity *out)
{
	const struct passwd *p = accounts__by_name(user);
	__u64 uid;

	memset(out, 0, sizeof(*out));
	if (!p && parse_account_id(user, &uid))
		p = accounts__by_uid(uid);
	return p ? copy_account(out, p) : -ENOENT;
}

int identity__find_invoker(struct identity *out)
{
	const struct passwd *p;
	__u64 uid, gid;

	memset(out, 0, sizeof(*out));
	if (getuid() || !parse_account_id(getenv("SUDO_UID"), &uid) || !uid)
		return 0;
	p = accounts__by_uid(uid);
	if (p)
		return copy_account(out, p);
	/*
	 * A static bprof finds only the accounts in /etc/passwd (accounts.h). Use the ids that sudo
	 * has put into the environment.
	 */
	out->known = true;
	out->uid = uid;
	out->gid = parse_account_id(getenv("SUDO_GID"), &gid) ? gid : uid;
	out->groups[out->group_cnt++] = out->gid;
	return 0;
}

int identity__take(const struct identity *id)
{
	const char *const values[][2] = {
		{"HOME", id->home}, {"USER", id->name}, {"LOGNAME", id->name}};

	if (!id->known)
		return 0;
	/* Set the user last: after that, the process cannot change its groups. */
	if ((setgroups(id->group_cnt, id->groups) || setresgid(id->gid, id->gid, id->gid) ||
	     setresuid(id->uid, id->uid, id->uid)))
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i][1][0] ? setenv(values[i][0], values[i][1], 1)
				    : unsetenv(values[i][0]))
			return -errno;
	return 0;
}
