// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that messages, those of libbpf too, go to the thread's sink, in a form that is harmless for
 * terminals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/log_libbpf.h"
#include "run/log_stderr.h"
#include "tests/unit/capture.h"

/* The last message, and the number of messages. */
struct kept {
	int cnt;
	enum log_level level;
	char message[256];
};

static void keep(void *arg, enum log_level level, const char *message)
{
	struct kept *kept = arg;

	kept->cnt++;
	kept->level = level;
	snprintf(kept->message, sizeof(kept->message), "%s", message);
}

static void test_levels(void **state)
{
	struct kept kept = {};
	struct log_sink sink = {.write = keep, .arg = &kept, .max = LOG_LEVEL_NOTE};

	assert_null(log__set_sink(&sink));
	assert_ptr_equal(log__sink(), &sink);
	assert_int_equal(log_err(-ENOENT, "program %d: no such id", 42), -ENOENT);
	assert_string_equal(kept.message, "program 42: no such id");
	assert_int_equal(kept.level, LOG_LEVEL_ERROR);
	log_warn("a %s", "warning");
	assert_string_equal(kept.message, "a warning");
	assert_int_equal(kept.level, LOG_LEVEL_WARN);
	log_note("a note");
	assert_int_equal(kept.level, LOG_LEVEL_NOTE);
	assert_int_equal(kept.cnt, 3);
	/* these messages are more verbose than requested */
	log_info("no");
	log_debug_lines("no\nno\n");
	assert_int_equal(kept.cnt, 3);
	assert_true(log__takes(LOG_LEVEL_NOTE) && !log__takes(LOG_LEVEL_INFO));
	sink.max = LOG_LEVEL_DEBUG;
	log_info("yes");
	log_debug_lines("one\ntwo");
	assert_string_equal(kept.message, "two");
	assert_int_equal(kept.cnt, 6);
	sink.max = LOG_LEVEL_ERROR;
	log_warn("no");
	assert_int_equal(kept.cnt, 6);
	assert_ptr_equal(log__set_sink(NULL), &sink);
}

/* Without a sink, nothing is printed: some threads have none. */
static void test_no_sink(void **state)
{
	struct capture out, err;
	char *text[2];
	int ret;

	capture__begin(&err, stderr);
	capture__begin(&out, stdout);
	log__set_sink(NULL);
	ret = log_err(-EIO, "an error");
	log_err_lines("an error\n  and more");
	log_warn("a warning");
	text[0] = capture__end(&out);
	text[1] = capture__end(&err);
	assert_int_equal(ret, -EIO);
	assert_false(log__takes(LOG_LEVEL_ERROR));
	assert_string_equal(text[0], "");
	assert_string_equal(text[1], "");
	free(text[0]);
	free(text[1]);
}

/* A task or a cgroup may have control characters in its name. They must be escaped. */
static void test_hostile_names(void **state)
{
	struct kept kept = {};
	const struct log_sink sink = {.write = keep, .arg = &kept, .max = LOG_LEVEL_NOTE};

	log__set_sink(&sink);
	log_warn("process 7 (%s): it has ended", "\033]0;x\a\nbprof: all is well");
	assert_string_equal(kept.message,
			    "process 7 (\\x1b]0;x\\x07\\x0abprof: all is well): it has ended");
	log_err_lines("-p: no id\n  \033[2J\t7\n      ^");
	assert_string_equal(kept.message, "-p: no id\n  ?[2J\t7\n      ^");
	log__set_sink(NULL);
}

static void test_stderr(void **state)
{
	struct capture c;
	char *text;

	capture__begin(&c, stderr);
	log_warn("a warning");
	log_info("more");
	log_stderr__set_verbose(1);
	log_info("yet more");
	log_debug("all");
	log_stderr__set_verbose(2);
	log_debug("all of it");
	log_stderr__set_verbose(0);
	text = capture__end(&c);
	assert_string_equal(text, "bprof: a warning\nbprof: yet more\nbprof: all of it\n");
	free(text);
}

/* ---- libbpf's messages ---- */

/* Makes libbpf print a message about a file that is not an object. */
static void make_libbpf_print(void)
{
	struct bpf_object *obj = bpf_object__open_mem("no ELF", 6, NULL);

	bpf_object__close(libbpf_get_error(obj) ? NULL : obj);
}

static void test_libbpf(void **state)
{
	struct kept kept = {};
	struct log_sink sink = {.write = keep, .arg = &kept, .max = LOG_LEVEL_DEBUG};
	struct capture err;
	char *text;

	log_libbpf__begin();
	log__set_sink(&sink);
	make_libbpf_print();
	assert_true(kept.cnt > 0);
	assert_int_equal(kept.level, LOG_LEVEL_DEBUG);
	kept.cnt = 0;
	sink.max = LOG_LEVEL_INFO;
	make_libbpf_print();
	assert_int_equal(kept.cnt, 0);
	capture__begin(&err, stderr);
	log__set_sink(NULL);
	make_libbpf_print();
	text = capture__end(&err);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	      cmocka_unit_test(test_no_sink),
		cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_stderr),
		cmocka_unit_test(test_libbpf),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
