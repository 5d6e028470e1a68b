/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recording: from options to what was sampled, for each command that shows or keeps it.
 */
#ifndef BPROF_RECORDING_H
#define BPROF_RECORDING_H

#include "cmd/common/measure_opts.h"
#include "sampling/record.h"
#include "cmd/common/target_opts.h"

struct record_opts {
	struct measure_opts measure; /* of it events, cpus, loop, output and verbose */
	struct target_opts targets;
	__u64 freq, period; /* both 0: perf's frequency */
};

/* -e, -F and -c; members are of a struct record_opts. */
extern const struct option_row sample_rows[];

/* Combinations that make no sense. 0 or -EINVAL (reported). */
int record_opts__check(const struct record_opts *o);
void record_opts__free(struct record_opts *o);

/*
 * Selects the targets and samples them as the options say: until the command, the time-out or the user
 * ends it. argv is kept in the recording. *status: the command's exit status. 0, the caller frees *out;
 * or -errno (reported): -ENODATA, no target can be sampled.
 */
int record__make(const struct record_opts *o, char **argv, struct record **out, int *status);

#endif
