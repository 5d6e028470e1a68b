/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small files of sysfs that bprof reads again and again. They stay open: otherwise each reading
 * would call open(2), and so run measured programs that are attached to open(2).
 */
#ifndef BPROF_KEPT_FILE_H
#define BPROF_KEPT_FILE_H

/* An open file, or KEPT_FILE_NONE. */
struct kept_file {
	int fd;
};

#define KEPT_FILE_NONE ((struct kept_file){-1})

/* Opens a file. Returns 0, or -errno and KEPT_FILE_NONE. */
int kept_file__open(const char *path, struct kept_file *out);
/*
 * Reads the file from its beginning: at most sz - 1 bytes, without the newlines at the end. Returns 0,
 * or -errno with an empty text; -EBADF for KEPT_FILE_NONE.
 */
int kept_file__read(const struct kept_file *f, char *text, int sz);
/* Closes the file, which becomes KEPT_FILE_NONE. */
void kept_file__close(struct kept_file *f);

#endif
