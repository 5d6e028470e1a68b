// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof trace shows the values that arguments have in the kernel, and records exactly
 * the invocations for whose arguments a condition is true. The measured costs do not change.
 */
#include <string.h>
#include <sys/syscall.h>

#include "tests/kernel/harness.h"

#define LENGTHS "64 100 1000 1001 1500 65"
static const int lengths[] = {64, 100, 1000, 1001, 1500, 65};
#define CNT 6
#define VETH "ctx0"

/* Returns the records in the output. The caller frees the array. */
static json_t *records_of(const struct run *r)
{
	json_t *all = json_array(), *line;
	const char *text = r->out;
	json_error_t error;

	assert_status(r, 0);
	while (*text == '{' && (line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error))) {
		text += error.position;
		text += strspn(text, "\n");
		if (json_object_get(line, "why"))
			json_array_append(all, line);
		json_decref(line);
	}
	return all;
}

static json_t *arg_of(json_t *records, size_t record, size_t arg)
{
	json_t *args = json_object_get(json_array_get(records, record), "args");

	if (!json_array_get(args, arg))
		fail_test("record %zu has no argument %zu", record, arg);
	return json_array_get(args, arg);
}

static json_int_t value_of(json_t *records, size_t record, size_t arg)
{
	json_t *value = json_object_get(arg_of(records, record, arg), "value");

	if (!json_is_integer(value))
		fail_test("record %zu, argument %zu: no number", record, arg);
	return json_integer_value(value);
}

/* Traces a program on a veth. Packets of these lengths are sent to the veth. */
static struct run *trace_veth(struct fixture *f, const char *hook, struct target t,
			      const char *options)
{
	return bprof(f,
		     "trace -j -b %u -e time %s -- drive attached %s %u drive lengths " VETH
		     " " LENGTHS,
		     t.id, options, hook, t.id);
}

/* A tc program gets the kernel's struct sk_buff. Expressions may use the names of both structs. */
static void test_tc(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "args", "tc_args");
	struct run *r =
		trace_veth(f, "tc_egress", t,
			   "--every 1 --arg 'skb->len' --arg 'ctx->dev->name' "
			   "--arg 'skb.protocol' --arg 'skb->sk->sk_family' --arg 'skb->cb[4]'");
	json_t *records = records_of(r);

	assert_int_equal(json_array_size(records), CNT);
	for (int i = 0; i < CNT; i++) {
		assert_int_equal(value_of(records, i, 0), lengths[i]);
		assert_string_equal(str(arg_of(records, i, 0), "expr"), "skb->len");
		assert_int_equal(num(json_array_get(records, i), "packet.len"), lengths[i]);
		assert_string_equal(str(arg_of(records, i, 1), "text"), VETH);
		assert_int_equal(value_of(records, i, 2), 8);  /* ETH_P_IP, in network byte order */
		assert_int_equal(value_of(records, i, 3), 17); /* AF_PACKET */
		assert_int_equal(value_of(records, i, 4), 0);
	}
	json_decref(records);
}

/*
 * The context of an XDP program is the kernel's struct xdp_buff. Expressions may also name fields
 * of struct xdp_md, whose values are in other places.
 */
static void test_xdp(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "args", "xdp_args");
	struct run *r = trace_veth(f, "xdp_native", t,
				   "--every 1 --arg 'packet->len' --arg 'ctx->ingress_ifindex' "
				   "--arg 'ctx->rxq->dev->ifindex' --arg 'xdp->rxq->dev->name' "
				   "--arg 'ctx->rx_queue_index'");
	json_t *records = records_of(r);

	assert_int_equal(json_array_size(records), CNT);
	for (int i = 0; i < CNT; i++) {
		assert_int_equal(value_of(records, i, 0), lengths[i]);
		assert_true(value_of(records, i, 1) > 1);
		assert_int_equal(value_of(records, i, 1), value_of(records, i, 2));
		assert_string_equal(str(arg_of(records, i, 3), "text"), "ctx1");
		assert_int_equal(value_of(records, i, 4), 0);
	}
	json_decref(records);
}

