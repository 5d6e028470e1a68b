// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs measurements in the loop (loop.h) and renders their reports. Owns the snapshots and the order
 * of intervals and repeats; must not know what is counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/exit_status.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "report/report.h"
#include "run/measure.h"
#include "run/progress.h"

struct measure {
	const struct measure_opts *o;
	struct loop_opts loop;
	struct render_opts render;
	struct output *out; /* opened for the first report */
	const struct counting_ops *ops;
	void *arg;
	void *first; /* snapshot at the beginning; set only with -I and totals */
	void *last;  /* snapshot at the beginning, later at the end of the last interval */
	void *end;   /* snapshot at the stop */
	struct timespec started;
	__u64 reported_ns; /* sum of the lengths of the reported intervals */
	bool first_block;
	bool no_more; /* no more repeats: a signal came, or nothing is left to measure */
};

static int render_measured(struct measure *m, struct report *report)
{
	unsigned int flags = m->loop.interval_ns ? 0 : OUTPUT_PAGER;
	int err = m->out->file ? 0 : output_opts__open(&m->o->output, flags, m->out);

	if (err)
		return err;
	m->render.screen = screen__of(m->out->file);
	m->render.continues = m->out->continues;
	m->render.header = m->first_block;
	m->first_block = false;
	err = report__render(report, output_opts__format(&m->o->output)->report, &m->render,
			     m->out->file);
	return output__commit(m->out, err);
}

/* Makes the report of the counts between two snapshots. */
static int make_report_between(struct measure *m, const void *from, const void *to,
			       struct report **out)
{
	int err = m->ops->report(m->arg, from, to, out);

	if (!err)
		(*out)->started = m->started;
	return err;
}

/* Reports the counts from m->last to the snapshot "now", and takes ownership of this snapshot. */
static int report_until(struct measure *m, void *now)
{
	struct report *report = NULL;
	int err = make_report_between(m, m->last, now, &report);

	if (!err) {
		m->reported_ns += report->elapsed_ns;
		report->interval_ns = m->reported_ns;
		err = render_measured(m, report);
	}
	report__free(report);
	if (m->last != m->first)
		m->ops->free(m->last);
	m->last = now;
	return err;
}

/* ---- events of the loop ---- */

static int begin_measuring(struct measure *m, struct loop *loop)
{
	int err = m->ops->start(m->arg, &m->last);

	/*
	 * Get the descriptor only now: it belongs to the method of measuring, which ops->forked()
	 * may change.
	 */
	loop__set_ready_fd(loop, m->ops->ready_fd(m->arg));
	report__note_start(&m->started);
	if (!err && m->o->totals && m->loop.interval_ns)
		m->first = m->last;
	return err;
}

static int report_interval(struct measure *m)
{
	void *now = NULL;
	int err = m->ops->read(m->arg, &now);

	if (!err)
		return report_until(m, now);
	m->ops->free(now); /* read() can fail after it has made the snapshot */
	return err;
}

static int handle_loop_event(struct measure *m, enum loop_event event, struct loop *loop)
{
	const struct counting_ops *ops = m->ops;
	char line[128];

	switch (event) {
	case LOOP_FORKED:
		return ops->forked ? ops->forked(m->arg, loop__command(loop)) : 0;
	case LOOP_START:
		return begin_measuring(m, loop);
	case LOOP_INTERVAL:
		return report_interval(m);
	case LOOP_TICK:
		return loop__tick(loop, ops, m->arg);
	case LOOP_READY:
		return ops->ready(m->arg);
	case LOOP_PROGRESS:
		if (m->last && !ops->progress(m->arg, m->last, line, sizeof(line)))
			progress__show("%s", line);
		return 0;
	case LOOP_STOP:
		return ops->stop(m->arg, &m->end);
	case LOOP_INPUT: /* never sent, because no descriptor is set for it */
	case LOOP_END:
		break;
	}
	return 0;
}

/* ---- intervals and repeats ---- */

/* Runs one measurement, from its beginning to its stop. */
static int run_one_measurement(struct measure *m, struct loop *loop, int *status)
{
	struct loop_result result;
	enum loop_event event;
	int err = loop__begin(loop, &m->loop);

	while ((event = loop__next(loop, err)))
		err = handle_loop_event(m, event, loop);
	err = loop__end(loop, &result);
	if (m->loop.progress)
		progress__end();
	if (result.status)
		*status = result.status;
	if (err)
		return err;
	m->no_more = result.interrupted || result.over;
	if (!m->last)
		return log_err(-ENODATA,
			       "nothing was measured: it ended before the delay (-D) was over");
	return 0;
}

/*
 * Measures with -I. The last interval may be shorter than the other ones. With totals, one report
 * of all intervals follows the reports of the single intervals.
 */
