/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON as bpftool and people write it, with extensions that JSON or jansson does not have.
 * Numbers over 2^63 and hexadecimal numbers become strings ("0xff"). Fields of one object without a
 * name, for unnamed members, become "#1", "#2", ... Pure.
 */
#ifndef BPROF_JSON_LENIENT_H
#define BPROF_JSON_LENIENT_H

#include <jansson.h>

#include "base/util.h"

/*
 * Parses text; flags are jansson's. Returns 0, -ENOMEM, or -EINVAL with *err, whose line is the
 * line in text. Refuses two fields with the same name. The caller releases *out.
 */
int __must_check json_lenient__load(const char *text, size_t flags, json_t **out,
				    json_error_t *err);

#endif
