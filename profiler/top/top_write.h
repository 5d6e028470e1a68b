/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes what bprof top shows to files.
 */
#ifndef BPROF_TOP_WRITE_H
#define BPROF_TOP_WRITE_H

struct report;

/*
 * Writes the rows as JSON and as HTML, to new files in the current directory whose names have the
 * time. Reports the names, or an error.
 */
void top_write(const struct report *rows);

#endif
