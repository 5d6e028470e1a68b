/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs the programs of two reports by name, type, function and input case, or by --match OLD=NEW.
 * If several functions have the same name, their labels contain lines (btf/func_label.h). Lines may
 * differ between the reports.
 */
#ifndef BPROF_COMPARE_MATCH_H
#define BPROF_COMPARE_MATCH_H

#include "base/parse_error.h"
#include "report/report.h"

/*
 * One --match OLD=NEW. Each side is the name of a program, which stands for all its functions, or
 * "program:function".
 */
struct compare_match {
	char *old, *new;
};

struct compare_matches {
	struct compare_match *v;
	int cnt;
};

/* Parses and appends "OLD=NEW". Returns 0, or -EINVAL with *err. */
int compare_matches__add(struct compare_matches *m, const char *spec, struct parse_error *err);
void compare_matches__free(struct compare_matches *m);

/* One function in both reports. base or new is NULL if only the other report has the function. */
struct compare_pair {
	const struct report_prog *base, *new;
	const char *point; /* in a comparison with an axis: the label of the reports, else NULL */
};

struct compare_pairs {
	/* In the order of the base report. Pairs without a base come last. */
	struct compare_pair *v;
	int cnt;
	/* The number of pairs with a function in both reports */
	int both;
	/*
	 * The number of pairs that are a guess: functions with the same name, paired by their
	 * programs' tags and, if these are the same or new, in the order of the reports.
	 */
	int ambiguous;
	const struct compare_match *unused; /* the first match that applies to no pair, or NULL */
};

/* Fills *pairs. The caller frees pairs->v. */
void compare_pairs__find(struct compare_pairs *pairs, const struct report *base,
			 const struct report *new, const struct compare_matches *matches);

#endif
