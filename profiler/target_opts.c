// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options that select targets. Owns their rows; must not know what is measured of them.
 */
#include <stddef.h>

#include "target_opts.h"

static int add_selector(void *options, const struct option_row *row, const char *arg)
{
	struct target_opts *o = options;

	return selector_list__add(&o->selectors, row->min, arg);
}

const struct option_row target_rows[] = {
	{"prog-id", 'b', OPTION_CALL, 0, "ID[,ID...]", SELECT_ID, 0, add_selector,
	 "programs by id; also --bpf-prog"},
	{"bpf-prog", 0, OPTION_CALL, 0, "ID", SELECT_ID, 0, add_selector, NULL},
	{"name", 0, OPTION_CALL, 0, "GLOB", SELECT_NAME, 0, add_selector,
	 "programs by (full) name, with their extensions (freplace)"},
	{"tag", 0, OPTION_CALL, 0, "HEX", SELECT_TAG, 0, add_selector,
	 "programs by tag, or its first digits"},
	{"pinned", 0, OPTION_CALL, 0, "PATH", SELECT_PINNED, 0, add_selector,
	 "a pinned program or link, or a directory of them"},
	{"type", 0, OPTION_CALL, 0, "TYPE[,TYPE...]", SELECT_TYPE, 0, add_selector,
	 "programs by type: xdp, sched_cls, ..."},
	{"all", 0, OPTION_CALL, 0, NULL, SELECT_ALL, 0, add_selector, "every loaded program"},
	{"func", 0, OPTION_STRING, offsetof(struct target_opts, func), "GLOB", 0, 0, NULL,
	 "of these programs, the functions of that name; '*': all, as a\n"
	 "                                 tree; also --prog-id ID:GLOB"},
	{},
};

const char target_opts_missing[] =
	"no target: give --prog-id, --name, --tag, --pinned, --type or --all; "
	"'bprof list' shows the loaded programs";

void target_opts__free(struct target_opts *o)
{
	selector_list__free(&o->selectors);
}
