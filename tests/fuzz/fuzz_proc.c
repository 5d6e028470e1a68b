// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reading of what /proc and /sys say about tasks, descriptors, locks and CPUs. "make fuzz"
 * runs it.
 *
 * Input: the contents of the files below, each up to a NUL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "host/cpus.h"
#include "host/open_files.h"
#include "host/task.h"
#include "system/attr_map.h"
#include "tests/fuzz/world.h"

static const char *const paths[] = {"/proc/42/stat", "/proc/42/status", "/proc/42/fdinfo/3",
				    "/proc/locks", "/sys/devices/system/cpu/online"};
enum { STAT, STATUS, FDINFO, LOCKS, ONLINE, PATH_CNT };

static void check_cpus(const char *list)
{
	struct cpus cpus, again;
	char buf[8192];
	size_t pos = 0;

	if (cpus__parse(list, &cpus, &pos)) {
		require(pos <= strlen(list));
		return;
	}
	for (int i = 1; i < cpus.cnt; i++)
		require(cpus.id[i - 1] < cpus.id[i]);
	require(cpus__limit(&cpus) <= 65536);
	cpus__format(&cpus, buf, sizeof(buf));
	if (strlen(buf) < sizeof(buf) - 16) {
		require(!cpus__parse(buf, &again, NULL) && again.cnt == cpus.cnt);
		cpus__free(&again);
	}
	cpus__free(&cpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	char *text[PATH_CNT];
	struct task task;
	struct cpus cpus;

	world__clear();
	for (int i = 0; i < PATH_CNT; i++) {
		text[i] = bytes__text(&in);
		world__set_text(paths[i], text[i]);
	}
	if (!task__read(42, &task))
		require(memchr(task.comm, '\0', sizeof(task.comm)));
	process__lives(42, 7);
	open_file__number(42, 3, "prog_id:");
	require(attr_map__lock_holder(text[LOCKS], makedev(0, 14), 1033) >= 0);
	if (!cpus__read(paths[ONLINE], &cpus))
		cpus__free(&cpus);
	check_cpus(text[ONLINE]);
	for (int i = 0; i < PATH_CNT; i++)
		free(text[i]);
	return 0;
}
