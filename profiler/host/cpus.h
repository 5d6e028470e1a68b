/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of CPU ids. Ids may have gaps, so never use a position in a set in place of an id.
 */
#ifndef BPROF_CPUS_H
#define BPROF_CPUS_H

#include <stdbool.h>
#include <stddef.h>

struct parse_error;

struct cpus {
	int *id; /* ascending, no duplicates */
	int cnt;
};

/*
 * Parses a kernel CPU list such as "0-3,5,7-8". White space around the list is allowed, "" is an
 * empty set, and ids above 65535 are refused. Returns 0, or -EINVAL with *err_pos (may be NULL) set to
 * the offset of the bad token.
 */
int cpus__parse(const char *list, struct cpus *out, size_t *err_pos);
/*
 * Parses a list that a user gave. The list must have at least one CPU, and all its CPUs must be
 * online. Returns 0, -EINVAL with *err, or another -errno.
 */
int cpus__parse_online(const char *list, struct cpus *out, struct parse_error *err);
#define CPUS_ONLINE "/sys/devices/system/cpu/online"

/* Reads a sysfs list such as /sys/devices/system/cpu/online. Returns 0 or -errno. */
int cpus__read(const char *path, struct cpus *out);
int cpus__online(struct cpus *out);
int cpus__possible(struct cpus *out);
/*
 * Returns true if some CPUs are isolated, so that they are not interrupted: by isolcpus or nohz_full on
 * the kernel's command line, or by an isolated partition of cpuset (since Linux 6.7).
 */
bool cpus__some_isolated(void);
bool cpus__has(const struct cpus *c, int cpu);
/* Returns the highest id + 1: the size of an array that is indexed by CPU id (empty set: 0). */
int cpus__limit(const struct cpus *c);
/* Sets *out to the ids of a that are not in b. */
void cpus__minus(const struct cpus *a, const struct cpus *b, struct cpus *out);
void cpus__dup(const struct cpus *c, struct cpus *out);
/* Adds the ids of b to *a, both in ascending order. */
void cpus__add(struct cpus *a, const struct cpus *b);
/*
 * Writes the set as a list such as "0-3,5" to buf. If sz is too small for the list,
 * leaves out ranges, and ends with "...". Returns buf.
 */
const char *cpus__format(const struct cpus *c, char *buf, size_t sz);
/*
 * Chooses the CPUs of a measurement. *possible and *online are the given CPUs (-C) or, if none are
 * given, all possible and all online CPUs. *limit is the highest possible CPU id + 1. possible and
 * limit may be NULL. The caller frees both sets. Returns 0 or -errno (reported).
 */
int cpus__choose(const struct cpus *given, struct cpus *possible, struct cpus *online, int *limit);

void cpus__free(struct cpus *c); /* frees the ids, not c itself; leaves an empty set */

#endif
