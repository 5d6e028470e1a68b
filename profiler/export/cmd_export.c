// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof export: shows the counts of programs to Prometheus, over HTTP or in a file. Owns its options
 * and the time between two reports. Must not know which metrics there are (export/metrics.c) or how
 * they are served.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/output.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "export/export_inventory.h"
#include "export/exporter.h"
#include "result/result.h"
#include "run/command.h"
#include "run/live.h"
#include "run/measure.h"
#include "run/overhead_opts.h"
#include "run/prog_counting.h"
#include "session/session.h"
#include "target/prog_labels.h"

#define DEFAULT_ADDRESS "127.0.0.1:9797"
#define DEFAULT_INTERVAL_NS (15000 * NSEC_PER_MSEC)
#define DEFAULT_MIN_AGE_NS (1000 * NSEC_PER_MSEC)
#define DEFAULT_GRACE_NS (300000 * NSEC_PER_MSEC)
#define DEFAULT_MAX_PROGRAMS 500

struct export_opts {
	struct measure_opts measure; /* output.file is the argument of -o */
	struct target_opts targets;
	struct http_address address;
	bool listen; /* --listen was given */
	bool unheld;
	struct series_opts series;
	__u64 max_programs, min_age_ns, interval_ns;
	struct overhead_opts overhead;
	struct method_list methods;
};

static int set_export_methods(void *options, const struct option_row *row, const char *arg)
{
	return method_opts__parse(&((struct export_opts *)options)->methods, arg);
}

static int set_address(void *options, const struct option_row *row, const char *arg)
{
	struct export_opts *o = options;
	struct parse_error perr;

	o->listen = true;
	return parse_error__report(http_address__parse(arg, &o->address, &perr), "--listen", arg,
				   &perr);
}

static int set_buckets(void *options, const struct option_row *row, const char *arg)
{
	struct export_opts *o = options;
	struct parse_error perr;

	return parse_error__report(series_bounds__parse(arg, &o->series, &perr), "--buckets", arg,
				   &perr);
}

#define OPT(member) offsetof(struct export_opts, member)

static const struct option_row export_method_rows[] = {
	OPTION("method", 0, OPTION_CALL, .arg = "LIST", .add = set_export_methods,
	       .help = "methods in the order in which they are tried for each program: fentry "
		       "(probes), run_stats (the kernel's run count and run time: nothing is "
		       "attached, and there are neither histograms nor events but time) (default: "
		       "fentry,run_stats)",
	       .arg_kind = ARG_METHOD),
	{},
};

static const struct option_row export_rows[] = {
	OPTION("listen", 0, OPTION_CALL, .arg = "ADDRESS:PORT", .add = set_address,
	       .help = "serve the metrics at http://ADDRESS:PORT/metrics; an empty ADDRESS "
		       "means all addresses of the machine (default: " DEFAULT_ADDRESS
		       ", or nowhere with -o)"),
	OPTION("output", 'o', OPTION_STRING, .member = OPT(measure.output.file), .arg = "FILE",
	       .help = "write the metrics to FILE (-: standard output), for the textfile "
		       "collector of node_exporter: FILE is replaced as a whole each time",
	       .arg_kind = ARG_FILE),
	OPTION("interval", 'I', OPTION_TIME, .member = OPT(interval_ns), .arg = "TIME",
	       .min = 100 * NSEC_PER_MSEC,
	       .help = "with -o: write FILE every TIME, such as 30s (default: 15s); a bare number "
		       "is in ms"),
	OPTION("min-age", 0, OPTION_TIME, .member = OPT(min_age_ns), .arg = "TIME",
	       .help = "read the counts at most once per TIME: requests in between get the same "
		       "counts (default: 1s); a bare number is in ms"),
	OPTION("verbose", 'v', OPTION_COUNT, .member = OPT(measure.output.verbose),
	       .help = "show more details (-vv: also libbpf's messages)"),
	{},
};

static int set_labels(void *options, const struct option_row *row, const char *arg)
{
	struct export_opts *o = options;
	const char *at = arg;

	for (size_t len; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		if (len == 5 && !strncmp(at, "owner", len))
			o->series.with_owner = true;
		else if (len == 6 && !strncmp(at, "device", len))
			o->series.with_device = true;
		else
			return log_err(-EINVAL, "--label %s: there are owner and device", arg);
	}
	return *arg ? 0 : log_err(-EINVAL, "--label: give owner, device or both");
}

