/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages. All code below the commands passes them to the sink of its thread; in a thread without
 * a sink they are dropped. Nothing below the commands prints.
 *
 * A function whose comment says "(reported)" gives at least one message with log_err() before it
 * returns -errno, whatever it is:
 *	return log_err(-ENOENT, "program %u: no such id", id);
 * The sink gets the errno and the sentence. A caller that must pass them on, such as a library,
 * keeps those of the last error: reason__fail(&last, err, "%s", message). Other functions return
 * what failed in a struct reason, or with the position in a struct parse_error or report_error;
 * parse_error__report() and report_error__report() turn these into messages.
 */
#ifndef BPROF_LOG_H
#define BPROF_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_NOTE,	 /* what was done, if users want to know */
	LOG_LEVEL_INFO,	 /* -v */
	LOG_LEVEL_DEBUG, /* -vv */
};

struct log_sink {
	/*
	 * Takes a message: one sentence without a newline at its end and without control
	 * characters. Only messages about an argument have more lines, indented by two spaces,
	 * which show the argument and the position in it. err: the argument of log_err(); 0 on the
	 * other levels.
	 */
	void (*write)(void *arg, enum log_level level, int err, const char *message);
	void *arg;
	enum log_level max; /* messages above this level are left out */
};

/*
 * Sets the sink of this thread (NULL: none), which must stay valid until another one is set.
 * Returns the previous one. A thread that bprof starts gets the sink of its creator.
 */
const struct log_sink *log__set_sink(const struct log_sink *sink);
const struct log_sink *log__sink(void);
/*
 * Returns true if there is a sink for messages of this level. For messages that are expensive to
 * build.
 */
bool log__takes(enum log_level level);

int log_err(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reports an error whose text has several lines, see struct log_sink. Returns err. */
int log_err_lines(int err, const char *text);
/* Writes a foreign text, such as a verifier log, as one message per line. */
void log_debug_lines(const char *text);

#endif
