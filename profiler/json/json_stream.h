/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a struct as a JSON document, one value at a time. So a long document is never in memory as
 * a whole, where each object takes about a kilobyte.
 */
#ifndef BPROF_JSON_STREAM_H
#define BPROF_JSON_STREAM_H

#include <stdio.h>

#include "json/json_fields.h"

/*
 * Writes the same text as json__print() with JSON_INDENTED for an object with these fields. The
 * caller checks "out" for write errors.
 */
void json__stream(const struct json_field *rows, const void *from, const void *user, FILE *out);

#endif
