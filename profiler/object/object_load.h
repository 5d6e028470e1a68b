/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types and functions for the files that load an object. bench_figures.c and the fuzzers also use
 * this header.
 */
#ifndef BPROF_OBJECT_LOAD_H
#define BPROF_OBJECT_LOAD_H

#include <stdbool.h>
#include <linux/types.h>

#include "object/map_file.h"
#include "object/object.h"
#include "object/object_setup.h"

struct bpf_object;
struct bpf_program;

/*
 * Sizes of verifier logs in bytes. If the log buffer is too small, the kernel accepts it since
 * Linux 6.4; before 6.4, the load fails.
 */
enum {
	/* for the verifier's statistics, which have a number for each of up to 256 functions */
	STATS_LOG_SZ = 64 << 10,
	/* for the log of every verified instruction: the size that libbpf uses */
	STEPS_LOG_SZ = 16 << 20,
};

/* An object that is being loaded, perhaps in several copies. */
struct bench_load {
	const char *path;
	const struct bench_setup *setup;
	bool (*can_run)(__u32 prog_type);
	/*
	 * the object is opened but not loaded. Notes on the object are shown only then, so that
	 * they appear once
	 */
	bool inspects;
	/* configuration for libbpf; NULL: libbpf searches for that of the running kernel */
	char *kconfig;
	/* wanted[i] and measured[i] belong to program i, in the order of the object. */
	int prog_cnt;
	bool *wanted; /* programs to load */
	/* programs to run: the wanted programs, except those that are only tail-called */
	bool *measured;
	/* programs to load only for the verifier's figures: the kernel cannot test-run them */
	bool *verified;
	struct bench_skip *skip;
	int skip_cnt;
	/*
	 * A copy of the file without the relocations that libbpf refuses (object_image.c). NULL if
	 * libbpf refuses none.
	 */
	char *image;
	size_t image_sz;
	/*
	 * this load is only for the verifier's figures: "wanted" is a copy of "verified", no map is
	 * pinned, and maps of struct_ops are created
	 */
	bool for_figures;
	bool nothing_runs; /* with for_figures: no program of the object was loaded to be run */
	bool has_prog_array;
	/* elems[i]: the elements to write to the map that setup->map[i] names */
	struct map_elems *elems;
	/* indexes of maps in the object, for setup->map[] and setup->prog_array[] */
	int *map_index, *prog_array_index;
	/*
	 * inner_fd[i] is a map that serves as template for the inner maps of map i, in the order of
	 * the object. It is -1 if the object defines the inner maps, or if map i has no inner maps.
	 * NULL while the object is inspected.
	 */
	int *inner_fd, inner_cnt;
};

/* A loaded copy of the object. */
struct bench_copy {
	struct bpf_object *obj;
	char **log; /* verifier logs, indexed by program, or NULL */
	int log_cnt;
	/*
	 * shorter[i]: program i is not of full length (code_length.h). NULL if
	 * bench_load__may_vary() is false, because then all loads have code of the same length.
	 */
	bool *shorter;
	/* The kernel does not show the code of a program, so its length is not known. */
	bool hidden;
};

/* Reports an error with the object's path as prefix. Returns err. */
int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs a message at log_info()'s level with the object's path as prefix. */
void bench_load__info(const struct bench_load *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * In object_copy.c: loads a copy of the object. Drops the programs that cannot be loaded: removes
 * them from l->wanted and l->measured and adds them to l->skip. Returns 0 or -errno (reported). If
 * no program is left, returns 0 without a copy.
 */
int bench_copy__load(struct bench_load *l, struct bench_copy *c);
void bench_copy__free(struct bench_copy *c);
/* Returns true if loads of the same program may differ in the length of their code. */
bool bench_load__may_vary(const struct bench_load *l);
bool bench_load__wants_any(const struct bench_load *l);
/*
 * Opens a copy of the object and applies the parts of the setup that precede the load. If l->wanted
 * is set, enables exactly these programs. pin: apply --pin-maps. Returns 0 or -errno (reported).
 * The caller closes *out.
 */
int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out);

/*
 * In object_open.c: calls touch() with the path in a child process. Returns 0 if the child
 * survives, else -errno (reported). bench_load__touch() is such a function: it parses the file's
 * BTF and ELF sections, which is the first step of every load.
 */
int bench_load__check_open(const struct bench_load *l, void (*touch)(const char *path));
void bench_load__touch(const char *path);

