/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libbpf's own messages, whose callback is the process's: taken for as long as this code calls libbpf.
 */
#ifndef BPROF_LOG_LIBBPF_H
#define BPROF_LOG_LIBBPF_H

/*
 * From take to give_back, what libbpf says in a thread with a sink (log.h) goes there, at debug level:
 * the code that called libbpf says what failed. In other threads it goes where it went before. Any
 * thread may call them, also nested; each take is given back once.
 */
void libbpf_print__take(void);
void libbpf_print__give_back(void);

#endif
