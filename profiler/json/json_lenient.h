/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON as bpftool and people write it, with extensions that JSON or jansson does not have.
 * Hexadecimal numbers and numbers above 2^63 - 1 become strings ("0xff"). Fields with an empty
 * name, which bpftool writes for unnamed members, are renamed to "#1", "#2", ... in each object.
 */
#ifndef BPROF_JSON_LENIENT_H
#define BPROF_JSON_LENIENT_H

#include <jansson.h>

#include "base/util.h"

/*
 * Parses text with the given jansson flags. Refuses two fields with the same name in an object.
 * Returns 0, or -EINVAL with *err, whose line number refers to text. The caller releases *out.
 */
int __must_check json_lenient__load(const char *text, size_t flags, json_t **out,
				    json_error_t *err);

#endif
