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
 * Sets *error if a parser failed. err is the parser's result: 0, -EINVAL with *perr, or another
 * -errno. If "what" is not NULL, it is the argument's name, with which the message begins. Returns
 * err.
 */
int bprof_error__set_parsed(struct bprof_error *error, int err, const char *what,
			    const struct parse_error *perr);

struct format;

/*
 * The size that a struct of options had in its first version. last is the member that was the last
 * one in that version. The size must never change.
 */
#define BPROF_OPTS_SZ(opts, last)                     \
	(offsetof(struct bprof_##opts##_opts, last) + \
	 sizeof(((struct bprof_##opts##_opts *)0)->last))

/*
 * Copies the caller's options, which begin with their size, into *to, which has sz bytes. opts may
 * be NULL. Members that the caller's version lacks become zero. first_sz is the size of the struct
 * in its first version. Returns 0, or -EINVAL or -E2BIG with *error.
 */
int bprof_opts__copy(void *to, size_t sz, size_t first_sz, const void *opts,
		     struct bprof_error *error);
/* Refuses unknown flags. Returns 0, or -E2BIG with *error. */
int bprof_opts__check_flags(uint64_t flags, uint64_t known, struct bprof_error *error);

/* Reads the caller's options for rendering. Returns 0, or -EINVAL or -E2BIG with *error. */
int bprof_render_opts__read(struct bprof_render_opts *to, const struct bprof_render_opts *opts,
			    struct bprof_error *error);
/*
 * Finds the format called name. It must be able to render at least one of the kinds of documents in
 * the bit mask documents. Returns 0, or -EINVAL with *error.
 */
int bprof_format__find(unsigned int documents, const char *name, const struct format **out,
		       struct bprof_error *error);

/*
 * The state of a call, on the stack of a library function. Between bprof_call__begin() and
 * bprof_call__end(), the messages of this thread go to log, and its errors also to *error. If
 * libbpf is set, libbpf's messages go to log too.
 */
struct bprof_call {
	struct bprof_error *error; /* gets the error message; may be NULL */
	bprof_log_fn log;	   /* may be NULL */
	void *log_arg;
	bool libbpf;
	/* The following members are set by bprof_call__begin(). */
	bool failed; /* *error was set by this call */
	struct log_sink sink;
	const struct log_sink *sink_before;
};

void bprof_call__begin(struct bprof_call *call, int64_t log_level);
/*
 * Ends a call whose result is err. If err is not 0 and no message has set *error, sets *error to
 * the text of err. Returns err.
 */
int bprof_call__end(struct bprof_call *call, int err);

#endif
