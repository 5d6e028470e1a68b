// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Implements text_lock.h with a mutex for threads and a file lock for processes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <sys/file.h>

#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "kernel/text_lock.h"

/* All bprof processes need this file, and only they lock it. The lock ends with its process. */
#define LOCKED_FILE "/sys/kernel/btf/vmlinux"
#define STEP_NS NSEC_PER_MSEC

/* Threads wait for each other without polling. */
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

int text_lock__take(void)
{
	const struct timespec step = {.tv_nsec = STEP_NS};
	__u64 end = now_ns() + TEXT_LOCK_MAX_MS * NSEC_PER_MSEC;
	int fd;

	if (!ARM64_HERE)
		return -1;
	pthread_mutex_lock(&threads);
	fd = open(LOCKED_FILE, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || now_ns() > end)
			close_fd(&fd);
		else
			nanosleep(&step, NULL);
	}
	return fd;
}

void text_lock__release(int lock)
{
	if (!ARM64_HERE)
		return;
	close_fd(&lock);
	pthread_mutex_unlock(&threads);
}
