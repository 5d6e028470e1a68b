// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads an object for test runs. For exact counts on arm64, this takes several copies of the
 * object: owns the copies, and chooses the copy from which each program is run. Must not know what
 * its maps and variables are set to, or how programs are run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "bench/bench_load.h"
#include "bench/bench_object.h"
#include "bench/code_length.h"
#include "btf/arm64_addrs.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "kernel/verifier_log.h"

/*
 * Maximum number of copies of an object that are loaded. For exact counts on arm64, the object is
 * loaded until each program has a copy of full length (code_length.h).
 */
#define MAX_COPIES 64

/* A loaded copy of the object. */
struct copy {
	struct bpf_object *obj;
	char **log; /* verifier logs, indexed by program, or NULL */
	int log_cnt;
	/*
	 * shorter[i]: program i is not of full length. NULL if this was not checked, because the
	 * code of all loads has the same length (without --exact, or not on arm64).
	 */
	bool *shorter;
	/* The kernel does not show the code of a program, so its length is not known. */
	bool hidden;
};

static void copy__free(struct copy *c)
{
	bpf_object__close(c->obj);
	for (int i = 0; i < c->log_cnt; i++)
		free(c->log[i]);
	free(c->log);
	free(c->shorter);
	*c = (struct copy){};
}

int bench_load__open(const struct bench_load *l, bool pin, struct bpf_object **out)
{
	struct bpf_object *obj = bpf_object__open_file(l->path, NULL);
	struct bpf_program *prog;
	int err = libbpf_get_error(obj), i = 0;

	*out = NULL;
	if (err)
		return bench_load__explain_open(l, err);
	bpf_object__for_each_program (prog, obj) {
		if (l->type && bpf_program__type(prog) == BPF_PROG_TYPE_UNSPEC) {
			bpf_program__set_type(prog, l->type);
			bpf_program__set_expected_attach_type(prog, l->attach_type);
		}
		if (l->wanted)
			bpf_program__set_autoload(prog, l->wanted[i++]);
	}
	err = bench_load__set_maps(l, obj, pin) ?: bench_load__set_globals(l, obj);
	if (err)
		bpf_object__close(obj);
	else
		*out = obj;
	return err;
}

static int add_logs(const struct bench_load *l, struct copy *c)
{
	struct bpf_program *prog;
	int i = 0;

	c->log = calloc(l->prog_cnt, sizeof(*c->log));
	if (!c->log)
		return -ENOMEM;
	c->log_cnt = l->prog_cnt;
	bpf_object__for_each_program (prog, c->obj) {
		if (l->wanted[i]) {
			c->log[i] = calloc(1, STATS_LOG_SZ);
			if (!c->log[i])
				return -ENOMEM;
			bpf_program__set_log_level(prog, VERIFIER_LOG_STATS);
			bpf_program__set_log_buf(prog, c->log[i], STATS_LOG_SZ);
		}
		i++;
	}
	return 0;
}

static int check_lengths(const struct bench_load *l, struct copy *c)
{
	struct bpf_program *prog;
	int i = 0, err = 0;

	c->shorter = calloc(l->prog_cnt, sizeof(*c->shorter));
	if (!c->shorter)
		return -ENOMEM;
	bpf_object__for_each_program (prog, c->obj) {
		struct code_length length = {};

		if (!err && bpf_program__fd(prog) >= 0)
			err = code_length__read(bpf_program__fd(prog), &length);
		c->shorter[i++] = length.shorter;
		c->hidden |= length.hidden;
	}
	return err;
}

static bool may_vary(const struct bench_load *l)
{
	return l->setup->exact && ARM64_HERE;
}

/*
 * Loads a copy. Returns libbpf's error. Sets *reported if even opening the copy failed, because
 * that error is already reported.
 */
static int try_load(const struct bench_load *l, bool logs, struct copy *c, bool *reported)
{
	int err = bench_load__open(l, true, &c->obj);

	*reported = err;
	if (!err && logs)
		err = add_logs(l, c);
	if (!err)
		err = bpf_object__load(c->obj);
	if (!err && may_vary(l))
		err = check_lengths(l, c);
	if (err)
		copy__free(c);
	return err;
}

static int load_copy(const struct bench_load *l, struct copy *c)
{
	bool reported;
	int err = try_load(l, true, c, &reported);

	/* Before Linux 6.4, the load fails if a log buffer is too small: retry without logs. */
	if (err == -ENOSPC && !reported)
		err = try_load(l, false, c, &reported);
	return err && !reported ? bench_load__explain(l, err) : err;
}

