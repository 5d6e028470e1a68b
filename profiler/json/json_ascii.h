/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes JSON documents as text that cannot harm the terminal.
 */
#ifndef BPROF_JSON_ASCII_H
#define BPROF_JSON_ASCII_H

#include <stdio.h>
#include <jansson.h>

enum json_layout { JSON_LINE, JSON_INDENTED };

/*
 * Writes doc and a newline in printable ASCII, with other characters as \uXXXX, and frees doc. err
 * not 0 means that building doc has failed: nothing is written then. Returns 0 or -ENOMEM. The
 * caller checks "out" for write errors.
 */
int json__print(json_t *doc, int err, enum json_layout layout, FILE *out);
/*
 * Writes a value that is within depth objects or lists of an indented document, without a newline,
 * and frees it. Returns the same values.
 */
int json__print_value(json_t *value, int depth, FILE *out);

#endif
