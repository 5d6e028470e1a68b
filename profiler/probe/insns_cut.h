/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Removes instructions of a probe that a target does not need.
 */
#ifndef BPROF_INSNS_CUT_H
#define BPROF_INSNS_CUT_H

#include <stddef.h>
#include <linux/bpf.h>

/*
 * Removes the instructions from "from" up to, but without, "to". No jump from outside may lead to
 * them. Returns the number of instructions that are left.
 */
size_t insns__cut(struct bpf_insn *insns, size_t cnt, size_t from, size_t to);

#endif
