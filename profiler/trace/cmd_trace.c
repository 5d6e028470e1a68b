// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof trace: writes a record of each invocation for which a condition is true. Owns the options
 * of the command and the sequence of steps: select the targets, open the session, make the probes
 * record, write the records.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "base/util.h"
#include "run/command.h"
#include "run/measure.h"
#include "run/target_opts.h"
#include "session/session.h"
#include "trace/trace_join.h"
#include "trace/trace_keys.h"
#include "trace/trace_output.h"
#include "trace/trace_pcap.h"
#include "trace/trace_symbols.h"

#define DEFAULT_LIMIT 1000
/* Bytes per packet with --pcap but without --snap: in most networks, packets are smaller. */
#define DEFAULT_PCAP_SNAP 2048
#define TICK_NS (1000 * NSEC_PER_MSEC)
/* If a condition is a percentile, its limit is updated this often. */
#define FOLLOW_NS (100 * NSEC_PER_MSEC)
/* --join: assume that the record of a run is in the ring buffer this long after the run began. */
#define ARRIVAL_NS (100 * NSEC_PER_MSEC)
/* --join: the maximum memory for the runs of packets that are not written yet, in bytes. */
#define JOIN_MEMORY (256UL << 20)

struct trace_opts {
	struct measure_opts measure;
	struct target_opts targets;
	struct trace_conds conds;
	struct trace_args args;
	struct trace_keys keys;
	__u64 limit, snap;
	const char *pcap;
	bool stack, no_calibrate;
};

struct trace_run {
	const struct trace_opts *o;
	struct session *s;
	struct trace_probe probe;
	struct output out;
	struct trace_output output;
	struct trace_pcap *pcap;
	struct trace_symbols *symbols;
	struct trace_join *join; /* NULL: each record is written as it comes */
	__u64 lost;		 /* number of lost records of which trace_join__lose() knows */
	struct snapshot *start, *stop;
	__u64 held; /* number of records not written because of --limit, as last reported */
	__u64 ticks;
	bool is_usage; /* an argument of --arg or --event is invalid */
	int err;       /* first error in a callback, which cannot return it */
};

/* -e EVENTS and --event CONDITION are the same option: only a condition contains < or >. */
static int add_event_or_condition(void *options, const struct option_row *row, const char *arg)
{
	struct trace_opts *o = options;
	struct parse_error perr;

	if (!strpbrk(arg, "<>"))
		return event_list__add_option(&o->measure.events, row, arg);
	return parse_error__report(trace_conds__add_event(&o->conds, arg, &perr), "--event", arg,
				   &perr);
}

static int add_slower_than(void *options, const struct option_row *row, const char *arg)
{
	struct trace_opts *o = options;
	struct parse_error perr;

	return parse_error__report(trace_conds__add_time(&o->conds, arg, &perr), "--slower-than",
				   arg, &perr);
}

static int add_retval_condition(void *options, const struct option_row *row, const char *arg)
{
	struct trace_opts *o = options;
	int err = trace_conds__add_retval(&o->conds, arg);

	if (err == -E2BIG)
		return log_err(err, "--retval %s: one too many, at most %d can be given", arg,
			       BPROF_TRACE_RETVALS);
	if (err)
		log_err(err,
			"--retval %s: give a number, or a name such as XDP_DROP or TC_ACT_SHOT",
			arg);
	return err;
}

static int add_arg(void *options, const struct option_row *row, const char *arg)
{
	struct trace_opts *o = options;
	struct parse_error perr;
	int err = trace_args__add(&o->args, arg, &perr);

	if (err == -E2BIG)
		return log_err(err, "--arg %s: one too many, at most %d can be given", arg,
			       TRACE_ARGS_MAX);
	return parse_error__report(err, "--arg", arg, &perr);
}

static int set_key_of_records(void *options, const struct option_row *row, const char *arg)
{
	return trace_keys__set_by(&((struct trace_opts *)options)->keys, arg);
}

#define OPT(member) offsetof(struct trace_opts, member)

