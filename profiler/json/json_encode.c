// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Encodes JSON values as bytes. Owns the rules which JSON values each kind of type accepts. Also
 * checks that no value is truncated or dropped, and that no member is given twice with different
 * values. Must not know what the bytes are used for.
 *
 * Only put_bits() writes. It checks that the bits lie within the data, because the BTF comes from a
 * file. As in BTF, bit offsets count from the lowest bit on little-endian machines, and from the
 * highest bit on big-endian machines.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/suggest.h"
#include "base/text.h"
#include "json/json_encode.h"

/* ---- whole numbers ---- */

/* The range of accepted numbers. INT_EITHER accepts both signed and unsigned numbers. */
enum int_range { INT_UNSIGNED, INT_SIGNED, INT_EITHER };

struct number {
	bool negative, hex;
	unsigned __int128 size;
};

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

static int parse_string(const char *s, struct number *n)
{
	static const unsigned __int128 max = ~(unsigned __int128)0;
	unsigned int base;
	bool fits = true;

	n->negative = *s == '-';
	s += n->negative;
	n->hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	s += n->hex ? 2 : 0;
	base = n->hex ? 16 : 10;
	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		unsigned int digit = digit_value(*s);

		if (digit >= base)
			return -EINVAL;
		fits = fits && n->size <= (max - digit) / base;
		n->size = n->size * base + digit;
	}
	return fits ? 0 : -ERANGE;
}

