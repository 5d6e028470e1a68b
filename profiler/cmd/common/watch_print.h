/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bprof watch writes: a line for each change, for people or as a JSON object.
 */
#ifndef BPROF_WATCH_PRINT_H
#define BPROF_WATCH_PRINT_H

#include <stdio.h>

#include "base/util.h"

struct prog_change;

/* Each returns 0 or -ENOMEM; whether out takes it, out says (ferror()). */
void watch_print__header(FILE *out);
int __must_check watch_print__text(const struct prog_change *change, FILE *out);
int __must_check watch_print__json(const struct prog_change *change, FILE *out);

#endif
