// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof --help=man [COMMAND]: the parts of the man pages that come from tables. scripts/man calls
 * it for make man. Owns the parts of bprof(1). The parts for a command come from the command's
 * tables.
 */
#include <stdio.h>

#include "btf/prog.h"
#include "options/options.h"
#include "run/command.h"

int cmd_man(int argc, char **argv)
{
	const struct command *c = argc > 2 ? command__find(argv[2]) : NULL;
	const char *sep = "@TYPES@\n";

	if (c)
		command_spec__print_man(c->spec, stdout);
	if (argc > 2)
		return c ? EXIT_DONE : EXIT_USAGE;
	fputs("@COMMANDS@\n.Bl -tag -width annotate\n", stdout);
	for (int i = 0; i < command_cnt; i++) {
		printf(".It Cm %s\n", commands[i].spec->name);
		man__print_text(stdout, commands[i].spec->brief);
	}
	fputs(".El\n", stdout);
	for (int type = 1; type <= PROG_TYPE_MAX; type++) {
		if (!prog_type__is_known(type))
			continue;
		printf("%s%s", sep, prog_type__name(type));
		sep = ",\n";
	}
	fputs(".\n", stdout);
	return EXIT_DONE;
}
