/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A loaded BPF program as the kernel describes it. Wraps BPF_OBJ_GET_INFO_BY_FD and the iteration
 * over program ids. Prints nothing, knows no perf events.
 */
#ifndef BPROF_PROG_H
#define BPROF_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>

struct func_table;
struct reason;

struct prog {
	int refs;		   /* number of references; prog__close() drops one */
	int fd;			   /* owned; keeps the program loaded while open; -1: released */
	struct bpf_prog_info info; /* scalars and array sizes; all pointers to arrays are zero */
	struct func_table *funcs;  /* NULL until prog__load_funcs() succeeds */
	__u8 *calls;		   /* NULL until prog__load_calls() succeeds (call_graph.h) */
	/*
	 * if p is an extension (freplace) and bprof knows its attachment: the type of the program that
	 * it extends; else 0
	 */
	enum bpf_prog_type extended_type;
};

/* Returns the type of the programs that get the same context as p. */
static inline enum bpf_prog_type prog__context_type(const struct prog *p)
{
	return p->extended_type ? p->extended_type : (enum bpf_prog_type)p->info.type;
}

/*
 * Opens the program with that id. Returns 0 or -errno (-ENOENT: no such id; -EPERM: ids need
 * CAP_SYS_ADMIN). The caller closes *out with prog__close().
 */
int prog__open_id(__u32 id, struct prog **out);
/*
 * Returns true if the descriptor is of this kind: "bpf-prog", "bpf-map" or "bpf_link".
 * /proc/self/fd uses these names. Always returns true without /proc.
 */
bool bpf_fd__is(int fd, const char *kind);

/*
 * Opens the program behind fd and takes over fd (also on failure). -EINVAL: fd refers to a link, a
 * map or something else that is not a program.
 */
int prog__open_fd(int fd, struct prog **out);
void prog__close(struct prog *p); /* NULL is allowed */
/* Takes another reference to p, which needs another prog__close(). Returns p. */
struct prog *prog__get(struct prog *p);

/*
 * Closes the descriptor and sets fd to -1, so that p no longer keeps the program loaded. Data that
 * has been read stays valid, but no more data can be read.
 */
void prog__release(struct prog *p);
/* Opens a released program again. Returns 0; -ENOENT: it has been unloaded; or -errno. */
int prog__reopen(struct prog *p);

/*
 * Reads the info again, because run_cnt, run_time_ns and recursion_misses change. Returns 0 or
 * -errno. The info of a released program stays as it is.
 */
int prog__refresh(struct prog *p);

/*
 * Fills p->funcs from the program's BTF and func_info unless p->funcs is already filled. Returns 0,
 * or -errno with *reason: REASON_NO_BTF, _NO_FUNC_INFO (both -ENODATA), _BAD_BTF (-EINVAL),
 * _NO_PERM (-EPERM: its detail names the capability), _SYSTEM.
 */
int prog__load_funcs(struct prog *p, struct reason *reason);
/*
 * Like prog__load_funcs(), but shares the BTF of "like", whose functions are loaded, instead of
 * reading the BTF again. Does nothing on failure, or if the two programs have different BTF. A
 * later call of prog__load_funcs() returns the reason.
 */
void prog__load_funcs_like(struct prog *p, const struct prog *like);

/* Reads the ids of the maps that the program uses. The caller frees *ids (NULL if *cnt is 0). */
int prog__map_ids(struct prog *p, __u32 **ids, __u32 *cnt);

/*
 * Returns the program's name, or "" if it has none. The kernel keeps only 15 characters of a name.
 * If the kernel's name has 15 characters, and the entry function's name begins with these, returns
 * the full name of the entry function. For this, the functions must be loaded.
 */
const char *prog__name(const struct prog *p);
/* Formats the tag as 16 hex digits into buf of at least 17 bytes. Returns buf. */
const char *prog__tag(const struct prog *p, char *buf);
/*
 * Returns true if the program is JITed. Without CAP_BPF it always returns false, because the kernel
 * withholds the size of the JITed code. Call prog__load_funcs() first: it reports the missing
 * capability.
 */
bool prog__is_jited(const struct prog *p);

/*
 * Returns the name of a type, such as "xdp" or "sched_cls". bpftool uses the same names; they are
 * the names of the UAPI in lower case, without BPF_PROG_TYPE_. Returns "type_NN" for a type that is
 * newer than this build. The string is static.
 */
const char *prog_type__name(enum bpf_prog_type type);
/* Returns the type with that name, or -ENOENT. Ignores case, and accepts "type_NN", too. */
int prog_type__parse(const char *name);
/* Types from 1 to PROG_TYPE_MAX have a name that is shown in lists of all types. */
#define PROG_TYPE_MAX 63
/* Returns true if this build knows the type, so that its name is not "type_NN". */
bool prog_type__is_known(enum bpf_prog_type type);
/*
 * Writes a message about a name of len bytes that is no type to buf: "no such program type; did you
 * mean 'xdp'?". Returns buf.
 */
const char *prog_type__explain_unknown(const char *name, size_t len, char *buf, size_t sz);

/*
 * Calls fn with the id of every loaded program, in ascending order. If fn returns a non-zero value,
 * stops and returns that value. Returns -EPERM without CAP_SYS_ADMIN. A program may be unloaded
 * before fn opens it.
 */
int prog__for_each_id(int (*fn)(__u32 id, void *arg), void *arg);

#endif
