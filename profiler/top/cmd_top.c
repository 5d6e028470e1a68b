// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof top: shows what programs cost, live. Owns the options, and decides when the counts are
 * read. Must not know what a row looks like, or how keys come from a terminal.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/probe_turns.h"
#include "host/cpus.h"
#include "report/report.h"
#include "result/result.h"
#include "result/result_counts.h"
#include "run/command.h"
#include "run/live.h"
#include "run/measure.h"
#include "run/overhead_opts.h"
#include "run/prog_counting.h"
#include "session/session.h"
#include "target/prog_labels.h"
#include "top/top.h"
#include "top/top_attached.h"
#include "top/top_config.h"
#include "top/top_older.h"
#include "top/top_pages.h"
#include "top/top_screen.h"
#include "top/top_write.h"

#define MIN_INTERVAL_NS (100 * NSEC_PER_MSEC)
#define DEFAULT_INTERVAL_NS (1000 * NSEC_PER_MSEC)

struct top_opts {
	struct measure_opts measure; /* measure.output is used with --batch */
	struct target_opts targets;
	struct overhead_opts overhead;
	bool batch, idle;
	const char *sort, *columns;
	char *word[2]; /* the argument of --list-events, and NULL */
};

#define OPT(member) offsetof(struct top_opts, member)

static const struct option_row show_rows[] = {
	OPTION("interval", 'I', OPTION_TIME, .member = OPT(measure.loop.interval_ns), .arg = "TIME",
	       .min = MIN_INTERVAL_NS,
	       .help = "show new numbers every TIME, such as 2s or 500ms (default: 1s); a bare "
		       "number is in ms"),
	OPTION("interval-print", 0, OPTION_TIME, .member = OPT(measure.loop.interval_ns),
	       .arg = "TIME", .min = MIN_INTERVAL_NS),
	OPTION("interval-count", 'n', OPTION_U64, .member = OPT(measure.loop.interval_count),
	       .arg = "N", .min = 1, .help = "end after N intervals"),
	OPTION("batch", 0, OPTION_FLAG, .member = OPT(batch),
	       .help = "for files and pipes: print lines of text for each interval instead of "
		       "drawing on the terminal; with -j or -x, print reports like those of 'bprof "
		       "stat -I'"),
	OPTION("sort", 0, OPTION_STRING, .member = OPT(sort), .arg = "COLUMN",
	       .help = "sort the programs by this column (default: cpu%)"),
	OPTION("columns", 0, OPTION_STRING, .member = OPT(columns), .arg = "LIST",
	       .help = "show only these columns, such as name,cpu%,mean (default: those that were "
		       "last chosen with the key f, or else all for which the terminal has room)"),
	OPTION("idle", 0, OPTION_FLAG, .member = OPT(idle),
	       .help = "also show programs that do not run"),
	{},
};

static const struct option_row by_rows[] = {
	OPTION("by", 0, OPTION_CALL, .member = OPT(measure), .arg = RUN_KEY_CHOICES,
	       .add = measure_opts__set_by,
	       .help = "divide the runs of a program, with a row for each value of retval (such "
		       "as XDP_DROP), cpu, ifindex (device of the packet), queue (xdp), cgroup "
		       "(of the task or socket), comm or pid. Without --sum, only the 8 most "
		       "expensive values have rows (retval: the first 8)",
	       .arg_kind = ARG_CHOICE),
	{},
};

static void print_keys(FILE *out)
{
	const char *keys, *help;

	fputs("@KEYS@\n.Sh KEYS\n.Bl -tag -width Ds\n", out);
	for (int i = 0; top__key(i, &keys, &help); i++) {
		fputs(".It Ic \\&", out); /* "?" without "\\&" would be punctuation */
		man__print_text(out, keys);
		man__print_text(out, help);
	}
	fputs(".El\n", out);
}

