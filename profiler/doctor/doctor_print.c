// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the output of the checks of bprof doctor. Must not know how the checks are made.
 */
#include <stdio.h>
#include <string.h>
#include <jansson.h>

#include "base/build_info.h"
#include "base/exit_status.h"
#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "doctor/doctor_print.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "kernel/feature.h"
#include "run/output_opts.h"

static const struct {
	const char *name;
	enum table_style style;
} statuses[] = {
	[CHECK_OK] = {"ok", TABLE_PLAIN},
	[CHECK_NO] = {"no", TABLE_RED},
	[CHECK_NOTE] = {"note", TABLE_PLAIN},
};

enum exit_status doctor__status_of_nothing(void)
{
	char missing[96];

	features__missing_caps((1U << BPROF_CAP_CNT) - 1, missing, sizeof(missing));
	return *missing ? EXIT_NOT_ALLOWED : EXIT_NOTHING;
}

bool doctor__is_well(const struct doctor *d)
{
	return d->ids && d->fentry && d->prog_fentry;
}

static const char *summarize(const struct doctor *d)
{
	if (doctor__is_well(d))
		return "bprof can measure programs here.";
	if (d->ids && d->fentry)
		return "bprof works here, but cannot probe this program.";
	if (d->ids && d->run_stats && d->samples)
		return "Programs cannot be probed here: run_stats gives runs and their mean time, "
		       "'stat --method samples' estimates more.";
	if (d->ids && d->run_stats)
		return "Programs cannot be probed here: only run_stats works, which gives runs and "
		       "their mean time.";
	return "bprof cannot measure programs here.";
}

static void print_checks(const void *arg, FILE *out, const struct screen *screen)
{
	const struct doctor *d = arg;
	static const struct table_col cols[] = {
		LEFT_COL("CHECK"),
		LEFT_COL(""),
		LEFT_COL("DETAIL", .min_width = 20, .folds = true),
	};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < d->cnt; i++) {
		const struct check *c = &d->v[i];
		bool known = !c->remedy; /* one of the checks before has the same remedy */

		for (int k = 0; !known && k < i; k++)
			known = d->v[k].remedy && !strcmp(d->v[k].remedy, c->remedy);
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", c->name);
		table__add_cell(t, statuses[c->status].style, "%s", statuses[c->status].name);
		table__add_cell(t, TABLE_PLAIN, "%s", c->detail);
		if (known)
			continue;
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", "");
		table__add_cell(t, TABLE_PLAIN, "%s", "");
		table__add_cell(t, TABLE_PLAIN, "-> %s", c->remedy);
	}
	table__print(t, out, true, screen);
	table__free(t);
	fputc('\n', out);
	text__fold(summarize(d), 0, 0, screen->width, out);
	fputc('\n', out);
}

/* The bugs that this kernel has, or may have. */
static json_t *make_bugs(const struct doctor *d)
{
	json_t *list = json_array();

	for (int i = 0; i < KERNEL_BUG_CNT; i++) {
		const struct kernel_bug *bug = kernel_bug__get(i);
		json_t *one;

		if (d->bugs[i] == KERNEL_BUG_ABSENT)
			continue;
		one = json_object();
		json__set_string(one, "name", bug->name);
		json_object_set_new(one, "known", json_boolean(d->bugs[i] == KERNEL_BUG_PRESENT));
		json__set_string(one, "what", bug->what);
		json__set_string(one, "effect", bug->effect);
		json__set_string(one, "since", bug->since);
		json__set_string(one, "fixed", bug->fixed);
		json__set_string(one, "bprof", bug->bprof);
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *checks_to_json(const void *arg)
{
	const struct doctor *d = arg;
	json_t *doc = json_object(), *list = json_array();

	json_object_set_new(doc, "schema", json_integer(1));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", build_info__version());
	json_object_set_new(doc, "ok", json_boolean(doctor__is_well(d)));
	json__set_string(doc, "summary", summarize(d));
	for (int i = 0; i < d->cnt; i++) {
		const struct check *c = &d->v[i];
		json_t *one = json_object();

		json__set_string(one, "name", c->name);
		json__set_string(one, "status", statuses[c->status].name);
		json__set_string(one, "detail", c->detail);
		if (c->remedy)
			json__set_string(one, "remedy", c->remedy);
		json_array_append_new(list, one);
	}
	json_object_set_new(doc, "checks", list);
	json_object_set_new(doc, "kernel_bugs", make_bugs(d));
	return doc;
}

int doctor__write(const struct output_opts *o, json_t *(*to_json)(const void *),
		  void (*print)(const void *, FILE *, const struct screen *), const void *arg)
{
	struct output out;
	struct draft draft;
	struct screen screen;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	screen = screen__of(out.file);
	draft__begin(&draft);
	if (output_opts__is_json(o))
		json__print(to_json(arg), output_opts__layout(o), draft.mem);
	else
		print(arg, draft.mem, &screen);
	err = draft__end(&draft, 0, out.file);
	return output__close(&out, output__commit(&out, err));
}

int doctor__print(const struct doctor *d, const struct output_opts *o)
{
	return doctor__write(o, checks_to_json, print_checks, d);
}
