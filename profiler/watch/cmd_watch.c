// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof watch: shows programs as they are loaded and unloaded. Decides which programs are shown;
 * must not know how a change is detected (prog_watch.c) or what a line looks like (watch_print.c).
 */
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "base/table.h"
#include "base/util.h"
#include "json/trace_event.h"
#include "run/command.h"
#include "run/loop.h"
#include "run/measure.h"
#include "run/output_opts.h"
#include "session/prog_watch.h"
#include "target/target.h"
#include "watch/watch_print.h"
#include "watch/watch_unheld.h"

/*
 * How often bprof checks whether CPUs came online or went offline. Each check interrupts every CPU
 * once.
 */
#define TICK_NS (2000 * NSEC_PER_MSEC)

struct watch_opts {
	struct output_opts output;
	struct selector_list selectors;
	struct loop_opts loop;
	bool own;
	bool new_only;
	bool unheld;
};

#define OPT(member) offsetof(struct watch_opts, member)

static const struct option_row rows[] = {
	OPTION("name", 0, OPTION_CALL, .member = OPT(selectors), .arg = "GLOB", .min = SELECT_NAME,
	       .add = selector_list__add_option,
	       .help = "show only programs whose name matches, such as 'xdp_*'",
	       .arg_kind = ARG_PROG_NAME),
	OPTION("type", 0, OPTION_CALL, .member = OPT(selectors), .arg = "TYPE[,TYPE...]",
	       .min = SELECT_TYPE, .add = selector_list__add_option,
	       .help = "show only programs of these types, such as xdp,sched_cls",
	       .arg_kind = ARG_PROG_TYPE),
	OPTION("tag", 0, OPTION_CALL, .member = OPT(selectors), .arg = "HEX", .min = SELECT_TAG,
	       .add = selector_list__add_option,
	       .help = "show only programs whose tag begins with HEX", .arg_kind = ARG_PROG_TAG),
	OPTION("own", 0, OPTION_FLAG, .member = OPT(own),
	       .help = "also show the programs of bprof itself"),
	OPTION("unheld", 0, OPTION_FLAG, .member = OPT(unheld),
	       .help = "also show when a program becomes unheld: bprof finds no process, pin, "
		       "map, program or attachment that holds it ('bprof list --help' says "
		       "where bprof cannot look); checks every 2 seconds"),
	OPTION("new", 0, OPTION_FLAG, .member = OPT(new_only),
	       .help = "do not show programs that were loaded before the start"),
	{},
};

static const struct option_row time_rows[] = {
	OPTION("timeout", 0, OPTION_TIME, .member = OPT(loop.timeout_ns), .arg = "TIME", .min = 1,
	       .help = "stop after TIME, such as 5s or 200ms; a bare number is in ms"),
	{0},
};

const struct command_spec watch_spec = {
	.name = "watch",
	.brief = "show programs as they are loaded and unloaded",
	.synopsis = "[OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Shows BPF programs as they are loaded and unloaded, until Ctrl-C, --timeout or "
		   "COMMAND's end.",
	.operand = ARG_PROGRAM,
	.tables = {{"Programs", rows},
		   {"Time", time_rows},
		   {"Privileges", command_rows, OPT(loop)},
		   {"Privileges", privilege_rows, OPT(loop)},
		   {"Output", output_rows, OPT(output)}},
	.documents = DOC_OTHER | DOC_TABLE | DOC_TIMELINE,
	.exit_status = "0 done, 1 failed, 2 wrong usage, 7 not allowed. If COMMAND fails, bprof "
		       "exits with its status.",
	.notes = "EVENT: 'loaded' is a program that is loaded at the start; 'load' and 'unload' "
		 "happen later. 'lost': records of the kernel did not fit into a CPU's buffer, and "
		 "the line says how many; bprof then lists all programs again, and shows the "
		 "changes that it missed. 'unheld' (--unheld) comes 2 to 4 seconds after the last "
		 "holder has gone.\n"
		 "BY is the process that loaded the program or, for 'unload', the process that "
		 "held it last.\n"
		 "--name, --type and --tag select the programs that match each of them. If a "
		 "program is unloaded before bprof can read its type, it matches no --type. If "
		 "such a program is also interpreted, not JITed, it matches no --name either. "
		 "bprof says how many were left out.",
};

struct watch_run {
	const struct watch_opts *o;
	struct output out;
	struct screen screen;
	struct csv_style csv; /* with -x or TSV */
	struct table *table;  /* the lines of text or CSV */
	__u64 start_ns;	      /* time 0 of a timeline */
	struct prog_watch *watch;
	struct watch_unheld *unheld; /* NULL: without --unheld */
	__u64 loads, unloads, lost;
	__u64 unknown; /* number of loads that were left out because their type or name is unknown */
	bool failed;   /* writing the output failed; the error has been reported */
};

static bool wants_change(struct watch_run *r, const struct prog_change *change)
{
	const char *name = change->nameless ? NULL : change->name;

	if (change->kind == PROG_LOST)
		return true;
	if (!r->o->own && change->own)
		return false;
	if (selector_list__matches(&r->o->selectors, name, change->tag, change->type))
		return true;
	r->unknown += change->kind == PROG_LOAD && change->type < 0 &&
		      selector_list__may_match(&r->o->selectors, name, change->tag);
	return false;
}

