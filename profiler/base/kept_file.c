// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads a file again and again without opening it again. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/kept_file.h"

int kept_file__open(const char *path, struct kept_file *out)
{
	out->fd = open(path, O_RDONLY | O_CLOEXEC);
	return out->fd < 0 ? -errno : 0;
}

int kept_file__read(const struct kept_file *f, char *text, int sz)
{
	ssize_t len = pread(f->fd, text, sz - 1, 0);
	int err = len < 0 ? -errno : 0;

	if (len < 0)
		len = 0;
	while (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return err;
}

void kept_file__close(struct kept_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	*f = KEPT_FILE_NONE;
}
