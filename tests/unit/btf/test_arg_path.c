// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests where expressions for arguments lead, in BTF of a program and of a kernel that are made here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <cmocka.h>

#include "base/util.h"
#include "btf/arg_expr.h"
#include "btf/arg_path.h"
#include "btf/reason.h"

/* Types that the program's and the kernel's BTF both have. */
struct basics {
	int u8, u16, u32, u64, s32, chr, boolean;
};

static struct basics add_basics(struct btf *btf)
{
	return (struct basics){
		.u8 = btf__add_int(btf, "unsigned char", 1, 0),
		.u16 = btf__add_int(btf, "short unsigned int", 2, 0),
		.u32 = btf__add_int(btf, "unsigned int", 4, 0),
		.u64 = btf__add_int(btf, "long unsigned int", 8, 0),
		.s32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED),
		.chr = btf__add_int(btf, "char", 1, BTF_INT_SIGNED),
		.boolean = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL),
	};
}

static int add_enum(struct btf *btf)
{
	int id = btf__add_enum(btf, "color", 4);

	btf__add_enum_value(btf, "RED", 0);
	btf__add_enum_value(btf, "GREEN", 7);
	return id;
}

/* An enum with a negative constant, as clang 14 writes it. */
static int add_level(struct btf *btf)
{
	int id = btf__add_enum(btf, "level", 4);

	btf__add_enum_value(btf, "LOW", -1);
	/* libbpf sets the flag for signed enums, clang 14 does not */
	((struct btf_type *)btf__type_by_id(btf, id))->info &= ~(1U << 31);
	return id;
}

/* Adds a field of `bits` bits (0: of the whole type) at a bit offset. */
static void field(struct btf *btf, const char *name, int type, int bit, int bits)
{
	assert_int_equal(btf__add_field(btf, name, type, bit, bits), 0);
}

static struct btf *kernel;

/* Makes the structs of the kernel, with the members that are tested. */
static void make_kernel(void)
{
	struct btf *btf = kernel = btf__new_empty();
	struct basics b = add_basics(btf);
	int dev, rxq, cb, data, name, sock, common, inner, nothing = btf__add_ptr(btf, 0);

	name = btf__add_array(btf, b.u32, b.chr, 16);
	dev = btf__add_struct(btf, "net_device", 64);
	field(btf, "name", name, 0, 0);
	field(btf, "ifindex", b.s32, 16 * 8, 0);
	field(btf, "up", b.boolean, 20 * 8, 0);
	dev = btf__add_ptr(btf, btf__add_const(btf, dev));
	rxq = btf__add_struct(btf, "xdp_rxq_info", 16);
	field(btf, "dev", dev, 0, 0);
	field(btf, "queue_index", b.u32, 64, 0);
	rxq = btf__add_ptr(btf, rxq);
	btf__add_struct(btf, "xdp_buff", 48);
	field(btf, "data", nothing, 0, 0);
	field(btf, "data_end", nothing, 8 * 8, 0);
	field(btf, "rxq", rxq, 32 * 8, 0);
	common = btf__add_struct(btf, "sock_common", 24);
	field(btf, "skc_family", b.u16, 16 * 8, 0);
	sock = btf__add_struct(btf, "sock", 64);
	field(btf, "__sk_common", common, 0, 0);
	field(btf, "sk_mark", b.u32, 40 * 8, 0);
	sock = btf__add_ptr(btf, sock);
	inner = btf__add_struct(btf, NULL, 8);
	field(btf, "mark", b.u32, 4 * 8, 0);
	field(btf, "low", b.u8, 0, 3);
	field(btf, "high", b.s32, 3, 13);
	cb = btf__add_array(btf, b.u32, b.chr, 48);
	btf__add_struct(btf, "sk_buff", 128);
	field(btf, "len", b.u32, 4 * 8, 0);
	field(btf, "dev", dev, 8 * 8, 0);
	field(btf, NULL, inner, 16 * 8, 0);
	field(btf, "sk", sock, 24 * 8, 0);
	field(btf, "cb", cb, 32 * 8, 0);
	data = btf__add_array(btf, b.u32, b.u8, 20);
	btf__add_struct(btf, "qdisc_skb_cb", 28);
	field(btf, "pkt_len", b.u32, 0, 0);
	field(btf, "data", data, 8 * 8, 0);
	btf__add_struct(btf, "task_struct", 200);
	field(btf, "pid", b.s32, 100 * 8, 0);
	field(btf, "tgid", b.s32, 104 * 8, 0);
	field(btf, "comm", name, 120 * 8, 0);
	btf__add_struct(btf, "pair", 8);
	field(btf, "first", b.u32, 4 * 8, 0);
}

