// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of bprof bench. Owns their parsing and the rules which options can be combined. Must
 * not know how programs are run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "bench/bench_args.h"
#include "run/command.h"
#include "target/target.h"

/* The defaults of --repeat and --blocks. With --exact all runs are alike, so fewer are enough. */
#define RUNS 1000
#define BLOCKS 20
#define EXACT_RUNS 60
#define EXACT_BLOCKS 10
/* The default of --block-time, in ns. No user would wait for 20 blocks that take longer. */
#define BLOCK_NS 30000000000ULL

#define NOT_GIVEN (~0ULL)

/* Handles --baseline, which takes ids like --prog-id, and paths like --pinned. */
static int add_baseline(void *list, const struct option_row *row, const char *arg)
{
	return selector_list__report_add(list, strchr(arg, '/') ? SELECT_PINNED : SELECT_ID, row,
					 arg);
}

static int add_prog(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_prog(setup, arg);
}

static int add_map(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_map(setup, arg);
}

static int add_global(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_global(setup, arg);
}

static int add_prog_array(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_prog_array(setup, arg);
}

static int add_type(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_type(setup, arg);
}

static int add_size(void *setup, const struct option_row *row, const char *arg)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", row->name);
	return bench_setup__add_size(setup, option, row->min, arg);
}

static int add_inner_map(void *setup, const struct option_row *row, const char *arg)
{
	return bench_setup__add_inner_map(setup, arg);
}

static int add_data(void *options, const struct option_row *row, const char *arg)
{
	struct bench_args *a = options;

	*(const char **)array__add(&a->data, &a->data_cnt, sizeof(arg)) = arg;
	return 0;
}

static int set_suite_variable(void *vars, const struct option_row *row, const char *arg)
{
	return suite_vars__add(vars, arg);
}

static int add_expect(void *expects, const struct option_row *row, const char *arg)
{
	return bench_expects__add(expects, arg);
}

static int add_object(void *options, const char *arg)
{
	struct bench_plan *p = &((struct bench_args *)options)->plan;

	if (p->object_cnt == BENCH_SIDE_CNT)
		return log_err(-EINVAL, "bench: '%s': only two versions can be compared", arg);
	p->object[p->object_cnt++] = arg;
	return 0;
}

#define OPT(member) offsetof(struct bench_args, member)
#define PLAN(member) offsetof(struct bench_args, plan.member)

static const struct option_row suite_rows[] = {
	OPTION("suite", 0, OPTION_STRING, .member = OPT(suite.file), .arg = "FILE.json",
	       .help = "run the benches that FILE describes, and write one report or comparison of "
		       "all; the other options apply to each bench",
	       .arg_kind = ARG_FILE),
	OPTION("set", 0, OPTION_CALL, .member = OPT(suite.vars), .arg = "NAME=VALUE",
	       .add = set_suite_variable,
	       .help = "set variable NAME of the suite to VALUE; may be repeated"),
	OPTION("entry", 0, OPTION_STRING, .member = OPT(suite.entry), .arg = "GLOB",
	       .help = "run only the entries of the suite whose names match GLOB"),
	OPTION("list", 0, OPTION_FLAG, .member = OPT(suite.list),
	       .help = "run nothing; list the architectures, kernels and files that the suite "
		       "needs"),
	{},
};

