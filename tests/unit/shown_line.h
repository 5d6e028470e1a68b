/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines that an output must have, for outputs that have no golden file. Include this file after
 * <cmocka.h>.
 */
#ifndef BPROF_TEST_SHOWN_LINE_H
#define BPROF_TEST_SHOWN_LINE_H

#include <stdbool.h>
#include <string.h>

#include "tests/unit/golden.h"

struct shown_line {
	const char *name, *ext; /* of the case and its output, as in the name of a golden file */
	const char *line;
};

static inline bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

/*
 * Tests that the text has the lines of this case and output. Returns the number of these lines. If it is 0, the
 * output has a golden file.
 */
static inline int assert_lines(const struct shown_line *lines, size_t cnt, const char *name,
			       const char *ext, const char *text)
{
	int found = 0;

	for (size_t i = 0; i < cnt; i++) {
		if (strcmp(lines[i].name, name) || strcmp(lines[i].ext, ext))
			continue;
		if (!has_line(text, lines[i].line))
			fail_msg("%s.%s: no line \"%s\" in:\n%s", name, ext, lines[i].line, text);
		found++;
	}
	return found;
}

#define SHOWN_LINES shown_lines, sizeof(shown_lines) / sizeof(shown_lines[0])
/* Tests the lines in shown_lines that the text has to have. Frees the text. */
#define assert_shown_as(...) assert_in(SHOWN_LINES, __VA_ARGS__)
/* Compares the text with its golden file, or tests its lines in shown_lines. Frees the text. */
#define assert_shown(...) assert_in(SHOWN_LINES, __VA_ARGS__, -1)

/* whole: 0: there is no golden file; -1: there is one if there are no lines; else there is one */
static inline void assert_in(const struct shown_line *lines, size_t cnt, const char *name,
			     const char *ext, char *text, int whole)
{
	int found = assert_lines(lines, cnt, name, ext, text);

	if (whole < 0 ? !found : whole)
		assert_golden(name, ext, text);
	else
		free(text);
}

#endif
