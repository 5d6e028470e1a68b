// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests how the names of an extended function are read while memory is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <bpf/bpf.h>

#include "target/extension.h"
#include "tests/unit/no_memory.h"

#pragma GCC visibility push(default)

/* These functions replace those of libbpf: any program is loaded and has no BTF. */

int bpf_prog_get_fd_by_id(__u32 id)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *sz)
{
	strcpy(((struct bpf_prog_info *)info)->name, "dispatcher");
	return 0;
}

#pragma GCC visibility pop

static void read_names(void *arg)
{
	char *prog, *func;
	int err = read_func_name(42, 1, &prog, &func);

	if (err) {
		assert_int_equal(err, -ENOMEM);
		assert_true(failing_allocation >= 0);
		assert_true(!prog && !func);
		return;
	}
	assert_string_equal(prog, "dispatcher");
	assert_string_equal(func, "");
	free(prog);
	free(func);
}

static void test_no_memory(void **state)
{
	/* ASan's strdup() allocates without malloc(). */
	assert_true(fail_each_allocation(read_names, NULL) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
