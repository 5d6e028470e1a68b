// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a table of functions is made from BTF and func_info. Valid blobs are read; each hostile
 * blob must be refused with a reason, or be read without accessing other memory (ASan).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/libbpf.h>

#include "btf/func_table.h"
#include "btf/reason.h"
#include "tests/unit/btf_blob.h"

/* A copy of the valid blob and of its records, which a test can damage. */
struct blob {
	unsigned char *btf;
	__u32 sz;
	struct bpf_func_info recs[BLOB_FN_CNT];
	struct func_table *t;
	struct reason reason;
};

static int setup(void **state)
{
	struct blob *b = calloc(1, sizeof(*b));

	b->btf = blob__new(&b->sz);
	memcpy(b->recs, blob_funcs, sizeof(b->recs));
	*state = b;
	return !b->btf;
}

static int teardown(void **state)
{
	struct blob *b = *state;

	func_table__free(b->t);
	free(b->btf);
	free(b);
	return 0;
}

static int load(struct blob *b)
{
	return func_table__new(b->btf, b->sz, b->recs, sizeof(b->recs[0]), BLOB_FN_CNT, &b->t,
			       &b->reason);
}

static void assert_bad(struct blob *b, const char *detail)
{
	b->t = (void *)b; /* the call must replace this value */
	assert_int_equal(load(b), -EINVAL);
	assert_null(b->t);
	assert_int_equal(b->reason.code, REASON_BAD_BTF);
	if (!strstr(b->reason.detail, detail))
		fail_msg("detail \"%s\" does not have \"%s\"", b->reason.detail, detail);
}

/*
 * Like assert_bad(), for faults that libbpf may also find: since version 1.3 it checks types when
 * it reads them, and does not say what is wrong.
 */
static void assert_bad_type(struct blob *b, const char *detail)
{
	bool checked = libbpf_major_version() > 1 || libbpf_minor_version() >= 3;

	if (load(b) && checked && strstr(b->reason.detail, "malformed"))
		detail = "malformed";
	assert_bad(b, detail);
}

static struct btf_header *header(struct blob *b)
{
	return (struct btf_header *)b->btf;
}

/* Returns the type with this id in the blob's bytes, which libbpf must be able to read. */
static struct btf_type *type(struct blob *b, int id)
{
	struct btf *btf = btf__new(b->btf, b->sz);
	size_t off = (const char *)btf__type_by_id(btf, id) - (const char *)btf__type_by_id(btf, 1);

	btf__free(btf);
	return (struct btf_type *)(b->btf + header(b)->hdr_len + header(b)->type_off + off);
}

static void test_good(void **state)
{
	struct blob *b = *state;
	struct func_table *t;

	b->reason.code = REASON_SYSTEM;
	assert_int_equal(load(b), 0);
	t = b->t;
	assert_int_equal(b->reason.code, REASON_NONE);
	assert_int_equal(t->cnt, 3);
	assert_string_equal(t->fn[0].name, BLOB_MAIN_NAME);
	assert_int_equal(t->fn[0].type_id, BLOB_MAIN);
	assert_int_equal(t->fn[0].insn_off, 0);
	assert_int_equal(t->fn[0].arg_cnt, 1);
	assert_int_equal(t->fn[0].linkage, BTF_FUNC_GLOBAL);
	assert_string_equal(t->fn[1].name, "parse");
	assert_int_equal(t->fn[1].type_id, BLOB_STATIC);
	assert_int_equal(t->fn[1].insn_off, 20);
	assert_int_equal(t->fn[1].arg_cnt, 2);
	assert_int_equal(t->fn[1].linkage, BTF_FUNC_STATIC);
	assert_string_equal(t->fn[2].name, "count");
	assert_int_equal(t->fn[2].insn_off, 33);
}

/* The table has copies of names, so the blob may be freed. */
static void test_owns_names(void **state)
{
	struct blob *b = *state;

	assert_int_equal(load(b), 0);
	memset(b->btf, 'x', b->sz);
	memset(b->recs, 'x', sizeof(b->recs));
	assert_string_equal(b->t->fn[1].name, "parse");
	assert_ptr_equal(func_table__find(b->t, "count"), &b->t->fn[2]);
}

