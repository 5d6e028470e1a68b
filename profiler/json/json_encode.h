/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encodes JSON values as the bytes of a BPF program's types, which BTF describes. Prints nothing. A
 * value of each type is written in one of these forms:
 *
 *   integers, pointers   a number, or a string: "-1", "0xff" (also as a bit pattern),
 *                        "18446744073709551615";
 *                        true and false are 1 and 0
 *   bool                 true, false, 0, 1
 *   float                a number
 *   enum                 the name of a value, or a number
 *   array                an array with at most as many elements as the type has; for single bytes
 *                        (char, __u8) also a string, which ends with a NUL only if there is room
 *   struct, union        an object; fields of unnamed members are written as in C, or in an
 *                        object whose key begins with '#': the first such key is the first
 *                        unnamed member, …
 *   any but bit fields   an array of all its bytes, as numbers or strings
 *
 * Members and elements that the JSON value does not have are zero.
 */
#ifndef BPROF_JSON_ENCODE_H
#define BPROF_JSON_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "json/json_error.h"

struct btf;

struct json_encoder {
	const struct btf *btf; /* NULL: no BTF */
	/*
	 * The path to the current value. The caller may begin it with the steps that lead to the
	 * value v of json_encoder__write().
	 */
	struct json_path path;
	/*
	 * The error message, which begins with the path. The message quotes the document, so the
	 * caller must make it printable.
	 */
	char text[400];
	/* These members are private to the encoder. */
	__u8 *data;
	size_t sz;
	bool checking;
};

/*
 * Encodes v into data, of sz bytes, which must be the size of the type. type_id 0: the type is
 * unknown, and v must be an array of bytes, or a number if sz is 1, 2, 4 or 8. Returns 0, or
 * -EINVAL with e->text; data may be incomplete then.
 */
int json_encoder__write(struct json_encoder *e, __u32 type_id, const json_t *v, void *data,
			size_t sz);

/* Sets e->text to the path followed by the message. Returns -EINVAL. */
int json_encoder__refuse(struct json_encoder *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets e->text to a message such as "…: expected a string, found an array". Returns -EINVAL. */
int json_encoder__refuse_type(struct json_encoder *e, const char *wanted, const json_t *v);

#endif
