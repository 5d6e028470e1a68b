// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines above the list of bprof top: the sums over all programs, the cost of bprof itself, and
 * the line that the user types. Owns their texts; must not know the columns of the list.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "top/top_priv.h"

void top__print_line(const char *s, enum table_style style, const struct screen *screen, FILE *out)
{
	char *text = text__printable(s);
	const char *begin = screen->color && *s ? table_style__begin(style) : "";

	fprintf(out, "%s%s%s\n", begin, text, *begin ? TABLE_STYLE_END : "");
	free(text);
}

/* Sums up all programs, without called functions, which the numbers of callers include. */
static double sum_share(const struct report *r, double *runs_per_s, __u64 *runs, __u64 *measured)
{
	double share = 0;

	*runs_per_s = *runs = *measured = 0;
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		if (p->subprog || p->by_retval)
			continue;
		*runs += p->all.runs;
		*measured += p->all.measured;
		*runs_per_s += p->all.runs ? report_row__runs_per_s(r, &p->all) : 0;
		if (!p->depth && !isnan(p->all.cpu_share))
			share += p->all.cpu_share;
	}
	return share;
}

/*
 * Returns the text before the sum of the CPU shares: "at least " if the shares of only some
 * programs that ran are known, "-" if none is known. With --max-overhead, an interval may have no
 * measured run of a program that ran.
 */
static const char *describe_known(const struct report *r)
{
	int known = 0, unknown = 0;

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		if (p->subprog || p->by_retval || p->depth || !(p->all.runs || p->all.at_least))
			continue;
		*(isnan(p->all.cpu_share) ? &unknown : &known) += 1;
	}
	return !unknown ? "" : known ? "at least " : "-";
}

static void print_total(const struct top *t, const struct screen *screen, FILE *out)
{
	const struct report *r = t->report;
	char share[NUMBER_SZ], rate[NUMBER_SZ], line[256], of[160];
	const char *cpus = t->stats.cpus, *known = describe_known(r);
	__u64 runs, measured;
	double per_s, sum = sum_share(r, &per_s, &runs, &measured);

	if (cpus)
		snprintf(of, sizeof(of), "CPU%s %s", r->host.cpus == 1 ? "" : "s", cpus);
	else
		snprintf(of, sizeof(of), "this machine (%d CPU%s)", r->host.cpus,
			 r->host.cpus == 1 ? "" : "s");
	snprintf(line, sizeof(line), "TOTAL  all BPF programs: %s%s%% of %s, %s runs/s", known,
		 *known == '-' ? "" : number__rate(share, 100 * sum / (r->host.cpus ?: 1)), of,
		 number__rate(rate, per_s));
	top__print_line(line, TABLE_PLAIN, screen, out);
}

static void print_own_cost(const struct top *t, const struct screen *screen, FILE *out)
{
	const struct report *r = t->report;
	const struct report_budget none = {}, *b = r->budget ?: &none;
	char own[NUMBER_SZ], number[NUMBER_SZ], line[256];
	const char *probes = "no probes, the kernel's run_stats: means only";
	double per_s;
	__u64 runs, measured;
	int len;

	sum_share(r, &per_s, &runs, &measured);
	if (t->stats.unprobed) {
		len = snprintf(line, sizeof(line), "BPROF  %s", probes);
	} else {
		len = snprintf(line, sizeof(line), "BPROF  %sprobes add %s%% of a CPU",
			       report__uncalibrated(r) ? "not calibrated, numbers are raw; " : "",
			       number__rate(number, 100 * (b->added - b->stats)));
		if (b->turns)
			len += snprintf(line + len, sizeof(line) - len, ", stats %s%%",
					number__rate(number, 100 * b->stats));
		if (b->share && b->added > b->share)
			len += snprintf(line + len, sizeof(line) - len, " (over %s%%)",
					number__plain(number, 100 * b->share));
		if (!isnan(report__share_error(r)))
			len += snprintf(line + len, sizeof(line) - len, ", ~ to within %s%%",
					number__rate(number, 100 * report__share_error(r)));
		if (runs)
			len += snprintf(line + len, sizeof(line) - len, ", %s%% of runs measured",
					number__percent(number, measured, runs, 1));
	}
	snprintf(line + len, sizeof(line) - len, "; top takes %s%%",
		 number__rate(own, 100 * t->stats.own_cpu));
	top__print_line(line, TABLE_PLAIN, screen, out);
}

/*
 * Names the events that have no columns because they cannot be counted on this machine. These
 * events are the same for all programs with a probe.
 */