/* A condition records exactly the runs in which it is true. */
static void test_condition(void **state)
{
	static const struct {
		const char *condition;
		int cnt, length[CNT];
	} cases[] = {
		{"len>1000", 2, {1001, 1500}},
		{"len>=1000", 3, {1000, 1001, 1500}},
		{"len < 0x64", 2, {64, 65}},
		{"len <= 100", 3, {64, 100, 65}},
		{"len == 1500", 1, {1500}},
		{"len & 1", 2, {1001, 65}},
		{"len != 64", 5, {100, 1000, 1001, 1500, 65}},
	};
	struct fixture *f = *state;
	const char *hook = f->param;
	struct target t = load_target(f, "args", *hook == 'x' ? "xdp_args" : "tc_args");
	char options[128], spec[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *records;

		snprintf(spec, sizeof(spec), "ctx->%s", cases[i].condition);
		snprintf(options, sizeof(options), "--arg '%s'", spec);
		records = records_of(trace_veth(f, hook, t, options));
		if (json_array_size(records) != (size_t)cases[i].cnt)
			fail_test("%s: %zu records", cases[i].condition, json_array_size(records));
		for (int k = 0; k < cases[i].cnt; k++) {
			json_t *why = json_object_get(json_array_get(records, k), "why");

			assert_int_equal(value_of(records, k, 0), cases[i].length[k]);
			assert_int_equal(json_array_size(why), 1);
			assert_string_equal(json_string_value(json_array_get(why, 0)), spec);
		}
		json_decref(records);
	}
}

static void assert_not_read(json_t *records, size_t record, size_t arg)
{
	assert_string_equal(str(arg_of(records, record, arg), "status"), "not_read");
	assert_null(json_object_get(arg_of(records, record, arg), "value"));
	assert_null(json_object_get(arg_of(records, record, arg), "text"));
}

/*
 * Tests the arguments of a function of the program, whose types are in the program's BTF. Nothing
 * is read through a NULL pointer.
 */
static void test_function(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "args", "xdp_located");
	struct run *r =
		bprof(f,
		      "trace -j -b %u:locate -e time --every 1 --arg 'point->x' "
		      "--arg 'point->y' --arg 'point->away[1]' --arg 'point->name' --arg port "
		      "--arg point --arg 'ctx->len' --arg 'ctx->data' -- drive testrun %u:1",
		      t.id, t.id);
	json_t *records = records_of(r);

	assert_int_equal(json_array_size(records), 2);
	assert_int_equal(value_of(records, 0, 0), -3);
	assert_int_equal(value_of(records, 0, 1), 1900);
	assert_int_equal(value_of(records, 0, 2), -2);
	assert_string_equal(str(arg_of(records, 0, 3), "text"), "north");
	assert_int_equal(value_of(records, 0, 4), -7);
	for (int i = 0; i < 4; i++)
		assert_not_read(records, 1, i);
	assert_int_equal(value_of(records, 1, 4), 8);
	assert_string_equal(str(arg_of(records, 1, 5), "text"), "0x0");
	for (int i = 0; i < 2; i++)
		assert_int_equal(value_of(records, i, 6), 64);
	json_decref(records);

	/* If a value cannot be read, no condition on it is true. */
	r = bprof(f, "trace -j -b %u:locate -e time --arg 'point->x != 5' -- drive testrun %u:1",
		  t.id, t.id);
	records = records_of(r);
	assert_int_equal(json_array_size(records), 1);
	assert_int_equal(value_of(records, 0, 0), -3);
	json_decref(records);
}

/* The text has the values of arguments in columns. "-" means that the value could not be read. */
static void test_text(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "args", "xdp_located");
	struct run *r = bprof(f,
			      "trace -b %u:locate -e time --every 1 --arg 'point->name' "
			      "--arg 'port' -- drive testrun %u:1",
			      t.id, t.id);

	assert_status(r, 0);
	assert_contains(r->out, "  point->name    port  ");
	assert_contains(r->out, "       north      -7 ");
	assert_contains(r->out, "           -       8 ");
}

