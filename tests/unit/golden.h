/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares text with files in tests/golden. BPROF_GOLDEN_UPDATE=1 rewrites the files; check their
 * changes with git diff.
 */
#ifndef BPROF_TESTS_GOLDEN_H
#define BPROF_TESTS_GOLDEN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"

/*
 * Returns text with 0.1.0, the version in golden files, in place of this build's version; frees
 * text. Not inline, because GCC 12 would take text for a pointer to the variable that
 * open_memstream() filled.
 */
__attribute__((noinline, unused)) static char *golden__set_version(char *text)
{
	char *own, *at, *result;

	assert_true(asprintf(&own, "\"%s\"", build_info__version()) > 0);
	at = strstr(text, own);
	assert_true(asprintf(&result, "%.*s%s%s", at ? (int)(at - text) : 0, text,
			     at ? "\"0.1.0\"" : "", at ? at + strlen(own) : text) >= 0);
	free(own);
	free(text);
	return result;
}

/* Removes the content of each element that begins with the text "tag". */
static inline void golden__empty(char *text, const char *tag, const char *end_tag)
{
	for (char *at = text, *end; (at = strstr(at, tag)) && (end = strstr(at, end_tag));) {
		at += strlen(tag);
		memmove(at, end, strlen(end) + 1);
	}
}

/*
 * Golden files of HTML have neither the style sheet nor the JSON, which has a golden file of its
 * own. Removes them from text, and returns text.
 */
static inline char *golden__cut_html(char *text)
{
	golden__empty(text, "<style>", "</style>");
	golden__empty(text, "<script type=\"application/json\" class=\"bprof\">", "</script>");
	return text;
}

/* Fails unless the file tests/golden/NAME.EXT has the text. Frees the text. */
static inline void assert_golden(const char *name, const char *ext, char *got)
{
	char *want = NULL, path[512];
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.*s/../golden/%s.%s",
		 (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, name, ext);
	if (getenv("BPROF_GOLDEN_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(got, f);
		assert_int_equal(fclose(f), 0);
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s (paths are relative to the top of the source)", path,
			 strerror(errno));
	if (getdelim(&want, &size, '\0', f) < 0)
		fail_msg("%s is empty", path);
	fclose(f);
	if (strcmp(got, want))
		fail_msg("%s differs, expected:\n%s\ngot:\n%s", path, want, got);
	free(want);
	free(got);
}

#endif