static struct btf *program;

/* Adds a function whose argument has that type. The test finds it by its name. */
static void arg(const char *name, int type)
{
	btf__add_typedef(program, name, type);
}

static void make_program(void)
{
	struct btf *btf = program = btf__new_empty();
	struct basics b = add_basics(btf);
	int color = add_enum(btf), level = add_level(btf), own, packed, task, node, ctx;
	int words = btf__add_array(btf, b.u32, b.u16, 4);
	int text = btf__add_array(btf, b.u32, b.chr, 5);
	int matrix = btf__add_array(btf, b.u32, btf__add_array(btf, b.u32, b.u32, 2), 3);
	int rest = btf__add_array(btf, b.u32, b.u64, 0);
	int comm = btf__add_array(btf, b.u32, b.chr, 16);

	arg("number", b.s32);
	arg("color", color);
	arg("level", level);
	arg("flag", b.boolean);
	arg("nothing", btf__add_ptr(btf, 0));
	ctx = btf__add_struct(btf, "xdp_md", 24);
	field(btf, "data", b.u32, 0, 0);
	arg("xdp", btf__add_ptr(btf, ctx));
	ctx = btf__add_struct(btf, "__sk_buff", 24);
	field(btf, "len", b.u32, 0, 0);
	arg("skb", btf__add_ptr(btf, ctx));
	packed = btf__add_struct(btf, "packed", 16);
	field(btf, "x", b.s32, 0, 5);
	field(btf, "y", b.u32, 5, 11);
	field(btf, "color", color, 16, 4);
	field(btf, "wide", b.u64, 33, 60);
	arg("bits", btf__add_ptr(btf, packed));
	own = btf__add_union(btf, NULL, 24);
	field(btf, "words", words, 0, 0);
	field(btf, "text", text, 0, 0);
	field(btf, "matrix", matrix, 0, 0);
	field(btf, "z", b.u32, 0, 0);
	btf__add_struct(btf, "shape", 32);
	field(btf, NULL, own, 0, 0);
	field(btf, "rest", rest, 32 * 8, 0);
	own++;
	arg("shape", btf__add_ptr(btf, own));
	/* The kernel's struct, from another kernel */
	task = btf__add_struct(btf, "task_struct___old", 20);
	field(btf, "pid", b.s32, 4 * 8, 0);
	field(btf, "comm", comm, 8 * 8, 0);
	arg("task", btf__add_ptr(btf, task));
	/* a struct of its own, which has the name of one of the kernel's */
	task = btf__add_struct(btf, "pair", 8);
	field(btf, "first", b.u32, 0, 0);
	field(btf, "second", b.u32, 4 * 8, 0);
	arg("pair", btf__add_ptr(btf, task));
	node = btf__add_struct(btf, "node", 16);
	field(btf, "next", node + 1, 0, 0);
	field(btf, "value", b.s32, 8 * 8, 0);
	arg("node", btf__add_ptr(btf, node));
}

static void write_reads(const struct arg_reads *reads, char *buf, size_t sz)
{
	for (int i = 0; i < reads->cnt; i++) {
		size_t len = strlen(buf);

		snprintf(buf + len, sz - len, "%s%u", len ? " " : "", reads->offset[i]);
	}
}

