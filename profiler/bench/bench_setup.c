// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the syntax of the options that select programs and set up an object. Must not know any
 * object: the load checks whether it has the maps, variables and programs that the options name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "bench/bench_setup.h"
#include "btf/prog.h"

static int refuse(const char *option, const char *arg, const struct parse_error *err)
{
	return parse_error__report(-EINVAL, option, arg, err);
}

/*
 * Splits "NAME=REST" at the first '='; neither part may be empty. form is the syntax for the error
 * message. The caller frees *name. Returns 0, -EINVAL or -ENOMEM (reported).
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
		return refuse(option, arg, &err);
	*rest = equals + 1;
	*name = strndup(arg, equals - arg);
	return *name ? 0 : log_err(-ENOMEM, "%s: out of memory", option);
}

int bench_setup__add_map(struct bench_setup *s, const char *arg)
{
	struct bench_map *map = array__add(&s->map, &s->map_cnt, sizeof(*map));

	if (!map)
		return log_err(-ENOMEM, "--map: out of memory");
	return split("--map", "NAME=FILE.json", arg, &map->name, &map->path);
}

int bench_setup__add_global(struct bench_setup *s, const char *arg)
{
	struct bench_global *global = array__add(&s->global, &s->global_cnt, sizeof(*global));

	if (!global)
		return log_err(-ENOMEM, "--global: out of memory");
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

	if (!call)
		return log_err(-ENOMEM, "--prog-array: out of memory");
	err = split(option, form, arg, &call->map, &call->prog);
	if (err)
		return err;
	colon = strchr(call->map, ':');
	if (!colon || colon == call->map) {
		parse_error__set(&perr, colon ? 0 : strlen(call->map), 1,
				 colon ? "expected %s: nothing before ':'"
				       : "expected %s: no ':' before '='",
				 form);
		return refuse(option, arg, &perr);
	}
	*colon = '\0';
	if (parse_u64(colon + 1, UINT32_MAX, &index)) {
		parse_error__set(&perr, colon + 1 - call->map, strlen(colon + 1),
				 "expected an index: a number >= 0");
		return refuse(option, arg, &perr);
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
	if (!prog)
		return log_err(-ENOMEM, "--prog: out of memory");
	*prog = arg;
	return 0;
}

int bench_setup__find_type(const struct bench_setup *s, __u32 *type, __u32 *attach_type)
{
	enum bpf_attach_type sec_attach_type;
	enum bpf_prog_type sec_type;
	const char *arg = s->type ?: "";
	struct parse_error err;
	char why[128];
	int found = prog_type__parse(arg);

	*type = found > 0 ? found : 0;
	*attach_type = 0;
	if (!s->type || found > 0)
		return 0;
	if (*arg && !libbpf_prog_type_by_name(arg, &sec_type, &sec_attach_type)) {
		*type = sec_type;
		*attach_type = sec_attach_type;
		return 0;
	}
	parse_error__set(&err, 0, strlen(arg), "%s",
			 prog_type__explain_unknown(arg, strlen(arg), why, sizeof(why)));
	return refuse("--type", arg, &err);
}

void bench_setup__free(struct bench_setup *s)
{
	for (int i = 0; i < s->map_cnt; i++)
		free(s->map[i].name);
	for (int i = 0; i < s->global_cnt; i++)
		free(s->global[i].name);
	for (int i = 0; i < s->prog_array_cnt; i++)
		free(s->prog_array[i].map);
	free(s->map);
	free(s->global);
	free(s->prog_array);
	free(s->prog);
	*s = (struct bench_setup){};
}
