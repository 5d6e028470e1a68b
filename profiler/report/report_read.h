/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files that read reports (report_read.c, report_read_fields.c, report_read_values.c)
 * share. For them only.
 */
#ifndef BPROF_REPORT_READ_H
#define BPROF_REPORT_READ_H

#include <jansson.h>

#include "json/json_error.h"
#include "report/report.h"

/*
 * Far beyond a session's: 1024 targets on 128 CPUs. A table of as many rows and columns is what a
 * hostile report can make of them.
 */
enum {
	READER_MAX_ROWS = 128 << 10, /* programs and scopes, and CPUs of these */
	READER_MAX_EVENTS = 128,     /* of different names: columns */
};

struct reader {
	struct report *r;
	struct report_error *err;
	struct json_path path; /* to the value at hand */
	int rows;
	const char *event[READER_MAX_EVENTS]; /* their names; the document's */
	int event_cnt;
};

/* Reads a value into *to, whose type depends on the function: 0, -ENOMEM, or -EINVAL with err set. */
typedef int (*read_fn)(struct reader *rd, json_t *v, void *to);

/* A field of an object, and where in a struct its value belongs. */
struct field {
	const char *key;
	read_fn read;
	size_t offset;
	bool required;
};

/*
 * Fills an empty report from a document, schema 1. 0, -ENOMEM, or -EINVAL with err->text, which
 * begins with the path of what is wrong. The report is to be freed then, too.
 */
int report__fill(struct report *r, json_t *doc, struct report_error *err);

/* The sentence, with the path before it: "programs[2].events[0].measured: …". -EINVAL. */
int reader__refuse(struct reader *rd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "…: a string is wanted, it is an array" */
int reader__refuse_type(struct reader *rd, const char *wanted, const json_t *v);

/* Those fields of obj that are there into the struct at to; the others stay as they are. */
int reader__object(struct reader *rd, json_t *obj, const struct field *fields, size_t cnt,
		   void *to);
/* Each element by that function, all with the same to. */
int reader__array(struct reader *rd, json_t *array, read_fn read, void *to);
/* Element i. */
int reader__element(struct reader *rd, json_t *array, size_t i, read_fn read, void *to);

int reader__string(struct reader *rd, json_t *v, void *to);  /* char *, the caller's */
int reader__word(struct reader *rd, json_t *v, void *to);    /* const char *, kept by the report */
int reader__bool(struct reader *rd, json_t *v, void *to);    /* bool */
int reader__number(struct reader *rd, json_t *v, void *to);  /* double */
int reader__share(struct reader *rd, json_t *v, void *to);   /* double, above 0, up to 1 */
int reader__amount(struct reader *rd, json_t *v, void *to);  /* double, from 0 */
int reader__retval(struct reader *rd, json_t *v, void *to);  /* double, a __u32 */
int reader__u64(struct reader *rd, json_t *v, void *to);     /* __u64 */
int reader__natural(struct reader *rd, json_t *v, void *to); /* __u64, from 1 */
int reader__id(struct reader *rd, json_t *v, void *to);	     /* __u32 */
int reader__int(struct reader *rd, json_t *v, void *to);     /* int, from 0 */
int reader__depth(struct reader *rd, json_t *v, void *to);   /* int, of calls */
int reader__repeats(struct reader *rd, json_t *v, void *to); /* int, from 1 */
int reader__time(struct reader *rd, json_t *v, void *to);    /* struct timespec, UTC */
int reader__tag(struct reader *rd, json_t *v, void *to);     /* char[17] */
int reader__status(struct reader *rd, json_t *v, void *to);  /* enum event_status */

#endif
