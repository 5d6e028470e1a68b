/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a struct as a JSON document, a value at a time: a long document never is in memory as a
 * whole, where each of its objects takes about a kilobyte.
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
