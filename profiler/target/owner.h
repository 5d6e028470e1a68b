/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Owners of programs (--owner): a process and its descendants, the processes with one name, or the
 * processes of a systemd unit or a cgroup. Each read searches again for what the owners hold,
 * because processes come and go.
 */
#ifndef BPROF_OWNER_H
#define BPROF_OWNER_H

#include <stdbool.h>
#include <linux/types.h>

#include "host/holders.h"

struct parse_error;

enum owner_kind { OWNER_PID, OWNER_COMM, OWNER_CGROUP, OWNER_UNIT };

/*
 * Returns the kind of owner that a user has named: a number is a process; a path that begins with
 * '/' is a cgroup; a name that ends with .service, .scope or .slice is a unit; any other name is
 * that of processes.
 */
enum owner_kind owner__kind(const char *who);
/* Returns 0, or -EINVAL with *err if no owner can have this name. */
int owner__check(const char *who, struct parse_error *err);

/*
 * Returns true if "of", the path of a process's cgroup such as "/system.slice/a.service", is the
 * owner's cgroup or below it. If the owner is a path, it may begin with /sys/fs/cgroup.
 */
bool owner__has_cgroup(enum owner_kind kind, const char *who, const char *of);
/* Returns true if the process, whose name is comm, is the owner or one of its descendants. */
bool owner__has_process(const char *who, int pid, const char *comm);

#define OWNER_SZ 256
/*
 * Writes the name of a process as an owner to buf, which has OWNER_SZ bytes: the name of its
 * systemd service or, without one, comm. Returns buf.
 */
const char *owner__name(int pid, const char *comm, char *buf);
/*
 * Returns the holder that counts as the owner: the first one, which is usually the oldest, but no
 * bprof, because a bprof also holds what it measures. NULL: there is none. cnt: how many holders the
 * program has; h is the first one.
 */
const struct holder *owner__choose(const struct holder *h, int cnt);

/* The programs that owners hold. A zeroed struct is empty. */
struct owned {
	struct holder_source source;
	struct holders holders; /* the holders of all programs, as they were read last */
	__u32 *id;		/* ids of the held programs, ascending */
	int cnt;
};

/* Finds the programs that the owners in who hold now. Needs root to see other users' processes. */
void owned__read(struct owned *o, char *const *who, int cnt);
bool owned__has(const struct owned *o, __u32 prog_id);
void owned__free(struct owned *o);

#endif