const struct command_spec top_spec = {
	.name = "top",
	.brief = "show what all programs cost, live",
	.synopsis = "[TARGETS] [OPTIONS] [ID|NAME|PATH...]",
	.operand = ARG_PROG_NAME,
	.summary = "Shows what the loaded programs cost, sorted by their share of the CPU, and "
		   "updates it until you press q. Programs that are loaded later are added. "
		   "Programs that do not run are hidden. TARGETS, or their ids, names or "
		   "pins, select some programs; by default, all are measured.",
	.tables = {{"Targets", selector_rows, OPT(targets)},
		   {"Targets", target_rows, OPT(targets)},
		   {"Events", event_rows, OPT(measure)},
		   {"Overhead", max_overhead_rows, OPT(overhead)},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"Output", show_rows},
		   {"Output", output_rows, OPT(measure.output)},
		   {"Output", by_rows},
		   {"Output", sum_rows, OPT(measure)},
		   {"Privileges", privilege_rows, OPT(measure.loop)}},
	.documents = DOC_OTHER | DOC_TABLE,
	.examples = "bprof top\n"
		    "bprof top --type xdp,sched_cls -e cycles,L1-dcache-load-misses\n"
		    "bprof top --owner agent.service --sum name\n"
		    "bprof top --batch -n 3 -I 5s > costs.txt\n"
		    "bprof top --batch -I 5s -x, --header -o costs.csv",
	.notes = "With --sum, ID shows how many programs a row adds up, such as 300x.\n"
		 "Press ? for the keys. MEAN, P99 and MAX describe the runs in the last "
		 "interval; CPU% is a share of one CPU.\n"
		 "The probes add less than 1% to each CPU (--max-overhead). If a program runs "
		 "so often that counting its runs would add more, its probe is attached only "
		 "for slices of time, and the kernel's run statistics count the runs; MEAN, P99 "
		 "and MAX then describe the slices of the last 10 to 20 s. If a program cannot "
		 "be probed, the run statistics give only its mean time.",
	.exit_status =
		"0 done, 1 failed, 2 wrong usage, 4 nothing could be measured, 7 not allowed.",
	.print_man = print_keys,
};

/* The state while bprof top runs. */
struct top_run {
	struct prog_counting counting;
	struct prog_counting_opts opening;
	struct backend_opts session;
	struct top_opts *o;
	struct live *live;
	struct top *top;
	struct top_screen *screen; /* NULL: with --batch */
	struct top_pages *pages;
	struct output out; /* with --batch */
	__u64 reported_ns; /* the sum of the lengths of the intervals that the output has */
	bool written;	   /* the output has an interval */
	struct top_attached attached;
	struct result_opts result;
	struct prog_labels labels;
	__u64 interval_ns;
	/* snapshot at the end of the last interval; NULL: the interval began at the start */
	struct snapshot *last;
	struct top_older older;
	__u64 cpu_ns, time_ns; /* CPU time of this process, and the time, at the last interval */
	const struct log_sink *outer; /* for messages while there is no screen */
	char *error;		      /* the last error, for after the screen; NULL: none */
	int place;		      /* index of the target that wants_running_prog() found last */
	char cpus[128];		      /* the list of -C; "": all CPUs */
	bool started;		      /* the delay is over */
	bool divide;		      /* end the measurement, and begin another one: see reopen() */
};

/* ---- the programs in the report ---- */

/* Returns true if the target has run, or may have run while its probe was not attached. */
static bool has_target_run(const struct top_run *r, int target, const struct result_span *span)
{
	int cpu_cnt = r->counting.s->env.cpus.cnt;

	if (snapshot__shares(span->from, span->to, target))
		return false;
	for (int i = 0; i <= cpu_cnt; i++)
		if (counts__runs(snapshot__at(span->to, target, i)) !=
		    counts__runs(snapshot__before(span->from, target, i)))
			return true;
	/* The last row has the counts that belong to no CPU. */
	return snapshot__at(span->to, target, cpu_cnt)->blind_ns !=
	       snapshot__before(span->from, target, cpu_cnt)->blind_ns;
}

/*
 * Returns true if the program has run in the span. Begins to search at r->place, because the report
 * asks for the programs in the order of the targets.
 */
