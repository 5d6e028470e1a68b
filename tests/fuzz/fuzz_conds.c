// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the conditions of bprof trace: --slower-than, --event, --retval. "make fuzz" runs it.
 *
 * Input: options, each a byte that chooses the option and its argument up to a NUL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/trace_conds.h"
#include "tests/fuzz/world.h"

#define MAX_ARGS 16

static void check_error(const struct parse_error *err, const char *spec)
{
	require(err->pos <= strlen(spec) && err->len >= 1);
	require(*err->text && !strchr(err->text, '\n'));
}

static void add(struct trace_conds *c, unsigned int option, const char *arg)
{
	struct parse_error err = {};
	int ret, before = c->bound_cnt;

	switch (option % 3) {
	case 0:
		ret = trace_conds__add_event(c, arg, &err);
		break;
	case 1:
		ret = trace_conds__add_time(c, arg, &err);
		break;
	default:
		ret = trace_conds__add_retval(c, arg);
		require(!ret || ret == -EINVAL || ret == -E2BIG);
		return;
	}
	require(!ret || ret == -EINVAL);
	require(c->bound_cnt == before + !ret);
	if (ret)
		check_error(&err, arg);
}

static void check_bound(const struct trace_bound *b)
{
	__s64 beyond;

	require(*b->spec && *b->event);
	if (b->limit > INT64_MIN && b->limit < INT64_MAX) {
		beyond = b->under ? b->limit - 1 : b->limit + 1;
		require(!trace_bound__is_true(b, b->limit));
		require(trace_bound__is_true(b, beyond));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	const struct trace_bound *which = NULL;
	struct event_list events = {};
	struct parse_error err = {};
	struct bytes in = {data, sz};
	struct trace_conds c = {};
	char *arg[MAX_ARGS];
	int n = 0, ret;

	for (; in.sz && n < MAX_ARGS; n++) {
		unsigned int option = bytes__u8(&in);

		arg[n] = bytes__text(&in);
		add(&c, option, arg[n]);
	}
	ret = trace_conds__resolve(&c, &events, "/devices", &which, &err);
	require(!ret || ret == -EINVAL);
	if (ret)
		require(which && err.pos <= strlen(which->spec) && *err.text);
	for (int i = 0; !ret && i < c.bound_cnt; i++) {
		require(c.bound[i].index >= 0 && c.bound[i].index < events.cnt);
		check_bound(&c.bound[i]);
	}
	event_list__free(&events);
	trace_conds__free(&c);
	while (n)
		free(arg[--n]);
	return 0;
}
