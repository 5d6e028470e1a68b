/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files behind bprof.h share: options of any version, errors, and the surroundings that the
 * library's code needs during a call.
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
 * The same for what a parser returned: 0, -EINVAL with *perr, or another -errno. what: the argument, where
 * there are several; or NULL. Returns err.
 */
int bprof_error__set_parsed(struct bprof_error *error, int err, const char *what,
			    const struct parse_error *perr);

struct format;

/*
 * Copies the caller's options (NULL: none), which begin with a size_t, into the sz bytes at to: what
 * the caller's version does not have is zero. first_sz: the size of the first version. 0, -EINVAL or
 * -E2BIG with *error.
 */
int bprof_opts__copy(void *to, size_t sz, size_t first_sz, const void *opts,
		     struct bprof_error *error);
/* Are no flags set but those known? 0 or -E2BIG with *error. */
int bprof_opts__check_flags(uint64_t flags, uint64_t known, struct bprof_error *error);

/* Reads the caller's options for rendering. 0, -EINVAL or -E2BIG with *error. */
int bprof_render_opts__read(struct bprof_render_opts *to, const struct bprof_render_opts *opts,
			    struct bprof_error *error);
/* Finds the format of that name that has one of these documents. Returns 0, or -EINVAL with *error. */
int bprof_format__find(unsigned int documents, const char *name, const struct format **out,
		       struct bprof_error *error);

/*
 * A call of a function of the library, on its stack. From begin to end this thread's messages go to log
 * and *error, and libbpf's too if libbpf is set.
 */
struct bprof_call {
	struct bprof_error *error; /* that an error is put into; may be NULL */
	bprof_log_fn log;	   /* may be NULL */
	void *log_arg;
	bool libbpf;
	/* From here on: set by begin. */
	bool failed; /* *error is of this call */
	struct log_sink sink;
	const struct log_sink *sink_before;
};

void bprof_call__begin(struct bprof_call *call, int64_t log_level);
/* err: 0 or -errno, which is put into *error if no message was. Returns err. */
int bprof_call__end(struct bprof_call *call, int err);

#endif
