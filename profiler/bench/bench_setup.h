/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of bprof bench that select programs of an object and set up the object. Must not know
 * the object itself.
 */
#ifndef BPROF_BENCH_SETUP_H
#define BPROF_BENCH_SETUP_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

struct bench_map {
	char *name;
	const char *path; /* or the elements themselves, as JSON that begins with '[' */
};

struct bench_global {
	char *name;
	const char *value; /* the value as JSON or as a bare word */
};

struct bench_prog_array {
	char *map;
	__u32 index;
	const char *prog;
};

/* The names are owned copies. All other strings point into argv. */
struct bench_setup {
	struct bench_map *map;
	int map_cnt;
	struct bench_global *global;
	int global_cnt;
	struct bench_prog_array *prog_array;
	int prog_array_cnt;
	/* globs of names of programs; if there are none, all programs that can be test-run are selected */
	const char **prog;
	int prog_cnt;
	const char *pin_maps; /* a directory, or NULL */
	/*
	 * argument of --type: the type of programs in sections that libbpf does not know; NULL: not
	 * given
	 */
	const char *type;
	/* with --exact: the machine is deterministic, so all loads must be made alike */
	bool exact;
};

/* Each function adds the argument of one option. Returns 0, -EINVAL or -ENOMEM (reported). */
int __must_check bench_setup__add_map(struct bench_setup *s, const char *arg);	  /* NAME=FILE */
int __must_check bench_setup__add_global(struct bench_setup *s, const char *arg); /* NAME=VALUE */
/* MAP:IDX=PROG */
int __must_check bench_setup__add_prog_array(struct bench_setup *s, const char *arg);
int __must_check bench_setup__add_prog(struct bench_setup *s, const char *arg);
/*
 * Finds the types that s->type names: a program type ("sched_cls"), or a section ("tc"), which may
 * imply an attach type too. Both types are 0 if s->type is NULL. Returns 0 or -EINVAL (reported).
 */
int __must_check bench_setup__find_type(const struct bench_setup *s, __u32 *type,
					__u32 *attach_type);
void bench_setup__free(struct bench_setup *s); /* frees the members, not s */

#endif
