/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program with interrupts disabled, which BPF_PROG_TEST_RUN cannot do.
 */
#ifndef BPROF_IRQ_RUN_H
#define BPROF_IRQ_RUN_H

/*
 * Has a timer run a program of type perf_event about "runs" times, in its interrupt on this CPU,
 * and waits for that. The program may have run less often: the kernel throttles timers. Returns 0
 * or -errno.
 */
int irq_run(int prog_fd, int cpu, int runs);

#endif
