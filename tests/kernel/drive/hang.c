// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Notes the alarms of scripts/vm. Does not know which test hangs. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "tests/kernel/drive/hang.h"

/* How often a wait calls hangs(), in case SIGALRM came just before the system call. */
#define LOOK_MS 1000

static volatile sig_atomic_t alarmed;

static void on_alarm(int sig)
{
	alarmed = 1;
}

void hang__catch(void)
{
	/* Do not set SA_RESTART, so that waiting system calls return EINTR. */
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
}

void hang__forget(void)
{
	alarmed = 0;
}

bool hangs(void)
{
	return alarmed;
}

bool hang__await_input(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	while (!hangs())
		if (poll(&pfd, 1, LOOK_MS) == 1)
			return true;
	return false;
}