static bool wants_running_prog(void *arg, __u32 id, const struct result_span *span)
{
	struct top_run *r = arg;
	const struct target_list *targets = &r->counting.s->targets;

	if (!span || top__shows_idle(r->top))
		return true;
	for (int i = 0; i < targets->cnt; i++) {
		int at = (r->place + i) % targets->cnt;

		if (targets->v[at].id != id)
			continue;
		r->place = at;
		if (snapshot__has(span->to, at) && has_target_run(r, at, span))
			return true;
		if (at + 1 == targets->cnt || targets->v[at + 1].id != id)
			return false;
	}
	return false;
}

static __u64 own_cpu_ns(void)
{
	struct timespec ts = {};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Returns the stats of an interval. show_counts() later sets the members on programs. */
static struct top_stats begin_stats(struct top_run *r)
{
	__u64 cpu_ns = own_cpu_ns(), time_ns = now_ns();
	struct top_stats stats = {
		.own_cpu = r->time_ns && time_ns > r->time_ns
				   ? (double)(cpu_ns - r->cpu_ns) / (time_ns - r->time_ns)
				   : NAN,
		.interval_ns = r->interval_ns,
		.cpus = *r->cpus ? r->cpus : NULL,
	};

	r->cpu_ns = cpu_ns;
	r->time_ns = time_ns;
	return stats;
}

/* ---- showing ---- */

static void draw(struct top_run *r)
{
	struct screen screen;
	char *text = NULL;
	int height, cursor;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	top_screen__size(r->screen, &screen, &height);
	top__render(r->top, &screen, height, out, &cursor);
	fclose(out);
	top_screen__show(r->screen, text, cursor);
	free(text);
}

static bool is_report(const struct output_opts *o)
{
	return output_opts__is_json(o) || output_opts__is_csv(o);
}

/* Writes the interval in the same way as stat -I. */
static int write_interval(struct top_run *r)
{
	const struct output_opts *output = &r->o->measure.output;
	const struct render_opts o = {.sep = output->sep,
				      .interval = true,
				      .names = output->header,
				      .continues = r->out.continues,
				      .header = !r->written};
	struct report rows;

	top__set_writing(r->top, true);
	rows = *top__rows_of_interval(r->top);
	r->written = true;
	r->reported_ns += rows.elapsed_ns;
	rows.interval_ns = r->reported_ns;
	return output__commit(&r->out, top_write__report(&rows, output_opts__format(output)->report,
							 &o, r->out.file));
}

static int print_batch(struct top_run *r)
{
	const struct screen screen = screen__of(r->out.file);

	if (is_report(&r->o->measure.output))
		return write_interval(r);
	top__print(r->top, &screen, r->out.file);
	fputc('\n', r->out.file);
	return output__commit(&r->out, 0);
}

static int update_page(struct top_run *r, const void *now)
{
	struct screen screen;
	char *text;
	int height, err;

	if (!r->screen)
		return 0;
	top_screen__size(r->screen, &screen, &height);
	err = top_pages__render(r->pages, now, &screen, &text);
	if (!err && text)
		top__set_text(r->top, text);
	if (!err)
		return 0;
	top__leave_page(r->top);
	return top_pages__open(r->pages, TOP_LIST, 0);
}

static void forget_intervals(struct top_run *r)
{
	snapshot__free(r->last);
	r->last = NULL;
	top_older__free(&r->older);
	r->counting.slices_from = NULL;
}

/* Begins an interval. */
static void begin_interval(struct top_run *r, struct snapshot *now)
{
	struct snapshot *past = r->last;

	r->last = now;
	if (past)
		top_older__add(&r->older, past,
			       probe_turns__any(budget__turns(r->counting.s->budget)));
	r->counting.slices_from = top_older__first(&r->older);
}

/* Returns true if the user may still open a page about an unloaded program: keep its counts. */
static bool is_listed(void *arg, __u32 id)
{
	const struct top_run *r = arg;

	return top__lists(r->top, id);
}

/* Returns how long the interval is that ends now. */
static __u64 interval_until(const struct top_run *r, const struct snapshot *now)
{
	return now->ns - (r->last ? r->last->ns : 0);
}

/* Shows the counts since the last interval. */
static int show_counts(struct top_run *r, const void *now)
{
	const struct result_span span = {.from = r->last ?: live__first(r->live), .to = now};
	const struct session *s = r->counting.s;
	struct top_stats stats = begin_stats(r);
	struct cpus online = {};
	struct report *report;
	bool probed = false;
	int err = live__report(r->live, r->last, now, &report);

	if (err)
		return err;
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		probed |= backend__has(t->backend, BACKEND_PROBES);
		if (t->frozen || t->subprog)
			continue;
		stats.programs++;
		stats.running += snapshot__has(now, i) && has_target_run(r, i, &span);
	}
	stats.unprobed = s->targets.cnt && !probed;
	/* CPUs may have come or gone since the session was opened. */
	if (!*r->cpus && !cpus__online(&online)) {
		report->host.cpus = online.cnt;
		cpus__free(&online);
	}
	top__set_report(r->top, report, &stats);
	return 0;
}

