/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs the programs of two reports by name, type, function and input case, or by --match OLD=NEW.
 * Pure.
 */
#ifndef BPROF_COMPARE_MATCH_H
#define BPROF_COMPARE_MATCH_H

#include "base/parse_error.h"
#include "report/report.h"

/*
 * Each is the name of a program, for all its functions, or of one function as in tables:
 * "program:function".
 */
struct compare_match {
	char *old, *new;
};

struct compare_matches {
	struct compare_match *v;
	int cnt;
};

/* Parses and appends "OLD=NEW". Returns 0, -EINVAL with *err, or -ENOMEM. */
int compare_matches__add(struct compare_matches *m, const char *spec, struct parse_error *err);
void compare_matches__free(struct compare_matches *m);

/* One function in both reports, or (NULL) in one. */
struct compare_pair {
	const struct report_prog *base, *new;
};

struct compare_pairs {
	struct compare_pair *v; /* in the base's order, then those only in the new report */
	int cnt;
	int both;      /* pairs that are in both reports */
	int ambiguous; /* pairs in both with namesakes, which were paired in order */
	const struct compare_match *unused; /* a match that applies to no pair, or NULL */
};

/* Fills *pairs. Returns 0 or -ENOMEM; the caller frees pairs->v in any case. */
int compare_pairs__find(struct compare_pairs *pairs, const struct report *base,
			const struct report *new, const struct compare_matches *matches);

#endif
