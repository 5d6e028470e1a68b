// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ktest runs the tests of bprof against a real kernel, inside the VM, as root, and prints TAP.
 * tests/kernel/run.sh determines which groups run in which VM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "ktest.h"
#include "tests/kernel/drive/hang.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/ktest.h"

static const struct {
	const char *name;
	int (*run)(void);
	const char *help;
} groups[] = {
	{"types", run_types, "every program type"},
	{"interpreted", run_interpreted, "a kernel without a JIT for BPF"},
	{"targets", run_targets, "selecting targets"},
	{"scale", run_scale, "many targets"},
	{"scale_many", run_scale_many, "the counts of very many targets"},
	{"scale_exact", run_scale_exact,
	 "what many targets and processes cost (1 vCPU with icount)"},
	{"scale_long", run_scale_long,
	 "thousands of programs and processes, hundreds of possible CPUs (1 vCPU with icount, 4 "
	 "GiB)"},
	{"foreign", run_foreign, "XDP objects of Debian's xdp-tools, in $XDP_TOOLS_DIR"},
	{"probes", run_probes, "other owners' probes on a target (./perf)"},
	{"refusals", run_refusals, "targets that cannot be measured, and why"},
	{"nesting", run_nesting, "several invocations in flight on one CPU"},
	{"interrupt", run_interrupt, "a target inside itself (1 vCPU with icount)"},
	{"recursion", run_recursion, "runs that the kernel leaves out"},
	{"signals", run_signals, "the end by a signal: nothing is left"},
	{"cpus", run_cpus, "choosing CPUs, and holes among them (4 vCPUs)"},
	{"traffic", run_traffic, "packets on a veth"},
	{"output", run_output, "intervals, repeats, files, statuses"},
	{"commands", run_commands, "list and doctor"},
	{"self_test", run_self_test, "bprof doctor --self-test (1 vCPU with icount)"},
	{"attached", run_attached, "where programs are attached, on every hook"},
	{"relations", run_relations, "tail calls and extensions"},
	{"kernel_bugs", run_kernel_bugs, "functions that crash the kernel if they are probed"},
	{"kernel_bugs_exact", run_kernel_bugs_exact, "counts of programs that throw"},
	{"exact", run_exact, "exact counts (1 vCPU with icount)"},
	{"net", run_net, "raw and net costs, distributions (1 vCPU with icount)"},
	{"contexts", run_contexts, "exact counts on every hook (1 vCPU with icount)"},
	{"contexts_tree", run_contexts_tree,
	 "function trees on hooks, and several hooks in a session (1 vCPU with icount)"},
	{"tree", run_tree, "functions of a program and their callees (1 vCPU with icount)"},
	{"tree_roots", run_tree_roots,
	 "functions that also run outside of their program's runs (1 vCPU with icount)"},
	{"extensions", run_extensions, "a dispatcher and its extensions (1 vCPU with icount)"},
	{"thinning", run_thinning, "--sample: one run in N (1 vCPU with icount)"},
	{"overhead", run_overhead, "--max-overhead: probes that take turns (1 vCPU with icount)"},
	{"overhead_long", run_overhead_long, "the same at more rates"},
	{"bursts", run_bursts, "live numbers under bursts (1 vCPU with icount)"},
	{"bursts_long", run_bursts_long, "the same with more periods"},
	{"rates", run_rates, "--max-overhead and export count each run (4 vCPUs)"},
	{"rates_long", run_rates_long, "--max-overhead counts each run at any rate"},
	{"multiplex", run_multiplex, "more events than counters (1 vCPU with icount)"},
	{"retval", run_retval, "--by retval: a row for each return value (1 vCPU with icount)"},
	{"retval_traffic", run_retval_traffic, "--by retval of xdp-filter, in $XDP_TOOLS_DIR"},
	{"gate", run_gate, "delays before repeats and intervals (1 vCPU with icount)"},
	{"system_crash", run_system_crash, "users of bperf that die at any step"},
	{"system_users", run_system_users, "many users of bperf at once, some killed"},
	{"system_map", run_system_map, "the attr map: its lock, and entries that others leave"},
	{"system_limits", run_system_limits, "bperf's limits; CPUs that go offline (4 vCPUs)"},
	{"system_limits_long", run_system_limits_long,
	 "the same, where a test takes half a minute"},
	{"preempt", run_preempt, "a kernel that preempts itself (preempt=full)"},
	{"old", run_old, "programs that Linux 5.10 cannot have probed"},
	{"verifier", run_verifier, "the kernel loads every probe"},
	{"system_accuracy", run_system_accuracy,
	 "bprof system against plain perf events (1 vCPU with icount)"},
	{"system_options", run_system_options, "options of bprof system (1 vCPU with icount)"},
	{"system_smp", run_system_smp, "bprof system on several CPUs (4 vCPUs)"},
	{"system_cost", run_system_cost, "what shared counters cost (1 vCPU with icount)"},
	{"perf", run_perf, "counters shared with perf (./perf)"},
	{"perf_map", run_perf_map, "perf's map and followers (./perf)"},
	{"bench", run_bench, "what bprof bench refuses"},
	{"bench_loads", run_bench_loads, "real programs, loaded anew for each block (./real)"},
	{"bench_loaded", run_bench_loaded, "exact verdicts without input (1 vCPU with icount)"},
	{"bench_exact", run_bench_exact, "verdicts of bprof bench (./real; 1 vCPU with icount)"},
	{"bench_real", run_bench_real,
	 "real programs without a change (./real; 1 vCPU with icount)"},
	{"bench_run", run_bench_run,
	 "what bprof bench runs, with which input (1 vCPU with icount)"},
	{"bench_objects", run_bench_objects,
	 "objects that leave something to their loader, limits on sizes"},
	{"bench_setup", run_bench_setup,
	 "set-up, checks and outputs of bprof bench (1 vCPU with icount)"},
	{"bench_suite", run_bench_suite, "suites: bprof bench --suite (1 vCPU with icount)"},
	{"bench_use", run_bench_use, "bprof bench beside other CPUs, devices and users (4 vCPUs)"},
	{"list", run_list, "holders, maps and metadata in bprof list"},
	{"list_perf", run_list_perf, "programs on perf events and tracepoints, and who holds them"},
	{"privileges", run_privileges, "what bprof and COMMAND hold"},
	{"top", run_top, "bprof top in a terminal"},
	{"top_long", run_top_long, "the same with many programs, and with random keys"},
	{"top_change", run_top_change, "a program that costs more than before, in bprof top"},
	{"watch", run_watch, "loads and unloads as they happen"},
	{"watch_cpus", run_watch_cpus, "bprof watch while CPUs go offline and online (4 vCPUs)"},
	{"watch_interpreted", run_watch_interpreted, "bprof watch without a JIT"},
	{"follow", run_follow, "programs that are loaded and unloaded while they are measured"},
	{"follow_exact", run_follow_exact, "what their versions cost (1 vCPU with icount)"},
	{"not_slowed", run_not_slowed,
	 "net numbers with run statistics from the start (1 vCPU with icount)"},
	{"slowed", run_slowed,
	 "net numbers and run statistics that are turned on (1 vCPU with icount)"},
	{"export", run_export, "metrics of programs over HTTP and in a file (4 vCPUs)"},
	{"export_exact", run_export_exact, "what these metrics say (1 vCPU with icount)"},
	{"trace", run_trace, "records of single invocations"},
	{"trace_bare", run_trace_bare, "records of programs whose main takes no argument"},
	{"trace_exact", run_trace_exact, "costs in records (1 vCPU with icount)"},
	{"annotate", run_annotate, "bprof record and annotate (1 vCPU with icount)"},
	{"record", run_record, "what bprof record and annotate refuse"},
	{"samples", run_samples, "bprof stat --method samples (1 vCPU with icount)"},
	{"newer_btf", run_newer_btf, "a kernel whose BTF is newer than libbpf"},
	{"lib", run_lib, "the programs of tests/lib (1 vCPU with icount)"},
	{"lockdown", run_lockdown, "a locked-down kernel; it cannot be unlocked, so run this last"},
	{"hostile", run_hostile, "hostile names, for tests/hostile.py"},
	{"hang", run_hang, "a test that hangs, for tests/vm.sh"},
	{"lockdown_exact", run_lockdown_exact, "the same on the exact machine"},
};

#define GROUP_CNT ((int)(sizeof(groups) / sizeof(groups[0])))

static int run_group(const char *name)
{
	for (int i = 0; i < GROUP_CNT; i++)
		if (!strcmp(name, groups[i].name))
			return groups[i].run();
	fprintf(stderr, "ktest: no group '%s'\n", name);
	return -1;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0; /* Drops libbpf's messages: tests provoke errors. */
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: [KTEST_FILTER=PATTERN] ktest GROUP…\n");
		for (int i = 0; i < GROUP_CNT; i++)
			fprintf(stderr, "  %-10s %s\n", groups[i].name, groups[i].help);
		return 2;
	}
	/* Line buffering, so that a failure's message precedes its "not ok". */
	setvbuf(stdout, NULL, _IOLBF, 0);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (getenv("KTEST_FILTER"))
		cmocka_set_test_filter(getenv("KTEST_FILTER"));
	hang__catch();
	if (!getenv("KTEST_VERBOSE"))
		libbpf_set_print(quiet);
	for (int i = 1; i < argc; i++)
		failed += run_group(argv[i]) != 0;
	return failed ? 1 : 0;
}
