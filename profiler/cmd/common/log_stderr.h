/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line's messages: to stderr, "bprof: " before each.
 */
#ifndef BPROF_LOG_STDERR_H
#define BPROF_LOG_STDERR_H

struct log_sink;

/* The sink for log__set_sink(). It lives as long as the program. */
const struct log_sink *log_stderr__sink(void);
/* verbose: the number of -v. 0: errors, warnings and notes; 1: also log_info(); 2 or more: all. */
void log_stderr__set_verbose(int verbose);

#endif
