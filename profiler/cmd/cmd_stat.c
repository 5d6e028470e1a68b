// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof stat: measures what one invocation of each target costs. Owns the options of the command
 * and the sequence of steps: select the targets, open the session, measure.
 */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/output.h"
#include "base/parse_error.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "render/render.h"
#include "report/report_per.h"
#include "result/result.h"
#include "run/command.h"
#include "run/measure.h"
#include "run/overhead_opts.h"
#include "run/prog_counting.h"
#include "run/verify_by_samples.h"
#include "run/verify_rates.h"
#include "sampling/sample_events.h"
#include "session/orphans.h"
#include "session/session.h"
#include "target/prog_labels.h"

struct stat_opts {
	struct measure_opts measure;
	struct target_opts targets;
	bool hist, no_hist, no_calibrate;
	struct overhead_opts overhead;
	struct method_list methods;
	__u64 freq; /* samples per second on each CPU; 0: the default, as in perf */
	bool follow;
	const char *vs; /* tag of --vs, or NULL */
	bool verify;
	const char *per; /* program of --per, or NULL */
	__u64 max_versions;
};

/*
 * The default of --max-versions. bprof keeps about 10 KiB for an unloaded version, not counting its
 * histogram.
 */
#define MAX_VERSIONS 10000

static int set_methods(void *options, const struct option_row *row, const char *arg)
{
	return method_opts__parse(&((struct stat_opts *)options)->methods, arg);
}

static int set_vs(void *options, const struct option_row *row, const char *arg)
{
	struct stat_opts *o = options;
	struct parse_error perr;

	o->vs = arg;
	return parse_error__report(tag__check(arg, &perr), "--vs", arg, &perr);
}

#define OPT(member) offsetof(struct stat_opts, member)

static const struct option_row cpu_rows[] = {
	OPTION("all-cpus", 'a', OPTION_FLAG, .member = OPT(measure.all_cpus),
	       .help = "count on all CPUs (the default)"),
	{},
};

static const struct option_row probe_rows[] = {
	OPTION("dist", 0, OPTION_FLAG, .member = OPT(measure.dist),
	       .help = "show the distribution of each event: percentiles, minimum"),
	OPTION("hist", 0, OPTION_FLAG, .member = OPT(hist),
	       .help = "draw the distribution of each event; with -j, write its buckets"),
	OPTION("no-hist", 0, OPTION_FLAG, .member = OPT(no_hist),
	       .help = "collect no distributions: less overhead, no percentiles"),
	OPTION("no-calibrate", 0, OPTION_FLAG, .member = OPT(no_calibrate),
	       .help = "do not subtract the probe's bias: show raw numbers"),
	OPTION("method", 0, OPTION_CALL, .arg = "LIST", .add = set_methods,
	       .help = "methods in the order in which they are tried for each target: fentry "
		       "(probes), run_stats (the kernel's run count and run time), samples "
		       "(estimates from samples, without a probe) (default: "
		       "fentry,run_stats)",
	       .arg_kind = ARG_METHOD),
	OPTION("freq", 'F', OPTION_U64, .member = OPT(freq), .arg = "HZ", .min = 1,
	       .max = SAMPLE_MAX_FREQ,
	       .help = "with --method samples: samples per second on each CPU (default: 3989)"),
	{},
};

static const struct option_row follow_rows[] = {
	OPTION("follow", 0, OPTION_FLAG, .member = OPT(follow),
	       .help = "also measure programs that are loaded later, report the totals of unloaded "
		       "programs, and compare versions that have the same name"),
	OPTION("vs", 0, OPTION_CALL, .arg = "TAG", .add = set_vs,
	       .help = "with --follow: compare the other versions of a program with the version "
		       "whose tag begins with TAG (default: with the first version)",
	       .arg_kind = ARG_PROG_TAG),
	OPTION("max-versions", 0, OPTION_U64, .member = OPT(max_versions), .arg = "N", .min = 1,
	       .max = 1000000,
	       .help = "with --follow: measure at most N programs (with --func: N functions), "
		       "including unloaded ones; further programs are listed and counted, but "
		       "not measured (default: 10000)"),
	{},
};

static const struct option_row verify_rows[] = {
	OPTION("verify", 0, OPTION_FLAG, .member = OPT(verify),
	       .help = "find out whether measuring changes the result: measure every run, 1 run "
		       "in 16 and 1 run in 256 in turns, and show how much more a run costs "
		       "after a measured run (the bias does not include this). Also show the "
		       "cost by samples"),
	{},
};

