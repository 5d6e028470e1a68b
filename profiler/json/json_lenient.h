/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON as bpftool writes it, and as people like to: also what JSON does not have, or jansson does not
 * take. Numbers over 2^63 and hexadecimal ones become strings ("0xff"), several fields of one object
 * without a name, for unnamed members, become "#1", "#2", ... Pure.
 */
#ifndef BPROF_JSON_LENIENT_H
#define BPROF_JSON_LENIENT_H

#include <jansson.h>

#include "base/util.h"

/*
 * flags: jansson's. 0, -ENOMEM, or -EINVAL with *err, whose line is the text's. Two fields of one
 * name are refused. The caller gives back *out.
 */
int __must_check json_lenient__load(const char *text, size_t flags, json_t **out,
				    json_error_t *err);

#endif
