/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of the files that load an object for test runs: bench_object.c,
 * bench_open.c, bench_select.c, bench_maps.c, bench_globals.c and bench_load_error.c.
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
 * Sizes of verifier logs in bytes. Since Linux 6.4 the kernel accepts a log buffer that is too
 * small; before 6.4, the load fails.
 */
enum {
	/* enough for a few lines and for one number per function (at most 256 functions) */
	STATS_LOG_SZ = 64 << 10,
	STEPS_LOG_SZ = 16 << 20, /* the size that libbpf uses itself */
};

/* An object that is being loaded, perhaps in several copies. */
struct bench_load {
	const char *path;
	const struct bench_setup *setup;
	bool (*can_run)(__u32 prog_type);
	__u32 type, attach_type; /* the types that --type names; 0 without --type */
	/* wanted[i] and measured[i] belong to program i, in the order of the object. */
	int prog_cnt;
	bool *wanted; /* programs to load */
	/* programs to run: the wanted ones, except those that are only tail-called */
	bool *measured;
	bool has_prog_array;
	/* elems[i]: the elements to write to the map that setup->map[i] names */
	struct map_elems *elems;
	/*
	 * Indexes of maps in the object: map_index[i] for setup->map[i], prog_array_index[i] for
	 * setup->prog_array[i].
	 */
	int *map_index, *prog_array_index;
};

/* Reports an error with the object's path as prefix. Returns err. */
int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs a message at log_info()'s level with the object's path as prefix. */
void bench_load__info(const struct bench_load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens a copy of the object and applies the parts of the setup that precede the load. If l->wanted
 * is set, enables exactly these programs. pin: apply --pin-maps. Returns 0 or -errno (reported).
 * The caller closes *out.
 */
int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out);

/*
 * In bench_open.c: calls touch() with the path in a child process. Returns 0 if the child survives,
 * else -errno (reported). bench_load__touch() does to the file what bprof does before it knows more.
 */
int bench_load__check_open(const struct bench_load *l, void (*touch)(const char *path));
void bench_load__touch(const char *path);

/* In bench_select.c: fills in l->wanted and l->measured. */
int bench_load__select(struct bench_load *l, struct bpf_object *obj);

/* In bench_maps.c: sets pins and flags of the maps. Call it before the object is loaded. */
int bench_load__set_maps(const struct bench_load *l, struct bpf_object *obj, bool pin);
/*
 * Reads the maps' elements into l->elems, and checks that the object has the maps that options
 * name.
 */
int bench_load__read_maps(struct bench_load *l, struct bpf_object *obj);
/* Fill the maps and the prog arrays of a loaded object. */
int bench_load__fill_maps(const struct bench_load *l, struct bpf_object *obj);
int bench_load__fill_prog_arrays(const struct bench_load *l, struct bpf_object *obj);

/* In bench_globals.c: sets global variables. Call it before the object is loaded. */
int bench_load__set_globals(const struct bench_load *l, struct bpf_object *obj);

/*
 * In bench_load_error.c: reports the error err with which libbpf failed to open the file. Returns
 * -errno.
 */
int bench_load__explain_open(const struct bench_load *l, int err);
/* Returns 0 if the ELF header is that of a BPF object, else -errno (reported). */
int bench_load__check_file(const struct bench_load *l);
/*
 * Reports which program or map made libbpf fail with the error err when it loaded the object, and
 * why. Loads each program and map alone to find out. Returns -errno.
 */
int bench_load__explain(const struct bench_load *l, int err);

#endif
