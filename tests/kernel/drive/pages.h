/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Minor faults: they are counted for the task that makes them, however long it takes.
 */
#ifndef TESTS_PAGES_H
#define TESTS_PAGES_H

/*
 * Makes at least one minor fault for each of cnt pages of memory, then frees them. Returns 0 or
 * -errno.
 */
int pages__touch(int cnt);

#endif