/*
 * Reads the counts and shows them. While a page measures the functions of a program, the list's own
 * probe on this program is detached. So the list stays as it was.
 */
static int refresh(struct top_run *r)
{
	void *now;
	int err;

	if (top__is_paused(r->top) || !r->started)
		return 0;
	err = live__read(r->live, &now);
	if (err)
		return err;
	if (top_page__measures(top__page(r->top)))
		top__skip(r->top, interval_until(r, now));
	else
		err = show_counts(r, now);
	err = err ?: update_page(r, now);
	if (!err && r->screen)
		draw(r);
	else if (!err)
		err = print_batch(r);
	if (r->last) { /* forget unloaded programs that no longer have a row */
		struct snapshot *const snaps[] = {r->last, now, live__first(r->live), r->older.v[0],
						  r->older.v[1]};

		session__forget_ended(r->counting.s, snaps, ARRAY_SIZE(snaps), is_listed, r);
		if (!err)
			err = session__replace_keys(r->counting.s, snaps, ARRAY_SIZE(snaps),
						    r->counting.result->all_keys ? 0
										 : MAX_KEY_ROWS);
	}
	begin_interval(r, now);
	return err;
}

/* ---- keys ---- */

/* The lengths of an interval that the user can choose with keys. */
static const __u64 interval_ms[] = {100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000};

static int change_interval(struct top_run *r, bool longer)
{
	__u64 ns = r->interval_ns;

	for (size_t i = 0; i < ARRAY_SIZE(interval_ms); i++) {
		__u64 step = interval_ms[i] * NSEC_PER_MSEC;

		if (longer && step > r->interval_ns) {
			ns = step;
			break;
		}
		if (!longer && step < r->interval_ns)
			ns = step;
	}
	r->interval_ns = r->o->measure.loop.interval_ns = ns;
	return r->started ? live__set_interval(r->live, ns) : 0;
}

/*
 * Opens or closes a page. If a page cannot be opened, a message says why, and bprof top continues.
 * If the old or the new page measures, the list's probe on the program was detached for a part of
 * the interval. So a new interval begins, and the pictures get a gap.
 */
static int change_page(struct top_run *r)
{
	bool measures = top_page__measures(top_pages__page(r->pages)) ||
			top_page__measures(top__page(r->top));
	void *now;
	int err;

	if (top_pages__open(r->pages, top__page(r->top), top__selected(r->top)))
		top__leave_page(r->top);
	if (!r->started)
		return 0; /* before the start, a page shows no counts */
	err = live__read(r->live, &now);
	if (err)
		return err;
	if (!measures) {
		err = update_page(r, now);
		live__free(r->live, now);
		return err;
	}
	top__skip(r->top, interval_until(r, now));
	begin_interval(r, now);
	return update_page(r, now) ?:
	       live__plan_tick(r->live) ?: live__set_interval(r->live, r->interval_ns);
}