/* Follows the expression, and writes offsets and type. */
static int resolve(const char *spec, char *buf, size_t sz, struct arg_path *path)
{
	static const char *const kinds[] = {"integer", "bool", "enum", "pointer", "text"};
	struct arg_place place = {
		.btf = program, .vmlinux = kernel, .prog_type = BPF_PROG_TYPE_XDP};
	struct arg_expr e;
	struct reason reason = {};
	int err, id;
	__u64 operand;
	size_t len;

	assert_int_equal(arg_expr__parse(&e, spec, NULL), 0);
	id = btf__find_by_name_kind(program, e.root, BTF_KIND_TYPEDEF);
	place.type_id = id < 0 ? 0 : id;
	err = arg_place__resolve(&place, &e, 0, path, &reason);
	if (!err && e.op)
		err = arg_path__operand(path, &e, &operand, &reason);
	arg_expr__free(&e);
	*buf = '\0';
	if (err) {
		snprintf(buf, sz, "%s", reason.detail);
		return err;
	}
	write_reads(&path->at, buf, sz);
	if (path->minus.cnt)
		snprintf(buf + strlen(buf), sz - strlen(buf), " -");
	write_reads(&path->minus, buf, sz);
	len = strlen(buf);
	snprintf(buf + len, sz - len, ": %u bytes, %s%s", path->size,
		 path->is_signed ? "signed " : "", kinds[path->kind]);
	len = strlen(buf);
	if (path->bits != 8 * path->size)
		snprintf(buf + len, sz - len, ", bits %u+%u", path->bit, path->bits);
	return 0;
}

static const struct {
	const char *spec, *want;
} cases[] = {
	{"number", "0: 4 bytes, signed integer"},
	{"color", "0: 4 bytes, enum"},
	{"flag", "0: 1 bytes, bool"},
	{"nothing", "0: 8 bytes, pointer"},
	{"unknown", "0: 8 bytes, integer"},
	/* contexts */
	{"xdp", "0: 8 bytes, pointer"},
	{"xdp->data", "0 0: 8 bytes, pointer"},
	{"xdp->len", "0 8 - 0 0: 8 bytes, integer"},
	{"xdp->ingress_ifindex", "0 32 0 16: 4 bytes, signed integer"},
	{"xdp->rx_queue_index", "0 32 8: 4 bytes, integer"},
	{"xdp->rxq->dev->name", "0 32 0 0: 16 bytes, text"},
	{"xdp->rxq->dev->up", "0 32 0 20: 1 bytes, bool"},
	{"skb->len", "0 4: 4 bytes, integer"},
	{"skb.len", "0 4: 4 bytes, integer"},
	{"skb->ifindex", "0 8 16: 4 bytes, signed integer"},
	{"skb->mark", "0 20: 4 bytes, integer"},
	{"skb->low", "0 16: 1 bytes, integer, bits 0+3"},
	{"skb->high", "0 16: 2 bytes, signed integer, bits 3+13"},
	{"skb->sk->sk_mark", "0 24 40: 4 bytes, integer"},
	{"skb->sk->sk_family", "0 24 16: 2 bytes, integer"},
	{"skb->wire_len", "0 32: 4 bytes, integer"},
	{"skb->cb[0]", "0 40: 4 bytes, integer"},
	{"skb->cb[4]", "0 56: 4 bytes, integer"},
	/* bit fields */
	{"bits->x", "0 0: 1 bytes, signed integer, bits 0+5"},
	{"bits->y", "0 0: 2 bytes, integer, bits 5+11"},
	{"bits->color", "0 2: 1 bytes, enum, bits 0+4"},
	{"bits->wide", "0 4: 8 bytes, integer, bits 1+60"},
	/* arrays */
	{"shape->words[3]", "0 6: 2 bytes, integer"},
	{"shape->text", "0 0: 5 bytes, text"},
	{"shape->text[4]", "0 4: 1 bytes, signed integer"},
	{"shape->matrix[2][1]", "0 20: 4 bytes, integer"},
	{"shape->rest[2]", "0 48: 8 bytes, integer"},
	{"shape[2].words[1]", "0 66: 2 bytes, integer"},
	/* structs of the kernel */
	{"task->pid", "0 100: 4 bytes, signed integer"},
	{"task->comm", "0 120: 16 bytes, text"},
	{"task->tgid", "0 104: 4 bytes, signed integer"},
	{"pair->second", "0 4: 4 bytes, integer"},
	/* at most four pointers */
	{"node->next->next->next->value", "0 0 0 0 8: 4 bytes, signed integer"},
	/* conditions */
	{"number == -1", "0: 4 bytes, signed integer"},
	{"color == GREEN", "0: 4 bytes, enum"},
	{"color >= GREEN", "0: 4 bytes, enum"},
	{"level == LOW", "0: 4 bytes, enum"},
	{"number < 0", "0: 4 bytes, signed integer"},
	{"flag == true", "0: 1 bytes, bool"},
	{"nothing == NULL", "0: 8 bytes, pointer"},
};

