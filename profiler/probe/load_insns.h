/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On riscv64, the number of instructions that load an address depends on the address. These
 * functions subtract the difference from counts of instructions. They do nothing on other machines,
 * or without calibration.
 */
#ifndef BPROF_LOAD_INSNS_H
#define BPROF_LOAD_INSNS_H

struct probes;
struct target;

/* Prepares the corrections. If that fails, a message says that counts are not exact. */
void load_insns__open(struct probes *ps);
/*
 * Finds out how many instructions load addresses between the two readings of the target's probe.
 * The probe's programs must be loaded. Corrects the target's biases, if calibration has set them.
 * If the number cannot be found out, sets probe->insns_unknown.
 */
void load_insns__find(const struct probes *ps, struct target *t);
/*
 * Like load_insns__find(), for the instructions that the target's attached probe adds to the
 * measurement of the target's caller.
 */
void load_insns__find_call(const struct probes *ps, struct target *t);

#endif
