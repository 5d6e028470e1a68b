// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pairs the programs of two reports. Owns the rules that decide which programs correspond. Must not
 * know which numbers are compared. Prints nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/func_label.h"
#include "compare/compare_match.h"

int compare_matches__add(struct compare_matches *m, const char *spec, struct parse_error *err)
{
	const char *equal = strchr(spec, '=');
	struct compare_match *added;

	if (!equal || equal == spec || !equal[1])
		return parse_error__set(err, equal ? (size_t)(equal - spec) : strlen(spec), 1,
					"expected OLD=NEW, the names of two programs");
	added = array__add(&m->v, &m->cnt, sizeof(*m->v));
	added->old = xstrndup(spec, equal - spec);
	added->new = xstrdup(equal + 1);
	return 0;
}

void compare_matches__free(struct compare_matches *m)
{
	for (int i = 0; i < m->cnt; i++) {
		free(m->v[i].old);
		free(m->v[i].new);
	}
	free(m->v);
	*m = (struct compare_matches){};
}

/* ---- corresponding programs ---- */

static bool has_label(const struct report_prog *p, const char *label)
{
	char buf[LABEL_SZ];

	return !strcmp(report_prog__label(p, buf), label);
}

/*
 * Returns true if p is a function of the program called name. The name in the report may be
 * truncated by the kernel.
 */
static bool is_of_prog(const struct report_prog *p, const char *name)
{
	const char *own = text__or_empty(p->name);

	return !strcmp(own, name) ||
	       (strlen(own) == BPF_OBJ_NAME_LEN - 1 && !strncmp(own, name, strlen(own)));
}

/*
 * Returns true if base and new have the same type and input case, and are for the same part of a
 * program's runs.
 */
static bool is_same_kind(const struct report_prog *base, const struct report_prog *new)
{
	return text__is_same(base->type, new->type) && text__is_same(base->input, new->input) &&
	       report_prog__is_same_part(base, new);
}

static bool is_match(const struct compare_match *m, const struct report_prog *base,
		     const struct report_prog *new)
{
	if (!is_same_kind(base, new))
		return false;
	if (has_label(base, m->old) && has_label(new, m->new))
		return true;
	if (!is_of_prog(base, m->old) || !is_of_prog(new, m->new) || base->subprog != new->subprog)
		return false;
	/*
	 * Do not compare the names of entry functions: they usually differ if the programs' names
	 * differ.
	 */
	return !base->subprog || text__is_same(base->func, new->func);
}

/* ---- pairs ---- */

struct search {
	const struct report *base, *new;
	int *new_of; /* for each program of base: the index of its partner in new, or -1 */
	bool *taken; /* for each program of new: true if it has a partner */
};

/*
 * Returns true if a and b, which share their names with other functions, are the same function at
 * different lines of its file (func_label__is_moved()).
 */
static bool is_moved(const struct report_prog *a, const struct report_prog *b)
{
	return text__is_same(a->name, b->name) && is_same_kind(a, b) &&
	       func_label__is_moved(text__or_empty(a->func), text__or_empty(b->func));
}

/*
 * Returns true if a and b are the same function of programs with the same code. A program that is
 * loaded again has the same tag, but another id, and perhaps another place in the report.
 */
static bool has_same_code(const struct report_prog *a, const struct report_prog *b)
{
	return report_prog__is_same(a, b) && *a->tag && !strcmp(a->tag, b->tag);
}

typedef bool (*is_same_func)(const struct report_prog *a, const struct report_prog *b);

/*
 * Pairs programs that have no partner yet: those that m (--match) names or, if m is NULL, those for
 * which is_same() is true. Returns true if it found a pair.
 */
static bool pair_progs(struct search *s, const struct compare_match *m, is_same_func is_same)
{
	bool any = false;

	for (int i = 0; i < s->base->prog_cnt; i++) {
		for (int j = 0; s->new_of[i] < 0 && j < s->new->prog_cnt; j++) {
			const struct report_prog *base = &s->base->prog[i], *new = &s->new->prog[j];

			if (s->taken[j] || !(m ? is_match(m, base, new) : is_same(base, new)))
				continue;
			s->new_of[i] = j;
			any = s->taken[j] = true;
		}
	}
	return any;
}

/*
 * Returns true if the report has another program for which is_same() is true, so that pairing p is a guess.
 */
static bool has_double(const struct report *r, const struct report_prog *p, is_same_func is_same)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (&r->prog[i] != p && is_same(&r->prog[i], p))
			return true;
	return false;
}

static void add_pair(struct compare_pairs *pairs, const struct report_prog *base,
		     const struct report_prog *new)
{
	struct compare_pair *pair = array__add(&pairs->v, &pairs->cnt, sizeof(*pair));

	*pair = (struct compare_pair){.base = base, .new = new};
	pairs->both += base && new;
}

static void list_pairs(struct compare_pairs *pairs, const struct search *s)
{
	for (int i = 0; i < s->base->prog_cnt; i++) {
		const struct report_prog *base = &s->base->prog[i], *new = NULL;
		is_same_func is_same = report_prog__is_same;

		if (s->new_of[i] >= 0) {
			new = &s->new->prog[s->new_of[i]];
			if (is_moved(base, new) && !is_same(base, new))
				is_same = is_moved;
			pairs->ambiguous += has_double(s->base, base, is_same) ||
					    has_double(s->new, new, is_same);
		}
		add_pair(pairs, base, new);
	}
	for (int i = 0; i < s->new->prog_cnt; i++)
		if (!s->taken[i])
			add_pair(pairs, NULL, &s->new->prog[i]);
}

void compare_pairs__find(struct compare_pairs *pairs, const struct report *base,
			 const struct report *new, const struct compare_matches *matches)
{
	struct search s = {
		.base = base,
		.new = new,
		.new_of = xcalloc(base->prog_cnt + 1, sizeof(*s.new_of)),
		.taken = xcalloc(new->prog_cnt + 1, sizeof(*s.taken)),
	};

	*pairs = (struct compare_pairs){};
	for (int i = 0; i < base->prog_cnt; i++)
		s.new_of[i] = -1;
	for (int i = 0; matches && i < matches->cnt; i++)
		if (!pair_progs(&s, &matches->v[i], NULL))
			pairs->unused = pairs->unused ?: &matches->v[i];
	pair_progs(&s, NULL, has_same_code);
	pair_progs(&s, NULL, report_prog__is_same);
	pair_progs(&s, NULL, is_moved);
	list_pairs(pairs, &s);
	free(s.new_of);
	free(s.taken);
}