/* The first argument of getsid(2) is the process id of the caller. */
static void assert_getsid(struct fixture *f, const char *file, const char *prog, const char *arg)
{
	struct target t = load_target(f, file, prog);
	struct run *r;
	json_t *records;

	assert_non_null(try_attach(f, t));
	r = bprof(f, "trace -j -b %u -e time --every 1 --arg '%s' -- drive getsid 3", t.id, arg);
	records = records_of(r);
	assert_int_equal(json_array_size(records), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(value_of(records, i, 0), num(json_array_get(records, i), "pid"));
	json_decref(records);
}

static void test_tracepoint(void **state)
{
	assert_getsid(*state, "args", "tp_args", "ctx->args[0]");
}

/*
 * The arguments of a raw tracepoint are numbers. Here, the second one is the number of the system
 * call.
 */
static void test_raw_tp(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "args", "raw_tp_args");
	json_t *records;

	assert_non_null(try_attach(f, t));
	records = records_of(bprof(f,
				   "trace -j -b %u -e time --arg 'ctx->args[1] == %d' -- "
				   "drive getsid 3",
				   t.id, __NR_getsid));
	assert_int_equal(json_array_size(records), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(value_of(records, i, 0), __NR_getsid);
		assert_string_equal(str(json_array_get(records, i), "comm"), "drive");
	}
	json_decref(records);
}

/* A kprobe gets the registers. This register has the first argument of a system call's function. */
static void test_kprobe(void **state)
{
	struct fixture *f = *state;
	const char *reg = arch_is("aarch64") ? "ctx->regs[0]" : "ctx->di";
	struct target t = load_target(f, "args", "kprobe_args");
	json_t *records;

	assert_non_null(try_attach(f, t));
	/* The argument is a kernel address: that of the caller's registers. */
	records = records_of(bprof(f,
				   "trace -j -b %u -e time --arg '%s >= 0xffff000000000000' -- "
				   "drive getsid 3",
				   t.id, reg));
	assert_int_equal(json_array_size(records), 3);
	json_decref(records);
	records = records_of(
		bprof(f, "trace -j -b %u -e time --arg '%s & 7' -- drive getsid 3", t.id, reg));
	assert_int_equal(json_array_size(records), 0);
	json_decref(records);
}

/* The arguments of an LSM hook have their names and types in the kernel: here, p is the task. */
static void test_lsm(void **state)
{
	if (arch_is("aarch64") && kernel_is("6.1"))
		skip_test("lsm", "it cannot be attached");
	assert_getsid(*state, "lsm", "lsm_getsid", "p->tgid");
	assert_getsid(*state, "lsm", "lsm_getsid", "ctx[0]->tgid");
}

/* With arguments, and with conditions on them, a run costs the same as without arguments. */
static void test_net(void **state)
{
	static const char *const options[] = {
		"",
		"--arg 'ctx->ingress_ifindex' --arg 'ctx->len'",
		"--arg 'ctx->len > 1' --arg ctx",
		"--arg 'ctx->rxq->dev->name' --arg 'ctx->len' --stack",
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_1000");

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct run *r = bprof(f,
				      "trace -j -b %u -e %s %s%s --limit 100000 -- drive testrun "
				      "%u:500",
				      t.id, exact_event(), i == 2 ? "" : "--every 1 ", options[i],
				      t.id);
		json_t *records = records_of(r);
		int exact = 0;

		assert_int_equal(json_array_size(records), 500);
		for (int k = 0; k < 500; k++)
			exact += num(event_of(json_array_get(records, k), exact_event()), "net") ==
				 1000;
		printf("# '%s': %d of 500 invocations cost exactly 1000\n", options[i], exact);
		assert_in_range(exact, 450, 500);
		json_decref(records);
	}
}

