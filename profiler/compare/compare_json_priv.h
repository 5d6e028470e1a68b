/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared only by compare_json.c and compare_json_prog.c. */
#ifndef BPROF_COMPARE_JSON_PRIV_H
#define BPROF_COMPARE_JSON_PRIV_H

#include "compare/compare.h"
#include "report/report_head.h"

/* The user argument of the json_reader. */
struct compare_reader {
	struct report_reader report; /* for the fields of reports */
	int next_prog;		     /* the next program of report.r that is not used */
	struct compare_limits *limits;
};

/* Returns how many programs the document may need. */
size_t compare_reader__count_progs(const json_t *doc);
/*
 * Adds cnt programs to the report of the comparison. Call it before any program is used, because
 * adding a program may move the others.
 */
void compare_reader__add_progs(struct compare_reader *reader, size_t cnt);

/*
 * Kinds of fields. field_names: the names of the programs of a struct compare_row. field_size: a
 * struct compare_pair with its names and sizes. field_retval: a program with a return value; the
 * member is a pointer to a program.
 */
extern const struct json_kind field_names, field_size, field_retval;

#endif
