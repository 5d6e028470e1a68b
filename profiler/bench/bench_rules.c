// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rules of bench's comparison that depend on the programs that it runs: which programs are
 * pairs, and whether the limits of --fail-on can be checked. Must not know how programs are run or
 * compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "bench/bench_plan.h"
#include "bench/bench_rules.h"
#include "bench/bench_targets.h"
#include "compare/compare_limit.h"
#include "compare/compare_match.h"
#include "session/session.h"

/* Returns the only program of that version in the list; NULL: there is none, or several. */
static struct prog *only_program(const struct bench_targets *t, bool base)
{
	const struct target_list *list = &t->list;
	struct prog *only = NULL;

	for (int i = 0; i < list->cnt; i++) {
		if (bench_targets__is_base(t, list->v[i].id) != base ||
		    (only && list->v[i].id == list->v[i - 1].id))
			continue;
		if (only)
			return NULL;
		only = list->v[i].prog;
	}
	return only;
}

void bench_rules__pair(struct compare_matches *matches, const struct bench_targets *t)
{
	struct prog *base, *new;
	char *match;

	if (t->plan->object_cnt || matches->cnt)
		return;
	base = only_program(t, true);
	new = only_program(t, false);
	if (!base || !new || !strcmp(prog__name(base), prog__name(new)))
		return;
	match = text__format("%s=%s", prog__name(base), prog__name(new));
	compare_matches__add(matches, match, NULL);
	free(match);
}

/* Refuses a limit for a program or an event that the session does not measure. */
static int check_names(const struct compare_limit *l, const struct session *s)
{
	struct limit_search search;
	char why[256];

	limit_search__init(&search, l);
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];
		const struct report_prog p = {.name = (char *)prog__name(t->prog),
					      .func = (char *)t->func};

		for (int k = 0; k < s->env.events->cnt; k++)
			limit_search__look(&search, &p, s->env.events->v[k].name);
		if (!backend__has(t->backend, BACKEND_COUNTS_EVENTS))
			limit_search__look(&search, &p, "time");
	}
	return search.found || !s->targets.cnt
		       ? 0
		       : log_err(-EINVAL, "--fail-on %s: %s", l->spec,
				 limit_search__explain(&search, why, sizeof(why)));
}

/* Refuses a limit for a statistic that no backend of the session gives. */
static int check_stat(const struct compare_limit *l, const struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++)
		if (backend__has(s->targets.v[i].backend, BACKEND_COUNTS_EVENTS))
			return 0;
	if (!s->targets.cnt || l->stat == STAT_MEAN)
		return 0;
	return log_err(-EINVAL,
		       "--fail-on %s: the programs are measured by %s, which gives no statistic "
		       "but the mean; use %s:mean%s",
		       l->spec, s->targets.v[0].backend->ops->method, l->event, l->bound);
}

int bench_rules__check(const struct compare_limits *limits, const struct session *s)
{
	int err = 0;

	for (int i = 0; !err && i < limits->cnt; i++)
		err = limits->v[i].of_size ? 0 : check_names(&limits->v[i], s) ?: check_stat(&limits->v[i], s);
	return err;
}
