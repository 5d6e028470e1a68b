// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests files that are read again and again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/kept_file.h"

static void test_read_again(void **state)
{
	char path[] = "/tmp/bprof-kept-XXXXXX", text[8];
	int fd = mkstemp(path);
	struct kept_file f;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "tsc\n\n", 5), 5);
	assert_int_equal(kept_file__open(path, &f), 0);
	assert_int_equal(fcntl(f.fd, F_GETFD), FD_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kept_file__read(&f, text, sizeof(text)), 0);
		assert_string_equal(text, "tsc");
	}
	assert_int_equal(pwrite(fd, "acpi_pm_timer\n", 14, 0), 14);
	assert_int_equal(kept_file__read(&f, text, sizeof(text)), 0);
	assert_string_equal(text, "acpi_pm");
	kept_file__close(&f);
	assert_int_equal(f.fd, -1);
	kept_file__close(&f); /* a second call does nothing */
	close(fd);
	unlink(path);
}

static void test_no_file(void **state)
{
	char text[8] = "before";
	struct kept_file f;

	assert_int_equal(kept_file__open("/nonexistent", &f), -ENOENT);
	assert_int_equal(kept_file__read(&f, text, sizeof(text)), -EBADF);
	assert_string_equal(text, "");
	kept_file__close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_again),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
