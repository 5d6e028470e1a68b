// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Restores the terminal if a signal kills the process, or if the process ends for lack of memory.
 * Owns the signal handler, and what the handler writes to the terminal. Must not know what is on
 * the screen.
 *
 * The handler uses only functions that are safe in a handler (signal-safety(7)), so what it writes
 * is prepared before. When the signal arrives, ncurses may be in any state.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>

#include "base/util.h"
#include "top/top_rescue.h"

/* At file scope, because a handler gets no argument. */
static struct {
	struct termios modes;
	char reset[256]; /* escape sequences that reset the terminal */
	size_t len;
	bool begun;
	sigset_t handled;
	/* the stack of the handler: on a SIGSEGV, the process's own stack may be full */
	char stack[16384];
} rescue;

/*
 * The terminal's sequences that leave keypad mode, colours and the alternate screen, and show the
 * cursor. collect_mouse() adds the sequence for the mouse.
 */
static const char *const capabilities[] = {"rmkx", "sgr0", "op", "rmcup", "cnorm"};

/* Signals that do not kill the process by default. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU};

static void reset_terminal(void)
{
	ssize_t n = write(STDOUT_FILENO, rescue.reset, rescue.len);

	(void)n;
	tcsetattr(STDOUT_FILENO, TCSANOW, &rescue.modes);
}

static void handle(int signal)
{
	reset_terminal();
	/*
	 * The signal is blocked until the handler returns. Then it kills the process, which is the
	 * signal's default.
	 */
	raise(signal);
}

/* Restores the terminal if memory is exhausted (base/memory.h) while the screen is open. */
static void reset_at_exit(void)
{
	if (rescue.begun)
		reset_terminal();
}

static int collect(int c)
{
	if (rescue.len < sizeof(rescue.reset))
		rescue.reset[rescue.len++] = c;
	return c;
}

/* Adds the sequence that switches the mouse off, in the mode in which ncurses switched it on. */
static void collect_mouse(void)
{
	const char *mouse = tigetstr("kmous"), *mode = tigetstr("XM");

	if (!mouse || mouse == (const char *)-1)
		return;
	tputs(mode && mode != (const char *)-1 ? tiparm(mode, 0) : "\033[?1000l", 1, collect);
}

static bool is_harmless(int signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		if (signal == harmless[i])
			return true;
	return false;
}

void top_rescue__begin(const struct termios *modes)
{
	const struct sigaction new = {.sa_handler = handle, .sa_flags = SA_RESETHAND | SA_ONSTACK};
	const stack_t stack = {.ss_sp = rescue.stack, .ss_size = sizeof(rescue.stack)};

	rescue.modes = *modes;
	rescue.len = 0;
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		const char *s = tigetstr(capabilities[i]);

		if (s && s != (const char *)-1)
			tputs(s, 1, collect);
	}
	collect_mouse();
	if (!rescue.begun)
		atexit(reset_at_exit);
	rescue.begun = true;
	sigemptyset(&rescue.handled);
	sigaltstack(&stack, NULL);
	for (int i = 1; i < NSIG; i++) {
		struct sigaction old;

		if (!is_harmless(i) && !sigaction(i, NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
		    old.sa_handler == SIG_DFL && !sigaction(i, &new, NULL))
			sigaddset(&rescue.handled, i);
	}
}

void top_rescue__end(void)
{
	const stack_t none = {.ss_flags = SS_DISABLE};

	for (int i = 1; i < NSIG; i++)
		if (sigismember(&rescue.handled, i) == 1)
			signal(i, SIG_DFL);
	rescue.begun = false;
	sigemptyset(&rescue.handled);
	sigaltstack(&none, NULL);
}
