// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the syntax of the options that select programs and set up an object. Must not know any
 * object: when an object is loaded, other files check whether it has the maps, variables and
 * programs that the options name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse_error.h"
#include "btf/prog.h"
#include "object/object_setup.h"

static int refuse_argument(const char *option, const char *arg, const struct parse_error *err)
{
	return parse_error__report(-EINVAL, option, arg, err);
}

/*
 * Splits "NAME=REST" at the first '='; neither part may be empty. form is the syntax for the error
 * message. The caller frees *name. Returns 0 or -EINVAL (reported).
 */
static int split(const char *option, const char *form, const char *arg, char **name,
		 const char **rest)
{
	const char *equals = strchr(arg, '=');
	struct parse_error err;

	if (!equals)
		parse_error__set(&err, strlen(arg), 1, "expected %s: no '='", form);
	else if (equals == arg)
		parse_error__set(&err, 0, 1, "expected %s: nothing before '='", form);
	else if (!equals[1])
		parse_error__set(&err, equals - arg + 1, 1, "expected %s: nothing after '='", form);
	if (!equals || equals == arg || !equals[1])
		return refuse_argument(option, arg, &err);
	*rest = equals + 1;
	*name = xstrndup(arg, equals - arg);
	return 0;
}

int bench_setup__add_map(struct bench_setup *s, const char *arg)
{
	struct bench_map *map = array__add(&s->map, &s->map_cnt, sizeof(*map));

	return split("--map", "NAME=FILE.json", arg, &map->name, &map->path);
}

int bench_setup__add_global(struct bench_setup *s, const char *arg)
{
	struct bench_global *global = array__add(&s->global, &s->global_cnt, sizeof(*global));

	return split("--global", "NAME=VALUE", arg, &global->name, &global->value);
}

int bench_setup__add_prog_array(struct bench_setup *s, const char *arg)
{
	static const char option[] = "--prog-array", form[] = "MAP:IDX=PROG";
	struct bench_prog_array *call =
		array__add(&s->prog_array, &s->prog_array_cnt, sizeof(*call));
	struct parse_error perr;
	char *colon;
	__u64 index;
	int err;

	err = split(option, form, arg, &call->map, &call->prog);
	if (err)
		return err;
	colon = strchr(call->map, ':');
	if (!colon || colon == call->map) {
		parse_error__set(&perr, colon ? 0 : strlen(call->map), 1,
				 colon ? "expected %s: nothing before ':'"
				       : "expected %s: no ':' before '='",
				 form);
		return refuse_argument(option, arg, &perr);
	}
	*colon = '\0';
	if (parse_u64(colon + 1, UINT32_MAX, &index)) {
		parse_error__set(&perr, colon + 1 - call->map, strlen(colon + 1),
				 "expected an index: a number >= 0");
		return refuse_argument(option, arg, &perr);
	}
	call->index = index;
	return 0;
}

int bench_setup__add_prog(struct bench_setup *s, const char *arg)
{
	const char **prog;

	if (!*arg)
		return log_err(-EINVAL, "--prog: expected the name of a program");
	prog = array__add(&s->prog, &s->prog_cnt, sizeof(*prog));
	*prog = arg;
	return 0;
}

/*
 * Finds the types that a TYPE names. If TYPE is a section of tracing or LSM programs, they attach
 * to the function or tracepoint after the '/'.
 */
static bool find_prog_type(const char *name, struct bench_type *out)
{
	int found = prog_type__parse(name);
	enum bpf_attach_type attach_type;
	enum bpf_prog_type type;
	const char *slash = strchr(name, '/');

	if (found > 0) {
		out->type = found;
		return true;
	}
	if (!*name || libbpf_prog_type_by_name(name, &type, &attach_type))
		return false;
	out->type = type;
	out->attach_type = attach_type;
	if (slash && slash[1] && (type == BPF_PROG_TYPE_TRACING || type == BPF_PROG_TYPE_LSM))
		out->target = slash + 1;
	return true;
}

