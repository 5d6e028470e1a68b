// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the disassembler is the one that bprof says it was built with.
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

#include "base/build_info.h"
#include "sampling/disasm.h"

/* Returns what an architecture's disassembler says about one instruction, or "none" without one. */
static const char *disassemble(const char *arch, const char *bytes, size_t sz)
{
	static char text[128];
	struct disasm *d;
	int err = disasm__new(arch, &d);

	if (err == -EOPNOTSUPP)
		return "none";
	assert_int_equal(err, 0);
	assert_int_equal(disasm__next(d, (const __u8 *)bytes, sz, 0, text, sizeof(text)), sz);
	disasm__free(d);
	return text;
}

static void test_built_in(void **state)
{
	char *text = NULL;
	size_t sz;
	FILE *f = open_memstream(&text, &sz);

	assert_non_null(f);
	build_info__print(f);
	fclose(f);
	if (strstr(text, "disassembler none")) {
		assert_string_equal(disassemble("x86_64", "\xc3", 1), "none");
	} else {
		assert_non_null(strstr(disassemble("x86_64", "\xc3", 1), "ret"));
		assert_non_null(strstr(disassemble("bpf", "\x95\0\0\0\0\0\0", 8), "exit"));
		assert_non_null(strstr(disassemble("aarch64", "\xc0\x03\x5f\xd6", 4), "ret"));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
