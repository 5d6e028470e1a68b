// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests selectors: what the command line accepts, how everything else is refused, and which
 * programs are selected. The programs are made up, and the kernel is not used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse_error.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "btf/reason.h"
#include "target/target.h"
#include "tests/unit/btf_blob.h"
#include "tests/unit/capture.h"

/*
 * Calls selector_list__add(). *text is its error as the command line shows it; the caller frees the
 * text.
 */
static int add(struct selector_list *list, enum selector_kind kind, const char *arg, char **text)
{
	static const char *const options[] = {
		[SELECT_ID] = "--prog-id",
		[SELECT_NAME] = "--name",
		[SELECT_TAG] = "--tag",
		[SELECT_PINNED] = "--pinned",
		[SELECT_TYPE] = "--type",
		[SELECT_ALL] = "--all",
		[SELECT_STRUCT_OPS] = "--struct-ops",
		[SELECT_OWNER] = "--owner",
	};
	struct parse_error perr;
	struct capture c;
	int err;

	capture__begin(&c, stderr);
	err = parse_error__report(selector_list__add(list, kind, arg, &perr), options[kind], arg,
				  &perr);
	*text = capture__end(&c);
	return err;
}

static void test_add_good(void **state)
{
	static const struct {
		enum selector_kind kind;
		const char *arg;
	} good[] = {
		{SELECT_ID, "42"},
		{SELECT_ID, "42,57"},
		{SELECT_ID, "4294967295"},
		{SELECT_ID, "42:parse,42:*"},
		{SELECT_NAME, "xdp_lb"},
		{SELECT_NAME, "*"},
		{SELECT_NAME, "xdp_[a-c]?"},
		{SELECT_TAG, "d"},
		{SELECT_TAG, "d4f8542f2b42fac5"},
		{SELECT_TAG, "D4F8"},
		{SELECT_PINNED, "/sys/fs/bpf/xdp"},
		{SELECT_TYPE, "xdp"},
		{SELECT_TYPE, "xdp,sched_cls,kprobe"},
		{SELECT_TYPE, "XDP,type_31"},
		{SELECT_ALL, NULL},
		{SELECT_STRUCT_OPS, "cake_*"},
		{SELECT_OWNER, "agent.service"},
	};
	struct selector_list list = {};
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(add(&list, good[i].kind, good[i].arg, &text), 0);
		assert_string_equal(text, "");
		free(text);
	}
	/* the list has the selectors in the given order, with copies of their arguments */
	assert_int_equal(list.cnt, ARRAY_SIZE(good));
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(list.v[i].kind, good[i].kind);
		if (!good[i].arg) {
			assert_null(list.v[i].arg);
			continue;
		}
		assert_ptr_not_equal(list.v[i].arg, good[i].arg);
		assert_string_equal(list.v[i].arg, good[i].arg);
	}
	selector_list__free(&list);
	assert_int_equal(list.cnt, 0);
	assert_null(list.v);
}

/* The list has copies, so the caller may free the argument. */
static void test_parsed(void **state)
{
	struct selector_list list = {};
	char ids[] = "42:parse,57", types[] = "xdp,type_77";

	assert_int_equal(selector_list__add(&list, SELECT_ID, ids, NULL), 0);
	assert_int_equal(selector_list__add(&list, SELECT_TYPE, types, NULL), 0);
	selector_list__add_id(&list, 4294967295);
	memset(ids, 'x', strlen(ids));
	memset(types, 'x', strlen(types));
	assert_int_equal(list.cnt, 3);
	assert_int_equal(list.v[0].ids.cnt, 2);
	assert_int_equal(list.v[0].ids.v[0].id, 42);
	assert_string_equal(list.v[0].ids.v[0].func, "parse");
	assert_int_equal(list.v[0].ids.v[1].id, 57);
	assert_null(list.v[0].ids.v[1].func);
	assert_int_equal(list.v[1].type_cnt, 2);
	assert_int_equal(list.v[1].type[0], BPF_PROG_TYPE_XDP);
	assert_int_equal(list.v[1].type[1], 77);
	assert_int_equal(list.v[2].kind, SELECT_ID);
	assert_int_equal(list.v[2].ids.cnt, 1);
	assert_int_equal(list.v[2].ids.v[0].id, 4294967295);
	assert_null(list.v[2].arg);
	selector_list__free(&list);
}

