// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads one copy of an object. Owns the order of its set-up before the load, the verifier's logs,
 * and the check whether programs are of full length. Must not know how many copies there are, or
 * from which copies programs are run.
 */
#include <errno.h>
#include <stdlib.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "btf/arm64_addrs.h"
#include "btf/riscv64_addrs.h"
#include "kernel/verifier_log.h"
#include "object/code_length.h"
#include "object/object_load.h"

void bench_copy__free(struct bench_copy *c)
{
	bpf_object__close(c->obj);
	for (int i = 0; i < c->log_cnt; i++)
		free(c->log[i]);
	free(c->log);
	free(c->shorter);
	*c = (struct bench_copy){};
}

bool bench_load__wants_any(const struct bench_load *l)
{
	for (int i = 0; i < l->prog_cnt; i++)
		if (l->wanted[i])
			return true;
	return false;
}

int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out)
{
	struct bpf_object *obj = bench_image__open(l, l->kconfig);
	struct bpf_program *prog;
	int err = libbpf_get_error(obj), i = 0;

	*out = NULL;
	if (err)
		return bench_load__explain_open(l, err);
	err = bench_load__set_types(l, obj);
	bpf_object__for_each_program (prog, obj)
		if (l->wanted)
			bpf_program__set_autoload(prog, l->wanted[i++]);
	err = err ?: bench_load__set_sizes(l, obj) ?:
		     bench_load__choose_struct_ops(l, obj) ?:
		     bench_load__set_maps(l, obj, pin) ?:
		     bench_load__set_globals(l, obj);
	if (err)
		bpf_object__close(obj);
	else
		*out = obj;
	return err;
}

static int read_code_lengths(const struct bench_load *l, struct bench_copy *c)
{
	struct bpf_program *prog;
	int i = 0, err = 0;

	c->shorter = xcalloc(l->prog_cnt, sizeof(*c->shorter));
	bpf_object__for_each_program (prog, c->obj) {
		struct code_length length = {};

		if (!err && bpf_program__fd(prog) >= 0)
			err = code_length__read(bpf_program__fd(prog), &length);
		c->shorter[i++] = length.shorter;
		c->hidden |= length.hidden;
	}
	return err;
}

bool bench_load__may_vary(const struct bench_load *l)
{
	return l->setup->exact && (ARM64_HERE || RISCV64_HERE);
}

/*
 * Loads a copy. Returns libbpf's error. If even opening the copy failed, sets *reported, because
 * that error is already reported.
 */
static int try_load(const struct bench_load *l, bool logs, struct bench_copy *c, bool *reported)
{
	int i = 0, err = bench_load__open(l, !l->for_figures, &c->obj);
	struct bpf_program *prog;

	*reported = err;
	if (!err && logs) {
		c->log = xcalloc(l->prog_cnt, sizeof(*c->log));
		c->log_cnt = l->prog_cnt;
		bpf_object__for_each_program (prog, c->obj) {
			if (l->wanted[i]) {
				c->log[i] = xcalloc(1, STATS_LOG_SZ);
				bpf_program__set_log_level(prog, VERIFIER_LOG_STATS);
				bpf_program__set_log_buf(prog, c->log[i], STATS_LOG_SZ);
			}
			i++;
		}
	}
	if (!err)
		err = bpf_object__load(c->obj);
	if (!err && bench_load__may_vary(l))
		err = read_code_lengths(l, c);
	if (err)
		bench_copy__free(c);
	return err;
}

static int load_copy(const struct bench_load *l, struct bench_copy *c, bool *reported)
{
	int err;

	/* If signals keep interrupting the verifier, libbpf gives up with EAGAIN: repeat the load. */
	do
		err = try_load(l, true, c, reported);
	while (err == -EAGAIN && !*reported);
	/* Before Linux 6.4, the load fails if a log buffer is too small: retry without logs. */
	return err == -ENOSPC && !*reported ? try_load(l, false, c, reported) : err;
}

int bench_copy__load(struct bench_load *l, struct bench_copy *c)
{
	bool reported;
	int err = load_copy(l, c, &reported);

	/* bench_load__drop() leaves out programs that cannot be loaded. Then the other programs may load. */
	while (err && !reported) {
		err = bench_load__drop(l, err);
		if (err || !bench_load__wants_any(l))
			return err;
		err = load_copy(l, c, &reported);
	}
	return err;
}
