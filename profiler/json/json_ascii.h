/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes JSON documents as text that cannot harm the terminal. The caller checks "out" for write
 * errors.
 */
#ifndef BPROF_JSON_ASCII_H
#define BPROF_JSON_ASCII_H

#include <stdio.h>
#include <jansson.h>

enum json_layout { JSON_LINE, JSON_INDENTED };

/* Writes doc and a newline in printable ASCII, with other characters as \uXXXX, and frees doc. */
void json__print(json_t *doc, enum json_layout layout, FILE *out);
/*
 * Writes a value that is within depth objects or lists of an indented document, without a newline,
 * and frees it.
 */
void json__print_value(json_t *value, int depth, FILE *out);

#endif