static const struct option_row series_rows[] = {
	OPTION("label", 0, OPTION_CALL, .arg = "owner|device", .add = set_labels,
	       .help = "add labels to the series of programs. owner: the systemd service, or "
		       "else the name, of the first process that holds the program; device: the "
		       "network devices that it is attached to; owner,device: both",
	       .arg_kind = ARG_CHOICE),
	OPTION("unheld", 0, OPTION_FLAG, .member = OPT(unheld),
	       .help = "once a minute, also count the loaded programs that nothing holds, as "
		       "far as bprof can see; for this, bprof keeps CAP_SYS_PTRACE and "
		       "CAP_DAC_READ_SEARCH"),
	OPTION("buckets", 0, OPTION_CALL, .arg = "LIST|none", .add = set_buckets,
	       .help = "upper bounds of the buckets of the histograms: times have a unit "
		       "(1us,10us,1ms), bounds of other events have none (100,1000) (default: "
		       "powers of two)"),
	OPTION("max-programs", 0, OPTION_U64, .member = OPT(max_programs), .arg = "N", .min = 1,
	       .max = 1000000,
	       .help = "give at most N programs (with --func: functions) their own series; "
		       "count all further ones together as the program 'other' (default: 500)"),
	OPTION("grace", 0, OPTION_TIME, .member = OPT(series.grace_ns), .arg = "TIME",
	       .help = "end the series of a program TIME after it was unloaded, if it is not "
		       "loaded again (default: 300s); a bare number is in ms"),
	OPTION("by", 0, OPTION_CALL, .member = OPT(measure), .arg = RUN_KEY_CHOICES,
	       .add = measure_opts__set_by,
	       .help = "divide the runs of a program: each value of the key has its own series, "
		       "with the value as a label. Keys: retval (such as XDP_DROP), cpu, "
		       "ifindex (device of the packet), queue (xdp), cgroup (of the task or "
		       "socket), comm, pid",
	       .arg_kind = ARG_CHOICE),
	OPTION("sum", 0, OPTION_CALL, .member = OPT(measure), .arg = SUM_KEYS,
	       .add = measure_opts__set_sum,
	       .help = "export one series for all programs with the same KEY, with the sums of "
		       "their counts. Keys: name, tag, type, device (those that a program is "
		       "attached to), owner (systemd service or command of the process that holds "
		       "the program; the first, if several do)",
	       .arg_kind = ARG_CHOICE),
	{},
};

const struct command_spec export_spec = {
	.name = "export",
	.brief = "show Prometheus what programs cost",
	.synopsis = "[TARGETS] [OPTIONS]",
	.summary = "Measures programs until Ctrl-C, and shows what they cost as metrics in the "
		   "formats OpenMetrics and Prometheus text, over HTTP or in a file. Programs that "
		   "are loaded later are added. TARGETS select some programs; by default, all are "
		   "measured.",
	.tables = {{"Targets", selector_rows, OPT(targets)},
		   {"Targets", target_rows, OPT(targets)},
		   {"Events", event_rows, OPT(measure)},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"Method", run_sample_rows, OPT(overhead)},
		   {"Method", max_overhead_rows, OPT(overhead)},
		   {"Method", export_method_rows},
		   {"Series", series_rows},
		   {"Privileges", privilege_rows, OPT(measure.loop)},
		   {"Output", export_rows}},
	.notes = "Series have the labels name, tag, function and version (from "
		 "bpf_metadata_version), which do not change when a program is loaded again, and "
		 "with --by retval the label returns. With --sum, series have only the label by "
		 "which programs are summed up; bprof_program_sum_programs is the number of "
		 "programs in each sum. The ids of programs are only in bprof_program_info.\n"
		 "The event time is always measured. Numbers are net, as in bprof stat.\n"
		 "There is no TLS and no authentication: keep the default address, or put a "
		 "proxy in front.",
	.examples = "bprof export\n"
		    "bprof export --type xdp,sched_cls --listen '[::1]:9797'\n"
		    "bprof export --owner agent.service --sum name\n"
		    "bprof export --method run_stats\n"
		    "bprof export --buckets 1us,10us,100us,1ms -e instructions\n"
		    "bprof export -o /var/lib/prometheus/node-exporter/bprof.prom -I 30s",
	.exit_status =
		"0 ended by Ctrl-C, SIGTERM or --timeout, 1 failed, 2 wrong usage, 4 nothing "
		"could be measured, 7 not allowed.",
};