static const struct option_row program_rows[] = {
	OPTION("prog", 0, OPTION_CALL, .member = PLAN(setup), .arg = "GLOB", .add = add_prog,
	       .help = "run only the programs of the objects whose names match GLOB; may be "
		       "repeated"),
	OPTION("type", 0, OPTION_CALL, .member = PLAN(setup), .arg = "[PROG=]TYPE", .add = add_type,
	       .help = "give the programs that match PROG (default: all whose section name "
		       "shows no type) this type, such as xdp; may be repeated",
	       .arg_kind = ARG_PROG_TYPE),
	OPTION("func", 0, OPTION_STRING, .member = PLAN(func), .arg = "GLOB",
	       .help = "measure the programs' functions that match GLOB, instead of their entry "
		       "functions; '*': all"),
	OPTION("calls", 0, OPTION_STRING, .member = PLAN(calls), .arg = "GLOB",
	       .help = "also measure the kernel's functions that match GLOB and that the "
		       "measured functions call: helpers and kfuncs; '*': all"),
	OPTION("prog-id", 'b', OPTION_CALL, .member = PLAN(loaded[BENCH_NEW]), .arg = "ID[,ID...]",
	       .min = SELECT_ID, .add = selector_list__add_option,
	       .help = "run these loaded programs", .arg_kind = ARG_PROG_ID),
	OPTION("pinned", 0, OPTION_CALL, .member = PLAN(loaded[BENCH_NEW]), .arg = "PATH",
	       .min = SELECT_PINNED, .add = selector_list__add_option,
	       .help = "run the pinned program or link PATH, or all below a directory",
	       .arg_kind = ARG_FILE),
	OPTION("baseline", 0, OPTION_CALL, .member = PLAN(loaded[BENCH_BASE]), .arg = "ID|PATH",
	       .add = add_baseline,
	       .help = "compare the program of --prog-id or --pinned with this loaded program, "
		       "the old version",
	       .arg_kind = ARG_PROG_ID),
	{},
};

static const struct option_row setup_rows[] = {
	OPTION("map", 0, OPTION_CALL, .member = PLAN(setup), .arg = "NAME=FILE.json",
	       .add = add_map,
	       .help = "fill map NAME from a file written by 'bpftool -j map dump', or from JSON "
		       "as [{...}]",
	       .arg_kind = ARG_NAMED_FILE),
	OPTION("global", 0, OPTION_CALL, .member = PLAN(setup), .arg = "NAME=VALUE",
	       .add = add_global, .help = "set global variable NAME to VALUE"),
	OPTION("prog-array", 0, OPTION_CALL, .member = PLAN(setup), .arg = "MAP:IDX=PROG",
	       .add = add_prog_array,
	       .help = "put program PROG of the object into prog array MAP at index IDX"),
	OPTION("pin-maps", 0, OPTION_STRING, .member = PLAN(setup.pin_maps), .arg = "DIR",
	       .help = "use the maps that are pinned in directory DIR, and pin the object's "
		       "other maps there",
	       .arg_kind = ARG_FILE),
	OPTION("map-size", 0, OPTION_CALL, .member = PLAN(setup), .arg = "NAME=N",
	       .min = MAP_ENTRIES, .add = add_size,
	       .help = "give map NAME N entries (default, where the object says nothing: 1)"),
	OPTION("map-key-size", 0, OPTION_CALL, .member = PLAN(setup), .arg = "NAME=BYTES",
	       .min = MAP_KEY, .add = add_size, .help = "give map NAME keys of BYTES bytes"),
	OPTION("map-value-size", 0, OPTION_CALL, .member = PLAN(setup), .arg = "NAME=BYTES",
	       .min = MAP_VALUE, .add = add_size, .help = "give map NAME values of BYTES bytes"),
	OPTION("inner-map", 0, OPTION_CALL, .member = PLAN(setup),
	       .arg = "NAME=MAP|TYPE,KEY,VALUE,N", .add = add_inner_map,
	       .help = "make the inner maps of NAME like map MAP of the object, or give them "
		       "this type, these sizes and this number of entries"),
	OPTION("kconfig", 0, OPTION_STRING, .member = PLAN(setup.kconfig), .arg = "FILE",
	       .help = "the kernel's configuration, for variables in section .kconfig (default: "
		       "this kernel's)",
	       .arg_kind = ARG_FILE),
	{},
};