static const struct option_row cond_rows[] = {
	OPTION("slower-than", 0, OPTION_CALL, .arg = "TIME", .add = add_slower_than,
	       .help = "record invocations whose time is greater than TIME, such as 50us or "
		       "1.5ms, or than a percentile of the runs so far, such as p99.9 (--event "
		       "also accepts percentiles); a bare number is in ms"),
	OPTION("event", 'e', OPTION_CALL, .arg = "EVENT>N", .add = add_event_or_condition,
	       .help = "EVENT>N or EVENT<N: record invocations in which EVENT counts more, or "
		       "less, than N, such as instructions>10000 or time>50us; a bare number is in "
		       "EVENT's own unit, which is ns for times. EVENT[,EVENT...]: the events to "
		       "show in the records (default: cycles,instructions, or time if there is no "
		       "PMU)",
	       .arg_kind = ARG_EVENT),
	OPTION("retval", 0, OPTION_CALL, .arg = "VALUE", .add = add_retval_condition,
	       .help = "record invocations that return VALUE, a number or a name, such as 2 or "
		       "XDP_PASS"),
	OPTION("every", 0, OPTION_U64, .member = OPT(conds.every), .arg = "N", .min = 1,
	       .help = "record every Nth invocation on each CPU"),
	OPTION("arg", 0, OPTION_CALL, .arg = "ARGUMENT", .add = add_arg,
	       .help = "show an argument of the function in each record, such as 'skb->len': "
		       "its name in BTF, then members; bprof reads it when the invocation ends. "
		       "With ==, !=, <, <=, >, >= or & and a number or a constant, such as "
		       "'skb->len > 1000': record invocations in which this is true. Up to 8 "
		       "times"),
	OPTION("list-events", 0, OPTION_FLAG, .member = OPT(measure.list_events),
	       .help = "list the events that -e accepts on this machine, and exit; with a word "
		       "as argument, list only the events whose name contains it"),
	{},
};

static const struct option_row cpu_rows[] = {
	OPTION("all-cpus", 'a', OPTION_FLAG, .member = OPT(measure.all_cpus),
	       .help = "trace all CPUs (the default)"),
	{},
};

static const struct option_row record_rows[] = {
	OPTION("limit", 0, OPTION_U64, .member = OPT(limit), .arg = "N", .min = 1, .max = 1000000,
	       .help = "write at most N records per second for each target on each CPU "
		       "(default: 1000); further records are only counted"),
	OPTION("snap", 0, OPTION_U64, .member = OPT(snap), .arg = "BYTES", .min = 1,
	       .max = BPROF_TRACE_SNAP_MAX,
	       .help = "add the first BYTES bytes of the packet to each record (XDP, tc)"),
	OPTION("pcap", 0, OPTION_STRING, .member = OPT(pcap), .arg = "FILE",
	       .help = "write the packets to FILE in pcap format, 2048 bytes of each or as "
		       "--snap says; only the owner of FILE can read it",
	       .arg_kind = ARG_FILE),
	OPTION("by", 0, OPTION_CALL, .arg = TRACE_KEY_CHOICES, .add = set_key_of_records,
	       .help = "show in each record the network device of the packet (ifindex), the "
		       "receive queue of xdp programs, the cgroup (of the task, or of the socket "
		       "for cgroup_skb programs), or the process (pid)",
	       .arg_kind = ARG_CHOICE),
	OPTION("join", 0, OPTION_FLAG, .member = OPT(keys.join),
	       .help = "number the packets. If a run meets a condition, write the runs of all "
		       "measured programs for the same packet together (XDP, tc, cgroup_skb, "
		       "socket filters, sockmap). --every N then records one packet in N, and "
		       "--limit is the number of packets per second"),
	OPTION("stack", 0, OPTION_FLAG, .member = OPT(stack),
	       .help = "add the kernel stack to each record"),
	OPTION("no-calibrate", 0, OPTION_FLAG, .member = OPT(no_calibrate),
	       .help = "do not subtract the probe's bias: show raw numbers"),
	{},
};

