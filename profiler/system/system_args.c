// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command line of bprof system. Owns its options, the rules on which options can be combined,
 * and the default scope. Must not know how anything is counted.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "run/command.h"
#include "system/attr_key.h"
#include "system/system_args.h"

#define LOCK_TIMEOUT_NS (5000 * NSEC_PER_MSEC)
#define NOT_GIVEN (~0ULL)

static const char *const methods[] = {"bperf", "perf_event"};

static int add_processes(void *options, const struct option_row *row, const char *arg)
{
	struct system_args *args = options;

	return scope_list__add_processes(&args->scopes, arg);
}

static int add_threads(void *options, const struct option_row *row, const char *arg)
{
	struct system_args *args = options;

	return scope_list__add_threads(&args->scopes, arg);
}

static int add_cgroups(void *options, const struct option_row *row, const char *arg)
{
	struct system_args *args = options;

	return scope_list__add_cgroups(&args->scopes, arg);
}

static int set_method(void *options, const struct option_row *row, const char *arg)
{
	struct system_args *args = options;

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(arg, methods[i])) {
			args->system.method = methods[i];
			return 0;
		}
	return log_err(-EINVAL, "--method %s: give bperf or perf_event", arg);
}

#define OPT(member) offsetof(struct system_args, member)

static const struct option_row scope_rows[] = {
	OPTION("all-cpus", 'a', OPTION_FLAG, .member = OPT(measure.all_cpus),
	       .help = "count the whole system (the default without COMMAND)"),
	OPTION("pid", 'p', OPTION_CALL, .arg = "PID[,PID...]", .add = add_processes,
	       .help = "count these processes, each with all its threads"),
	OPTION("tid", 't', OPTION_CALL, .arg = "TID[,TID...]", .add = add_threads,
	       .help = "count these threads"),
	OPTION("for-each-cgroup", 0, OPTION_CALL, .arg = "LIST", .add = add_cgroups,
	       .help = "count each of these cgroups with its descendants: paths, such as "
		       "a.slice,b/c.service, or regular expressions, such as ^user.slice/.*$"),
	OPTION("no-inherit", 0, OPTION_FLAG, .member = OPT(no_inherit),
	       .help = "do not count the children that processes and threads create"),
	{},
};

static const struct option_row method_rows[] = {
	OPTION("method", 0, OPTION_CALL, .arg = "bperf|perf_event", .add = set_method,
	       .help = "bperf: share counters with others, such as perf stat --bpf-counters; "
		       "perf_event: open perf events of its own (default: bperf if BPF is "
		       "permitted)",
	       .arg_kind = ARG_CHOICE),
	OPTION("attr-map", 0, OPTION_STRING, .member = OPT(system.attr_map), .arg = "PATH",
	       .help = "pinned map through which bperf users find the shared counters (default: "
		       "perf_attr_map in bpffs, as in perf)",
	       .arg_kind = ARG_FILE),
	OPTION("bpf-attr-map", 0, OPTION_STRING, .member = OPT(system.attr_map), .arg = "PATH",
	       .arg_kind = ARG_FILE),
	OPTION("attr-size", 0, OPTION_U64, .member = OPT(system.attr_size), .arg = "BYTES",
	       .min = ATTR_KEY_MIN, .max = ATTR_KEY_MAX,
	       .help = "key size of the map of --attr-map if bprof creates it: the size of "
		       "struct perf_event_attr in the perf that shares the map (default: its "
		       "size in the running kernel)"),
	OPTION("lock-timeout", 0, OPTION_TIME, .member = OPT(system.lock_timeout_ns), .arg = "TIME",
	       .help = "wait at most TIME for the lock of the map of --attr-map (default: 5s); "
		       "a bare number is in ms"),
	{},
};

static const struct option_row refused_rows[] = {
	OPTION("cgroup", 'G', OPTION_REFUSE, .arg = "CGROUP",
	       .help = "perf's -G, which gives each event its own cgroup, is not supported; use "
		       "--for-each-cgroup, which counts all events in each cgroup"),
	OPTION("prog-id", 'b', OPTION_REFUSE, .arg = "ID",
	       .help = "use 'bprof stat' to measure what one invocation of a program costs"),
	OPTION("bpf-prog", 0, OPTION_REFUSE, .arg = "ID",
	       .help = "use 'bprof stat' to measure what one invocation of a program costs"),
	{},
};

