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

/* Writes doc and a newline in printable ASCII. Writes other characters as \uXXXX. Frees doc. */
void json__print(json_t *doc, enum json_layout layout, FILE *out);
/*
 * Writes a value of an indented document, without a newline, and frees the value. depth: the number
 * of objects and lists that contain the value.
 */
void json__print_value(json_t *value, int depth, FILE *out);

#endif
