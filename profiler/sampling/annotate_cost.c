// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The time that a program took in all, and how much of this time its samples show. Owns the number
 * of samples below which no shares are shown, and the digits of shares. Must not know how
 * annotations are laid out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sampling/annotate_priv.h"

/* With fewer samples, the standard deviation of a share could be more than 7 %. */
#define MIN_SAMPLES 50

bool annotated__has_shares(const struct annotated *whole)
{
	return annotated__all(whole) >= MIN_SAMPLES;
}

/* A share has one decimal only if its standard deviation is less than 1 %. */
const char *annotated__format_share(const struct annotated *part, const struct annotated *whole,
				    char *buf)
{
	const __u64 scale = 1000000000;
	int digits = annotated__share_stddev(part, whole) < .01;

	/* Round the last digit up, so that a small share is not shown as 0. */
	number__percent(buf, ceil(annotated__share(part, whole) * scale), scale, digits);
	return strcat(buf, "%");
}

static bool has_known_runs(const struct annotation *a, const struct annotated_prog *p)
{
	/* The kernel counts an extension's runs as runs of the program that it extends. */
	return a->r->run_stats && strcmp(p->prog->type, "ext");
}

double annotated_prog__cpu_share(const struct annotation *a, const struct annotated_prog *p)
{
	__u64 ns = a->r->head->elapsed_ns;

	return has_known_runs(a, p) && ns ? (double)p->prog->run_time_ns / ns : NAN;
}

#define LONGER "sample for longer (--timeout)"
#define MORE LONGER ", or more often (-F)"

const char *annotated_prog__advice(const struct annotation *a, const struct annotated_prog *p)
{
	if (annotated__has_shares(&p->sum))
		return NULL;
	if (annotated__all(&p->sum))
		return "too few samples for shares; " MORE;
	if (!has_known_runs(a, p))
		return "it did not run, or too rarely; " MORE;
	return p->prog->runs ? "its runs took too little time; " MORE
			     : "the kernel counted no run of it; let it run meanwhile, or " LONGER;
}

/* Prints how much *part is of *whole: a share, or a number of samples if there are too few. */
static void print_share_or_count(const struct annotated *part, const struct annotated *whole,
				 FILE *out)
{
	char text[SHARE_SZ];

	if (annotated__has_shares(whole))
		fputs(annotated__format_share(part, whole, text), out);
	else
		fprintf(out, "%llu sample%s", annotated__all(part),
			annotated__all(part) == 1 ? "" : "s");
}

void annotated_func__print_share(const struct annotated_func *f, const struct annotated_prog *p,
				 FILE *out)
{
	char text[SHARE_SZ];

	if (annotated__has_shares(&p->sum))
		fprintf(out, "%s of the program", annotated__format_share(&f->sum, &p->sum, text));
	else
		fprintf(out, "%llu of the program's %llu samples", annotated__all(&f->sum),
			annotated__all(&p->sum));
}

void annotated_prog__print_samples(const struct annotation *a, const struct annotated_prog *p,
				   FILE *out)
{
	const char *advice = annotated_prog__advice(a, p);
	__u64 cnt = annotated__all(&p->sum);
	char n[NUMBER_SZ], share[SHARE_SZ];

	if (!cnt)
		fprintf(out, "no samples: %s", advice);
	else
		fprintf(out, "%s sample%s", number__group_u64(n, cnt), cnt == 1 ? "" : "s");
	if (cnt && advice)
		fprintf(out, ": %s", advice);
	else if (cnt && a->prog_cnt > 1)
		fprintf(out, ", %s of those in all programs",
			annotated__format_share(&p->sum, &a->sum, share));
}

bool annotated_prog__is_whole(const struct annotated_prog *p)
{
	bool all = true;

	for (int i = 0; i < p->prog->func_cnt; i++)
		all &= p->prog->func[i].sampled;
	return all;
}

