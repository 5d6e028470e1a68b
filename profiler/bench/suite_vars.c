// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The variables of a suite. Owns their syntax and the order in which it looks up values. Must not
 * know what the strings mean.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/util.h"
#include "bench/suite_vars.h"
#include "json/json_error.h"
#include "json/json_make.h"

int suite_vars__add(struct suite_vars *v, const char *arg)
{
	const char *equals = strchr(arg, '=');
	const char **set;

	if (!equals || equals == arg)
		return log_err(-EINVAL, "--set %s: give NAME=VALUE", arg);
	set = array__add(&v->set, &v->set_cnt, sizeof(*set));
	*set = arg;
	return 0;
}

void suite_vars__free(struct suite_vars *v)
{
	free(v->set);
	*v = (struct suite_vars){};
}

struct expansion {
	const struct suite_vars *vars;
	json_t *defaults; /* the suite's "variables", or NULL */
	const char *file;
	struct json_path path; /* path to the current string */
};

static int __attribute__((format(printf, 2, 3)))
refuse(const struct expansion *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	json_path__refuse(&e->path, text, sizeof(text), fmt, ap);
	va_end(ap);
	return log_err(-EINVAL, "%s: %s", e->file, text);
}

static bool is_named(const char *set, const char *name, size_t len)
{
	return !strncmp(set, name, len) && set[len] == '=';
}

/* Returns the value of a variable, or NULL. The last --set of a name counts. */
static const char *find_value(const struct expansion *e, const char *name, size_t len)
{
	char key[128];

	for (int i = e->vars->set_cnt; i--;)
		if (is_named(e->vars->set[i], name, len))
			return e->vars->set[i] + len + 1;
	snprintf(key, sizeof(key), "%.*s", (int)len, name);
	return json_string_value(json_object_get(e->defaults, key));
}

/* Writes a variable's value. Moves *at from the character after "${" to that after "}". */
static int write_value(const struct expansion *e, const char **at, FILE *out)
{
	size_t len = strcspn(*at, "}");
	const char *value = find_value(e, *at, len);

	if (!(*at)[len] || !len)
		return refuse(e, "'${%.40s': expected ${NAME}; write $$ for a plain $", *at);
	if (!value)
		return refuse(e, "${%.*s} has no value; give --set %.*s=VALUE", (int)len, *at,
			      (int)len, *at);
	fputs(value, out);
	*at += len + 1;
	return 0;
}

static int expand_string(const struct expansion *e, json_t *v)
{
	const char *s = json_string_value(v);
	char *text = NULL;
	size_t sz;
	FILE *to;
	int err = 0;

	if (!strchr(s, '$'))
		return 0;
	to = text__open(&text, &sz);
	while (!err && *s) {
		if (s[0] == '$' && s[1] == '{') {
			s += 2;
			err = write_value(e, &s, to);
			continue;
		}
		s += s[0] == '$' && s[1] == '$';
		fputc(*s++, to);
	}
	fclose(to);
	if (!err && json__set_utf8(v, text))
		err = refuse(e, "the value of a variable is not UTF-8");
	free(text);
	return err;
}

static int expand(struct expansion *e, json_t *v)
{
	const char *key;
	json_t *child;
	size_t i;
	int err = 0;

	if (json_is_string(v))
		return expand_string(e, v);
	json_object_foreach(v, key, child)
	{
		if (child == e->defaults)
			continue;
		if (json_path__enter_field(&e->path, key))
			return refuse(e, "nested too deeply");
		err = expand(e, child);
		e->path.depth--;
		if (err)
			return err;
	}
	json_array_foreach(v, i, child)
	{
		if (json_path__enter_element(&e->path, i))
			return refuse(e, "nested too deeply");
		err = expand(e, child);
		e->path.depth--;
		if (err)
			return err;
	}
	return 0;
}

/* ---- checks ---- */

static int check_defaults(struct expansion *e)
{
	const char *name;
	json_t *value;

	if (e->defaults && !json_is_object(e->defaults))
		return log_err(-EINVAL, "%s: variables: expected an object, found %s", e->file,
			       json__type_text(e->defaults));
	json_object_foreach(e->defaults, name, value)
	{
		if (!json_is_string(value) && !json_is_null(value))
			return log_err(-EINVAL,
				       "%s: variables.%s: expected a string, or null if --set must "
				       "give the value",
				       e->file, name);
	}
	return 0;
}

/* Refuses a --set of a variable that "variables" does not declare. */
static int check_set(const struct expansion *e, const char *set)
{
	size_t len = strcspn(set, "=");
	struct suggest near;
	const char *name;
	char hint[128];
	json_t *value;

	suggest__init(&near, set, len);
	json_object_foreach(e->defaults, name, value)
	{
		if (is_named(set, name, strlen(name)) && strlen(name) == len)
			return 0;
		suggest__offer(&near, name);
	}
	return log_err(-EINVAL, "--set %s: \"variables\" in %s has no %.*s%s", set, e->file,
		       (int)len, set, suggest__text(&near, hint, sizeof(hint)));
}

int suite_vars__expand(const struct suite_vars *v, json_t *doc, const char *file)
{
	struct expansion e = {
		.vars = v, .defaults = json_object_get(doc, "variables"), .file = file};
	int err = check_defaults(&e);

	for (int i = 0; !err && i < v->set_cnt; i++)
		err = check_set(&e, v->set[i]);
	return err ?: expand(&e, doc);
}
