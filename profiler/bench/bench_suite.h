/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A suite: a JSON file with several benches, called entries (docs/guide-suite.md). An entry is
 * converted to the options that the command line of one bench has.
 */
#ifndef BPROF_BENCH_SUITE_H
#define BPROF_BENCH_SUITE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "bench/bench_args.h"
#include "report/report.h"

struct bench_entry {
	char *name; /* unique in the suite */
	struct bench_args a;
	/* The reports, set by bench_suite__run(). NULL: not measured, or no such version. */
	struct report *report[BENCH_SIDE_CNT];
	char *why; /* why the entry could not be measured, or NULL */
};

struct bench_suite {
	const char *file; /* the argument of --suite */
	json_t *doc;
	char **kept; /* strings to which the entries' options point */
	int kept_cnt;
	struct bench_entry *v;
	int cnt;
	bool failed;	  /* an entry failed, measured nothing, or has bench_run.failed */
	bool has_failure; /* an entry failed, but not by -ENODATA, or has bench_run.failed */
	bool has_report;  /* an entry was measured */
};

/*
 * Reads the suite that a->suite describes. argv is bprof's command line: its options apply to each
 * entry, after the options in the file. Leaves out the entries for other architectures and kernels.
 * If list is not NULL, leaves out no entry, and instead writes to list what the suite needs, in
 * lines of fields separated by tabs:
 *
 * 	arch	x86_64		an architecture
 * 	kernel	6.12		a version of Linux
 * 	entry	lb		the name of an entry
 * 	file	NAME	PATH	a file, and its name in the following suite
 * 	suite	{...}		the suite without variables, with the files' names
 *
 * Returns 0 or -errno (reported). The caller frees *s in any case.
 */
int bench_suite__load(struct bench_suite *s, const struct bench_args *a, int argc, char **argv,
		      FILE *list);
/* Returns true if at least one entry compares two versions. */
bool bench_suite__compares(const struct bench_suite *s);
/* Measures each entry. An entry that fails has no reports, but a reason. */
void bench_suite__run(struct bench_suite *s, char **argv);
void bench_suite__free(struct bench_suite *s);

#endif
