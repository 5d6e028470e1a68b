/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes a function of a loaded program like other tracers, without the checks that bprof makes.
 */
#ifndef KTEST_PROBE_H
#define KTEST_PROBE_H

#include <linux/types.h>

/*
 * Loads an fentry and an fexit program for the function func of the program with this id, and
 * attaches them. They only call bpf_get_current_task(). They stay attached until the process ends.
 * Returns 0, or -errno with *step, which names the failed step.
 */
int probe__attach(__u32 id, const char *func, const char **step);

#endif
