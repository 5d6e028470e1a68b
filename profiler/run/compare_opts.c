// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of every command that compares. Owns their parsing; must not know which reports are
 * compared, or how.
 */
#include <errno.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "run/compare_opts.h"

static int add_limit(void *options, const struct option_row *row, const char *arg)
{
	struct compare_flags *f = options;
	struct parse_error perr;

	if (f->limits.cnt == COMPARE_MAX_LIMITS)
		return log_err(-E2BIG, "--fail-on %s: one too many, at most %d can be given", arg,
			       COMPARE_MAX_LIMITS);
	return parse_error__report(compare_limits__add(&f->limits, arg, &perr), "--fail-on", arg,
				   &perr);
}

static int add_match(void *options, const struct option_row *row, const char *arg)
{
	struct compare_flags *f = options;
	struct parse_error perr;

	return parse_error__report(compare_matches__add(&f->matches, arg, &perr), "--match", arg,
				   &perr);
}

#define OPT(member) offsetof(struct compare_flags, member)

const struct option_row compare_rows[] = {
	OPTION("fail-on", 0, OPTION_CALL, .arg = "LIMIT", .add = add_limit,
	       .help = "fail if a statistic grows by more than CHANGE. LIMIT is "
		       "[PROGRAM/]EVENT:STAT>CHANGE, such as *:p50>2% or 'xdp_*/time:p99>10us'; "
		       "a bare number is in EVENT's own unit, which is ns for times; sizes of a "
		       "program have no STAT: verified_insns>5%. May be repeated (default: "
		       "*:p50>2%, for "
		       "exact events also *:min>0)"),
	OPTION("match", 0, OPTION_CALL, .arg = "OLD=NEW", .add = add_match,
	       .help = "compare program or function OLD of the base with NEW"),
	OPTION("strict", 0, OPTION_FLAG, .member = OPT(strict),
	       .help = "fail if the compared reports differ in kernel, CPU, JIT, events or "
		       "methods"),
	OPTION("inconclusive-ok", 0, OPTION_FLAG, .member = OPT(inconclusive_ok),
	       .help = "exit 0 when the result is inconclusive"),
	OPTION("one-sided-ok", 0, OPTION_FLAG, .member = OPT(one_sided_ok),
	       .help = "do not fail if a program or function is in one version only"),
	OPTION("allow-retval-change", 0, OPTION_FLAG, .member = OPT(allow_retval_change),
	       .help = "compare programs even if their return values have changed"),
	{},
};

struct compare_opts compare_flags__opts(const struct compare_flags *f)
{
	return (struct compare_opts){.limits = &f->limits,
				     .matches = &f->matches,
				     .allow_retval_change = f->allow_retval_change};
}

unsigned int compare_flags__excuses(const struct compare_flags *f)
{
	return (f->inconclusive_ok ? EXCUSE_INCONCLUSIVE : 0) |
	       (f->one_sided_ok ? EXCUSE_ONE_SIDED : 0);
}

bool compare_flags__any(const struct compare_flags *f)
{
	return f->limits.cnt || f->matches.cnt || f->strict || f->inconclusive_ok ||
	       f->one_sided_ok || f->allow_retval_change;
}

void compare_flags__free(struct compare_flags *f)
{
	compare_limits__free(&f->limits);
	compare_matches__free(&f->matches);
}
