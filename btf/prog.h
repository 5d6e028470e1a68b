/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A loaded BPF program as the kernel describes it. Wraps BPF_OBJ_GET_INFO_BY_FD and
 * the program id walk; prints nothing, knows no perf events.
 */
#ifndef BPROF_PROG_H
#define BPROF_PROG_H

#include <stdbool.h>
#include <linux/bpf.h>

struct func_table;
struct reason;

struct prog {
	int refs;		   /* prog__close() gives one back */
	int fd;			   /* owned; keeps the program loaded while held; or -1 */
	struct bpf_prog_info info; /* scalars and the arrays' counts; their pointers are zero */
	struct func_table *funcs;  /* NULL until prog__load_funcs() finds some */
};

/*
 * Opens the program with that id: 0, or -errno (-ENOENT: no such id; -EPERM: ids need
 * CAP_SYS_ADMIN). The caller closes *out with prog__close().
 */
int prog__open_id(__u32 id, struct prog **out);
/*
 * What a descriptor is of: "bpf-prog", "bpf-map", "bpf_link", as its name in /proc has it. Without /proc it
 * cannot be told: true.
 */
bool bpf_fd__is(int fd, const char *kind);

/* Takes over fd (also on failure). -EINVAL: it is no program's, but a link's, a map's, … */
int prog__open_fd(int fd, struct prog **out);
void prog__close(struct prog *p); /* NULL is fine */
/* One more that holds p, and closes it. Returns p. */
struct prog *prog__get(struct prog *p);

/*
 * Closes the descriptor, which keeps the program loaded: fd is -1 then. What was read of the program
 * stays, but nothing more can be read.
 */
void prog__let_go(struct prog *p);
/* Opens it again. 0; -ENOENT: it has been unloaded; or -errno. */
int prog__take_back(struct prog *p);

/*
 * Reads the info again (run_cnt, run_time_ns, recursion_misses move). 0 or -errno. Of a program that
 * was let go of, it stays as it is.
 */
int prog__refresh(struct prog *p);

/*
 * Fills p->funcs from the program's BTF and func_info, once. -errno with *reason on failure:
 * REASON_NO_BTF, _NO_FUNC_INFO (both -ENODATA), _BAD_BTF (-EINVAL), _NO_PERM (-EPERM: its detail
 * names the capability), _SYSTEM.
 */
int prog__load_funcs(struct prog *p, struct reason *reason);
/*
 * The same where like, whose functions are loaded, has the same BTF, which is not read again. Does
 * nothing where it has another, or where that fails: prog__load_funcs() says why.
 */
void prog__load_funcs_like(struct prog *p, const struct prog *like);

/* The ids of the maps that it uses, in *ids, which the caller frees (NULL if *cnt is 0). */
int prog__map_ids(struct prog *p, __u32 **ids, __u32 *cnt);

/*
 * The kernel keeps 15 characters of a name. Where it had to cut, and the functions are loaded
 * and the entry function's name begins with what is left, that full name. "" for a program
 * without a name.
 */
const char *prog__name(const struct prog *p);
/* tag as 16 hex digits; buf has at least 17 bytes. Returns buf. */
const char *prog__tag(const struct prog *p, char *buf);
/* Without CAP_BPF the kernel withholds this and says no: ask prog__load_funcs() first. */
bool prog__is_jited(const struct prog *p);

/*
 * "xdp", "sched_cls", …: bpftool's and the UAPI's names, lower case without BPF_PROG_TYPE_;
 * "type_NN" for a type newer than this build. Static storage.
 */
const char *prog_type__name(enum bpf_prog_type type);
/* The type of that name ("type_NN" too), in any case of letters, or -ENOENT. */
int prog_type__parse(const char *name);

/*
 * Calls fn with every loaded program's id, in order, until fn returns non-zero, which is
 * returned. -EPERM without CAP_SYS_ADMIN. A program may be gone before fn opens it.
 */
int prog__for_each_id(int (*fn)(__u32 id, void *arg), void *arg);

#endif
