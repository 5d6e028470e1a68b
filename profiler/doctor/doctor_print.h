/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The results of the checks of bprof doctor, and how they are printed.
 */
#ifndef BPROF_DOCTOR_PRINT_H
#define BPROF_DOCTOR_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "kernel/kernel_bugs.h"

struct output_opts;
struct prog;
struct screen;

enum check_status { CHECK_OK, CHECK_NO, CHECK_NOTE };

struct check {
	const char *name;
	enum check_status status;
	char detail[512];
	const char *remedy; /* what the user can do: a static string; NULL: nothing */
};

struct doctor {
	struct check *v;
	int cnt;
	enum kernel_bug_state bugs[KERNEL_BUG_CNT];
	/* the program to check; NULL: the user gave none, or it could not be opened */
	struct prog *prog;
	bool fentry, run_stats, samples, ids;
	int why;	  /* if a check failed, the cause for exit_status__of_error() */
	bool prog_fentry; /* fentry works for prog; also true if no program was given */
};

void check__set(struct check *c, enum check_status status, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a check for each group of commands that lockdown limits. Call it after the fentry check. */
void doctor__add_lockdown(struct doctor *d);
/* Returns the exit status for the case that nothing could be measured. */
enum exit_status doctor__status_of_nothing(void);
/* Returns true if programs can be probed, and the given program, too. */
bool doctor__is_well(const struct doctor *d);
/*
 * Writes a document about arg in the chosen format: as text or as JSON. to_json() returns a new reference
 * to the JSON. Returns 0 or -errno (reported).
 */
int doctor__write(const struct output_opts *o, json_t *(*to_json)(const void *),
		  void (*print)(const void *, FILE *, const struct screen *), const void *arg);
/* Prints the checks as text or JSON. Returns 0 or -errno (reported). */
int doctor__print(const struct doctor *d, const struct output_opts *o);

#endif