static void describe_unsupported(const struct report *r, char *buf, size_t sz)
{
	const char *first = NULL;
	int cnt = 0;

	for (int i = 0; i < r->prog_cnt && !cnt; i++) {
		const struct report_row *row = &r->prog[i].all;

		for (int k = 0; r->prog[i].probed && k < row->event_cnt; k++) {
			if (row->event[k].status != EVENT_NOT_SUPPORTED)
				continue;
			first = first ?: row->event[k].name;
			cnt++;
		}
	}
	*buf = '\0';
	if (cnt > 1)
		snprintf(buf, sz, "%.60s and %d more not supported", first, cnt - 1);
	else if (cnt)
		snprintf(buf, sz, "%.60s not supported", first);
}

/* Adds a part to a line of parts, if the screen has room for all of it. */
static void add_head_part(char *line, size_t sz, const struct screen *screen, const char *fmt, ...)
{
	size_t len = strlen(line);
	char part[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	if (!screen->width || (int)len + 2 + text__width(part) <= screen->width)
		snprintf(line + len, sz - len, "; %s", part);
}

static void print_counts(const struct top *t, const struct screen *screen, FILE *out)
{
	const struct report *r = t->report;
	char line[400], unsupported[120], means[32] = "";
	__u64 skipped = 0;

	for (int i = 0; i < r->skip_cnt; i++)
		skipped += 1 + r->skip[i].more;
	snprintf(line, sizeof(line), "%d program%s: %d running, %d idle, %llu skipped",
		 t->stats.programs, t->stats.programs == 1 ? "" : "s", t->stats.running,
		 t->stats.programs - t->stats.running, skipped);
	if (*t->filter)
		add_head_part(line, sizeof(line), screen, "filter '%s'", t->filter);
	/* Nothing else on the screen says why an event has no columns. */
	describe_unsupported(r, unsupported, sizeof(unsupported));
	if (*unsupported)
		add_head_part(line, sizeof(line), screen, "%s", unsupported);
	if (t->compared)
		add_head_part(line, sizeof(line), screen, "baseline");
	if (t->machine)
		add_head_part(line, sizeof(line), screen, "the machine: most programs %+.1f%%",
			      100 * t->machine);
	if (r->by_retval)
		add_head_part(line, sizeof(line), screen, "by %s", report__key(r)->name);
	if (t->paused)
		add_head_part(line, sizeof(line), screen, "PAUSED");
	if (top__sorts_by_means(t))
		snprintf(means, sizeof(means), " of %g s",
			 TOP_MEAN_OF * t->stats.interval_ns / 1e9);
	add_head_part(line, sizeof(line), screen, "sorted by %s%s%s", top__column(t->sort), means,
		      t->reverse ? ", reversed" : "");
	add_head_part(line, sizeof(line), screen, "every %g s", t->stats.interval_ns / 1e9);
	top__print_line(line, TABLE_PLAIN, screen, out);
}

void top__print_head(const struct top *t, const struct screen *screen, FILE *out)
{
	print_total(t, screen, out);
	print_own_cost(t, screen, out);
	print_counts(t, screen, out);
}

/* If there are more messages, or the last one is too long for the screen, says where they are. */
static void print_last_message(const struct top *t, const struct screen *screen, FILE *out)
{
	static const char more[] = " (m: all messages)";
	int room = screen->width - (int)strlen(more);
	char *line, *start;

	if (!t->unread || !screen->width ||
	    (t->unread == 1 && text__width(t->message) <= screen->width)) {
		top__print_line(t->message, TABLE_YELLOW, screen, out);
		return;
	}
	start = text__shorten(t->message, room);
	line = text__format("%s%s", start, more);
	top__print_line(line, TABLE_YELLOW, screen, out);
	free(start);
	free(line);
}

void top__print_prompt(const struct top *t, const struct screen *screen, FILE *out)
{
	char line[TOP_INPUT_SZ + 32] = "";

	if (!t->prompt && t->message) {
		print_last_message(t, screen, out);
		return;
	}
	if (!t->prompt && t->shown < t->rows.prog_cnt)
		snprintf(line, sizeof(line), "rows %d-%d of %d", t->first + 1, t->first + t->shown,
			 t->rows.prog_cnt);
	if (t->prompt)
		snprintf(line, sizeof(line), "%s: %s_", t->prompt == '/' ? "search" : "filter",
			 t->input);
	top__print_line(line, t->prompt ? TABLE_YELLOW : TABLE_DIM, screen, out);
}
