/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares two reports as a command's options say, writes the result and finds the exit status.
 */
#ifndef BPROF_COMPARE_OUTPUT_H
#define BPROF_COMPARE_OUTPUT_H

#include "compare/compare.h"
#include "run/compare_opts.h"
#include "run/output_opts.h"

struct compare_output_opts {
	const struct compare_flags *flags;
	const char *base_name, *new_name; /* names of the versions: files, objects or ids */
	const struct output_opts *output;
};

/*
 * Compares the parts and writes the comparison. Of o->flags, uses only --strict and the accepted
 * verdicts: each part has its own limits and matches. Writes messages to stderr on results that the
 * written format does not show. Returns 0 and sets *status to the command's exit status; or returns
 * -errno (reported), also if the reports differ in a way that --strict forbids.
 */
int compare_output__write_parts(const struct compare_part *parts, int cnt,
				const struct compare_output_opts *o, int *status);
/* Writes a comparison. Returns 0 and sets *status, or returns -errno (reported). */
int compare_output__write(const struct comparison *c, const struct compare_output_opts *o,
			  int *status);

#endif