static const struct option_row input_rows[] = {
	OPTION("data-in", 0, OPTION_CALL, .arg = "FILE", .add = add_data,
	       .help = "use the packet in FILE as an input case; may be repeated",
	       .arg_kind = ARG_FILE),
	OPTION("pcap", 0, OPTION_STRING, .member = OPT(pcap), .arg = "FILE",
	       .help = "use each packet of the capture FILE as an input case; tc programs get "
		       "it without its VLAN tag",
	       .arg_kind = ARG_FILE),
	OPTION("cycle", 0, OPTION_FLAG, .member = OPT(cycle),
	       .help = "with --pcap: use all packets in turn as one input case"),
	OPTION("ctx-in", 0, OPTION_STRING, .member = OPT(ctx), .arg = "FILE",
	       .help = "pass the context in FILE: a struct xdp_md, __sk_buff, ...",
	       .arg_kind = ARG_FILE),
	OPTION("repeat", 0, OPTION_U64, .member = PLAN(run.repeat), .arg = "N", .min = 1,
	       .max = 1000000,
	       .help = "runs per block of each program and input case (default: 1000)"),
	OPTION("live-frames", 0, OPTION_FLAG, .member = PLAN(run.live),
	       .help = "XDP: let the kernel carry out XDP_PASS, XDP_TX and XDP_REDIRECT (since "
		       "Linux 5.18)"),
	OPTION("fresh", 0, OPTION_FLAG, .member = PLAN(run.fresh),
	       .help = "use a new copy of the packet for each run, even if the program does not "
		       "change it"),
	{},
};

static const struct option_row run_rows[] = {
	OPTION("blocks", 0, OPTION_U64, .member = PLAN(run.blocks), .arg = "N", .min = 1,
	       .max = 10000,
	       .help = "number of blocks; more blocks detect smaller changes (default: 20)"),
	OPTION("warm-up", 0, OPTION_U64, .member = PLAN(run.warm_up), .arg = "N", .max = 1000000,
	       .help = "runs before the first block (default: a tenth of --repeat)"),
	OPTION("block-time", 0, OPTION_TIME, .member = PLAN(run.block_ns), .arg = "TIME", .min = 1,
	       .help = "do not measure a program with an input case if one block of runs takes "
		       "longer than TIME (default: 30s); a bare number is in ms"),
	OPTION("cpu", 'C', OPTION_U64, .member = PLAN(cpu), .arg = "CPU", .max = 65535,
	       .help = "run on this CPU"),
	OPTION("expect-retval", 0, OPTION_CALL, .member = PLAN(expects),
	       .arg = "[PROG[/CASE]=]VALUE", .add = add_expect,
	       .help = "fail unless VALUE is returned, such as XDP_TX or 'lb_*=2'"),
	OPTION("exact", 0, OPTION_FLAG, .member = PLAN(run.exact),
	       .help = "assume that all runs cost the same; set by bprof-bench-vm"),
	OPTION("no-calibrate", 0, OPTION_FLAG, .member = PLAN(no_calibrate),
	       .help = "do not subtract the probe's bias: show raw numbers"),
	OPTION("no-hist", 0, OPTION_FLAG, .member = PLAN(no_hist),
	       .help = "collect no distributions: less overhead, no percentiles"),
	OPTION("by", 0, OPTION_CALL, .member = OPT(measure), .arg = "retval|ifindex|queue|site",
	       .add = measure_opts__set_by,
	       .help = "divide the runs of a program, with a row for each value of the key: "
		       "retval (such as XDP_DROP), ifindex or queue of the context (--ctx-in). "
		       "site: with --calls, a row for each place in the source that calls a "
		       "function",
	       .arg_kind = ARG_CHOICE),
	{},
};

static const struct option_row save_rows[] = {
	OPTION("save-base", 0, OPTION_STRING, .member = OPT(save[BENCH_BASE]), .arg = "FILE",
	       .help = "save the old version's report as JSON, for 'bprof diff'",
	       .arg_kind = ARG_FILE),
	OPTION("save-new", 0, OPTION_STRING, .member = OPT(save[BENCH_NEW]), .arg = "FILE",
	       .help = "save the new version's report as JSON", .arg_kind = ARG_FILE),
	{},
};

