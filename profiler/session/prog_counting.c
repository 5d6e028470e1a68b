// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts programs. Owns the order of the calls to a session and to following; must not know who
 * drives them.
 */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "session/prog_counting.h"

static bool has_any(const void *arg)
{
	const struct prog_counting *c = arg;

	return c->follow || c->s->targets.cnt;
}

static int start(void *arg, void **at)
{
	struct prog_counting *c = arg;
	struct snapshot *now = NULL;
	int err = (c->follow ? follow__start(c->follow, c->s) : 0) ?: session__start(c->s, &now);

	*at = now;
	return err;
}

static int stop(void *arg, void **at)
{
	struct prog_counting *c = arg;
	struct snapshot *now = NULL;
	int follow_err = c->follow ? follow__stop(c->follow) : 0;
	int err = session__stop(c->s, &now);

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

/* Compares each version with the base, whose cost is that of the entire session. */
static int compare_versions(const struct prog_counting *c, const struct snapshot *to,
			    struct report *report)
{
	const struct result_opts o = {.command = c->result.command, .driven = true};
	struct snapshot *none = snapshot__new(0, c->s->env.cpus.cnt + 1);
	const struct result_span span = {.from = none, .to = to};
	struct report *total = NULL;
	int err;

	if (!none)
		return log_err(-ENOMEM, "out of memory");
	err = result__report(c->s, &span, 1, &o, &total);
	if (!err && report__compare_versions(report, total, c->vs))
		err = log_err(-ENOMEM, "out of memory");
	report__free(total);
	snapshot__free(none);
	return err;
}

static int make_report(void *arg, const void *from, const void *to, struct report **out)
{
	const struct prog_counting *c = arg;
	const struct result_span span = {.from = from, .to = to};
	int err = result__report(c->s, &span, 1, &c->result, out);

	return err || !c->follow ? err : compare_versions(c, to, *out);
}

static int format_progress(void *arg, const void *start, char *line, size_t sz)
{
	const struct prog_counting *c = arg;
	const struct snapshot *from = start;
	struct snapshot *now;
	__u64 runs = 0;
	int err = session__read(c->s, false, &now);

	if (err)
		return err;
	for (int i = 0; i < now->row_cnt; i++)
		runs += now->counts[i].measured + now->counts[i].thinned_out;
	for (int i = 0; i < from->row_cnt; i++)
		runs -= from->counts[i].measured + from->counts[i].thinned_out;
	snprintf(line, sz, "%5.0f s, %d target%s, %llu runs", (now->ns - from->ns) / 1e9,
		 c->s->targets.cnt, c->s->targets.cnt == 1 ? "" : "s", (unsigned long long)runs);
	snapshot__free(now);
	return 0;
}

static int tick(void *arg)
{
	struct prog_counting *c = arg;

	session__tick(c->s);
	return c->follow ? follow__check(c->follow, stopwatch__elapsed_ns(&c->s->stopwatch)) : 0;
}

static int ready_fd(const void *arg)
{
	const struct prog_counting *c = arg;

	return c->follow ? follow__fd(c->follow) : -1;
}

static int ready(void *arg)
{
	const struct prog_counting *c = arg;

	return follow__process(c->follow);
}

const struct counting_ops prog_counting_ops = {
	.has_any = has_any,
	.start = start,
	.stop = stop,
	.read = read_counts,
	.free = free_counts,
	.report = make_report,
	.progress = format_progress,
	.tick = tick,
	.ready_fd = ready_fd,
	.ready = ready,
};
