// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a watch reports each load and each unload once, in whatever order bprof lists the
 * programs and gets their records; and that it says why it ends, if the kernel stops listing the
 * loaded programs after the watch has begun. The kernel's list and its side-band records are made
 * up.
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
#include <time.h>
#include <bpf/bpf.h>

#include "session/prog_watch.h"
#include "session/sideband.h"
#include "tests/unit/capture.h"

/* The only program that may be loaded. */
enum { PROG_ID = 42 };
static bool is_loaded;
/* The error of listing the loaded programs, or 0. */
static int list_err;
/* When the program was loaded, in ns of CLOCK_BOOTTIME. */
static __u64 load_time_ns;

/* These functions replace those of libbpf. */

int bpf_prog_get_next_id(__u32 start, __u32 *next)
{
	int err = list_err ?: is_loaded && start < PROG_ID ? 0 : -ENOENT;

	*next = PROG_ID;
	errno = -err;
	return err;
}

int bpf_prog_get_fd_by_id(__u32 id)
{
	errno = ENOENT;
	return is_loaded && id == PROG_ID ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -errno;
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *sz)
{
	strcpy(((struct bpf_prog_info *)info)->name, "made");
	((struct bpf_prog_info *)info)->load_time = load_time_ns;
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	*ts = (struct timespec){.tv_sec = clock == CLOCK_REALTIME   ? 1000000
					  : clock == CLOCK_BOOTTIME ? 5000
								    : 1000};
	return 0;
}

/* ---- side-band records ---- */

/* The record that the kernel has written; NULL: none. */
static const struct sideband_event *record;

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
	const struct sideband_event *event = record;

	record = NULL;
	return event ? fn(event, arg) : 0;
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

/* Adds a word for the change to the text arg, unless it is NULL. */
static int report(const struct prog_change *change, void *arg)
{
	static const char *const words[] = {[PROG_PRESENT] = " present",
					    [PROG_LOAD] = " load",
					    [PROG_UNLOAD] = " unload",
					    [PROG_LOST] = " lost"};

	assert_true(change->kind == PROG_LOST || change->id == PROG_ID);
	if (arg)
		strcat(arg, words[change->kind]);
	return 0;
}

static int keep_change(const struct prog_change *change, void *arg)
{
	*(struct prog_change *)arg = *change;
	return 0;
}

/*
 * The machine has slept for 4000 of the 5000 seconds since boot, which CLOCK_MONOTONIC does not
 * count. A program that was loaded before that has the right time, too.
 */
static void test_load_times(void **state)
{
	static const struct {
		__u64 load_s, mono_s;
		__s64 clock_s;
	} cases[] = {{4500, 500, 999500}, {4000, 0, 999000}, {10, 0, 995010}};

	is_loaded = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct prog_change change = {};
		struct prog_watch *w;

		load_time_ns = cases[i].load_s * 1000000000;
		assert_int_equal(prog_watch__open(false, false, keep_change, &change, &w), 0);
		assert_int_equal(prog_watch__process(w, false), 0);
		assert_int_equal(change.kind, PROG_PRESENT);
		assert_int_equal(change.time_ns / 1000000000, cases[i].mono_s);
		assert_int_equal(change.clock_ns / 1000000000, cases[i].clock_s);
		prog_watch__close(w);
	}
	load_time_ns = 0;
}

/*
 * If records were lost, bprof lists the programs. The record of a change that the listing shows may still come, or
 * be one of those that were lost.
 */
static void test_once(void **state)
{
	static const struct sideband_event load = {.kind = SIDEBAND_LOAD, .id = PROG_ID},
					   unload = {.kind = SIDEBAND_UNLOAD, .id = PROG_ID},
					   lost = {.kind = SIDEBAND_LOST, .lost = 1};
	/*
	 * Steps: the program gets loaded (+) and unloaded (-). The watch starts (s), and gets the record of a
	 * load (l), of an unload (u), or of lost records (x).
	 */
	static const struct {
		const char *steps, *reports;
	} cases[] = {
		{"+sxx", " present lost lost"},
		{"+s-xx", " present lost unload lost"},
		{"+s-xu", " present lost unload"},
		{"+s-ux", " present unload lost"},
		{"s+xl", " lost load"},
		{"s+lx", " load lost"},
		/* the id is used again */
		{"+s-x+l", " present lost unload load"},
		{"+s-u+x", " present unload lost load"},
	};

	list_err = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prog_watch *w;
		char reports[256] = "";

		is_loaded = false;
		assert_int_equal(prog_watch__open(false, false, report, reports, &w), 0);
		for (const char *step = cases[i].steps; *step; step++) {
			if (*step == '+' || *step == '-') {
				is_loaded = *step == '+';
				continue;
			}
			record = *step == 'l'	? &load
				 : *step == 'u' ? &unload
				 : *step == 'x' ? &lost
						: NULL;
			assert_int_equal(prog_watch__process(w, false), 0);
		}
		if (strcmp(reports, cases[i].reports))
			fail_msg("%s:%s", cases[i].steps, reports);
		prog_watch__close(w);
	}
	is_loaded = false;
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

		list_err = 0;
		assert_int_equal(prog_watch__open(false, false, report, NULL, &w), 0);
		list_err = cases[i].err;
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
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_load_times),
		cmocka_unit_test(test_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
