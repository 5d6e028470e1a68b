/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Corrects counts of instructions by the lengths of the code that loads addresses, on riscv64. All
 * functions do nothing on other machines, and without calibration.
 */
#ifndef BPROF_LOAD_INSNS_H
#define BPROF_LOAD_INSNS_H

struct probes;
struct target;

/* Prepares it. If that fails, says so: counts are then not exact. */
void load_insns__open(struct probes *ps);
/*
 * Finds out how many instructions load addresses between the readings of the target's probe, whose
 * programs are loaded. Corrects the target's biases, if calibration has set them. If the number
 * cannot be found out, sets probe->insns_unknown.
 */
void load_insns__find(const struct probes *ps, struct target *t);
/* The same for what the probe, which is attached, adds to the measurement of the target's caller. */
void load_insns__find_call(const struct probes *ps, struct target *t);

#endif
