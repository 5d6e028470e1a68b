// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options that select targets. Owns their rows; must not know what is measured.
 */
#include <errno.h>
#include <stddef.h>

#include "base/log.h"
#include "options/idlist.h"
#include "run/target_opts.h"

#define SELECTORS OPTION_CALL, offsetof(struct target_opts, selectors)

const struct option_row target_rows[] = {
	{"prog-id", 'b', SELECTORS, "ID[,ID...]", SELECT_ID, 0, selector_list__add_option,
	 "select programs by id (alias: --bpf-prog)", ARG_PROG_ID},
	{"bpf-prog", 0, SELECTORS, "ID", SELECT_ID, 0, selector_list__add_option, NULL,
	 ARG_PROG_ID},
	{"name", 0, SELECTORS, "GLOB", SELECT_NAME, 0, selector_list__add_option,
	 "select programs whose full name matches GLOB, and their extensions (freplace)",
	 ARG_PROG_NAME},
	{"tag", 0, SELECTORS, "HEX", SELECT_TAG, 0, selector_list__add_option,
	 "select programs whose tag begins with HEX", ARG_PROG_TAG},
	{"pinned", 0, SELECTORS, "PATH", SELECT_PINNED, 0, selector_list__add_option,
	 "select the pinned program or link PATH, or all below a directory", ARG_FILE},
	{"type", 0, SELECTORS, "TYPE[,TYPE...]", SELECT_TYPE, 0, selector_list__add_option,
	 "select programs of these types, such as xdp,sched_cls", ARG_PROG_TYPE},
	{"struct-ops", 0, SELECTORS, "GLOB", SELECT_STRUCT_OPS, 0, selector_list__add_option,
	 "select the operations of the registered struct_ops maps whose name matches GLOB, such as "
	 "those of a scheduler",
	 ARG_STRUCT_OPS},
	{"all", 0, SELECTORS, NULL, SELECT_ALL, 0, selector_list__add_option,
	 "select all loaded programs"},
	{"func", 0, OPTION_STRING, offsetof(struct target_opts, func), "GLOB", 0, 0, NULL,
	 "select the programs' functions that match GLOB, instead of their entry functions; '*': "
	 "all, shown as a tree; for one program: --prog-id ID:GLOB"},
	{},
};

bool target_opts__is_id(const char *arg)
{
	struct idlist ids = {};
	bool yes = !idlist__parse(&ids, &idlist_programs, arg, NULL);

	idlist__free(&ids);
	return yes;
}

int target_opts__check(const struct target_opts *o, char *const *command)
{
	if (o->selectors.cnt)
		return 0;
	if (command && target_opts__is_id(command[0]))
		return log_err(-EINVAL,
			       "no target: '%s' is where the COMMAND to run begins; to measure "
			       "programs by id, give --prog-id %s",
			       command[0], command[0]);
	return log_err(-EINVAL, "no target: give --prog-id, --name, --tag, --pinned, --type, "
				"--struct-ops or --all; 'bprof list' shows the loaded programs");
}

bool target_opts__can_follow(const struct target_opts *o)
{
	for (int i = 0; i < o->selectors.cnt; i++)
		if (selector__may_match_new(&o->selectors.v[i]))
			return true;
	return false;
}

void target_opts__free(struct target_opts *o)
{
	selector_list__free(&o->selectors);
}
