/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A history in the formats of other tools that keep benchmarks. Each renderer returns 0, or -ENODATA
 * if there is nothing to write; out is a stream in memory.
 */
#ifndef BPROF_HISTORY_EXPORT_H
#define BPROF_HISTORY_EXPORT_H

#include "history/history_series.h"

typedef int history_export_fn(const struct history_all *all, FILE *out);

/* customSmallerIsBetter of github-action-benchmark: the newest commit */
history_export_fn history_export__github;
/* Go's benchmark format, for benchstat: all reports, with the commit as a configuration key */
history_export_fn history_export__benchfmt;

#endif
