// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens probes with the biases that are known. While the first biases are measured, no bias is
 * known.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend_env.h"
#include "btf/btf_scan.h"
#include "btf/func_table.h"
#include "calibration/calibrated_probe.h"
#include "probe/probes.h"

int calibration__open_probe(struct calibration *c, struct target *t, struct reason *reason)
{
	const struct cpus *cpus = &c->probes->env->cpus;
	struct probe *p;
	int err;

	shape__find(t, &c->shapes);
	err = probe__open(c->probes, t, reason);
	if (err)
		return err;
	p = t->priv;
	for (int i = 0; c->done && i < cpus->cnt; i++) {
		for (int part = -1; part < p->part_cnt; part++)
			calibration__apply(c, probe__part(p, part, cpus->id[i]), cpus->id[i],
					   &t->shape);
		if (p->pieces)
			calibration__apply(c, probe__rest(p, cpus->id[i]), cpus->id[i], &t->shape);
	}
	p->biased = c->done;
	err = probe__attach(t, reason);
	if (err)
		probe__close(t);
	return err;
}

/*
 * Makes the probe measure every run, even with --sample: a calibration has too few runs to thin
 * them out.
 */
static void measure_all_runs(const struct calibration *c, const struct target *t)
{
	for (int i = 0; i < c->probes->env->online.cnt; i++) {
		struct bprof_cpu_stat *stat = probe__find_stat(t, c->probes->env->online.id[i]);

		stat->period = 1;
		stat->countdown = stat->rest = 0;
		if (!target__is_called(t))
			stat->over_period = 1;
	}
}

int calibrate__open_empty(struct calibration *c, enum empty prog, const char *func,
			  struct target *t, struct reason *reason)
{
	const struct bpf_fn *fn;
	int fd = dup(probe_template__empty_fd(c->probes->template, prog));
	int err = fd < 0 ? -errno : prog__open_fd(fd, &t->prog);

	if (!err)
		err = prog__load_funcs(t->prog, reason);
	if (err)
		return err;
	fn = func ? func_table__find(t->prog->funcs, func) : t->prog->funcs->fn;
	if (!fn)
		return -ENOENT;
	t->func = fn->name;
	t->subprog = func;
	t->func_index = fn - t->prog->funcs->fn;
	t->func_btf_id = fn->type_id;
	err = calibration__open_probe(c, t, reason);
	if (!err)
		measure_all_runs(c, t);
	return err;
}

int calibrate__open_kernel(struct calibration *c, const struct target *caller, struct target *t,
			   struct reason *reason)
{
	const char *name = KERNEL_FUNC;
	int err;

	t->prog = prog__get(caller->prog);
	t->func = name;
	t->subprog = true;
	t->called = (struct called){.caller = caller->caller_number, .piece = 1};
	err = btf_scan__find_funcs(VMLINUX_BTF, &name, &t->called.btf_id, 1);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err,
				   "finding %s in the kernel's BTF: %s", name, strerror(-err));
	t->func_btf_id = t->called.btf_id;
	t->shape = (struct target_shape){
		.known = true, .sub = true, .kernel = true, .args = KERNEL_ARGS};
	err = calibration__open_probe(c, t, reason);
	if (!err)
		measure_all_runs(c, t);
	return err;
}

void calibrate__close_empty(struct target *t)
{
	probe__close(t);
	prog__close(t->prog);
}
