// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks the return values of programs. Owns --expect-retval. Must not know how programs are run.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/bench_expect.h"
#include "bench/bench_priv.h"
#include "btf/prog.h"
#include "btf/retval.h"

int bench_expects__add(struct bench_expects *e, const char *spec)
{
	const char *equals = strrchr(spec, '=');
	struct bench_expect *x;
	__u32 value;

	/* The program's type is not known yet: accept the names of any type. */
	if (retval__parse(NULL, equals ? equals + 1 : spec, &value) || equals == spec)
		return log_err(
			-EINVAL,
			"--expect-retval %s: give [PROGRAM[/CASE]=]VALUE, a number or a name "
			"such as XDP_PASS, TC_ACT_OK",
			spec);
	x = array__add(&e->v, &e->cnt, sizeof(*x));
	x->spec = spec;
	x->value = equals ? equals + 1 : spec;
	x->target = equals ? xstrndup(spec, equals - spec) : NULL;
	return 0;
}

void bench_expects__free(struct bench_expects *e)
{
	for (int i = 0; i < e->cnt; i++)
		free(e->v[i].target);
	free(e->v);
	memset(e, 0, sizeof(*e));
}

static bool is_for(const struct bench_expect *x, const struct bench *b, const struct bench_prog *p,
		   int which)
{
	const char *input = b->input->v[which].name;
	char both[512];

	if (!x->target || !fnmatch(x->target, p->name, 0))
		return true;
	snprintf(both, sizeof(both), "%s/%s", p->name, input ?: "");
	return input && !fnmatch(x->target, both, 0);
}

/*
 * Returns the last expectation that matches these runs, or NULL. Marks all matching expectations as
 * used, unless used is NULL.
 */
static const struct bench_expect *find_expect(const struct bench_expects *e, const struct bench *b,
					      const struct bench_prog *p, int which, bool *used)
{
	const struct bench_expect *found = NULL;

	for (int i = 0; i < e->cnt; i++)
		if (is_for(&e->v[i], b, p, which)) {
			found = &e->v[i];
			if (used)
				used[i] = true;
		}
	return found;
}

/* Returns 1 if the program returned another value (reported), 0 if not, or -EINVAL (reported). */
static int check_case_expected(const struct bench_expect *x, const struct bench *b,
			       const struct bench_prog *p, int which)
{
	const char *type = prog_type__name(p->type);
	char label[256], got[RETVAL_SZ], want[RETVAL_SZ], names[256];
	__u32 value;

	if (retval__parse(type, x->value, &value))
		return log_err(
			-EINVAL,
			"--expect-retval %s: program %u %s has type %s, whose values are: %s",
			x->spec, p->id, p->name, type,
			*retval__list(type, names, sizeof(names)) ? names : "numbers");
	for (int i = 0; i < b->input->v[which].packet_cnt; i++) {
		if (p->outcome[which].retval[i] == value)
			continue;
		log_err(0, "program %u %s: returned %s, expected %s", p->id,
			bench__label(b, p, which, label, sizeof(label)),
			retval__format(type, p->outcome[which].retval[i], got),
			retval__format(type, value, want));
		return 1;
	}
	return 0;
}

int bench_expects__check(const struct bench_expects *e, const struct bench *b)
{
	bool *used = xcalloc(e->cnt + 1, sizeof(*used));
	int bad = 0;

	for (int i = 0; bad >= 0 && i < b->prog_cnt; i++) {
		const struct bench_prog *p = &b->prog[i];

		for (int c = 0; bad >= 0 && c < b->input->cnt; c++) {
			const struct bench_expect *x = find_expect(e, b, p, c, used);
			int err = x && !p->outcome[c].err ? check_case_expected(x, b, p, c) : 0;

			bad = err < 0 ? err : bad + err;
		}
	}
	for (int i = 0; bad >= 0 && i < e->cnt; i++)
		if (!used[i])
			bad = log_err(-EINVAL,
				      "--expect-retval %s: matches no program or case that is run",
				      e->v[i].spec);
	free(used);
	return bad;
}

int bench_expects__check_measured(const struct bench_expects *e, const struct bench *b)
{
	char label[256];
	int bad = 0;

	for (int i = 0; i < b->prog_cnt; i++) {
		const struct bench_prog *p = &b->prog[i];

		for (int c = 0; c < b->input->cnt; c++) {
			const struct bench_expect *x =
				p->outcome[c].varied ? find_expect(e, b, p, c, NULL) : NULL;

			if (!x)
				continue;
			log_err(0, "program %u %s: measured runs returned other values than %s",
				p->id, bench__label(b, p, c, label, sizeof(label)), x->value);
			bad++;
		}
	}
	return bad;
}
