/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two reports compared as a command asks for it: what is written where, and the exit status.
 */
#ifndef BPROF_COMPARE_OUTPUT_H
#define BPROF_COMPARE_OUTPUT_H

#include "cmd/common/compare_opts.h"
#include "cmd/common/output_opts.h"

struct compare_output_opts {
	const struct compare_flags *flags;
	const char *base_name, *new_name; /* what the user calls them: files, objects, ids */
	const struct output_opts *output;
};

/*
 * Compares the two and writes that, and on stderr what is not said there anyway. 0, with the
 * command's exit status in *status; or -errno (reported), also where --strict finds a difference.
 */
int compare_output__write(const struct bprof_report *base, const struct bprof_report *new,
			  const struct compare_output_opts *o, int *status);

#endif