static int parse_whole_number(const json_t *v, struct number *n)
{
	long long i = json_integer_value(v);

	*n = (struct number){};
	switch (json_typeof(v)) {
	case JSON_STRING:
		return parse_string(json_string_value(v), n);
	case JSON_TRUE:
		n->size = 1;
		return 0;
	case JSON_FALSE:
		return 0;
	case JSON_INTEGER:
		n->negative = i < 0;
		n->size = i < 0 ? -(unsigned long long)i : (unsigned long long)i;
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * Reads a whole number into the lowest "bits" bits (1 to 128) of *out, in two's complement. A
 * hexadecimal number is a bit pattern: 0xff fits into 8 signed bits. Returns 0; -EINVAL: not a
 * whole number; -ERANGE: the number does not fit.
 */
static int read_int(const json_t *v, unsigned int bits, enum int_range range,
		    unsigned __int128 *out)
{
	/* the number of negative values, which is also the magnitude of the lowest one */
	unsigned __int128 half = (unsigned __int128)1 << (bits - 1);
	struct number n;
	int err = parse_whole_number(v, &n);

	if (err)
		return err;
	if (n.negative)
		err = n.size && (range == INT_UNSIGNED || n.size > half) ? -ERANGE : 0;
	else if (range == INT_SIGNED && !n.hex)
		err = n.size >= half ? -ERANGE : 0;
	else
		err = n.size > half - 1 + half ? -ERANGE : 0;
	*out = n.negative ? -n.size : n.size;
	return err;
}

/* ---- values ---- */

/* The place of a value: the offset of its first bit, and the number of bits. */
struct place {
	size_t off;
	unsigned int bits; /* size of a bit field; 0: the size of the type */
};

/* The maximum depth of the search in unnamed members. In bad BTF, a type may contain itself. */
#define UNNAMED_LEVELS 8

static int put_value(struct json_encoder *e, __u32 type_id, const json_t *v, struct place at);

int json_encoder__refuse(struct json_encoder *e, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = json_path__refuse(&e->path, e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return err;
}

int json_encoder__refuse_type(struct json_encoder *e, const char *wanted, const json_t *v)
{
	const char *s = json_string_value(v);

	if (s)
		return json_encoder__refuse(e, "expected %s, found the string '%.60s'", wanted, s);
	return json_encoder__refuse(e, "expected %s, found %s", wanted, json__type_text(v));
}

/*
 * Every value is written in two passes. If the second pass finds other bits in the data than it is
 * about to write, another member of the same union has overwritten them in the first pass: refuse
 * the document.
 */
static int put_bits(struct json_encoder *e, size_t off, unsigned __int128 value, unsigned int bits)
{
	if (off > e->sz * 8 || bits > e->sz * 8 - off)
		return json_encoder__refuse(e, "its BTF puts it outside of the %zu bytes", e->sz);
	while (bits) {
		unsigned int skip = off % 8, n = 8 - skip < bits ? 8 - skip : bits;
		__u8 mask = ((1u << n) - 1) << skip, byte = (value << skip) & mask;
		__u8 *to = &e->data[off / 8];

		if (e->checking && (*to & mask) != byte)
			return json_encoder__refuse(
				e, "another member of the union is given with other bytes");
		*to = (*to & ~mask) | byte;
		value >>= n;
		off += n;
		bits -= n;
	}
	return 0;
}

static int put_int(struct json_encoder *e, const json_t *v, struct place at, enum int_range range)
{
	const char *s = json_string_value(v), *sign = range == INT_SIGNED ? ", signed" : "";
	unsigned __int128 bits;
	int err;

	if (!at.bits || at.bits > 128)
		return json_encoder__refuse(e, "a number of %u bits cannot be written", at.bits);
	err = read_int(v, at.bits, range, &bits);
	if (err == -ERANGE && s)
		return json_encoder__refuse(e, "%.60s does not fit into %u bits%s", s, at.bits,
					    sign);
	if (err == -ERANGE)
		return json_encoder__refuse(
			e, "%lld does not fit into %u bits%s",
			json__is(v, JSON_TRUE) ? 1LL : (long long)json_integer_value(v), at.bits,
			sign);
	if (err)
		return json_encoder__refuse_type(e, "a whole number", v);
	return put_bits(e, at.off, bits, at.bits);
}

static int put_byte_array(struct json_encoder *e, const json_t *v, struct place at)
{
	int err = 0;

	for (size_t i = 0; !err && i < json_array_size(v); i++) {
		struct place byte = {.off = at.off + 8 * i, .bits = 8};

		if (json_path__enter_element(&e->path, i))
			return json_encoder__refuse(e, "nested too deeply");
		err = put_int(e, json_array_get(v, i), byte, INT_UNSIGNED);
		e->path.depth--;
	}
	return err;
}

static int put_float(struct json_encoder *e, const json_t *v, struct place at)
{
	union {
		double d;
		__u64 bits;
	} wide = {json_number_value(v)};
	union {
		float f;
		__u32 bits;
	} narrow = {wide.d};

	if (!json__is_number(v))
		return json_encoder__refuse_type(e, "a number", v);
	if (at.bits == 8 * sizeof(narrow))
		return put_bits(e, at.off, narrow.bits, at.bits);
	if (at.bits == 8 * sizeof(wide))
		return put_bits(e, at.off, wide.bits, at.bits);
	return json_encoder__refuse(e, "a floating-point number of %u bits cannot be written",
				    at.bits);
}

/* Returns the name at an offset of the BTF's strings, or "" if the offset is out of range. */
static const char *name_at(const struct btf *btf, __u32 off)
{
	return text__or_empty(btf__name_by_offset(btf, off));
}

static const char *enum_name(const struct btf *btf, const struct btf_type *t, int i)
{
	return name_at(btf, btf_is_enum(t) ? btf_enum(t)[i].name_off : btf_enum64(t)[i].name_off);
}

static int put_enum(struct json_encoder *e, const struct btf_type *t, const json_t *v,
		    struct place at)
{
	const char *name = json_string_value(v);
	unsigned __int128 bits;
	struct suggest near;
	char hint[128];

	for (int i = 0; name && i < btf_vlen(t); i++) {
		if (strcmp(enum_name(e->btf, t, i), name))
			continue;
		bits = btf_is_enum(t) ? (__u32)btf_enum(t)[i].val
				      : btf_enum64_value(&btf_enum64(t)[i]);
		return put_bits(e, at.off, bits, at.bits);
	}
	if (!name || !at.bits || at.bits > 128 ||
	    read_int(v, at.bits, INT_EITHER, &bits) != -EINVAL)
		return put_int(e, v, at, INT_EITHER);
	suggest__init(&near, name, strlen(name));
	for (int i = 0; i < btf_vlen(t); i++)
		suggest__offer(&near, enum_name(e->btf, t, i));
	return json_encoder__refuse(e, "enum %s has no value '%.60s'%s",
				    name_at(e->btf, t->name_off), name,
				    suggest__text(&near, hint, sizeof(hint)));
}

/* Returns the type behind typedefs and qualifiers, or NULL if the BTF has no such type. */
static const struct btf_type *bare_type(const struct btf *btf, __u32 id)
{
	return btf__type_by_id(btf, btf__resolve_type(btf, id)); /* no type has a negative id */
}

/*
 * Returns true for an integer type of a single byte, or a typedef of such a type. The BTF must have
 * the type.
 */
static bool is_byte(const struct btf *btf, __u32 type_id)
{
	const struct btf_type *t = bare_type(btf, type_id);

	return btf_is_int(t) && t->size == 1 && !(btf_int_encoding(t) & BTF_INT_BOOL);
}

static int put_string(struct json_encoder *e, const struct btf_array *array, const json_t *v,
		      struct place at)
{
	const char *s = json_string_value(v);
	size_t len = json_string_length(v);
	int err = 0;

	if (len > array->nelems)
		return json_encoder__refuse(e, "a string of %zu bytes does not fit into %u", len,
					    array->nelems);
	for (size_t i = 0; !err && i < len; i++)
		err = put_bits(e, at.off + 8 * i, (__u8)s[i], 8);
	return err;
}

static int put_array(struct json_encoder *e, const struct btf_type *t, const json_t *v,
		     struct place at)
{
	const struct btf_array *array = btf_array(t);
	/* cannot fail, because the size of the whole array is known */
	__s64 elem_sz = btf__resolve_size(e->btf, array->type);
	size_t cnt = json_array_size(v);
	const char *first = json_string_value(json_array_get(v, 0));
	int err = 0;

	if (json__is(v, JSON_STRING) && is_byte(e->btf, array->type))
		return put_string(e, array, v, at);
	if (!json__is(v, JSON_ARRAY))
		return json_encoder__refuse_type(
			e, is_byte(e->btf, array->type) ? "an array or a string" : "an array", v);
	/* bpftool writes a value as an array with one string "0x…" for each byte. */
	if (elem_sz > 1 && first && !strncmp(first, "0x", 2) &&
	    cnt == (size_t)elem_sz * array->nelems)
		return put_byte_array(e, v, at);
	if (cnt > array->nelems)
		return json_encoder__refuse(e, "%zu elements, there is room for %u", cnt,
					    array->nelems);
	for (size_t i = 0; !err && i < cnt; i++) {
		if (json_path__enter_element(&e->path, i))
			return json_encoder__refuse(e, "nested too deeply");
		err = put_value(e, array->type, json_array_get(v, i),
				(struct place){.off = at.off + 8 * i * elem_sz});
		e->path.depth--;
	}
	return err;
}

/* A member's type and place. */
struct member {
	__u32 type;
	struct place at;
};

/*
 * Returns the struct or union of an unnamed member, or NULL if the member has a name or another
 * type.
 */
static const struct btf_type *unnamed_type(const struct btf *btf, const struct btf_member *m)
{
	const struct btf_type *t = m->name_off ? NULL : bare_type(btf, m->type);

	return t && btf_is_composite(t) ? t : NULL;
}

static bool find_field(const struct btf *btf, const struct btf_type *t, const char *name,
		       int levels, struct member *out)
{
	for (int i = 0; levels && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const struct btf_type *unnamed = unnamed_type(btf, m);
		struct place at = {
			.off = out->at.off + btf_member_bit_offset(t, i),
			.bits = btf_member_bitfield_size(t, i),
		};

		if (unnamed) {
			struct member inner = {.at.off = at.off};

			if (find_field(btf, unnamed, name, levels - 1, &inner)) {
				*out = inner;
				return true;
			}
		} else if (m->name_off && !strcmp(name_at(btf, m->name_off), name)) {
			*out = (struct member){.type = m->type, .at = at};
			return true;
		}
	}
	return false;
}

/* Finds the unnamed member with that number, counted from 0. */
static bool find_unnamed(const struct btf *btf, const struct btf_type *t, int number,
			 struct member *out)
{
	for (int i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];

		if (!unnamed_type(btf, m) || number--)
			continue;
		out->type = m->type;
		out->at = (struct place){.off = out->at.off + btf_member_bit_offset(t, i)};
		return true;
	}
	return false;
}

static void suggest_fields(const struct btf *btf, const struct btf_type *t, int levels,
			   struct suggest *near)
{
	for (int i = 0; levels && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const struct btf_type *unnamed = unnamed_type(btf, m);

		if (unnamed)
			suggest_fields(btf, unnamed, levels - 1, near);
		else
			suggest__offer(near, name_at(btf, m->name_off));
	}
}

static int refuse_field(struct json_encoder *e, const struct btf_type *t, const char *key)
{
	const char *name = name_at(e->btf, t->name_off);
	struct suggest near;
	char hint[128];

	suggest__init(&near, key, strlen(key));
	suggest_fields(e->btf, t, UNNAMED_LEVELS, &near);
	return json_encoder__refuse(e, "%s%s%s has no such field%s",
				    btf_is_union(t) ? "union" : "struct", *name ? " " : "", name,
				    suggest__text(&near, hint, sizeof(hint)));
}

static int put_struct(struct json_encoder *e, const struct btf_type *t, const json_t *v,
		      struct place at)
{
	const char *key;
	json_t *field;
	int unnamed = 0, err = 0;

	if (!json__is(v, JSON_OBJECT))
		return json_encoder__refuse_type(e, "an object", v);
	json_object_foreach((json_t *)v, key, field)
	{
		struct member m = {.at = at};
		bool found;

		if (json_path__enter_field(&e->path, key))
			return json_encoder__refuse(e, "nested too deeply");
		found = *key == '#' ? find_unnamed(e->btf, t, unnamed++, &m)
				    : find_field(e->btf, t, key, UNNAMED_LEVELS, &m);
		err = found ? put_value(e, m.type, field, m.at) : refuse_field(e, t, key);
		e->path.depth--;
		if (err)
			return err;
	}
	return err;
}

static int put_btf_int(struct json_encoder *e, const struct btf_type *t, const json_t *v,
		       struct place at)
{
	__u8 encoding = btf_int_encoding(t);
	struct number n;

	/* Old compilers described bit fields in the integer type, before BTF had kind_flag. */
	if (at.bits == t->size * 8 && btf_int_bits(t) != t->size * 8) {
		at.off += btf_int_offset(t);
		at.bits = btf_int_bits(t);
	}
	if (encoding & BTF_INT_BOOL) {
		/* parse_whole_number() accepts true and false, too. */
		if (parse_whole_number(v, &n) || n.size > 1 || n.negative)
			return json_encoder__refuse_type(e, "true or false", v);
		return put_int(e, v, at, INT_UNSIGNED);
	}
	return put_int(e, v, at, encoding & BTF_INT_SIGNED ? INT_SIGNED : INT_UNSIGNED);
}

static int put_value(struct json_encoder *e, __u32 type_id, const json_t *v, struct place at)
{
	const struct btf_type *t = bare_type(e->btf, type_id);
	__s64 sz = t ? btf__resolve_size(e->btf, type_id) : -1;

	if (sz < 0 || sz > (__s64)e->sz)
		return json_encoder__refuse(e, "its BTF gives no type that can be written");
	if (!at.bits && !btf_is_array(t) && json__is(v, JSON_ARRAY)) {
		if (json_array_size(v) == (size_t)sz)
			return put_byte_array(e, v, at);
		if (!btf_is_composite(t))
			return json_encoder__refuse_type(e, "a single value", v);
		return json_encoder__refuse(
			e, "expected an object, or all its %lld bytes; found an array of %zu",
			(long long)sz, json_array_size(v));
	}
	if (!at.bits)
		at.bits = sz * 8;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return put_btf_int(e, t, v, at);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return put_enum(e, t, v, at);
	case BTF_KIND_PTR:
		return put_int(e, v, at, INT_UNSIGNED);
	case BTF_KIND_FLOAT:
		return put_float(e, v, at);
	case BTF_KIND_ARRAY:
		return put_array(e, t, v, at);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return put_struct(e, t, v, at);
	default:
		return json_encoder__refuse(e, "its BTF gives no type that can be written");
	}
}

static int put_untyped(struct json_encoder *e, const json_t *v)
{
	bool is_int = e->sz == 1 || e->sz == 2 || e->sz == 4 || e->sz == 8;

	if (json__is(v, JSON_ARRAY) && json_array_size(v) != e->sz)
		return json_encoder__refuse(e, "expected %zu bytes, the array has %zu", e->sz,
					    json_array_size(v));
	if (json__is(v, JSON_ARRAY))
		return put_byte_array(e, v, (struct place){});
	if (is_int)
		return put_int(e, v, (struct place){.bits = e->sz * 8}, INT_EITHER);
	return json_encoder__refuse(
		e, "its type is not known (no BTF): expected an array of its %zu bytes", e->sz);
}

int json_encoder__write(struct json_encoder *e, __u32 type_id, const json_t *v, void *data,
			size_t sz)
{
	int err = 0;

	memset(data, 0, sz);
	e->data = data;
	e->sz = sz;
	e->checking = false;
	for (int pass = 0; !err && pass < 2; pass++) {
		err = e->btf && type_id ? put_value(e, type_id, v, (struct place){})
					: put_untyped(e, v);
		e->checking = true;
	}
	return err;
}
