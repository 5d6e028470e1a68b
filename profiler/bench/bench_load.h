/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files that load an object for test runs (bench_object.c, bench_select.c,
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
 * Sizes of verifier logs in bytes. Since Linux 6.4 the kernel accepts a log buffer that is too
 * small; before, the load fails.
 */
enum {
	STATS_LOG_SZ = 64 << 10, /* a few lines, and one number for each of up to 256 functions */
	STEPS_LOG_SZ = 16 << 20, /* libbpf's own size */
};

/* An object that is being loaded, perhaps as several copies. */
struct bench_load {
	const char *path;
	const struct bench_setup *setup;
	bool (*can_run)(__u32 prog_type);
	__u32 type, attach_type; /* --type, or 0 */
	/* Its programs, in the object's order: */
	int prog_cnt;
	bool *wanted;	/* programs to load */
	bool *measured; /* programs to run: the wanted ones except those only tail-called */
	bool has_prog_array;
	/* The elements for setup->map[i]. */
	struct map_elems *elems;
	/* Index in the object of the map that setup->map[i] or setup->prog_array[i] names. */
	int *map_index, *prog_array_index;
};

/* Reports an error, prefixed with the object's path. Returns err. */
int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs with the same prefix at log_info()'s level. */
void bench_load__info(const struct bench_load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens a copy and does the setup that precedes the load; enables exactly the programs of l->wanted
 * if that is set. pin: pin maps as --pin-maps says. Reports errors; the caller closes *out.
 */
int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out);

/* bench_select.c: fills in l->wanted and l->measured. */
int bench_load__select(struct bench_load *l, struct bpf_object *obj);

/* bench_maps.c: sets pins and flags of the maps, before the object is loaded. */
int bench_load__set_maps(const struct bench_load *l, struct bpf_object *obj, bool pin);
/* Reads the maps' elements into l->elems, and checks that the named maps exist. */
int bench_load__read_maps(struct bench_load *l, struct bpf_object *obj);
/* Fill maps and prog arrays of a loaded object. */
int bench_load__fill_maps(const struct bench_load *l, struct bpf_object *obj);
int bench_load__fill_prog_arrays(const struct bench_load *l, struct bpf_object *obj);

/* bench_globals.c: sets global variables, before the object is loaded. */
int bench_load__set_globals(const struct bench_load *l, struct bpf_object *obj);

/* bench_load_error.c: reports why libbpf failed to open the file with err. Returns -errno. */
int bench_load__explain_open(const struct bench_load *l, int err);
/* Returns 0 if the ELF header is that of a BPF object, else -errno (reported). */
int bench_load__check_file(const struct bench_load *l);
/*
 * Reports which program or map made libbpf fail to load the object with err, and why: loads each
 * one alone. Returns -errno.
 */
int bench_load__explain(const struct bench_load *l, int err);

#endif
