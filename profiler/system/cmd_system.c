// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof system: counts events of the system, processes, threads, cgroups or a command. Owns the
 * sequence of steps (open, measure), and decides when nothing is left to count.
 */

#include "base/util.h"
#include "event/event_fds.h"
#include "run/command.h"
#include "run/measure.h"
#include "system/system_args.h"

/* How often bprof checks whether the processes and threads have exited. */
#define TICK_NS (100 * NSEC_PER_MSEC)

static int run_system(struct system_args *args, int *status)
{
	const unsigned int ending = 1 << SCOPE_PROCESS | 1 << SCOPE_THREAD;
	struct measure_opts *mo = &args->measure;
	struct system *s = NULL;
	struct output out = {};
	int err;

	/* Without a command, counting ends when all counted processes and threads have exited. */
	if (args->scopes.cnt && !scope_list__has(&args->scopes, SCOPES_ALL & ~ending) &&
	    !mo->loop.command)
		mo->loop.first_tick_ns = mo->loop.tick_ns = TICK_NS;
	/*
	 * Keep the right to open by id: system__close() opens programs and links of other bperf
	 * users.
	 */
	loop_opts__set_privileges(&mo->loop, PRIVILEGES_LIST, mo->output.file);
	mo->events.tasks = !scope_list__has(&args->scopes, SCOPES_ALL & ~SCOPES_TASKS);
	err = event_list__set_default(&mo->events) ?:
	      system__open(&args->scopes, &mo->events, &mo->cpus, &args->system, &s) ?:
	      measure__run(mo, &out, &system_counting_ops, s, status);
	system__close(s);
	return output__close(&out, err);
}

int cmd_system(int argc, char **argv)
{
	struct system_args args;
	int command_status = 0, status;
	int err = system_args__parse(&args, argc, argv);

	if (err) {
		status = exit_status__of_options(err);
	} else if (args.measure.list_events) {
		status = measure_opts__list_events(&args.measure,
						   (const char *const *)args.measure.loop.command);
	} else {
		err = run_system(&args, &command_status);
		status = measure__exit_status(err, command_status);
	}
	system_args__free(&args);
	return status;
}
