/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts open descriptors, so that tests can check that none is left. Include it after <cmocka.h>. */
#ifndef BPROF_TEST_OPEN_FDS_H
#define BPROF_TEST_OPEN_FDS_H

#include <dirent.h>

/* Returns the number of open descriptors plus a constant. */
static inline int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int cnt = 0;

	assert_non_null(dir);
	while (readdir(dir))
		cnt++;
	closedir(dir);
	return cnt;
}

#endif