/* ---- reading the counts ---- */

struct export_run {
	const struct export_opts *o;
	struct prog_counting counting;
	struct live *live;
	struct exporter *exporter;
	struct prog_labels labels;
	struct holder_source holders; /* for --unheld */
	void *last;		      /* the snapshot of the last look(); NULL: there was none */
	struct timespec last_time;
};

static int look(void *arg, struct report **out, struct timespec *from)
{
	struct export_run *run = arg;
	void *now = NULL;
	int err = live__read(run->live, &now) ?: live__report(run->live, run->last, now, out);

	if (err) {
		live__free(run->live, now);
		return err;
	}
	*from = run->last_time;
	clock_gettime(CLOCK_REALTIME, &run->last_time);
	if (run->last) { /* forget programs that were unloaded before the last call */
		struct snapshot *const snaps[] = {run->last, now, live__first(run->live)};

		session__forget_ended(run->counting.s, snaps, ARRAY_SIZE(snaps), NULL, NULL);
		/* If this fails, a message has said why, and the keys keep their parts. */
		session__replace_keys(run->counting.s, snaps, ARRAY_SIZE(snaps), 0);
	}
	live__free(run->live, run->last);
	run->last = now;
	return 0;
}

static struct inventory *take_inventory(void *arg)
{
	struct export_run *run = arg;

	return export_inventory__load(&run->counting.s->targets,
				      run->o->unheld ? &run->holders : NULL);
}

/* Writes the last counts that were read to the file of -o, if there is one. */
static int write_file(struct export_run *run)
{
	const char *path = run->o->measure.output.file;
	struct output out = {};
	int err;

	if (!path)
		return 0;
	err = output__open(path, 0, &out);
	if (err)
		return err;
	exporter__write(run->exporter, out.file);
	return output__close(&out, output__commit(&out, 0));
}

static int handle_event(struct export_run *run, enum loop_event event)
{
	struct http_server *server = exporter__server(run->exporter);
	char address[HTTP_ADDRESS_SZ];

	switch (event) {
	case LOOP_START:
		clock_gettime(CLOCK_REALTIME, &run->last_time);
		if (server)
			log_note("serving http://%s/metrics",
				 http_server__address(server, address));
		return exporter__look(run->exporter) ?: write_file(run);
	case LOOP_INPUT:
		http_server__process(server);
		return 0;
	case LOOP_INTERVAL:
	case LOOP_STOP:
		return exporter__look(run->exporter) ?: write_file(run);
	default:
		return 0;
	}
}

/* ---- opening ---- */

/* Adds the event "time" unless the user has added it: CPU time and run times need it. */
static int ensure_time_event(struct event_list *events)
{
	struct parse_error perr;
	int err = event_list__set_default(events);

	for (int i = 0; !err && i < events->cnt; i++)
		if (events->v[i].kind == EVENT_TIME)
			return 0;
	if (!err && event_list__parse(events, "time", EVENT_SYSFS, &perr))
		err = log_err(-EINVAL, "cannot add the event time: %s", perr.text);
	return err;
}

static int open_exporter(struct export_opts *o, struct export_run *run)
{
	const struct exporter_opts opts = {.version = build_info__version(),
					   .min_age_ns = o->min_age_ns,
					   .look = look,
					   .take_inventory = take_inventory,
					   .arg = run};

	series_bounds__set_default(&o->series);
	o->series.max_progs = o->max_programs;
	run->exporter = exporter__open(&opts, &o->series);
	memset(&o->series, 0, sizeof(o->series)); /* the exporter owns the bounds now */
	if (o->listen || !o->measure.output.file)
		return exporter__listen(run->exporter, &o->address);
	return 0;
}

