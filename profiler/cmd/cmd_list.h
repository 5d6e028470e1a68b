/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of loaded programs that bprof list makes, for its outputs (cmd_list*.c) only.
 */
#ifndef BPROF_CMD_LIST_H
#define BPROF_CMD_LIST_H

#include <stdio.h>

#include "target/attachments.h"
#include "target/extension.h"
#include "btf/prog.h"
#include "backend/method_list.h"
#include "btf/reason.h"

struct list_opts;

struct listed {
	struct prog *prog;
	struct reason reason;		 /* why fentry cannot measure it; REASON_NONE: it can */
	const struct extension *extends; /* NULL: is no extension, or not known of what */
	bool nested;			 /* comes after the program that it extends */
	int place;			 /* in the order of ids: its own, or that program's */
};

struct list {
	const struct list_opts *opts;
	struct listed *v;
	int cnt;
	struct attachments attachments;
	bool has_ext;
	struct extensions extensions; /* loaded if has_ext */
	struct reason machine;	      /* why fentry works nowhere here */
	bool usable[BACKEND_CNT];     /* by this machine: backend_ops */
	__s64 boot_ns;		      /* the time of the boot, in ns since the epoch */
};

/* The name of the default backend that measures it, or NULL where none does. */
const char *listed__method(const struct list *l, const struct listed *item);
/* "2026-01-01 12:00:00" in local time, or in UTC as ISO 8601 has it; returns buf. */
const char *list__format_loaded(const struct list *l, const struct prog *p, bool utc, char *buf,
				size_t sz);
/* 0 or -ENOMEM (not reported). */
int list__print_json(const struct list *l, FILE *out);
/* The same of --perf: a line for each attachment to a perf event or a tracepoint. */
int list__print_perf(const struct list *l, FILE *out);

#endif
