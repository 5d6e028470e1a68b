/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts how often a part is in a text. */
#ifndef BPROF_TEST_COUNT_PARTS_H
#define BPROF_TEST_COUNT_PARTS_H

#include <string.h>

static inline int count_parts(const char *text, const char *part)
{
	int cnt = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		cnt++;
	return cnt;
}

#endif
