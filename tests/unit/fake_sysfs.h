/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A made-up /sys/bus/event_source/devices in a directory of its own, for tests and fuzzers. It has
 * what real machines have (a CPU PMU, big.LITTLE, uncore PMUs, formats whose bits are not
 * contiguous, units), and files that no kernel should have.
 */
#ifndef TEST_FAKE_SYSFS_H
#define TEST_FAKE_SYSFS_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Each row is a path below the root, and the content of the file. */
static const char *const fake_sysfs_files[][2] = {
	{"cpu/type", "4\n"},
	{"cpu/format/event", "config:0-7\n"},
	{"cpu/format/umask", "config:8-15\n"},
	{"cpu/format/edge", "config:18\n"},
	{"cpu/format/ldlat", "config1:0-15\n"},
	{"cpu/format/all", "config2:0-63\n"},
	{"cpu/format/third", "config3:0-3\n"},
	{"cpu/events/cpu-cycles", "event=0x3c\n"},
	{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu/events/topdown", "event=0x00,umask=0x4\n"},
	{"cpu/events/topdown.unit", "slots\n"},
	{"cpu/events/topdown.scale", "2\n"},

	{"msr/type", "9\n"},
	{"msr/format/event", "config:0-63\n"},
	{"msr/events/tsc", "event=0x00\n"},

	{"power/type", "12\n"},
	{"power/format/event", "config:0-7\n"},
	{"power/cpumask", "0,4\n"},
	{"power/events/energy-pkg", "event=0x02\n"},
	{"power/events/energy-pkg.unit", "Joules\n"},
	{"power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
	{"power/events/occupancy", "event=0x03\n"},
	{"power/events/occupancy.snapshot", "1\n"},
	{"power/events/bent", "event=0x04\n"},
	{"power/events/bent.scale", "1.5x\n"},
	{"power/events/endless", "event=0x05\n"},
	{"power/events/endless.scale", "inf\n"},
	{"power/events/nil", "event=0x06\n"},
	{"power/events/nil.scale", "0\n"},

	{"armv8_a53/type", "7\n"},
	{"armv8_a53/cpus", "0-3\n"},
	{"armv8_a53/format/event", "config:0-15\n"},
	{"armv8_a53/events/inst_retired", "event=0x0008\n"},
	{"armv8_a53/events/bus_little", "event=0x0019\n"},
	{"armv8_a72/type", "8\n"},
	{"armv8_a72/cpus", "4-5\n"},
	{"armv8_a72/format/event", "config:0-15\n"},
	{"armv8_a72/events/inst_retired", "event=0x0008\n"},

	{"uncore_imc_0/type", "20\n"},
	{"uncore_imc_0/cpumask", "0\n"},
	{"uncore_imc_0/format/event", "config:0-7,32-35\n"},
	{"uncore_imc_0/format/mixed", "config1:1,6-10,44\n"},
	{"uncore_imc_0/format/chip", "config:16-31\n"},
	{"uncore_imc_0/events/cas", "event=0xf04\n"},
	{"uncore_imc_0/events/nest", "event=0x1,chip=?\n"},
	{"uncore_imc_1/type", "21\n"},
	{"uncore_imc_1/cpumask", "0\n"},

	{"hostile/type", "30\n"},
	{"hostile/format/huge", "config:0-99999999999999999999\n"},
	{"hostile/format/back", "config:7-0\n"},
	{"hostile/format/twice", "config:0-7,4\n"},
	{"hostile/format/later", "config9:0-7\n"},
	{"hostile/format/tail", "config:0-7,\n"},
	{"hostile/format/sign", "config:-1\n"},
	{"hostile/format/binary", "\x01\xff\xfe%s%n\n"},
	{"hostile/format/empty", ""},
	{"hostile/format/good", "config:0-7\n"},
	{"hostile/events/no_format", "nothing=1\n"},
	{"hostile/events/too_big", "good=0x100\n"},
	{"hostile/events/overflow", "good=0x1ffffffffffffffff\n"},
	{"hostile/events/garbage", "=,,=\x80?\n"},
	{"hostile/events/empty", ""},
	{"type_huge/type", "99999999999999999999\n"},
	{"type_wide/type", "4294967300\n"},
	{"type_word/type", "nine\n"},
	{"type_negative/type", "-1\n"},
	{"type_none/format/event", "config:0-7\n"},
	{"cpus_bad/type", "31\n"},
	{"cpus_bad/cpumask", "0-4294967295\n"},
	{"cpus_bad/events/lonely", "config=1\n"},
};

/* Writes a file of sz bytes below root and makes the directories on its path. */
static void fake_sysfs__write(const char *root, const char *path, const void *data, size_t sz)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0777);
		*slash = '/';
	}
	f = fopen(full, "we");
	if (!f || fwrite(data, 1, sz, f) != sz || fclose(f)) {
		perror(full);
		abort();
	}
}

/*
 * Makes the tree, or only the part of it whose paths start with prefix. root is a template for
 * mkdtemp().
 */
static inline void fake_sysfs__make(char *root, const char *prefix)
{
	if (!mkdtemp(root)) {
		perror(root);
		abort();
	}
	for (size_t i = 0; i < sizeof(fake_sysfs_files) / sizeof(fake_sysfs_files[0]); i++)
		if (!strncmp(fake_sysfs_files[i][0], prefix, strlen(prefix)))
			fake_sysfs__write(root, fake_sysfs_files[i][0], fake_sysfs_files[i][1],
					  strlen(fake_sysfs_files[i][1]));
}

static int fake_sysfs__remove_one(const char *path, const struct stat *st, int flag,
				  struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int fake_sysfs__remove(const char *root)
{
	return nftw(root, fake_sysfs__remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
