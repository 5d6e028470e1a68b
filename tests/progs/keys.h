/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of keys.bpf.c that tests need. */
#ifndef PROGS_KEYS_H
#define PROGS_KEYS_H

/* Runs with the key "more" execute this many more instructions. */
#define KEYS_INSNS 300

#endif