static const struct option_row by_rows[] = {
	OPTION("by", 0, OPTION_CALL, .member = OPT(measure), .arg = RUN_KEY_CHOICES "|site",
	       .add = measure_opts__set_by,
	       .help = "divide the runs of a program, with a row for each value of retval (such "
		       "as XDP_DROP), cpu, ifindex, queue (xdp), cgroup (of the task or "
		       "socket), comm or pid. Without -I and --sum, only the 8 most expensive "
		       "values have rows (retval: the first 8). site: with --calls, a row for "
		       "each place of a call",
	       .arg_kind = ARG_CHOICE),
	{},
};

static const struct option_row per_rows[] = {
	OPTION("per", 0, OPTION_STRING, .member = OPT(per), .arg = "PROGRAM",
	       .help = "also show the cost of each program divided by the runs of PROGRAM (an "
		       "id or name), in the order in which a packet passes the programs, and "
		       "the total. If PROGRAM runs once per packet, this is the BPF cost of a "
		       "packet",
	       .arg_kind = ARG_PROG_NAME),
	{},
};

static const struct option_row refused_rows[] = {
	OPTION("pid", 'p', OPTION_REFUSE, .arg = "PID",
	       .help = "a program's runs cannot be selected by process; 'bprof system -p' counts "
		       "events of processes"),
	OPTION("tid", 't', OPTION_REFUSE, .arg = "TID",
	       .help = "a program's runs cannot be selected by thread; 'bprof system -t' counts "
		       "events of threads"),
	OPTION("cgroup", 'G', OPTION_REFUSE, .arg = "CGROUP",
	       .help = "a program's runs cannot be selected by cgroup; 'bprof system "
		       "--for-each-cgroup' counts events of cgroups"),
	{},
};

const struct command_spec stat_spec = {
	.name = "stat",
	.brief = "measure what one invocation of a program costs (the default)",
	.synopsis = "TARGETS [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Measures what one invocation of each target costs, until COMMAND ends, until "
		   "--timeout, or until Ctrl-C. " SELECTORS_RULE,
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", selector_rows, OPT(targets)},
		   {"Targets", target_rows, OPT(targets)},
		   {"Targets", calls_rows, OPT(targets)},
		   {"Targets", follow_rows},
		   {"Events", event_rows, OPT(measure)},
		   {"CPUs and time", cpu_rows},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"CPUs and time", measure_rows, OPT(measure)},
		   {"Method", run_sample_rows, OPT(overhead)},
		   {"Method", max_overhead_rows, OPT(overhead)},
		   {"Method", probe_rows},
		   {"Method", verify_rows},
		   {"Method", by_rows},
		   {"Output", sum_rows, OPT(measure)},
		   {"Output", per_rows},
		   {"Privileges", command_rows, OPT(measure.loop)},
		   {"Privileges", privilege_rows, OPT(measure.loop)},
		   {"Output", order_rows, OPT(measure.order)},
		   {"Output", output_rows, OPT(measure.output)},
		   {"Output", refused_rows}},
	.documents = DOC_PROGRAMS | DOC_SERIES,
	.examples = "bprof --prog-id 42,57 -e cycles,instructions\n"
		    "bprof --name 'xdp_*' -e instructions,L1-dcache-load-misses -I 1000\n"
		    "bprof --prog-id 42 --func '*' -- ping -c 100 -i 0.01 10.0.0.2\n"
		    "bprof --prog-id 42 --by retval -e instructions\n"
		    "bprof --all --active --top 10 --timeout 1000\n"
		    "bprof --prog-id 42 -e cycles --method samples\n"
		    "bprof --all --sum name --timeout 1000\n"
		    "bprof --prog-id 42 -e cycles --verify --timeout 5s\n"
		    "bprof stat --name 'xdp_*' --follow -I 1000\n"
		    "bprof --all --per xdp_lb -e instructions --timeout 1000\n"
		    "bprof --pinned /sys/fs/bpf/xdp -j -o xdp.json -- ping -c 100 -i 0.01 10.0.0.2",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be measured, 7 not "
		       "allowed, 8 no such program. If COMMAND "
		       "fails, bprof exits with its status.",
};

