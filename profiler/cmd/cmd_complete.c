// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof __complete WORD...: the scripts in completion/ run this command at each Tab. Owns the
 * candidates for commands and for values that depend on the machine. Must not know any shell.
 * Without root, there are no candidates for programs.
 */
#include <stdio.h>
#include <string.h>

#include "backend/counter.h"
#include "backend/method_list.h"
#include "base/util.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "event/event_names.h"
#include "formats/formats.h"
#include "options/completion.h"
#include "run/command.h"
#include "target/struct_ops.h"

/*
 * The kernel cuts a program's name to this length. A name of this length may be cut; the entry
 * function has the full name.
 */
#define KERNEL_NAME_LEN 15

static void offer_prog_of(const struct completion *c, enum option_arg kind, struct prog *p)
{
	const char *type = prog_type__name(p->info.type);
	char id[16], text[128], tag[17];

	snprintf(id, sizeof(id), "%u", p->info.id);
	snprintf(text, sizeof(text), "%s, %s", prog__name(p), type);
	if (kind == ARG_PROG_ID)
		completion__offer(c, id, text);
	else if (kind == ARG_PROG_TAG)
		completion__offer(c, prog__tag(p, tag), text);
	else if (*prog__name(p))
		completion__offer(c, prog__name(p), type);
}

struct prog_offer {
	const struct completion *c;
	enum option_arg kind;
};

static int offer_prog(__u32 id, void *arg)
{
	const struct prog_offer *o = arg;
	struct reason unused;
	struct prog *p;

	if (prog__open_id(id, &p))
		return 0; /* it has been unloaded in the meantime */
	if (!prog__is_own(p)) {
		if (strlen(prog__name(p)) == KERNEL_NAME_LEN)
			(void)prog__load_funcs(p, &unused);
		offer_prog_of(o->c, o->kind, p);
	}
	prog__close(p);
	return 0;
}

struct map_offer {
	const struct completion *c;
	/* the map that was offered last: the functions of a map come one after the other */
	char last[64];
};

static int offer_map(const struct struct_ops_func *f, void *arg)
{
	struct map_offer *o = arg;

	if (strcmp(f->map, o->last))
		completion__offer(o->c, f->map, NULL);
	snprintf(o->last, sizeof(o->last), "%s", f->map);
	return 0;
}

static void offer_event(void *arg, const char *pmu, const char *name)
{
	char event[128];

	snprintf(event, sizeof(event), pmu ? "%s/%s/" : "%s%s", pmu ? pmu : "", name);
	completion__offer(arg, event, NULL);
}

static void offer_commands(const struct completion *c)
{
	for (int i = 0; i < command_cnt; i++)
		completion__offer(c, commands[i].spec->name, commands[i].spec->brief);
}

static void offer_values(const struct completion *c, enum option_arg kind)
{
	const struct format *f;

	switch (kind) {
	case ARG_PROG_ID:
	case ARG_PROG_NAME:
	case ARG_PROG_TAG:
		(void)prog__for_each_id(offer_prog, &(struct prog_offer){c, kind});
		break;
	case ARG_PROG_TYPE:
		for (int type = 1; type <= PROG_TYPE_MAX; type++)
			if (prog_type__is_known(type))
				completion__offer(c, prog_type__name(type), NULL);
		break;
	case ARG_STRUCT_OPS:
		(void)struct_ops__walk(NULL, offer_map, &(struct map_offer){c});
		break;
	case ARG_EVENT:
		event_names__for_each(EVENT_SYSFS, offer_event, (void *)c);
		break;
	case ARG_METHOD:
		for (int i = 0; i < BACKEND_CNT; i++)
			completion__offer(c, backend_ops[i]->method, NULL);
		break;
	case ARG_FORMAT:
		for (int i = 0; (f = formats__next(c->spec->documents, i)); i++)
			completion__offer(c, f->name, f->help);
		break;
	case ARG_COMMAND:
		offer_commands(c);
		break;
	case ARG_OTHER:
	case ARG_CHOICE:
	case ARG_FILE:
	case ARG_NAMED_FILE:
	case ARG_PROGRAM:
		break;
	}
}

int cmd_complete(int argc, char **argv)
{
	struct completion c = {.word = argc > 2 ? argv[2] : "", .out = stdout};

	if (argc < 3)
		return EXIT_USAGE;
	if (c.word[0] == '-')
		command_spec__complete(&stat_spec, argv + 2, argc - 2, 1, offer_values, stdout);
	else if (argc == 3)
		offer_commands(&c);
	for (int i = 0; argc > 3 && i < command_cnt; i++)
		if (!strcmp(argv[2], commands[i].spec->name))
			command_spec__complete(commands[i].spec, argv + 3, argc - 3, 2,
					       offer_values, stdout);
	return EXIT_DONE;
}
