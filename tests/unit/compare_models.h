/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs of reports for the tests of comparisons. Include this file after report_models.h.
 */
#ifndef BPROF_TEST_COMPARE_MODELS_H
#define BPROF_TEST_COMPARE_MODELS_H

#include "compare/compare.h"
#include "render/render.h"
#include "tests/unit/report_models.h"

/* Returns the output of a comparison, which the caller frees. */
static inline char *render_comparison(const struct comparison *c, comparison_render_fn *fn,
				      const struct compare_render_opts *o)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	assert_int_equal(comparison__render(c, fn, o, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), sz);
	return text;
}

/*
 * Adds an event with cnt blocks. Block i has v[i] as mean and as median; the event has the mean of
 * v.
 */
static inline struct report_event *add_blocks(struct report_row *row, const char *name,
					      const double *v, int cnt)
{
	struct report_event *ev = add_event(row, name, 0);
	double sum = 0;

	for (int i = 0; i < cnt; i++) {
		add_block(ev, 1000, v[i], v[i]);
		sum += v[i];
	}
	ev->stat[STAT_MEAN] = ev->stat[STAT_P50] = sum / cnt;
	return ev;
}

/*
 * Adds an event with cnt blocks. Their values rise in steps of "step" and lie evenly around "mean".
 */
static inline struct report_event *add_spread(struct report_row *row, const char *name, double mean,
					      double step, int cnt)
{
	double v[64];

	assert_in_range(cnt, 1, 64);
	for (int i = 0; i < cnt; i++)
		v[i] = mean + step * (i - (cnt - 1) / 2.);
	return add_blocks(row, name, v, cnt);
}

static inline struct report_event *add_exact(struct report_row *row, const char *name, double value)
{
	struct report_event *ev = add_event(row, name, value);

	ev->exact = true;
	ev->stat[STAT_MIN] = ev->stat[STAT_P50] = value;
	return ev;
}

/*
 * Returns the report before (or, if new is set, after) a change that makes some events worse and
 * some better.
 */
static inline struct report *make_side(bool new)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 8000);

	add_spread(&p->all, "cycles", new ? 166.5 : 151.25, 0.25, 8);
	add_spread(&p->all, "time", new ? 84.25 : 84, 0.5, 8);
	add_exact(&p->all, "instructions", new ? 100 : 99);
	p = add_prog(r, 42, "xdp_lb", "parse_ipv6", 8000);
	p->subprog = true;
	add_spread(&p->all, "cycles", new ? 30 : 15, 0.125, 8);
	add_spread(&p->all, "time", new ? 70 : 90, 2, 8);
	add_exact(&p->all, "instructions", 12345);
	p = add_prog(r, 57, new ? "xdp_fw_v2" : "xdp_fw", new ? "xdp_fw_v2" : "xdp_fw", 8000);
	p->method = new ? "run_stats" : "fentry";
	add_spread(&p->all, "time", new ? 260 : 250, 25, 6);
	p = add_prog(r, 58, "few", "few", 3000);
	add_spread(&p->all, "time", new ? 300 : 200, 1, 3);
	p = add_prog(r, 59, new ? "added" : "removed", "f", 3000);
	add_spread(&p->all, "time", 7, 0.5, 6);
	add_event(&add_prog(r, 60, "idle", "idle", 0)->all, "time", 0);
	if (new) {
		free(r->host.kernel);
		r->host.kernel = strdup("6.12.60");
	}
	return r;
}

/* Two reports with one program each, and their comparison. */
struct scene {
	struct report *base, *new;
	struct report_row *base_row, *new_row;
	struct compare_limits limits;
	struct compare_matches matches;
	bool allow_retval_change;
	struct comparison *c;
	struct reason err;
};

static inline void open_scene(struct scene *s, const char *base_name, const char *new_name)
{
	*s = (struct scene){.base = make_base(), .new = make_base()};
	s->base_row = &add_prog(s->base, 1, base_name, base_name, 8000)->all;
	s->new_row = &add_prog(s->new, 2, new_name, new_name, 8000)->all;
}

static inline void add_limit(struct scene *s, const char *spec)
{
	assert_int_equal(compare_limits__add(&s->limits, spec, NULL), 0);
}

static inline int try_compare(struct scene *s)
{
	const struct compare_opts o = {&s->limits, &s->matches, s->allow_retval_change};
	int err;

	comparison__free(s->c);
	memset(&s->err, 0, sizeof(s->err));
	err = compare__reports(s->base, s->new, &o, &s->c, &s->err);
	assert_int_equal(!s->c, !!err);
	assert_int_equal(!*s->err.detail, !err);
	return err;
}

static inline const struct compare_row *compare(struct scene *s)
{
	if (try_compare(s))
		fail_msg("%s", s->err.detail);
	assert_true(s->c->row_cnt > 0);
	return &s->c->row[0];
}

static inline void close_scene(struct scene *s)
{
	comparison__free(s->c);
	compare_limits__free(&s->limits);
	compare_matches__free(&s->matches);
	report__free(s->base);
	report__free(s->new);
}

#endif