static void test_paths(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_path path;
		char text[400];

		resolve(cases[i].spec, text, sizeof(text), &path);
		if (strcmp(text, cases[i].want))
			fail_msg("%s: %s; not %s", cases[i].spec, text, cases[i].want);
	}
}

static const struct {
	const char *spec, *want;
} errors[] = {
	{"skb->lne",
	 "struct sk_buff, which the kernel has for struct __sk_buff, has no member 'lne'; "
	 "did you mean 'len'?"},
	{"bits->unlike", "struct packed has no member 'unlike'; it has x, y, color, wide"},
	{"number->x", "'x' is not in a struct"},
	{"nothing->x", "'x' is not in a struct"},
	{"nothing[0]", "[0]: its type has no size"},
	{"number[0]", "[0]: it is no array"},
	{"skb->dev->ifindex.x", "'x' is not in a struct"},
	{"xdp->len.x", "it has no members"},
	{"shape->words", "it is an array; give an element, such as [0]"},
	{"shape->words[4]", "[4]: the array has 4 elements"},
	{"skb->cb", "it is an array; give an element, such as [0]"},
	{"skb->cb[5]", "[5]: the array has 5 elements"},
	{"skb->sk->__sk_common", "it is a struct or union; give one of its members"},
	{"pair->first", "struct pair is not the same in the program's BTF and in the kernel's"},
	{"node->next->next->next->next->value", "it follows more than 4 pointers"},
	{"number == GREEN", "'GREEN' is no number"},
	{"color == GREN", "'GREN' is no number and no constant of its enum; did you mean 'GREEN'?"},
	{"skb->len == -1", "its type is unsigned: it is never negative"},
	{"skb->len < 0", "its type is unsigned: it is never negative"},
	{"level < 3", "its BTF does not say whether the enum has a sign, as that of clang 14: "
		      "compare with == or != and a constant"},
	{"number == 0x8000000000000000", "0x8000000000000000: its type is signed and has no such "
					 "value"},
	{"shape->text == 5", "text can be shown, but not compared"},
};

static void test_errors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct arg_path path;
		char text[400];
		int err = resolve(errors[i].spec, text, sizeof(text), &path);

		if (!err || strcmp(text, errors[i].want))
			fail_msg("%s: %d %s", errors[i].spec, err, text);
	}
}

static const struct {
	const char *spec;
	__u64 value;
	const char *want;
} values[] = {
	{"number", -5, "-5"},
	{"skb->len", 4294967295, "4294967295"},
	{"color", 7, "GREEN"},
	{"color", 8, "8"},
	{"flag", 1, "true"},
	{"flag", 0, "false"},
	{"nothing", 0x10, "0x10"},
	{"shape->text", 0x4141414141414141, "AAAAA"},
	{"shape->text", 0x1b62, "b\\x1b"},
};

static void test_values(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		__u64 value[2] = {values[i].value};
		struct arg_path path;
		char text[400];

		assert_int_equal(resolve(values[i].spec, text, sizeof(text), &path), 0);
		assert_string_equal(arg_path__format(&path, value, text), values[i].want);
	}
}

/* Without the kernel's BTF, only the types in the program's BTF are known. */
static void test_no_kernel(void **state)
{
	struct btf *saved = kernel;
	struct arg_path path;
	char text[400];

	kernel = NULL;
	assert_int_equal(resolve("task->pid", text, sizeof(text), &path), 0);
	assert_string_equal(text, "0 4: 4 bytes, signed integer");
	assert_int_equal(resolve("skb->len", text, sizeof(text), &path), -ENOENT);
	assert_string_equal(text, "the kernel's BTF has no struct sk_buff");
	kernel = saved;
}

static int make(void **state)
{
	make_kernel();
	make_program();
	return 0;
}

static int free_all(void **state)
{
	btf__free(kernel);
	btf__free(program);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_no_kernel),
	};

	return cmocka_run_group_tests(tests, make, free_all);
}