/* ---- copies of full length ---- */

struct copies {
	struct copy *v;
	int cnt;
	int *of;	  /* of[i]: index in v of the copy from which program i is run; -1: none */
	bool full_length; /* all chosen programs are of full length */
};

static void copies__free(struct copies *c)
{
	for (int i = 0; i < c->cnt; i++)
		copy__free(&c->v[i]);
	free(c->v);
	free(c->of);
}

static int add_copy(const struct bench_load *l, struct copies *c)
{
	struct copy *copy = array__add(&c->v, &c->cnt, sizeof(*copy));

	return copy ? load_copy(l, copy) : bench_load__err(l, -ENOMEM, "out of memory");
}

static bool is_short(const struct copy *copy, int prog)
{
	return copy->hidden || (copy->shorter && copy->shorter[prog]);
}

/* Returns the first copy in which the program has its full length, or -1. */
static int find_full_length(const struct copies *c, int prog)
{
	for (int i = 0; i < c->cnt; i++)
		if (!is_short(&c->v[i], prog))
			return i;
	return -1;
}

static bool is_full_length(const struct bench_load *l, const struct copy *copy)
{
	for (int i = 0; i < l->prog_cnt; i++)
		if (is_short(copy, i))
			return false;
	return true;
}

/*
 * Chooses a common copy for all programs, because they may tail-call each other: the first copy in
 * which all of them are of full length. Returns false if there is no such copy.
 */
static bool choose_one_copy(const struct bench_load *l, struct copies *c)
{
	for (int i = 0; i < c->cnt; i++) {
		if (!is_full_length(l, &c->v[i]))
			continue;
		for (int prog = 0; prog < l->prog_cnt; prog++)
			c->of[prog] = i;
		return true;
	}
	return false;
}

static bool choose(const struct bench_load *l, struct copies *c)
{
	for (int i = 0; i < l->prog_cnt; i++) {
		c->of[i] = find_full_length(c, i);
		if (c->of[i] < 0)
			return false;
	}
	return !l->has_prog_array || choose_one_copy(l, c);
}

static bool is_used(const struct bench_load *l, const struct copies *c, int copy)
{
	for (int prog = 0; prog < l->prog_cnt; prog++)
		if (l->wanted[prog] && c->of[prog] == copy)
			return true;
	return false;
}

/*
 * Frees the copies from which no program is run. If the object has prog arrays, all copies must
 * stay until the end. Otherwise prog_arrays.c, which opens all prog arrays of the kernel, would
 * open those of a freed copy while the kernel is still clearing them, and the kernel would never
 * free them: prog_array_map_clear() takes a reference for work that may already be queued (seen
 * with Linux 7.2).
 */
static void free_unused_copies(const struct bench_load *l, struct copies *c)
{
	for (int i = 0; !l->has_prog_array && i < c->cnt; i++)
		if (!is_used(l, c, i))
			copy__free(&c->v[i]);
}

static int load_copies(const struct bench_load *l, struct copies *c)
{
	int max = may_vary(l) ? MAX_COPIES : 1, err = 0;

	c->of = calloc(l->prog_cnt, sizeof(*c->of));
	if (!c->of)
		return bench_load__err(l, -ENOMEM, "out of memory");
	while (!err && !c->full_length && c->cnt < max && !(c->cnt && c->v[0].hidden)) {
		err = add_copy(l, c);
		c->full_length = !err && choose(l, c);
	}
	if (err)
		return err;
	if (max > 1)
		bench_load__info(l, "loaded %d times", c->cnt);
	if (!c->full_length) {
		const struct code_length length = {.shorter = true, .hidden = c->v[0].hidden};

		bench_load__info(l, "%s%s: its counts are not exact",
				 length.hidden ? "" : "in every load, ",
				 code_length__explain(&length));
		memset(c->of, 0, l->prog_cnt * sizeof(*c->of));
	}
	free_unused_copies(l, c);
	return 0;
}

static long find_stack_depth(int prog_fd, const struct verifier_stats *stats)
{
	struct prog *prog = NULL;
	struct reason reason;
	bool *calls = NULL;
	long depth = -1;
	int fd;

	if (stats->func_cnt < 2)
		return stats->func_cnt ? (long)stats->stack[0] : -1;
	fd = fcntl(prog_fd, F_DUPFD_CLOEXEC, 0);
	if (prog__open_fd(fd, &prog))
		return -1;
	if (!prog__load_funcs(prog, &reason) && prog->funcs->cnt == (__u32)stats->func_cnt &&
	    !prog__call_graph(prog, &calls))
		depth = verifier_stats__deepest(stats, calls);
	free(calls);
	prog__close(prog);
	return depth;
}

