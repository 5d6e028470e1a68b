/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages to stderr, each one line with "bprof: " before it. The call that prints an error also
 * returns it: return log_err(-ENOENT, "program %u: no such id", id);
 */
#ifndef BPROF_LOG_H
#define BPROF_LOG_H

/* 0: errors, warnings and notes; 1: -v; 2: -vv; -1: errors only */
extern int log_level;

int log_err(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));  /* -v */
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* -vv */

#endif
