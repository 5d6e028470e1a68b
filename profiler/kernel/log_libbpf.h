/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Routes libbpf's messages to the log.
 */
#ifndef BPROF_LOG_LIBBPF_H
#define BPROF_LOG_LIBBPF_H

/*
 * From now on, libbpf's messages go to the log (log.h). They have the level debug, because the code
 * that calls libbpf reports errors itself.
 */
void log_libbpf__begin(void);

#endif
