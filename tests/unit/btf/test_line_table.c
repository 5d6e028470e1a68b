// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how line_info records become lines, and which records are refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <linux/bpf.h>
#include <bpf/btf.h>

#include "base/util.h"
#include "btf/line_table.h"

/* The kernel's records may be longer than ours. */
struct rec {
	struct bpf_line_info info;
	__u32 newer;
};

static struct btf *btf;
static struct rec recs[3];
static const __u64 addrs[] = {0x1000, 0x1008, 0x1010};

static int setup(void **state)
{
	__u32 file, text;

	btf = btf__new_empty();
	assert_non_null(btf);
	file = btf__add_str(btf, "lb.bpf.c");
	text = btf__add_str(btf, "\tsum += i;");
	for (size_t i = 0; i < ARRAY_SIZE(recs); i++)
		recs[i] = (struct rec){{i * 2, file, i ? text : 0, (20 + i) << 10 | 7}, 99};
	return 0;
}

static int teardown(void **state)
{
	btf__free(btf);
	return 0;
}

static int make(__u32 rec_sz, const __u64 *at, struct bpf_line **lines)
{
	return bpf_lines__new(btf, recs, rec_sz, ARRAY_SIZE(recs), at, lines);
}

static void test_lines(void **state)
{
	struct bpf_line *lines;

	assert_int_equal(make(sizeof(*recs), addrs, &lines), 0);
	for (size_t i = 0; i < ARRAY_SIZE(recs); i++) {
		assert_int_equal(lines[i].insn_off, 2 * i);
		assert_int_equal(lines[i].jited_addr, addrs[i]);
		assert_int_equal(lines[i].line, 20 + i);
		assert_int_equal(lines[i].col, 7);
		assert_string_equal(lines[i].file, "lb.bpf.c");
		assert_string_equal(lines[i].text, i ? "\tsum += i;" : "");
	}
	free(lines);
	assert_int_equal(make(sizeof(*recs), NULL, &lines), 0);
	assert_int_equal(lines[1].jited_addr, 0);
	free(lines);
}

static void test_refused(void **state)
{
	struct bpf_line *lines;

	assert_int_equal(make(sizeof(struct bpf_line_info) - 1, addrs, &lines), -EINVAL);
	assert_null(lines);
	recs[2].info.insn_off = 1;
	assert_int_equal(make(sizeof(*recs), addrs, &lines), -EINVAL);
	recs[2].info.insn_off = 4;
	recs[1].info.file_name_off = 1u << 30;
	assert_int_equal(make(sizeof(*recs), addrs, &lines), -EINVAL);
	recs[1].info.file_name_off = 0;
	recs[1].info.line_off = 1u << 30;
	assert_int_equal(make(sizeof(*recs), addrs, &lines), -EINVAL);
	assert_null(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("line_table", tests, NULL, NULL);
}
