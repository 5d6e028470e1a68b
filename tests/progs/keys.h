/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of keys.bpf.c that tests need. */
#ifndef PROGS_KEYS_H
#define PROGS_KEYS_H

/* So much more runs with the key "more" cost. */
#define KEYS_INSNS 300

#endif
