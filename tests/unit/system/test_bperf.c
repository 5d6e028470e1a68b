// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what bprof system does if bperf cannot be used: it counts with perf events, unless the user
 * has to change something. The results of making the attr map and the leaders are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "btf/reason.h"
#include "system/attr_map.h"
#include "system/bperf_priv.h"
#include "system/system.h"
#include "tests/unit/capture.h"

static int allow_err, map_err, leaders_err;

static int made_error(struct reason *reason, int err)
{
	return err ? reason__fail(reason, err, "made so") : 0;
}

/* ---- functions that replace those of bprof and of libbpf ---- */

int bperf_leader__allow(struct reason *reason)
{
	return made_error(reason, allow_err);
}

int attr_map__open(struct attr_map *m, const char *path, __u32 key_sz, struct reason *reason)
{
	return made_error(reason, map_err);
}

int bperf__open_leaders(struct system *s, struct bperf *b, struct reason *reason)
{
	return made_error(reason, leaders_err);
}

int bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_sz, __u32 value_sz,
		   __u32 max_entries, const struct bpf_map_create_opts *opts)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *sz)
{
	return 0;
}

static int open_perf_event(struct system *s, void **state, struct reason *reason)
{
	return 0;
}

static int add_scope(struct system *s, void *state, int scope, struct reason *reason)
{
	return 0;
}

/* Replaces the real method, which is not linked. */
const struct system_ops perf_event_ops = {
	.method = "perf_event", .open = open_perf_event, .add_scope = add_scope};

/* ---- tests ---- */

static void test_fallback(void **state)
{
	static const char falls_back[] = "bprof: counters cannot be shared: made so; counting with "
					 "unshared perf events (method: perf_event)\n",
			  fails[] = "bprof: bperf: made so\n";
	static const struct {
		int allow_err, map_err, leaders_err;
		const char *attr_map; /* --attr-map */
		int err;
		const char *log;
	} cases[] = {
		{-EPERM, 0, 0, NULL, 0, falls_back},
		/* the user has named the map */
		{0, -EEXIST, 0, NULL, 0, falls_back},
		{0, -EEXIST, 0, "/map", -EINVAL, fails},
		{0, -EPERM, 0, "/map", 0, falls_back},
		{0, -ENOMEM, 0, "/map", 0, falls_back},
		/* the kernel refuses a program of bperf, as Linux 5.10 does */
		{0, 0, -EINVAL, NULL, 0, falls_back},
		{0, 0, -EINVAL, "/map", 0, falls_back},
		{0, 0, -ENOSPC, NULL, 0, falls_back},
		/* another process holds the lock */
		{0, 0, -ETIMEDOUT, NULL, -ETIMEDOUT, fails},
	};
	static struct event event = {.name = "cycles", .base = "cycles", .scale = 1, .group = -1};
	static const struct event_list events = {.v = &event, .cnt = 1};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct system_opts o = {.attr_map = cases[i].attr_map};
		struct scope_list scopes = {};
		struct capture log;
		struct system *s;
		char *text;
		int err;

		allow_err = cases[i].allow_err;
		map_err = cases[i].map_err;
		leaders_err = cases[i].leaders_err;
		scope_list__add_system(&scopes);
		capture__begin(&log, stderr);
		err = system__open(&scopes, &events, &(struct cpus){}, &o, &s);
		text = capture__end(&log);
		if (err != cases[i].err || strcmp(text, cases[i].log))
			fail_msg("case %zu: %d: %s", i, err, text);
		if (s)
			assert_ptr_equal(s->ops, &perf_event_ops);
		system__close(s);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fallback)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