const struct command_spec trace_spec = {
	.name = "trace",
	.brief = "record single invocations, such as slow ones or those that return XDP_DROP",
	.synopsis = "TARGETS CONDITIONS [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Writes a record of each invocation that meets one of the conditions, with what "
		   "it cost, until COMMAND ends, until --timeout, or until Ctrl-C.",
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", selector_rows, OPT(targets)},
		   {"Targets", target_rows, OPT(targets)},
		   {"Targets", calls_rows, OPT(targets)},
		   {"Conditions and events", cond_rows},
		   {"CPUs and time", cpu_rows},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"Records", record_rows},
		   {"Privileges", command_rows, OPT(measure.loop)},
		   {"Privileges", privilege_rows, OPT(measure.loop)},
		   {"Output", output_rows, OPT(measure.output)}},
	.documents = DOC_OTHER | DOC_TABLE | DOC_TIMELINE,
	.examples = "bprof trace --name 'xdp_*' --slower-than 50us --pcap slow.pcap\n"
		    "bprof trace --prog-id 42 --event 'instructions>10000' --stack\n"
		    "bprof trace --prog-id 42 --slower-than p99 --func '*' --calls '*'\n"
		    "bprof trace --prog-id 42 --retval XDP_ABORTED --snap 64 -j\n"
		    "bprof trace --prog-id 42 --arg 'ctx->len > 1000' --arg ctx\n"
		    "bprof trace --prog-id 42 --every 1000 -e cycles,instructions,time",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be traced, 7 not allowed, "
		       "8 no such program. If COMMAND "
		       "fails, bprof exits with its status.",
};

static int check_conditions(const struct trace_opts *o)
{
	const struct trace_conds *c = &o->conds;
	const bool if_arg = trace_args__has_condition(&o->args);
	const struct option_check checks[] = {
		{!c->bound_cnt && !c->retval_cnt && !c->every && !if_arg,
		 "no condition: give --slower-than, --event, --retval, --every, or --arg with a "
		 "condition; --every 1 records every invocation"},
		{output_opts__is_csv(&o->measure.output) && (o->stack || o->snap),
		 "--stack and --snap: CSV has no columns for stacks and packets; choose -j"},
		{c->every == 1 && (c->bound_cnt || c->retval_cnt || if_arg),
		 "--every 1: it records every invocation; other conditions change nothing"},
		{o->keys.join && (o->targets.func || o->targets.calls),
		 "--join: it joins runs of whole programs; leave out --func and --calls"},
		{o->keys.by == BY_CGROUP && (o->targets.func || o->targets.calls),
		 "--by cgroup: a record is one of a whole program; leave out --func and --calls"},
		{o->keys.join && o->measure.cpus.cnt,
		 "--join: a packet may go from one CPU to another; leave out -C"},
		{o->measure.all_cpus && o->measure.cpus.cnt, "-a and -C: choose all CPUs or some"},
		{o->pcap && !strcmp(o->pcap, "-"),
		 "--pcap -: standard output is for the records; give a file"},
		{o->pcap && o->measure.output.file && !strcmp(o->pcap, o->measure.output.file),
		 "-o and --pcap: choose two files"},
	};

	return target_opts__check(&o->targets, o->measure.loop.command) ?: options__check(checks, ARRAY_SIZE(checks)) ?: measure_opts__check(&o->measure);
}

static int write_run_record(void *arg, int cpu, const struct bprof_record *r)
{
	struct trace_run *run = arg;
	int err = 0;

	if (run->pcap && trace_probe__has_packets(&run->probe, &run->s->targets.v[r->target]))
		err = trace_pcap__write(run->pcap, run->output.epoch_ns + r->ns, r,
					trace_probe__packet(&run->probe, r));
	return err ?: trace_output__record(&run->output, cpu, r);
}

/* Writes a record, or keeps it until its packet is complete. */
static int take_record(void *arg, int cpu, const struct bprof_record *r, size_t sz)
{
	struct trace_run *run = arg;
	struct join_key key;

	if (!run->join)
		return write_run_record(run, cpu, r);
	key = trace_keys__packet(&run->o->keys, &run->probe, r);
	trace_join__add(run->join, cpu, r, sz, &key, trace_keys__begin(r));
	return 0;
}

