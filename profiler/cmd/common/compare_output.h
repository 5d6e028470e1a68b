/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares two reports as a command's options ask: what is written where, and the exit status.
 */
#ifndef BPROF_COMPARE_OUTPUT_H
#define BPROF_COMPARE_OUTPUT_H

#include "cmd/common/compare_opts.h"
#include "cmd/common/output_opts.h"

struct compare_output_opts {
	const struct compare_flags *flags;
	const char *base_name, *new_name; /* as the user named them: files, objects, ids */
	const struct output_opts *output;
};

/*
 * Compares the two reports, writes the comparison, and reports on stderr what that does not show.
 * Returns 0, with the command's exit status in *status; or -errno (reported), also if --strict
 * forbids a difference.
 */
int compare_output__write(const struct bprof_report *base, const struct bprof_report *new,
			  const struct compare_output_opts *o, int *status);

#endif
