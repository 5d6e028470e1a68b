// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options that select targets. Owns the rows of these options; must not know what is measured.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "options/idlist.h"
#include "run/target_opts.h"
#include "target/kernel_calls.h"

const struct option_row selector_rows[] = {
	OPTION("prog-id", 'b', OPTION_CALL, .arg = "ID[-ID][,...]", .min = SELECT_ID,
	       .add = selector_list__add_option,
	       .help = "select programs by id, such as 42,57-60 (alias: --bpf-prog)",
	       .arg_kind = ARG_PROG_ID),
	OPTION("bpf-prog", 0, OPTION_CALL, .arg = "ID", .min = SELECT_ID,
	       .add = selector_list__add_option, .arg_kind = ARG_PROG_ID),
	OPTION("name", 0, OPTION_CALL, .arg = "GLOB", .min = SELECT_NAME,
	       .add = selector_list__add_option,
	       .help = "select programs whose full name matches GLOB, and their extensions "
		       "(freplace)",
	       .arg_kind = ARG_PROG_NAME),
	OPTION("tag", 0, OPTION_CALL, .arg = "HEX", .min = SELECT_TAG,
	       .add = selector_list__add_option,
	       .help = "select programs whose tag begins with HEX", .arg_kind = ARG_PROG_TAG),
	OPTION("pinned", 0, OPTION_CALL, .arg = "PATH", .min = SELECT_PINNED,
	       .add = selector_list__add_option,
	       .help = "select the pinned program or link PATH, or all below a directory",
	       .arg_kind = ARG_FILE),
	OPTION("type", 0, OPTION_CALL, .arg = "TYPE[,TYPE...]", .min = SELECT_TYPE,
	       .add = selector_list__add_option,
	       .help = "select programs of these types, such as xdp,sched_cls",
	       .arg_kind = ARG_PROG_TYPE),
	OPTION("struct-ops", 0, OPTION_CALL, .arg = "GLOB", .min = SELECT_STRUCT_OPS,
	       .add = selector_list__add_option,
	       .help = "select the programs of the registered struct_ops maps whose name "
		       "matches GLOB, such as the map of a sched_ext scheduler",
	       .arg_kind = ARG_STRUCT_OPS),
	OPTION("owner", 0, OPTION_CALL, .arg = "WHO", .min = SELECT_OWNER,
	       .add = selector_list__add_option,
	       .help = "select the programs that WHO holds open: a process id (with its "
		       "descendants), the name of a process, a systemd unit such as "
		       "agent.service, or the path of a cgroup. Programs that are only pinned "
		       "or attached have no holder"),
	OPTION("all", 0, OPTION_CALL, .min = SELECT_ALL, .add = selector_list__add_option,
	       .help = "select all loaded programs"),
	{},
};

const struct option_row target_rows[] = {
	OPTION("func", 0, OPTION_STRING, .member = offsetof(struct target_opts, func),
	       .arg = "GLOB",
	       .help = "select the programs' functions that match GLOB, instead of their entry "
		       "functions; '*': all. For one program only: --prog-id ID:GLOB"),
	{},
};

const struct option_row calls_rows[] = {
	OPTION("calls", 0, OPTION_STRING, .member = offsetof(struct target_opts, calls),
	       .arg = "GLOB",
	       .help = "also measure the kernel's functions that match GLOB and that the "
		       "selected functions call: helpers and kfuncs, separately for each map "
		       "that they get; '*': all. Leaves out a function if other code calls it "
		       "so often that the probe would cost that code 1% of a CPU"),
	{},
};

int selector_list__add_operand(struct selector_list *list, const char *command, const char *arg)
{
	/* Programs have the names of C functions, which do not begin with a digit. */
	enum selector_kind kind = isdigit((unsigned char)arg[0]) ? SELECT_ID
				  : strchr(arg, '/')		 ? SELECT_PINNED
								 : SELECT_NAME;
	struct parse_error perr;

	return parse_error__report(selector_list__add(list, kind, arg, &perr), command, arg, &perr);
}

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
	if (command)
		return log_err(-EINVAL,
			       "no target: '%s' is where the COMMAND to run begins; to measure a "
			       "program by name, give --name %s, see 'bprof list'",
			       command[0], command[0]);
	return log_err(-EINVAL,
		       "no target: give --prog-id, --name, --tag, --pinned, --type, "
		       "--struct-ops, --owner or --all; 'bprof list' shows the loaded programs");
}

bool target_opts__can_follow(const struct target_opts *o)
{
	for (int i = 0; i < o->selectors.cnt; i++)
		if (!selector__may_match_new(&o->selectors.v[i]))
			return false;
	return true;
}

int target_opts__select(const struct target_opts *o, bool by_site, struct target_list *out)
{
	int err = target_list__select(&o->selectors, o->func, out);

	if (!err && o->calls)
		target_list__add_calls(out, o->calls, by_site);
	return err;
}

void target_opts__free(struct target_opts *o)
{
	selector_list__free(&o->selectors);
}