const struct command_spec bench_spec = {
	.name = "bench",
	.brief = "run programs on given input and measure them; compare two versions",
	.synopsis = "[OLD.o] NEW.o | --suite F | -b ID [--baseline ID] [OPTIONS]",
	.summary = "Runs the programs of an object file, or loaded programs, with "
		   "BPF_PROG_TEST_RUN, and measures them. Given two versions, runs them in turn "
		   "and compares them as 'bprof diff' does. Without --data-in and --pcap, the "
		   "input is a UDP packet of 64 bytes.",
	.operand = ARG_FILE,
	.tables = {{"Suite", suite_rows},
		   {"Programs", program_rows},
		   {"Maps and variables", setup_rows},
		   {"Input", input_rows},
		   {"Runs", run_rows},
		   {"Events", event_rows, OPT(measure)},
		   {"Comparison", compare_rows, OPT(compare)},
		   {"Comparison", save_rows},
		   {"Output", output_rows, OPT(measure.output)}},
	.documents = DOC_PROGRAMS | DOC_COMPARISON,
	.examples = "bprof bench xdp_lb.bpf.o --pcap flows.pcap --map vips=vips.json\n"
		    "bprof bench main/xdp_lb.bpf.o xdp_lb.bpf.o --fail-on 'instructions:p50>1%'\n"
		    "bprof bench --suite bprof.json --set OLD=main --set NEW=.\n"
		    "bprof bench --baseline 42 -b 57 --data-in syn.bin --expect-retval XDP_TX",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 3 something is worse, 4 nothing could be "
		       "measured, 5 inconclusive, or a program is in one version only; 7 not "
		       "allowed, 8 no such program.",
};

static bool has_setup(const struct bench_setup *s)
{
	return s->map_cnt || s->global_cnt || s->prog_array_cnt || s->prog_cnt || s->type_cnt ||
	       s->pin_maps || s->size_cnt || s->inner_cnt || s->kconfig;
}

static int check_options(const struct bench_args *a)
{
	const struct bench_plan *p = &a->plan;
	bool loaded = p->loaded[BENCH_BASE].cnt || p->loaded[BENCH_NEW].cnt;
	const struct option_check checks[] = {
		{!p->object_cnt && !loaded,
		 "bench: nothing to run: give an object, two to compare, --suite or --prog-id"},
		{p->object_cnt && loaded, "bench: give either objects or loaded programs"},
		{p->loaded[BENCH_BASE].cnt && !p->loaded[BENCH_NEW].cnt,
		 "--baseline: it needs --prog-id or --pinned to compare with"},
		{loaded && has_setup(&p->setup),
		 "--prog, --type and the options for maps and variables apply to objects only; "
		 "loaded programs are set up already"},
		{a->cycle && !a->pcap, "--cycle: it needs --pcap"},
		{p->calls && a->measure.by, "--calls and --by: choose one, or --by site"},
		{a->measure.by >= BY_CGROUP || a->measure.by == BY_CPU,
		 "--by: bench runs programs itself, on one CPU: only retval, ifindex and queue "
		 "(--ctx-in) differ"},
		{a->measure.by_site && !p->calls, "--by site: it needs --calls"},
		{p->run.live && p->run.fresh, "--live-frames and --fresh: choose one"},
		{p->run.live && p->expects.cnt,
		 "--live-frames and --expect-retval: the kernel does not return the values of "
		 "live frames"},
	};

	return options__check(checks, ARRAY_SIZE(checks)) ?: measure_opts__check(&a->measure);
}

