// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof bench: what programs cost with given input. Owns the order of things: load, select, run,
 * measure, and compare where there are two versions.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_args.h"
#include "bench_object.h"
#include "command.h"
#include "compare_output.h"
#include "log.h"
#include "output.h"
#include "result.h"
#include "session.h"
#include "util.h"

struct bench_run {
	const struct bench_args *a;
	struct bench_object *object[BENCH_SIDE_CNT];
	char *ids[BENCH_SIDE_CNT]; /* of the objects' programs, for selectors */
	struct selector_list selectors;
	__u32 *base; /* ids of the base's programs */
	int base_cnt;
	struct target_list targets; /* until the session has them */
	struct bench bench;
	struct session *session;
	struct report *report[BENCH_SIDE_CNT];
	bool failed; /* something was not measured, or returned what it must not */
};

/* An object's programs, selected by their ids. */
static int select_object(struct bench_run *r, enum bench_side side, const char *path)
{
	size_t sz;
	FILE *ids;
	int err = bench_object__load(path, &r->a->setup, test_run__has_type, &r->object[side]);

	if (err)
		return err;
	ids = open_memstream(&r->ids[side], &sz);
	if (!ids)
		return log_err(-ENOMEM, "out of memory");
	for (int i = 0; i < r->object[side]->prog_cnt; i++)
		fprintf(ids, "%s%u", i ? "," : "", r->object[side]->prog[i].id);
	if (fclose(ids))
		return log_err(-ENOMEM, "out of memory");
	return selector_list__add(&r->selectors, SELECT_ID, r->ids[side]);
}

static int add_base(struct bench_run *r, __u32 id)
{
	__u32 *base = array__add(&r->base, &r->base_cnt, sizeof(*base));

	if (!base)
		return log_err(-ENOMEM, "out of memory");
	*base = id;
	return 0;
}

static bool is_base(const struct bench_run *r, __u32 id)
{
	for (int i = 0; i < r->base_cnt; i++)
		if (r->base[i] == id)
			return true;
	return false;
}

/* Which programs --baseline means is asked first, for all that are measured are selected together. */
static int find_baseline(struct bench_run *r)
{
	struct target_list base = {};
	int err = target_list__select(&r->a->loaded[BENCH_BASE], NULL, &base);

	if (!err && base.skip_cnt)
		err = -ENOENT; /* which is reported */
	for (int i = 0; !err && i < base.cnt; i++)
		err = add_base(r, base.v[i].id);
	target_list__free(&base);
	return err;
}

static int select_loaded(struct bench_run *r)
{
	int err = r->a->loaded[BENCH_BASE].cnt ? find_baseline(r) : 0;

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		const struct selector_list *l = &r->a->loaded[side];

		for (int i = 0; !err && i < l->cnt; i++)
			err = selector_list__add(&r->selectors, l->v[i].kind, l->v[i].arg);
	}
	return err;
}

static int select_programs(struct bench_run *r)
{
	int first = BENCH_SIDE_CNT - r->a->object_cnt, err = 0;

	for (int i = 0; !err && i < r->a->object_cnt; i++)
		err = select_object(r, first + i, r->a->object[i]);
	for (int i = 0; !err && r->object[BENCH_BASE] && i < r->object[BENCH_BASE]->prog_cnt; i++)
		err = add_base(r, r->object[BENCH_BASE]->prog[i].id);
	if (!err && !r->a->object_cnt)
		err = select_loaded(r);
	return err ?: target_list__select(&r->selectors, r->a->func, &r->targets);
}

static double known_or_nan(long n)
{
	return n < 0 ? NAN : n;
}

/* The verifier says it as it loads a program, and of a loaded one nobody does. */
static void set_sizes(const struct bench_run *r, struct bench_prog *p)
{
	p->stack_bytes = p->verified_insns = NAN;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		for (int i = 0; r->object[side] && i < r->object[side]->prog_cnt; i++) {
			const struct bench_object_prog *from = &r->object[side]->prog[i];

			if (from->id != p->id)
				continue;
			p->stack_bytes = known_or_nan(from->stack_depth);
			p->verified_insns = known_or_nan(from->verified_insns);
		}
}

