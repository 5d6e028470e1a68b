/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks a document in the Trace Event Format.
 */
#ifndef BPROF_TESTS_TIMELINE_H
#define BPROF_TESTS_TIMELINE_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Fails unless the event has the fields that its phase requires. */
static inline void timeline__check_event(const json_t *event)
{
	const char *phase = json_string_value(json_object_get(event, "ph"));

	assert_non_null(phase);
	assert_true(strlen(phase) == 1 && strchr("XCiM", *phase));
	assert_true(json_is_string(json_object_get(event, "name")));
	assert_true(json_is_integer(json_object_get(event, "pid")));
	assert_true(json_is_integer(json_object_get(event, "tid")));
	assert_true(json_is_object(json_object_get(event, "args")));
	assert_int_equal(json_is_number(json_object_get(event, "ts")), *phase != 'M');
	assert_int_equal(json_is_number(json_object_get(event, "dur")), *phase == 'X');
	assert_int_equal(json_is_string(json_object_get(event, "s")), *phase == 'i');
	if (*phase != 'M')
		assert_true(json_number_value(json_object_get(event, "ts")) >= 0);
}

/*
 * Fails unless the text is an array of events, also if it is cut after any of its lines and then
 * completed as readers do.
 */
static inline void assert_timeline(const char *text)
{
	int lines = 0;

	for (const char *end = strchr(text, '\n'); (end = strchr(end + 1, '\n')); lines++) {
		char *cut;
		json_t *events, *event;
		size_t i;

		assert_true(asprintf(&cut, "%.*s%s", (int)(end - text), text, end[1] ? "]" : "") >=
			    0);
		events = json_loads(cut, 0, NULL);
		if (!events)
			fail_msg("not JSON: %s", cut);
		json_array_foreach(events, i, event) timeline__check_event(event);
		json_decref(events);
		free(cut);
	}
	assert_true(lines > 1);
	assert_int_equal(strcmp(text + strlen(text) - 3, "\n]\n"), 0);
}

#endif
