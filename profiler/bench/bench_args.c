// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of bprof bench. Owns their parsing and which of them can be combined; must not know
 * how programs are run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "bench/bench_args.h"
#include "lib/bprof_model.h"
#include "run/command.h"
#include "target/target.h"

/*
 * The defaults of --repeat and --blocks. With --exact all runs are alike, so fewer runs are enough.
 */
#define RUNS 1000
#define BLOCKS 20
#define EXACT_RUNS 60
#define EXACT_BLOCKS 10
/* The default of --block-time: nobody waits longer for 20 blocks by intention. */
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
	const char **path = array__add(&a->data, &a->data_cnt, sizeof(*path));

	if (!path)
		return log_err(-ENOMEM, "out of memory");
	*path = arg;
	return 0;
}

static int add_variable(void *vars, const struct option_row *row, const char *arg)
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
	{"suite", 0, OPTION_STRING, OPT(suite.file), "FILE.json", 0, 0, NULL,
	 "run the benches that FILE describes, and write one report or comparison of all; the "
	 "other "
	 "options apply to each of them",
	 ARG_FILE},
	{"set", 0, OPTION_CALL, OPT(suite.vars), "NAME=VALUE", 0, 0, add_variable,
	 "set variable NAME of the suite to VALUE; may be repeated"},
	{"entry", 0, OPTION_STRING, OPT(suite.entry), "GLOB", 0, 0, NULL,
	 "run only the entries of the suite whose names match GLOB"},
	{"list", 0, OPTION_FLAG, OPT(suite.list), NULL, 0, 0, NULL,
	 "run nothing; list the architectures, kernels and files that the suite needs"},
	{},
};

static const struct option_row program_rows[] = {
	{"prog", 0, OPTION_CALL, PLAN(setup), "GLOB", 0, 0, add_prog,
	 "run only the programs of the objects whose names match GLOB; may be repeated"},
	{"type", 0, OPTION_CALL, PLAN(setup), "[PROG=]TYPE", 0, 0, add_type,
	 "type, such as xdp, of the programs PROG, or of all whose section name does not show it; "
	 "may "
	 "be repeated",
	 ARG_PROG_TYPE},
	{"func", 0, OPTION_STRING, PLAN(func), "GLOB", 0, 0, NULL,
	 "measure the programs' functions that match GLOB, instead of their entry functions; '*': "
	 "all"},
	{"prog-id", 'b', OPTION_CALL, PLAN(loaded[BENCH_NEW]), "ID[,ID...]", SELECT_ID, 0,
	 selector_list__add_option, "run these loaded programs", ARG_PROG_ID},
	{"pinned", 0, OPTION_CALL, PLAN(loaded[BENCH_NEW]), "PATH", SELECT_PINNED, 0,
	 selector_list__add_option, "run the pinned program or link PATH, or all below a directory",
	 ARG_FILE},
	{"baseline", 0, OPTION_CALL, PLAN(loaded[BENCH_BASE]), "ID|PATH", 0, 0, add_baseline,
	 "compare the program of --prog-id or --pinned with this one", ARG_PROG_ID},
	{},
};

static const struct option_row setup_rows[] = {
	{"map", 0, OPTION_CALL, PLAN(setup), "NAME=FILE.json", 0, 0, add_map,
	 "fill map NAME from a file written by 'bpftool -j map dump', or from JSON as [{...}]",
	 ARG_NAMED_FILE},
	{"global", 0, OPTION_CALL, PLAN(setup), "NAME=VALUE", 0, 0, add_global,
	 "set global variable NAME to VALUE"},
	{"prog-array", 0, OPTION_CALL, PLAN(setup), "MAP:IDX=PROG", 0, 0, add_prog_array,
	 "put program PROG of the object into prog array MAP at index IDX"},
	{"pin-maps", 0, OPTION_STRING, PLAN(setup.pin_maps), "DIR", 0, 0, NULL,
	 "use the maps pinned in directory DIR, and pin the others there", ARG_FILE},
	{"map-size", 0, OPTION_CALL, PLAN(setup), "NAME=N", MAP_ENTRIES, 0, add_size,
	 "give map NAME N entries (default, where the object says nothing: 1)"},
	{"map-key-size", 0, OPTION_CALL, PLAN(setup), "NAME=BYTES", MAP_KEY, 0, add_size,
	 "give map NAME keys of BYTES bytes"},
	{"map-value-size", 0, OPTION_CALL, PLAN(setup), "NAME=BYTES", MAP_VALUE, 0, add_size,
	 "give map NAME values of BYTES bytes"},
	{"inner-map", 0, OPTION_CALL, PLAN(setup), "NAME=MAP|TYPE,KEY,VALUE,N", 0, 0, add_inner_map,
	 "the inner maps of NAME are like map MAP of the object, or of this type, sizes and "
	 "entries"},
	{"kconfig", 0, OPTION_STRING, PLAN(setup.kconfig), "FILE", 0, 0, NULL,
	 "the kernel's configuration, for variables in section .kconfig (default: this kernel's)",
	 ARG_FILE},
	{},
};

