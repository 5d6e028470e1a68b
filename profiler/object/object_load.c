// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads an object for test runs. For exact counts on arm64, several copies of the object are
 * needed. Owns the copies, and chooses for each program the copy from which it is run. Must not
 * know what the object's maps and variables are set to, or how programs are run.
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "object/code_length.h"
#include "object/object.h"
#include "object/object_load.h"

/*
 * Maximum number of copies of an object that are loaded. For exact counts on arm64, the object is
 * loaded repeatedly until each program is of full length in some copy (code_length.h).
 */
#define MAX_COPIES 64

/* ---- copies of full length ---- */

struct copies {
	struct bench_copy *v;
	int cnt;
	int *of;	  /* of[i]: index in v of the copy from which program i is run; -1: none */
	bool full_length; /* all chosen programs are of full length */
};

static bool is_short(const struct bench_copy *copy, int prog)
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

static bool all_full_length(const struct bench_load *l, const struct bench_copy *copy)
{
	for (int i = 0; i < l->prog_cnt; i++)
		if (is_short(copy, i))
			return false;
	return true;
}

/* Chooses for each program a copy in which it is of full length. Returns false if there is none. */
static bool choose_copies(const struct bench_load *l, struct copies *c)
{
	for (int i = 0; i < l->prog_cnt; i++) {
		c->of[i] = find_full_length(c, i);
		if (c->of[i] < 0)
			return false;
	}
	if (!l->has_prog_array)
		return true;
	/* The programs may tail-call each other, so all of them need the same copy. */
	for (int i = 0; i < c->cnt; i++) {
		if (!all_full_length(l, &c->v[i]))
			continue;
		for (int prog = 0; prog < l->prog_cnt; prog++)
			c->of[prog] = i;
		return true;
	}
	return false;
}

/*
 * Frees the copies from which no program is run. If the object has prog arrays, all copies must
 * stay until the end. Otherwise prog_arrays.c, which opens all prog arrays of the kernel, would
 * open the prog arrays of a freed copy while the kernel is still clearing them. Then the kernel
 * would never free these arrays: prog_array_map_clear() takes a reference for work that may already
 * be queued (seen with Linux 7.2).
 */
static void free_unused_copies(const struct bench_load *l, struct copies *c)
{
	for (int i = 0; !l->has_prog_array && i < c->cnt; i++) {
		bool used = false;

		for (int prog = 0; prog < l->prog_cnt; prog++)
			used |= l->wanted[prog] && c->of[prog] == i;
		if (!used)
			bench_copy__free(&c->v[i]);
	}
}

static int load_copies(struct bench_load *l, struct copies *c)
{
	int max = bench_load__may_vary(l) ? MAX_COPIES : 1, err = 0;

	if (!bench_load__wants_any(l)) {
		c->full_length = true;
		return 0;
	}
	c->of = xcalloc(l->prog_cnt, sizeof(*c->of));
	while (!err && !c->full_length && c->cnt < max && !(c->cnt && c->v[0].hidden)) {
		err = bench_copy__load(l, array__add(&c->v, &c->cnt, sizeof(*c->v)));
		/* If no program can be loaded, no copy needs to be chosen. */
		c->full_length = !err && (!bench_load__wants_any(l) || choose_copies(l, c));
	}
	if (err || !bench_load__wants_any(l))
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
		const struct bench_copy *copy;
		struct bench_object_prog *p;

		if (!l->measured[i])
			continue;
		copy = &c->v[c->of[i]];
		p = array__add(&o->prog, &o->prog_cnt, sizeof(*p));
		err = bench_figures__fill(l, p, nth_program(copy->obj, i),
					  copy->log ? copy->log[i] : NULL);
	}
	return err ? bench_load__err(l, err, "%s", strerror(-err)) : 0;
}

/* Fills the maps of the copies that were not freed, and moves these copies to o. */
static int set_up(const struct bench_load *l, struct copies *c, struct bench_object *o)
{
	int err = 0;

	for (int i = 0; !err && i < c->cnt; i++) {
		if (!c->v[i].obj)
			continue;
		err = bench_load__fill_maps(l, c->v[i].obj)
			      ?: bench_load__fill_prog_arrays(l, c->v[i].obj);
		if (err)
			break;
		*(struct bpf_object **)array__add(&o->obj, &o->obj_cnt, sizeof(*o->obj)) =
			c->v[i].obj;
		c->v[i].obj = NULL;
	}
	return err;
}

/* Opens a copy without loading it, to select programs and to read the maps' elements. */
static int inspect_object(struct bench_load *l)
{
	struct bpf_object *obj = NULL;
	int err = bench_load__check_file(l)
			  ?: bench_load__check_open(l, bench_load__touch)
			  ?: bench_load__read_kconfig(l);

	l->inspects = true;
	if (!err)
		bench_load__leave_out_broken(l);
	err = err ?: bench_load__open(l, false, &obj);
	l->inspects = false;
	if (!err)
		err = bench_load__select(l, obj) ?:
		      bench_load__read_maps(l, obj) ?:
		      bench_load__make_inner_maps(l, obj);
	bpf_object__close(obj);
	return err;
}

static void free_load(struct bench_load *l)
{
	for (int i = 0; l->elems && i < l->setup->map_cnt; i++)
		map_elems__free(&l->elems[i]);
	bench_load__close_inner_maps(l);
	free(l->kconfig);
	free(l->image);
	free(l->elems);
	free(l->map_index);
	free(l->prog_array_index);
	free(l->wanted);
	free(l->measured);
	free(l->verified);
	bench_skips__free(l->skip, l->skip_cnt);
}

int bench_object__load(const char *path, const struct bench_setup *setup,
		       bool (*can_run)(__u32 prog_type), struct bench_object **out)
{
	struct bench_load l = {.path = path, .setup = setup, .can_run = can_run};
	struct bench_object *o = NULL;
	struct copies copies = {};
	int err;

	*out = NULL;
	bench_load__register_sections();
	err = inspect_object(&l) ?: load_copies(&l, &copies);
	if (err)
		goto out;
	o = xcalloc(1, sizeof(*o));
	o->full_length = copies.full_length;
	o->has_prog_array = l.has_prog_array;
	err = add_progs(&l, &copies, o) ?:
	      set_up(&l, &copies, o) ?:
	      (setup->no_figures ? 0 : bench_figures__read(&l, o));
	if (err)
		goto out;
	o->skip = l.skip;
	o->skip_cnt = l.skip_cnt;
	l.skip = NULL;
	l.skip_cnt = 0;
	*out = o;
	o = NULL;
out:
	bench_object__free(o);
	for (int i = 0; i < copies.cnt; i++)
		bench_copy__free(&copies.v[i]);
	free(copies.v);
	free(copies.of);
	free_load(&l);
	return err;
}

void bench_object_progs__free(struct bench_object_prog *figure, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		free((char *)figure[i].name);
		free(figure[i].why);
		free(figure[i].verification);
	}
	free(figure);
}

void bench_skips__free(struct bench_skip *skip, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		free(skip[i].prog);
		free(skip[i].why);
	}
	free(skip);
}

void bench_object__free(struct bench_object *o)
{
	if (!o)
		return;
	for (int i = 0; i < o->obj_cnt; i++)
		bpf_object__close(o->obj[i]);
	bench_object_progs__free(o->figure, o->figure_cnt);
	bench_skips__free(o->skip, o->skip_cnt);
	free(o->obj);
	for (int i = 0; i < o->prog_cnt; i++)
		free(o->prog[i].verification);
	free(o->prog);
	free(o);
}
