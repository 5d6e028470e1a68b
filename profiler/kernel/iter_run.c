// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads an iterator to its end. Must not know what the program searches for. Prints nothing. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/util.h"
#include "kernel/feature.h"
#include "kernel/iter_run.h"

int iter_run__all(const struct bpf_link *iter)
{
	int fd = bpf_iter_create(bpf_link__fd(iter)), err = 0;
	char none[64]; /* stays unused, because the program writes nothing */

	if (fd < 0)
		return -errno;
	if (read(fd, none, sizeof(none)) < 0)
		err = -errno;
	close(fd);
	return err;
}

ssize_t iter_run__read(int link, char **out)
{
	int fd = bpf_iter_create(link);
	size_t have = 0, room = 0;
	ssize_t n = fd < 0 ? fd : 1;

	*out = NULL;
	while (n > 0) {
		*out = xreallocarray(*out, room += 16384, 1);
		while (have < room && (n = read(fd, *out + have, room - have)) > 0)
			have += n;
		if (n < 0)
			n = -errno;
	}
	close_fd(&fd);
	return n < 0 ? n : (ssize_t)have;
}

const char *iter_run__explain(int err)
{
	bool refused = err == -EINVAL || err == -EPERM || err == -EACCES;

	return refused && features__lockdown("") == LOCKDOWN_CONFIDENTIALITY
		       ? "the kernel is locked down for confidentiality"
		       : strerror(-err);
}