/* A target without the argument is skipped. The other targets are traced. */
static void test_mixed(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "args", "xdp_args");
	struct target tc = load_target(f, "args", "tc_args");
	struct run *r =
		bprof(f,
		      "trace -j -b %u,%u -e time --every 1 --arg 'skb->len' -- drive testrun "
		      "%u:2 %u:3",
		      xdp.id, tc.id, xdp.id, tc.id);
	json_t *records = records_of(r);

	assert_int_equal(json_array_size(records), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(num(json_array_get(records, i), "id"), tc.id);
	json_decref(records);
	assert_contains(r->err, "has no argument 'skb'; its arguments are packet");

	/* A target needs only one of the arguments. */
	r = bprof(f,
		  "trace -j -b %u,%u -e time --every 1 --arg 'skb->len' --arg 'packet->len' -- "
		  "drive testrun %u:2 %u:3",
		  xdp.id, tc.id, xdp.id, tc.id);
	records = records_of(r);
	assert_int_equal(json_array_size(records), 5);
	for (int i = 0; i < 5; i++) {
		bool is_tc = num(json_array_get(records, i), "id") == tc.id;

		assert_not_read(records, i, is_tc);
		assert_int_equal(value_of(records, i, !is_tc), 64);
	}
	json_decref(records);
}

static void test_refused(void **state)
{
	static const struct {
		const char *prog, *arg, *text;
	} cases[] = {
		{"tc_args", "skb->lne",
		 "struct sk_buff, which the kernel has for struct __sk_buff, "
		 "has no member 'lne'; did you mean 'len'?"},
		{"tc_args", "foo->len", "it has no argument 'foo'; its arguments are skb"},
		{"tc_args", "skb-", "is in quotes"},
		{"tc_args", "skb->", "no name of a member"},
		{"tc_args", "skb->len > many", "'many' is no number"},
		{"tc_args", "skb->dev->name == 3", "text can be shown, but not compared"},
		{"tc_args", "skb->dev->dev.parent->parent->parent->id",
		 "it follows more than 4 pointers"},
		{"tc_args", "skb->cb[5]", "[5]: the array has 5 elements"},
		{"xdp_located:without_second", "last", "it is a static function that does not use"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char prog[32];
		const char *func = strchr(cases[i].prog, ':') ?: "";
		struct target t;
		struct run *r;

		snprintf(prog, sizeof(prog), "%.*s", (int)strcspn(cases[i].prog, ":"),
			 cases[i].prog);
		t = load_target(f, "args", prog);
		r = bprof(f, "trace -b %u%s --every 2 --arg '%s' -- true", t.id, func,
			  cases[i].arg);
		assert_status(r, 2);
		assert_contains(r->err, cases[i].text);
	}
}

static int setup_veth(void **state)
{
	static const char *const modules[] = {"veth", "sch_ingress", "cls_bpf"};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!load_module(modules[i]))
			return -1;
	return setup(state);
}

#define VETH_TEST(name, fn, ...) KTEST_FULL(name, fn, setup_veth, teardown, __VA_ARGS__)

/*
 * FROM(6.1): Linux 5.10 does not load xdp_located, whose functions get pointers to the stack, and does
 * not tell the arguments of LSM hooks.
 */
KTEST_GROUP(trace_args, "arguments of recorded invocations", NULL, ON(EXACT),
	    VETH_TEST("tc", test_tc, NULL), VETH_TEST("xdp", test_xdp, NULL),
	    VETH_TEST("condition_tc", test_condition, "tc_egress", LONG),
	    VETH_TEST("condition_xdp", test_condition, "xdp_native", LONG),
	    KTEST(test_function, FROM(6.1), LONG), KTEST(test_text, FROM(6.1), ALSO_X86),
	    KTEST(test_tracepoint), KTEST(test_raw_tp), KTEST(test_kprobe, LONG),
	    KTEST(test_lsm, FROM(6.1), LONG), KTEST(test_net, LONG), KTEST(test_mixed),
	    KTEST(test_refused, FROM(6.1)));
