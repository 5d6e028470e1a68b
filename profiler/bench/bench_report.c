// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes the reports of both versions from the blocks of a bench. Decides which rows the reports
 * have, and which numbers are marked as exact. Must not know how programs are run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/bench_priv.h"
#include "result/result.h"
#include "result/result_common.h"
#include "session/session.h"

static const struct bench_prog *find_prog(const struct bench *b, __u32 id)
{
	for (int i = 0; i < b->prog_cnt; i++)
		if (b->prog[i].id == id)
			return &b->prog[i];
	return NULL;
}

bool bench__has_row(const struct bench *b, __u32 prog_id, int which)
{
	const struct bench_prog *p = find_prog(b, prog_id);

	return p && p->fd >= 0 && !p->outcome[which].err;
}

/* ---- reports of one block, and of all blocks ---- */

/* The argument of wants(), which selects the rows of the programs of one version. */
struct report_part {
	const struct bench *b;
	enum bench_side side;
	const struct result_span *spans; /* indexed by input case */
};

static bool wants(void *arg, __u32 prog_id, const struct result_span *span)
{
	const struct report_part *part = arg;
	const struct bench_prog *p = find_prog(part->b, prog_id);

	return p && p->side == part->side &&
	       (!span || bench__has_row(part->b, prog_id, span - part->spans));
}

/*
 * Makes a report of one version. counted: the snapshots to report, indexed by input case. Their
 * counts began with zero.
 */
static int make_report(const struct bench *b, enum bench_side side, struct snapshot *const *counted,
		       const struct result_opts *result, struct report **out)
{
	struct result_span *spans = xcalloc(b->input->cnt, sizeof(*spans));
	struct snapshot *nothing = session__new_snapshot(b->s);
	struct report_part part = {b, side, spans};
	struct result_opts o = *result;
	int err;

	*out = NULL;
	o.driven = true;
	o.wants = wants;
	o.arg = &part;
	for (int c = 0; c < b->input->cnt; c++)
		spans[c] = (struct result_span){b->input->v[c].name, nothing, counted[c]};
	err = result__report(b->s, spans, b->input->cnt, &o, out);
	snapshot__free(nothing);
	free(spans);
	return err;
}

int bench__report_block(struct bench *b, const struct result_opts *result)
{
	int err = 0, nr = b->each_cnt;

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++)
		err = make_report(b, side, b->block, result, &b->each[side][nr]);
	/* A block counts only if both sides have a report. */
	for (int side = 0; err && side < BENCH_SIDE_CNT; side++) {
		report__free(b->each[side][nr]);
		b->each[side][nr] = NULL;
	}
	b->each_cnt += !err;
	return err;
}

/* ---- what a report shows besides counts ---- */

/*
 * Returns true for an event that counts every instruction exactly once on a machine whose clock
 * advances with the executed instructions (QEMU with -icount). On arm64 this is the event
 * "instructions", on x86-64 the time stamp counter.
 */
static bool counts_instructions(const struct report_event *ev)
{
	static const char *const bases[] = {"instructions", "msr/tsc/"};

	for (size_t i = 0; ev->base && i < ARRAY_SIZE(bases); i++)
		if (!strcmp(ev->base, bases[i]))
			return true;
	return false;
}

