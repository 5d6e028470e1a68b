// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command line of bprof system. Owns its options, which of them go together, and whose work is
 * counted where none of them says so; must not know how anything is counted.
 */
#include <errno.h>
#include <string.h>

#include "system/attr_key.h"
#include "base/log.h"
#include "cmd/common/system_args.h"
#include "base/util.h"

#define LOCK_TIMEOUT_MS 5000

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
	{"all-cpus", 'a', OPTION_FLAG, OPT(measure.all_cpus), NULL, 0, 0, NULL,
	 "the whole system (the default without COMMAND)"},
	{"pid", 'p', OPTION_CALL, 0, "PID[,PID...]", 0, 0, add_processes,
	 "these processes, each with all its threads"},
	{"tid", 't', OPTION_CALL, 0, "TID[,TID...]", 0, 0, add_threads, "these threads"},
	{"for-each-cgroup", 0, OPTION_CALL, 0, "LIST", 0, 0, add_cgroups,
	 "these cgroups, each with all below it: a.slice,b/c.service\n"
	 "                                 or regular expressions, such as ^user.slice/.*$"},
	{"no-inherit", 'i', OPTION_FLAG, OPT(no_inherit), NULL, 0, 0, NULL,
	 "without the children of processes and threads"},
	{},
};

static const struct option_row method_rows[] = {
	{"method", 0, OPTION_CALL, 0, "METHOD", 0, 0, set_method,
	 "bperf: counters that all share; perf_event: its own\n"
	 "                                 (default: bperf, where BPF is not refused)"},
	{"attr-map", 0, OPTION_STRING, OPT(system.attr_map), "PATH", 0, 0, NULL,
	 "the pinned map through which users share (default:\n"
	 "                                 perf_attr_map in bpffs, as perf)"},
	{"bpf-attr-map", 0, OPTION_STRING, OPT(system.attr_map), "PATH", 0, 0, NULL, NULL},
	{"attr-size", 0, OPTION_U64, OPT(system.attr_size), "BYTES", ATTR_KEY_MIN, ATTR_KEY_MAX,
	 NULL,
	 "size of the map's keys if bprof makes it: of struct\n"
	 "                                 perf_event_attr in the perf that is to share\n"
	 "                                 (default: the kernel's)"},
	{"lock-timeout", 0, OPTION_U64, OPT(system.lock_timeout_ms), "MS", 0, 1ULL << 40, NULL,
	 "wait so long for the map's lock (default: 5000)"},
	{},
};

static const struct option_row refused_rows[] = {
	{"cgroup", 'G', OPTION_REFUSE, 0, "CGROUP", 0, 0, NULL,
	 "it gives each event a cgroup; --for-each-cgroup counts all events in each cgroup"},
	{"prog-id", 'b', OPTION_REFUSE, 0, "ID", 0, 0, NULL,
	 "what one invocation of a program costs is for 'bprof stat'"},
	{"bpf-prog", 0, OPTION_REFUSE, 0, "ID", 0, 0, NULL,
	 "what one invocation of a program costs is for 'bprof stat'"},
	{},
};

static const struct command_spec system_spec = {
	.name = "system",
	.synopsis = "[SCOPES] [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Counts events of the whole system, or of processes, threads, cgroups or "
		   "COMMAND, with "
		   "counters\nthat all who count the same share, perf stat --bpf-counters among "
		   "them. It "
		   "lasts until COMMAND\nends, until the time-out, until Ctrl-C, or until all "
		   "processes "
		   "and threads given are gone.\n"
		   "COMMAND alone is what is counted; with -a, -C, -p, -t or --for-each-cgroup it "
		   "is how "
		   "long.",
	.rows = {scope_rows, event_rows, span_rows, measure_rows, output_rows, method_rows,
		 refused_rows},
	.documents = DOC_SCOPES,
	.epilog = "Examples:\n"
		  "  bprof system -a -e cycles,instructions -I 1000\n"
		  "  bprof system -C 0-3 -A --timeout 5000 -j\n"
		  "  bprof system -p 4711,4712 -e instructions:u\n"
		  "  bprof system --for-each-cgroup '^system.slice/.*' -- sleep 10\n"
		  "  bprof system -r 5 -- make -j4\n"
		  "\nExit status: 0 done, 1 failed, 2 usage, 4 nothing could be measured; with "
		  "COMMAND its own where\nthat is not 0.\n",
};

static int check(const struct system_args *args)
{
	const struct system_opts *o = &args->system;
	const struct option_check checks[] = {
		{args->measure.all_cpus && (args->scopes.cnt || args->scopes.skip_cnt),
		 "-a and -p, -t or --for-each-cgroup: choose the whole system or parts of it"},
		{o->attr_map && !*o->attr_map, "--attr-map: the path is empty"},
		{o->attr_size % 8, "--attr-size: struct perf_event_attr has a multiple of 8 bytes"},
		{o->method && !strcmp(o->method, "perf_event") && (o->attr_map || o->attr_size),
		 "--method perf_event: it uses no map; leave out --attr-map and --attr-size"},
	};

	return options__check(checks, ARRAY_SIZE(checks)) ?: measure_opts__check(&args->measure);
}

/* Whose work, where no option says so. */
static int add_default_scope(struct system_args *args)
{
	const struct measure_opts *m = &args->measure;

	if (args->scopes.cnt || args->scopes.skip_cnt)
		return 0;
	if (m->loop.command && !m->all_cpus && !m->cpus.cnt)
		return scope_list__add_command(&args->scopes, m->loop.command[0]);
	return scope_list__add_system(&args->scopes);
}

int system_args__parse(struct system_args *args, int argc, char **argv)
{
	int err;

	*args = (struct system_args){
		.measure.events.max = EVENT_LIST_MAX,
		.system.lock_timeout_ms = LOCK_TIMEOUT_MS,
	};
	/* Each process given by -p takes a descriptor as soon as it is parsed. */
	raise_fd_limit(&args->measure.loop.fd_limit);
	err = measure_opts__parse(&system_spec, &args->measure, argc, argv);
	if (err || args->measure.list_events)
		return err;
	args->system.inherit = !args->no_inherit;
	args->system.per_cpu = args->measure.per_cpu;
	args->system.command = argv;
	return check(args) ?: add_default_scope(args);
}

void system_args__free(struct system_args *args)
{
	scope_list__free(&args->scopes);
	measure_opts__free(&args->measure);
}
