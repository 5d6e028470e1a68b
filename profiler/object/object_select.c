// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selects which programs of an object are loaded, and which of these are run. Owns that choice and
 * the messages on programs that cannot be run. Must not know how programs are loaded.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/util.h"
#include "btf/prog.h"
#include "object/object_load.h"

/* The kernel does not test-run XDP programs for a redirect to a map (bpf_prog_test_run_xdp()). */
const char *bench_load__redirect_map(const struct bpf_program *prog)
{
	if (bpf_program__type(prog) != BPF_PROG_TYPE_XDP)
		return NULL;
	switch (bpf_program__expected_attach_type(prog)) {
	case BPF_XDP_DEVMAP:
		return "devmap";
	case BPF_XDP_CPUMAP:
		return "cpumap";
	default:
		return NULL;
	}
}

/* Returns true if the program's type is known (section, --type), so that it can be loaded. */
static bool has_type(const struct bpf_program *prog)
{
	return bpf_program__type(prog) != BPF_PROG_TYPE_UNSPEC;
}

static bool can_run(const struct bench_load *l, const struct bpf_program *prog)
{
	return l->can_run(bpf_program__type(prog)) && !bench_load__redirect_map(prog);
}

/* Writes to buf the program types that can be run, such as "xdp, sched_cls, ...". Returns buf. */
static const char *list_types(const struct bench_load *l, char *buf, size_t sz)
{
	size_t len = 0;

	*buf = '\0';
	for (__u32 type = 1; type < 100 && len < sz; type++)
		if (l->can_run(type))
			len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "",
					prog_type__name(type));
	return buf;
}

/* Writes to buf why a program cannot be run, and which program types can be run. Returns buf. */
static const char *explain_not_run(const struct bench_load *l, const struct bpf_program *prog,
				   char *buf, size_t sz)
{
	const char *section = bpf_program__section_name(prog),
		   *map = bench_load__redirect_map(prog);
	enum bpf_prog_type type = bpf_program__type(prog);
	char types[512];

	if (type == BPF_PROG_TYPE_UNSPEC)
		snprintf(buf, sz,
			 "libbpf %s, which bprof is linked with, knows no type for its section "
			 "\"%s\"; give one with --type %s=TYPE (%s)",
			 libbpf_version_string() + 1, section, bpf_program__name(prog),
			 list_types(l, types, sizeof(types)));
	else if (map)
		snprintf(buf, sz, "an XDP program for a %s (\"%s\") cannot be test-run", map,
			 section);
	else
		snprintf(buf, sz, "programs of type %s (\"%s\") cannot be test-run; these can: %s",
			 prog_type__name(type), section, list_types(l, types, sizeof(types)));
	return buf;
}

static int find_prog_index(const struct bpf_object *obj, const char *name)
{
	struct bpf_program *prog;
	int i = 0;

	bpf_object__for_each_program (prog, obj) {
		if (!strcmp(bpf_program__name(prog), name))
			return i;
		i++;
	}
	return -1;
}

static int refuse_prog_name(const struct bench_load *l, const struct bpf_object *obj,
			    const char *option, const char *name)
{
	char hint[128], names[1024] = "";
	struct bpf_program *prog;
	struct suggest near;
	size_t len = 0;

	suggest__init(&near, name, strlen(name));
	bpf_object__for_each_program (prog, obj) {
		suggest__offer(&near, bpf_program__name(prog));
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					bpf_program__name(prog));
	}
	return bench_load__err(l, -ENOENT, "%s: no program '%s'%s (the object's programs: %s)",
			       option, name, suggest__text(&near, hint, sizeof(hint)), names);
}

/* Sets the type of the programs that --type selects. Returns the number of these programs. */
static int set_type(struct bpf_object *obj, const struct bench_type *type, int *err)
{
	struct bpf_program *prog;
	int cnt = 0;

	*err = 0;
	bpf_object__for_each_program (prog, obj) {
		if (type->prog ? fnmatch(type->prog, bpf_program__name(prog), 0)
			       : bpf_program__type(prog) != BPF_PROG_TYPE_UNSPEC)
			continue;
		cnt++;
		bpf_program__set_type(prog, type->type);
		bpf_program__set_expected_attach_type(prog, type->attach_type);
		if (type->target)
			*err = *err ?: bpf_program__set_attach_target(prog, 0, type->target);
	}
	return cnt;
}

int bench_load__set_types(const struct bench_load *l, struct bpf_object *obj)
{
	for (int i = 0; i < l->setup->type_cnt; i++) {
		const struct bench_type *type = &l->setup->type[i];
		int err, cnt = set_type(obj, type, &err);

		if (err)
			return bench_load__err(l, err, "--type: this kernel has no '%s': %s",
					       type->target, strerror(-err));
		if (type->prog && !cnt)
			return refuse_prog_name(l, obj, "--type", type->prog);
	}
	return 0;
}

/*
 * Selects the programs that match a glob. Programs that cannot be run are loaded only for the
 * verifier's figures. Fails if no program matches, or if none of the matching programs has a type.
 */
static int select_glob(struct bench_load *l, struct bpf_object *obj, const char *glob)
{
	struct bpf_program *prog, *refused = NULL;
	bool found = false;
	char why[1024];
	int i = -1;

	bpf_object__for_each_program (prog, obj) {
		i++;
		if (fnmatch(glob, bpf_program__name(prog), 0))
			continue;
		if (can_run(l, prog))
			found = l->wanted[i] = l->measured[i] = true;
		else if (has_type(prog))
			found = l->verified[i] = true;
		else
			refused = prog;
	}
	if (found)
		return 0;
	if (!refused)
		return refuse_prog_name(l, obj, "--prog", glob);
	return bench_load__err(l, -EOPNOTSUPP, "--prog %s: %s", glob,
			       explain_not_run(l, refused, why, sizeof(why)));
}

