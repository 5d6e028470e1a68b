/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of bprof bench that select programs of an object and set up the object. Must not read
 * the object.
 */
#ifndef BPROF_OBJECT_SETUP_H
#define BPROF_OBJECT_SETUP_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

struct bench_skip;

struct bench_map {
	char *name;
	const char *path; /* a file; or the elements themselves, as JSON that begins with '[' */
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

/* Which size of a map an option sets: --map-size, --map-key-size or --map-value-size. */
enum bench_map_part { MAP_ENTRIES, MAP_KEY, MAP_VALUE };

struct bench_map_size {
	char *name;
	enum bench_map_part part;
	__u32 n;
};

/* The template of the inner maps of an outer map: a map of the object, or these sizes and type. */
struct bench_inner_map {
	char *name; /* name of the outer map */
	/* the name of a map of the object; NULL: the members below describe the template */
	char *map;
	__u32 type, key_sz, value_sz, entries;
};

/* The type of programs whose section's name does not say it. */
struct bench_type {
	/* glob of program names; NULL: all programs in sections that libbpf does not know */
	char *prog;
	__u32 type, attach_type;
	const char *target; /* the kernel function or tracepoint to which it attaches, or NULL */
};

/* The names are owned copies. All other strings point into argv. */
struct bench_setup {
	struct bench_map *map;
	int map_cnt;
	struct bench_global *global;
	int global_cnt;
	struct bench_prog_array *prog_array;
	int prog_array_cnt;
	/* globs of program names; without any, all programs that can be test-run are selected */
	const char **prog;
	int prog_cnt;
	const char *pin_maps; /* a directory, or NULL */
	struct bench_type *type;
	int type_cnt;
	struct bench_map_size *size;
	int size_cnt;
	struct bench_inner_map *inner;
	int inner_cnt;
	const char *kconfig; /* a file with the kernel's configuration, or NULL */
	/* number of loads of the objects to measure how long the verifier takes */
	__u64 times;
	/*
	 * set for all loads after the first: load neither the programs that are needed only for the
	 * verifier's figures, nor those whose first load failed
	 */
	bool no_figures;
	const struct bench_skip *skip;
	int skip_cnt;
	/* with --exact: the machine is deterministic, so make all loads in the same way */
	bool exact;
};

/* Each function adds the argument of one option to *s. Returns 0 or -EINVAL (reported). */
int __must_check bench_setup__add_map(struct bench_setup *s, const char *arg);	  /* NAME=FILE */
int __must_check bench_setup__add_global(struct bench_setup *s, const char *arg); /* NAME=VALUE */
/* MAP:IDX=PROG */
int __must_check bench_setup__add_prog_array(struct bench_setup *s, const char *arg);
int __must_check bench_setup__add_prog(struct bench_setup *s, const char *arg);
/*
 * [PROG=]TYPE. TYPE is a program type ("sched_cls"), or a section ("tc", "fentry/vfs_read"). A
 * section may imply an attach type and a target, too.
 */
int __must_check bench_setup__add_type(struct bench_setup *s, const char *arg);
/* NAME=N. option: the name of the option, for messages */
int __must_check bench_setup__add_size(struct bench_setup *s, const char *option,
				       enum bench_map_part part, const char *arg);
/* NAME=MAP or NAME=TYPE,KEY,VALUE,ENTRIES */
int __must_check bench_setup__add_inner_map(struct bench_setup *s, const char *arg);
void bench_setup__free(struct bench_setup *s); /* frees the members, not s */

#endif
