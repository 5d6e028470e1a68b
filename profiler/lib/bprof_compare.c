// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements the comparisons of bprof.h. Owns the rules and the notes of a comparison; must not
 * know how reports are compared, or what an output looks like.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/util.h"
#include "btf/reason.h"
#include "compare/compare.h"
#include "formats/formats.h"
#include "lib/bprof_model.h"
#include "lib/bprof_priv.h"

struct bprof_rules {
	struct compare_limits limits;
	struct compare_matches matches;
};

static const struct bprof_rules no_rules;

struct bprof_comparison {
	struct comparison *c;
	unsigned int excuses;
	char headline[160];
	char **note;
	int note_cnt;
};

static_assert((int)BPROF_VERDICT_WORSE == VERDICT_WORSE &&
		      (int)BPROF_VERDICT_INCONCLUSIVE == VERDICT_INCONCLUSIVE &&
		      (int)BPROF_VERDICT_GONE == VERDICT_GONE &&
		      (int)BPROF_VERDICT_NEW == VERDICT_NEW &&
		      (int)BPROF_VERDICT_BETTER == VERDICT_BETTER &&
		      (int)BPROF_VERDICT_SAME == VERDICT_SAME && VERDICT_CNT == 6,
	      "the verdicts of the public interface are those of the comparison");

