// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof system: what the system, processes, threads, cgroups or a command did. Owns the order of
 * things: open, measure; and when there is nothing left to watch.
 */
#include <errno.h>
#include <stdio.h>

#include "cmd/command.h"
#include "cmd/common/measure.h"
#include "cmd/common/system_args.h"
#include "base/util.h"

/* So often it looks whether the processes and threads are gone. */
#define TICK_MS 100

/* What measure_ops work on. */
struct system_run {
	struct system *s;
	struct system_report_opts report;
	__u64 started_ns;
};

static int take_command(void *arg, pid_t command)
{
	struct system_run *r = arg;

	return system__add_command(r->s, command);
}

static int start(void *arg, void **at)
{
	struct system_run *r = arg;
	struct system_snapshot *now = NULL;
	int err = system__start(r->s, &now);

	r->started_ns = now_ns();
	report__note_start(&r->report.started);
	*at = now;
	return err;
}

static int stop(void *arg, void **at)
{
	struct system_run *r = arg;
	struct system_snapshot *now = NULL;
	int err = system__stop(r->s, &now);

	*at = now;
	return err;
}

static int read_counts(void *arg, void **at)
{
	struct system_run *r = arg;
	struct system_snapshot *now = NULL;
	int err = system__read(r->s, &now);

	*at = now;
	return err;
}

static void free_counts(void *at)
{
	system_snapshot__free(at);
}

static int make_report(void *arg, const void *from, const void *to, struct report **out)
{
	struct system_run *r = arg;

	report__note_start(&r->report.started); /* where nothing could be measured */
	return system__report(r->s, from, to, &r->report, out);
}

static int format_progress(void *arg, const void *start, char *line, size_t sz)
{
	struct system_run *r = arg;
	int scopes = r->s->scopes.cnt, events = r->s->events->cnt;

	snprintf(line, sz, "%5.0f s, %d scope%s, %d event%s", (now_ns() - r->started_ns) / 1e9,
		 scopes, scopes == 1 ? "" : "s", events, events == 1 ? "" : "s");
	return 0;
}

static int tick(void *arg)
{
	struct system_run *r = arg;

	return system__is_over(r->s);
}

static int take_ready(void *arg)
{
	struct system_run *r = arg;

	return system__ready(r->s);
}

static const struct measure_ops system_ops = {
	.forked = take_command,
	.start = start,
	.stop = stop,
	.read = read_counts,
	.free = free_counts,
	.report = make_report,
	.progress = format_progress,
	.tick = tick,
	.ready_fd = -1,
};

/* Is it to end when what it counts is gone? A cgroup may be filled again. */
static bool ends_with_scopes(const struct system_args *args)
{
	const struct scope_list *l = &args->scopes;

	for (int i = 0; i < l->cnt; i++)
		if (l->v[i].kind != SCOPE_PROCESS && l->v[i].kind != SCOPE_THREAD)
			return false;
	return l->cnt && !args->measure.loop.command;
}

static int run_system(struct system_args *args, char **argv, int *status)
{
	struct measure_opts *mo = &args->measure;
	struct measure_ops ops = system_ops;
	struct system_run r = {.report = {.command = argv, .per_cpu = mo->per_cpu}};
	struct measure *m;
	int err;

	if (ends_with_scopes(args))
		mo->loop.first_tick_ms = mo->loop.tick_ms = TICK_MS;
	err = measure__open(mo, &m);
	if (err)
		return err;
	err = measure_opts__set_default_events(mo)
		      ?: system__open(&args->scopes, &mo->events, &mo->cpus, &args->system, &r.s);
	if (!err && system__ready_fd(r.s) >= 0) {
		ops.ready = take_ready;
		ops.ready_fd = system__ready_fd(r.s);
	}
	if (!err)
		err = system__has_any(r.s) ? measure__run(m, &ops, &r, status)
					   : measure__report_nothing(m, &ops, &r);
	system__close(r.s);
	return measure__close(m, err);
}

int cmd_system(int argc, char **argv)
{
	struct system_args args;
	int command_status = 0, status;
	int err = system_args__parse(&args, argc, argv);

	if (err) {
		status = exit_status__of_options(err);
	} else if (args.measure.list_events) {
		status = measure_opts__print_events() ? EXIT_FAILED : EXIT_DONE;
	} else {
		err = run_system(&args, argv, &command_status);
		status = measure__exit_status(err, command_status);
	}
	system_args__free(&args);
	return status;
}
