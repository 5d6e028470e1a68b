// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The verifier's figures on programs, such as the number of verified instructions. Owns the load of
 * programs that the kernel cannot test-run, which are loaded only to get these figures. Must not
 * know how programs are run, or what reports look like.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/call_graph.h"
#include "btf/ctx_reads.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "kernel/verifier_log.h"
#include "object/object_load.h"

static long find_stack_depth(int prog_fd, const struct verifier_stats *stats)
{
	struct prog *prog = NULL;
	struct reason reason;
	long depth = -1;
	int fd;

	if (stats->func_cnt < 2)
		return stats->func_cnt ? (long)stats->stack[0] : -1;
	fd = fcntl(prog_fd, F_DUPFD_CLOEXEC, 0);
	if (prog__open_fd(fd, &prog))
		return -1;
	if (!prog__load_funcs(prog, &reason) && prog->funcs->cnt == (__u32)stats->func_cnt &&
	    !prog__load_calls(prog))
		depth = verifier_stats__deepest(stats, prog->calls);
	prog__close(prog);
	return depth;
}

static void add_time(struct bench_object_prog *p, const struct verifier_stats *stats)
{
	if (stats->usec >= 0)
		*(double *)array__add(&p->verification, &p->verification_cnt, sizeof(double)) =
			stats->usec * 1000.0;
}

int bench_figures__fill(const struct bench_load *l, struct bench_object_prog *p,
			const struct bpf_program *prog, const char *log)
{
	struct verifier_stats stats;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	p->name = bpf_program__name(prog);
	p->fd = bpf_program__fd(prog);
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	if (err)
		return err;
	p->id = info.id;
	p->type = info.type;
	p->xlated_bytes = info.xlated_prog_len;
	p->jited_bytes = info.jited_prog_len;
	for (int i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(p->tag + 2 * i, 3, "%02x", info.tag[i]);
	verifier_log__read_stats(log ?: "", &stats);
	p->verified_insns = stats.insns;
	p->peak_states = stats.peak_states;
	p->stack_depth = find_stack_depth(p->fd, &stats);
	p->ctx_reads = insns__find_ctx_reads(bpf_program__insns(prog), bpf_program__insn_cnt(prog));
	if (l->setup->times)
		add_time(p, &stats);
	return 0;
}

/* Adds the loaded programs. Copies their names, because this copy of the object is closed soon. */
static int add_figures(const struct bench_load *l, const struct bench_copy *c,
		       struct bench_object *o)
{
	struct bpf_program *prog;
	int i = -1, err = 0;

	bpf_object__for_each_program (prog, c->obj) {
		const char *map = bench_load__redirect_map(prog);
		struct bench_object_prog *p;

		i++;
		if (err || !l->verified[i] || bpf_program__fd(prog) < 0)
			continue;
		p = array__add(&o->figure, &o->figure_cnt, sizeof(*p));
		err = bench_figures__fill(l, p, prog, c->log ? c->log[i] : NULL);
		p->fd = -1;
		p->name = xstrdup(p->name);
		p->why = text__format(
			"%s %s cannot be test-run: there is no cost, only what the verifier says",
			map ? "XDP programs for a" : "programs of type",
			map ?: prog_type__name(bpf_program__type(prog)));
	}
	return err ? bench_load__err(l, err, "%s", strerror(-err)) : 0;
}

/* ---- how long the verifier takes ---- */

/* Adds to each program how long the verifier took in this load. */
static void add_times(const struct bench_copy *c, struct bench_object_prog *v, int cnt)
{
	struct verifier_stats stats;
	struct bpf_program *prog;
	int i = -1;

	bpf_object__for_each_program (prog, c->obj) {
		i++;
		if (!c->log || !c->log[i])
			continue;
		verifier_log__read_stats(c->log[i], &stats);
		for (int k = 0; k < cnt; k++)
			if (!strcmp(v[k].name, bpf_program__name(prog)))
				add_time(&v[k], &stats);
	}
}

/* Loads the wanted programs again, several times. */
static int measure_times(struct bench_load *l, struct bench_object_prog *v, int cnt)
{
	int err = 0;

	for (__u64 i = 1; !err && cnt && i < l->setup->times; i++) {
		struct bench_copy copy = {};

		err = bench_copy__load(l, &copy);
		if (!err && copy.obj)
			add_times(&copy, v, cnt);
		bench_copy__free(&copy);
	}
	return err;
}

int bench_figures__read(struct bench_load *l, struct bench_object *o)
{
	struct bench_load figures = *l;
	struct bench_copy copy = {};
	bool any = false;
	int err = measure_times(l, o->prog, o->prog_cnt);

	for (int i = 0; i < l->prog_cnt; i++)
		any |= l->verified[i];
	if (err || !any)
		return err;
	figures.wanted = xcalloc(l->prog_cnt, sizeof(*figures.wanted));
	/*
	 * If the object has prog arrays, load all wanted programs: libbpf fills the prog arrays,
	 * and fails if one of their programs is not loaded.
	 */
	for (int i = 0; i < l->prog_cnt; i++)
		figures.wanted[i] = l->verified[i] || (l->has_prog_array && l->wanted[i]);
	figures.for_figures = true;
	figures.nothing_runs = !o->prog_cnt;
	figures.skip = l->skip;
	figures.skip_cnt = l->skip_cnt;
	err = bench_copy__load(&figures, &copy);
	if (!err && copy.obj)
		err = add_figures(&figures, &copy, o);
	l->skip = figures.skip;
	l->skip_cnt = figures.skip_cnt;
	bench_copy__free(&copy);
	err = err ?: measure_times(&figures, o->figure, o->figure_cnt);
	free(figures.wanted);
	return err;
}
