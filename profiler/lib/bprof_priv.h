/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers of the files that implement bprof.h: options of any version, errors, and what surrounds
 * a call.
 */
#ifndef BPROF_BPROF_PRIV_H
#define BPROF_BPROF_PRIV_H

#include "base/log.h"
#include "base/parse_error.h"
#include "lib/bprof.h"

/* Sets *error, which may be NULL. Returns err, which is negative. */
int bprof_error__set(struct bprof_error *error, int err, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Sets *error from what a parser returned: 0, -EINVAL with *perr, or another -errno. what: the
 * name of the argument, or NULL if there is only one. Returns err.
 */
int bprof_error__set_parsed(struct bprof_error *error, int err, const char *what,
			    const struct parse_error *perr);

struct format;

/*
 * Copies the caller's options (NULL: none), which begin with a size_t, into the sz bytes at to.
 * Members that the caller's version lacks are zero. first_sz: the size of the first version. 0,
 * -EINVAL or -E2BIG with *error.
 */
int bprof_opts__copy(void *to, size_t sz, size_t first_sz, const void *opts,
		     struct bprof_error *error);
/* Refuses unknown flags. 0 or -E2BIG with *error. */
int bprof_opts__check_flags(uint64_t flags, uint64_t known, struct bprof_error *error);

/* Reads the caller's options for rendering. 0, -EINVAL or -E2BIG with *error. */
int bprof_render_opts__read(struct bprof_render_opts *to, const struct bprof_render_opts *opts,
			    struct bprof_error *error);
/*
 * Finds the format of that name that can render one of these documents. Returns 0, or -EINVAL with
 * *error.
 */
int bprof_format__find(unsigned int documents, const char *name, const struct format **out,
		       struct bprof_error *error);

/*
 * A call of a library function, on its stack. Between begin and end, messages of this thread, and
 * those of libbpf if libbpf is set, go to log, and errors to *error.
 */
struct bprof_call {
	struct bprof_error *error; /* set by an error; may be NULL */
	bprof_log_fn log;	   /* may be NULL */
	void *log_arg;
	bool libbpf;
	/* The members from here on are set by begin. */
	bool failed; /* *error was set by this call */
	struct log_sink sink;
	const struct log_sink *sink_before;
};

void bprof_call__begin(struct bprof_call *call, int64_t log_level);
/* err: 0 or -errno, which goes into *error unless a message set it. Returns err. */
int bprof_call__end(struct bprof_call *call, int err);

#endif
