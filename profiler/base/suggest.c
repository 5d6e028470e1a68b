// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hint "did you mean". Owns the measure of the distance between two words; knows nothing about
 * their meaning.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

#define MAX_DISTANCE 2

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Returns the number of edits that turn a into b, ignoring case. An edit inserts, deletes or
 * replaces a character, or swaps two neighbours (optimal string alignment distance). Both words are
 * shorter than sizeof(suggest.best).
 */
static int edit_distance(const char *a, int a_len, const char *b, int b_len)
{
	int row[3][sizeof(((struct suggest *)0)->best) + 1];
	int *before = row[0], *prev = row[1], *cur = row[2];

	for (int j = 0; j <= b_len; j++)
		prev[j] = j;
	for (int i = 1; i <= a_len; i++) {
		int *oldest = before;

		cur[0] = i;
		for (int j = 1; j <= b_len; j++) {
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);

			cur[j] =
				min_int(min_int(prev[j], cur[j - 1]) + 1, prev[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]))
				cur[j] = min_int(cur[j], before[j - 2] + 1);
		}
		before = prev;
		prev = cur;
		cur = oldest;
	}
	return prev[b_len];
}

void suggest__init(struct suggest *s, const char *word, size_t len)
{
	s->word = word;
	s->len = len;
	s->distance = MAX_DISTANCE + 1;
	s->best[0] = '\0';
}

void suggest__offer(struct suggest *s, const char *candidate)
{
	size_t len = strlen(candidate), shorter = len < s->len ? len : s->len;
	/*
	 * The limit is lower for short words, because two edits change most of a short word: many
	 * words of three letters are two edits away from "cs".
	 */
	int limit = min_int(MAX_DISTANCE, ((int)min_int(shorter, sizeof(s->best)) - 1) / 2);
	int d;

	if (!shorter || len >= sizeof(s->best) || s->len >= sizeof(s->best))
		return;
	d = edit_distance(s->word, s->len, candidate, len);
	if (d > limit || d >= s->distance)
		return;
	s->distance = d;
	memcpy(s->best, candidate, len + 1);
}

const char *suggest__text(const struct suggest *s, char *buf, size_t sz)
{
	if (s->best[0])
		snprintf(buf, sz, "; did you mean '%s'?", s->best);
	else
		snprintf(buf, sz, "%s", "");
	return buf;
}
