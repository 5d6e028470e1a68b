// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs programs in blocks. Owns the order of runs, their return values, and the counts of blocks.
 * Must not know where programs come from, or what happens with the reports.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/bench_priv.h"
#include "btf/prog.h"
#include "session/session.h"

void bench__add(struct bench *b, const struct bench_prog *p)
{
	struct bench_prog *to = array__add(&b->prog, &b->prog_cnt, sizeof(*to));
	double *times = xcalloc(p->verification_cnt + 1, sizeof(*times));
	int last = b->prog_cnt - 1;

	*to = *p;
	to->name = xstrdup(p->name);
	to->other_name = xstrdup(p->other_name);
	for (int i = 0; i < p->verification_cnt; i++)
		times[i] = p->verification[i];
	to->verification = times;
	for (int i = 0; to->partner < 0 && i < last; i++)
		if (b->prog[i].side != to->side && b->prog[i].partner < 0 &&
		    !strcmp(b->prog[i].name, to->other_name) &&
		    !strcmp(b->prog[i].other_name, to->name))
			to->partner = i;
	if (to->partner >= 0)
		b->prog[to->partner].partner = last;
}

int bench__renew(struct bench *b, int index, const struct bench_prog *p)
{
	struct bench_prog *to = index < b->prog_cnt ? &b->prog[index] : NULL;

	if (!to || to->side != p->side || to->type != p->type || strcmp(to->name, p->name))
		return log_err(-ESTALE, "bench: program %u %s was replaced during the measurement",
			       p->id, p->name);
	to->fd = p->fd;
	to->id = p->id;
	return 0;
}

/* ---- outcomes ---- */

const char *bench__label(const struct bench *b, const struct bench_prog *p, int which, char *buf,
			 size_t sz)
{
	const char *input = b->input->v[which].name;

	snprintf(buf, sz, "%s%s%s%s", p->name, input ? " [" : "", input ?: "", input ? "]" : "");
	return buf;
}

