// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a watch says why it ends, if the kernel stops listing the loaded programs after the
 * watch has begun. The kernel's list and its side-band records are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "session/prog_watch.h"
#include "session/sideband.h"
#include "tests/unit/capture.h"

/* The result of the next call of bpf_prog_get_next_id(). */
static int next_id_err;

/* Replaces libbpf's function. */
int bpf_prog_get_next_id(__u32 start, __u32 *next)
{
	errno = -next_id_err;
	return next_id_err;
}

/* ---- no side-band records ---- */

int sideband__open(bool comm, struct sideband **out)
{
	*out = NULL;
	return 0;
}

void sideband__close(struct sideband *s)
{
}

int sideband__epoll_fd(const struct sideband *s)
{
	return -1;
}

int sideband__read(struct sideband *s)
{
	return 0;
}

bool sideband__has_load(const struct sideband *s, __u32 id)
{
	return false;
}

int sideband__process(struct sideband *s, sideband_fn fn, void *arg)
{
	return 0;
}

int sideband__finish(struct sideband *s, sideband_fn fn, void *arg)
{
	return 0;
}

int sideband__follow_cpus(struct sideband *s)
{
	return 0;
}

/* ---- tests ---- */

static int report(const struct prog_change *change, void *arg)
{
	return 0;
}

static void test_no_list(void **state)
{
	static const struct {
		int err;
		const char *text;
	} cases[] = {
		{-ENOENT, ""},
		{-ENOMEM, "bprof: reading the loaded programs: Cannot allocate memory\n"},
		{-EPERM, "bprof: listing loaded programs needs CAP_SYS_ADMIN; run as root\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prog_watch *w;
		struct capture log;
		char *text;

		next_id_err = -ENOENT;
		assert_int_equal(prog_watch__open(false, false, report, NULL, &w), 0);
		next_id_err = cases[i].err;
		capture__begin(&log, stderr);
		assert_int_equal(prog_watch__process(w, false),
				 cases[i].err == -ENOENT ? 0 : cases[i].err);
		text = capture__end(&log);
		assert_string_equal(text, cases[i].text);
		free(text);
		prog_watch__close(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
