/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers for the files that implement bprof.h: they read options of any version, fill in errors,
 * and set up and end each call.
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
 * The size of the first version of a struct of options: up to the member that was its last then. It
 * never changes.
 */
#define BPROF_OPTS_SZ(opts, last)                     \
	(offsetof(struct bprof_##opts##_opts, last) + \
	 sizeof(((struct bprof_##opts##_opts *)0)->last))

/*
 * Copies the caller's options, which begin with their size, into the sz bytes at to. opts may be
 * NULL. Members that the caller's version lacks become zero. first_sz: the size of the struct in
 * its first version. Returns 0, or -EINVAL or -E2BIG with *error.
 */
int bprof_opts__copy(void *to, size_t sz, size_t first_sz, const void *opts,
		     struct bprof_error *error);
/* Refuses unknown flags. Returns 0, or -E2BIG with *error. */
int bprof_opts__check_flags(uint64_t flags, uint64_t known, struct bprof_error *error);

/* Reads the caller's options for rendering. Returns 0, or -EINVAL or -E2BIG with *error. */
int bprof_render_opts__read(struct bprof_render_opts *to, const struct bprof_render_opts *opts,
			    struct bprof_error *error);
/*
 * Finds the format of that name, if it can render one of the kinds of documents in the bit mask.
 * Returns 0, or -EINVAL with *error.
 */
int bprof_format__find(unsigned int documents, const char *name, const struct format **out,
		       struct bprof_error *error);

/*
 * The state of a call, on the stack of a library function. Between begin and end, messages of this
 * thread go to log and its errors to *error. If libbpf is set, libbpf's messages go to log too.
 */
struct bprof_call {
	struct bprof_error *error; /* gets the error message; may be NULL */
	bprof_log_fn log;	   /* may be NULL */
	void *log_arg;
	bool libbpf;
	/* The members from here on are set by begin. */
	bool failed; /* *error was set by this call */
	struct log_sink sink;
	const struct log_sink *sink_before;
};

void bprof_call__begin(struct bprof_call *call, int64_t log_level);
/* err: 0 or -errno. If no message has set *error, sets it to the text of err. Returns err. */
int bprof_call__end(struct bprof_call *call, int err);

#endif
