/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file in which bprof top remembers its columns.
 */
#ifndef BPROF_TOP_CONFIG_H
#define BPROF_TOP_CONFIG_H

struct top;

/* Chooses the columns that the file has, if there is one. Reports what is wrong with it. */
void top_config__read(struct top *t);
/* Writes the columns to the file. Reports why it cannot. */
void top_config__write(const struct top *t);

#endif
