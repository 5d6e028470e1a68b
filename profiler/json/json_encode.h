/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON values as the bytes of a BPF program's types, by BTF. Pure: prints nothing.
 *
 *   integers, pointers   a number, or a string: "-1", "0xff" (also as a bit pattern), "18446744073709551615";
 *                        true and false are 1 and 0
 *   bool                 true, false, 0, 1
 *   float                a number
 *   enum                 the name of a value, or a number
 *   array                an array of up to as many elements; one of single bytes (char, __u8) also a
 *                        string, whose end is a NUL only if there is room
 *   struct, union        an object; the fields of unnamed members stand as C has them, or in the
 *                        object of a key that begins with '#': the first such key is the first
 *                        unnamed member, …
 *   any of whole bytes   an array of all its bytes, as numbers or strings
 *
 * What is not given is zero.
 */
#ifndef BPROF_JSON_ENCODE_H
#define BPROF_JSON_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "json/json_error.h"

struct btf;

struct json_encoder {
	const struct btf *btf; /* NULL: there is none */
	/* The way to the value at hand. The caller may have begun it. */
	struct json_path path;
	/*
	 * What is wrong, the path before it. It quotes the document: to be made printable.
	 */
	char text[400];
	/* The encoder's own. */
	__u8 *data;
	size_t sz;
	bool checking;
};

/*
 * Writes v into data, of sz bytes, which are the size of the type; type_id 0: it is not known, and
 * v is an array of bytes, or a number where there are 1, 2, 4 or 8 of them. 0, or -EINVAL with
 * e->text; data may be half written then.
 */
int json_encoder__write(struct json_encoder *e, __u32 type_id, const json_t *v, void *data,
			size_t sz);

/* Sets e->text, with the path before it. -EINVAL. */
int json_encoder__refuse(struct json_encoder *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "…: a string is wanted, it is an array" */
int json_encoder__refuse_type(struct json_encoder *e, const char *wanted, const json_t *v);

#endif
