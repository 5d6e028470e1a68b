/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Routes libbpf's messages to the log. libbpf has one print callback per process: it is taken over
 * only while this code calls libbpf.
 */
#ifndef BPROF_LOG_LIBBPF_H
#define BPROF_LOG_LIBBPF_H

/*
 * Between take and give_back, libbpf's messages in a thread with a sink (log.h) go there, at debug
 * level: the code that called libbpf reports what failed. In other threads they go where they went
 * before. Any thread may call these, also nested; each take needs one give_back.
 */
void libbpf_print__take(void);
void libbpf_print__give_back(void);

#endif
