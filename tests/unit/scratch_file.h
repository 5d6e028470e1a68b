/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file in memory that tests write again and again.
 */
#ifndef BPROF_TEST_SCRATCH_FILE_H
#define BPROF_TEST_SCRATCH_FILE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct scratch_file {
	FILE *out;
	char buf[4096], text[1 << 20];
};

static inline void scratch_file__open(struct scratch_file *f)
{
	f->out = fdopen(memfd_create("scratch", MFD_CLOEXEC), "w+");
	assert_non_null(f->out);
	setvbuf(f->out, f->buf, _IOFBF, sizeof(f->buf));
}

static inline void scratch_file__empty(struct scratch_file *f)
{
	rewind(f->out);
	assert_int_equal(ftruncate(fileno(f->out), 0), 0);
}

/* Returns what was written since the file was empty, which is valid until the next call. */
static inline const char *scratch_file__text(struct scratch_file *f)
{
	ssize_t len;

	fflush(f->out);
	len = pread(fileno(f->out), f->text, sizeof(f->text) - 1, 0);
	assert_in_range(len, 0, sizeof(f->text) - 2);
	f->text[len] = 0;
	return f->text;
}

#endif
