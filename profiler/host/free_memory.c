// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads how much memory the machine and the process's cgroups have left. Must not know what the
 * memory is for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "host/free_memory.h"

#define UNKNOWN (~0ULL)
#define PART_OF_MACHINE 8
#define PART_OF_CGROUP 4

/* Reads the number in a file DIR/NAME of a cgroup. Returns UNKNOWN also for "max". */
static __u64 read_memory_file(const char *dir, const char *name)
{
	char *path = text__format("%s/%s", dir, name), *text = NULL, *end;
	__u64 number = UNKNOWN;

	if (!read_file(path, &text)) {
		number = strtoull(text, &end, 10);
		number = end == text ? UNKNOWN : number;
	}
	free(text);
	free(path);
	return number;
}

/* Returns the memory of a cgroup that the kernel takes back first: pages of files that were not used for long. */
static __u64 inactive_in(const char *dir)
{
	static const char label[] = "\ninactive_file ";
	char *path = text__format("%s/memory.stat", dir), *text = NULL, *line, *at;
	__u64 bytes = 0;

	if (!read_file(path, &text)) {
		line = text__format("\n%s", text);
		at = strstr(line, label);
		bytes = at ? strtoull(at + strlen(label), NULL, 10) : 0;
		free(line);
	}
	free(text);
	free(path);
	return bytes;
}

/* Returns the memory that the limit of a cgroup leaves. */
static __u64 left_in(const char *dir)
{
	__u64 max = read_memory_file(dir, "memory.max"),
	      used = read_memory_file(dir, "memory.current"), inactive;

	if (max == UNKNOWN || used == UNKNOWN)
		return UNKNOWN;
	inactive = inactive_in(dir);
	used -= inactive < used ? inactive : used;
	return used < max ? max - used : 0;
}

/* Returns the memory that the limits of the process's cgroup and of all cgroups above it leave. */
static __u64 left_in_cgroups(const char *proc, const char *cgroup)
{
	char *list_path = text__format("%s/self/cgroup", proc), *list = NULL, *at, *dir;
	__u64 least = UNKNOWN;

	/* the line of cgroup2: "0::/system.slice/bprof.service" */
	if (!read_file(list_path, &list) &&
	    (at = !strncmp(list, "0::/", 4) ? list : strstr(list, "\n0::/"))) {
		at += strcspn(at, "/");
		at[strcspn(at, "\n")] = '\0';
		dir = text__format("%s%s", cgroup, at);
		while (strlen(dir) > strlen(cgroup)) {
			__u64 left = left_in(dir);

			least = left < least ? left : least;
			*strrchr(dir, '/') = '\0';
		}
		free(dir);
	}
	free(list);
	free(list_path);
	return least;
}

__u64 free_memory(const char *proc, const char *cgroup)
{
	static const char label[] = "MemAvailable:";
	char *path = text__format("%s/meminfo", proc), *text = NULL, *at;
	__u64 bytes = UNKNOWN, left = left_in_cgroups(proc, cgroup);

	if (left != UNKNOWN)
		left /= PART_OF_CGROUP;
	if (!read_file(path, &text) && (at = strstr(text, label)))
		bytes = strtoull(at + strlen(label), NULL, 10) * 1024 / PART_OF_MACHINE;
	free(text);
	free(path);
	return left < bytes ? left : bytes;
}
