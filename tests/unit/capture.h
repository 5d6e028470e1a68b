/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures what a call writes to stdout or stderr, so that tests can check what users read. During
 * a capture, the log goes to stderr, as on the command line.
 */
#ifndef BPROF_TEST_CAPTURE_H
#define BPROF_TEST_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "run/log_stderr.h"

struct capture {
	FILE *stream;
	const struct log_sink *sink; /* the log sink to restore */
	int saved_fd;
};

/*
 * Starts to capture the stream. If an assertion fails before capture__end(), the stream stays
 * redirected.
 */
static inline void capture__begin(struct capture *c, FILE *stream)
{
	int fd = memfd_create("capture", MFD_CLOEXEC);

	fflush(stream);
	c->sink = log__set_sink(log_stderr__sink());
	c->stream = stream;
	c->saved_fd = dup(fileno(stream));
	if (fd < 0 || c->saved_fd < 0 || dup2(fd, fileno(stream)) < 0)
		abort();
	close(fd);
}

/* Restores the stream and returns the captured text. The caller frees the text. */
static inline char *capture__end(struct capture *c)
{
	int fd = fileno(c->stream);
	char *text;
	off_t len;

	fflush(c->stream);
	len = lseek(fd, 0, SEEK_END);
	text = calloc(1, len + 1);
	if (len < 0 || !text || pread(fd, text, len, 0) != len)
		abort();
	dup2(c->saved_fd, fd);
	close(c->saved_fd);
	log__set_sink(c->sink);
	return text;
}

#endif
