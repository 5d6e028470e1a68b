/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which program of one report is which of the other: by name, type, function and input case, or as
 * --match OLD=NEW says. Pure.
 */
#ifndef BPROF_COMPARE_MATCH_H
#define BPROF_COMPARE_MATCH_H

#include "base/parse_error.h"
#include "report/report.h"

/*
 * Either is a program's name, which then stands for all its functions, or one function as tables
 * show it: "program:function".
 */
struct compare_match {
	char *old, *new;
};

struct compare_matches {
	struct compare_match *v;
	int cnt;
};

/* 0, -EINVAL with *err, or -ENOMEM. */
int compare_matches__add(struct compare_matches *m, const char *spec, struct parse_error *err);
void compare_matches__free(struct compare_matches *m);

/* One function in both reports, or (NULL) in one. */
struct compare_pair {
	const struct report_prog *base, *new;
};

struct compare_pairs {
	struct compare_pair *v; /* as base has them, then what is only in the new report */
	int cnt;
	int both;      /* how many are in both */
	int ambiguous; /* of these: that others are called the same as; paired in their order */
	const struct compare_match *unused; /* one that no pair is by; NULL: there is none */
};

/* 0 or -ENOMEM; the caller frees pairs->v in any case. */
int compare_pairs__find(struct compare_pairs *pairs, const struct report *base,
			const struct report *new, const struct compare_matches *matches);

#endif
