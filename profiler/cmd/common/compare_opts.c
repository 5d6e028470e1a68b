// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of every command that compares. Owns how they are parsed; must not know which reports
 * are compared, or how.
 */
#include <errno.h>
#include <stdio.h>

#include "cmd/common/compare_opts.h"
#include "base/log.h"
#include "base/parse_error.h"

static int report_bad_spec(int err, const struct option_row *row, const char *arg,
			   const struct parse_error *perr)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", row->name);
	if (err == -E2BIG)
		return log_err(err, "%s %s: one too many, at most %d can be given", option, arg,
			       COMPARE_MAX_LIMITS);
	return parse_error__report(err, option, arg, perr);
}

static int add_limit(void *options, const struct option_row *row, const char *arg)
{
	struct compare_flags *f = options;
	struct parse_error perr;

	return report_bad_spec(compare_limits__add(&f->limits, arg, &perr), row, arg, &perr);
}

static int add_match(void *options, const struct option_row *row, const char *arg)
{
	struct compare_flags *f = options;
	struct parse_error perr;

	return report_bad_spec(compare_matches__add(&f->matches, arg, &perr), row, arg, &perr);
}

#define OPT(member) offsetof(struct compare_flags, member)

const struct option_row compare_rows[] = {
	{"fail-on", 0, OPTION_CALL, 0, "LIMIT", 0, 0, add_limit,
	 "worse is what grows by more: [PROGRAM/]EVENT:STAT>CHANGE, such as\n"
	 "                                 instructions:p50>2%, 'xdp_*/time:p99>10us'; of several\n"
	 "                                 each counts (default: *:p50>2%, and *:min>0 where\n"
	 "                                 both reports say that an event is exact)"},
	{"match", 0, OPTION_CALL, 0, "OLD=NEW", 0, 0, add_match,
	 "compare the program or function OLD with NEW"},
	{"strict", 0, OPTION_FLAG, OPT(strict), NULL, 0, 0, NULL,
	 "fail where kernel, CPU, JIT, events or methods differ"},
	{"inconclusive-ok", 0, OPTION_FLAG, OPT(inconclusive_ok), NULL, 0, 0, NULL,
	 "what cannot be told is no failure"},
	{"one-sided-ok", 0, OPTION_FLAG, OPT(one_sided_ok), NULL, 0, 0, NULL,
	 "what only one version has is no failure"},
	{"allow-retval-change", 0, OPTION_FLAG, OPT(allow_retval_change), NULL, 0, 0, NULL,
	 "compare also what returns something else than in the base"},
	{},
};

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