static void test_find(void **state)
{
	struct blob *b = *state;

	assert_int_equal(load(b), 0);
	assert_ptr_equal(func_table__find(b->t, BLOB_MAIN_NAME), &b->t->fn[0]);
	assert_ptr_equal(func_table__find(b->t, "parse"), &b->t->fn[1]);
	assert_null(func_table__find(b->t, "pars"));
	assert_null(func_table__find(b->t, "parse_"));
	assert_null(func_table__find(b->t, ""));
	/* a name that the kernel cut at 15 characters is not a function's name */
	assert_null(func_table__find(b->t, "xdp_with_a_name"));
}

/* Two tables share one BTF. Either table may be freed first. */
static void test_like(void **state)
{
	static const int firsts[] = {0, 1};
	struct blob *b = *state;

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		struct func_table *t[2];

		assert_int_equal(load(b), 0);
		t[0] = b->t;
		assert_int_equal(func_table__new_like(t[0], b->recs, sizeof(b->recs[0]), 2, &t[1],
						      &b->reason),
				 0);
		assert_ptr_equal(t[0]->btf, t[1]->btf);
		func_table__free(t[firsts[i]]);
		b->t = t[!firsts[i]];
		assert_int_equal(b->t->cnt, firsts[i] ? BLOB_FN_CNT : 2);
		assert_string_equal(b->t->fn[1].name, "parse");
		func_table__free(b->t);
		b->t = NULL;
	}
}

static void test_bad_like(void **state)
{
	struct blob *b = *state;
	struct func_table *t = (void *)b; /* the call must replace this value */

	assert_int_equal(load(b), 0);
	b->recs[1].type_id = 0xffff;
	assert_int_equal(func_table__new_like(b->t, b->recs, sizeof(b->recs[0]), BLOB_FN_CNT, &t,
					      &b->reason),
			 -EINVAL);
	assert_null(t);
	assert_int_equal(b->reason.code, REASON_BAD_BTF);
	assert_int_equal(func_table__new_like(b->t, b->recs, sizeof(b->recs[0]), 0, &t, &b->reason),
			 -ENODATA);
	assert_string_equal(b->t->fn[1].name, "parse");
}

static void test_free_null(void **state)
{
	func_table__free(NULL);
}

/* The records of a newer kernel may be longer; 13 bytes are not even aligned. */
static void test_large_records(void **state)
{
	struct blob *b = *state;
	__u32 sizes[] = {12, 13, 64};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *recs = malloc(BLOB_FN_CNT * sizes[i]);

		memset(recs, 0xff, BLOB_FN_CNT * sizes[i]);
		for (int j = 0; j < BLOB_FN_CNT; j++)
			memcpy(recs + j * sizes[i], &b->recs[j], sizeof(b->recs[j]));
		assert_int_equal(func_table__new(b->btf, b->sz, recs, sizes[i], BLOB_FN_CNT, &b->t,
						 &b->reason),
				 0);
		assert_string_equal(b->t->fn[2].name, "count");
		func_table__free(b->t);
		b->t = NULL;
		free(recs);
	}
}

static void test_small_records(void **state)
{
	struct blob *b = *state;

	for (__u32 sz = 0; sz < 8; sz++) {
		assert_int_equal(func_table__new(b->btf, b->sz, b->recs, sz, 1, &b->t, &b->reason),
				 -EINVAL);
		assert_int_equal(b->reason.code, REASON_BAD_BTF);
		assert_null(b->t);
	}
}

static void test_no_records(void **state)
{
	struct blob *b = *state;

	assert_int_equal(func_table__new(b->btf, b->sz, NULL, 8, 0, &b->t, &b->reason), -ENODATA);
	assert_int_equal(b->reason.code, REASON_NO_FUNC_INFO);
	assert_null(b->t);
}

/* A count that does not fit into memory is refused before it is used. */
static void test_huge_count(void **state)
{
	struct blob *b = *state;

	assert_int_equal(func_table__new(b->btf, b->sz, b->recs, 8, 0xffffffff, &b->t, &b->reason),
			 -EINVAL);
	assert_int_equal(b->reason.code, REASON_BAD_BTF);
	assert_null(b->t);
}

