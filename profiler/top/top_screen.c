// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The terminal of bprof top, with ncurses. Owns the codes of keys, the colours, and changes of the
 * terminal's size. Must not know what is shown.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

/* Do not let ncurses define its names as macros: names such as "move" and "clear" are common. */
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "top/top.h"
#include "top/top_rescue.h"
#include "top/top_screen.h"

/* If no character follows within this time, in ms, an escape character is the key Esc. */
#define ESCAPE_MS 25

struct top_screen {
	SCREEN *term;
	int epoll_fd; /* waits for the next two descriptors */
	int signal_fd;
	sigset_t old_mask;
	mbstate_t partial; /* the first bytes of a character */
	bool color;
	int click_x, click_y; /* the place of the last click */
};

/* Restores the terminal if the process ends without top_screen__close(). */
static void leave_ncurses(void)
{
	if (!isendwin())
		endwin();
}

static int watch_for_input(struct top_screen *s, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	if (fd < 0 || epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return log_err(-errno, "cannot wait for keys: %s", strerror(errno));
	return 0;
}

/*
 * Changes of the size, Ctrl-Z and the continuation cause signals. They are read from a descriptor;
 * otherwise, ncurses would install handlers for them.
 */
static int open_fds(struct top_screen *s)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGTSTP);
	sigaddset(&mask, SIGCONT);
	sigprocmask(SIG_BLOCK, &mask, &s->old_mask);
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return watch_for_input(s, STDIN_FILENO) ?: watch_for_input(s, s->signal_fd);
}

static int refuse_terminal(void)
{
	const char *term = getenv("TERM");
	bool in = isatty(STDIN_FILENO);

	if (!in || !isatty(STDOUT_FILENO))
		return log_err(-EINVAL,
			       "top: standard %s is no terminal; give --batch for lines of text",
			       in ? "output" : "input");
	return log_err(
		-EINVAL,
		"top: cannot draw on this terminal (TERM is %s); give --batch for lines of text",
		term && *term ? term : "not set");
}

int top_screen__check(void)
{
	const char *term = getenv("TERM");
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb") ||
	    setupterm(term, STDOUT_FILENO, &status) != OK)
		return refuse_terminal();
	del_curterm(cur_term);
	return 0;
}

static int open_terminal(struct top_screen *s)
{
	struct termios modes;

	if (tcgetattr(STDOUT_FILENO, &modes))
		return refuse_terminal();
	s->term = newterm(NULL, stdout, stdin);
	if (!s->term)
		return refuse_terminal();
	set_term(s->term);
	top_rescue__begin(&modes);
	atexit(leave_ncurses);
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	/* Report mouse presses at once: ncurses would wait for double clicks. */
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	s->color = screen__of(stdout).color && has_colors();
	if (s->color) {
		start_color();
		use_default_colors();
		init_pair(TABLE_RED, COLOR_RED, -1);
		init_pair(TABLE_YELLOW, COLOR_YELLOW, -1);
		init_pair(TABLE_GREEN, COLOR_GREEN, -1);
	}
	return 0;
}

int top_screen__open(struct top_screen **out)
{
	struct top_screen *s = xcalloc(1, sizeof(*s));
	int err;

	*out = NULL;
	s->epoll_fd = s->signal_fd = -1;
	sigprocmask(SIG_SETMASK, NULL, &s->old_mask);
	err = open_terminal(s) ?: open_fds(s);
	if (err)
		top_screen__close(s);
	else
		*out = s;
	return err;
}

void top_screen__close(struct top_screen *s)
{
	if (!s)
		return;
	if (s->term) {
		leave_ncurses();
		top_rescue__end();
		delscreen(s->term);
	}
	close_fd(&s->signal_fd);
	close_fd(&s->epoll_fd);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	free(s);
}

int top_screen__fd(const struct top_screen *s)
{
	return s->epoll_fd;
}

/* ---- keys ---- */

static const struct {
	int code, key;
} special[] = {
	{KEY_UP, TOP_KEY_UP},	      {KEY_DOWN, TOP_KEY_DOWN},
	{KEY_PPAGE, TOP_KEY_PAGE_UP}, {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
	{KEY_HOME, TOP_KEY_HOME},     {KEY_END, TOP_KEY_END},
	{KEY_ENTER, TOP_KEY_ENTER},   {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
};

static const struct {
	wint_t c;
	int key;
} control[] = {
	{'\r', TOP_KEY_ENTER},	  {'\n', TOP_KEY_ENTER},     {27, TOP_KEY_ESCAPE},
	{127, TOP_KEY_BACKSPACE}, {'\b', TOP_KEY_BACKSPACE},
};

/* Returns true if the other end of the terminal is closed. */
static bool is_terminal_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

/* Restores the terminal for the shell, and stops the process until the shell continues it. */
static void stop_until_continued(void)
{
	struct sigaction old;
	sigset_t mask;

	endwin();
	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	sigaction(SIGTSTP, &(struct sigaction){.sa_handler = SIG_DFL}, &old);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, NULL); /* this stops the process */
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGTSTP, &old, NULL);
}