static int write_packet(void *arg, const struct trace_packet *p)
{
	struct trace_run *run = arg;
	int err = trace_output__begin_packet(&run->output, p);

	for (int i = 0; !err && i < p->cnt; i++)
		err = write_run_record(run, p->run[i].cpu, p->run[i].r);
	return err;
}

static void report_lost_records(void *arg, int cpu, __u64 cnt)
{
	struct trace_run *run = arg;

	if (run->join)
		trace_join__lose(run->join, now_ns());
	run->err = trace_output__lost(&run->output, cpu, cnt) ?: run->err;
}

static struct trace_counts sum_target_counts(const struct trace_run *run)
{
	struct trace_counts sum = {};

	for (int i = 0; i < run->s->targets.cnt; i++) {
		struct trace_counts c = trace_probe__count(&run->probe, &run->s->targets.v[i]);

		sum.matched += c.matched;
		sum.records += c.records;
		sum.held += c.held;
		sum.lost += c.lost;
		sum.outermost += c.outermost;
	}
	return sum;
}

/* Returns the counts of records: written, held back and lost. */
static struct trace_counts count_written(const struct trace_run *run)
{
	struct trace_counts sum = sum_target_counts(run);
	struct trace_join_counts joined;

	if (!run->join)
		return sum;
	joined = trace_join__counts(run->join);
	sum.matched = joined.matched;
	sum.records = joined.records;
	sum.held = joined.held;
	return sum;
}

/* Writes and flushes the arrived records, so that a full disk ends the trace at once. */
static int write_arrived_records(struct trace_run *run)
{
	__u64 now = now_ns(), lost;
	int err;

	trace_output__follow_clock(&run->output);
	err = trace_probe__read(&run->probe);
	if (!err && run->join) {
		lost = sum_target_counts(run).lost;
		if (lost != run->lost)
			trace_join__lose(run->join, now_ns());
		run->lost = lost;
		/* All records of runs that began before this time have been read. */
		err = trace_join__advance(run->join, now - ARRIVAL_NS);
	}
	return err ?: run->err ?: trace_output__flush(&run->output) ?: trace_pcap__flush(run->pcap);
}

static int report_held(struct trace_run *run)
{
	__u64 held = count_written(run).held, before = run->held;

	run->held = held;
	return held == before ? 0 : trace_output__held(&run->output, held - before);
}

static __u64 tick_ns(const struct trace_run *run)
{
	return run->join || trace_conds__percentile(&run->o->conds) ? FOLLOW_NS : TICK_NS;
}

/* Returns 0, 1 (reported) if measuring must end, or -errno (reported). */
static int handle_tick(struct trace_run *run)
{
	int err;

	trace_probe__follow(&run->probe);
	err = write_arrived_records(run) ?: report_held(run) ?: write_arrived_records(run);
	if (err || ++run->ticks % (TICK_NS / tick_ns(run)))
		return err;
	return session__tick(run->s);
}

static int continue_tracing(struct trace_run *run, enum loop_event event)
{
	switch (event) {
	case LOOP_START:
		return session__start(run->s, &run->start);
	case LOOP_TICK:
		return handle_tick(run);
	case LOOP_READY:
		/*
		 * With --join, only collect the records here. The next tick sorts and joins those
		 * of the last 100 ms together.
		 */
		return run->join ? trace_probe__read(&run->probe) ?: run->err
				 : write_arrived_records(run);
	case LOOP_STOP:
		run->err = session__stop(run->s, &run->stop) ?: run->err;
		trace_probe__disarm(&run->probe);
		return 0; /* the next write_arrived_records() returns run->err */
	default:
		return 0;
	}
}

static struct trace_summary summarize_runs(const struct trace_run *run)
{
	struct trace_summary sum = {.counts = count_written(run)};
	bool shares = trace_probe__has_shares(&run->probe);
	unsigned long long slowed = 0;

