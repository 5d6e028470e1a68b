// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses a command's argument that names one loaded program. Owns the search for the program; must
 * not know what the command does with it.
 */
#include <errno.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "btf/prog.h"
#include "run/prog_operand.h"
#include "target/target.h"

/* The search for a program by name. */
struct name_search {
	struct selector_list name;
	int cnt;
	__u32 id; /* the id of the last program found */
};

static int match_name(__u32 id, void *arg)
{
	struct name_search *s = arg;
	struct prog *p;

	if (prog__open_id(id, &p))
		return 0; /* the program was unloaded meanwhile */
	if (selector__matches(&s->name.v[0], p)) {
		s->cnt++;
		s->id = id;
	}
	prog__close(p);
	return 0;
}

/* Finds the id of the only loaded program whose name matches the glob. */
static int find_by_name(const char *command, const char *glob, __u32 *id)
{
	struct name_search s = {};
	struct parse_error perr;
	int err = selector_list__add(&s.name, SELECT_NAME, glob, &perr);

	err = err ?: prog__for_each_id(match_name, &s);
	selector_list__free(&s.name);
	*id = s.id;
	if (err == -EPERM)
		return log_err(-EPERM,
			       "%s: '%s': finding a program by name needs CAP_SYS_ADMIN; run "
			       "as root",
			       command, glob);
	if (err || !s.cnt)
		return log_err(-ESRCH,
			       "%s: '%s' is neither the id nor the name of a loaded program; "
			       "see 'bprof list'",
			       command, glob);
	if (s.cnt > 1)
		return log_err(-EINVAL,
			       "%s: '%s' is the name of %d loaded programs; give the id of one "
			       "of them, see 'bprof list'",
			       command, glob, s.cnt);
	return 0;
}

int prog_operand__parse(const char *command, const char *arg, __u32 *id)
{
	__u64 n;

	if (parse_u64(arg, ~0U, &n) || !n)
		return find_by_name(command, arg, id);
	*id = n;
	return 0;
}