/* Returns 0, -errno (reported), or 1 to end. */
static int take_action(struct top_run *r, enum top_action action)
{
	switch (action) {
	case TOP_QUIT:
		return 1;
	case TOP_PAGE:
		return change_page(r);
	case TOP_READ:
		return refresh(r);
	case TOP_DIVIDE:
		r->divide = r->started; /* ends the measurement, for reopen() */
		if (!r->started)
			top__set_message(r->top, "wait for the end of the delay (-D)");
		draw(r);
		return r->divide;
	case TOP_WRITE:
		top__set_writing(r->top, true);
		top_write(top__rows(r->top));
		top__set_writing(r->top, false);
		return 0;
	case TOP_REMEMBER:
		top_config__write(r->top);
		return 0;
	case TOP_SLOWER:
	case TOP_FASTER:
		return change_interval(r, action == TOP_SLOWER);
	case TOP_NOTHING:
		break;
	}
	return 0;
}

/*
 * Takes all keys that were pressed. If the terminal is gone, bprof top ends. A page is opened only
 * after the last key: opening may take long, and the next key may leave the page.
 */
static int take_keys(struct top_run *r)
{
	enum top_action pending = TOP_NOTHING;
	int key, x, y, ret = 0;

	while (!ret && (key = top_screen__key(r->screen)) > 0) {
		enum top_action action;

		if (key == TOP_KEY_CLICK) {
			top_screen__clicked(r->screen, &x, &y);
			action = top__click(r->top, x, y);
		} else {
			action = top__press(r->top, key);
		}
		if (action == TOP_PAGE) {
			pending = action;
			continue;
		}
		/* Open the pending page first: these actions depend on the page that is open. */
		if (action == TOP_READ || action == TOP_DIVIDE) {
			ret = take_action(r, pending);
			pending = TOP_NOTHING;
		}
		ret = ret ?: take_action(r, action);
	}
	if (!ret && key < 0)
		return 1;
	ret = ret ?: take_action(r, pending);
	if (!ret)
		draw(r);
	return ret;
}

/* ---- running ---- */

static int tick_both(void *arg)
{
	struct top_run *r = container_of(arg, struct top_run, counting);
	int err = prog_counting_ops.tick(arg);

	if (err || !r->pages)
		return err;
	err = top_pages__tick(r->pages);
	if (err <= 0)
		return err;
	top__leave_page(r->top);
	return change_page(r);
}

/*
 * Returns the time until the next tick of the list's session or of the page's session: the probes
 * of both may take turns.
 */
static __u64 next_tick_of_both(const void *arg)
{
	const struct top_run *r = container_of(arg, struct top_run, counting);
	__u64 list = prog_counting_ops.next_tick(arg);
	__u64 page = r->pages ? top_pages__next_tick(r->pages) : 0;

	return page && (!list || page < list) ? page : list;
}

static int act_on_event(struct top_run *r, enum loop_event event)
{
	switch (event) {
	case LOOP_START:
		r->started = true;
		if (r->o->measure.loop.delay_ns)
			top__set_message(r->top, NULL);
		begin_stats(r);
		if (r->screen)
			draw(r);
		return 0;
	case LOOP_STOP:
		return r->o->batch ? refresh(r) : 0;
	case LOOP_INTERVAL:
		return refresh(r);
	case LOOP_INPUT:
		return take_keys(r);
	default:
		return 0;
	}
}

/*
 * While the screen is open, it shows the messages, because messages on standard error would destroy
 * it. The screen hides earlier messages on standard error, so it shows these, too.
 */
static void show_message(void *arg, enum log_level level, const char *message)
{
	struct top_run *r = arg;

	if (!r->o->batch)
		top__add_message(r->top, message);
	if (!r->screen) {
		r->outer->write(r->outer->arg, level, message);
		return;
	}
	if (level != LOG_LEVEL_ERROR)
		return;
	free(r->error);
	r->error = xstrdup(message);
}

