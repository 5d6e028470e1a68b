/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages. Only commands print; all other code passes messages to the sink of its thread (struct
 * log_sink). In a thread without a sink, messages are dropped: if the work of such a thread fails,
 * the main thread repeats it (backend_fentry_threads.c).
 *
 * If the comment of a function says "(reported)", the function calls log_err() at least once before
 * it returns -errno:
 * 	return log_err(-ENOENT, "program %u: no such id", id);
 * Other functions return the error in a struct reason or, with a position, in a struct parse_error
 * or report_error. parse_error__report() and report_error__report() turn these into messages.
 */
#ifndef BPROF_LOG_H
#define BPROF_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_NOTE,	 /* actions of bprof that users may want to know about */
	LOG_LEVEL_INFO,	 /* shown with -v */
	LOG_LEVEL_DEBUG, /* shown with -vv */
};

struct log_sink {
	/*
	 * Takes a message: one sentence without control characters and without a newline at its
	 * end. A message about an argument has further lines, indented by two spaces, which show
	 * the argument and the position of the error.
	 */
	void (*write)(void *arg, enum log_level level, const char *message);
	void *arg;
	enum log_level max; /* messages above this level are left out */
};

/*
 * Sets the sink of this thread (NULL: none). The sink must stay valid until another sink is set.
 * Returns the previous sink. A thread that bprof starts gets the sink of its creator.
 */
const struct log_sink *log__set_sink(const struct log_sink *sink);
const struct log_sink *log__sink(void);
/*
 * Returns true if there is a sink for messages of this level. Call it before building an expensive
 * message.
 */
bool log__takes(enum log_level level);

/* Reports an error. Evaluates to err. It is a macro, so that compilers and analyzers know the result. */
#define log_err(err, ...)                                            \
	({                                                           \
		const int log_err__ __attribute__((unused)) = (err); \
                                                                     \
		log__write_err(__VA_ARGS__);                         \
		log_err__;                                           \
	})
void log__write_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reports an error with a text of several lines (see struct log_sink). */
void log_err_lines(const char *text);
/* Writes a foreign text, such as a verifier log, as one message per line. */
void log_debug_lines(const char *text);

#endif
