// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of every command that compares. Owns their parsing; must not know which reports are
 * compared, or how.
 */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "run/compare_opts.h"

typedef int add_rule_fn(struct bprof_rules *rules, const char *arg, struct bprof_error *error);

static int add_rule(struct compare_flags *f, add_rule_fn *add, const struct option_row *row,
		    const char *arg)
{
	struct bprof_error error = {};
	struct parse_error perr;
	char option[32];
	int err = f->rules ? 0 : bprof_rules_new(&f->rules);

	err = err ?: add(f->rules, arg, &error);
	snprintf(option, sizeof(option), "--%s", row->name);
	if (err == -E2BIG)
		return log_err(err, "%s %s: %s", option, arg, error.text);
	parse_error__set(&perr, error.pos, error.len, "%s", error.text);
	return parse_error__report(err, option, arg, &perr);
}

static int add_limit(void *options, const struct option_row *row, const char *arg)
{
	return add_rule(options, bprof_rules_add_limit, row, arg);
}

static int add_match(void *options, const struct option_row *row, const char *arg)
{
	return add_rule(options, bprof_rules_add_match, row, arg);
}

#define OPT(member) offsetof(struct compare_flags, member)

const struct option_row compare_rows[] = {
	OPTION("fail-on", 0, OPTION_CALL, .arg = "LIMIT", .add = add_limit,
	       .help = "fail if a statistic grows by more than CHANGE: "
		       "[PROGRAM/]EVENT:STAT>CHANGE, such as instructions:p50>2% or "
		       "'xdp_*/time:p99>10us'; a bare number is in EVENT's own unit, which is ns "
		       "for times; sizes have no STAT: verified_insns>5%, peak_states, "
		       "verification_ns, stack_bytes, xlated_bytes, jited_bytes; may be repeated, "
		       "every limit is checked (default: *:p50>2%, and also *:min>0 if both "
		       "reports say that the event is exact)"),
	OPTION("match", 0, OPTION_CALL, .arg = "OLD=NEW", .add = add_match,
	       .help = "compare program or function OLD of the base with NEW"),
	OPTION("strict", 0, OPTION_FLAG, .member = OPT(strict),
	       .help = "fail if the reports differ in kernel, CPU, JIT, events or methods"),
	OPTION("inconclusive-ok", 0, OPTION_FLAG, .member = OPT(inconclusive_ok),
	       .help = "exit 0 when the result is inconclusive"),
	OPTION("one-sided-ok", 0, OPTION_FLAG, .member = OPT(one_sided_ok),
	       .help = "do not fail if a program or function is in one version only"),
	OPTION("allow-retval-change", 0, OPTION_FLAG, .member = OPT(allow_retval_change),
	       .help = "compare programs even if their return values have changed"),
	{},
};

struct bprof_compare_opts compare_flags__opts(const struct compare_flags *f)
{
	return (struct bprof_compare_opts){
		.size = sizeof(struct bprof_compare_opts),
		.flags = (f->inconclusive_ok ? BPROF_COMPARE_INCONCLUSIVE_OK : 0) |
			 (f->one_sided_ok ? BPROF_COMPARE_ONE_SIDED_OK : 0) |
			 (f->allow_retval_change ? BPROF_COMPARE_RETVAL_CHANGE_OK : 0),
		.rules = f->rules,
	};
}

bool compare_flags__any(const struct compare_flags *f)
{
	return f->rules || f->strict || compare_flags__opts(f).flags;
}

void compare_flags__free(struct compare_flags *f)
{
	bprof_rules_free(f->rules);
	f->rules = NULL;
}