static const int exit_statuses[OUTCOME_CNT] = {
	[OUTCOME_PASS] = EXIT_DONE,
	[OUTCOME_WORSE] = EXIT_REGRESSION,
	[OUTCOME_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
};

int bprof_outcome__exit_status(enum compare_outcome outcome)
{
	return exit_statuses[outcome];
}

/* ---- rules ---- */

int bprof_rules_new(struct bprof_rules **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

int bprof_rules_add_limit(struct bprof_rules *rules, const char *limit, struct bprof_error *error)
{
	struct parse_error perr;
	int err = compare_limits__add(&rules->limits, limit, &perr);

	if (err == -E2BIG)
		return bprof_error__set(error, err, "argument",
					"one too many, at most %d can be given",
					COMPARE_MAX_LIMITS);
	return bprof_error__set_parsed(error, err, NULL, &perr);
}

int bprof_rules_add_match(struct bprof_rules *rules, const char *match, struct bprof_error *error)
{
	struct parse_error perr;

	return bprof_error__set_parsed(error, compare_matches__add(&rules->matches, match, &perr),
				       NULL, &perr);
}

void bprof_rules_free(struct bprof_rules *rules)
{
	if (!rules)
		return;
	compare_limits__free(&rules->limits);
	compare_matches__free(&rules->matches);
	free(rules);
}

const struct compare_matches *bprof_rules__matches(const struct bprof_rules *rules)
{
	return rules ? &rules->matches : &no_rules.matches;
}

const struct compare_limits *bprof_rules__limits(const struct bprof_rules *rules)
{
	return rules ? &rules->limits : &no_rules.limits;
}

/* ---- comparing ---- */

static int describe(struct bprof_comparison *c)
{
	char text[COMPARE_NOTE_SZ];

	comparison__headline(c->c, c->headline, sizeof(c->headline));
	while (comparison__note(c->c, c->note_cnt, text, sizeof(text))) {
		char **note = array__add(&c->note, &c->note_cnt, sizeof(*note));

		if (!note)
			return -ENOMEM;
		*note = strdup(text);
		if (!*note)
			return -ENOMEM;
	}
	return 0;
}

static int compare(const struct compare_part *parts, int cnt, uint64_t flags,
		   struct bprof_comparison *c)
{
	struct reason reason;
	char why[512];
	int err = compare__parts(parts, cnt, &c->c, &reason);

	if (err)
		return log_err(err, "%s", reason__describe(&reason, why, sizeof(why)));
	c->excuses = (flags & BPROF_COMPARE_INCONCLUSIVE_OK ? EXCUSE_INCONCLUSIVE : 0) |
		     (flags & BPROF_COMPARE_ONE_SIDED_OK ? EXCUSE_ONE_SIDED : 0);
	return describe(c);
}

int bprof_compare__parts(const struct compare_part *parts, int cnt, uint64_t flags,
			 struct bprof_comparison **out, struct bprof_error *error)
{
	struct bprof_call call = {.error = error};
	struct bprof_comparison *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return bprof_error__set(error, -ENOMEM, "other", "out of memory");
	bprof_call__begin(&call, BPROF_LOG_ERROR);
	err = bprof_call__end(&call, compare(parts, cnt, flags, c));
	if (err == -EINVAL && error)
		strcpy(error->code, "argument");
	if (err)
		bprof_comparison_free(c);
	else
		*out = c;
	return err;
}

struct compare_part bprof_part__make(const struct bprof_report *base,
				     const struct bprof_report *new_report,
				     const struct bprof_compare_opts *o)
{
	const struct bprof_rules *rules = o->rules ?: &no_rules;

	return (struct compare_part){
		.base = bprof_report__model(base),
		.new = bprof_report__model(new_report),
		.opts =
			{
				.limits = &rules->limits,
				.matches = &rules->matches,
				.allow_retval_change = o->flags & BPROF_COMPARE_RETVAL_CHANGE_OK,
			},
	};
}

int bprof_compare(const struct bprof_report *base, const struct bprof_report *new_report,
		  const struct bprof_compare_opts *opts, struct bprof_comparison **out,
		  struct bprof_error *error)
{
	const uint64_t flags = BPROF_COMPARE_INCONCLUSIVE_OK | BPROF_COMPARE_ONE_SIDED_OK |
			       BPROF_COMPARE_RETVAL_CHANGE_OK;
	struct compare_part part;
	struct bprof_compare_opts o;
	int err = bprof_opts__copy(&o, sizeof(o), BPROF_OPTS_SZ(compare, rules), opts, error)
			  ?: bprof_opts__check_flags(o.flags, flags, error);

	*out = NULL;
	if (err)
		return err;
	part = bprof_part__make(base, new_report, &o);
	return bprof_compare__parts(&part, 1, o.flags, out, error);
}

void bprof_comparison_free(struct bprof_comparison *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->note_cnt; i++)
		free(c->note[i]);
	free(c->note);
	comparison__free(c->c);
	free(c);
}

/* ---- a comparison ---- */

const char *bprof_verdict_name(enum bprof_verdict verdict)
{
	return (unsigned int)verdict < VERDICT_CNT ? verdict_specs[verdict].name : NULL;
}

enum bprof_verdict bprof_comparison_verdict(const struct bprof_comparison *c)
{
	return (enum bprof_verdict)c->c->verdict;
}

int bprof_comparison_exit_status(const struct bprof_comparison *c)
{
	return bprof_outcome__exit_status(comparison__outcome(c->c, c->excuses));
}

int bprof_comparison_difference_count(const struct bprof_comparison *c)
{
	return c->c->difference_cnt;
}

const char *bprof_comparison_note(const struct bprof_comparison *c, int i)
{
	return i >= 0 && i < c->note_cnt ? c->note[i] : NULL;
}

const char *bprof_comparison_headline(const struct bprof_comparison *c)
{
	return c->headline;
}

int bprof_comparison_change_count(const struct bprof_comparison *c)
{
	return c->c->row_cnt;
}

const struct bprof_change *bprof_comparison_change(const struct bprof_comparison *c, int i)
{
	if (i < 0 || i >= c->c->row_cnt)
		return NULL;
	return (const struct bprof_change *)&c->c->row[i];
}

int bprof_comparison_render(const struct bprof_comparison *c, const char *format,
			    const struct bprof_render_opts *opts, FILE *out,
			    struct bprof_error *error)
{
	struct bprof_call call = {.error = error};
	struct bprof_render_opts o;
	struct compare_render_opts render;
	const struct format *f;
	int err = bprof_format__find(DOC_COMPARISON, format, &f, error)
			  ?: bprof_render_opts__read(&o, opts, error);

	if (err)
		return err;
	render = (struct compare_render_opts){
		.base_name = o.base_name ?: "base",
		.new_name = o.new_name ?: "new",
		.excuses = c->excuses,
		.exit_status = bprof_comparison_exit_status(c),
		.screen = {.width = o.width, .color = o.flags & BPROF_RENDER_COLOR},
		.one_line = o.flags & BPROF_RENDER_LINE,
		.verbose = !!(o.flags & BPROF_RENDER_VERBOSE),
	};
	bprof_call__begin(&call, BPROF_LOG_ERROR);
	return bprof_call__end(&call, comparison__render(c->c, f->comparison, &render, out));
}

/* ---- a change ---- */

static const struct compare_row *row(const struct bprof_change *change)
{
	return (const struct compare_row *)change;
}

const struct bprof_program *bprof_change_base(const struct bprof_change *change)
{
	return (const struct bprof_program *)row(change)->base;
}

const struct bprof_program *bprof_change_new(const struct bprof_change *change)
{
	return (const struct bprof_program *)row(change)->new;
}

const char *bprof_change_event(const struct bprof_change *change)
{
	return row(change)->event;
}

const char *bprof_change_unit(const struct bprof_change *change)
{
	return row(change)->unit;
}

const char *bprof_change_stat(const struct bprof_change *change)
{
	return compare_stats[row(change)->stat].name;
}

enum bprof_verdict bprof_change_verdict(const struct bprof_change *change)
{
	return (enum bprof_verdict)row(change)->verdict;
}

const char *bprof_change_why(const struct bprof_change *change)
{
	return row(change)->why;
}

const char *bprof_change_limit(const struct bprof_change *change)
{
	return row(change)->limit ? row(change)->limit->spec : NULL;
}

double bprof_change_base_value(const struct bprof_change *change)
{
	return row(change)->base_value;
}

double bprof_change_new_value(const struct bprof_change *change)
{
	return row(change)->new_value;
}

static const struct stats_interval *interval(const struct bprof_change *change, bool relative)
{
	return relative ? &row(change)->share : &row(change)->change;
}

double bprof_change_value(const struct bprof_change *change, bool relative)
{
	return interval(change, relative)->estimate;
}

double bprof_change_low(const struct bprof_change *change, bool relative)
{
	return interval(change, relative)->low;
}

double bprof_change_high(const struct bprof_change *change, bool relative)
{
	return interval(change, relative)->high;
}

double bprof_change_p(const struct bprof_change *change)
{
	return row(change)->adjusted_p;
}
