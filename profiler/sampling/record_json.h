/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What recordings and annotations have in common as JSON.
 */
#ifndef BPROF_RECORD_JSON_H
#define BPROF_RECORD_JSON_H

#include "json/json_fields.h"

/* struct record: where, when and how it was sampled, and how much */
extern const struct json_field record_head_rows[];
extern const struct json_field record_skip_rows[]; /* struct record: skipped */

#endif
