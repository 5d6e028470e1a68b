/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libbpf's own messages.
 */
#ifndef BPROF_LOG_LIBBPF_H
#define BPROF_LOG_LIBBPF_H

/* From here on libbpf's messages appear only with -vv: whoever called it says what failed. */
void log__libbpf_init(void);

#endif
