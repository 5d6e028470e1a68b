/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a recording as the options say, for every command that shows or saves a recording.
 */
#ifndef BPROF_RECORDING_H
#define BPROF_RECORDING_H

#include "run/measure_opts.h"
#include "run/target_opts.h"
#include "sampling/record.h"

/* The default name of the file that bprof record writes and bprof annotate reads. */
#define RECORD_FILE "bprof.record.json"

struct record_opts {
	struct measure_opts measure; /* only events, cpus, loop and output are used */
	struct target_opts targets;
	__u64 freq, period; /* arguments of -F and -c; both 0: the default frequency of perf */
	__u64 depth;	    /* how many frames of called functions to keep; 0: the default */
};

/* The row of --func for commands that sample programs. Its struct is a struct target_opts. */
extern const struct option_row sample_func_rows[];
/* The rows of -e, -F, -c and --depth, for a command whose options are struct record_opts. */
extern const struct option_row sample_rows[];

/* Refuses options that cannot be combined. Returns 0 or -EINVAL (reported). */
int record_opts__check(const struct record_opts *o);
void record_opts__free(struct record_opts *o);

/*
 * Selects the targets and samples them as the options say, until the command exits, the timeout
 * expires or the user presses Ctrl-C. The recording contains argv. If the command's exit status is
 * not 0, sets *status to it. Returns 0, and the caller frees *out; or -errno (reported). -ENODATA:
 * no target can be sampled. Raises the limit of file descriptors, and stores the former limit,
 * which the command gets, in o->measure.loop.fd_limit.
 */
int record__make(struct record_opts *o, char **argv, struct record **out, int *status);

/*
 * A recording that is shown while it is made. recording__open() selects the targets and loads the
 * sampling program. recording__enable() starts and stops sampling; samples add up.
 * recording__read() sets *out to the samples so far, which stay valid until the next call. These
 * functions return 0 or -errno (reported).
 */
struct recording;
int recording__open(const struct record_opts *o, char **argv, struct recording **out);
int recording__enable(struct recording *rec, bool on);
int recording__read(struct recording *rec, const struct record **out);
void recording__close(struct recording *rec); /* accepts NULL */

#endif