static bool is_same_or_both_nan(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/*
 * Returns true if two medians differ by no more than the width of a histogram bucket, which is 1/64
 * of the value. If a bucket holds runs with different values, hist__quantile() may return any value
 * in the bucket.
 */
static bool is_same_median(double a, double b)
{
	return is_same_or_both_nan(a, b) || 64 * fabs(a - b) <= fmin(a, b);
}

bool bench__is_exact(const struct report_event *ev)
{
	if (!counts_instructions(ev) || !ev->block_cnt || isnan(ev->block[0].stat[STAT_MIN]))
		return false;
	for (int i = 1; i < ev->block_cnt; i++)
		if (!is_same_or_both_nan(ev->block[i].stat[STAT_MIN],
					 ev->block[0].stat[STAT_MIN]) ||
		    !is_same_median(ev->block[i].stat[STAT_P50], ev->block[0].stat[STAT_P50]))
			return false;
	return true;
}

bool bench__has_varying_costs(const struct bench *b)
{
	for (int i = 0; i < b->s->targets.cnt; i++)
		if (b->s->targets.v[i].caller_cost_varies)
			return true;
	return false;
}

static int find_case(const struct bench *b, const char *name)
{
	for (int c = 0; c < b->input->cnt; c++)
		if (!strcmp(b->input->v[c].name ?: "", name ?: ""))
			return c;
	return 0;
}

static void set_retval(struct report_prog *row, const struct bench_outcome *out, int cnt)
{
	bool alike = true;

	for (int i = 1; i < cnt; i++)
		alike &= out->retval[i] == out->retval[0];
	row->retval_varies = out->varied;
	if (out->varied)
		return;
	if (alike) {
		row->retval = out->retval[0];
		return;
	}
	row->retvals = xcalloc(cnt, sizeof(*row->retvals));
	memcpy(row->retvals, out->retval, cnt * sizeof(*row->retvals));
	row->retvals_cnt = cnt;
}

static void add_notes(const struct bench *b, const struct bench_prog *p, int which,
		      struct report_prog *row)
{
	const struct bench_outcome *out = &p->outcome[which];
	__u64 runs = bench__runs(b, which);

	if (runs != b->o.repeat)
		report_notes__add(&row->notes,
				  "a block has %llu runs instead of %llu, so that each of the %d "
				  "packets is run equally often",
				  runs, b->o.repeat, b->input->v[which].packet_cnt);
	if (bench__is_fresh(b, p, which))
		report_notes__add(&row->notes,
				  "each run got a fresh packet, by its own system call%s",
				  out->changes ? ": the program changes its packet" : "");
	if (out->unwanted)
		report_notes__add(&row->notes,
				  "%llu runs in the counts were not made by bench: the program is "
				  "in use on this CPU",
				  out->unwanted);
	if (out->uncounted)
		report_notes__add(&row->notes, "%llu runs were made, but not counted",
				  out->uncounted);
	bench_replay__add_notes(&row->notes, p, b->input, which);
}

static void complete_row(const struct bench *b, struct report_prog *row)
{
	const struct bench_prog *p = find_prog(b, row->id);
	bool exact = b->o.exact && p->full_length && !bench__has_varying_costs(b);
	int which = find_case(b, row->input);

	for (int e = 0; e < row->all.event_cnt; e++) {
		struct report_event *ev = &row->all.event[e];

		ev->exact = exact && !row->random_code && bench__is_exact(ev);
	}
	row->short_code = p->fixed_short;
	if (row->subprog)
		return;
	row->size[SIZE_STACK] = p->stack_bytes;
	row->size[SIZE_PEAK_STATES] = p->peak_states;
	report_prog__set_verification(row, p->verification, p->verification_cnt);
	/*
	 * Since Linux 5.16, the kernel reports the number of verified instructions, too, so the
	 * size may already be set.
	 */
	if (isnan(row->size[SIZE_VERIFIED_INSNS]))
		row->size[SIZE_VERIFIED_INSNS] = p->verified_insns;
	if (!b->o.live && !row->by_retval)
		set_retval(row, &p->outcome[which], b->input->v[which].packet_cnt);
	add_notes(b, p, which, row);
}

int bench__report_nothing(const struct result_opts *result, struct report **out)
{
	struct report *r = report__new();
	int err = result__fill_host(r, result->command);

	*out = NULL;
	if (err) {
		report__free(r);
		return result__fail(err);
	}
	result__set_jit(r);
	r->host.cpus = 1;
	r->started = result->started;
	r->driven = true;
	*out = r;
	return 0;
}

int bench__report(struct bench *b, enum bench_side side, const struct result_opts *result,
		  struct report **out)
{
	int err = make_report(b, side, b->all, result, out);
	char name[256];

	if (err)
		return err;
	report__set_repeats(*out, b->each[side], b->each_cnt);
	for (int i = 0; i < (*out)->prog_cnt; i++)
		complete_row(b, &(*out)->prog[i]);
	/* Each combination of program and case that could not be run is a skip. */
	for (int i = 0; i < b->prog_cnt; i++) {
		const struct bench_prog *p = &b->prog[i];

		for (int c = 0; p->side == side && c < b->input->cnt; c++)
			if (p->outcome[c].err)
				report__skip(*out, p->id, bench__label(b, p, c, name, sizeof(name)),
					     "test_run", bench__explain(p->outcome[c].err));
	}
	return 0;
}
