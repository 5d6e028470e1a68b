// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a suite. Owns the keys of the file and of an entry, except for the keys that are options of
 * bprof bench. Must not know what an option means, or how an entry is measured.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/util.h"
#include "bench/bench_suite.h"
#include "bench/bench_suite_priv.h"
#include "bench/suite_vars.h"
#include "json/json_fields.h"
#include "json/json_lenient.h"
#include "run/command.h"

int suite_load__refuse(const struct suite_load *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	json_path__refuse(&l->path, text, sizeof(text), fmt, ap);
	va_end(ap);
	return log_err(-EINVAL, "%s: %s", l->s->file, text);
}

int suite_load__refuse_type(const struct suite_load *l, const char *wanted, const json_t *v)
{
	return suite_load__refuse(l, "expected %s, found %s", wanted, json__type_text(v));
}

const char *suite_load__keep(struct suite_load *l, char *text)
{
	char **to = array__add(&l->s->kept, &l->s->kept_cnt, sizeof(*to));

	return *to = text;
}

/* ---- keys ---- */

static const char *const suite_keys[] = {"$schema", "description", "variables", "arch",
					 "kernel",  "defaults",	   "entries",	NULL};
static const char *const entry_keys[] = {"name", "description", "object", "old", "new",
					 "arch", "kernel",	"cases",  NULL};