/* After each of these signals, the whole screen is drawn again, in its new size. */
static void take_signals(struct top_screen *s)
{
	struct signalfd_siginfo si;
	struct winsize size;
	bool any = false;

	while (read(s->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		any = true;
		if (si.ssi_signo == SIGTSTP)
			stop_until_continued();
	}
	if (!any)
		return;
	clearok(curscr, TRUE);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/*
 * Returns the character that ends with this byte, or 0 if the character needs more bytes. Ignores a
 * byte that begins no character, and a character that is cut off. get_wch() would also ignore up to
 * 15 bytes after it.
 */
static wint_t take_byte(struct top_screen *s, char byte)
{
	wchar_t c = 0;
	size_t len = mbrtowc(&c, &byte, 1, &s->partial);

	if (len == (size_t)-1) {
		s->partial = (mbstate_t){};
		len = mbrtowc(&c, &byte, 1, &s->partial);
		if (len == (size_t)-1)
			s->partial = (mbstate_t){};
	}
	return len == 1 ? c : 0;
}

/* Returns the key, as top__press() takes it, for the code of ncurses; 0: the window was resized. */
static int find_special(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (code == special[i].code)
			return special[i].key;
	return code == KEY_RESIZE ? 0 : TOP_KEY_OTHER;
}

/* Returns the key for an event of the mouse, or 0 if the event has no meaning here. */
static int take_mouse(struct top_screen *s)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return 0;
	s->click_x = event.x;
	s->click_y = event.y;
	return event.bstate & BUTTON1_PRESSED	? TOP_KEY_CLICK
	       : event.bstate & BUTTON4_PRESSED ? TOP_KEY_WHEEL_UP
	       : event.bstate & BUTTON5_PRESSED ? TOP_KEY_WHEEL_DOWN
						: 0;
}

void top_screen__clicked(const struct top_screen *s, int *x, int *y)
{
	*x = s->click_x;
	*y = s->click_y;
}

static int find_control(wint_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(control); i++)
		if (c == control[i].c)
			return control[i].key;
	return c;
}

int top_screen__key(struct top_screen *s)
{
	int code, key;

	take_signals(s);
	do {
		code = getch();
		if (code == ERR)
			return is_terminal_gone() ? -EIO : 0;
		key = code == KEY_MOUSE ? take_mouse(s)
		      : code >= KEY_MIN ? find_special(code)
					: (int)find_control(take_byte(s, code));
	} while (!key);
	return key;
}

/* ---- showing text ---- */

void top_screen__size(const struct top_screen *s, struct screen *screen, int *height)
{
	int width;

	getmaxyx(stdscr, *height, width);
	*screen = (struct screen){.width = width, .color = s->color};
}

/* Returns the attribute of an escape "ESC [ n m" of table.h. */
static attr_t attribute(int n)
{
	switch (n) {
	case 1:
		return A_BOLD;
	case 2:
		return A_DIM;
	case 31:
		return COLOR_PAIR(TABLE_RED);
	case 32:
		return COLOR_PAIR(TABLE_GREEN);
	case 33:
		return COLOR_PAIR(TABLE_YELLOW);
	default:
		return A_NORMAL;
	}
}

/* If s begins with an escape of table.h, sets its attribute and returns its length, else 0. */
static int take_escape(const char *s)
{
	int n, len = 0;

	if (s[0] != '\033' || sscanf(s, "\033[%dm%n", &n, &len) != 1 || !len)
		return 0;
	attrset(attribute(n));
	return len;
}

/* Shows one line, up to the width of the terminal. Returns the beginning of the next line. */
static const char *show_line(const char *s, int y, int max)
{
	mbstate_t state = {};
	int x = 0;

	while (*s && *s != '\n') {
		int escape = take_escape(s), width;
		size_t len;
		wchar_t c[2] = {};

		if (escape) {
			s += escape;
			continue;
		}
		len = mbrtowc(c, s, MB_CUR_MAX, &state);
		if (!len || len > MB_CUR_MAX) {
			state = (mbstate_t){};
			s++;
			continue;
		}
		width = wcwidth(c[0]);
		if (width > 0 && x + width <= max)
			mvaddwstr(y, x, c);
		x += width > 0 ? width : 0;
		s += len;
	}
	attrset(A_NORMAL);
	return *s ? s + 1 : s;
}

void top_screen__show(struct top_screen *s, const char *text, int marked)
{
	int height, width;

	getmaxyx(stdscr, height, width);
	erase();
	for (int y = 0; y < height && *text; y++)
		text = show_line(text, y, width);
	if (marked >= 0 && marked < height)
		mvchgat(marked, 0, -1, A_REVERSE, 0, NULL);
	refresh();
}
