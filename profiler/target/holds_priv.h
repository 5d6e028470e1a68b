/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations for the files that search for what holds programs (holds*.c) only.
 */
#ifndef BPROF_HOLDS_PRIV_H
#define BPROF_HOLDS_PRIV_H

#include <linux/bpf.h>

#include "target/holds.h"

/* A loaded program, and what is known of what holds it. */
struct hold_prog {
	__u32 id;
	enum bpf_prog_type type;
	__u32 btf_id;
	__u32 attach_btf_obj_id; /* of a tracing program: the BTF of what it traces; 0: none, or attached */
	char name[16];
	bool own;
	bool open; /* nothing that holds it has been found */
	char *by;  /* what holds it, if that is neither a process nor an attachment */
	char *why; /* why it cannot be known whether something holds it */
	__u64 memory;
};

struct hold_search {
	struct hold_prog *v; /* all programs, sorted by id */
	int cnt;
};

/* Returns a program, or NULL. */
struct hold_prog *hold_search__find(const struct hold_search *s, __u32 id);
/* Notes that something holds the program. Without fmt: a process or an attachment does. */
void hold_search__found(struct hold_search *s, __u32 prog_id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Notes why it is not known what holds this program, if it is open. Keeps the first reason. */
void hold_prog__doubt(struct hold_prog *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes why it is not known what holds the open programs of a type (0: of all types). */
void hold_search__doubt(struct hold_search *s, enum bpf_prog_type type, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns true if programs of the type (0: of any type) are open. */
bool hold_search__wants(const struct hold_search *s, enum bpf_prog_type type);

/* Each searches one kind of places for the programs that are open. */
void hold_search__links(struct hold_search *s);	     /* programs that are made for other programs */
void hold_search__namespaces(struct hold_search *s); /* pins, and other network namespaces */
void hold_search__maps(struct hold_search *s);	     /* maps that contain programs */

#endif
