/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program with interrupts disabled. BPF_PROG_TEST_RUN cannot do this.
 */
#ifndef BPROF_IRQ_RUN_H
#define BPROF_IRQ_RUN_H

/*
 * Runs a program of type perf_event about "runs" times in the interrupt of a timer on CPU "cpu",
 * which this thread must be bound to, and waits for the end. The program may run fewer times than
 * that, because the kernel throttles such timers. Returns 0 or -errno.
 */
int irq_run(int prog_fd, int cpu, int runs);

#endif
