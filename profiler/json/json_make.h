/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of the JSON documents that bprof writes. All documents have the same number format and
 * leave out unknown values.
 *
 * Callers need not check jansson's constructors and setters: without memory the process ends (base/memory.h),
 * and keys are literals, which are valid UTF-8. Only json__set() and json__set_number() accept other keys.
 */
#ifndef BPROF_JSON_MAKE_H
#define BPROF_JSON_MAKE_H

#include <jansson.h>
#include <linux/types.h>

/* Makes a string. NULL becomes "". Each byte that is not UTF-8 becomes U+FFFD. */
json_t *json__make_string(const char *s);
/* These functions accept only UTF-8. They return 0, or -EINVAL if s is not UTF-8. */
int json__make_utf8(const char *s, json_t **out);
int json__set_utf8(json_t *string, const char *s);
/* Makes a string of lower-case hexadecimal digits from bytes, in their order in memory. */
json_t *json__make_hex(const __u8 *bytes, size_t sz);
json_t *json__make_u64(__u64 v);
/* Makes a number. Whole numbers are exact; other numbers have at most 6 digits after the point. */
json_t *json__make_number(double v);

/* Sets a field. Converts the key to UTF-8 like json__make_string(). Takes ownership of v. */
void json__set(json_t *obj, const char *key, json_t *v);
void json__set_string(json_t *obj, const char *key, const char *s);
/* Sets a number. Leaves out NaN (unknown) and infinities, which JSON cannot express. */
void json__set_number(json_t *obj, const char *key, double v);

#endif
