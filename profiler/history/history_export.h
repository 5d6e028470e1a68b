/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A history in the formats of other tools that keep benchmarks. Each renderer returns 0, or -ENODATA
 * if there is nothing to write; out is a stream in memory.
 */
#ifndef BPROF_HISTORY_EXPORT_H
#define BPROF_HISTORY_EXPORT_H

#include "history/history_series.h"

typedef int history_export_fn(const struct history_all *all, FILE *out);

/* Writes the newest commit in the format customSmallerIsBetter of github-action-benchmark. */
history_export_fn history_export__github;
/* Writes all reports in Go's benchmark format, for benchstat. The commit is a configuration key. */
history_export_fn history_export__benchfmt;

#endif
