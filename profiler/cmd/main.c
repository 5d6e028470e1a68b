// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of commands. main() runs the command that the arguments name and returns its exit
 * status.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/suggest.h"
#include "base/util.h"
#include "kernel/log_libbpf.h"
#include "run/command.h"
#include "run/log_stderr.h"
#include "run/target_opts.h"

#define ROW(name, ...) {__VA_ARGS__, &name##_spec, cmd_##name},
const struct command commands[] = {COMMANDS(ROW)};
const int command_cnt = ARRAY_SIZE(commands);

const struct command *command__find(const char *name)
{
	struct suggest near;
	char hint[96];

	suggest__init(&near, name, strlen(name));
	for (int i = 0; i < command_cnt; i++) {
		if (!strcmp(name, commands[i].spec->name))
			return &commands[i];
		suggest__offer(&near, commands[i].spec->name);
	}
	if (target_opts__is_id(name))
		log_err(0, "%s: no such command; to measure programs by id, give --prog-id %s",
			name, name);
	else
		log_err(0, "%s: no such command%s", name,
			near.best[0] ? suggest__text(&near, hint, sizeof(hint))
				     : "; 'bprof help' lists them; to measure programs by name, "
				       "give --name");
	return NULL;
}

/*
 * Opens /dev/null for each standard descriptor that is closed. Otherwise another file that bprof
 * opens could get the number of this descriptor, and messages and output would go to that file.
 * Opens standard input for writing and the others for reading, so that using them fails with EBADF,
 * like using a closed descriptor: if output goes nowhere, it must not look like a success.
 */
static bool open_standard_fds(void)
{
	int fd;

	/* open() returns the lowest free number */
	do {
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int run_command(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		help__print_usage(stderr);
		return EXIT_USAGE;
	}
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		help__print_usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "__complete"))
		return cmd_complete(argc, argv);
	if (!strcmp(argv[1], "--help=man"))
		return cmd_man(argc, argv);
	if (argv[1][0] == '-')
		return cmd_stat(argc, argv);
	c = command__find(argv[1]);
	return c ? c->run(argc, argv) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	/* If the parent ignored SIGCHLD, the kernel would keep no exit status for waitpid(). */
	signal(SIGCHLD, SIG_DFL);
	setlocale(LC_CTYPE, "");
	log__set_sink(log_stderr__sink());
	log_libbpf__begin();
	/*
	 * A set-user-ID program has rights that its caller lacks, but runs with the caller's
	 * environment and open files. bprof is not made for that. Capabilities of bprof's file do
	 * not change the ids, so they are allowed.
	 */
	if (getuid() != geteuid() || getgid() != getegid()) {
		log_err(0, "bprof is set-user-ID or set-group-ID, which it is not made for; remove "
			   "these modes (chmod ug-s) and use sudo");
		return EXIT_FAILED;
	}
	if (!open_standard_fds()) {
		log_err(0, "/dev/null: %s", strerror(errno));
		return EXIT_FAILED;
	}
	status = run_command(argc, argv);
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	log_err(0, "standard output: cannot be written: %s", strerror(errno ?: EIO));
	return EXIT_FAILED;
}
