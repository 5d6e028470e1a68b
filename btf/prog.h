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
	int fd;			   /* owned; keeps the program loaded while held */
	struct bpf_prog_info info; /* scalars only: every array pointer and its count as the
				    * kernel gave them, the pointers zeroed */
	struct func_table *funcs;  /* NULL where there are none: see funcs_reason by prog__load_funcs */
};

/* Opens the program with that id: 0, or -errno (-ENOENT: no such id; -EPERM: ids need CAP_SYS_ADMIN). */
int prog__open_id(__u32 id, struct prog **out);
/* Takes over fd (also on failure). */
int prog__open_fd(int fd, struct prog **out);
void prog__close(struct prog *p); /* NULL is fine */

/* Reads the info again (run_cnt, run_time_ns, recursion_misses move). 0 or -errno. */
int prog__refresh(struct prog *p);

/* Fills p->funcs from the program's BTF and func_info. -errno with *reason on failure. */
int prog__load_funcs(struct prog *p, struct reason *reason);

/* The full name where BTF is loaded and has it, else the kernel's (15 characters at most), else "". */
const char *prog__name(const struct prog *p);
/* tag as 16 hex digits; buf has at least 17 bytes. Returns buf. */
const char *prog__tag(const struct prog *p, char *buf);
bool prog__is_jited(const struct prog *p);

/* "xdp", "sched_cls", …: bpftool's and the UAPI's names, lower case without BPF_PROG_TYPE_; "type_NN"
 * for a type newer than this build. Static storage. */
const char *prog_type__name(enum bpf_prog_type type);
/* The type of that name, or -ENOENT. */
int prog_type__parse(const char *name);

/* Calls fn with every loaded program's id, in order, until fn returns non-zero, which is returned.
 * -EPERM without CAP_SYS_ADMIN. */
int prog__for_each_id(int (*fn)(__u32 id, void *arg), void *arg);

#endif
