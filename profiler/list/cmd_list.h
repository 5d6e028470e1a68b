/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The list of loaded programs that bprof list shows. Only cmd_list*.c use this header.
 */
#ifndef BPROF_CMD_LIST_H
#define BPROF_CMD_LIST_H

#include <stdio.h>

#include "backend/method_list.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "host/holders.h"
#include "json/json_ascii.h"
#include "target/attachments.h"
#include "target/extension.h"
#include "target/holds.h"
#include "target/jit_memory.h"
#include "target/prog_maps.h"

struct csv_style;
struct list_opts;
struct order_opts;

struct listed {
	struct prog *prog;
	struct reason reason;		 /* why fentry cannot measure prog, or REASON_NONE */
	const struct extension *extends; /* which program prog extends; NULL: none, or unknown */
	bool nested;			 /* the table shows prog below the program it extends */
	struct prog_maps maps;		 /* filled in if list.with_maps is set */
	/* paths of prog's pins and of the pins of links to prog; only if with_maps is set */
	char **pins;
	int pin_cnt;
	/*
	 * The list is sorted by this number: prog's index in the order of ids or, if nested is set,
	 * the index of the extended program.
	 */
	int place;
	/* Measured for --active and --sort; NaN: a value is not known */
	double runs_per_s, cpu_share;
};

struct list {
	const struct list_opts *opts;
	struct listed *v;
	int cnt;
	struct attachments attachments;
	struct holders holders;
	struct holds holds;
	struct jit_memory jit; /* its limit is 0 if it is not known or not wanted */
	bool with_maps;	       /* show the maps of the programs, their memory, and metadata */
	bool has_ext;
	struct extensions extensions; /* valid only if has_ext is set */
	struct reason machine;	      /* why fentry does not work on this machine, or REASON_NONE */
	bool usable[BACKEND_CNT];     /* whether backend_ops[i] works on this machine */
	bool measured;		      /* the programs have runs_per_s and cpu_share */
	__s64 boot_ns;		      /* time of the machine's boot, in ns since the epoch */
};

void listed__free(struct listed *item);
/* Returns the first of the default methods that can measure the program, or NULL if none can. */
const char *listed__method(const struct list *l, const struct listed *item);
/* Formats the load time: "2026-01-01 12:00:00" in local time, or ISO 8601 in UTC. Returns buf. */
const char *list__format_loaded(const struct list *l, const struct prog *p, bool utc, char *buf,
				size_t sz);
/* Prints a line for each program. */
void list__print_text(const struct list *l, FILE *out);
/* Prints the columns of list__print_text() as CSV, with times in UTC. */
void list__print_csv(const struct list *l, const struct csv_style *style, FILE *out);
/*
 * Sorts the list, and removes the programs that --top and --active leave out. Returns 0 or -errno
 * (reported).
 */
int list__order(struct list *l, const struct order_opts *o);
/* Returns the i-th column by which the list can be sorted, or NULL. */
const char *list_order__column(int i);
/* Prints the list as JSON. */
void list__print_json(const struct list *l, enum json_layout layout, FILE *out);
/* Prints a line for each attachment to a perf event or tracepoint; as text if style is NULL. */
void list__print_perf(const struct list *l, const struct csv_style *style, FILE *out);

#endif