/*
 * Returns true if the samples show less than half of the time that the program took. Then the
 * kernel could not unwind the stack from called functions, or did not take samples. Returns false
 * for events that may count more slowly while a program runs than at other times.
 */
static bool misses_time(const struct annotation *a, const struct annotated_prog *p)
{
	const struct record *r = a->r;
	double taken = (double)r->samples.taken + r->samples.lost;
	double found = annotated__all(&p->sum) + 3 * sqrt(annotated__all(&p->sum) + 1.0);

	if (strncmp(r->event, "cpu-clock", 9) && strncmp(r->event, "cycles", 6))
		return false;
	return r->calls && taken && annotated_prog__is_whole(p) &&
	       found / taken * r->head->host.cpus < annotated_prog__cpu_share(a, p) / 2;
}

void annotated_prog__print_cost(const struct annotation *a, const struct annotated_prog *p,
				FILE *out)
{
	const struct annotated own = {p->sum.samples, p->sum.weight};
	const struct annotated calls = {0, 0, p->sum.calls, p->sum.calls_weight};
	double cpu_share = annotated_prog__cpu_share(a, p);
	bool all = annotated_prog__is_whole(p), runs = p->prog->runs && cpu_share > 0;
	bool parts = a->r->calls && annotated__all(&p->sum);
	char cnt[NUMBER_SZ], share[NUMBER_SZ];

	if (runs)
		fprintf(out, "%s run%s took %s%% of a CPU", number__group_u64(cnt, p->prog->runs),
			p->prog->runs == 1 ? "" : "s",
			number__group(share, 100 * cpu_share, cpu_share < .001 ? 4 : 2));
	if (parts) {
		fputs(runs ? ": " : "", out);
		print_share_or_count(&own, &p->sum, out);
		fprintf(out, " in %s, ", all ? "its own code" : "the functions below");
		print_share_or_count(&calls, &p->sum, out);
		fprintf(out, " in helpers and other functions that %s",
			all ? "it calls" : "they call");
	} else if (runs && !a->r->calls) {
		fputs(", with helpers and kernel functions that it calls, whose samples are not "
		      "known",
		      out);
	}
	if (runs || parts)
		fputc('\n', out);
	if (misses_time(a, p))
		fputs("note: less than half of that time is in the samples: the rest is lost, or "
		      "the "
		      "kernel did not find the way back to the program\n",
		      out);
}

char *annotated_callee__format(const struct annotated_callee *c)
{
	return c->map ? text__format("%s (%s, %s)", c->name, c->map, text__or_empty(c->map_type))
		      : xstrdup(c->name);
}

bool annotated_callee__is_small(const struct annotated_callee *c, const struct annotated_prog *p,
				const struct annotate_opts *o)
{
	const struct annotated sum = annotated_callee__sum(c);

	return o->percent_limit > 100 * annotated__share(&sum, &p->sum);
}

static void print_callee_line(const char *name, int indent, const struct annotated *part,
			      const struct annotated_prog *p, FILE *out)
{
	char share[SHARE_SZ];

	fprintf(out, "%6s  %*s", annotated__format_share(part, &p->sum, share), indent, "");
	text__put(out, text__printable(name));
	fputc('\n', out);
}

void annotated_func__print_callees(const struct annotated_func *f, const struct annotated_prog *p,
				   const struct annotate_opts *o, FILE *out)
{
	const struct annotated own = {f->sum.samples, f->sum.weight};
	bool first = true;

	for (int i = 0; annotated__has_shares(&p->sum) && i < f->callees.cnt; i++) {
		const struct annotated_callee *c = &f->callees.v[i];
		const struct annotated sum = annotated_callee__sum(c);
		char *name;

		if (annotated_callee__is_small(c, p, o))
			continue;
		if (first)
			print_callee_line("own code", 0, &own, p, out);
		first = false;
		name = annotated_callee__format(c);
		print_callee_line(name, 2 * (c->depth - 1), &sum, p, out);
		free(name);
	}
}
