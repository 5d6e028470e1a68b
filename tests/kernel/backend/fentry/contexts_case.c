// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Setup and checks for the groups contexts and contexts_tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/backend/fentry/contexts_case.h"

/* Kernel constants that this libbpf does not define yet. */
#define PROG_TYPE_NETFILTER 32
#define ATTACH_NETFILTER 45

const char *const target_suffixes[TARGETS] = {"_0", "_100", "_void_0", "_void_100"};
const char shapes_suffix[] = "_shapes";

int setup_contexts(void **state)
{
	return has_cpus(1) ? load_context_modules(state) : -1;
}

int load_context_modules(void **state)
{
	static const char *const modules[] = {"veth", "sch_ingress", "cls_bpf", "act_bpf"};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!load_module(modules[i]))
			return -1;
	return 0;
}

/*
 * Registers the struct_ops maps of an object, for example as a congestion control or a scheduler.
 */
static void register_all(struct fixture *f, const struct context *c, struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map (map, obj) {
		struct bpf_link *link;

		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		link = bpf_map__attach_struct_ops(map);
		if (!link)
			fail_test("%s: %s: %s", c->name, bpf_map__name(map), strerror(errno));
		keep_link(f, link);
	}
}

void load_targets(struct fixture *f, const struct context *c, const char *const *suffixes,
		  struct target *out, int cnt)
{
	const bool shapes = !strcmp(suffixes[0], shapes_suffix);
	struct bpf_object *obj;
	struct bpf_program *p;
	struct bpf_map *map;
	char text[128];

	snprintf(text, sizeof(text), PROGS_DIR "/%s.bpf.o", c->object);
	obj = open_object(f, text);
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, bpf_program__type(p) == BPF_PROG_TYPE_STRUCT_OPS);
	bpf_object__for_each_map (map, obj)
		bpf_map__set_autocreate(map,
					shapes || bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS);
	for (int i = 0; i < cnt; i++) {
		snprintf(text, sizeof(text), "%s%s", c->prog, suffixes[i]);
		p = bpf_object__find_program_by_name(obj, text);
		assert_non_null(p);
		bpf_program__set_autoload(p, true);
		if (!strcmp(c->prog, "netfilter")) {
			bpf_program__set_type(p, PROG_TYPE_NETFILTER);
			bpf_program__set_expected_attach_type(p, ATTACH_NETFILTER);
		}
	}
	if (bpf_object__load(obj)) {
		snprintf(text, sizeof(text), "cannot be loaded: %s", strerror(errno));
		skip_test(c->name, text);
	}
	register_all(f, c, obj);
	for (int i = 0; i < cnt; i++) {
		snprintf(text, sizeof(text), "%s%s", c->prog, suffixes[i]);
		out[i] = program_of(obj, text);
	}
}

/* Skips the test; the reason is the part of the message before the first ';' or newline. */
static void skip_because(const char *hook, const char *message)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(message, ";\n"), message);
	skip_test(hook, text);
}

void check_driven(const struct run *r, json_t *row, const char *hook)
{
	char name[64];
	const char *why;

	if (strcmp(str(row, "method"), "fentry")) {
		snprintf(name, sizeof(name), "%s: ", str(row, "name"));
		why = strstr(r->err, name);
		skip_because(hook, why ? why + strlen(name) : r->err);
	}
	if (strstr(r->err, "drive: attach: "))
		skip_because(hook, strstr(r->err, "attach: "));
	if (strstr(r->err, "drive: network: "))
		skip_because(hook, strstr(r->err, "network: "));
	assert_status(r, 0);
}
