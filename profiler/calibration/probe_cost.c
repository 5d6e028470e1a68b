// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the time that a probe adds to a run, both for runs that are measured and for runs that
 * are thinned out. This is the time of a run of the empty program with the probe, minus the time
 * without the probe. About calibration, this file knows only how to run a program.
 */
#include <errno.h>
#include <stdint.h>
#include <bpf/bpf.h>

#include "bpf/empty.skel.h"
#include "calibration/calibrate_bias.h"
#include "calibration/calibration.h"
#include "calibration/probe_cost.h"
#include "probe/probes.h"
#include "target/target.h"

/*
 * The kernel reports the mean time of a block's runs in whole nanoseconds. BLOCK_RUNS runs make the
 * mean exact enough. With BLOCK_CNT blocks, it is likely that at least one block is undisturbed.
 */
#define BLOCK_RUNS 256
#define BLOCK_CNT 5

/*
 * Times a block of a program's runs, and updates the minimum of all blocks. A disturbance can only
 * add time, so the minimum is the undisturbed time.
 */
static int time_run_block(int prog_fd, int cpu, __u32 *min_ns)
{
	__u32 ns;
	int err = calibrate__run(prog_fd, BPF_PROG_TYPE_SCHED_CLS, cpu, BLOCK_RUNS, &ns);

	if (!err && ns < *min_ns)
		*min_ns = ns;
	return err;
}

/*
 * Like time_run_block(), but for the probed program with the gate open. The probe thins out the
 * first "countdown" runs and measures all later ones.
 */
static int time_probed_block(struct calibration *c, const struct target *empty, int cpu,
			     __u64 countdown, __u32 *min_ns)
{
	int err;

	probe__reset(empty, cpu);
	probe__find_stat(empty, cpu)->countdown = countdown;
	probes__start(c->probes);
	err = time_run_block(empty->prog->fd, cpu, min_ns);
	probes__stop(c->probes);
	return err;
}

int probe_cost__measure(struct calibration *c, const struct target *empty, int cpu,
			struct probe_cost *cost)
{
	/* the empty program, without a probe */
	struct empty_bpf *alone = empty_bpf__open_and_load();
	__u32 without = UINT32_MAX, measured = UINT32_MAX, skipped = UINT32_MAX;
	int err = alone ? 0 : -errno;

	/*
	 * The three kinds of blocks are interleaved. So if the CPU slows down for a while, as a
	 * vCPU may, this affects all three.
	 */
	for (int i = 0; !err && i < BLOCK_CNT; i++)
		err = time_run_block(bpf_program__fd(alone->progs.bprof_empty), cpu, &without) ?:
		      time_probed_block(c, empty, cpu, 0, &measured) ?:
		      time_probed_block(c, empty, cpu, UINT64_MAX, &skipped);
	empty_bpf__destroy(alone);
	if (err)
		return err;
	/* The means are rounded down, so round the differences up. */
	cost->skipped_ns = skipped > without ? skipped - without + 1 : 1;
	cost->measured_ns = cost->skipped_ns + (measured > skipped ? measured - skipped : 1);
	return 0;
}

int probe_cost__time(int prog_fd, int cpu, __u32 *ns)
{
	int err = 0;

	*ns = UINT32_MAX;
	for (int i = 0; !err && i < BLOCK_CNT; i++)
		err = time_run_block(prog_fd, cpu, ns);
	return err;
}
