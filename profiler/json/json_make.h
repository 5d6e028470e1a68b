/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of the JSON documents that bprof writes: numbers alike everywhere, what is not known left
 * out.
 *
 * jansson's constructors return NULL when memory is short, its setters take NULL for a value as a
 * failure and always take over the value: failures are or-ed up and asked once per object.
 */
#ifndef BPROF_JSON_MAKE_H
#define BPROF_JSON_MAKE_H

#include <jansson.h>
#include <linux/types.h>

/* obj, or NULL (and obj is gone) where there was a failure. */
json_t *json__finish(json_t *obj, int err);

/* NULL is ""; a string that is no UTF-8 keeps its ASCII, each other byte becomes U+FFFD. */
json_t *json__make_string(const char *s);
/* Bytes as lower-case hexadecimal digits, in their order in memory. */
json_t *json__make_hex(const __u8 *bytes, size_t sz);
json_t *json__make_u64(__u64 v);
/* Whole numbers as such, up to the last digit; else at most 6 digits after the point. */
json_t *json__make_number(double v);

int json__set_string(json_t *obj, const char *key, const char *s);
/* Leaves out what is not known (NaN), and what JSON has no number for. */
int json__set_number(json_t *obj, const char *key, double v);

#endif
