// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the programs of one plan. Owns the sequence of steps: load, select, run, measure, and
 * make the reports. Must not know what happens with the reports.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/bench_rules.h"
#include "bench/bench_run.h"
#include "bench/bench_targets.h"
#include "host/affinity.h"
#include "result/result.h"
#include "run/loop.h"
#include "run/progress.h"
#include "session/session.h"

/* Returns the program's name in the other version: --match may give a different name. */
static const char *find_other_name(const struct bench_run *r, enum bench_side side,
				   const char *name)
{
	const struct compare_matches *m = &r->a->compare.matches;

	for (int i = 0; i < m->cnt; i++)
		if (!strcmp(side == BENCH_BASE ? m->v[i].old : m->v[i].new, name))
			return side == BENCH_BASE ? m->v[i].new : m->v[i].old;
	return name;
}

static struct bench_prog describe_target(const struct bench_run *r, const struct target *t)
{
	enum bench_side side = bench_targets__is_base(&r->targets, t->id) ? BENCH_BASE : BENCH_NEW;
	const char *name = prog__name(t->prog);
	struct bench_prog p = {
		.fd = t->prog->fd,
		.id = t->id,
		.type = t->prog->info.type,
		.name = (char *)name,
		.other_name = (char *)find_other_name(r, side, name),
		.side = side,
		.partner = -1,
	};

	bench_targets__set_sizes(&r->targets, &p);
	return p;
}

static int check_sides(const struct bench_run *r)
{
	int cnt[BENCH_SIDE_CNT] = {};

	for (int i = 0; i < r->bench.prog_cnt; i++)
		cnt[r->bench.prog[i].side] += r->bench.prog[i].fd >= 0;
	if (!bench_plan__compares(r->plan) || (cnt[BENCH_BASE] && cnt[BENCH_NEW]))
		return 0;
	return log_err(-ENOENT, "bench: there is nothing to compare: one version has no program "
				"that can be measured");
}

/* Reports that a later load has fewer programs than the first load. Returns -ESTALE or -EMFILE. */
static int refuse_count(const struct bench_run *r, int cnt)
{
	const struct target_list *list = &r->targets.list;

	for (int i = 0; i < list->skip_cnt; i++)
		if (is_shortage(list->skip[i].reason.err))
			return log_err(-EMFILE,
				       "bench: only %d of %d programs could be opened again: %s",
				       cnt, r->bench.prog_cnt, strerror(list->skip[i].reason.err));
	return log_err(-ESTALE, "bench: %d of %d programs are left; the others were unloaded", cnt,
		       r->bench.prog_cnt);
}

/* Adds each program of the target list once. After a later load, updates the entries. */
static int add_programs(struct bench_run *r, bool first)
{
	const struct target_list *list = &r->targets.list;
	int err = 0, cnt = 0;

	r->failed |= target_list__has_failed(list);
	for (int i = 0; !err && i < list->cnt; i++) {
		struct bench_prog p = describe_target(r, &list->v[i]);

		if (i && p.id == list->v[i - 1].id)
			continue;
		if (first)
			bench__add(&r->bench, &p);
		else
			err = bench__renew(&r->bench, cnt, &p);
		cnt++;
	}
	if (!err && cnt != r->bench.prog_cnt)
		err = refuse_count(r, cnt);
	return err ?: check_sides(r);
}

/* Binds this thread to one CPU: all runs take place on this CPU, and only this CPU is measured. */
static int bind_to_cpu(struct bench_run *r)
{
	int cpu = r->plan->cpu == BENCH_ANY_CPU ? sched_getcpu() : (int)r->plan->cpu;
	int err = affinity__bind(cpu);
	char list[16];

	if (err)
		return log_err(err, "-C %d: cannot run on that CPU: %s", cpu,
			       err == -EINVAL ? "it is not online, or not allowed to this process"
					      : strerror(-err));
	snprintf(list, sizeof(list), "%d", cpu);
	return cpus__parse(list, &r->cpu, NULL);
}

static int inspect_programs(struct bench_run *r)
{
	struct bench *b = &r->bench;
	int err = bench__inspect(b), bad, can_run = 0;

	if (err)
		return err;
	for (int i = 0; i < b->prog_cnt; i++) {
		can_run += bench_prog__can_run(b, &b->prog[i]);
		for (int c = 0; c < b->input->cnt; c++)
			r->failed |= b->prog[i].outcome[c].err;
	}
	if (!r->targets.list.cnt && r->targets.list.skip_cnt)
		return target_list__why_none(&r->targets.list);
	if (!can_run)
		return r->failed ? -ENODATA /* the reasons have been reported */
				 : log_err(-ENODATA, "bench: no program could be run");
	bad = bench_expects__check(&r->plan->expects, b);
	r->failed |= bad > 0;
	return bad < 0 ? bad : 0;
}

static int open_session(struct bench_run *r)
{
	const struct backend_opts o = {
		.calibrate = !r->plan->no_calibrate,
		.hist = !r->plan->no_hist,
		.thin_period = 1,
		.by = r->a->measure.by,
		.by_site = r->a->measure.by_site,
	};
	int err = event_list__set_default(&r->a->measure.events)
			  ?: session__open(&r->targets.list, &r->a->measure.events, &r->cpu, &o,
					   &r->session);

	if (err)
		return err;
	r->failed |= target_list__has_failed(&r->session->targets);
	err = bench__set_session(&r->bench, r->session);
	if (!err && !r->session->targets.cnt)
		err = log_err(-ENODATA, "nothing could be measured");
	return err ?: check_sides(r);
}

