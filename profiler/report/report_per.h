/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calculates what several programs cost together. With --per: the cost per run of one program, for
 * example what all BPF programs that see a packet cost for each packet that the first of them sees.
 * For a struct_ops map: the cost of its operations per second.
 */
#ifndef BPROF_REPORT_PER_H
#define BPROF_REPORT_PER_H

#include "report/report.h"

struct reason;

/* Why the cost of a row is not in the total. */
enum per_left_out {
	PER_IN_TOTAL,
	PER_NO_NUMBER, /* the cost is not known */
	/*
	 * row and program were measured by different methods, or only one of the two costs is net
	 * (without the probe's own cost)
	 */
	PER_METHOD,
	/* the row's runs may be inside runs of other rows, whose costs then contain the row's cost */
	PER_INSIDE,
	PER_NOT_MEASURED, /* there is no row: the report skipped the program */
	PER_CNT
};
struct per_left_out_spec {
	const char *name; /* in JSON */
	const char *text; /* the reason, for people */
};
extern const struct per_left_out_spec per_left_out_specs[PER_CNT];

/* A cost per run of the program, in the unit of the event. */
struct per_cost {
	double value;	/* NaN: not known */
	double stddev;	/* its sampling error; NaN: there is none, or it is not known */
	bool estimated; /* some of the runs were not measured */
};

struct per_value {
	/*
	 * STAT_SELF if the report has it: without the cost of other measured functions that ran in
	 * the row's runs
	 */
	struct per_cost cost;
	enum per_left_out left_out;
};

struct per_row {
	const struct report_prog *p;
	double runs;		 /* the row's runs per run of the program; NaN: not known */
	struct per_value *value; /* one for each event of the table */
};

struct per_total {
	const struct report_event *ev; /* a row's event: use only its names and unit */
	struct per_cost cost;	       /* the sum of the rows that are not left out */
	__u64 left_out; /* number of rows that are left out, plus the number of skipped programs */
};

struct per_table {
	/* The first row of the program, or the first operation; NULL: the report has no such row */
	const struct report_prog *program;
	/* For a program: its runs; NaN: not known. For operations: the elapsed time in seconds */
	double runs;
	struct per_row *row; /* the rows in the order in which a packet meets the programs */
	int row_cnt;
	struct per_total *event;
	int event_cnt;
};

/* The ids of the programs that match the argument of --per. Exactly one program must match. */
struct per_match {
	int cnt;
	__u32 id, other; /* the first id, and the last id that differs from it, if there is one */
};
void per_match__add(struct per_match *m, __u32 id);
/*
 * Returns 0 if exactly one program was added. Otherwise returns -ESRCH (none) or -ENOTUNIQ
 * (several) and sets why. The text belongs to a message that begins with "--per PROGRAM: ".
 */
int per_match__check(const struct per_match *m, struct reason *why);
/*
 * Like per_match__check(), for the rows of r and a program (its id or name). Returns -EINVAL if r has no
 * rows that could be shown per run.
 */
int report__check_per(const struct report *r, const char *program, struct reason *why);
/* Returns true if "program", the argument of --per, is the id or the name of this program. */
bool per__is_program(const char *program, __u32 id, const char *name);

/* Makes the report show costs per run of the program. Copies the argument of --per. */
void report__set_per(struct report *r, const char *program);

/*
 * Makes the table of a report with r->per. The table has all programs of r->whole, if that is set.
 * If programs were followed, a name means all versions of the program. r must outlive the table.
 * per_table__free() frees the table.
 */
void per_table__make(const struct report *r, struct per_table *t);
void per_table__free(struct per_table *t);

#define OPS_MAP_SZ 64
/*
 * Writes the name of a row's struct_ops map, which is a part of the row's hook, to map. Returns
 * false if the row is no operation of a struct_ops map.
 */
bool report_prog__ops_map(const struct report_prog *p, char map[OPS_MAP_SZ]);
/*
 * Makes the table of the operations of the next struct_ops map. The maps are in the order of their
 * first rows. Sets *at to the first row of the map; *at is -1 before the first call. Returns false
 * if there is no further map. per_table__free() frees the table.
 */
bool per_table__next_ops(const struct report *r, int *at, struct per_table *t);

/*
 * Returns the place of a program on the path of a packet, from its type and hook. The path leads
 * from the driver to the socket, and from the socket to the driver. Programs without a place come
 * last.
 */
int report_prog__path_place(const struct report_prog *p);

#endif
