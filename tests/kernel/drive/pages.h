/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Causes minor faults. The number of faults that a task causes does not depend on timing.
 */
#ifndef TESTS_PAGES_H
#define TESTS_PAGES_H

/*
 * Causes at least one minor fault for each of cnt pages of memory, then frees the pages. Returns 0
 * or -errno.
 */
int pages__touch(int cnt);

#endif
