// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens a measurement of programs, and counts. Owns the order in which the parts of the measurement
 * are opened, and how often the loop ticks. Must not know which command measures, or what the
 * command does with the counts.
 */
#include <stdio.h>

#include "base/parse_error.h"
#include "budget/budget.h"
#include "budget/thinning.h"
#include "event/event_fds.h"
#include "host/cpus.h"
#include "report/report.h"
#include "result/result.h"
#include "result/result_counts.h"
#include "run/prog_counting.h"
#include "run/verify_rates.h"
#include "session/follow.h"
#include "session/session.h"
#include "target/prog_labels.h"

/*
 * With --follow, the longest time for which a probe may keep a program loaded that nothing else
 * uses. With -I, it is one interval, but at least MIN_KEEP_NS. Without -I, it is KEEP_NS.
 */
#define KEEP_NS (1000 * NSEC_PER_MSEC)
#define MIN_KEEP_NS (100 * NSEC_PER_MSEC)
/* The longest time in top and export, which have no end and may watch hundreds of programs. */
#define ENDLESS_KEEP_NS (300000 * NSEC_PER_MSEC)
/*
 * How often bprof checks what its probes of kernel functions (--calls) cost callers that are not
 * measured.
 */
/* how often keys of --by are replaced */
#define KEYS_TICK_NS (1000 * NSEC_PER_MSEC)
#define OTHERS_TICK_NS (1000 * NSEC_PER_MSEC)
/* When --max-overhead makes its first adjustment. Each adjustment sets the time of the next one. */
#define TURNS_FIRST_TICK_NS (3 * NSEC_PER_MSEC)

/*
 * Returns the longest time, in ns, for which a probe may keep an unused program loaded.
 */
static __u64 keep_ns(const struct loop_opts *loop)
{
	__u64 interval = loop->interval_ns ?: KEEP_NS;

	return interval < MIN_KEEP_NS ? MIN_KEEP_NS : interval;
}

void prog_counting__set_endless(struct target_opts *targets, struct backend_opts *session)
{
	struct selector_list *selectors = &targets->selectors;
	struct parse_error perr;

	if (!selectors->cnt)
		selector_list__add(selectors, SELECT_ALL, NULL, &perr);
	session->calibrate = session->hist = true;
	session->thin_period = 1;
	session->thin_share = THINNING_DEFAULT_SHARE;
	session->turns = true;
	/* If CPUs are isolated, attach each probe only once: attaching interrupts all CPUs. */
	session->attach_once = cpus__some_isolated();
	session->usual_memory = USUAL_MEMORY_OF_LIVE;
	session->follow = target_opts__can_follow(targets);
	session->others_only = true;
}

void prog_counting__set_labels(struct prog_counting *c, struct result_opts *result,
			       struct prog_labels *labels)
{
	if (!labels->owners && !labels->devices && !labels->hooks)
		return;
	c->labels = labels;
	result->label = prog_labels__set;
	result->label_arg = labels;
}

static void look_at_labels(const struct prog_counting *c)
{
	if (c->labels)
		prog_labels__look(c->labels, &c->s->targets);
}

/* Starts to follow loads. Call it before selecting the targets, so that no load is missed. */
static int open_follow(const struct prog_counting_opts *o, struct follow **out)
{
	__u64 idle_ns;
	int err;

	if (!o->session->follow)
		return 0;
	o->targets->selectors.awaiting = true;
	/*
	 * Ticks come every keep_ns() / 2, except with --sample auto. A program counts as idle
	 * after slightly less time, 0.4 * keep_ns(): after a late tick, the next tick comes sooner
	 * than usual, and must still find the program idle.
	 */
	idle_ns = keep_ns(o->loop) / 10 * 4;
	err = follow__open(&o->targets->selectors, idle_ns, o->endless ? ENDLESS_KEEP_NS : idle_ns,
			   o->endless, out);
	if (!err)
		follow__set_limit(*out, o->max_versions);
	return err;
}

int prog_counting__open(const struct prog_counting_opts *o, struct prog_counting *c)
{
	const struct backend_opts *session = o->session;
	struct loop_opts *loop = o->loop;
	struct target_list targets = {};
	int err;

	/* Every event needs a descriptor for every CPU. */
	raise_fd_limit(&loop->fd_limit);
	if (session->thin_share) {
		loop->first_tick_ns = session->turns ? TURNS_FIRST_TICK_NS
						     : THINNING_FIRST_ADJUST_MS * NSEC_PER_MSEC;
		loop->tick_ns = THINNING_ADJUST_MS * NSEC_PER_MSEC;
	} else if (session->follow) {
		loop->first_tick_ns = loop->tick_ns = keep_ns(loop) / 2;
	} else if (o->targets->calls) {
		loop->first_tick_ns = loop->tick_ns = OTHERS_TICK_NS;
	}
	if (c->replaces_keys && (!loop->tick_ns || loop->tick_ns > KEYS_TICK_NS))
		loop->first_tick_ns = loop->tick_ns = KEYS_TICK_NS;
	err = event_list__set_default(o->events) ?:
	      open_follow(o, &c->follow) ?:
	      target_opts__select(o->targets, session->by_site, &targets);
	err = err ?: session__open(&targets, o->events, o->cpus, session, &c->s);
	if (!err)
		look_at_labels(c);
	return err;
}

void prog_counting__close(struct prog_counting *c)
{
	follow__close(c->follow);
	session__close(c->s);
	c->follow = NULL;
	c->s = NULL;
}

/* ---- prog_counting_ops ---- */

