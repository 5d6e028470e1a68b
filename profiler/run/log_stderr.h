/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes messages to stderr, with "bprof: " before each.
 */
#ifndef BPROF_LOG_STDERR_H
#define BPROF_LOG_STDERR_H

struct log_sink;

/* Returns the sink for log__set_sink(). The sink is static. */
const struct log_sink *log_stderr__sink(void);
/*
 * Sets which messages are written. verbose: how often -v was given. 0: errors, warnings and notes;
 * 1: also log_info(); 2 or more: all.
 */
void log_stderr__set_verbose(int verbose);

#endif
