/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations only for the files that search for holders of programs (holds*.c).
 */
#ifndef BPROF_HOLDS_PRIV_H
#define BPROF_HOLDS_PRIV_H

#include <linux/bpf.h>

#include "target/holds.h"

/* A loaded program, and what is known of its holders. */
struct hold_prog {
	__u32 id;
	enum bpf_prog_type type;
	__u32 btf_id;
	/*
	 * for a tracing program: the id of the BTF of the function that it traces; 0: none, or the
	 * program is attached
	 */
	__u32 attach_btf_obj_id;
	char name[16];
	bool own;
	bool open; /* no holder has been found */
	char *by;  /* the holder, if it is neither a process nor an attachment */
	char *why; /* why bprof cannot know whether something holds the program */
	__u64 memory;
};

struct hold_search {
	struct hold_prog *v; /* all programs, sorted by id */
	int cnt;
};

/* Returns the program with that id, or NULL. */
struct hold_prog *hold_search__find(const struct hold_search *s, __u32 id);
/* Notes that something holds the program. fmt says what; NULL: a process or an attachment. */
void hold_search__found(struct hold_search *s, __u32 prog_id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Notes why the program's holder is not known, if none has been found. Keeps the first reason. */
void hold_prog__doubt(struct hold_prog *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes this reason for each program of a type (0: any) for which no holder has been found. */
void hold_search__doubt(struct hold_search *s, enum bpf_prog_type type, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns true if there are programs of the type (0: any) for which no holder has been found. */
bool hold_search__wants(const struct hold_search *s, enum bpf_prog_type type);

/* Each searches one kind of place for holders of the programs for which hold_prog.open is set. */
void hold_search__links(struct hold_search *s);	     /* tracing programs and extensions */
void hold_search__namespaces(struct hold_search *s); /* pins, and other network namespaces */
void hold_search__maps(struct hold_search *s);	     /* maps that contain programs */

#endif