static bool has_any(const void *arg)
{
	const struct prog_counting *c = arg;

	return c->follow || c->s->targets.cnt;
}

static int why_none(const void *arg)
{
	const struct prog_counting *c = arg;

	return target_list__why_none(&c->s->targets);
}

static int start_counting(void *arg, void **at)
{
	struct prog_counting *c = arg;
	struct snapshot *now = NULL;
	int err = (c->follow ? follow__start(c->follow, c->s) : 0) ?: session__start(c->s, &now);

	*at = c->started = now;
	return err ?: c->rates ? verify_rates__start(c->rates, c->s) : 0;
}

static int stop(void *arg, void **at)
{
	struct prog_counting *c = arg;
	struct snapshot *now = NULL;
	int follow_err = c->follow ? follow__stop(c->follow) : 0;
	int err;

	if (c->rates)
		verify_rates__stop(c->rates); /* the last turn ended early, so it is not used */
	err = session__stop(c->s, &now);

	if (c->follow && !err)
		follow__end(c->follow);
	*at = now;
	return err ?: follow_err;
}

static int read_counts(void *arg, void **at)
{
	struct prog_counting *c = arg;
	struct snapshot *now = NULL;
	int err = session__read(c->s, true, &now);

	*at = now;
	return err ?: c->follow ? follow__check(c->follow, now->ns) : 0;
}

static void free_counts(void *at)
{
	snapshot__free(at);
}

/*
 * Compares each version of a program with the base version. The numbers of the base version are
 * those of the entire session, even if the report is on one interval.
 */
static int compare_followed_versions(const struct prog_counting *c, const struct snapshot *to,
				     struct report *report)
{
	const struct result_opts o = {.command = c->result->command, .driven = true};
	const struct backend_env *env = &c->s->env;
	struct snapshot *none = snapshot__new(0, env->cpus.cnt, backend_env__part_cnt(env));
	const struct result_span span = {.from = none, .to = to};
	struct report *total = NULL;
	int err;

	err = result__report(c->s, &span, 1, &o, &total);
	if (!err)
		report__compare_versions(report, total, c->vs);
	report__free(total);
	snapshot__free(none);
	return err;
}

static int make_counting_report(void *arg, const void *from, const void *to, struct report **out)
{
	const struct prog_counting *c = arg;
	const struct result_span span = {.from = from, .to = to, .slices_from = c->slices_from};
	int err;

	look_at_labels(c);
	err = result__report(c->s, &span, 1, c->result, out);
	if (!err && c->rates)
		verify_rates__apply(c->rates, *out);
	return err || !c->follow || c->no_versions ? err : compare_followed_versions(c, to, *out);
}

static int format_progress(void *arg, const void *at_start, char *line, size_t sz)
{
	const struct prog_counting *c = arg;
	const struct snapshot *from = at_start;
	struct snapshot *now;
	__u64 runs = 0;
	int err = session__read(c->s, false, &now);

	if (err)
		return err;
	for (int i = 0; i < c->s->targets.cnt; i++)
		for (int row = 0; row <= now->cpu_cnt; row++) {
			const struct counts *a = snapshot__before(from, i, row);
			const struct counts *b = snapshot__at(now, i, row);

			runs += counts__runs(b) - counts__runs(a);
		}
	snprintf(line, sz, "%5.0f s, %d target%s, %llu runs", (now->ns - from->ns) / 1e9,
		 c->s->targets.cnt, c->s->targets.cnt == 1 ? "" : "s", (unsigned long long)runs);
	snapshot__free(now);
	return 0;
}

/*
 * Gives the parts of keys that cost little since the start to others, once a second: ticks may come more
 * often.
 */
static int replace_keys(struct prog_counting *c)
{
	__u64 elapsed_ns = stopwatch__elapsed_ns(&c->s->stopwatch);
	struct snapshot *now = NULL;
	int err;

	if (!c->replaces_keys || elapsed_ns < c->next_replacing_ns)
		return 0;
	c->next_replacing_ns = elapsed_ns + KEYS_TICK_NS * 3 / 4;
	err = session__read(c->s, true, &now);
	if (!err) {
		struct snapshot *const snaps[] = {c->started, now};

		err = session__replace_keys(c->s, snaps, ARRAY_SIZE(snaps), MAX_KEY_ROWS);
	}
	snapshot__free(now);
	return err;
}

static int tick(void *arg)
{
	struct prog_counting *c = arg;
	int err;

	look_at_labels(c);
	if (c->rates)
		return verify_rates__turn(c->rates, c->s, c->result);
	err = session__tick(c->s) ?: replace_keys(c);
	if (err || !c->follow)
		return err;
	return follow__tick(c->follow, stopwatch__elapsed_ns(&c->s->stopwatch));
}

static __u64 next_tick(const void *arg)
{
	const struct prog_counting *c = arg;

	return budget__next_ns(c->s->budget);
}

static int ready_fd(const void *arg)
{
	const struct prog_counting *c = arg;

	return c->follow ? follow__fd(c->follow) : -1;
}

static int ready(void *arg)
{
	const struct prog_counting *c = arg;
	int err = follow__process(c->follow);

	if (!err)
		look_at_labels(c);
	return err;
}

const struct counting_ops prog_counting_ops = {
	.has_any = has_any,
	.why_none = why_none,
	.start = start_counting,
	.stop = stop,
	.read = read_counts,
	.free = free_counts,
	.report = make_counting_report,
	.progress = format_progress,
	.tick = tick,
	.next_tick = next_tick,
	.ready_fd = ready_fd,
	.ready = ready,
};