	if (run->join)
		sum.joined = trace_join__counts(run->join);
	if (!run->start || !run->stop)
		return sum;
	sum.elapsed_ns = run->stop->ns - run->start->ns;
	for (int i = 0; i < run->stop->target_cnt; i++)
		for (int row = 0; row < run->stop->rows_per_target; row++) {
			const struct counts *c = snapshot__at(run->stop, i, row);
			const struct counts *before = snapshot__before(run->start, i, row);

			slowed += c->slowed - before->slowed;
			/*
			 * If targets may call one another, only runs of the outermost targets are
			 * recorded, and count as invocations.
			 */
			if (shares && run->s->targets.v[i].depth)
				continue;
			sum.measured += c->measured - before->measured;
			sum.invocations += counts__runs(c) - counts__runs(before);
			sum.own += c->own - before->own;
		}
	if (shares) {
		sum.invocations += sum.counts.outermost - sum.measured;
		sum.measured = sum.counts.outermost;
		trace_shares__make(run->s, &run->probe, run->start, run->stop, &sum.shares);
	}
	if (slowed)
		log_warn(
			"the kernel's run statistics were turned on after the calibration, which "
			"slows down the probes: net numbers of up to %llu runs are too high; trace "
			"again",
			slowed < sum.measured ? slowed : (unsigned long long)sum.measured);
	return sum;
}

static int stream(struct trace_run *run, int *status)
{
	struct loop_opts loop_opts = run->o->measure.loop;
	struct trace_summary sum;
	struct loop_result result = {};
	struct loop *loop = NULL;
	enum loop_event event;
	int err = loop__open(&loop);

	loop_opts.first_tick_ns = loop_opts.tick_ns = tick_ns(run);
	err = err ?: trace_output__begin(&run->output) ?: output__commit(&run->out, 0);
	if (!err) {
		err = loop__begin(loop, &loop_opts);
		loop__set_ready_fd(loop, trace_probe__fd(&run->probe));
		while ((event = loop__next(loop, err)))
			err = continue_tracing(run, event);
		err = loop__end(loop, &result);
	}
	loop__close(loop);
	*status = result.status;
	err = err ?: write_arrived_records(run);
	if (!err && run->join)
		err = trace_join__end(run->join);
	err = err ?: report_held(run);
	if (err)
		return err;
	sum = summarize_runs(run);
	err = trace_output__end(&run->output, &sum);
	trace_shares__free(&sum.shares);
	return err;
}

static void read_symbols(struct trace_run *run)
{
	int ksyms_err;

	if (!run->o->stack)
		return;
	run->symbols = trace_symbols__open(&ksyms_err);
	if (ksyms_err)
		log_warn("--stack: cannot read /proc/kallsyms, functions of the kernel will be "
			 "addresses: %s",
			 strerror(-ksyms_err));
}

static const struct option_row time_row = {.name = "event", .letter = 'e'};

static int open_recording_session(struct trace_run *run, struct trace_opts *o)
{
	const struct backend_opts opts = {.calibrate = !o->no_calibrate,
					  .thin_period = 1,
					  .trace = &run->probe,
					  .others_only = true};
	const struct trace_bound *bad = NULL;
	struct target_list targets = {};
	struct parse_error perr;
	int err = target_opts__select(&o->targets, false, &targets);

	if (!err && targets.cnt) {
		trace_keys__refuse(&o->keys, &targets);
		err = trace_keys__add(&o->keys, &targets, &o->args)
			      ?: trace_args__resolve(&o->args, &targets);
		run->is_usage = err;
	}
	if (!err)
		trace_keys__refuse_unknown(&o->keys, &o->args, &targets);
	if (!err && !targets.cnt)
		target_list__report_skipped(&targets);
	if (!err && !targets.cnt)
		err = log_err(target_list__why_none(&targets), "nothing could be traced");
	err = err ?: event_list__set_default(&o->measure.events);
	/* A timeline needs durations, and joining runs needs the times at which they began. */
	if (!err && (o->keys.join || output_opts__format(&o->measure.output)->timeline))
		err = event_list__add_option(&o->measure.events, &time_row, "time");
	if (err)
		goto out;
	err = trace_conds__resolve(&o->conds, &o->measure.events, EVENT_SYSFS, &bad, &perr);
	run->is_usage = err == -EINVAL;
	if (err)
		parse_error__report(err, "--event", bad->spec, &perr);
	else
		err = session__open(&targets, &o->measure.events, &o->measure.cpus, &opts, &run->s);
out:
	target_list__free(&targets);
	return err;
}

