/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Corrects counts of instructions by the lengths of the code that loads addresses, on riscv64. All
 * functions do nothing on other machines, and without calibration.
 */
#ifndef BPROF_LOAD_INSNS_H
#define BPROF_LOAD_INSNS_H

struct bias;
struct fentry;
struct target;

/* Prepares it. If that fails, says so: counts are then not exact. */
void load_insns__open(struct fentry *f);
/*
 * Finds out how many instructions load addresses between the readings of the target's probe, whose
 * programs are loaded. Corrects the target's biases, if calibration has set them. If the number
 * cannot be found out, sets probe->insns_unknown.
 */
void load_insns__find(const struct fentry *f, struct target *t);
/* The same for what the probe, which is attached, adds to the measurement of the target's caller. */
void load_insns__find_call(const struct fentry *f, struct target *t);
/* Takes these instructions out of a bias that was measured with the target's probe. */
void load_insns__subtract(const struct fentry *f, const struct target *t, struct bias *bias);
/* Takes them out of a bias of the target's caller. */
void load_insns__subtract_call(const struct fentry *f, const struct target *t, struct bias *bias);

#endif
