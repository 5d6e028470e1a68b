// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the process of the pager, and the redirection of standard output to the pager. Must not know
 * what is shown.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pager.h"
#include "base/screen.h"

/*
 * The default is less, which ends at once if the text fits the screen (with -F). If less is not
 * installed, cat only copies the text.
 */
#define DEFAULT_PAGER "if command -v less >/dev/null; then exec less; else exec cat; fi"

/* Returns the command of the pager, or NULL if there is none. */
static const char *find_command(void)
{
	const char *command = getenv("BPROF_PAGER") ?: getenv("PAGER"), *term = getenv("TERM");

	if (!term || !strcmp(term, "dumb"))
		return NULL;
	if (command && (!*command || !strcmp(command, "cat")))
		return NULL;
	return command ?: DEFAULT_PAGER;
}

/* Starts the pager, which reads from the descriptor "in". Returns its pid, or 0 if that failed. */
static pid_t spawn(const char *command, int in)
{
	char *const argv[] = {"sh", "-c", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int err;

	/* F: end if the text fits; R: show colors; X: leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions))
		return 0;
	err = posix_spawnattr_init(&attr);
	if (!err) {
		err = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) ?:
		      posix_spawnattr_setsigmask(&attr, &none) ?:
		      posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK) ?:
		      posix_spawn(&pid, "/bin/sh", &actions, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return err ? 0 : pid;
}

/* Saves the descriptor fd, and makes it refer to "to". Returns the saved descriptor. */
static int redirect(int fd, int to)
{
	int saved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (saved >= 0)
		dup2(to, fd);
	return saved;
}

void pager__start(struct pager *p)
{
	const char *command = isatty(STDOUT_FILENO) ? find_command() : NULL;
	struct screen screen = screen__of(stdout);
	char width[16];
	int fds[2];

	*p = (struct pager){.out_fd = -1, .err_fd = -1};
	if (!command || pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	p->pid = spawn(command, fds[0]);
	if (p->pid) {
		/* screen__of() reads the width from COLUMNS, because a pipe has no width. */
		snprintf(width, sizeof(width), "%d", screen.width);
		setenv("COLUMNS", width, 1);
		setenv(PAGER_IN_USE, "1", 1);
		/* If the user has ended the pager, a write must not kill bprof. */
		signal(SIGPIPE, SIG_IGN);
		p->out_fd = redirect(STDOUT_FILENO, fds[1]);
		p->err_fd = isatty(STDERR_FILENO) ? redirect(STDERR_FILENO, fds[1]) : -1;
	}
	close(fds[0]);
	close(fds[1]);
}

static void restore_fd(int saved, int fd)
{
	if (saved < 0)
		return;
	dup2(saved, fd);
	close(saved);
}

void pager__end(struct pager *p)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;

	if (!p->pid)
		return;
	/* fflush() fails if the user has ended the pager. Then drop the rest of the output. */
	if (fflush(stdout))
		__fpurge(stdout);
	clearerr(stdout);
	restore_fd(p->out_fd, STDOUT_FILENO);
	restore_fd(p->err_fd, STDERR_FILENO);
	/* While the pager runs, Ctrl-C must reach only the pager. */
	sigaction(SIGINT, &ignore, &old);
	waitpid(p->pid, NULL, 0);
	sigaction(SIGINT, &old, NULL);
	unsetenv(PAGER_IN_USE);
	*p = (struct pager){};
}