/* Refuses options that cannot be combined. Returns 0 or -EINVAL (reported). */
static int check_stat_options(const struct stat_opts *o)
{
	const struct order_opts *order = &o->measure.order;
	const struct overhead_opts *overhead = &o->overhead;
	const struct option_check checks[] = {
		{o->hist && o->no_hist, "--hist and --no-hist: choose one"},
		{o->measure.dist && o->no_hist, "--dist and --no-hist: choose one"},
		{(overhead->share || overhead->limit) && o->no_calibrate,
		 "--sample auto or --max-overhead, and --no-calibrate: only calibration finds out "
		 "what the probe adds to a run; give --sample N"},
		{(o->hist || overhead->share || overhead->limit || overhead->period > 1 ||
		  (o->measure.by && o->measure.by != BY_CPU)) &&
			 !method_list__any(&o->methods, BACKEND_PROBES),
		 "--hist, --sample, --max-overhead and --by need probes, which --method leaves "
		 "out"},
		{o->freq && !method_list__any(&o->methods, BACKEND_ESTIMATES_EVENTS),
		 "-F: only --method samples takes samples"},
		{o->follow && !target_opts__can_follow(&o->targets),
		 "--follow: --prog-id, --pinned and --struct-ops select loaded programs only; "
		 "select those to follow with --name, --tag, --type, --owner or --all"},
		{o->follow && o->measure.repeat > 1,
		 "-r and --follow: programs that are loaded and unloaded are not the same in "
		 "each repeat"},
		{o->follow && method_list__any(&o->methods, BACKEND_FIXED_TARGETS),
		 "--follow and --method samples: programs to sample must be loaded at the start"},
		{o->targets.calls &&
			 (o->follow || o->measure.by || overhead->share || overhead->strict),
		 "--calls cannot be combined with --follow, --sample auto (give --sample N), "
		 "--strict and --by, except for --by site"},
		{o->verify && (overhead->period || overhead->limit),
		 "--verify and --sample or --max-overhead: --verify sets how many runs are "
		 "measured"},
		{o->verify && (o->follow || o->targets.calls || o->measure.by || o->measure.sum ||
			       o->per || o->measure.per_cpu),
		 "--verify cannot be combined with --follow, --calls, --by, --sum, --per and -A: "
		 "it compares the runs of each program"},
		{o->verify && (o->measure.loop.interval_ns || o->measure.repeat > 1),
		 "--verify and -I or -r: one report has all its turns; give --timeout"},
		{o->verify && o->no_hist,
		 "--verify and --no-hist: its errors come from how much the runs differ"},
		{o->verify && !method_list__any(&o->methods, BACKEND_PROBES),
		 "--verify needs probes, which --method leaves out"},
		{o->targets.calls && !method_list__any(&o->methods, BACKEND_PROBES),
		 "--calls needs probes, which --method leaves out"},
		{o->measure.by_site && !o->targets.calls, "--by site: it needs --calls"},
		{o->vs && !o->follow, "--vs: it needs --follow"},
		{o->per && !*o->per, "--per: give the id or the name of a program"},
		{o->measure.sum && (o->targets.func || o->targets.calls),
		 "--sum and --func or --calls: whole programs are summed up, not call trees"},
		{o->measure.sum && o->vs,
		 "--sum and --vs: versions that are summed up are not compared"},
		{o->max_versions && !o->follow, "--max-versions: it needs --follow"},
		{(order->sort || order->top || order->active) &&
			 output_opts__format(&o->measure.output) != &formats[FORMAT_TEXT],
		 "--sort, --top, --active: they are for the text; the other formats have all "
		 "programs in the order of their ids"},
		{o->measure.all_cpus && o->measure.cpus.cnt, "-a and -C: choose all CPUs or some"},
	};

	return target_opts__check(&o->targets, o->measure.loop.command) ?:
	       overhead_opts__check(overhead) ?:
	       options__check(checks, ARRAY_SIZE(checks)) ?:
	       order_opts__check(&o->measure.order, report_order__column) ?:
	       measure_opts__check_format(&o->measure, DOC_PROGRAMS, DOC_SERIES) ?:
	       measure_opts__check(&o->measure);
}

/*
 * After a measurement with --follow: if no program was measured, returns -errno (reported). If no
 * program with the tag of --vs was loaded, only warns, and returns 0.
 */
static int check_followed(const struct prog_counting *c)
{
	const struct target_list *targets = &c->s->targets;
	bool found = false;
	char tag[17];

	if (!targets->cnt)
		return log_err(target_list__why_none(targets),
			       "no program that could be measured was loaded");
	for (int i = 0; c->vs && i < targets->cnt; i++)
		found |= tag__begins(prog__tag(targets->v[i].prog, tag), c->vs);
	if (c->vs && !found)
		log_warn("--vs %s: no program with this tag was loaded; nothing was compared",
			 c->vs);
	return 0;
}