int bench_setup__add_type(struct bench_setup *s, const char *arg)
{
	struct bench_type *type = array__add(&s->type, &s->type_cnt, sizeof(*type));
	const char *name = arg;
	struct parse_error perr;
	char why[128];
	int err = 0;

	if (strchr(arg, '='))
		err = split("--type", "PROG=TYPE", arg, &type->prog, &name);
	if (err || find_prog_type(name, type))
		return err;
	parse_error__set(&perr, name - arg, strlen(name), "%s",
			 prog_type__explain_unknown(name, strlen(name), why, sizeof(why)));
	return refuse_argument("--type", arg, &perr);
}

/* Parses the number at text, which is a part of len bytes of arg. */
static int parse_positive(const char *option, const char *arg, const char *text, size_t len,
			  const char *what, __u32 *out)
{
	char digits[16] = "";
	struct parse_error err;
	__u64 n;

	if (len < sizeof(digits))
		memcpy(digits, text, len);
	if (!parse_u64(digits, UINT32_MAX, &n) && n) {
		*out = n;
		return 0;
	}
	parse_error__set(&err, text - arg, len ?: 1, "expected %s: a number > 0", what);
	return refuse_argument(option, arg, &err);
}

int bench_setup__add_size(struct bench_setup *s, const char *option, enum bench_map_part part,
			  const char *arg)
{
	struct bench_map_size *size = array__add(&s->size, &s->size_cnt, sizeof(*size));
	bool bytes = part != MAP_ENTRIES;
	const char *text = ""; /* set if split() succeeds */

	size->part = part;
	return split(option, bytes ? "NAME=BYTES" : "NAME=N", arg, &size->name, &text)
		       ?: parse_positive(option, arg, text, strlen(text),
					 bytes ? "a number of bytes" : "a number of entries",
					 &size->n);
}

static __u32 find_map_type(const char *name, size_t len)
{
	for (__u32 type = 1;; type++) {
		const char *known = libbpf_bpf_map_type_str(type);

		if (!known)
			return 0;
		if (strlen(known) == len && !memcmp(known, name, len))
			return type;
	}
}

/* Parses "TYPE,KEY,VALUE,ENTRIES". */
static int parse_inner(struct bench_inner_map *m, const char *arg, const char *text)
{
	static const char option[] = "--inner-map";
	struct {
		const char *what;
		__u32 *n;
	} parts[] = {
		{"the size of a key in bytes", &m->key_sz},
		{"the size of a value in bytes", &m->value_sz},
		{"a number of entries", &m->entries},
	};
	size_t len = strcspn(text, ",");
	struct parse_error err;
	int ret = 0;

	m->type = find_map_type(text, len);
	if (!m->type) {
		parse_error__set(&err, text - arg, len ?: 1,
				 "no such map type, such as hash or array");
		return refuse_argument(option, arg, &err);
	}
	for (size_t i = 0; !ret && i < ARRAY_SIZE(parts); i++) {
		text += len + !!text[len];
		len = i + 1 < ARRAY_SIZE(parts) ? strcspn(text, ",") : strlen(text);
		ret = parse_positive(option, arg, text, len, parts[i].what, parts[i].n);
	}
	return ret;
}

int bench_setup__add_inner_map(struct bench_setup *s, const char *arg)
{
	struct bench_inner_map *m = array__add(&s->inner, &s->inner_cnt, sizeof(*m));
	const char *text;
	int err;

	err = split("--inner-map", "NAME=MAP or NAME=TYPE,KEY,VALUE,N", arg, &m->name, &text);
	if (err || strchr(text, ','))
		return err ?: parse_inner(m, arg, text);
	m->map = xstrdup(text);
	return 0;
}

void bench_setup__free(struct bench_setup *s)
{
	for (int i = 0; i < s->map_cnt; i++)
		free(s->map[i].name);
	for (int i = 0; i < s->global_cnt; i++)
		free(s->global[i].name);
	for (int i = 0; i < s->prog_array_cnt; i++)
		free(s->prog_array[i].map);
	for (int i = 0; i < s->type_cnt; i++)
		free(s->type[i].prog);
	for (int i = 0; i < s->size_cnt; i++)
		free(s->size[i].name);
	for (int i = 0; i < s->inner_cnt; i++) {
		free(s->inner[i].name);
		free(s->inner[i].map);
	}
	free(s->type);
	free(s->size);
	free(s->inner);
	free(s->map);
	free(s->global);
	free(s->prog_array);
	free(s->prog);
	*s = (struct bench_setup){};
}
