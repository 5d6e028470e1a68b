/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What only the kernel's own structs show of loaded programs: which may sleep, and which would be
 * unloaded if nobody probed them, because only probes, and the bprof processes to which the probes
 * belong, keep them loaded.
 */
#ifndef BPROF_PROG_REFS_H
#define BPROF_PROG_REFS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

struct prog_refs;

/*
 * Loads the BPF programs that count the references. Fails before Linux 5.19 and under lockdown
 * (confidentiality). Returns 0 or -errno. The caller closes *out.
 */
int __must_check prog_refs__open(struct prog_refs **out);
void prog_refs__close(struct prog_refs *r); /* accepts NULL */

/* Counts the references of all programs. Returns 0 or -errno; then nothing is known. */
int __must_check prog_refs__read(struct prog_refs *r);

/*
 * Returns how many references to a program there were besides those of probes: of descriptors,
 * attachments, pins, prog arrays. Assumes that each bprof process with probes on the program has one
 * descriptor of it, and does not count that. Returns -1 if the program was not loaded.
 */
int prog_refs__others(const struct prog_refs *r, __u32 id);

/* Returns true if a program was loaded, and may sleep (is known since Linux 6.8). */
bool prog_refs__is_sleepable(const struct prog_refs *r, __u32 id);

#endif
