/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON documents as text that cannot harm the terminal.
 */
#ifndef BPROF_JSON_ASCII_H
#define BPROF_JSON_ASCII_H

#include <stdio.h>
#include <jansson.h>

enum json_layout { JSON_LINE, JSON_INDENTED };

/*
 * Writes doc and a newline in printable ASCII, every other character as \uXXXX, and frees doc. If
 * err is not 0, making doc has failed and nothing is written. Returns 0 or -ENOMEM; does not check
 * out for errors.
 */
int json__print(json_t *doc, int err, enum json_layout layout, FILE *out);

#endif
