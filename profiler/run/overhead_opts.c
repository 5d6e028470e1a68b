// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the options --sample and --max-overhead, and the argument of --method. Must not know how
 * bprof keeps the overhead below a limit.
 */
#include <errno.h>

#include "backend/backend_env.h"
#include "backend/method_list.h"
#include "base/log.h"
#include "base/util.h"
#include "budget/thinning.h"
#include "options/amount.h"
#include "run/overhead_opts.h"

static int set_sample(void *options, const struct option_row *row, const char *arg)
{
	struct overhead_opts *o = options;

	if (thinning__parse(arg, &o->period, &o->share))
		return log_err(-EINVAL,
			       "--sample %s: give a whole number from 1 to 4294967296, or auto, or "
			       "auto:SHARE with a share of a CPU from 0.01%% to 100%%",
			       arg);
	return 0;
}

static int set_max_overhead(void *options, const struct option_row *row, const char *arg)
{
	struct overhead_opts *o = options;

	if (thinning__parse_share(arg, &o->limit))
		return log_err(-EINVAL,
			       "--max-overhead %s: give a share of a CPU from 0.01%% to 100%%",
			       arg);
	return 0;
}

static int set_memory(void *options, const struct option_row *row, const char *arg)
{
	struct overhead_opts *o = options;

	if (size__parse(arg, &o->memory) || !o->memory)
		return log_err(-EINVAL, "--max-memory %s: give a size in bytes, such as 64M or 2G",
			       arg);
	return 0;
}

const struct option_row run_sample_rows[] = {
	OPTION("sample", 0, OPTION_CALL, .arg = "N|auto[:SHARE]", .add = set_sample,
	       .help = "measure only one run in N, but count all runs; auto: choose N so that "
		       "the probes add less than SHARE of a CPU (default: 1%), unless counting "
		       "alone adds more"),
	{},
};

const struct option_row max_overhead_rows[] = {
	OPTION("max-overhead", 0, OPTION_CALL, .arg = "SHARE", .add = set_max_overhead,
	       .help = "keep the added time below SHARE of each CPU, such as 1% (the default in "
		       "top and export). If a program runs too often, its probe is attached "
		       "only for slices of time, and the kernel's run statistics count the "
		       "other runs. At very high rates, these statistics alone can add more than "
		       "SHARE (--strict leaves them off); the probes still get a quarter of SHARE"),
	OPTION("max-memory", 0, OPTION_CALL, .arg = "SIZE", .add = set_memory,
	       .help = "limit the memory for the probes' counts to SIZE, such as 64M or 2G "
		       "(default: 512M, in top and export 256M; at most 1/8 of the free memory "
		       "and 1/4 of what bprof's cgroup leaves). If they need more, "
		       "distributions get coarser, then are left out; then some programs get no "
		       "probe"),
	OPTION("strict", 0, OPTION_FLAG, .member = offsetof(struct overhead_opts, strict),
	       .help = "with --max-overhead: do not use the kernel's run statistics, which add "
		       "time to each run of every program. Then the number of runs is not known "
		       "for programs whose probes are attached only for slices of time"),
	{},
};

int method_opts__parse(struct method_list *methods, const char *arg)
{
	char names[128];

	if (method_list__parse(methods, arg))
		return log_err(-EINVAL,
			       "--method %s: give %s, each once; each target is measured by the "
			       "first method that can measure it",
			       arg, backends__names(names, sizeof(names)));
	return 0;
}

int overhead_opts__check(const struct overhead_opts *o)
{
	const struct option_check checks[] = {
		{o->period && o->limit, "--sample and --max-overhead: choose one"},
		{o->strict && !o->limit, "--strict: it needs --max-overhead"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

void overhead_opts__apply(const struct overhead_opts *o, bool calls, struct backend_opts *session)
{
	session->max_memory = o->memory;
	session->others_share = o->limit;
	if (o->period) {
		session->thin_period = o->period;
		session->thin_share = o->share;
		session->turns = false;
	} else if (calls) {
		session->thin_share = 0;
		session->turns = false;
	}
	if (o->limit && !calls) {
		session->thin_period = 1;
		session->thin_share = o->limit;
		session->turns = session->must_hold = true;
		session->attach_once = false;
		session->strict = o->strict;
	}
}
