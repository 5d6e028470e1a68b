/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON documents as text that can do nothing to the terminal it is shown on.
 */
#ifndef BPROF_JSON_ASCII_H
#define BPROF_JSON_ASCII_H

#include <stdio.h>
#include <jansson.h>

/*
 * Writes doc with jansson's flags for the layout, and a newline, in printable ASCII: every other
 * character stands as \uXXXX. 0 or -ENOMEM; whether it has arrived, the stream knows.
 */
int json__print_ascii(const json_t *doc, size_t flags, FILE *out);

#endif
