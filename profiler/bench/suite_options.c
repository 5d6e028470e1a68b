// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The keys of a suite's entry that are options of bprof bench: "fail_on" is --fail-on. Owns the
 * conversion of a JSON value to the argument of an option, and the paths of files. Must not know
 * what any option does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "bench/bench_suite_priv.h"
#include "bench/log_prefix.h"

/*
 * Options that an entry of a suite cannot have: options for the whole run, for the machine, and for
 * loaded programs. is_for_run() adds all options of the tables "Output" and "Suite".
 */
static const char *const run_options[] = {
	"prog-id",	   "pinned",	   "baseline",	"list-events", "by",   "exact",	  "strict",
	"inconclusive-ok", "one-sided-ok", "save-base", "save-new",    "help", "version", NULL,
};

static bool is_for_run(const struct suite_load *l, int row)
{
	const char *title = l->rows.table[row]->title;

	for (int i = 0; run_options[i]; i++)
		if (!strcmp(run_options[i], l->rows.v[row].name))
			return true;
	return !strcmp(title, "Output") || !strcmp(title, "Suite");
}

/* Returns the key that stands for an option: its name with '_' instead of '-'. */
static const char *key_of(const struct suite_load *l, int row, char key[64])
{
	snprintf(key, 64, "%s", l->rows.v[row].name);
	for (char *c = key; *c; c++)
		if (*c == '-')
			*c = '_';
	return key;
}

int suite_load__find_option(const struct suite_load *l, const char *key)
{
	char own[64];

	for (int i = 0; i < l->rows.cnt; i++)
		if (!strcmp(key_of(l, i, own), key))
			return is_for_run(l, i) || !option_row__is_shown(&l->rows.v[i]) ? -1 : i;
	return -1;
}

void suite_load__suggest_options(const struct suite_load *l, struct suggest *near)
{
	char key[64];

	for (int i = 0; i < l->rows.cnt; i++)
		if (!is_for_run(l, i) && option_row__is_shown(&l->rows.v[i]))
			suggest__offer(near, key_of(l, i, key));
}

/* ---- files ---- */

/*
 * Returns true if the path can be a name in the list of files. The path must not leave its starting
 * directory, and must not be a name that bprof gives to other files.
 */
static bool is_listed_as_is(const char *path)
{
	return *path != '/' && strncmp(path, "../", 3) && !strstr(path, "/../") &&
	       strncmp(path, "files/", 6) && strncmp(path, "./", 2);
}

/*
 * Replaces the path in a string as suite_load__find_files() says, unless the string contains the
 * data itself ("hex:…"). Adds the file to the list of files.
 */
static void find_file(struct suite_load *l, json_t *v)
{
	const char *name = json_string_value(v), *slash = strrchr(l->s->file, '/'), *base;
	char *path, *listed = NULL;
	int dir;

	if (!name || !*name || !strncmp(name, "hex:", 4))
		return;
	dir = slash && *name != '/' ? slash - l->s->file + 1 : 0;
	path = text__format("%.*s%s", dir, l->s->file, name);
	if (l->list) {
		base = strrchr(name, '/');
		listed = is_listed_as_is(name) ? xstrdup(name)
					       : text__format("files/%d/%s", l->file_cnt++,
							      base ? base + 1 : name);
		fprintf(l->list, "file\t%s\t%s\n", listed, path);
	}
	/* The name of a directory need not be UTF-8. */
	json_string_set_nocheck(v, listed ?: path);
	free(path);
	free(listed);
}

/* Replaces the paths in the value of a key: a string, or all strings of arrays and objects. */
static void find_in_value(struct suite_load *l, json_t *value)
{
	const char *key;
	json_t *v;
	size_t i;

	find_file(l, value);
	json_array_foreach(value, i, v)
	{
		if (json_is_object(v))
			find_in_value(l, v);
		else
			find_file(l, v);
	}
	json_object_foreach(value, key, v)
	{
		find_file(l, v);
	}
}

static void find_in_cases(struct suite_load *l, const json_t *cases)
{
	const json_t *c;
	size_t i;

	json_array_foreach(cases, i, c)
	{
		find_file(l, json_object_get(c, "packet"));
		find_file(l, json_object_get(c, "pcap"));
		find_file(l, json_object_get(c, "ctx"));
		find_in_cases(l, json_object_get(c, "before"));
	}
}

/* Returns true if an option takes files of the suite. Directories of bpffs are no files of the suite. */
static bool takes_files(const struct option_row *row)
{
	return (row->arg_kind == ARG_FILE && strcmp(row->name, "pin-maps")) ||
	       row->arg_kind == ARG_NAMED_FILE;
}

void suite_load__find_files(struct suite_load *l, json_t *obj)
{
	const char *key;
	json_t *v;

	find_file(l, json_object_get(obj, "object"));
	find_file(l, json_object_get(obj, "old"));
	find_file(l, json_object_get(obj, "new"));
	json_object_foreach(obj, key, v)
	{
		int row = suite_load__find_option(l, key);

		if (row >= 0 && takes_files(&l->rows.v[row]))
			find_in_value(l, v);
	}
	find_in_cases(l, json_object_get(obj, "cases"));
}