static void test_no_btf_bytes(void **state)
{
	struct blob *b = *state;

	assert_int_equal(func_table__new(NULL, 0, b->recs, 8, 1, &b->t, &b->reason), -EINVAL);
	assert_int_equal(b->reason.code, REASON_BAD_BTF);
	assert_null(b->t);
}

/*
 * The blob may be truncated anywhere. It is in memory of exactly its size, so that ASan reports any
 * access beyond its end.
 */
static void test_truncated(void **state)
{
	struct blob *b = *state;

	for (__u32 sz = 0; sz < b->sz; sz++) {
		struct blob cut = *b;

		cut.btf = memcpy(malloc(sz + !sz), b->btf, sz);
		cut.sz = sz;
		assert_bad(&cut, sz < sizeof(struct btf_header) ? "truncated" : "in a blob of");
		free(cut.btf);
	}
}

/*
 * Each byte is changed in several ways. The blob is refused or read, and never read out of bounds.
 */
static void test_any_byte(void **state)
{
	static const unsigned char values[] = {0x00, 0x01, 0x0c, 0x0d, 0x7f, 0x80, 0xff};
	struct blob *b = *state;

	for (__u32 i = 0; i < b->sz; i++) {
		unsigned char good = b->btf[i];

		for (size_t j = 0; j < sizeof(values); j++) {
			b->btf[i] = values[j];
			if (load(b)) {
				assert_null(b->t);
				assert_int_equal(b->reason.code, REASON_BAD_BTF);
				assert_true(b->reason.detail[0]);
			} else {
				assert_int_equal(b->reason.code, REASON_NONE);
				for (__u32 k = 0; k < b->t->cnt; k++)
					assert_in_range(strlen(b->t->fn[k].name), 1, b->sz);
			}
			func_table__free(b->t);
			b->t = NULL;
		}
		b->btf[i] = good;
	}
}

static void test_magic(void **state)
{
	struct blob *b = *state;

	header(b)->magic = 0x9feb;
	assert_bad(b, "other byte order");
	header(b)->magic = 0x1234;
	assert_bad(b, "wrong magic 0x1234");
}

static void test_version(void **state)
{
	struct blob *b = *state;

	header(b)->version = 2;
	assert_bad(b, "unknown version 2");
}

static void test_header_len(void **state)
{
	static const __u32 lens[] = {0, 8, 23, 25, 0x7fffffff, 0xfffffffc};
	struct blob *b = *state;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		header(b)->hdr_len = lens[i];
		assert_bad(b, "header of ");
	}
}

/* Some of these sums of offset and length wrap around to a small value. */
static void test_section_overflow(void **state)
{
	struct blob *b = *state;
	struct btf_header good = *header(b);

	header(b)->type_off = 0xfffffffc;
	header(b)->type_len = 8;
	assert_bad(b, "types at ");
	*header(b) = good;
	header(b)->type_len = 0xffffffff;
	assert_bad(b, "types at ");
	*header(b) = good;
	header(b)->type_off = 2;
	assert_bad(b, "types at ");
	*header(b) = good;
	header(b)->str_off = 0xfffffff0;
	header(b)->str_len = 0x20;
	assert_bad(b, "strings at ");
	*header(b) = good;
	header(b)->str_len++;
	assert_bad(b, "strings at ");
	*header(b) = good;
	header(b)->str_len--; /* the strings do not end with NUL */
	assert_bad(b, "");
	*header(b) = good;
	header(b)->str_len = 0;
	assert_bad(b, "");
}

static void test_huge_vlen(void **state)
{
	struct blob *b = *state;

	/* the struct has more members than the blob has bytes */
	type(b, BLOB_CTX)->info = BTF_KIND_STRUCT << 24 | 0xffff;
	assert_bad(b, "malformed");
}

static void test_unknown_kind(void **state)
{
	struct blob *b = *state;

	type(b, BLOB_PTR)->info = 30u << 24;
	assert_bad(b, "newer than this bprof");
}

