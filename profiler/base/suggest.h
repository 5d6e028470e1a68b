/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "did you mean": of many candidates, the one nearest to a word that nobody knows.
 */
#ifndef BPROF_SUGGEST_H
#define BPROF_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* not terminated; the caller's, must outlive the search */
	size_t len;
	int distance;  /* of best; larger than any that is worth suggesting at first */
	char best[64]; /* "" while there is none */
};

void suggest__init(struct suggest *s, const char *word, size_t len);
/*
 * Keeps the candidate if it is nearer than those before: at most two edits away, fewer for a short
 * word.
 */
void suggest__offer(struct suggest *s, const char *candidate);
/* "; did you mean 'cycles'?" or "" where nothing is near; buf has sz bytes. Returns buf. */
const char *suggest__text(const struct suggest *s, char *buf, size_t sz);

#endif