const struct command_spec system_spec = {
	.name = "system",
	.brief = "count events of the system, processes or cgroups with shared counters",
	.synopsis = "[SCOPES] [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Counts events of the whole system, or of processes, threads, cgroups or "
		   "COMMAND. With --method bperf, all processes of bprof system and perf stat "
		   "--bpf-counters that count the same event share one counter per CPU. Counting "
		   "ends with COMMAND, with --timeout, with Ctrl-C, or when all given processes "
		   "and threads have exited. Without a scope, COMMAND is counted. With -a, -C, -p, "
		   "-t or --for-each-cgroup, COMMAND only sets how long to count.",
	.operand = ARG_PROGRAM,
	.tables = {{"Scopes", scope_rows},
		   {"Events", event_rows, OPT(measure)},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"CPUs and time", measure_rows, OPT(measure)},
		   {"Method", method_rows},
		   {"Privileges", command_rows, OPT(measure.loop)},
		   {"Privileges", privilege_rows, OPT(measure.loop)},
		   {"Output", output_rows, OPT(measure.output)},
		   {"Output", refused_rows}},
	.documents = DOC_SCOPES | DOC_SCOPE_SERIES,
	.examples = "bprof system -a -e cycles,instructions -I 1000\n"
		    "bprof system -C 0-3 -A --timeout 5000 -j\n"
		    "bprof system -p 4711,4712 -e instructions:u\n"
		    "bprof system --for-each-cgroup '^system.slice/.*' -- sleep 10\n"
		    "bprof system -r 5 -- make -j4",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be measured, 7 not "
		       "allowed, 8 no such process or cgroup. If COMMAND "
		       "fails, bprof exits with its status.",
};

/* Returns true unless the user counts only the system or cgroups. */
static bool may_have_tasks(const struct system_args *args)
{
	const struct measure_opts *m = &args->measure;

	if (args->scopes.cnt)
		return scope_list__has(&args->scopes, SCOPES_TASKS);
	/* A scope that does not exist, such as a process that has ended, is reported later. */
	return args->scopes.skip_cnt || (m->loop.command && !m->all_cpus && !m->cpus.cnt);
}

static int check_system_args(const struct system_args *args)
{
	const struct system_opts *o = &args->system;
	const struct option_check checks[] = {
		{args->measure.all_cpus && (args->scopes.cnt || args->scopes.skip_cnt),
		 "-a and -p, -t or --for-each-cgroup: choose the whole system or parts of it"},
		{o->attr_map && !*o->attr_map, "--attr-map: the path is empty"},
		{o->attr_size % 8, "--attr-size: give a multiple of 8, as the size of struct "
				   "perf_event_attr is"},
		{o->method && !strcmp(o->method, "perf_event") &&
			 (o->attr_map || o->attr_size || o->lock_timeout_ns != NOT_GIVEN),
		 "--method perf_event: it uses no map; leave out --attr-map, --attr-size and "
		 "--lock-timeout"},
		{args->no_inherit && !may_have_tasks(args),
		 "--no-inherit: nothing that can have children is counted; give -p, -t or COMMAND"},
	};

	return options__check(checks, ARRAY_SIZE(checks)) ?:
	       measure_opts__check_format(&args->measure, DOC_SCOPES, DOC_SCOPE_SERIES) ?:
	       measure_opts__check(&args->measure);
}

/*
 * If no option gives a scope, adds the default scope. This is the command. Without a command, or
 * with -a or -C, it is the whole system.
 */
static void add_default_scope(struct system_args *args)
{
	const struct measure_opts *m = &args->measure;

	if (args->scopes.cnt || args->scopes.skip_cnt)
		return;
	if (m->loop.command && !m->all_cpus && !m->cpus.cnt)
		scope_list__add_command(&args->scopes, m->loop.command[0]);
	else
		scope_list__add_system(&args->scopes);
}

int system_args__parse(struct system_args *args, int argc, char **argv)
{
	int err;

	*args = (struct system_args){
		.measure.events.max = EVENT_LIST_MAX,
		.measure.events.any_level = true,
		.system.lock_timeout_ns = NOT_GIVEN,
	};
	/* Parsing -p opens a descriptor for each process, so raise the limit before. */
	raise_fd_limit(&args->measure.loop.fd_limit);
	err = options__parse(&system_spec, args, argc, argv, &args->measure.loop.command)
		      ?: output_opts__apply(&args->measure.output, args->measure.loop.command);
	if (err || args->measure.list_events)
		return err;
	args->system.inherit = !args->no_inherit;
	args->system.per_cpu = args->measure.per_cpu;
	args->system.command = argv;
	err = check_system_args(args);
	if (args->system.lock_timeout_ns == NOT_GIVEN)
		args->system.lock_timeout_ns = LOCK_TIMEOUT_NS;
	if (!err)
		add_default_scope(args);
	return err;
}

void system_args__free(struct system_args *args)
{
	scope_list__free(&args->scopes);
	measure_opts__free(&args->measure);
}