static bool is_timeline(const struct watch_run *r)
{
	return output_opts__format(&r->o->output)->timeline;
}

static int show_change(const struct prog_change *change, void *arg)
{
	struct watch_run *r = arg;

	if (!wants_change(r, change))
		return 0;
	r->loads += change->kind == PROG_LOAD;
	r->unloads += change->kind == PROG_UNLOAD;
	r->lost += change->lost;
	if (is_timeline(r))
		watch_print__timeline(change, r->start_ns, r->out.file);
	else if (output_opts__is_json(&r->o->output))
		watch_print__json(change, r->out.file);
	else if (output_opts__is_csv(&r->o->output))
		watch_print__csv(r->table, &r->csv, change, r->out.file);
	else
		watch_print__text(r->table, &r->screen, change, r->out.file);
	return 0;
}

/*
 * Flushes the output unless err is set, so that readers see each change at once. Returns err if it
 * is set, else 0 or -errno (reported).
 */
static int flush(struct watch_run *r, int err)
{
	if (err || r->failed)
		return err;
	err = output__commit(&r->out, 0);
	r->failed = err;
	return err;
}

static void begin_watch_output(struct watch_run *r)
{
	if (is_timeline(r))
		watch_print__begin_timeline(r->start_ns, r->out.file);
	else if (output_opts__is_csv(&r->o->output))
		watch_print__csv_names(r->table, &r->csv, r->out.file);
	else if (!output_opts__is_json(&r->o->output))
		table__print(r->table, r->out.file, true, &r->screen);
}

/* Checks for unheld programs. Called after the changes have been shown. */
static int look_for_unheld(struct watch_run *r, int err, bool last)
{
	if (err || !r->unheld)
		return err;
	return last ? watch_unheld__end(r->unheld) : watch_unheld__look(r->unheld);
}

static int handle_watch_event(struct watch_run *r, enum loop_event event)
{
	int err;

	switch (event) {
	case LOOP_START:
		begin_watch_output(r);
		err = prog_watch__process(r->watch, false);
		return flush(r, look_for_unheld(r, err, false));
	case LOOP_READY:
		return flush(r, prog_watch__process(r->watch, false));
	case LOOP_TICK:
		err = prog_watch__follow_cpus(r->watch);
		return flush(r, look_for_unheld(r, err, false));
	case LOOP_STOP:
		err = prog_watch__process(r->watch, true);
		return flush(r, look_for_unheld(r, err, true));
	default:
		return 0;
	}
}

static void report_counts(const struct watch_run *r)
{
	log_note("%llu load%s, %llu unload%s, %llu record%s lost", r->loads,
		 r->loads == 1 ? "" : "s", r->unloads, r->unloads == 1 ? "" : "s", r->lost,
		 r->lost == 1 ? "" : "s");
	if (r->unknown)
		log_warn("%llu more load%s left out: unloaded before %s type or name could be read",
			 r->unknown, r->unknown == 1 ? "" : "s", r->unknown == 1 ? "its" : "their");
}

static int run_watch(struct watch_opts *o, int *status)
{
	struct watch_run r = {.o = o, .start_ns = now_ns()};
	struct loop_result result = {};
	struct loop *loop = NULL;
	enum loop_event event;
	int err;

	raise_fd_limit(&o->loop.fd_limit);
	loop_opts__set_privileges(&o->loop, o->unheld ? PRIVILEGES_SHOW : PRIVILEGES_OPEN,
				  o->output.file);
	r.unheld = o->unheld ? watch_unheld__new(show_change, &r) : NULL;
	o->loop.first_tick_ns = o->loop.tick_ns = TICK_NS;
	err = loop__open(&loop) ?:
	      prog_watch__open(o->new_only, true, show_change, &r, &r.watch) ?:
	      output_opts__open(&o->output, 0, &r.out);
	if (!err) {
		r.screen = screen__of(r.out.file);
		if (output_opts__is_csv(&o->output))
			r.csv = output_opts__csv(&o->output, &r.out);
		r.table = watch_print__new(&r.screen);
		err = loop__begin(loop, &o->loop);
		loop__set_ready_fd(loop, prog_watch__fd(r.watch));
		while ((event = loop__next(loop, err)))
			err = handle_watch_event(&r, event);
		err = loop__end(loop, &result);
		if (!err && is_timeline(&r))
			trace_event__end(r.out.file);
		err = flush(&r, err);
		report_counts(&r);
		*status = result.status;
	}
	prog_watch__close(r.watch);
	watch_unheld__free(r.unheld);
	loop__close(loop);
	table__free(r.table);
	return output__close(&r.out, err);
}

int cmd_watch(int argc, char **argv)
{
	struct watch_opts o = {};
	int err, command_status = 0, status;

	err = options__parse(&watch_spec, &o, argc, argv, &o.loop.command)
		      ?: output_opts__apply(&o.output, o.loop.command)
		      ?: measure_opts__check_loop(&o.loop);
	if (err) {
		status = exit_status__of_options(err);
		goto out;
	}
	err = run_watch(&o, &command_status);
	status = measure__exit_status(err, command_status);
out:
	selector_list__free(&o.selectors);
	return status;
}