/* A descriptor that is not a program is refused at once. */
static void test_fd(void **state)
{
	struct selector_list list = {};
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(selector_list__add_fd(&list, -1), -EBADF);
	assert_true(selector_list__add_fd(&list, fd) < 0);
	assert_int_equal(list.cnt, 0);
	close(fd);
}

#define NO_ID "not a program id; give a decimal number (--name selects by name)"
#define NO_TAG "give up to 16 hexadecimal digits, as 'bprof list' shows them"
#define NO_TYPE "no such program type, such as xdp, sched_cls or kprobe; bprof(1) lists them"

/*
 * Arguments that are refused, each with the complete text that is printed: the message, and the
 * caret below the error.
 */
static const struct {
	enum selector_kind kind;
	const char *arg, *text;
} bad[] = {
	{SELECT_ID, "", "--prog-id: a program id is missing\n  \n  ^\n"},
	{SELECT_ID, "7,", "--prog-id: a program id is missing\n  7,\n   ^\n"},
	{SELECT_ID, "7,,8", "--prog-id: a program id is missing\n  7,,8\n    ^\n"},
	{SELECT_ID, "42,xdp,9", "--prog-id: " NO_ID "\n  42,xdp,9\n     ^^^\n"},
	{SELECT_ID, "0", "--prog-id: program ids begin with 1\n  0\n  ^\n"},
	{SELECT_ID, "1,-2", "--prog-id: a program id has no sign\n  1,-2\n    ^\n"},
	{SELECT_ID, "4294967296",
	 "--prog-id: too large for a program id\n  4294967296\n  ^^^^^^^^^^\n"},
	{SELECT_TYPE, "nonsense", "--type: " NO_TYPE "\n  nonsense\n  ^^^^^^^^\n"},
	{SELECT_TYPE, "xdp,nonsense,xdp",
	 "--type: " NO_TYPE "\n  xdp,nonsense,xdp\n      ^^^^^^^^\n"},
	/* the first invalid name is marked */
	{SELECT_TYPE, "a,b", "--type: " NO_TYPE "\n  a,b\n  ^\n"},
	{SELECT_TYPE, "", "--type: " NO_TYPE "\n  \n  ^\n"},
	{SELECT_TYPE, "xdp,", "--type: " NO_TYPE "\n  xdp,\n      ^\n"},
	{SELECT_TYPE, "xdp,,xdp", "--type: " NO_TYPE "\n  xdp,,xdp\n      ^\n"},
	{SELECT_TYPE, "xdp, xdp",
	 "--type: no such program type; did you mean 'xdp'?\n  xdp, xdp\n      ^^^^\n"},
	{SELECT_TYPE, "xpd", "--type: no such program type; did you mean 'xdp'?\n  xpd\n  ^^^\n"},
	/* this type exists, but no program has it */
	{SELECT_TYPE, "unspec", "--type: " NO_TYPE "\n  unspec\n  ^^^^^^\n"},
	/* the complete argument is marked */
	{SELECT_TAG, "", "--tag: " NO_TAG "\n  \n  ^\n"},
	{SELECT_TAG, "xyz", "--tag: " NO_TAG "\n  xyz\n  ^^^\n"},
	{SELECT_TAG, "12 ", "--tag: " NO_TAG "\n  12 \n  ^^^\n"},
	{SELECT_TAG, "0x12", "--tag: " NO_TAG "\n  0x12\n  ^^^^\n"},
	{SELECT_TAG, "d4f8542f2b42fac50",
	 "--tag: " NO_TAG "\n  d4f8542f2b42fac50\n  ^^^^^^^^^^^^^^^^^\n"},
	{SELECT_NAME, "", "--name: the argument is empty\n  \n  ^\n"},
	{SELECT_PINNED, "", "--pinned: the argument is empty\n  \n  ^\n"},
	{SELECT_STRUCT_OPS, "", "--struct-ops: the argument is empty\n  \n  ^\n"},
};