const char *bench__explain(int err)
{
	static const struct {
		int err;
		const char *text;
	} reasons[] = {
		{EINVAL, "the kernel rejects this packet or context for the program type: too "
			 "short, too long, or not of the expected size"},
		{ENOTSUP, "this kernel does not run programs of that type on request"},
		{KERNEL_ENOTSUPP, "this kernel does not run programs of that type on request"},
		{E2BIG, "the context is longer than this kernel's, and its excess is not zero"},
		{ENODEV, "the context names a network device that does not exist"},
		{EMSGSIZE, "the packet is too long for this kernel"},
		{EPROTOTYPE, "--live-frames: only XDP programs can run with live frames"},
		{EPROTONOSUPPORT,
		 "--live-frames: not supported by this kernel (needs Linux 5.18), or not with this "
		 "context or a packet of this length"},
		{ETIME,
		 "a block takes longer than --block-time; use a smaller --repeat, or a longer "
		 "--block-time"},
		{EPERM, "needs CAP_BPF, and CAP_NET_ADMIN for networking programs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].err == -err)
			return reasons[i].text;
	return strerror(-err);
}

/* The maximum number of runs that test_run__check_repeat() makes of a program that takes packets */
#define CHECK_RUNS 3

__u64 bench__runs(const struct bench *b, int which)
{
	__u64 cnt = b->input->v[which].packet_cnt;

	return (b->o.repeat + cnt - 1) / cnt * cnt;
}

int bench__check_time(const struct bench *b, const struct bench_prog *p, int which, __u64 runs,
		      __u64 ns)
{
	double run_s = ns / 1e9 / runs, limit_s = b->o.block_ns / 1e9;
	__u64 fitting = limit_s / run_s;
	char label[256], advice[64] = "";

	if (!b->o.block_ns || run_s * bench__runs(b, which) <= limit_s)
		return 0;
	fitting -= fitting % b->input->v[which].packet_cnt;
	if (fitting)
		snprintf(advice, sizeof(advice), "--repeat %llu, or ", fitting);
	return log_err(-ETIME,
		       "program %u %s: is left out: a run takes %.3g s, so a block of %llu takes "
		       "longer than %.3g s (--block-time); use %sa longer --block-time",
		       p->id, bench__label(b, p, which, label, sizeof(label)), run_s,
		       bench__runs(b, which), limit_s, advice);
}

/*
 * If the runs so far took this long in total, one-time costs at their beginning hardly matter:
 * further runs take about as long each.
 */
#define CERTAIN_NS (1000 * NSEC_PER_MSEC)

/*
 * Runs each packet of a case o->repeat times. Sets *ns to the time that this took. Returns 0 or the
 * kernel's error for the run.
 */
static int time_case(const struct bench *b, const struct bench_prog *p, int which,
		     const struct test_run_opts *o, __u64 *ns)
{
	struct test_run_result result;
	__u64 begin;
	int err;

	do {
		begin = now_ns();
		err = 0;
		for (int i = 0; !err && i < b->input->v[which].packet_cnt; i++) {
			struct test_input in = bench_input__at(b->input, which, i, p->type);

			err = test_run(p->fd, p->type, &in, o, &result);
		}
	} while (err == -EINTR); /* bprof was stopped and continues: the time includes the stop */
	*ns = now_ns() - begin;
	return err;
}

/*
 * Checks how long a block would take. So far, "runs" runs with each packet of the case took ns. The
 * first runs are slow: caches are cold, and in a system call with several runs of an XDP program
 * the kernel first waits for a grace period (bpf_dispatcher_change_prog()). So if these runs were
 * slow, measures ten times as many runs, and so on. Returns 0, -ETIME (reported), or the kernel's
 * error for the run.
 */
static int check_block_time(const struct bench *b, const struct bench_prog *p, int which,
			    __u64 runs, __u64 ns)
{
	const struct bench_case *c = &b->input->v[which];
	double block_ns = b->o.block_ns;
	int err = 0;

	while (block_ns && (double)ns / (runs * c->packet_cnt) * bench__runs(b, which) > block_ns &&
	       ns < CERTAIN_NS && runs < b->o.repeat) {
		struct test_run_opts o = {.fresh = p->outcome[which].changes, .live = b->o.live};

		o.repeat = runs = runs * 10 < b->o.repeat ? runs * 10 : b->o.repeat;
		err = time_case(b, p, which, &o, &ns);
		if (err)
			return err;
	}
	return bench__check_time(b, p, which, runs * c->packet_cnt, ns);
}

static int inspect_case(const struct bench *b, struct bench_prog *p, int which)
{
	struct bench_outcome *out = &p->outcome[which];
	const struct bench_case *c = &b->input->v[which];
	char label[256];
	__u64 begin;
	int err;

	out->retval = xcalloc(c->packet_cnt, sizeof(*out->retval));
	err = bench__check_steps(b, p, which);
	if (err)
		return err;
	out->err = bench__build_up(b, p, which);
	if (out->err)
		return 0; /* reported */
	begin = now_ns();
	for (int i = 0; !out->err && i < c->packet_cnt; i++) {
		struct test_input in = bench_input__at(b->input, which, i, p->type);
		bool changed;

		out->err = test_run__check_repeat(p->fd, p->type, &in, &out->retval[i], &changed);
		if (!out->err && b->o.live)
			out->err = test_run__check_live(p->fd, p->type, &in);
		out->changes |= changed;
	}
	if (out->err)
		log_err(out->err, "program %u %s: cannot be test-run: %s", p->id,
			bench__label(b, p, which, label, sizeof(label)), bench__explain(out->err));
	else
		out->err = check_block_time(b, p, which,
					    test_run__takes_packet(p->type) ? CHECK_RUNS : 1,
					    now_ns() - begin);
	return 0;
}

int bench__inspect(struct bench *b)
{
	int err = 0;

	for (int i = 0; !err && i < b->prog_cnt; i++) {
		struct bench_prog *p = &b->prog[i];

		p->outcome = xcalloc(b->input->cnt, sizeof(*p->outcome));
		for (int c = 0; !err && c < b->input->cnt; c++)
			err = inspect_case(b, p, c);
	}
	return err;
}

bool bench_prog__can_run(const struct bench *b, const struct bench_prog *p)
{
	for (int c = 0; c < b->input->cnt; c++)
		if (!p->outcome[c].err)
			return true;
	return false;
}

bool bench__is_fresh(const struct bench *b, const struct bench_prog *p, int which)
{
	const struct bench_outcome *other = p->partner >= 0 ? &b->prog[p->partner].outcome[which]
							    : NULL;

	/* If one version changes its packets, both get fresh ones: the conditions must be equal. */
	return b->o.fresh || b->input->v[which].packet_cnt > 1 || p->outcome[which].changes ||
	       (other && other->changes);
}

/* ---- runs ---- */

/* Returns 0; -EINTR: bprof was stopped during the runs, and continues; or another -errno (reported). */
static int run_case(const struct bench *b, struct bench_prog *p, int which, __u32 runs)
{
	int cnt = b->input->v[which].packet_cnt, err = 0;
	const struct test_run_opts o = {.repeat = cnt > 1 ? 1 : runs,
					.fresh = bench__is_fresh(b, p, which),
					.live = b->o.live};
	struct bench_outcome *out = &p->outcome[which];
	char label[256];

	/* Cycle through the packets in the order of the capture. */
	for (__u32 i = 0; !err && i < (cnt > 1 ? runs : 1); i++) {
		const struct test_input in = bench_input__at(b->input, which, i % cnt, p->type);
		struct test_run_result result;

		err = test_run(p->fd, p->type, &in, &o, &result);
		if (!err && !b->o.live)
			out->varied |= result.varied || result.retval != out->retval[i % cnt];
	}
	if (!err || err == -EINTR)
		return err;
	return log_err(err, "program %u %s: a test run failed: %s", p->id,
		       bench__label(b, p, which, label, sizeof(label)), strerror(-err));
}

/* Returns the number of counted runs minus the number of runs that bench requested. */
static __s64 count_extra(const struct bench *b, const struct bench_prog *p, int which,
			 const struct snapshot *at)
{
	__s64 seen = 0;

	for (int i = 0; i < b->s->targets.cnt; i++) {
		const struct target *t = &b->s->targets.v[i];

		if (t->id != p->id || t->subprog)
			continue;
		for (int row = 0; row <= at->cpu_cnt; row++) {
			const struct counts *c = snapshot__at(at, i, row);

			seen += c->measured + c->thinned_out;
			for (int l = 0; l < LOST_CNT; l++)
				seen += c->lost[l];
		}
		return seen - bench__runs(b, which);
	}
	return 0;
}

/*
 * Measures one block of one program with one case. The counts start from zero. Returns the same
 * values as run_case().
 */
static int try_one(struct bench *b, struct bench_prog *p, int which)
{
	struct snapshot *from = NULL, *to = NULL;
	int err, stop_err;

	err = bench__build_up(b, p, which);
	if (err)
		return err;
	session__restart(b->s);
	err = session__start(b->s, &from);
	if (err)
		return err;
	err = run_case(b, p, which, bench__runs(b, which));
	stop_err = session__stop(b->s, &to);
	err = err ?: stop_err;
	if (!err) {
		__s64 extra = count_extra(b, p, which, to);

		*(extra > 0 ? &p->outcome[which].unwanted : &p->outcome[which].uncounted) +=
			llabs(extra);
		snapshot__merge(b->block[which], to);
	}
	snapshot__free(from);
	snapshot__free(to);
	return err ?: session__check_others(b->s);
}

/* Every second block runs in reverse order: the first program of a block finds colder caches. */
static int measure_block(struct bench *b, int block)
{
	int err = 0;

	for (int c = 0; !err && c < b->input->cnt; c++) {
		snapshot__free(b->block[c]);
		b->block[c] = session__new_snapshot(b->s);
		for (int i = 0; !err && i < b->prog_cnt; i++) {
			struct bench_prog *p = &b->prog[block % 2 ? b->prog_cnt - 1 - i : i];

			if (!bench__has_row(b, p->id, c))
				continue;
			/* after Ctrl-Z and fg, or a stop by a freezer or debugger: measure again */
			do
				err = try_one(b, p, c);
			while (err == -EINTR);
		}
		if (!err)
			snapshot__merge(b->all[c], b->block[c]);
	}
	return err;
}

static int warm_up_prog(struct bench *b, struct bench_prog *p, int which)
{
	int err = bench__build_up(b, p, which);

	if (err)
		return err;
	do
		err = run_case(b, p, which, b->o.warm_up);
	while (err == -EINTR);
	return err;
}

static int warm_up(struct bench *b)
{
	int err = 0;

	for (int c = 0; !err && c < b->input->cnt; c++)
		for (int i = 0; !err && i < b->prog_cnt; i++)
			if (b->o.warm_up && bench__has_row(b, b->prog[i].id, c))
				err = warm_up_prog(b, &b->prog[i], c);
	return err;
}

int bench__measure(struct bench *b, const struct result_opts *result)
{
	int err;

	if (!b->block) {
		b->block = xcalloc(b->input->cnt, sizeof(*b->block));
		b->all = xcalloc(b->input->cnt, sizeof(*b->all));
		for (int i = 0; i < BENCH_SIDE_CNT; i++)
			b->each[i] = xcalloc(b->o.blocks, sizeof(*b->each[i]));
		for (int c = 0; c < b->input->cnt; c++)
			b->all[c] = session__new_snapshot(b->s);
	}
	err = b->warm ? 0 : warm_up(b);
	b->warm = true;
	return err ?: measure_block(b, b->each_cnt) ?: bench__report_block(b, result);
}

static void free_snapshots(struct snapshot **snap, int cnt)
{
	for (int i = 0; snap && i < cnt; i++)
		snapshot__free(snap[i]);
	free(snap);
}

void bench__free(struct bench *b)
{
	for (int i = 0; i < b->prog_cnt; i++) {
		for (int c = 0; b->prog[i].outcome && c < b->input->cnt; c++)
			free(b->prog[i].outcome[c].retval);
		free(b->prog[i].outcome);
		free(b->prog[i].name);
		free(b->prog[i].other_name);
		free((double *)b->prog[i].verification);
	}
	free(b->prog);
	bench__free_rows(b);
	if (b->input) {
		free_snapshots(b->block, b->input->cnt);
		free_snapshots(b->all, b->input->cnt);
	}
	for (int i = 0; i < BENCH_SIDE_CNT; i++) {
		for (int e = 0; e < b->each_cnt; e++)
			report__free(b->each[i][e]);
		free(b->each[i]);
	}
	memset(b, 0, sizeof(*b));
}