int bench_args__check_output(const struct bench_args *a, bool compares)
{
	const struct option_check checks[] = {
		{!compares && (a->save[0] || a->save[1] || compare_flags__any(&a->compare)),
		 "--save-base, --save-new, --fail-on, --match and the other options of a "
		 "comparison need two versions"},
	};

	return options__check(checks, ARRAY_SIZE(checks))
		       ?: output_opts__check_format(&a->measure.output,
						    compares ? DOC_COMPARISON | DOC_VERSIONS
							     : DOC_PROGRAMS,
						    compares ? "a comparison" : "one version");
}

static int check_suite(const struct bench_args *a)
{
	const struct bench_plan *p = &a->plan;
	bool programs = p->object_cnt || p->loaded[BENCH_BASE].cnt || p->loaded[BENCH_NEW].cnt;
	const struct option_check checks[] = {
		{a->suite.file && programs,
		 "--suite: the suite names the objects; give no other programs"},
		{!a->suite.file && (a->suite.list || a->suite.entry || a->suite.vars.set_cnt),
		 "--set, --entry, --list: they need --suite"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

/*
 * Returns how many times to measure how long the verifier takes. A limit on this time (--fail-on)
 * needs one value per block. Without such a limit, the bench shows one value, or none if it
 * compares two versions or has --exact.
 */
static __u64 count_times(const struct bench_args *a)
{
	const struct compare_limits *limits = &a->compare.limits;

	for (int i = 0; i < limits->cnt; i++)
		if (limits->v[i].of_size && limits->v[i].size == SIZE_VERIFICATION)
			return a->plan.run.blocks;
	return !a->plan.run.exact && !bench_plan__compares(&a->plan);
}

void bench_args__init(struct bench_args *a)
{
	*a = (struct bench_args){.plan = {.run.warm_up = NOT_GIVEN, .cpu = BENCH_ANY_CPU}};
}

int bench_args__add_argv(struct bench_args *a, int argc, char **argv)
{
	return options__parse_mixed(&bench_spec, a, argc, argv, add_object);
}

int bench_args__finish(struct bench_args *a)
{
	struct bench_plan *p = &a->plan;
	struct bench_opts *run = &p->run;

	if (!run->repeat)
		run->repeat = run->exact ? EXACT_RUNS : RUNS;
	if (!run->blocks)
		run->blocks = run->exact ? EXACT_BLOCKS : BLOCKS;
	if (run->warm_up == NOT_GIVEN)
		run->warm_up = run->repeat / 10 + 1;
	p->setup.exact = run->exact;
	p->setup.times = count_times(a);
	if (!run->block_ns)
		run->block_ns = BLOCK_NS;
	return check_options(a);
}

int bench_args__parse(struct bench_args *a, int argc, char **argv)
{
	int err;

	bench_args__init(a);
	err = bench_args__add_argv(a, argc, argv);
	if (err)
		return err;
	err = output_opts__apply(&a->measure.output, NULL);
	if (err || a->measure.list_events)
		return err;
	err = check_suite(a);
	if (err || a->suite.file)
		return err;
	return bench_args__finish(a) ?: bench_args__check_output(a, bench_plan__compares(&a->plan));
}

void bench_args__free(struct bench_args *a)
{
	bench_plan__free(&a->plan);
	free(a->data);
	bench_cases__free(&a->cases);
	suite_vars__free(&a->suite.vars);
	compare_flags__free(&a->compare);
	measure_opts__free(&a->measure);
}

int bench_args__read_input(struct bench_args *a)
{
	struct bench_input *in = &a->plan.input;
	int err = 0;

	for (int i = 0; !err && i < a->data_cnt; i++)
		err = bench_input__add_file(in, a->data[i]);
	if (!err && a->pcap)
		err = bench_input__add_pcap(in, NULL, a->pcap, a->cycle);
	if (!err && a->ctx)
		err = bench_input__set_ctx(in, a->ctx);
	err = err ?: bench_cases__read(&a->cases, in);
	if (!err && !in->cnt)
		bench_input__set_default(in);
	return err;
}