/* Opens the measurement, and serves or writes its counts until it ends. */
static int run_measurement(struct export_opts *o, struct export_run *run,
			   const struct prog_counting_opts *counting)
{
	struct http_server *server = exporter__server(run->exporter);
	struct loop_opts *loop = &o->measure.loop;
	/* Open it before loop->interval_ns is set, so that the ticks do not depend on -I. */
	int err = prog_counting__open(counting, &run->counting);
	struct loop_result result;
	enum loop_event event;

	if (o->measure.output.file)
		loop->interval_ns = o->interval_ns;
	if (err)
		return err;
	err = live__begin(run->live, loop, server ? http_server__fd(server) : -1);
	while ((event = live__next(run->live, err)))
		err = handle_event(run, event);
	live__free(run->live, run->last);
	run->last = NULL;
	return live__end(run->live, &result);
}

static int run_export(struct export_opts *o, char **argv)
{
	struct result_opts result = {
		.command = argv, .buckets = true, .intervals = true, .all_keys = true};
	struct backend_opts session = {};
	const struct prog_counting_opts counting = {.targets = &o->targets,
						    .events = &o->measure.events,
						    .cpus = &o->measure.cpus,
						    .session = &session,
						    .loop = &o->measure.loop,
						    .endless = true};
	struct export_run run = {.o = o, .counting.result = &result};
	int err;

	o->series.sum = o->measure.sum;
	run.labels.owners = o->series.with_owner || o->measure.sum == SUM_OWNER;
	run.labels.devices = o->series.with_device || o->measure.sum == SUM_DEVICE;
	prog_counting__set_labels(&run.counting, &result, &run.labels);

	prog_counting__set_endless(&o->targets, &session);
	overhead_opts__apply(&o->overhead, false, &session);
	session.by = o->measure.by;
	session.methods = o->methods;
	/* The devices of other network namespaces are found by the processes in them. */
	loop_opts__set_privileges(&o->measure.loop,
				  o->unheld || run.labels.devices ? PRIVILEGES_SHOW
								  : PRIVILEGES_OPEN,
				  o->measure.output.file);
	err = open_exporter(o, &run) ?: ensure_time_event(&o->measure.events) ?:
	      live__open(&prog_counting_ops, &run.counting, &run.live) ?:
	      run_measurement(o, &run, &counting);
	exporter__close(run.exporter);
	live__close(run.live);
	prog_counting__close(&run.counting);
	prog_labels__free(&run.labels);
	holder_source__close(&run.holders);
	return err;
}

/* Refuses options that cannot be combined. Returns 0 or -EINVAL (reported). */
static int check_export_options(const struct export_opts *o)
{
	const struct overhead_opts *overhead = &o->overhead;
	const struct option_check checks[] = {
		{o->measure.loop.command,
		 "export takes no COMMAND: it measures until Ctrl-C or --timeout"},
		{o->measure.sum && (o->series.with_owner || o->series.with_device),
		 "--sum and --label: the series of a sum have one label only, what its programs "
		 "have in common"},
		{o->measure.by_site, "--by site: it needs --calls, which export does not have"},
		{method_list__any(&o->methods, BACKEND_FIXED_TARGETS),
		 "--method samples: export also measures programs that are loaded later, which "
		 "cannot be sampled; 'bprof stat --method samples' can"},
		{(overhead->period || overhead->limit || o->measure.by || o->targets.func) &&
			 !method_list__any(&o->methods, BACKEND_PROBES),
		 "--sample, --max-overhead, --by and --func need probes, which --method leaves "
		 "out"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

int cmd_export(int argc, char **argv)
{
	struct export_opts o = {.max_programs = DEFAULT_MAX_PROGRAMS,
				.min_age_ns = DEFAULT_MIN_AGE_NS,
				.interval_ns = DEFAULT_INTERVAL_NS,
				.series.grace_ns = DEFAULT_GRACE_NS};
	struct measure_opts *m = &o.measure;
	int err, status;

	http_address__parse(DEFAULT_ADDRESS, &o.address, NULL);
	err = options__parse(&export_spec, &o, argc, argv, &m->loop.command)
		      ?: overhead_opts__check(&o.overhead)
		      ?: output_opts__apply(&m->output, m->loop.command);
	if (!measure_opts__ends(m, err, &status) && !check_export_options(&o))
		status = measure__exit_status(run_export(&o, argv), 0);
	series_opts__free(&o.series);
	target_opts__free(&o.targets);
	measure_opts__free(m);
	return status;
}