static int measure_intervals(struct measure *m, struct loop *loop, int *status)
{
	struct report *total = NULL;
	int err = run_one_measurement(m, loop, status);

	if (err)
		return err;
	m->render.last = true;
	err = report_until(m, m->end);
	m->end = NULL; /* report_until() has moved it to m->last */
	if (err || !m->first)
		return err;
	err = make_report_between(m, m->first, m->last, &total);
	if (!err) {
		total->total = true;
		m->first_block = true; /* print the header again */
		err = render_measured(m, total);
	}
	report__free(total);
	return err;
}

/*
 * Measures one repeat and sets *each to the repeat's report. The first call sets *first to the
 * snapshot at the beginning.
 */
static int measure_repeat(struct measure *m, struct loop *loop, int *status, void **first,
			  struct report **each)
{
	void *end = m->end;
	int err;

	m->end = NULL;
	err = run_one_measurement(m, loop, status) ?: make_report_between(m, m->last, m->end, each);
	if (err && end) {
		m->ops->free(m->last);
		m->ops->free(m->end);
		m->last = NULL;
		m->end = end; /* the end of the last repeat that was measured */
		m->no_more = true;
		return err == -ENODATA ? 0 : err;
	}
	m->ops->free(end);
	if (*first)
		m->ops->free(m->last);
	else
		*first = m->last;
	m->last = NULL;
	return err;
}

/* Measures without -I: writes one report of all repeats (by default only one). */
static int measure_repeats(struct measure *m, struct loop *loop, int *status)
{
	__u64 repeat = m->o->repeat ?: 1;
	struct report **each = xcalloc(repeat, sizeof(*each)), *whole = NULL;
	void *first = NULL;
	int cnt = 0, err = 0, failed;

	while (!err && (__u64)cnt < repeat && !m->no_more) {
		m->loop.again = m->loop.command && (__u64)cnt + 1 < repeat;
		err = measure_repeat(m, loop, status, &first, &each[cnt]);
		cnt += !!each[cnt];
	}
	/* If a repeat failed, report the repeats before it. */
	failed = err;
	err = cnt ? make_report_between(m, first, m->end, &whole) : err;
	if (cnt && !err) {
		report__set_repeats(whole, each, cnt);
		err = render_measured(m, whole);
	}
	err = failed ?: err;
	for (int i = 0; i < cnt; i++)
		report__free(each[i]);
	free(each);
	report__free(whole);
	m->ops->free(first);
	return err;
}

/*
 * Reports that there is nothing to measure. Writes no text report, because messages have already
 * said why. Writes no report to a file, because that would replace an earlier report.
 */
static int report_nothing(struct measure *m)
{
	struct report *report = NULL;
	int err = m->ops->read(m->arg, &m->last);

	m->render.last = true;
	report__note_start(&m->started);
	err = err ?: make_report_between(m, m->last, m->last, &report);
	if (!err && output_opts__format(&m->o->output) != &formats[FORMAT_TEXT] &&
	    output__is_stream(m->o->output.file))
		err = render_measured(m, report);
	report__free(report);
	return err ?: log_err(m->ops->why_none(m->arg), "nothing could be measured");
}

int measure__run(const struct measure_opts *o, struct output *out, const struct counting_ops *ops,
		 void *arg, int *status)
{
	struct measure m = {
		.o = o,
		.loop = o->loop,
		.render = {.sep = o->output.sep,
			   .names = o->output.header,
			   .one_line = o->output.append,
			   .interval = o->loop.interval_ns,
			   .per_cpu = o->per_cpu,
			   .dist = o->dist,
			   .sort = o->order.sort,
			   .top = o->order.top,
			   .active = o->order.active,
			   .verbose = o->output.verbose},
		.out = out,
		.ops = ops,
		.arg = arg,
		.first_block = true,
	};
	void (*end)(FILE * out) = output_opts__format(&o->output)->end;
	struct loop *loop = NULL;
	int err;

	m.loop.progress = progress__is_wanted() && !o->loop.interval_ns && !o->loop.command;
	if (!ops->has_any(arg))
		err = report_nothing(&m);
	else
		err = loop__open(&loop)
			      ?: m.loop.interval_ns ? measure_intervals(&m, loop, status)
						    : measure_repeats(&m, loop, status);
	loop__close(loop);
	/* End the series of reports, also after an error, unless nothing was written. */
	if (m.loop.interval_ns && end && !m.first_block) {
		end(out->file);
		err = err ?: output__commit(out, 0);
	}
	if (m.first != m.last)
		ops->free(m.first);
	ops->free(m.last);
	ops->free(m.end);
	return err;
}

int measure__exit_status(int err, int command_status)
{
	return err && err != -ECHILD ? (int)exit_status__of_error(err) : command_status;
}
