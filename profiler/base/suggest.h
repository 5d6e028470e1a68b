/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hint "did you mean": finds the candidate that is most similar to an unknown word.
 */
#ifndef BPROF_SUGGEST_H
#define BPROF_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* not NUL-terminated; owned by the caller; must outlive the search */
	size_t len;
	int distance;  /* distance of best; initially too large to be suggested */
	char best[64]; /* "" if no candidate is kept yet */
};

void suggest__init(struct suggest *s, const char *word, size_t len);
/*
 * Keeps the candidate if it is nearer to the word than all earlier candidates, and near enough: at
 * most two edits away, or fewer for a short word.
 */
void suggest__offer(struct suggest *s, const char *candidate);
/* Writes "; did you mean 'cycles'?" into buf of sz bytes, or "" if no candidate is near. Returns buf. */
const char *suggest__text(const struct suggest *s, char *buf, size_t sz);

#endif
