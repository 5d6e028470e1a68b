// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reader of histories, and all that bprof history does with the entries that it accepts.
 * "make fuzz" runs it.
 *
 * Input: lines of a history.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MUTATE mutate_line
#include "btf/reason.h"
#include "history/history_check.h"
#include "history/history_export.h"
#include "history/history_series.h"
#include "history/history_show.h"
#include "render/compare_render.h"
#include "render/render.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/world.h"

#define MAX_SZ 65536

typedef void render_fn(const struct history_all *all, const struct history_show_opts *o, FILE *out);

static void render(const struct history_all *all, render_fn *fn, history_export_fn *export)
{
	const struct history_show_opts o = {.verbose = 1, .one_line = true};
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);
	int err = 0;

	require(out);
	if (fn)
		fn(all, &o, out);
	else
		err = export(all, out);
	require(!err || err == -ENODATA);
	fclose(out);
	require(strlen(text) == sz);
	free_harmless(text);
}

static void check_newest(const struct history_all *all)
{
	const struct compare_render_opts o = {.base_name = "base", .new_name = "new"};
	struct comparison *c = NULL;
	struct reason reason = {};
	char buf[512];

	if (history__check(all, &c, &reason)) {
		require(*reason__describe(&reason, buf, sizeof(buf)));
		return;
	}
	require(!comparison__render(c, comparison__render_json, &o, world__null()));
	comparison__free(c);
}

static char *print(const struct history_entry *e)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out);
	history_entry__print(e, out);
	require(!fclose(out));
	return text;
}

/* What was read must be the same after it was written and read again. */
static void check_again(const struct history_entry *e)
{
	struct history again = {};
	char *text = print(e), *second;
	FILE *in = fmemopen(text, strlen(text), "r");

	require(in && !history__read(&again, in, "again"));
	fclose(in);
	require(again.cnt == 1 && !again.bad_cnt);
	second = print(&again.v[0]);
	history__free(&again);
	free_harmless(text);
	free_harmless(second);
}

static void check_all(const struct history *h)
{
	static render_fn *const fns[] = {history_all__render_text, history_all__render_json,
					 history_all__render_html};
	static history_export_fn *const exports[] = {history_export__github,
						     history_export__benchfmt};
	const struct history_opts o = {};
	struct history_all all = {};

	history_all__make(&all, h, &o);
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		render(&all, fns[i], NULL);
	for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++)
		render(&all, NULL, exports[i]);
	check_newest(&all);
	history_all__free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	FILE *in = sz && sz <= MAX_SZ ? fmemopen((void *)data, sz, "r") : NULL;
	struct history h = {};

	if (!in)
		return 0;
	require(!history__read(&h, in, "history"));
	fclose(in);
	for (int i = 0; i < h.cnt; i++)
		check_again(&h.v[i]);
	history__sort(&h);
	history__find(&h, "c1");
	if (h.cnt)
		check_all(&h);
	history__free(&h);
	return 0;
}
