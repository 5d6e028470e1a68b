// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pseudo terminal around a command. Must not know what the command shows.
 */
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/drive/pty.h"

int pty__run(int rows, int cols, char **argv)
{
	const struct winsize size = {.ws_row = rows, .ws_col = cols};
	int fd, status;
	char buf[4096];
	ssize_t n;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);

	if (pid < 0)
		return -errno;
	if (!pid) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	/* When the command ends, read() fails with EIO. */
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, stdout);
	fflush(stdout);
	close(fd);
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
