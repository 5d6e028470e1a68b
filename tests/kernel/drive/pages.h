/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Minor faults, which are who makes them, however long that takes.
 */
#ifndef TESTS_PAGES_H
#define TESTS_PAGES_H

/* Makes at least one for each of cnt pages of memory, which it gives back. 0 or -errno. */
int pages__touch(int cnt);

#endif
