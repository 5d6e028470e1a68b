/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Structs as JSON objects. One row describes one field: the same row writes it and reads it back.
 * Pure: prints nothing.
 *
 *	static const struct json_field skip_rows[] = {
 *		FIELD("id", u32, offsetof(struct skip, id), .required = true),
 *		FIELD("detail", string, offsetof(struct skip, detail), .omit = true),
 *		{},
 *	};
 *
 * Writing keeps the order of the rows. Reading checks each value, because the document is not
 * trusted. It skips fields that no row describes: newer versions may add some. A field that is not
 * in the document leaves the struct as it was.
 */
#ifndef BPROF_JSON_FIELDS_H
#define BPROF_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include <linux/types.h>

#include "json/json_error.h"

/* A document that is being read. */
struct json_reader {
	struct json_path path; /* to the current value */
	/*
	 * Receives the error, after its path: "programs[2].id: is missing". It quotes nothing of
	 * the document: keys come from the rows.
	 */
	char *text;
	size_t text_sz;
	void *user; /* for the kinds and checks of the caller */
};

/* Sets rd->text. Returns -EINVAL. */
int json_reader__refuse(struct json_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Refuses with "…: expected a string, found an array". */
int json_reader__refuse_type(struct json_reader *rd, const char *wanted, const json_t *v);

struct json_field;

/* How a kind of value is written and read. from and to point to the struct's member. */
struct json_kind {
	/*
	 * Returns the value; null for an unknown one, which is left out; NULL if out of memory.
	 * user is the argument of json__set_fields().
	 */
	json_t *(*make)(const struct json_field *f, const void *from, const void *user);
	/* Instead of make, for kinds that add several fields to obj. Not 0: out of memory. */
	int (*set)(const struct json_field *f, json_t *obj, const void *from, const void *user);
	/* 0, -ENOMEM, or -EINVAL with rd->text. NULL: the field is only written. */
	int (*read)(const struct json_field *f, struct json_reader *rd, json_t *v, void *to);
};

/* One row. The last one of a table is empty. */
struct json_field {
	/* NULL: the fields of the object, or table, are put into the enclosing object. */
	const char *key;
	const struct json_kind *kind;
	size_t offset;	 /* of the member; with 0, kind and check get the whole struct */
	const void *arg; /* the kind's */
	bool required;	 /* a document without it is refused */
	bool omit;	 /* leave out NULL, 0, false, an empty array or object */
	/* Whether to write it, if that depends on more than its value. obj: the whole struct. */
	bool (*has)(const void *obj, const void *user);
	/* Called once the value is read, to check or complete what its kind cannot know. */
	int (*check)(struct json_reader *rd, json_t *v, void *to);
};

/* A row: FIELD("id", u32, offsetof(…), .required = true). kind: the name behind "field_". */
#define FIELD(key_, kind_, offset_, ...)                                            \
	{                                                                           \
		.key = key_, .kind = &field_##kind_, .offset = offset_, __VA_ARGS__ \
	}

/* A function for .has: HAS(has_name, struct skip, s, s->name && *s->name) */
#define HAS(fn, type, it, condition)                      \
	static bool fn(const void *obj, const void *user) \
	{                                                 \
		const type *it = obj;                     \
                                                          \
		return condition;                         \
	}

/* ---- kinds ---- */

extern const struct json_kind field_const;  /* only written; arg: the string */
extern const struct json_kind field_string; /* char *, malloc'ed; NULL is written as "" */
extern const struct json_kind field_chars;  /* char[], only written; .omit leaves out "" */
extern const struct json_kind field_argv;   /* char **, NULL-terminated */
extern const struct json_kind field_bool;   /* bool */
extern const struct json_kind field_time;   /* struct timespec: "2026-01-31T00:00:00Z" */

/* double; NaN is never written */
extern const struct json_kind field_number; /* arg: the range of a whole number, or NULL */
extern const struct json_kind field_amount; /* >= 0 */
extern const struct json_kind field_share;  /* > 0 and <= 1 */

/* Whole numbers. arg: the range that may be read, or NULL. */
extern const struct json_kind field_u64; /* __u64 */
extern const struct json_kind field_u32; /* __u32 */
extern const struct json_kind field_int; /* int, >= 0 */

struct json_range {
	__u64 min, max;
};

/* Bytes as hexadecimal digits. arg: struct json_bytes, offset: 0. */
extern const struct json_kind field_bytes;

struct json_bytes {
	size_t data, sz; /* offsets of the __u8 *, malloc'ed, and of the __u32 */
};

/* An object. arg: the rows. */
extern const struct json_kind field_object;
extern const struct json_kind field_pointed; /* an object of a struct that the member points to */

/* An object of values of one kind, whose keys are in a table of structs. arg: struct json_table. */
extern const struct json_kind field_table;

struct json_table {
	const char *const *name; /* of the table's first struct */
	size_t name_step;	 /* the struct's size */
	int cnt;
	struct json_field row; /* without a key */
	size_t step;	       /* from one value to the next */
};

/* Values of a C type, with the names in specs[]: TABLE(lost_specs, u64, __u64) */
#define TABLE(specs, kind_, type, ...)                                         \
	(&(const struct json_table){.name = &(specs)[0].name,                  \
				    .name_step = sizeof((specs)[0]),           \
				    .cnt = sizeof(specs) / sizeof((specs)[0]), \
				    .step = sizeof(type),                      \
				    .row.kind = &field_##kind_,                \
				    __VA_ARGS__})

/* An array with one value for each row: [low, high, runs]. arg: the rows. */
extern const struct json_kind field_tuple;

/* An array of any length. arg: struct json_list, offset: that of the struct with the array. */
extern const struct json_kind field_list;

struct json_list {
	size_t array, cnt, elem_sz; /* offsets of the pointer and of the int, an element's size */
	struct json_field elem;	    /* without a key */
	void *(*add)(void *owner);  /* appends an element; NULL: elements start zeroed */
	int max;		    /* elements that may be read; 0: any */
};

/* kind_: of the elements. LIST(struct report, skip, skip_cnt, object, .elem.arg = skip_rows) */
#define LIST(type_, array_, cnt_, kind_, ...)                                   \
	(&(const struct json_list){.array = offsetof(type_, array_),            \
				   .cnt = offsetof(type_, cnt_),                \
				   .elem_sz = sizeof(*((type_ *)NULL)->array_), \
				   .elem.kind = &field_##kind_,                 \
				   __VA_ARGS__})

/* A function for .add: ADD(add_skip, struct report, r, report__add_skip(r)) */
#define ADD(fn, type, it, call)      \
	static void *fn(void *owner) \
	{                            \
		type *it = owner;    \
                                     \
		return call;         \
	}

/* ---- objects ---- */

/* Sets the fields of obj from a struct. Not 0: out of memory. */
int json__set_fields(json_t *obj, const struct json_field *rows, const void *from,
		     const void *user);
/* Reads the fields of obj into a struct. 0, -ENOMEM, or -EINVAL with rd->text. */
int json_reader__object(struct json_reader *rd, json_t *obj, const struct json_field *rows,
			void *to);

#endif