/* Loads the programs. Sets r->figures_only if no program can be run. */
static int load_programs(struct bench_run *r, bool first)
{
	int err = bench_targets__open(r->plan, r->a->measure.by_site, &r->targets);

	r->failed |= err && !first;
	if (err || !first)
		return err;
	r->failed |= bench_targets__has_failed(&r->targets);
	bench_targets__report_skipped(&r->targets);
	r->figures_only = !r->targets.list.cnt && bench_targets__has_figures(&r->targets);
	if (!bench_targets__is_lost(&r->targets))
		return 0;
	r->failed = true;
	return -ENODATA;
}

/* Loads the programs again and measures one block. */
static int measure_load(struct bench_run *r, const struct result_opts *result, bool first)
{
	int err;

	session__close(r->session);
	r->session = r->bench.s = NULL;
	err = load_programs(r, first);
	if (err || r->figures_only)
		return err;
	if (first)
		bench_rules__pair(&r->a->compare.matches, &r->targets);
	return add_programs(r, first) ?:
	       (first ? inspect_programs(r) : 0) ?:
	       open_session(r) ?:
	       (first ? bench_rules__check(&r->a->compare.limits, r->session) : 0) ?:
	       bench__measure(&r->bench, result);
}

static bool is_full_length(const struct bench *b)
{
	for (int i = 0; i < b->prog_cnt; i++)
		if (!b->prog[i].full_length)
			return false;
	return !bench__has_varying_costs(b);
}

/*
 * Measures the blocks after the first block, until all are measured or a signal arrives. load:
 * loads the programs again for each block.
 */
static int measure_blocks(struct bench_run *r, const struct result_opts *result, bool load)
{
	const __u32 blocks = r->plan->run.blocks;
	struct loop *loop;
	int err = loop__open(&loop);

	while (!err && r->bench.each_cnt < (int)blocks &&
	       !(r->interrupted = loop__interrupted(loop))) {
		if (progress__is_wanted())
			progress__show("%d of %u blocks", r->bench.each_cnt, blocks);
		err = load ? measure_load(r, result, false) : bench__measure(&r->bench, result);
		r->clock_changed |= load && !err && r->session->clock_changed;
	}
	if (progress__is_wanted())
		progress__end();
	loop__close(loop);
	return err;
}

/*
 * Measures all blocks. The addresses of a program and its probes also influence the result: the
 * blocks of one load agree with one another, but not with blocks of another load. Therefore each
 * block gets its own load, and the spread of the blocks includes this effect. With --exact one load
 * is enough if its numbers are exact: all programs have full length (bench_prog.full_length), and
 * bench__has_varying_costs() is false.
 */
static int measure_loads(struct bench_run *r, const struct result_opts *result)
{
	const struct log_sink *sink = log__sink();
	struct log_sink quiet = *sink;
	int err = measure_load(r, result, true);

	if (err || r->figures_only)
		return err;
	if (r->plan->run.exact && is_full_length(&r->bench))
		return measure_blocks(r, result, false);
	/* The other loads would repeat the messages of the first load: show only errors. */
	quiet.max = LOG_LEVEL_ERROR;
	if (!log__takes(LOG_LEVEL_DEBUG))
		log__set_sink(&quiet);
	err = measure_blocks(r, result, true);
	log__set_sink(sink);
	if (r->clock_changed)
		log_warn("bench: the kernel's clock source changed during a block, so that its "
			 "net numbers are wrong; run bench again");
	return err;
}

static int make_reports(struct bench_run *r, const struct result_opts *result)
{
	int err = 0;

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++) {
		err = r->figures_only ? bench__report_nothing(result, &r->report[side])
				      : bench__report(&r->bench, side, result, &r->report[side]);
		if (!err)
			bench_targets__add_figures(&r->targets, side, r->report[side]);
	}
	for (int i = 0; !err && i < r->bench.prog_cnt; i++)
		for (int c = 0; c < r->bench.input->cnt; c++)
			if (r->bench.prog[i].outcome[c].varied)
				log_warn("program %u %s: returned different values for the same "
					 "packet: its result depends on more than the packet",
					 r->bench.prog[i].id, r->bench.prog[i].name);
	if (!err)
		r->failed |= bench_expects__check_measured(&r->plan->expects, &r->bench) > 0;
	return err;
}

int bench_run__measure(struct bench_run *r, struct bench_args *a, char **argv)
{
	struct result_opts result = {.command = argv};
	struct rlimit before; /* not used: bench starts no command, to which it would apply */
	int err;

	raise_fd_limit(&before);
	*r = (struct bench_run){.a = a, .plan = &a->plan};
	err = bench_args__read_input(a);
	if (err)
		return err;
	r->bench.o = r->plan->run;
	r->bench.input = &r->plan->input;
	clock_gettime(CLOCK_REALTIME, &result.started);
	err = bind_to_cpu(r) ?: measure_loads(r, &result);
	if (!err && r->interrupted)
		log_warn("bench: interrupted: %d of %llu blocks were measured", r->bench.each_cnt,
			 r->plan->run.blocks);
	err = err ?: make_reports(r, &result);
	if (err)
		return err;
	r->nothing = r->figures_only;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		r->nothing &= !r->report[side] || !r->report[side]->prog_cnt;
	/* If r->failed is set, an error was reported before. */
	if (r->nothing && !r->failed)
		log_err(-ENODATA, "bench: nothing could be measured; the report has the reasons");
	return 0;
}

void bench_run__free(struct bench_run *r)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		report__free(r->report[side]);
	bench__free(&r->bench);
	session__close(r->session);
	bench_targets__close(&r->targets);
	cpus__free(&r->cpu);
}