static const struct option_row input_rows[] = {
	{"data-in", 0, OPTION_CALL, 0, "FILE", 0, 0, add_data,
	 "use the packet in FILE as an input case; may be repeated", ARG_FILE},
	{"pcap", 0, OPTION_STRING, OPT(pcap), "FILE", 0, 0, NULL,
	 "use each packet of the capture FILE as an input case (tc: without its VLAN tag)",
	 ARG_FILE},
	{"cycle", 0, OPTION_FLAG, OPT(cycle), NULL, 0, 0, NULL,
	 "with --pcap: use all packets in turn as one input case"},
	{"ctx-in", 0, OPTION_STRING, OPT(ctx), "FILE", 0, 0, NULL,
	 "pass the context in FILE: a struct xdp_md, __sk_buff, ...", ARG_FILE},
	{"repeat", 0, OPTION_U64, PLAN(run.repeat), "N", 1, 1000000, NULL,
	 "runs per block of each program and input case (default: 1000)"},
	{"live-frames", 0, OPTION_FLAG, PLAN(run.live), NULL, 0, 0, NULL,
	 "XDP: really pass, send and redirect the packets (since Linux 5.18)"},
	{"fresh", 0, OPTION_FLAG, PLAN(run.fresh), NULL, 0, 0, NULL,
	 "use a new copy of the packet for each run, even if the program does not change it"},
	{},
};

static const struct option_row run_rows[] = {
	{"blocks", 'r', OPTION_U64, PLAN(run.blocks), "N", 1, 10000, NULL,
	 "number of blocks; more blocks detect smaller changes (default: 20)"},
	{"warm-up", 0, OPTION_U64, PLAN(run.warm_up), "N", 0, 1000000, NULL,
	 "runs before the first block (default: a tenth of --repeat)"},
	{"block-time", 0, OPTION_TIME, PLAN(run.block_ns), "TIME", 1, 0, NULL,
	 "leave out a program and input case of which a block takes longer (default: 30s); "
	 "a bare number is in ms"},
	{"cpu", 'C', OPTION_U64, PLAN(cpu), "CPU", 0, 65535, NULL, "run on this CPU"},
	{"expect-retval", 0, OPTION_CALL, PLAN(expects), "[PROG[/CASE]=]VALUE", 0, 0, add_expect,
	 "fail unless VALUE is returned, such as XDP_TX or 'lb_*=2'"},
	{"exact", 0, OPTION_FLAG, PLAN(run.exact), NULL, 0, 0, NULL,
	 "assume that all runs cost the same; set by bprof-bench-vm"},
	{"no-calibrate", 0, OPTION_FLAG, PLAN(no_calibrate), NULL, 0, 0, NULL,
	 "do not subtract the probe's bias: show raw numbers"},
	{"no-hist", 0, OPTION_FLAG, PLAN(no_hist), NULL, 0, 0, NULL,
	 "collect no distributions: less overhead, no percentiles"},
	{},
};

static const struct option_row save_rows[] = {
	{"save-base", 0, OPTION_STRING, OPT(save[BENCH_BASE]), "FILE", 0, 0, NULL,
	 "save the old version's report as JSON, for 'bprof diff'", ARG_FILE},
	{"save-new", 0, OPTION_STRING, OPT(save[BENCH_NEW]), "FILE", 0, 0, NULL,
	 "save the new version's report as JSON", ARG_FILE},
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
		   {"Runs", by_rows},
		   {"Events", event_rows},
		   {"Comparison", compare_rows, OPT(compare)},
		   {"Comparison", save_rows},
		   {"Output", output_rows}},
	.documents = DOC_PROGRAMS | DOC_COMPARISON,
	.examples = "bprof bench xdp_lb.bpf.o --pcap flows.pcap --map vips=vips.json\n"
		    "bprof bench main/xdp_lb.bpf.o xdp_lb.bpf.o --fail-on 'instructions:p50>1%'\n"
		    "bprof bench --suite bprof.json --set OLD=main --set NEW=.\n"
		    "bprof bench --baseline 42 -b 57 --data-in syn.bin --expect-retval XDP_TX",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 3 something is worse, 4 nothing could be "
		       "measured, 5 inconclusive, or a program is in one version only.",
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
 * A limit on the verifier's time is checked like other limits on times: with one value per block.
 * Without, one value is shown, unless it would be compared with another one.
 */
static __u64 count_times(const struct bench_args *a)
{
	const struct compare_limits *limits = bprof_rules__limits(a->compare.rules);

	for (int i = 0; i < limits->cnt; i++)
		if (limits->v[i].of_size && limits->v[i].size == SIZE_VERIFICATION)
			return a->plan.run.blocks;
	return !a->plan.run.exact && !bench_plan__compares(&a->plan);
}

static void set_defaults(struct bench_args *a)
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
	set_defaults(a);
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
	return err || in->cnt ? err : bench_input__set_default(in);
}
