// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The runs that precede the measured runs of a case and build up the state of maps. Owns their
 * order. Must not know how runs are measured.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "bench/bench.h"
#include "bench/bench_priv.h"

/* Returns the program of p's version that a step runs, or NULL. */
static const struct bench_prog *find_step_prog(const struct bench *b, const struct bench_prog *p,
					       const struct bench_step *step)
{
	if (!step->prog)
		return p;
	for (int i = 0; i < b->prog_cnt; i++)
		if (b->prog[i].side == p->side && b->prog[i].fd >= 0 &&
		    !strcmp(b->prog[i].name, step->prog))
			return &b->prog[i];
	return NULL;
}

int bench__check_steps(const struct bench *b, const struct bench_prog *p, int which)
{
	const struct bench_setting *setting = b->input->v[which].setting;

	for (int i = 0; setting && i < setting->before_cnt; i++)
		if (!find_step_prog(b, p, &setting->before[i]))
			return log_err(-EINVAL,
				       "case %s: before[%d]: no program '%s' is run by this entry; "
				       "add it to \"prog\"",
				       b->input->v[which].name, i, setting->before[i].prog);
	return 0;
}

static int run_step(const struct bench *b, const struct bench_prog *p,
		    const struct bench_step *step)
{
	/* With only one packet, one system call makes all runs; else each run is a system call. */
	bool one = step->packet_cnt == 1;
	const struct test_run_opts o = {.repeat = one ? step->repeat : 1, .fresh = true};
	struct test_run_result result;
	int err = 0;

	for (__u64 n = 0; !err && n < (one ? 1 : step->repeat); n++)
		for (int i = 0; !err && i < step->packet_cnt; i++) {
			const struct test_input in = bench_step__at(b->input, step, i, p->type);

			do
				err = test_run(p->fd, p->type, &in, &o, &result);
			while (err == -EINTR); /* bprof was stopped, and continues */
		}
	return err;
}

int bench__build_up(const struct bench *b, const struct bench_prog *p, int which)
{
	const struct bench_setting *setting = b->input->v[which].setting;
	char label[256];

	for (int i = 0; setting && i < setting->before_cnt; i++) {
		const struct bench_prog *by = find_step_prog(b, p, &setting->before[i]);
		int err = by ? run_step(b, by, &setting->before[i]) : -ENOENT;

		if (err)
			return log_err(err, "program %u %s: before[%d] cannot be run: %s", p->id,
				       bench__label(b, p, which, label, sizeof(label)), i,
				       by ? bench__explain(err) : "its program is not measured");
	}
	return 0;
}