static struct bench_prog describe(const struct bench_run *r, const struct target *t)
{
	return (struct bench_prog){
		.fd = t->prog->fd,
		.id = t->id,
		.type = t->prog->info.type,
		.name = prog__name(t->prog),
		.side = is_base(r, t->id) ? BENCH_BASE : BENCH_NEW,
		.partner = -1,
	};
}

/* The targets' programs, each once. */
static int add_programs(struct bench_run *r)
{
	int err = 0;

	r->failed |= r->targets.skip_cnt;
	for (int i = 0; !err && i < r->targets.cnt; i++) {
		const struct target *t = &r->targets.v[i];
		struct bench_prog p = describe(r, t);

		set_sizes(r, &p);
		if (!i || t->id != t[-1].id)
			err = bench__add(&r->bench, &p);
	}
	if (err || !bench_args__compare(r->a))
		return err;
	for (int i = 0, cnt[BENCH_SIDE_CNT] = {}; i < r->bench.prog_cnt; i++)
		if (++cnt[r->bench.prog[i].side] && cnt[BENCH_BASE] && cnt[BENCH_NEW])
			return 0;
	return log_err(-ENOENT, "bench: there is nothing to compare: one version has no program "
				"that can be measured");
}

/* Binds this thread to a CPU, where all runs are, and which is measured alone. */
static int bind_to_cpu(const struct bench_run *r, struct cpus *cpus)
{
	int cpu = r->a->cpu == NOT_GIVEN ? sched_getcpu() : (int)r->a->cpu;
	char list[16];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return log_err(-errno, "-C %d: cannot run on that CPU: %s", cpu,
			       errno == EINVAL ? "it is not online, or not allowed to this process"
					       : strerror(errno));
	snprintf(list, sizeof(list), "%d", cpu);
	return cpus__parse(list, cpus, NULL) ? log_err(-ENOMEM, "out of memory") : 0;
}

static int look(struct bench_run *r)
{
	struct bench *b = &r->bench;
	int err = bench__look(b), bad, can_run = 0;

	if (err)
		return err;
	for (int i = 0; i < b->prog_cnt; i++) {
		can_run += bench_prog__can_run(b, &b->prog[i]);
		for (int c = 0; c < b->input->cnt; c++)
			r->failed |= b->prog[i].outcome[c].err;
	}
	if (!can_run)
		return log_err(-ENODATA, "bench: no program could be run");
	bad = bench_expects__check(&r->a->expects, b);
	r->failed |= bad > 0;
	return bad < 0 ? bad : 0;
}

static int open_session(struct bench_run *r, const struct cpus *cpus)
{
	const struct session_opts o = {
		.calibrate = !r->a->no_calibrate, .hist = !r->a->no_hist, .sample = 1};
	int err = session__open(&r->targets, &r->a->measure.events, cpus, &o, &r->session);

	r->bench.s = r->session;
	if (err)
		return err;
	r->failed |= r->session->targets.skip_cnt;
	return r->session->targets.cnt ? 0 : log_err(-ENODATA, "nothing could be measured");
}

static int make_reports(struct bench_run *r, const struct result_opts *result)
{
	int err = bench__measure(&r->bench, result);

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++)
		err = bench__report(&r->bench, side, result, &r->report[side]);
	for (int i = 0; !err && i < r->bench.prog_cnt; i++)
		for (int c = 0; c < r->bench.input->cnt; c++)
			if (r->bench.prog[i].outcome[c].varied)
				log_warn("program %u %s: the same packet was not always answered "
					 "alike: what it does depends on more than that",
					 r->bench.prog[i].id, r->bench.prog[i].name);
	return err;
}

static int measure(struct bench_run *r, char **argv)
{
	const struct bench_args *a = r->a;
	struct result_opts result = {.command = argv};
	struct cpus cpus = {};
	int err;

	r->bench.o = (struct bench_opts){
		.repeat = a->repeat,
		.warm_up = a->warm_up,
		.blocks = a->blocks,
		.fresh = a->fresh,
		.live = a->live,
		.exact = a->exact,
	};
	r->bench.input = &a->input;
	clock_gettime(CLOCK_REALTIME, &result.started);
	err = select_programs(r) ?:
	      add_programs(r) ?:
	      bind_to_cpu(r, &cpus) ?:
	      look(r) ?:
	      open_session(r, &cpus) ?:
	      make_reports(r, &result);
	cpus__free(&cpus);
	return err;
}

