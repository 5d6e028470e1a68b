// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the syntax of OpenMetrics 1.0 and of Prometheus text 0.0.4: names of samples, escaping,
 * numbers. Must not know which metrics exist.
 */
#include <string.h>

#include "base/text.h"
#include "export/openmetrics.h"

const char *const metrics_types[METRICS_FORMAT_CNT] = {
	[METRICS_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	[METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

static const struct {
	const char *name;
	const char *prometheus; /* the name in Prometheus text */
	const char *suffix;	/* suffix of the sample with the value */
} types[] = {
	[METRIC_COUNTER] = {"counter", "counter", "_total"},
	[METRIC_GAUGE] = {"gauge", "gauge", ""},
	[METRIC_HISTOGRAM] = {"histogram", "histogram", ""},
	[METRIC_INFO] = {"info", "gauge", "_info"},
};

void metrics__begin(struct metrics_writer *w, const struct metric_family *f)
{
	w->family = f;
	if (w->format == METRICS_PROMETHEUS) {
		/* In Prometheus text, a family has the same name as its samples. */
		fprintf(w->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, types[f->type].suffix,
			f->help, f->name, types[f->type].suffix, types[f->type].prometheus);
		return;
	}
	fprintf(w->out, "# TYPE %s %s\n", f->name, types[f->type].name);
	if (f->unit)
		fprintf(w->out, "# UNIT %s %s\n", f->name, f->unit);
	fprintf(w->out, "# HELP %s %s\n", f->name, f->help);
}

/* ---- numbers ---- */

/*
 * Writes v with as few digits as distinguish it from all other doubles. is_label: v is the value of
 * a label "le". In OpenMetrics, such a value must have a point or an exponent: "1.0".
 */
static void write_number(const struct metrics_writer *w, double v, bool is_label)
{
	char num[NUMBER_SZ];

	number__shortest(num, v);
	fputs(num, w->out);
	if (is_label && w->format == METRICS_OPENMETRICS && !strpbrk(num, ".e"))
		fputs(".0", w->out);
}

/* ---- samples ---- */

static void write_name(const struct metrics_writer *w, const char *suffix, const char *labels)
{
	fprintf(w->out, "%s%s", w->family->name, suffix);
	if (*labels)
		fprintf(w->out, "{%s}", labels);
	fputc(' ', w->out);
}

void metrics__write_u64(struct metrics_writer *w, const char *labels, __u64 v)
{
	write_name(w, types[w->family->type].suffix, labels);
	fprintf(w->out, "%llu\n", (unsigned long long)v);
}

void metrics__write_double(struct metrics_writer *w, const char *labels, double v)
{
	write_name(w, types[w->family->type].suffix, labels);
	write_number(w, v, false);
	fputc('\n', w->out);
}

void metrics__write_created(struct metrics_writer *w, const char *labels,
			    const struct timespec *created)
{
	if (w->format == METRICS_PROMETHEUS)
		return;
	write_name(w, "_created", labels);
	fprintf(w->out, "%lld.%03ld\n", (long long)created->tv_sec, created->tv_nsec / 1000000);
}

void metrics__write_histogram(struct metrics_writer *w, const char *labels,
			      const struct metric_histogram *h)
{
	__u64 count = 0;

	for (int i = 0; i <= h->bound_cnt; i++) {
		count += h->bucket[i];
		fprintf(w->out, "%s_bucket{%s%sle=\"", w->family->name, labels, *labels ? "," : "");
		if (i < h->bound_cnt)
			write_number(w, h->bound[i] / h->divisor, true);
		else
			fputs("+Inf", w->out);
		fprintf(w->out, "\"} %llu\n", (unsigned long long)count);
	}
	write_name(w, "_count", labels);
	fprintf(w->out, "%llu\n", (unsigned long long)count);
	write_name(w, "_sum", labels);
	write_number(w, h->sum / h->divisor, false);
	fputc('\n', w->out);
}

void metrics__end(struct metrics_writer *w)
{
	if (w->format == METRICS_OPENMETRICS)
		fputs("# EOF\n", w->out);
}

/* ---- labels ---- */

void metrics__add_label(FILE *out, bool *first, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(out, "%s%s=\"", *first ? "" : ",", name);
	*first = false;
	text__put(out, text__label(value));
	fputc('"', out);
}
