/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files share that load an object for test runs (bench_object.c, bench_select.c,
 * bench_maps.c, bench_globals.c, bench_load_error.c). For them only.
 */
#ifndef BPROF_BENCH_LOAD_H
#define BPROF_BENCH_LOAD_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_setup.h"
#include "bench/map_file.h"

struct bpf_object;
struct bpf_program;

/*
 * The kernel has a verifier's log of any size since 6.4; before that, one that is too small makes
 * the load fail.
 */
enum {
	STATS_LOG_SZ = 64 << 10, /* a few lines, of as many functions as there may be */
	STEPS_LOG_SZ = 16 << 20, /* what libbpf itself would give it */
};

/* One object that is being loaded, in as many copies as that takes. */
struct bench_load {
	const char *path;
	const struct bench_setup *setup;
	bool (*can_run)(__u32 prog_type);
	__u32 type, attach_type; /* --type, or 0 */
	/* Of its programs, in the object's order: */
	int prog_cnt;
	bool *wanted;	/* to be loaded */
	bool *measured; /* to be run: all but those that are only called */
	bool has_prog_array;
	/* What setup->map[i] is to hold. */
	struct map_elems *elems;
	/* Which of the object's maps setup->map[i] and setup->prog_array[i] mean. */
	int *map_index, *prog_array_index;
};

/* An error, the object's path before it. Returns err. */
int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same at log_info()'s level. */
void bench_load__info(const struct bench_load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens a copy and sets up what is set up before it is loaded; once l->wanted is there, with these
 * programs to be loaded. pin: as --pin-maps says. Errors are reported; the caller closes *out.
 */
int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out);

/* bench_select.c: makes l->wanted and l->measured. */
int bench_load__select(struct bench_load *l, struct bpf_object *obj);

/* bench_maps.c, before the object is loaded. */
int bench_load__set_maps(const struct bench_load *l, struct bpf_object *obj, bool pin);
/* Reads what maps are to hold into l->elems, and checks that what is named is there. */
int bench_load__read_maps(struct bench_load *l, struct bpf_object *obj);
/* After it. */
int bench_load__fill_maps(const struct bench_load *l, struct bpf_object *obj);
int bench_load__fill_prog_arrays(const struct bench_load *l, struct bpf_object *obj);

/* bench_globals.c, before it is loaded. */
int bench_load__set_globals(const struct bench_load *l, struct bpf_object *obj);

/* bench_load_error.c: why the file cannot be opened; err is libbpf's. Returns -errno, reported. */
int bench_load__explain_open(const struct bench_load *l, int err);
/* 0 where the file is an object of BPF programs as far as its first bytes say; else reported. */
int bench_load__check_file(const struct bench_load *l);
/*
 * Which program or map is to blame that the object cannot be loaded, and why: loads each alone.
 * err is libbpf's. Returns -errno, reported.
 */
int bench_load__explain(const struct bench_load *l, int err);

#endif