/* In object_sections.c: registers with libbpf the sections that only newer versions of libbpf know. */
void bench_load__register_sections(void);

/*
 * In object_select.c: adds a program to l->skip, with copies of its name and of the reason, unless the
 * program is in l->skip already. Returns the program's element, which is valid until the next call.
 */
struct bench_skip *bench_load__skip(struct bench_load *l, const char *prog, const char *why);

/*
 * In object_image.c: opens the object, or l->image if it is set. The caller closes it. Returns NULL
 * with errno.
 */
struct bpf_object *bench_image__open(const struct bench_load *l, const char *kconfig);
/*
 * Removes the relocations of a function from l->image (which it creates if necessary), and adds the
 * programs that contain or call the function to l->skip, with the reason why. Returns 0; -ENOENT:
 * the object has no such function, or the function has no relocations; or -errno. Reports nothing.
 */
int bench_image__leave_out(struct bench_load *l, const char *func, const char *why);

/* In object_select.c: fills in l->wanted, l->measured and l->verified. */
int bench_load__select(struct bench_load *l, struct bpf_object *obj);
/* If an XDP program only runs after a redirect to a map, returns that map's type, else NULL. */
const char *bench_load__redirect_map(const struct bpf_program *prog);

/* In object_select.c: sets the types that --type gives. Call it before the object is loaded. */
int bench_load__set_types(const struct bench_load *l, struct bpf_object *obj);

/* In object_kconfig.c: reads --kconfig into l->kconfig. */
int bench_load__read_kconfig(struct bench_load *l);

/* In object_map_sizes.c: sets the sizes of the maps. Call it before the object is loaded. */
int bench_load__set_sizes(const struct bench_load *l, struct bpf_object *obj);
/*
 * Fills in l->inner_fd, and checks that the object has the maps whose sizes options set. Call
 * bench_load__close_inner_maps() after the last load: it closes the descriptors in l->inner_fd.
 */
int bench_load__make_inner_maps(struct bench_load *l, struct bpf_object *obj);
void bench_load__close_inner_maps(struct bench_load *l);

/* Reports that the object has no map with this name, and lists its maps. Returns -ENOENT. */
int bench_load__refuse_map(const struct bench_load *l, struct bpf_object *obj, const char *option,
			   const char *name);
/* In object_maps.c: sets pins and flags of the maps. Call it before the object is loaded. */
int bench_load__set_maps(const struct bench_load *l, struct bpf_object *obj, bool pin);
/*
 * Enables the maps of struct_ops if this load is for the verifier's figures and has programs of
 * struct_ops; otherwise disables these maps.
 */
int bench_load__choose_struct_ops(const struct bench_load *l, struct bpf_object *obj);
/* Reads the maps' elements into l->elems. Checks that the object has the maps in options. */
int bench_load__read_maps(struct bench_load *l, struct bpf_object *obj);
/* Fill the maps and the prog arrays of a loaded object. */
int bench_load__fill_maps(const struct bench_load *l, struct bpf_object *obj);
int bench_load__fill_prog_arrays(const struct bench_load *l, struct bpf_object *obj);

/* In object_globals.c: sets global variables. Call it before the object is loaded. */
int bench_load__set_globals(const struct bench_load *l, struct bpf_object *obj);

/* In object_load_error.c: reports libbpf's error err from opening the file. Returns -errno. */
int bench_load__explain_open(const struct bench_load *l, int err);
/*
 * Leaves out the programs that libbpf cannot relocate (object_image.c), so that the others can be
 * opened. Reports nothing: bench_load__open() reports what libbpf still refuses.
 */
void bench_load__leave_out_broken(struct bench_load *l);
/* Returns 0 if the ELF header is that of a BPF object, else -errno (reported). */
int bench_load__check_file(const struct bench_load *l);
/*
 * Finds out why libbpf failed with the error err to load the object, by loading each program and
 * map alone. Drops the programs that cannot be loaded, and reports each. Returns 0 if it dropped
 * any; -errno (reported) if the whole object cannot be loaded.
 */
int bench_load__drop(struct bench_load *l, int err);

/* In bench_figures.c: loads the programs that cannot be test-run, to get the verifier's figures. */
int bench_figures__read(struct bench_load *l, struct bench_object *o);
/* Fills in *p from a loaded program and the verifier's log (NULL: none). Returns 0 or -errno. */
int bench_figures__fill(const struct bench_load *l, struct bench_object_prog *p,
			const struct bpf_program *prog, const char *log);

#endif
