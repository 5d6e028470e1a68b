// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pairs (probe_pair.bpf.h) for the most common configs, which are compile-time constants here: a few
 * pinned events with distributions (c) or without (s), and either no contexts, migration (arm64),
 * migration and interrupts (older arm64 kernels), or all contexts (x86-64). With pairs for any config,
 * the verifier spends a third of its time on finding dead code. With the pairs in this file, it saves
 * this time, and clang generates better code. They have an object of their own, because libbpf's work
 * to open an object grows with the object's programs.
 */
#define BPROF_SMALL
#include "probe_pair.bpf.h"

#define DEFINE_COMMON(name, config)                                     \
	DEFINE_PAIR(name##1, on_entry, on_exit, (config) | 1, 1, false) \
	DEFINE_PAIR(name##2, on_entry, on_exit, (config) | 2, 2, false) \
	DEFINE_PAIR(name##3, on_entry, on_exit, (config) | 3, 3, false) \
	DEFINE_PAIR(name##4, on_entry, on_exit, (config) | 4, 4, false)

DEFINE_COMMON(c, BPROF_CONFIG_HIST)
DEFINE_COMMON(cm, BPROF_CONFIG_HIST | BPROF_CONFIG_MIGRATION)
DEFINE_COMMON(ci, BPROF_CONFIG_HIST | BPROF_CONFIG_MIGRATION | BPROF_CONFIG_IRQ)
DEFINE_COMMON(cx, BPROF_CONFIG_HIST | BPROF_CONFIG_CONTEXT)
DEFINE_COMMON(s, 0)
DEFINE_COMMON(sm, BPROF_CONFIG_MIGRATION)
DEFINE_COMMON(si, BPROF_CONFIG_MIGRATION | BPROF_CONFIG_IRQ)
DEFINE_COMMON(sx, BPROF_CONFIG_CONTEXT)
