/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file in which bprof top remembers its columns.
 */
#ifndef BPROF_TOP_CONFIG_H
#define BPROF_TOP_CONFIG_H

struct top;

/* Chooses the columns that the file names, if the file exists. Reports errors in the file. */
void top_config__read(struct top *t);
/* Writes the columns to the file. Reports an error if that fails. */
void top_config__write(const struct top *t);

#endif