static const struct trace_format *choose_format(const struct output_opts *o)
{
	if (output_opts__format(o)->timeline)
		return &trace_timeline;
	if (output_opts__is_csv(o))
		return &trace_csv;
	return output_opts__is_json(o) ? &trace_json : &trace_text;
}

/* Sets *status to the exit status of the command, and *usage if the command line is invalid. */
static int run_trace(struct trace_opts *o, int *status, bool *usage)
{
	const bool shown = o->snap;
	struct trace_run run = {.o = o, .probe = TRACE_PROBE_NONE};
	int err;

	if (!o->snap && o->pcap)
		o->snap = DEFAULT_PCAP_SNAP;
	raise_fd_limit(&o->measure.loop.fd_limit);
	/* Stacks may have programs that are loaded later: bprof opens them to name functions. */
	loop_opts__set_privileges(&o->measure.loop, o->stack ? PRIVILEGES_OPEN : PRIVILEGES_LIST,
				  o->pcap ?: o->measure.output.file);
	run.probe.conds = &o->conds;
	run.probe.args = &o->args;
	run.probe.limit = o->limit;
	run.probe.snap = o->snap;
	run.probe.stack = o->stack;
	run.probe.packets = o->snap;
	run.probe.shared = o->targets.func || o->targets.calls;
	run.probe.all = o->keys.join;
	run.probe.take = take_record;
	run.probe.lost = report_lost_records;
	run.probe.arg = &run;
	err = open_recording_session(&run, o);
	if (!err && !run.s->targets.cnt)
		err = log_err(target_list__why_none(&run.s->targets), "nothing could be traced");
	if (!err && o->pcap)
		err = trace_pcap__open(o->pcap, o->snap, &run.pcap);
	err = err ?: trace_probe__arm(&run.probe);
	if (!err)
		read_symbols(&run);
	err = err ?: output_opts__open(&o->measure.output, 0, &run.out);
	if (o->keys.join)
		run.join = trace_join__new(&(struct trace_join_opts){.every = o->conds.every,
								     .limit = o->limit,
								     .memory = JOIN_MEMORY,
								     .take = write_packet,
								     .arg = &run});
	run.output = (struct trace_output){
		.out = run.out.file,
		.name = run.out.name,
		.format = choose_format(&o->measure.output),
		.start_ns = now_ns(),
		.bytes = shown,
		.joined = o->keys.join,
		.keys = &o->keys,
		.s = run.s,
		.probe = &run.probe,
		.symbols = run.symbols,
		.screen = err ? (struct screen){} : screen__of(run.out.file),
	};
	if (!err && output_opts__is_csv(&o->measure.output))
		run.output.csv = output_opts__csv(&o->measure.output, &run.out);
	trace_output__follow_clock(&run.output);
	if (!err)
		trace_output__prepare(&run.output);
	err = err ?: stream(&run, status);
	trace_output__free(&run.output);
	trace_join__free(run.join);
	err = trace_pcap__close(run.pcap, err);
	snapshot__free(run.start);
	snapshot__free(run.stop);
	session__close(run.s);
	trace_probe__close(&run.probe);
	trace_symbols__close(run.symbols);
	*usage = run.is_usage;
	return output__close(&run.out, err);
}

int cmd_trace(int argc, char **argv)
{
	struct trace_opts o = {.limit = DEFAULT_LIMIT};
	struct measure_opts *m = &o.measure;
	int err, command_status = 0, status;
	bool usage = false;

	err = options__parse(&trace_spec, &o, argc, argv, &m->loop.command)
		      ?: output_opts__apply(&m->output, m->loop.command);
	if (measure_opts__ends(m, err, &status) || check_conditions(&o))
		goto out;
	err = run_trace(&o, &command_status, &usage);
	status = usage ? EXIT_USAGE : measure__exit_status(err, command_status);
out:
	target_opts__free(&o.targets);
	trace_conds__free(&o.conds);
	trace_args__free(&o.args);
	measure_opts__free(m);
	return status;
}
