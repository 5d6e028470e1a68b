/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Histories in memory. Include this file after <cmocka.h>.
 */
#ifndef BPROF_TESTS_MADE_HISTORY_H
#define BPROF_TESTS_MADE_HISTORY_H

#include <stdio.h>
#include <string.h>

#include "history/history.h"
#include "tests/unit/compare_models.h"

/* Adds a report of the commit "c" and a number, which is made a day after the one before. */
static inline struct history_entry *add_entry(struct history *h, int commit, struct report *r)
{
	struct history_entry *e = array__add(&h->v, &h->cnt, sizeof(*e));

	assert_non_null(e);
	assert_true(asprintf(&e->commit, "c%d", commit) > 0);
	e->date.tv_sec = 1767225600 + 86400L * commit;
	e->report = r;
	return e;
}

/* Adds a report of one program with an exact event, which counts this number of instructions. */
static inline struct report *add_count(struct history *h, int commit, double instructions)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 8000);

	add_exact(&p->all, "instructions", instructions);
	add_entry(h, commit, r);
	return r;
}

/* Adds a report of one program with 20 blocks of the event "cycles" around the value. */
static inline struct report *add_cycles(struct history *h, int commit, double cycles)
{
	struct report *r = make_base();

	add_spread(&add_prog(r, 42, "xdp_lb", "xdp_lb", 8000)->all, "cycles", cycles, 0.5, 20);
	add_entry(h, commit, r);
	return r;
}

#endif
