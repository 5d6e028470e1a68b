/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What recordings and annotations have in common as JSON.
 */
#ifndef BPROF_RECORD_JSON_H
#define BPROF_RECORD_JSON_H

#include <jansson.h>

struct record;

/* Where, when and how it was sampled, and how much. 0, or not: out of memory. */
int record__set_head(json_t *obj, const struct record *r);

#endif
