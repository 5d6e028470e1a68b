/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adds up the samples of the functions that lines and functions call. Used only by the files that
 * make annotations.
 */
#ifndef BPROF_ANNOTATE_CALLEES_H
#define BPROF_ANNOTATE_CALLEES_H

#include "sampling/annotated.h"

/* The callees that a recording has for one source line or function. */
struct callee_list {
	const struct record_callee **v;
	int cnt;
};

/* Appends the callees of calls in the program's JITed code, from offset "begin" to "end" - 1. */
void callee_list__add(struct callee_list *list, const struct record_prog *p, __u32 begin,
		      __u32 end);
void callee_list__free(struct callee_list *list);

/*
 * Adds up the callees of the list, down to this depth; 0: as deep as they were recorded. Samples in
 * calls of *sum that are in no callee of the list become one more callee, unless the program has no
 * callees at all, as in recordings of older versions. Empties the list.
 */
void callee_list__sum(struct callee_list *list, const struct record_prog *p, int depth,
		      const struct annotated *sum, struct annotated_callees *out);
void annotated_callees__free(struct annotated_callees *callees);

#endif