static void test_add_bad(void **state)
{
	struct selector_list list = {};
	char *text, want[256];

	assert_int_equal(selector_list__add(&list, SELECT_ALL, NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(add(&list, bad[i].kind, bad[i].arg, &text), -EINVAL);
		snprintf(want, sizeof(want), "bprof: %s", bad[i].text);
		assert_string_equal(text, want);
		free(text);
		assert_int_equal(list.cnt, 1);
	}
	assert_int_equal(list.v[0].kind, SELECT_ALL);
	selector_list__free(&list);
}

/* ---- which programs are selected ---- */

static bool matches(struct prog *p, enum selector_kind kind, const char *arg)
{
	struct selector_list list = {};
	bool matched;

	assert_int_equal(selector_list__add(&list, kind, arg, NULL), 0);
	matched = selector__matches(&list.v[0], p);
	assert_true(selector_list__selects(&list, p, false) == matched);
	assert_true(list.v[0].matched == matched);
	selector_list__free(&list);
	return matched;
}

/* Returns the functions of btf_blob.h. The first one has a long name. The caller frees them. */
static struct func_table *make_funcs(void)
{
	struct func_table *t;
	struct reason reason;
	__u32 sz;
	void *btf = blob__new(&sz);

	assert_non_null(btf);
	assert_int_equal(func_table__new(btf, sz, blob_funcs, sizeof(blob_funcs[0]), BLOB_FN_CNT,
					 &t, &reason),
			 0);
	free(btf);
	return t;
}

static void test_name_short(void **state)
{
	struct prog p = {.fd = -1, .info.name = "xdp_lb"};

	assert_true(matches(&p, SELECT_NAME, "xdp_lb"));
	assert_true(matches(&p, SELECT_NAME, "xdp_*"));
	assert_true(matches(&p, SELECT_NAME, "*_l[a-c]"));
	assert_true(matches(&p, SELECT_NAME, "xdp_??"));
	assert_true(matches(&p, SELECT_NAME, "*"));
	/* the complete name is compared, and upper and lower case differ */
	assert_false(matches(&p, SELECT_NAME, "xdp"));
	assert_false(matches(&p, SELECT_NAME, "lb"));
	assert_false(matches(&p, SELECT_NAME, "xdp_lb2"));
	assert_false(matches(&p, SELECT_NAME, "XDP_*"));
	assert_false(matches(&p, SELECT_NAME, "xdp_?"));
}

static void test_name_none(void **state)
{
	struct prog p = {.fd = -1};

	assert_true(matches(&p, SELECT_NAME, "*"));
	assert_false(matches(&p, SELECT_NAME, "?*"));
}

static void test_name_cut_by_the_kernel(void **state)
{
	struct prog p = {.fd = -1, .info.name = "xdp_with_a_name", .funcs = make_funcs()};

	assert_true(matches(&p, SELECT_NAME, BLOB_MAIN_NAME));
	assert_true(matches(&p, SELECT_NAME, "*_than_the_kernel_keeps"));
	assert_true(matches(&p, SELECT_NAME, "xdp_with_*"));
	/* the name in 'bpftool prog' selects the program, too */
	assert_true(matches(&p, SELECT_NAME, "xdp_with_a_name"));
	assert_false(matches(&p, SELECT_NAME, "xdp_with_a_nam"));
	assert_false(matches(&p, SELECT_NAME, "xdp_with_a_name_longer"));
	/* the names of its subprograms do not select the program */
	assert_false(matches(&p, SELECT_NAME, "parse"));
	func_table__free(p.funcs);
}

/*
 * A name of fewer than 15 characters was not truncated by the kernel, so only this name must match:
 * the entry function's name in BTF is not tried.
 */
static void test_name_not_cut(void **state)
{
	struct prog p = {.fd = -1, .info.name = "xdp_with_a_nam", .funcs = make_funcs()};

	assert_true(matches(&p, SELECT_NAME, "xdp_with_a_nam"));
	assert_false(matches(&p, SELECT_NAME, BLOB_MAIN_NAME));
	func_table__free(p.funcs);
}

/* If a name has 15 characters and there is no BTF, only these characters are known. */
static void test_name_without_btf(void **state)
{
	struct prog p = {.fd = -1, .info.name = "xdp_with_a_name"};

	assert_true(matches(&p, SELECT_NAME, "xdp_with_a_name"));
	assert_true(matches(&p, SELECT_NAME, "xdp*name"));
	assert_false(matches(&p, SELECT_NAME, BLOB_MAIN_NAME));
}

static void test_tag(void **state)
{
	struct prog p = {.fd = -1, .info.tag = {0xd4, 0xf8, 0x54, 0x2f, 0x2b, 0x42, 0x0a, 0xc5}};

	assert_true(matches(&p, SELECT_TAG, "d4f8542f2b420ac5"));
	assert_true(matches(&p, SELECT_TAG, "D4F8542F2B420AC5"));
	assert_true(matches(&p, SELECT_TAG, "d4f8"));
	assert_true(matches(&p, SELECT_TAG, "d4F"));
	assert_true(matches(&p, SELECT_TAG, "d"));
	assert_false(matches(&p, SELECT_TAG, "d4f9"));
	assert_false(matches(&p, SELECT_TAG, "4f8"));
	assert_false(matches(&p, SELECT_TAG, "d4f8542f2b420ac6"));
}

static void test_type(void **state)
{
	struct prog xdp = {.fd = -1, .info.type = BPF_PROG_TYPE_XDP};
	struct prog tc = {.fd = -1, .info.type = BPF_PROG_TYPE_SCHED_CLS};
	struct prog newer = {.fd = -1, .info.type = 77};

	assert_true(matches(&xdp, SELECT_TYPE, "xdp"));
	assert_true(matches(&xdp, SELECT_TYPE, "XDP"));
	assert_true(matches(&xdp, SELECT_TYPE, "type_6"));
	assert_false(matches(&tc, SELECT_TYPE, "xdp"));
	/* any type in the list selects the program */
	assert_true(matches(&xdp, SELECT_TYPE, "xdp,kprobe,sched_cls"));
	assert_true(matches(&tc, SELECT_TYPE, "xdp,kprobe,sched_cls"));
	assert_false(matches(&newer, SELECT_TYPE, "xdp,kprobe,sched_cls"));
	/* this type is newer than bprof */
	assert_true(matches(&newer, SELECT_TYPE, "type_77"));
	assert_false(matches(&newer, SELECT_TYPE, "type_7"));
}

static void test_all(void **state)
{
	struct prog p = {.fd = -1, .info.type = BPF_PROG_TYPE_XDP, .info.name = "xdp_lb"};

	assert_true(matches(&p, SELECT_ALL, NULL));
}

/*
 * For each kind of selector in the list, at least one selector must match. No selector by type
 * matches an unknown type (-1).
 */
static void test_list(void **state)
{
	struct selector_list list = {}, tag = {}, none = {};

	assert_int_equal(selector_list__add(&list, SELECT_NAME, "xdp_*", NULL), 0);
	assert_int_equal(selector_list__add(&list, SELECT_TYPE, "kprobe,xdp", NULL), 0);
	assert_int_equal(selector_list__add(&list, SELECT_NAME, "tc", NULL), 0);
	assert_int_equal(selector_list__add(&tag, SELECT_TAG, "Ab", NULL), 0);
	assert_true(selector_list__matches(&none, "", "", -1));
	assert_true(selector_list__matches(&list, "xdp_a", "00", BPF_PROG_TYPE_XDP));
	assert_true(selector_list__matches(&list, "tc", "00", BPF_PROG_TYPE_KPROBE));
	assert_false(selector_list__matches(&list, "xdp_a", "00", BPF_PROG_TYPE_SCHED_CLS));
	assert_false(selector_list__matches(&list, "xdp_a", "00", -1));
	assert_false(selector_list__matches(&list, "a", "00", BPF_PROG_TYPE_XDP));
	assert_false(selector_list__matches(&list, NULL, "00", BPF_PROG_TYPE_XDP));
	assert_true(selector_list__matches(&none, NULL, "00", BPF_PROG_TYPE_XDP));
	assert_true(selector_list__may_match(&list, "xdp_a", "00"));
	assert_false(selector_list__may_match(&list, "a", "00"));
	assert_true(selector_list__may_match(&list, NULL, "00"));
	assert_true(selector_list__may_match(&tag, NULL, "abcd"));
	assert_false(selector_list__may_match(&tag, NULL, "cdab"));
	assert_true(selector_list__matches(&tag, "", "abcd", -1));
	assert_false(selector_list__matches(&tag, "", "cdab", -1));
	selector_list__free(&list);
	selector_list__free(&tag);
}

/* Some selectors must be compared with every program, also with programs that are loaded later. */
static void test_may_match_new(void **state)
{
	static const bool may[] = {
		[SELECT_NAME] = true,  [SELECT_TAG] = true,	    [SELECT_TYPE] = true,
		[SELECT_ALL] = true,   [SELECT_STRUCT_OPS] = false, [SELECT_PROG] = false,
		[SELECT_OWNER] = true,
	};

	for (int kind = 0; kind <= SELECT_PROG; kind++) {
		const struct selector s = {.kind = kind};

		assert_int_equal(selector__may_match_new(&s), may[kind]);
	}
}

/* ---- several selectors ---- */

static void add_ok(struct selector_list *list, enum selector_kind kind, const char *arg)
{
	assert_int_equal(selector_list__add(list, kind, arg, NULL), 0);
}

static bool selects(const struct selector_list *list, __u32 id, int type, const char *name)
{
	struct prog p = {.fd = -1, .info.id = id, .info.type = type};

	snprintf(p.info.name, sizeof(p.info.name), "%s", name);
	return selector_list__selects(list, &p, false);
}

/* One of each kind has to match: AND between the kinds, OR within one. */
static void test_and_between_kinds(void **state)
{
	struct selector_list list = {};

	assert_true(selects(&list, 1, BPF_PROG_TYPE_XDP, "a"));
	add_ok(&list, SELECT_NAME, "a*");
	add_ok(&list, SELECT_NAME, "b*");
	add_ok(&list, SELECT_TYPE, "xdp");
	add_ok(&list, SELECT_TYPE, "sched_cls");
	assert_true(selects(&list, 1, BPF_PROG_TYPE_XDP, "a"));
	assert_true(selects(&list, 1, BPF_PROG_TYPE_SCHED_CLS, "b"));
	assert_false(selects(&list, 1, BPF_PROG_TYPE_XDP, "c"));
	assert_false(selects(&list, 1, BPF_PROG_TYPE_KPROBE, "a"));
	/* all programs: that restricts nothing */
	add_ok(&list, SELECT_ALL, NULL);
	assert_true(selects(&list, 1, BPF_PROG_TYPE_XDP, "a"));
	assert_false(selects(&list, 1, BPF_PROG_TYPE_XDP, "c"));
	add_ok(&list, SELECT_ID, "7,10-12");
	add_ok(&list, SELECT_ID, "20");
	assert_false(selects(&list, 1, BPF_PROG_TYPE_XDP, "a"));
	assert_false(selects(&list, 9, BPF_PROG_TYPE_XDP, "a"));
	for (__u32 id = 10; id <= 12; id++)
		assert_true(selects(&list, id, BPF_PROG_TYPE_XDP, "a"));
	assert_true(selects(&list, 20, BPF_PROG_TYPE_XDP, "a"));
	assert_false(selects(&list, 20, BPF_PROG_TYPE_XDP, "c"));
	selector_list__free(&list);
}

/* An extension need not have the name by which the program that it extends was chosen. */
static void test_any_name(void **state)
{
	struct prog p = {.fd = -1, .info.type = BPF_PROG_TYPE_EXT, .info.name = "ext"};
	struct selector_list list = {};

	add_ok(&list, SELECT_NAME, "main");
	assert_false(selector_list__selects(&list, &p, false));
	assert_true(selector_list__selects(&list, &p, true));
	add_ok(&list, SELECT_TYPE, "xdp");
	assert_false(selector_list__selects(&list, &p, true));
	selector_list__free(&list);
}

/* Usually, the kernel is asked for the ids of pins and struct_ops maps. Here, two ids are given. */
static void test_found(void **state)
{
	struct selector_list list = {};

	add_ok(&list, SELECT_PINNED, "/sys/fs/bpf/none");
	assert_false(selector_list__has_id(&list, 42));
	id_map__set(&list.v[0].found, 42, 1);
	assert_true(selector_list__has_id(&list, 42));
	add_ok(&list, SELECT_STRUCT_OPS, "none");
	assert_false(selector_list__has_id(&list, 42));
	id_map__set(&list.v[1].found, 42, 1);
	id_map__set(&list.v[1].found, 43, 1);
	assert_true(selector_list__has_id(&list, 42));
	assert_false(selector_list__has_id(&list, 43));
	assert_true(selector_list__has(&list, SELECT_PINNED));
	assert_false(selector_list__has(&list, SELECT_ID));
	selector_list__free(&list);
}

static void assert_warnings(const struct selector_list *list, const char *want)
{
	struct capture c;
	char *text;

	capture__begin(&c, stderr);
	selector_list__warn_unmatched(list);
	text = capture__end(&c);
	assert_string_equal(text, want);
	free(text);
}

/* If nothing is left, the warning names the first kind of selector that left nothing, not the kinds after it. */
static void test_unmatched(void **state)
{
	struct selector_list list = {};

	add_ok(&list, SELECT_NAME, "a");
	assert_warnings(&list, "bprof: --name a: no loaded program matches; see 'bprof "
			       "list'\n");
	add_ok(&list, SELECT_NAME, "b");
	assert_true(selects(&list, 1, BPF_PROG_TYPE_XDP, "a"));
	assert_warnings(&list, "bprof: --name b: no loaded program matches; see 'bprof "
			       "list'\n");
	add_ok(&list, SELECT_TYPE, "kprobe");
	assert_false(selects(&list, 1, BPF_PROG_TYPE_XDP, "b"));
	assert_warnings(&list, "bprof: --type kprobe: no loaded program matches; see 'bprof "
			       "list'\n");
	assert_true(selects(&list, 1, BPF_PROG_TYPE_KPROBE, "a"));
	assert_warnings(&list, "bprof: --name b: no loaded program that the other options select "
			       "matches; see 'bprof list'\n");
	assert_true(selects(&list, 1, BPF_PROG_TYPE_KPROBE, "b"));
	assert_warnings(&list, "");
	selector_list__free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_good),
		cmocka_unit_test(test_parsed),
		cmocka_unit_test(test_fd),
		cmocka_unit_test(test_add_bad),
		cmocka_unit_test(test_name_short),
		cmocka_unit_test(test_name_none),
		cmocka_unit_test(test_name_cut_by_the_kernel),
		cmocka_unit_test(test_name_not_cut),
		cmocka_unit_test(test_name_without_btf),
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_type),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_may_match_new),
		cmocka_unit_test(test_and_between_kinds),
		cmocka_unit_test(test_any_name),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_unmatched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
