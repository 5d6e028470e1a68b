// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Begins and ends each call of the library. Owns how errors and messages are passed to the caller,
 * how structs of options from another version are read, and how the thread's log is restored after
 * a call; must not know which function is called.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/build_info.h"
#include "kernel/log_libbpf.h"
#include "lib/bprof_priv.h"

/*
 * No struct of options is larger than this. If the size is larger, the caller did not initialize
 * the struct.
 */
#define OPTS_MAX_SZ 4096

const char *bprof_version(void)
{
	return build_info__version();
}

static void set_error(struct bprof_error *error, int err, const char *code, const char *fmt,
		      va_list ap)
{
	memset(error, 0, sizeof(*error));
	error->err = err;
	snprintf(error->code, sizeof(error->code), "%s", code);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	/*
	 * Keep only the first line. Further lines help only a user at a terminal: they mark the
	 * wrong part of an argument.
	 */
	error->text[strcspn(error->text, "\n")] = '\0';
}

int bprof_error__set(struct bprof_error *error, int err, const char *code, const char *fmt, ...)
{
	va_list ap;

	if (!error)
		return err;
	va_start(ap, fmt);
	set_error(error, err, code, fmt, ap);
	va_end(ap);
	return err;
}

int bprof_error__set_parsed(struct bprof_error *error, int err, const char *what,
			    const struct parse_error *perr)
{
	if (!err)
		return 0;
	bprof_error__set(error, err, err == -EINVAL ? "argument" : "other", "%s%s%s", what ?: "",
			 what ? ": " : "", err == -EINVAL ? perr->text : strerror(-err));
	if (error && err == -EINVAL) {
		error->pos = perr->pos;
		error->len = perr->len;
	}
	return err;
}

int bprof_opts__copy(void *to, size_t sz, size_t first_sz, const void *opts,
		     struct bprof_error *error)
{
	const char *bytes = opts;
	size_t given = opts ? *(const size_t *)opts : 0;

	memset(to, 0, sz);
	if (!opts)
		return 0;
	if (given < first_sz || given > OPTS_MAX_SZ)
		return bprof_error__set(error, -EINVAL, "argument",
					"options: the size is %zu, but %zu to %d is possible: "
					"set it to sizeof() of the struct",
					given, first_sz, OPTS_MAX_SZ);
	for (size_t i = sz; i < given; i++)
		if (bytes[i])
			return bprof_error__set(error, -E2BIG, "argument",
						"options: byte %zu is set, but unknown to "
						"libbprof %s, which is older than the header",
						i, bprof_version());
	memcpy(to, opts, given < sz ? given : sz);
	return 0;
}

int bprof_opts__check_flags(uint64_t flags, uint64_t known, struct bprof_error *error)
{
	if (!(flags & ~known))
		return 0;
	return bprof_error__set(error, -E2BIG, "argument",
				"options: flags 0x%llx: libbprof %s does not know 0x%llx",
				(unsigned long long)flags, bprof_version(),
				(unsigned long long)(flags & ~known));
}

static enum bprof_log_level public_level(enum log_level level)
{
	switch (level) {
	case LOG_LEVEL_ERROR:
		return BPROF_LOG_ERROR;
	case LOG_LEVEL_WARN:
		return BPROF_LOG_WARN;
	case LOG_LEVEL_DEBUG:
		return BPROF_LOG_DEBUG;
	default:
		return BPROF_LOG_INFO;
	}
}

static void write_message(void *arg, enum log_level level, int err, const char *message)
{
	struct bprof_call *call = arg;

	if (level == LOG_LEVEL_ERROR) {
		bprof_error__set(call->error, err, "other", "%s", message);
		call->failed = true;
	}
	if (call->log)
		call->log(call->log_arg, public_level(level), message);
}

/* Returns the highest level of messages that the call receives. It always receives errors. */
static enum log_level sink_level(const struct bprof_call *call, int64_t log_level)
{
	if (!call->log || log_level < BPROF_LOG_WARN)
		return LOG_LEVEL_ERROR;
	return log_level == BPROF_LOG_WARN   ? LOG_LEVEL_WARN
	       : log_level == BPROF_LOG_INFO ? LOG_LEVEL_INFO
					     : LOG_LEVEL_DEBUG;
}

void bprof_call__begin(struct bprof_call *call, int64_t log_level)
{
	call->failed = false;
	call->sink = (struct log_sink){
		.write = write_message, .arg = call, .max = sink_level(call, log_level)};
	call->sink_before = log__set_sink(&call->sink);
	if (call->libbpf)
		libbpf_print__take();
}

int bprof_call__end(struct bprof_call *call, int err)
{
	if (call->libbpf)
		libbpf_print__give_back();
	log__set_sink(call->sink_before);
	if (err && !call->failed)
		bprof_error__set(call->error, err, "other", "%s", strerror(-err));
	else if (err && call->error)
		call->error->err = err;
	return err;
}