/* Measures again, with runs divided by the key of --by or by return value, or not divided. */
static int reopen(struct top_run *r)
{
	int err;

	top__set_message(r->top, NULL); /* the message said that this takes a moment */
	forget_intervals(r);
	r->attached.targets = NULL;
	prog_counting__close(&r->counting);
	r->session.by = r->session.by ? BY_NOTHING : r->o->measure.by ?: BY_RETVAL;
	err = prog_counting__open(&r->opening, &r->counting);
	if (err && r->session.by) {
		/* this kernel cannot divide the runs; a message says so */
		prog_counting__close(&r->counting);
		r->session.by = BY_NOTHING;
		err = prog_counting__open(&r->opening, &r->counting);
	}
	return err;
}

/* Returns 0, -errno (reported), or 1: measure anew. */
static int measure_until_divided(struct top_run *r)
{
	struct loop_opts *loop = &r->o->measure.loop;
	__u64 begin = now_ns(), intervals = 0, elapsed_ns;
	struct loop_result result;
	enum loop_event event;
	char text[64];
	int err;

	r->divide = r->started = false;
	loop->early_input = true;
	r->attached.targets = &r->counting.s->targets;
	err = live__begin(r->live, loop, r->screen ? top_screen__fd(r->screen) : -1);
	if (!err && r->screen && loop->delay_ns) {
		snprintf(text, sizeof(text), "measuring begins in %g s (-D)", loop->delay_ns / 1e9);
		top__set_message(r->top, text);
		draw(r);
	}
	while ((event = live__next(r->live, err))) {
		err = act_on_event(r, event);
		intervals += event == LOOP_INTERVAL;
	}
	err = live__end(r->live, &result);
	/* The next measurement gets the remaining time. */
	elapsed_ns = now_ns() - begin;
	loop->delay_ns = 0;
	if (loop->timeout_ns)
		loop->timeout_ns = loop->timeout_ns > elapsed_ns ? loop->timeout_ns - elapsed_ns
								 : 1;
	if (loop->interval_count)
		loop->interval_count -= intervals;
	return err ?: r->divide && !result.interrupted;
}

static void open_top(struct top_run *r)
{
	r->top = top__new();
	if (r->o->sort)
		top__sort_by(r->top, r->o->sort);
	if (r->o->idle)
		top__press(r->top, 'i');
	if (r->o->columns)
		free(top__choose_columns(r->top,
					 /* check_columns() has accepted the list */
					 r->o->columns));
}

/*
 * The order matters: the live view is opened first and closed last. Messages are redirected before
 * the screen opens.
 */
static int run_opened(struct top_run *r, const struct top_pages_source *source)
{
	struct top_opts *o = r->o;
	struct counting_ops ops = prog_counting_ops;
	struct top_pages_source with_live = *source;
	int err;

	ops.tick = tick_both;
	ops.next_tick = next_tick_of_both;
	err = live__open(&ops, &r->counting, &r->live);
	with_live.live = r->live;
	r->pages = top_pages__new(&with_live);
	if (!err)
		err = o->batch ? output_opts__open(&o->measure.output, 0, &r->out)
			       : top_screen__open(&r->screen);
	while (!err && (err = measure_until_divided(r)) > 0)
		err = reopen(r);
	top_pages__free(r->pages);
	/* Close the terminal first: live__close() unblocks signals, which may end the process. */
	top_screen__close(r->screen);
	r->screen = NULL;
	forget_intervals(r);
	live__close(r->live);
	if (err && r->error)
		log_err(err, "%s", r->error);
	return output__close(&r->out, err);
}

/* Opens the measurement, shows it, and closes it. show_message() gets its messages. */
static int run_shown(struct top_run *r, const struct top_pages_source *source)
{
	const struct log_sink *outer = log__sink();
	const struct log_sink sink = {.write = show_message, .arg = r, .max = outer->max};
	int err;

	r->outer = outer;
	log__set_sink(&sink);
	top__set_attached(r->top, top_attached__find, &r->attached);
	if (!r->o->batch && !r->o->columns)
		top_config__read(r->top);
	err = prog_counting__open(&r->opening, &r->counting) ?: run_opened(r, source);
	prog_counting__close(&r->counting);
	attachments__free(&r->attached.all);
	log__set_sink(outer);
	return err;
}

