/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Routes libbpf's messages to the log. libbpf has one print callback per process, which bprof
 * replaces only while it calls libbpf.
 */
#ifndef BPROF_LOG_LIBBPF_H
#define BPROF_LOG_LIBBPF_H

/*
 * Between libbpf_print__take() and libbpf_print__give_back(), libbpf's messages in a thread with a
 * sink (log.h) go to the sink. They have debug level, because the code that called libbpf reports
 * the error itself. In other threads, messages go to the previous callback. Any thread may call
 * these functions, also nested; each libbpf_print__take() needs one libbpf_print__give_back().
 */
void libbpf_print__take(void);
void libbpf_print__give_back(void);

#endif
