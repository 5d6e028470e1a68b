/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program with interrupts disabled. BPF_PROG_TEST_RUN cannot do this.
 */
#ifndef BPROF_IRQ_RUN_H
#define BPROF_IRQ_RUN_H

#include <stdbool.h>

/*
 * Runs a program of type perf_event repeatedly, in the interrupt of a timer on CPU "cpu", until
 * done(arg) is true. This thread must be bound to the CPU. Ends after a second at the latest, because
 * the kernel may throttle such timers. Returns 0 or -errno.
 */
int irq_run(int prog_fd, int cpu, bool (*done)(const void *arg), const void *arg);

#endif