static int add_prog(struct bench_object *o, const struct bpf_program *prog, const char *log)
{
	struct bench_object_prog *p = array__add(&o->prog, &o->prog_cnt, sizeof(*p));
	struct verifier_stats stats;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	if (!p)
		return -ENOMEM;
	p->name = bpf_program__name(prog);
	p->fd = bpf_program__fd(prog);
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	if (err)
		return err;
	p->id = info.id;
	p->type = info.type;
	verifier_log__read_stats(log ?: "", &stats);
	p->verified_insns = stats.insns;
	p->stack_depth = find_stack_depth(p->fd, &stats);
	return 0;
}

static const struct bpf_program *nth_program(struct bpf_object *obj, int n)
{
	struct bpf_program *prog;

	bpf_object__for_each_program (prog, obj)
		if (!n--)
			return prog;
	return NULL;
}

/* Adds the programs to run to o, in the order of the object, each from its chosen copy. */
static int add_progs(const struct bench_load *l, const struct copies *c, struct bench_object *o)
{
	int err = 0;

	for (int i = 0; !err && i < l->prog_cnt; i++) {
		const struct copy *copy = &c->v[c->of[i]];

		if (l->measured[i])
			err = add_prog(o, nth_program(copy->obj, i),
				       copy->log ? copy->log[i] : NULL);
	}
	return err ? bench_load__err(l, err, "%s", strerror(-err)) : 0;
}

/* Fills the maps of the copies that were not freed, and moves these copies to o. */
static int set_up(const struct bench_load *l, struct copies *c, struct bench_object *o)
{
	int err = 0;

	for (int i = 0; !err && i < c->cnt; i++) {
		struct bpf_object **obj;

		if (!c->v[i].obj)
			continue;
		err = bench_load__fill_maps(l, c->v[i].obj)
			      ?: bench_load__fill_prog_arrays(l, c->v[i].obj);
		if (err)
			break;
		obj = array__add(&o->obj, &o->obj_cnt, sizeof(*obj));
		if (!obj)
			return bench_load__err(l, -ENOMEM, "out of memory");
		*obj = c->v[i].obj;
		c->v[i].obj = NULL;
	}
	return err;
}

/* Opens a copy without loading it, to select programs and to read the maps' elements. */
static int inspect(struct bench_load *l)
{
	struct bpf_object *obj = NULL;
	int err = bench_load__check_file(l)
			  ?: bench_load__check_open(l, bench_load__touch)
			  ?: bench_load__open(l, false, &obj);

	if (!err)
		err = bench_load__select(l, obj) ?: bench_load__read_maps(l, obj);
	bpf_object__close(obj);
	return err;
}

static void free_load(struct bench_load *l)
{
	for (int i = 0; l->elems && i < l->setup->map_cnt; i++)
		map_elems__free(&l->elems[i]);
	free(l->elems);
	free(l->map_index);
	free(l->prog_array_index);
	free(l->wanted);
	free(l->measured);
}

int bench_object__load(const char *path, const struct bench_setup *setup,
		       bool (*can_run)(__u32 prog_type), struct bench_object **out)
{
	struct bench_load l = {.path = path, .setup = setup, .can_run = can_run};
	struct bench_object *o = NULL;
	struct copies copies = {};
	int err = bench_setup__find_type(setup, &l.type, &l.attach_type);

	*out = NULL;
	if (err)
		return err;
	err = inspect(&l) ?: load_copies(&l, &copies);
	if (err)
		goto out;
	o = calloc(1, sizeof(*o));
	if (!o) {
		err = bench_load__err(&l, -ENOMEM, "out of memory");
		goto out;
	}
	o->full_length = copies.full_length;
	o->has_prog_array = l.has_prog_array;
	err = add_progs(&l, &copies, o) ?: set_up(&l, &copies, o);
	if (err)
		goto out;
	*out = o;
	o = NULL;
out:
	bench_object__free(o);
	copies__free(&copies);
	free_load(&l);
	return err;
}

void bench_object__free(struct bench_object *o)
{
	if (!o)
		return;
	for (int i = 0; i < o->obj_cnt; i++)
		bpf_object__close(o->obj[i]);
	free(o->obj);
	free(o->prog);
	free(o);
}
