/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts on loaded programs that only the kernel's own structs show. The first is whether a program
 * may sleep. The second is whether only probes, and the bprof processes to which the probes belong,
 * keep a program loaded: such a program would be unloaded if it was not probed.
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

/* Counts the references of all programs. Returns 0 or -errno. After a failure, nothing is known. */
int __must_check prog_refs__read(struct prog_refs *r);

/*
 * Returns how many references a program had at the last prog_refs__read(), not counting those of
 * probes: references of descriptors, attachments, pins and prog arrays. Assumes that each bprof
 * process with probes on the program has one descriptor of the program, and does not count this
 * descriptor. Returns -1 if the program was not loaded.
 */
int prog_refs__others(const struct prog_refs *r, __u32 id);

/* Returns true if a program was loaded and is known to be sleepable (from Linux 6.8 on). */
bool prog_refs__is_sleepable(const struct prog_refs *r, __u32 id);

#endif