static void test_too_large(void **state)
{
	struct blob *b = *state;
	__u32 sz = FUNC_TABLE_MAX_BTF_SZ + 1;
	unsigned char *large = calloc(1, sz);

	/* only the bytes of the blob are written, so the other pages take no memory */
	memcpy(large, b->btf, b->sz);
	free(b->btf);
	b->btf = large;
	b->sz = sz;
	assert_bad(b, "larger than 64 MiB");
}

static void test_record_order(void **state)
{
	struct blob *b = *state;

	b->recs[0].insn_off = 1; /* no function begins at the entry */
	assert_bad(b, "func_info 0: instruction 1");
	b->recs[0].insn_off = 0;
	b->recs[2].insn_off = b->recs[1].insn_off;
	assert_bad(b, "func_info 2: instruction 20");
	b->recs[2].insn_off = 1;
	assert_bad(b, "func_info 2: instruction 1 ");
}

static void test_record_type(void **state)
{
	/*
	 * none of these is a function: void, an integer, a prototype, an id just past the end, and
	 * one far past the end
	 */
	static const __u32 ids[] = {0, BLOB_INT, BLOB_PROTO_MAIN, BLOB_TYPE_END, 0xffffffff};
	struct blob *b = *state;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		b->recs[1].type_id = ids[i];
		assert_bad(b, "func_info 1: type");
	}
}

static void test_prototype(void **state)
{
	static const __u32 ids[] = {0, BLOB_INT, BLOB_MAIN, BLOB_TYPE_END, 0x7fffffff};
	struct blob *b = *state;
	struct btf_type *func = type(b, BLOB_MAIN);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		func->type = ids[i];
		assert_bad_type(b, "no prototype");
	}
}

static void test_prototype_types(void **state)
{
	struct blob *b = *state;
	struct btf_type *proto = type(b, BLOB_PROTO_SUB);

	btf_params(proto)[1].type = BLOB_TYPE_END;
	assert_bad_type(b, "argument 1 has no type");
	btf_params(proto)[1].type = BLOB_INT;
	proto->type = 0x10000;
	assert_bad_type(b, "return type 65536");
}

static void test_linkage(void **state)
{
	struct blob *b = *state;

	type(b, BLOB_GLOBAL)->info = BTF_KIND_FUNC << 24 | 3;
	assert_bad(b, "unknown linkage");
}

static void test_names(void **state)
{
	struct blob *b = *state;
	struct btf_type *t = type(b, BLOB_STATIC);
	__u32 good = t->name_off;
	char *name = (char *)b->btf + header(b)->hdr_len + header(b)->str_off + good;

	t->name_off = 0;
	assert_bad_type(b, "invalid name");
	t->name_off = header(b)->str_len; /* offset of the first byte after the strings */
	assert_bad_type(b, "invalid name");
	t->name_off = 0xffffffff;
	assert_bad_type(b, "invalid name");
	t->name_off = good;
	name[2] = '\x1b'; /* would begin an escape sequence */
	assert_bad_type(b, "invalid name");
	name[2] = ' ';
	assert_bad_type(b, "invalid name");
	name[2] = (char)0xc3;
	assert_bad_type(b, "invalid name");
	name[2] = '.'; /* the kernel accepts a dot in names */
	assert_int_equal(load(b), 0);
	assert_string_equal(b->t->fn[1].name, "pa.se");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),
		TEST(test_owns_names),
		TEST(test_find),
		TEST(test_like),
		TEST(test_bad_like),
		TEST(test_free_null),
		TEST(test_large_records),
		TEST(test_small_records),
		TEST(test_no_records),
		TEST(test_huge_count),
		TEST(test_no_btf_bytes),
		TEST(test_truncated),
		TEST(test_any_byte),
		TEST(test_magic),
		TEST(test_version),
		TEST(test_header_len),
		TEST(test_section_overflow),
		TEST(test_huge_vlen),
		TEST(test_unknown_kind),
		TEST(test_too_large),
		TEST(test_record_order),
		TEST(test_record_type),
		TEST(test_prototype),
		TEST(test_prototype_types),
		TEST(test_linkage),
		TEST(test_names),
	};

	libbpf_set_print(NULL); /* do not print libbpf's warnings about the intended errors */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