/* ---- values ---- */

static int apply(struct suite_load *l, int row, struct bench_args *a, const char *arg)
{
	char place[400];
	struct log_prefix prefix;
	int err;

	json_path__print(&l->path, place, sizeof(place));
	log_prefix__begin(&prefix, "%s: %s", l->s->file, place);
	err = option_rows__apply(&l->rows, row, a, arg);
	log_prefix__end(&prefix);
	return err;
}

/* Applies a string as it is, and other values as JSON. name: NAME of NAME=VALUE, else NULL */
static int apply_text(struct suite_load *l, int row, struct bench_args *a, const char *name,
		      const json_t *v)
{
	char *json = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	char *text =
		text__format("%s%s%s", name ?: "", name ? "=" : "", json ?: json_string_value(v));

	free(json);
	return apply(l, row, a, suite_load__keep(l, text));
}

/* Applies each field of an object as NAME=VALUE. */
static int apply_fields(struct suite_load *l, int row, struct bench_args *a, json_t *obj)
{
	const char *name;
	int err = 0;
	json_t *v;

	json_object_foreach(obj, name, v)
	{
		if (err)
			break;
		json_path__enter_field(&l->path, name);
		err = apply_text(l, row, a, name, v);
		l->path.depth--;
	}
	return err;
}

/* Applies a string or a number or, if the option takes NAME=VALUE, an object. */
static int apply_one(struct suite_load *l, int row, struct bench_args *a, json_t *v)
{
	bool named = strchr(l->rows.v[row].arg, '='),
	     file = l->rows.v[row].arg_kind == ARG_NAMED_FILE;

	if (!file && (json_is_string(v) || json_is_number(v)))
		return apply_text(l, row, a, NULL, v);
	if (named && json_is_object(v))
		return apply_fields(l, row, a, v);
	return suite_load__refuse_type(l,
				       file    ? "an object"
				       : named ? "an object or a string"
					       : "a string or a number",
				       v);
}

static int apply_value(struct suite_load *l, int row, struct bench_args *a, json_t *v)
{
	int err = 0;
	json_t *one;
	size_t i;

	if (!l->rows.v[row].arg && !json_is_boolean(v))
		return suite_load__refuse_type(l, "true or false", v);
	if (!l->rows.v[row].arg)
		return json_is_true(v) ? apply(l, row, a, NULL) : 0;
	/* Only options that may be repeated accept several values. */
	if (!json_is_array(v) || l->rows.v[row].type != OPTION_CALL)
		return apply_one(l, row, a, v);
	json_array_foreach(v, i, one)
	{
		json_path__enter_element(&l->path, i);
		err = err ?: apply_one(l, row, a, one);
		l->path.depth--;
	}
	return err;
}

/*
 * Applies the options of an entry or of the defaults. entry NULL: obj is an entry. Otherwise obj
 * has the defaults, and entry is the entry to which they apply. Leaves out a default if the entry
 * has the same key. Also leaves out a default that is an option of a comparison if the entry has
 * only one object.
 */
static int apply_options(struct suite_load *l, json_t *obj, json_t *entry, struct bench_args *a)
{
	bool compares = a->plan.object_cnt == BENCH_SIDE_CNT;
	const char *key;
	int err = 0;
	json_t *v;

	json_object_foreach(obj, key, v)
	{
		int row = suite_load__find_option(l, key);
		bool lacks_old = row >= 0 && l->rows.table[row]->rows == compare_rows && !compares;

		if (err)
			break;
		/* -e on the command line replaces the events of the file. */
		if (row < 0 || (entry && (lacks_old || json_object_get(entry, key))) ||
		    (!strcmp(key, "event") && l->cli->measure.events.cnt))
			continue;
		json_path__enter_field(&l->path, key);
		err = lacks_old ? suite_load__refuse(l, "it needs \"old\" and \"new\" to compare")
				: apply_value(l, row, a, v);
		l->path.depth--;
	}
	return err;
}

int suite_load__add_options(struct suite_load *l, json_t *obj, json_t *defaults,
			    struct bench_args *a)
{
	struct json_path entry = l->path;
	struct log_prefix prefix;
	char place[400];
	int err;

	l->path.depth = 0;
	json_path__enter_field(&l->path, "defaults");
	err = apply_options(l, defaults, obj, a);
	l->path = entry;
	err = err ?: apply_options(l, obj, NULL, a) ?: bench_args__add_argv(a, l->argc, l->argv);
	if (err)
		return err;
	json_path__print(&l->path, place, sizeof(place));
	log_prefix__begin(&prefix, "%s: %s", l->s->file, place);
	err = bench_args__finish(a);
	log_prefix__end(&prefix);
	return err;
}
