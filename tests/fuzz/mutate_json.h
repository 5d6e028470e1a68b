/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes one to three values in a JSON document, and keeps the document valid: randomly changed
 * bytes hardly ever get past the parser. This file also defines libFuzzer's functions, except for
 * the one that takes the input.
 */
#ifndef BPROF_FUZZ_MUTATE_JSON_H
#define BPROF_FUZZ_MUTATE_JSON_H

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "tests/fuzz/require.h"

/* JSON values that programs often handle wrongly. */
static const char *const json_values[] = {
	"0",
	"1",
	"-1",
	"0.5",
	"-0.0",
	"1e-7",
	"0.0001234567",
	"1e15",
	"1e300",
	"-1e300",
	"5e-324",
	"127",
	"128",
	"2147483647",
	"2147483648",
	"4294967295",
	"4294967296",
	"9007199254740993",
	"9223372036854775807",
	"-9223372036854775808",
	"9.3e18",
	"1.84467440737096e19",
	"1.9e19",
	"null",
	"true",
	"false",
	"{}",
	"[]",
	"\"\"",
	"\"ok\"",
	"\"not_supported\"",
	"\"not_counted\"",
	"\"cycles\"",
	"\"instructions\"",
	"\"time\"",
	"\"ns\"",
	"\"fentry\"",
	"\"run_stats\"",
	"\"bperf\"",
	"\"process\"",
	"\"cgroup\"",
	"\"\\u001b[2J\"",
	"\"a,b\\\"c\\nd\"",
	"\"\\u00e4\\u5305\\u202e\"",
	"\"2026-02-29T00:00:00Z\"",
	"\"9999-12-31T23:59:59Z\"",
	"\"0999-01-01T00:00:00Z\"",
	"[[-3,-1,2],[5,5,1]]",
	"[1,2,3]",
};

static inline json_t *json__make_value(void)
{
	size_t i = rand() % (sizeof(json_values) / sizeof(json_values[0]));

	return json_loads(json_values[i], JSON_DECODE_ANY, NULL);
}

static inline const char *json__pick_key(json_t *obj)
{
	size_t i = rand() % json_object_size(obj);
	void *iter = json_object_iter(obj);

	while (i--)
		iter = json_object_iter_next(obj, iter);
	return json_object_iter_key(iter);
}

static inline void json__change_element(json_t *array, size_t i)
{
	json_t *v = json_array_get(array, i);

	switch (rand() % 4) {
	case 0:
		json_array_set_new(array, i, json__make_value());
		break;
	case 1:
		json_array_remove(array, i);
		break;
	case 2:
		json_array_insert_new(array, i, json_deep_copy(v));
		break;
	default: /* swap the value with another one */
		json_incref(v);
		json_array_remove(array, i);
		json_array_insert_new(array, rand() % (json_array_size(array) + 1), v);
		break;
	}
}

static inline void json__change_field(json_t *obj, const char *key)
{
	const char *other = json__pick_key(obj);

	switch (rand() % 4) {
	case 0:
	case 1:
		json_object_set_new(obj, key, json__make_value());
		break;
	case 2:
		json_object_set_new(obj, key, json_deep_copy(json_object_get(obj, other)));
		break;
	default:
		json_object_del(obj, key);
		break;
	}
}

/* Descends one level after the other, and changes a value at a random depth. */
static inline void json__mutate(json_t *v)
{
	for (;;) {
		json_t *next;

		if (json_is_array(v) && json_array_size(v)) {
			size_t i = rand() % json_array_size(v);

			next = json_array_get(v, i);
			if (!json_is_object(next) && !json_is_array(next))
				return json__change_element(v, i);
			if (!(rand() % 4))
				return json__change_element(v, i);
		} else if (json_is_object(v) && json_object_size(v)) {
			const char *key = json__pick_key(v);

			next = json_object_get(v, key);
			if (!json_is_object(next) && !json_is_array(next))
				return json__change_field(v, key);
			if (!(rand() % 8))
				return json__change_field(v, key);
		} else {
			return;
		}
		v = next;
	}
}

/*
 * Changes the document in data. Returns the new size, or 0 if the document is invalid or does not
 * fit.
 */
static inline size_t mutate_json(unsigned char *data, size_t sz, size_t max_sz, unsigned int seed)
{
	json_t *doc = json_loadb((const char *)data, sz, JSON_DISABLE_EOF_CHECK, NULL);
	char *text = NULL;
	size_t len = 0;

	if (!doc)
		return 0;
	srand(seed);
	for (int n = 1 + rand() % 3; n; n--)
		json__mutate(doc);
	text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(doc);
	if (text && strlen(text) <= max_sz) {
		len = strlen(text);
		memcpy(data, text, len);
	}
	free(text);
	return len;
}

/* ---- libFuzzer's functions ---- */

int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t sz, size_t max_sz);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t sz, size_t max_sz, unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/*
	 * Makes the order of the members of objects the same each time, and sets a locale in which
	 * names are printable.
	 */
	json_object_seed(1);
	require(setlocale(LC_CTYPE, "C.UTF-8"));
	return 0;
}

/* Changes the document in one of the lines, which the seed chooses. Returns the same as mutate_json(). */
static inline size_t mutate_line(uint8_t *data, size_t sz, size_t max_sz, unsigned int seed)
{
	size_t from = sz ? seed / 4 % sz : 0, to, len, tail;
	uint8_t *line;

	while (from && data[from - 1] != '\n')
		from--;
	for (to = from; to < sz && data[to] != '\n'; to++)
		;
	tail = sz - to;
	line = malloc(max_sz);
	require(line);
	memcpy(line, data + from, to - from);
	len = mutate_json(line, to - from, max_sz - from - tail, seed);
	if (len) {
		memmove(data + from + len, data + to, tail);
		memcpy(data + from, line, len);
		len += from + tail;
	}
	free(line);
	return len;
}

#ifndef MUTATE
#define MUTATE mutate_json /* the input is one document */
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t sz, size_t max_sz, unsigned int seed)
{
	size_t len = seed % 4 ? MUTATE(data, sz, max_sz, seed) : 0;

	return len ?: LLVMFuzzerMutate(data, sz, max_sz);
}

#endif