static int run_top(struct top_opts *o, char **argv)
{
	struct top_run r = {.o = o,
			    .interval_ns = o->measure.loop.interval_ns,
			    .session = {.by = o->measure.by}};
	const struct top_pages_source source = {.counting = &r.counting,
						.events = &o->measure.events,
						.cpus = &o->measure.cpus,
						.argv = argv,
						.overhead = &o->overhead};
	int err;

	r.result = (struct result_opts){.command = argv,
					.intervals = true,
					.with_whole = true,
					.sum = o->measure.sum,
					.all_keys = o->measure.sum,
					/*
					 * with --sum, the report needs idle programs, too: they
					 * count in the number of programs of a sum
					 */
					.wants = o->measure.sum ? NULL : wants_running_prog,
					.arg = &r};
	r.counting.result = &r.result;
	r.labels.owners = o->measure.sum == SUM_OWNER;
	r.labels.devices = o->measure.sum == SUM_DEVICE;
	prog_counting__set_labels(&r.counting, &r.result, &r.labels);
	r.counting.no_versions = true;
	r.opening = (struct prog_counting_opts){.targets = &o->targets,
						.events = &o->measure.events,
						.cpus = &o->measure.cpus,
						.session = &r.session,
						.loop = &o->measure.loop,
						.endless = true};
	loop_opts__set_privileges(&o->measure.loop, PRIVILEGES_SHOW, o->measure.output.file);
	if (o->measure.cpus.cnt)
		cpus__format(&o->measure.cpus, r.cpus, sizeof(r.cpus));
	open_top(&r);
	prog_counting__set_endless(&o->targets, &r.session);
	overhead_opts__apply(&o->overhead, false, &r.session);
	err = run_shown(&r, &source);
	top__free(r.top);
	prog_labels__free(&r.labels);
	free(r.error);
	return err;
}

static int check_columns(const char *list)
{
	struct top *t = top__new();
	char *wrong = list ? top__choose_columns(t, list) : NULL;
	int err = wrong ? log_err(-EINVAL, "--columns: %s", wrong) : 0;

	free(wrong);
	top__free(t);
	return err;
}

/* Refuses options that cannot be combined, and terminals on which bprof top cannot draw. */
static int check_top_options(const struct top_opts *o)
{
	const struct order_opts order = {.sort = o->sort};

	const struct output_opts *output = &o->measure.output;

	if (!o->batch && (output->format || output->file))
		return log_err(-EINVAL,
			       "%s: it needs --batch; on the screen, the key o writes files",
			       output->file ? "-o" : "a format");
	if (o->columns && is_report(output))
		return log_err(-EINVAL, "--columns: it is for text; CSV and JSON have all columns");
	if (o->measure.by_site)
		return log_err(-EINVAL, "--by site: it needs --calls, which top does not have");
	return overhead_opts__check(&o->overhead) ?:
	       order_opts__check(&order, top__column) ?:
	       check_columns(o->columns) ?: o->batch ? 0 : top_screen__check();
}

static int add_selected_operand(void *options, const char *arg)
{
	struct top_opts *o = options;

	if (!o->measure.list_events)
		return selector_list__add_operand(&o->targets.selectors, "top", arg);
	o->word[0] = (char *)arg;
	o->measure.loop.command = o->word;
	return 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_opts o = {.measure.loop.interval_ns = DEFAULT_INTERVAL_NS};
	struct measure_opts *m = &o.measure;
	int err, status;

	err = options__parse_mixed(&top_spec, &o, argc, argv, add_selected_operand);
	err = err ?: output_opts__apply(&m->output, NULL);
	if (measure_opts__ends(m, err, &status) || check_top_options(&o))
		goto out;
	status = measure__exit_status(run_top(&o, argv), EXIT_DONE);
out:
	target_opts__free(&o.targets);
	measure_opts__free(m);
	return status;
}
