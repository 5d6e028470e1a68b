/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by bench_suite.c and suite_options.c. */
#ifndef BPROF_BENCH_SUITE_PRIV_H
#define BPROF_BENCH_SUITE_PRIV_H

#include <jansson.h>

#include "base/suggest.h"
#include "bench/bench_suite.h"
#include "json/json_error.h"
#include "options/options.h"

/* A suite while it is loaded. */
struct suite_load {
	struct bench_suite *s;
	const struct bench_args *cli; /* the options of the command line alone */
	int argc;
	char **argv;
	struct option_rows rows; /* the options of bprof bench */
	struct json_path path;	 /* path to the current value */
	FILE *list;		 /* where to list the files, or NULL */
	int file_cnt;		 /* number of files listed so far */
};

/* Report an error at l->path. Return -EINVAL. */
int suite_load__refuse(const struct suite_load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int suite_load__refuse_type(const struct suite_load *l, const char *wanted, const json_t *v);
/* Passes the ownership of text to the suite, and returns text. */
const char *suite_load__keep(struct suite_load *l, char *text);

/* Returns the index in l->rows of the option that this key of an entry sets, or -1. */
int suite_load__find_option(const struct suite_load *l, const char *key);
void suite_load__suggest_options(const struct suite_load *l, struct suggest *near);
/*
 * Replaces the names of files in an entry or in the defaults. The new names are paths from the
 * suite's directory or, if l->list is set, the names in that list.
 */
void suite_load__find_files(struct suite_load *l, json_t *obj);
/*
 * Applies the options for an entry: first the defaults, then the entry's options, then the options
 * of the command line. Returns 0 or -errno (reported).
 */
int suite_load__add_options(struct suite_load *l, json_t *obj, json_t *defaults,
			    struct bench_args *a);

#endif
