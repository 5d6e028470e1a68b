// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Small helpers for all code. They keep no state.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/util.h"

void *array__add(void *v_ptr, int *cnt, size_t sz)
{
	void **v = v_ptr;

	*v = xreallocarray(*v, *cnt + 1, sz);
	return memset((char *)*v + (*cnt)++ * sz, 0, sz);
}

int read_file(const char *path, char **out)
{
	size_t cap = 4096, len = 0;
	FILE *f = fopen(path, "re");
	char *buf;
	int err = 0;

	*out = NULL;
	if (!f)
		return -errno;
	buf = xmalloc(cap);
	for (;;) {
		size_t n = fread(buf + len, 1, cap - len - 1, f);

		len += n;
		if (!n)
			break;
		if (cap - len > 1)
			continue;
		buf = xreallocarray(buf, cap *= 2, 1);
	}
	if (ferror(f)) {
		err = -(errno ?: EIO);
		goto out;
	}
	while (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	*out = buf;
	buf = NULL;
out:
	fclose(f);
	free(buf);
	return err;
}

bool is_shortage(int err)
{
	err = abs(err);
	return err == ENOMEM || err == EMFILE || err == ENFILE;
}

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int parse_u64(const char *s, __u64 max, __u64 *out)
{
	unsigned long long v;
	char *end;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int compare_u32(const void *a, const void *b)
{
	const __u32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

__u64 scale_up(__u64 a, __u64 b, __u64 c)
{
	unsigned __int128 v = ((unsigned __int128)a * b + c - 1) / c;

	return v >> 64 ? ~0ULL : (__u64)v;
}

void raise_fd_limit(struct rlimit *before)
{
	struct rlimit lim, higher;
	char *text = NULL;
	__u64 max;

	memset(before, 0, sizeof(*before));
	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	*before = lim;
	/*
	 * Try fs.nr_open, the highest limit, which the kernel allows with CAP_SYS_RESOURCE. "!text" is only
	 * for gcc's analyzer, which does not know that read_file() sets text if it returns 0.
	 */
	if (read_file("/proc/sys/fs/nr_open", &text) || !text || parse_u64(text, ~0ULL, &max))
		max = 0;
	free(text);
	higher.rlim_cur = higher.rlim_max = max;
	if (higher.rlim_max > lim.rlim_max && !setrlimit(RLIMIT_NOFILE, &higher))
		return;
	lim.rlim_cur = lim.rlim_max;
	/* Ignore a failure: if bprof runs out of descriptors later, it reports that. */
	setrlimit(RLIMIT_NOFILE, &lim);
}

static __u64 read_clock_ns(clockid_t clock)
{
	struct timespec ts = {};

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

__u64 now_ns(void)
{
	return read_clock_ns(CLOCK_MONOTONIC);
}

__u64 thread_cpu_ns(void)
{
	return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