static bool has_word(const char *const *words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

/* Refuses an unknown key. options: also accepts keys that are options of bprof bench. */
static int check_keys(struct suite_load *l, json_t *obj, const char *const *known, bool options)
{
	const char *key;
	json_t *value;

	json_object_foreach(obj, key, value)
	{
		struct suggest near;
		char hint[128];

		if (has_word(known, key) || (options && suite_load__find_option(l, key) >= 0))
			continue;
		suggest__init(&near, key, strlen(key));
		for (int i = 0; known[i]; i++)
			suggest__offer(&near, known[i]);
		if (options)
			suite_load__suggest_options(l, &near);
		return suite_load__refuse(l, "\"%.60s\": no such key%s", key,
					  suggest__text(&near, hint, sizeof(hint)));
	}
	return 0;
}

/*
 * Returns a string of obj, or NULL if the key is missing. If the value is no string, or an empty
 * one, sets *err (reported). Returns NULL if *err is already set.
 */
static const char *get_string(struct suite_load *l, json_t *obj, const char *key, int *err)
{
	json_t *v = json_object_get(obj, key);

	if (!v || *err)
		return NULL;
	json_path__enter_field(&l->path, key);
	if (!json_is_string(v))
		*err = suite_load__refuse_type(l, "a string", v);
	else if (!json_string_length(v))
		*err = suite_load__refuse(l, "is empty");
	l->path.depth--;
	return json_string_value(v);
}

/* Checks a list of strings. words: the only strings that are allowed, or NULL. */
static int check_list(struct suite_load *l, json_t *obj, const char *key, const char *const *words)
{
	json_t *list = json_object_get(obj, key), *v;
	int err = 0;
	size_t i;

	json_path__enter_field(&l->path, key);
	if (list && !json_is_array(list))
		err = suite_load__refuse_type(l, "an array", list);
	json_array_foreach(list, i, v)
	{
		json_path__enter_element(&l->path, i);
		if (!err && !json_is_string(v))
			err = suite_load__refuse_type(l, "a string", v);
		if (!err && words && !has_word(words, json_string_value(v)))
			err = suite_load__refuse(l, "expected arm64 or x86_64");
		l->path.depth--;
	}
	l->path.depth--;
	return err;
}

static int check_places(struct suite_load *l, json_t *obj)
{
	static const char *const archs[] = {"arm64", "x86_64", NULL};

	return check_list(l, obj, "arch", archs) ?: check_list(l, obj, "kernel", NULL);
}

/* ---- which entries are measured here ---- */

static bool is_arch(const char *arch, const struct utsname *here)
{
	return !strcmp(arch, here->machine) ||
	       (!strcmp(arch, "arm64") && !strcmp(here->machine, "aarch64"));
}

/*
 * Returns true if the running kernel's release begins with the version and goes on without a digit:
 * "6.1" means 6.1.38, but not 6.12.
 */
static bool is_kernel(const char *version, const struct utsname *here)
{
	size_t len = strlen(version);

	return !strncmp(version, here->release, len) && !isdigit((unsigned char)here->release[len]);
}

static bool allows(json_t *obj, const char *key,
		   bool (*matches)(const char *, const struct utsname *))
{
	const json_t *list = json_object_get(obj, key);
	struct utsname here;

	uname(&here);
	for (size_t i = 0; i < json_array_size(list); i++)
		if (matches(json_string_value(json_array_get(list, i)), &here))
			return true;
	return !list;
}

static bool is_wanted(const struct suite_load *l, json_t *obj, const char *name)
{
	if (l->cli->suite.entry && fnmatch(l->cli->suite.entry, name, 0))
		return false;
	if (l->list || (allows(obj, "arch", is_arch) && allows(obj, "kernel", is_kernel)))
		return true;
	log_info("%s: entry %s is not for this architecture or kernel", l->s->file, name);
	return false;
}

/* ---- entries ---- */

/* Returns the name of an object without ".bpf.o" or ".o". */
static char *name_of_object(const char *object)
{
	const char *base = strrchr(object, '/');
	size_t len;

	base = base ? base + 1 : object;
	len = strlen(base);
	if (len > 2 && !strcmp(base + len - 2, ".o"))
		len -= 2;
	if (len > 4 && !strncmp(base + len - 4, ".bpf", 4))
		len -= 4;
	return xstrndup(base, len);
}

/* Adds the objects of an entry, and sets its name. */
static int add_objects(struct suite_load *l, json_t *obj, struct bench_entry *e)
{
	int err = 0;
	const char *object = get_string(l, obj, "object", &err);
	const char *old = get_string(l, obj, "old", &err), *new = get_string(l, obj, "new", &err);
	const char *name = get_string(l, obj, "name", &err);

	if (err)
		return err;
	if (object ? old || new : !new)
		return suite_load__refuse(l, "give \"object\", or \"old\" and \"new\" to compare "
					     "two versions, or only \"new\"");
	if (old)
		e->a.plan.object[e->a.plan.object_cnt++] = old;
	e->a.plan.object[e->a.plan.object_cnt++] = object ?: new;
	e->name = name ? xstrdup(name) : name_of_object(object ?: new);
	if (strchr(e->name, '/'))
		return suite_load__refuse(l, "\"name\": must not contain '/', which is between the "
					     "names of the entry and of its case");
	for (int i = 0; i < l->s->cnt; i++)
		if (&l->s->v[i] != e && !strcmp(l->s->v[i].name, e->name))
			return suite_load__refuse(l,
						  "another entry is called '%.60s'; give each "
						  "a \"name\"",
						  e->name);
	return 0;
}

static int parse_cases(struct suite_load *l, json_t *obj, struct bench_entry *e)
{
	json_t *cases = json_object_get(obj, "cases");
	struct json_reader rd = {.path = l->path};
	char text[512];
	int err;

	if (!cases)
		return 0;
	rd.text = text;
	rd.text_sz = sizeof(text);
	json_path__enter_field(&rd.path, "cases");
	err = bench_cases__parse(&e->a.cases, cases, &rd);
	return err ? log_err(err, "%s: %s", l->s->file, text) : 0;
}

static void drop_last(struct bench_suite *s)
{
	struct bench_entry *e = &s->v[--s->cnt];

	bench_args__free(&e->a);
	free(e->name);
}

static int load_entry(struct suite_load *l, json_t *obj, json_t *defaults)
{
	struct bench_entry *e;
	int err;

	if (!json_is_object(obj))
		return suite_load__refuse_type(l, "an object", obj);
	err = check_keys(l, obj, entry_keys, true) ?: check_places(l, obj);
	if (err)
		return err;
	suite_load__find_files(l, obj);
	e = array__add(&l->s->v, &l->s->cnt, sizeof(*e));
	bench_args__init(&e->a);
	err = add_objects(l, obj, e);
	if (!err && !is_wanted(l, obj, e->name)) {
		drop_last(l->s);
		return 0;
	}
	err = err ?: parse_cases(l, obj, e);
	err = err ?: suite_load__add_options(l, obj, defaults, &e->a);
	if (!err && l->list)
		fprintf(l->list, "entry\t%s\n", e->name);
	return err;
}

static int load_entries(struct suite_load *l)
{
	json_t *defaults = json_object_get(l->s->doc, "defaults"), *v;
	json_t *entries = json_object_get(l->s->doc, "entries");
	static const char *const none[] = {NULL};
	int err = 0;
	size_t i;

	json_path__enter_field(&l->path, "defaults");
	if (defaults)
		err = !json_is_object(defaults) ? suite_load__refuse_type(l, "an object", defaults)
						: check_keys(l, defaults, none, true);
	if (!err)
		suite_load__find_files(l, defaults);
	l->path.depth--;
	json_path__enter_field(&l->path, "entries");
	if (!err && !(json_is_array(entries) && json_array_size(entries)))
		err = suite_load__refuse(l, "expected an array of at least one entry");
	json_array_foreach(entries, i, v)
	{
		json_path__enter_element(&l->path, i);
		err = err ?: load_entry(l, v, defaults);
		l->path.depth--;
	}
	l->path.depth--;
	return err;
}

/* ---- the file ---- */

static int read_suite(struct bench_suite *s)
{
	json_error_t jerr;
	char *text = NULL;
	int err = read_file(s->file, &text);

	if (err)
		return log_err(err, "--suite %s: %s", s->file, strerror(-err));
	err = json_lenient__load(text, 0, &s->doc, &jerr);
	free(text);
	if (err)
		log_err(err, "%s:%d: %s", s->file, jerr.line, json__syntax_text(&jerr));
	return err;
}

static void list_words(const struct suite_load *l, const char *key)
{
	const json_t *list = json_object_get(l->s->doc, key);

	for (size_t i = 0; i < json_array_size(list); i++)
		fprintf(l->list, "%s\t%s\n", key, json_string_value(json_array_get(list, i)));
}

int bench_suite__load(struct bench_suite *s, const struct bench_args *a, int argc, char **argv,
		      FILE *list)
{
	struct suite_load l = {.s = s, .cli = a, .argc = argc, .argv = argv, .list = list};
	char *text;
	int err;

	*s = (struct bench_suite){.file = a->suite.file};
	option_rows__join(&l.rows, &bench_spec);
	err = read_suite(s);
	if (err)
		return err;
	if (!json_is_object(s->doc))
		return suite_load__refuse_type(&l, "an object", s->doc);
	err = suite_vars__expand(&a->suite.vars, s->doc, s->file) ?:
	      check_keys(&l, s->doc, suite_keys, false) ?:
	      check_places(&l, s->doc) ?:
	      load_entries(&l);
	if (!err && !s->cnt)
		err = log_err(-ENODATA, "%s: no entry is for this architecture and kernel%s%s",
			      s->file, a->suite.entry ? ", and called " : "", a->suite.entry ?: "");
	if (err || !list)
		return err;
	list_words(&l, "arch");
	list_words(&l, "kernel");
	json_object_del(s->doc, "variables");
	text = json_dumps(s->doc, JSON_COMPACT);
	fprintf(list, "suite\t%s\n", text);
	free(text);
	return 0;
}

bool bench_suite__compares(const struct bench_suite *s)
{
	for (int i = 0; i < s->cnt; i++)
		if (bench_plan__compares(&s->v[i].a.plan))
			return true;
	return false;
}

void bench_suite__free(struct bench_suite *s)
{
	while (s->cnt) {
		struct bench_entry *e = &s->v[s->cnt - 1];

		for (int side = 0; side < BENCH_SIDE_CNT; side++)
			report__free(e->report[side]);
		free(e->why);
		drop_last(s);
	}
	free(s->v);
	for (int i = 0; i < s->kept_cnt; i++)
		free(s->kept[i]);
	free(s->kept);
	json_decref(s->doc);
}
