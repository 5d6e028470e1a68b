/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What lost runs do to the numbers of the functions in whose runs they happened.
 */
#ifndef BPROF_RESULT_LOST_H
#define BPROF_RESULT_LOST_H

struct report;
struct session;

/*
 * Removes the events, or only the own costs, of each function in whose runs so many runs of measured
 * functions may have been lost that they are wrong, and says why. All rows must be there. Returns 0 or
 * -ENOMEM.
 */
int __attribute__((warn_unused_result))
result__check_lost(struct report *r, const struct session *s);

#endif