/*
 * Checks that --per names one of the programs. Does not check with --follow, because the named
 * program may be loaded later. Returns 0 or -errno (reported).
 */
static int check_per(const struct stat_opts *o, const struct session *s)
{
	struct per_match m = {};
	struct reason why;
	int err;

	if (!o->per || o->follow || o->measure.sum)
		return 0;
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		if (per__is_program(o->per, t->id, prog__name(t->prog)))
			per_match__add(&m, t->id);
	}
	err = per_match__check(&m, &why);
	return err ? log_err(err, "--per %s: %s", o->per, why.detail) : 0;
}

static int run_stat(struct stat_opts *o, char **argv, int *status)
{
	struct measure_opts *mo = &o->measure;
	struct prog_labels labels = {
		.owners = mo->sum == SUM_OWNER,
		.devices = mo->sum == SUM_DEVICE,
		.hooks = o->per || selector_list__has(&o->targets.selectors, SELECT_STRUCT_OPS)};
	struct result_opts result = {.command = argv,
				     .per_cpu = mo->per_cpu,
				     .buckets = o->hist,
				     .sum = mo->sum,
				     .per = o->per,
				     .intervals = mo->loop.interval_ns,
				     .all_keys = mo->loop.interval_ns || mo->sum || mo->repeat > 1,
				     .late_keys = true};
	struct prog_counting c = {.result = &result,
				  .vs = o->vs,
				  .no_versions = mo->sum,
				  .replaces_keys = run_key__is_read(mo->by) && !result.all_keys};
	struct backend_opts session = {.calibrate = !o->no_calibrate,
				       .hist = !o->no_hist,
				       .thin_period = 1,
				       .methods = o->methods,
				       .sample_freq = o->freq ?: sample_events__default_freq(),
				       .by = mo->by,
				       .by_site = mo->by_site,
				       /*
				        * With --max-overhead, probes take turns and cannot measure
				        * a cost without that of other targets.
				        */
				       .own_costs = labels.hooks && !o->overhead.limit,
				       .follow = o->follow,
				       .others_only = true};
	const struct prog_counting_opts counting = {.targets = &o->targets,
						    .events = &mo->events,
						    .cpus = &mo->cpus,
						    .session = &session,
						    .loop = &mo->loop,
						    .max_versions = o->max_versions
									    ?: MAX_VERSIONS};
	struct verify_rates rates = {.random = now_ns()};
	struct output out = {};
	int err;

	prog_counting__set_labels(&c, &result, &labels);
	overhead_opts__apply(&o->overhead, o->targets.calls, &session);
	if (o->verify) {
		session.thin_period = VERIFY_THIN_PERIOD;
		c.rates = &rates;
	}
	/* The devices of other network namespaces are found by the processes in them. */
	loop_opts__set_privileges(&mo->loop,
				  labels.devices	       ? PRIVILEGES_SHOW
				  : o->follow || session.turns ? PRIVILEGES_OPEN
							       : PRIVILEGES_LIST,
				  mo->output.file);
	err = prog_counting__open(&counting, &c);
	if (o->verify && !err) {
		rates.samples = verify_by_samples__open(c.s);
		mo->loop.first_tick_ns = mo->loop.tick_ns =
			verify_rates__turn_ns(mo->loop.timeout_ns);
	}
	err = err ?:
	      check_per(o, c.s) ?:
	      measure__run(mo, &out, &prog_counting_ops, &c, status) ?:
	      o->follow ? check_followed(&c) : 0;
	if (!err && !o->follow)
		session__warn_orphans(c.s);
	prog_counting__close(&c);
	prog_labels__free(&labels);
	verify_rates__free(&rates);
	return output__close(&out, err);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_opts o = {};
	struct measure_opts *m = &o.measure;
	int err, command_status = 0, status;

	err = options__parse(&stat_spec, &o, argc, argv, &m->loop.command)
		      ?: output_opts__apply(&m->output, m->loop.command);
	if (measure_opts__ends(m, err, &status) || check_stat_options(&o))
		goto out;
	m->totals = o.follow;
	err = run_stat(&o, argv, &command_status);
	status = measure__exit_status(err, command_status);
out:
	target_opts__free(&o.targets);
	measure_opts__free(m);
	return status;
}