struct bench_skip *bench_load__skip(struct bench_load *l, const char *prog, const char *why)
{
	struct bench_skip *skip;

	for (int i = 0; i < l->skip_cnt; i++)
		if (!strcmp(l->skip[i].prog, prog))
			return &l->skip[i];
	skip = array__add(&l->skip, &l->skip_cnt, sizeof(*skip));
	skip->prog = xstrdup(prog);
	skip->why = xstrdup(why);
	return skip;
}

/*
 * Selects all programs except those with SEC("?..."), which libbpf does not load by default either.
 * Programs that cannot be run are loaded only for the verifier's figures.
 */
static int select_all(struct bench_load *l, struct bpf_object *obj, const bool *autoload)
{
	struct bpf_program *prog, *refused = NULL;
	bool found = false;
	char why[1024];
	int i = 0;

	bpf_object__for_each_program (prog, obj) {
		bool can = can_run(l, prog);

		if (can && autoload[i])
			found = l->wanted[i] = l->measured[i] = true;
		else if (autoload[i] && has_type(prog))
			found = l->verified[i] = true;
		else if (autoload[i])
			bench_load__skip(l, bpf_program__name(prog),
					 explain_not_run(l, prog, why, sizeof(why)));
		else
			bench_load__info(l,
					 "program %s is left out: its section begins with '?'; "
					 "--prog %s loads it",
					 bpf_program__name(prog), bpf_program__name(prog));
		/* The message names one program: preferably one that only needs a --type. */
		if (!refused || (!has_type(prog) && has_type(refused)))
			refused = prog;
		i++;
	}
	if (found)
		return 0;
	if (has_type(refused))
		return bench_load__err(l, -ENOENT,
				       "all its programs have sections that begin with '?'; load "
				       "one with --prog NAME (%s, ...)",
				       bpf_program__name(refused));
	return bench_load__err(l, -EOPNOTSUPP, "none of its programs can be test-run: %s: %s",
			       bpf_program__name(refused),
			       explain_not_run(l, refused, why, sizeof(why)));
}

/* Selects the programs that --prog-array puts into prog arrays. */
static int select_called(struct bench_load *l, struct bpf_object *obj)
{
	for (int i = 0; i < l->setup->prog_array_cnt; i++) {
		int index = find_prog_index(obj, l->setup->prog_array[i].prog);

		if (index < 0)
			return refuse_prog_name(l, obj, "--prog-array",
						l->setup->prog_array[i].prog);
		l->wanted[index] = true;
	}
	return 0;
}

/*
 * Selects the programs that libbpf may put into the object's own prog arrays during the load.
 * Leaves out programs whose type is not that of the measured programs: the measured programs cannot
 * tail-call them.
 */
static void select_callable(struct bench_load *l, struct bpf_object *obj, const bool *autoload)
{
	struct bpf_program *prog, *caller;
	struct bpf_map *map;
	int i = 0, j;

	bpf_object__for_each_map (map, obj)
		l->has_prog_array |= bpf_map__type(map) == BPF_MAP_TYPE_PROG_ARRAY;
	if (!l->has_prog_array)
		return;
	bpf_object__for_each_program (prog, obj) {
		j = 0;
		bpf_object__for_each_program (caller, obj)
			l->wanted[i] |= l->measured[j++] && autoload[i] &&
					bpf_program__type(caller) == bpf_program__type(prog);
		i++;
	}
}

/* Stops a program from being loaded, because it is skipped. Returns true if it was selected. */
static bool leave_out_prog(struct bench_load *l, struct bpf_object *obj,
			   const struct bench_skip *skip)
{
	int i = find_prog_index(obj, skip->prog);
	bool chosen = i >= 0 && (l->measured[i] || l->verified[i]);

	if (i >= 0)
		l->wanted[i] = l->measured[i] = l->verified[i] = false;
	return chosen;
}

int bench_load__select(struct bench_load *l, struct bpf_object *obj)
{
	struct bpf_program *prog;
	bool *autoload = NULL;
	int err = 0, i = 0;

	bpf_object__for_each_program (prog, obj)
		l->prog_cnt++;
	if (!l->prog_cnt)
		return bench_load__err(l, -ENOENT, "contains no programs");
	autoload = xcalloc(l->prog_cnt, sizeof(*autoload));
	l->wanted = xcalloc(l->prog_cnt, sizeof(*l->wanted));
	l->measured = xcalloc(l->prog_cnt, sizeof(*l->measured));
	l->verified = xcalloc(l->prog_cnt, sizeof(*l->verified));
	bpf_object__for_each_program (prog, obj)
		autoload[i++] = bpf_program__autoload(prog);
	if (!l->setup->prog_cnt)
		err = select_all(l, obj, autoload);
	for (i = 0; !err && i < l->setup->prog_cnt; i++)
		err = select_glob(l, obj, l->setup->prog[i]);
	if (!err)
		err = select_called(l, obj);
	if (!err)
		select_callable(l, obj, autoload);
	for (i = 0; !err && i < l->setup->skip_cnt; i++)
		leave_out_prog(l, obj, &l->setup->skip[i]);
	for (i = 0; !err && i < l->skip_cnt; i++)
		l->skip[i].named = leave_out_prog(l, obj, &l->skip[i]) && l->setup->prog_cnt;
	free(autoload);
	return err;
}