/* ---- what becomes of it ---- */

static int write_report(const struct report *report, const struct render_opts *o, const char *path,
			bool append)
{
	struct render_opts render = *o;
	FILE *out;
	int err = output__open(path, append, &out);

	if (err)
		return err;
	render.color = output__wants_color(out);
	err = report__render(report, &render, out);
	if (err)
		log_err(err, "%s: cannot write the report: %s", path ?: "standard output",
			strerror(-err));
	return output__close(out, path, err);
}

static int save_reports(const struct bench_run *r)
{
	const struct render_opts json = {.format = OUTPUT_JSON};
	int err = 0;

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++)
		if (r->a->save[side])
			err = write_report(r->report[side], &json, r->a->save[side], false);
	return err;
}

/* What the user calls a version. */
static char *side_name(const struct bench_run *r, enum bench_side side)
{
	const struct selector_list *l = &r->a->loaded[side];
	char *name = NULL;

	if (r->a->object_cnt)
		return strdup(r->a->object[side]);
	return asprintf(&name, "%s%s", l->v[0].kind == SELECT_ID ? "program " : "", l->v[0].arg) < 0
		       ? NULL
		       : name;
}

static int write_comparison(const struct bench_run *r, int *status)
{
	const struct bench_args *a = r->a;
	char *base = side_name(r, BENCH_BASE), *new = side_name(r, BENCH_NEW);
	const struct compare_output_opts o = {
		.flags = &a->compare,
		.format = a->measure.json ? COMPARE_JSON
			  : a->markdown	  ? COMPARE_MARKDOWN
			  : a->junit	  ? COMPARE_JUNIT
					  : COMPARE_TEXT,
		.base_name = base,
		.new_name = new,
		.output = a->measure.output,
		.verbose = a->measure.verbose,
	};
	int err = base && new ? compare_output__write(r->report[BENCH_BASE], r->report[BENCH_NEW],
						      &o, status)
			      : log_err(-ENOMEM, "out of memory");

	free(base);
	free(new);
	return err;
}

static int write_results(const struct bench_run *r, int *status)
{
	const struct measure_opts *m = &r->a->measure;
	struct render_opts render = {
		.format = m->json	   ? OUTPUT_JSON
			  : m->sep	   ? OUTPUT_CSV
			  : r->a->benchfmt ? OUTPUT_BENCHFMT
					   : OUTPUT_TEXT,
		.sep = m->sep,
		.verbose = m->verbose,
		.header = true,
	};
	int err = save_reports(r);

	if (err || (bench_args__compare(r->a) && !r->a->benchfmt))
		return err ?: write_comparison(r, status);
	if (bench_args__compare(r->a)) {
		render.version = "old";
		err = write_report(r->report[BENCH_BASE], &render, m->output, m->append);
		render.version = "new";
	}
	return err
		       ?: write_report(r->report[BENCH_NEW], &render, m->output,
				       m->append || bench_args__compare(r->a));
}

static void free_run(struct bench_run *r)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		report__free(r->report[side]);
	bench__free(&r->bench);
	session__close(r->session);
	target_list__free(&r->targets);
	selector_list__free(&r->selectors);
	free(r->base);
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		free(r->ids[side]);
		bench_object__free(r->object[side]);
	}
}

static int run_bench(struct bench_args *a, char **argv)
{
	struct bench_run r = {.a = a};
	int status = EXIT_DONE, err;

	err = bench_args__read_input(a) ?:
	      measure_opts__set_default_events(&a->measure) ?:
	      measure(&r, argv);
	if (err)
		status = err == -ENODATA && !r.failed ? EXIT_NOTHING : EXIT_FAILED;
	else if (write_results(&r, &status))
		status = EXIT_FAILED; /* also where the versions have nothing in common */
	else if (r.failed && status != EXIT_REGRESSION)
		status = EXIT_FAILED;
	free_run(&r);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_args a;
	int status = EXIT_USAGE, err = bench_args__parse(&a, argc, argv);

	if (err > 0)
		status = EXIT_DONE;
	else if (!err && a.measure.list_events)
		status = measure_opts__print_events() ? EXIT_FAILED : EXIT_DONE;
	else if (!err)
		status = run_bench(&a, argv);
	bench_args__free(&a);
	return status;
}
