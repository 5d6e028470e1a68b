/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Structs as JSON objects. Each row of a table describes how a field is written and read, as in
 * this example. Prints nothing.
 *
 * 	static const struct json_field skip_rows[] = {
 * 		FIELD("id", u32, offsetof(struct skip, id), .required = true),
 * 		FIELD("detail", string, offsetof(struct skip, detail), .omit = true),
 * 		{},
 * 	};
 *
 * Fields are written in the order of the rows. Reading checks each value, because the document is
 * not trusted, and skips fields that no row describes, because newer versions may add fields. If
 * the document does not have a field, the struct's member keeps its value.
 */
#ifndef BPROF_JSON_FIELDS_H
#define BPROF_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include <linux/types.h>

#include "json/json_error.h"

/* The state of reading a document. */
struct json_reader {
	struct json_path path; /* path to the current value */
	/*
	 * Receives the error message, such as "programs[2].id: is missing". The message quotes
	 * nothing from the document: the keys in the message come from the rows.
	 */
	char *text;
	size_t text_sz;
	void *user; /* data for the caller's own kinds and checks */
};

/* Sets rd->text. Returns -EINVAL. */
int json_reader__refuse(struct json_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets rd->text to a message such as "…: expected a string, found an array". Returns -EINVAL. */
int json_reader__refuse_type(struct json_reader *rd, const char *wanted, const json_t *v);

struct json_field;

/* How a kind of value is written and read. "from" and "to" point to the struct's member. */
struct json_kind {
	/*
	 * Returns the value, or json_null() if the value is unknown: then the field is left out.
	 * user is the argument of json__set_fields().
	 */
	json_t *(*make)(const struct json_field *f, const void *from, const void *user);
	/* Kinds that add several fields to obj have this function instead of make. */
	void (*set)(const struct json_field *f, json_t *obj, const void *from, const void *user);
	/* Returns 0, or -EINVAL with rd->text. NULL: the field is only written. */
	int (*read)(const struct json_field *f, struct json_reader *rd, json_t *v, void *to);
};

/* A row of a table. The last row of a table is empty. */
struct json_field {
	/*
	 * The field's key. NULL: the kind must be field_object, field_part or another kind with
	 * fields, which become fields of the enclosing object.
	 */
	const char *key;
	const struct json_kind *kind;
	size_t offset;	 /* the member's offset, or 0 if kind and check need the whole struct */
	const void *arg; /* argument of the kind, see below */
	bool required;	 /* refuse a document without this field */
	bool omit;	 /* do not write NULL, 0, false, an empty array or object */
	/* Returns whether to write the field; obj: the whole struct. NULL: that depends only on the value. */
	bool (*has)(const void *obj, const void *user);
	/* Called after the value was read, for checks and changes that its kind cannot make. */
	int (*check)(struct json_reader *rd, json_t *v, void *to);
};

/*
 * Makes a row, such as FIELD("id", u32, offsetof(…), .required = true). kind_: the kind's name
 * without "field_".
 */
#define FIELD(key_, kind_, offset_, ...)                                            \
	{                                                                           \
		.key = key_, .kind = &field_##kind_, .offset = offset_, __VA_ARGS__ \
	}

/* Defines a function for .has, such as HAS(has_name, struct skip, s, s->name && *s->name). */
#define HAS(fn, type, it, condition)                      \
	static bool fn(const void *obj, const void *user) \
	{                                                 \
		const type *it = obj;                     \
                                                          \
		return condition;                         \
	}

/* ---- kinds ---- */

extern const struct json_kind field_const;  /* a constant string in arg; only written */
extern const struct json_kind field_string; /* char *, malloc'ed; NULL is written as "" */
extern const struct json_kind field_chars;  /* char[]; only written; .omit leaves out "" */
extern const struct json_kind field_argv;   /* char **, NULL-terminated */
extern const struct json_kind field_bool;   /* bool */
extern const struct json_kind field_time;   /* struct timespec: "2026-01-31T00:00:00Z" */

/* These three kinds are for members of type double. NaN is never written. */
/* any number; if arg is not NULL: a whole number in the range *arg (struct json_range) */
extern const struct json_kind field_number;
extern const struct json_kind field_amount; /* a number >= 0 */
extern const struct json_kind field_share;  /* a number > 0 and <= 1 */

/* Whole numbers. arg: the range that is accepted when reading (struct json_range), or NULL. */
extern const struct json_kind field_u64; /* __u64 */
extern const struct json_kind field_u32; /* __u32 */
extern const struct json_kind field_int; /* int, >= 0 */

struct json_range {
	__u64 min, max;
};

/* Bytes as hexadecimal digits. arg: struct json_bytes; the row's offset is 0. */
extern const struct json_kind field_bytes;

struct json_bytes {
	/* offsets of two members: a __u8 * to malloc'ed bytes, and a __u32 with their number */
	size_t data, sz;
};

/* An object. arg: the rows of its fields. */
extern const struct json_kind field_object;
/* an object whose fields are in the struct to which the member points */
extern const struct json_kind field_pointed;

/*
 * The fields of an optional part of a struct. The struct has a pointer to the part, which is NULL
 * if there is none. arg: struct json_part; the row's offset is the offset of the struct. With
 * .omit, no field is written for a struct without the part.
 */
extern const struct json_kind field_part;

struct json_part {
	size_t pointer; /* offset of the pointer to the part */
	const struct json_field *rows;
	void *(*add)(void *owner); /* returns the part, which it allocates if there is none */
	/*
	 * If the field has no key: the key of a field that every part has. If a document lacks that
	 * key, it has no part.
	 */
	const char *sign;
};

#define PART(type, pointer_, rows_, add_, ...) \
	(&(const struct json_part){offsetof(type, pointer_), rows_, add_, __VA_ARGS__})

/*
 * An object whose values have the same kind and whose keys are in an array of structs. arg: struct
 * json_table.
 */
extern const struct json_kind field_table;

struct json_table {
	const char *const *name; /* points to the key in the first struct of the array */
	size_t name_step;	 /* size of a struct of the array */
	int cnt;
	struct json_field row; /* describes a value; its key is NULL */
	size_t step;	       /* distance from one value to the next, in bytes */
};

/*
 * Makes a table of values of a C type with their names in specs[], such as TABLE(lost_specs, u64,
 * __u64).
 */
#define TABLE(specs, kind_, type, ...)                                         \
	(&(const struct json_table){.name = &(specs)[0].name,                  \
				    .name_step = sizeof((specs)[0]),           \
				    .cnt = sizeof(specs) / sizeof((specs)[0]), \
				    .step = sizeof(type),                      \
				    .row.kind = &field_##kind_,                \
				    __VA_ARGS__})

/* An array with one value for each row, such as [low, high, runs]. arg: the rows. */
extern const struct json_kind field_tuple;

/*
 * An array of any length. arg: struct json_list; the row's offset is the offset of the struct that
 * has the array.
 */
extern const struct json_kind field_list;

struct json_list {
	/* offsets of the array's pointer and of its int count; size of an element */
	size_t array, cnt, elem_sz;
	struct json_field elem;	   /* describes an element; its key is NULL */
	void *(*add)(void *owner); /* appends an element; NULL: appends a zeroed element */
	int max;		   /* maximum number of elements to read; 0: no limit */
};

/*
 * Makes a list whose elements have the kind kind_, such as LIST(struct report, skip, skip_cnt,
 * object, .elem.arg = skip_rows).
 */
#define LIST(type_, array_, cnt_, kind_, ...)                                   \
	(&(const struct json_list){.array = offsetof(type_, array_),            \
				   .cnt = offsetof(type_, cnt_),                \
				   .elem_sz = sizeof(*((type_ *)NULL)->array_), \
				   .elem.kind = &field_##kind_,                 \
				   __VA_ARGS__})

/* Defines a function for .add, such as ADD(add_skip, struct report, r, report__add_skip(r)). */
#define ADD(fn, type, it, call)      \
	static void *fn(void *owner) \
	{                            \
		type *it = owner;    \
                                     \
		return call;         \
	}

/* ---- objects ---- */

/* Sets the fields of obj from a struct. */
void json__set_fields(json_t *obj, const struct json_field *rows, const void *from,
		      const void *user);
/*
 * Makes the value of a field with a key from a struct. Returns json_null() if the field is left out.
 * Does not call f->has.
 */
json_t *json_field__make(const struct json_field *f, const void *from, const void *user);
/* Reads the fields of obj into a struct. Returns 0, or -EINVAL with rd->text. */
int json_reader__object(struct json_reader *rd, json_t *obj, const struct json_field *rows,
			void *to);
/*
 * Refuses a key of obj that no row has. For documents that people write, in which such a key is a
 * mistake. Returns 0, or -EINVAL with rd->text, which quotes the key and may not be printable.
 */
int json_reader__check_keys(struct json_reader *rd, json_t *obj, const struct json_field *rows);

#endif
