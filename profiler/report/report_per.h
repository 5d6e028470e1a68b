/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What several programs cost together: per run of one of them (--per), such as all BPF programs that see a
 * packet, for each packet that the first of them sees; per second, the operations of a struct_ops map. Pure.
 */
#ifndef BPROF_REPORT_PER_H
#define BPROF_REPORT_PER_H

#include "report/report.h"

struct reason;

/* Why the cost of a row is not in the total. */
enum per_left_out {
	PER_IN_TOTAL,
	PER_NO_NUMBER, /* it is not known */
	PER_METHOD, /* the method is not that of the program, or only one of both numbers is net */
	PER_INSIDE, /* the row's runs may be inside those of other rows, which contain the cost then */
	PER_NOT_MEASURED, /* there is no row: the report skipped the program */
	PER_CNT
};
struct per_left_out_spec {
	const char *name; /* in JSON */
	const char *text; /* what is true of the program, for people */
};
extern const struct per_left_out_spec per_left_out_specs[PER_CNT];

/* A cost per run of the program, in the unit of the event. */
struct per_cost {
	double value;	/* NaN: not known */
	double stddev;	/* its sampling error; NaN: none, or not known */
	bool estimated; /* some of the runs were not measured */
};

struct per_value {
	/* Without what other measured functions cost that ran in it, if that is known of all rows */
	struct per_cost cost;
	enum per_left_out left_out;
};

struct per_row {
	const struct report_prog *p;
	double runs;		 /* per run of the program; NaN: not known */
	struct per_value *value; /* one for each event of the table */
};

struct per_total {
	const struct report_event *ev; /* only its names and unit are that of the total */
	struct per_cost cost;	       /* the sum of the rows that are not left out */
	int left_out; /* number of rows that are left out, and of skipped programs */
};

struct per_table {
	/* The first row of the program, or of the operations; NULL: the report has none */
	const struct report_prog *program;
	double runs; /* of the program; NaN: not known. Of operations: the elapsed time in seconds */
	struct per_row *row; /* in the order of the path */
	int row_cnt;
	struct per_total *event;
	int event_cnt;
};

/* The ids of the programs that the argument of --per means. It has to mean one. */
struct per_match {
	int cnt;
	__u32 id, other; /* the first id, and the last one that differs from it, if any does */
};
void per_match__add(struct per_match *m, __u32 id);
/*
 * Returns 0, or -ESRCH or -ENOTUNIQ and sets why if no program was added, or several. The text belongs
 * to a message that begins with "--per PROGRAM: ".
 */
int per_match__check(const struct per_match *m, struct reason *why);
/*
 * Like per_match__check(), for the rows of r and a program (its id or name). Returns -EINVAL if r has no
 * rows that could be shown per run.
 */
int report__check_per(const struct report *r, const char *program, struct reason *why);
/*
 * Returns true if a program is meant by the argument of --per: its id or its name. A number is an id.
 */
bool per__is_program(const char *program, __u32 id, const char *name);

/* Lets the report have costs per run of the program. Copies the argument of --per. */
void report__set_per(struct report *r, const char *program);

/*
 * Makes the table of a report with r->per, which must outlive it, of all programs of r->whole, too. If programs were followed, a name means
 * all versions of the program. per_table__free() frees it.
 */
void per_table__make(const struct report *r, struct per_table *t);
void per_table__free(struct per_table *t);

#define OPS_MAP_SZ 64
/*
 * Writes the name of a row's struct_ops map, which its hook tells, to map. Returns false if the hook is
 * no operation.
 */
bool report_prog__ops_map(const struct report_prog *p, char map[OPS_MAP_SZ]);
/*
 * Makes the table of the operations of one struct_ops map, in the order of the report: of the map of the first row
 * after *at that is of a map without an earlier row. *at is -1 for the first map. Returns false if there is no other
 * map. per_table__free() frees the table.
 */
bool per_table__next_ops(const struct report *r, int *at, struct per_table *t);

/*
 * Returns the place of a program on the path of a packet, from the driver to the socket and from there
 * out again, by its type and hook. Programs without a place are the last ones.
 */
int report_prog__path_place(const struct report_prog *p);

#endif
