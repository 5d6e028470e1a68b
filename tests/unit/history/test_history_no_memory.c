// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests the outputs of a history that are short of memory: they fail, or are complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "history/history_check.h"
#include "history/history_export.h"
#include "history/history_show.h"
#include "tests/unit/history/made_history.h"
#include "tests/unit/output_no_memory.h"

/* Six commits on two machines; the fourth one makes a program more expensive. */
static void make_history(struct history *h)
{
	for (int i = 1; i <= 6; i++) {
		struct report *r = add_count(h, i, i < 4 ? 499 : 505);

		add_exact(&add_prog(r, 44, "other", "other", 8000)->all, "instructions", 7);
		if (i == 6)
			h->v[h->cnt - 1].machine = strdup("lab");
	}
	assert_int_equal(history__sort(h), 0);
}

typedef int use_fn(const struct history_all *all, FILE *out);

/* Makes the series of a history, and writes them. */
static int use(const struct history *h, FILE *out, use_fn *fn)
{
	static const struct history_opts o;
	struct history_all all;
	int err = history_all__make(&all, (struct history *)h, &o);

	err = err ?: fn(&all, out);
	history_all__free(&all);
	return err;
}

static int render(const struct history_all *all, FILE *out,
		  int (*fn)(const struct history_all *, const struct history_show_opts *, FILE *))
{
	static const struct history_show_opts o = {.verbose = 1};

	return fn(all, &o, out);
}

static int show(const struct history_all *all, FILE *out)
{
	return render(all, out, history_all__render_text);
}

static int show_json(const struct history_all *all, FILE *out)
{
	return render(all, out, history_all__render_json);
}

static int show_html(const struct history_all *all, FILE *out)
{
	return render(all, out, history_all__render_html);
}

#define USE(name, fn)                                 \
	static int name(const void *model, FILE *out) \
	{                                             \
		return use(model, out, fn);           \
	}

USE(write_text, show)
USE(write_json, show_json)
USE(write_html, show_html)
USE(write_bmf, history_export__bmf)
USE(write_github, history_export__github)
USE(write_otava, history_export__otava)
USE(write_benchfmt, history_export__benchfmt)

static void test_outputs(void **state)
{
	static write_model_fn *const writers[] = {
		write_text,   write_json,  write_html,	   write_bmf,
		write_github, write_otava, write_benchfmt,
	};
	struct history h = {};

	make_history(&h);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		check_without_memory(writers[i], &h);
	history__free(&h);
}

struct made_series {
	struct history h;
	struct history_opts o;
};

/* A series of the instructions of one program at two commits, and one of its size. */
static void make_series(void *arg)
{
	const struct made_series *m = arg;
	struct history_all all;
	int err = history_all__make(&all, &m->h, &m->o);

	if (err)
		assert_int_equal(err, -ENOMEM);
	else
		assert_int_equal(all.cnt, 2);
	for (int i = 0; !err && i < all.cnt; i++)
		assert_int_equal(all.v[i].cnt, 2);
	history_all__free(&all);
}

/* So few allocations that each of them fails. */
static void test_series(void **state)
{
	struct compare_limits limits = {};
	struct made_series m = {.o.limits = &limits};

	assert_int_equal(compare_limits__add(&limits, "instructions:min>0", NULL), 0);
	assert_int_equal(compare_limits__add(&limits, "jited_bytes>0", NULL), 0);
	for (int i = 1; i <= 2; i++) {
		add_count(&m.h, i, 499 + i)->prog[0].size[SIZE_JITED] = 100;
		m.h.v[m.h.cnt - 1].machine = strdup("lab");
	}
	assert_int_equal(history__sort(&m.h), 0);
	assert_true(fail_each_allocation(make_series, &m) > 10);
	history__free(&m.h);
	compare_limits__free(&limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
