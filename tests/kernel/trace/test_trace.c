// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof trace records exactly the requested invocations, writes correct records, and
 * counts missing records.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/trace/packets.h"
#include "tests/progs/slow.h"

#define PCAP "/tmp/ktest-trace.pcap"
#define OUTPUT "/tmp/ktest-trace"
#define RUNS 100000
#define SLOW_RUNS (RUNS / SLOW_PERIOD)
#define PACKET_SZ 64 /* size of the packet of drive testrun */

/* ---- the output of bprof ---- */

/* Returns the output lines that have a member `key`. The caller frees the array. */
static json_t *lines_with(const struct run *r, const char *key)
{
	json_t *all = json_array(), *line;
	const char *text = r->out;
	json_error_t error;

	while (*text == '{' && (line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error))) {
		text += error.position;
		text += strspn(text, "\n");
		if (json_object_get(line, key))
			json_array_append(all, line);
		json_decref(line);
	}
	if (*text)
		fail_test("not a line of JSON: %.200s\nstderr: %s", text, r->err);
	return all;
}

struct summary {
	json_int_t invocations, matched, records, lost, held;
};

/* Reads the summary. It must be the last line, and must account for each match exactly once. */
static struct summary summary_of(const struct run *r)
{
	json_t *lines = lines_with(r, "summary"), *line = json_array_get(lines, 0);
	struct summary s;

	if (json_array_size(lines) != 1)
		fail_test("no summary: %s\nstderr: %s", r->out, r->err);
	s.invocations = num(line, "summary.invocations");
	s.matched = num(line, "summary.matched");
	s.records = num(line, "summary.records");
	s.lost = num(line, "summary.lost");
	s.held = num(line, "summary.held_back");
	json_decref(lines);
	assert_string_equal(strrchr(r->out, '\n'), "\n");
	assert_int_equal(s.records + s.lost + s.held, s.matched);
	lines = lines_with(r, "why");
	assert_int_equal(json_array_size(lines), s.records);
	json_decref(lines);
	return s;
}

static __u64 word_of(json_t *record)
{
	const char *hex = str(record, "packet.data");
	__u64 word = 0;

	assert_true(strlen(hex) >= 16);
	for (int i = 7; i >= 0; i--) {
		const char byte[] = {hex[2 * i], hex[2 * i + 1], '\0'};

		word = word << 8 | strtoul(byte, NULL, 16);
	}
	return word;
}

/* ---- which invocations ---- */

/* Checks the packets in the capture file. Their times must be the same as in the records. */
static void assert_slow_packets(json_t *records)
{
	struct packet packets[SLOW_RUNS + 1];

	assert_int_equal(packets__read(PCAP, packets, SLOW_RUNS + 1), SLOW_RUNS);
	for (int i = 0; i < SLOW_RUNS; i++) {
		assert_int_equal(packets[i].word, i * SLOW_PERIOD + SLOW_AT);
		assert_int_equal(packets[i].caplen, PACKET_SZ);
		assert_int_equal(packets[i].len, PACKET_SZ);
		assert_int_equal(packets[i].ns, num(json_array_get(records, i), "time_ns"));
	}
}

/*
 * Checks that exactly the slow invocations among 100,000 were recorded. Each invocation writes its
 * number into its packet.
 */
static void assert_slow(const struct run *r, const char *retval)
{
	json_t *records = lines_with(r, "why");
	struct summary s;

	assert_status(r, 0);
	s = summary_of(r);
	assert_int_equal(s.invocations, RUNS);
	assert_int_equal(s.records, SLOW_RUNS);
	for (int i = 0; i < SLOW_RUNS; i++) {
		json_t *record = json_array_get(records, i);

		assert_int_equal(word_of(record), i * SLOW_PERIOD + SLOW_AT);
		assert_int_equal(num(record, "packet.len"), PACKET_SZ);
		assert_string_equal(str(record, "retval_name"), retval);
	}
	assert_slow_packets(records);
	json_decref(records);
}

static void test_retval(void **state)
{
	static const struct {
		const char *prog, *value, *name;
	} cases[] = {
		{"xdp_slow", "XDP_TX", "XDP_TX"},
		{"xdp_slow", "3", "XDP_TX"},
		{"tc_slow", "tc_act_stolen", "TC_ACT_STOLEN"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = load_target(f, "slow", cases[i].prog);
		struct run *r = bprof(f,
				      "trace -j -b %u -e time --retval %s --snap 64 --pcap " PCAP
				      " -- drive testrun %u:%d",
				      t.id, cases[i].value, t.id, RUNS);

		assert_slow(r, cases[i].name);
		unload(f, t);
	}
}

/* Records the slow invocations by a condition on instructions, in the deterministic VM. */
static void test_cost(void **state)
{
	struct fixture *f = *state;
	const char *prog = f->param;
	struct target t = load_target(f, "slow", prog);
	struct run *r;

	r = bprof(f,
		  "trace -j -b %u -e %s --event '%s>200000' --snap 64 --pcap " PCAP
		  " -- drive testrun %u:%d",
		  t.id, exact_event(), exact_event(), t.id, RUNS);
	assert_slow(r, *prog == 'x' ? "XDP_TX" : "TC_ACT_STOLEN");
}

static void test_slower_than(void **state)
{
	struct fixture *f = *state;
	const char *prog = f->param;
	struct target t = load_target(f, "slow", prog);
	struct run *r;

	r = bprof(f,
		  "trace -j -b %u -e %s --slower-than 200us --snap 64 --pcap " PCAP
		  " -- drive testrun %u:%d",
		  t.id, exact_event(), t.id, RUNS);
	assert_slow(r, *prog == 'x' ? "XDP_TX" : "TC_ACT_STOLEN");
}

/*
 * A percentile follows the runs so far. It becomes the usual cost, and from then on, each of the
 * rare slow runs is recorded. Runs that an interrupt hits are also above the percentile.
 */
static void test_percentile(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	struct run *r =
		bprof(f, "-j -b %u -e %s -- drive testrun %u:%d", t.id, exact_event(), t.id, RUNS);
	double usual = real(event_of(row_of(r, t.id), exact_event()), "per_run.p50"), bound;
	json_t *records, *lines, *bounds;
	int slow = 0;

	r = bprof(f, "trace -j -b %u -e '%s>p99.9' --snap 8 -- drive testrun %u:%d", t.id,
		  exact_event(), t.id, 4 * RUNS);
	assert_status(r, 0);
	lines = lines_with(r, "summary");
	bounds = json_object_get(json_object_get(json_array_get(lines, 0), "summary"), "bounds");
	assert_int_equal(json_array_size(bounds), 1);
	bound = real(json_array_get(bounds, 0), "value");
	if (bound != usual)
		fail_test("the percentile is %g, not %g: %s", bound, usual, r->out);
	json_decref(lines);
	assert_true(summary_of(r).matched < 4 * RUNS / 500);
	records = lines_with(r, "why");
	for (size_t i = 0; i < json_array_size(records); i++) {
		json_t *record = json_array_get(records, i);

		assert_true(real(event_of(record, exact_event()), "net") > usual);
		if (word_of(record) % SLOW_PERIOD == SLOW_AT)
			slow++;
		else
			assert_true(real(event_of(record, exact_event()), "net") < SLOW_INSNS);
	}
	json_decref(records);
	/* The first percentile is calculated after 100 ms: after some 40,000 runs. */
	assert_true(slow > 2 * SLOW_RUNS && slow <= 4 * SLOW_RUNS);

	r = bprof(f, "trace -b %u -e '%s>p99.9' -- drive testrun %u:500", t.id, exact_event(),
		  t.id);
	assert_status(r, 0);
	assert_contains(r->out, ">p99.9: not known, too few runs of ");
}

static void test_every(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	struct run *r = bprof(f,
			      "trace -j -b %u -e time --every 300 --snap 8 -- drive -C 1 testrun "
			      "%u:1000 %u:499",
			      t.id, t.id, t.id);
	json_t *records = lines_with(r, "why");

	assert_status(r, 0);
	assert_int_equal(summary_of(r).invocations, 1499);
	assert_int_equal(json_array_size(records), 4);
	for (int i = 0; i < 4; i++) {
		json_t *record = json_array_get(records, i);

		assert_int_equal(word_of(record), 299 + 300 * i);
		assert_int_equal(num(record, "packet.snapped"), 8);
		assert_int_equal(num(record, "packet.len"), PACKET_SZ);
	}
	json_decref(records);
}

/* An invocation is recorded if any condition is true, and the record names all true conditions. */
static void test_any(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	struct run *r = bprof(f,
			      "trace -j -b %u -e time --retval XDP_TX --every %d --snap 8 -- "
			      "drive -C 0 testrun %u:%d",
			      t.id, SLOW_AT + 1, t.id, SLOW_PERIOD);
	json_t *records = lines_with(r, "why"), *why;

	assert_status(r, 0);
	assert_int_equal(json_array_size(records), 1);
	why = json_object_get(json_array_get(records, 0), "why");
	assert_int_equal(json_array_size(why), 2);
	assert_string_equal(json_string_value(json_array_get(why, 0)), "retval");
	assert_string_equal(json_string_value(json_array_get(why, 1)), "every");
	assert_int_equal(word_of(json_array_get(records, 0)), SLOW_AT);
	json_decref(records);
}

/* ---- contents of a record ---- */

/* trace subtracts the same bias as stat, so both show the same net count of a run. */
static void test_net(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_1000");
	struct run *r = bprof(f,
			      "trace -j -b %u -e %s,time --every 1 --limit 100000 -- drive testrun "
			      "%u:500",
			      t.id, exact_event(), t.id);
	json_t *records = lines_with(r, "why");
	int exact = 0;

	assert_status(r, 0);
	assert_int_equal(json_array_size(records), 500);
	for (int i = 0; i < 500; i++) {
		json_int_t net = num(
			json_array_get(json_object_get(json_array_get(records, i), "events"), 0),
			"net");

		assert_true(net >= 1000);
		exact += net == 1000;
	}
	/* a timer interrupt fell into the other invocations */
	printf("# %d of 500 invocations cost exactly 1000\n", exact);
	assert_in_range(exact, 450, 500);
	json_decref(records);
}

static void test_task(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	json_t *records, *record;
	struct run *r;

	r = bprof(f,
		  "trace -j -b %u -e time --every 1 -- sh -c 'echo $$ >" OUTPUT
		  "; exec drive -C 2 testrun %u:3'",
		  t.id, t.id);
	assert_status(r, 0);
	records = lines_with(r, "why");
	assert_int_equal(json_array_size(records), 3);
	for (int i = 0; i < 3; i++) {
		record = json_array_get(records, i);
		assert_int_equal(num(record, "cpu"), 2);
		assert_string_equal(str(record, "comm"), "drive");
		assert_int_equal(num(record, "pid"), atoi(command(f, "cat " OUTPUT)->out));
		assert_int_equal(num(record, "tid"), num(record, "pid"));
		assert_int_equal(num(record, "id"), t.id);
		assert_string_equal(str(record, "retval_name"), "XDP_PASS");
	}
	json_decref(records);
}

/* The frames of the tree's functions in a stack, as bits of a mask. */
#define LEAF 1
#define BRANCH 2
#define ROOT 4

/*
 * Returns which functions of the tree are in the stack. Checks that each frame has a name and none
 * belongs to a probe.
 */
static int tree_frames(json_t *stack)
{
	static const char *const names[] = {"_leaf+0x", "_branch+0x", "_xdp_tree+0x"};
	int found = 0;

	for (size_t i = 0; i < json_array_size(stack); i++) {
		const char *symbol = json_string_value(json_array_get(stack, i));

		if (!strchr(symbol, '+') || strstr(symbol, "bprof_") ||
		    strstr(symbol, "bpf_trampoline") || !strncmp(symbol, "_e", 2))
			fail_test("frame %zu: %s", i, symbol);
		for (int k = 0; k < 3; k++)
			if (strstr(symbol, names[k])) {
				/* from the innermost to the outermost function */
				assert_true(found < 1 << k);
				found |= 1 << k;
			}
	}
	return found;
}

static int trace_tree(struct fixture *f, __u32 id, const char *func, size_t *frame_cnt)
{
	struct run *r = bprof(f, "trace -j -b %u%s -e time --every 1 --stack -- drive testrun %u:1",
			      id, func, id);
	json_t *records, *stack;
	int found;

	assert_status(r, 0);
	records = lines_with(r, "why");
	assert_true(json_array_size(records) > 0);
	stack = json_object_get(json_array_get(records, 0), "stack");
	found = tree_frames(stack);
	*frame_cnt = json_array_size(stack);
	json_decref(records);
	return found;
}

/*
 * The stack begins with the target and has no frame of the probe. On x86-64, one of the two
 * innermost functions is missing: the target's caller or, since Linux 6.19, the target. Each frame
 * has a name, even with settings that hide BPF programs and trampolines from /proc/kallsyms.
 * *param: such a setting, and its values now and afterwards.
 */
static void test_stack(void **state)
{
	struct fixture *f = *state;
	const char *const *hide = f->param;
	int leaf, root;
	size_t leaf_cnt, root_cnt;
	struct target t;

	if (hide)
		write_file(hide[0], hide[1]);
	t = load_target(f, "tree", "xdp_tree");
	leaf = trace_tree(f, t.id, ":leaf", &leaf_cnt);
	root = trace_tree(f, t.id, "", &root_cnt);
	if (hide)
		write_file(hide[0], hide[2]);
	assert_true(leaf_cnt > 4 && root_cnt > 0);
	if (!arch_is("x86_64"))
		assert_int_equal(leaf, LEAF | BRANCH | ROOT);
	else if (leaf != (LEAF | ROOT))
		assert_int_equal(leaf, BRANCH | ROOT);
	assert_int_equal(root, leaf & LEAF ? ROOT : 0);
}

/* The names of BPF functions are the same as in /proc/kallsyms. */
static void test_stack_kallsyms(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	struct run *r = bprof(f,
			      "trace -j -b %u:branch -e time --every 1 --stack -- "
			      "drive testrun %u",
			      t.id, t.id);
	const char *symbol;
	int cnt = 0;

	assert_status(r, 0);
	for (symbol = r->out; (symbol = strstr(symbol, "\"bpf_prog_")); cnt++) {
		int len = strcspn(++symbol, "+\"");

		assert_status(command(f, "grep -q '%.*s' /proc/kallsyms", len, symbol), 0);
	}
	assert_true(cnt > 0);
}

/* If a program is loaded while bprof traces, its name is in the stacks, after each reload. */
static void test_stack_reloaded(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "stack", "tp_print");
	struct run *r;

	if (arch_is("x86_64") && !kernel_is("7"))
		skip_test("stack_reloaded", "the stack ends with the target");
	assert_non_null(try_attach(f, t));
	r = bprof(f,
		  "trace -j -o " OUTPUT " -b %u -e time --every 1 --stack -- sh -c '"
		  "for i in 1 2 3; do n=$(grep -c _xdp_print+0x " OUTPUT "); "
		  "drive run --obj progs/stack.bpf.o:xdp_print -- sh -c \""
		  "until [ \\$(grep -c _xdp_print+0x " OUTPUT ") -gt $n ]; do "
		  "drive testrun \\$PROG_ID_xdp_print:1; sleep .1; done\"; done'",
		  t.id);
	assert_status(r, 0);
}

/*
 * The record of a subprogram has no packet, but the right return value. The trampoline stores the
 * return value after the saved arguments. For add, it saves five arguments, because the verifier
 * does not rely on this function's prototype.
 */
static void test_subprogram(void **state)
{
	static const struct {
		const char *func;
		int calls; /* calls per run */
	} cases[] = {{"add", 2}, {"empty_5", 1}, {"empty_0", 1}};
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r =
			bprof(f, "trace -j -b '%u:%s' -e time --retval 0 -- drive testrun %u:5",
			      t.id, cases[i].func, t.id);
		json_t *records = lines_with(r, "why"), *first = json_array_get(records, 0);

		assert_status(r, 0);
		assert_int_equal(json_array_size(records), 5 * cases[i].calls);
		assert_string_equal(str(first, "func"), cases[i].func);
		assert_int_equal(num(first, "retval"), 0);
		assert_null(json_object_get(first, "packet"));
		json_decref(records);
	}
}

/* A record of a packet with fragments has the total length and the bytes of the linear part. */
static void test_parts(void **state)
{
	static char packet[9000];
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_parts");
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = 1);
	json_t *records, *record;
	struct packet captured[2];
	struct child *c;
	struct run *r;

	c = bprof_start(f,
			"trace -j -b %u -e time --every 1 --snap 16384 --pcap " PCAP " -o " OUTPUT
			" -- sh -c 'echo ready; exec sleep 1000'",
			t.id);
	assert_string_equal(child_line(c), "ready");
	memset(packet, 'p', sizeof(packet));
	assert_int_equal(bpf_prog_test_run_opts(t.fd, &opts), 0);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " OUTPUT);
	records = lines_with(r, "why");
	assert_int_equal(json_array_size(records), 1);
	record = json_array_get(records, 0);
	assert_int_equal(num(record, "packet.len"), sizeof(packet));
	assert_true(json_is_true(json_object_get(json_object_get(record, "packet"), "in_parts")));
	assert_in_range(num(record, "packet.snapped"), 1000, 8999);
	assert_int_equal(word_of(record), 0x7070707070707070);
	assert_int_equal(packets__read(PCAP, captured, 2), 1);
	assert_int_equal(captured[0].len, sizeof(packet));
	assert_int_equal(captured[0].caplen, num(record, "packet.snapped"));
	json_decref(records);
}

/*
 * The record has the VLAN tag that the kernel keeps beside the packet, and the capture has it in
 * the packet. The run without a tag does not get that of the run before.
 */
static void test_vlan(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "vlan", "tc_tag");
	struct run *r = bprof(f,
			      "trace -j -b %u -e time --every 1 --snap 64 --pcap " PCAP
			      " -- drive -C 0 testrun %u:1 %u:1",
			      t.id, t.id, t.id);
	json_t *records = lines_with(r, "why"), *tagged, *popped;
	struct packet captured[3];

	assert_status(r, 0);
	assert_int_equal(json_array_size(records), 2);
	tagged = json_array_get(records, 0);
	popped = json_object_get(json_array_get(records, 1), "packet");
	assert_int_equal(num(tagged, "packet.vlan_proto"), 0x88a8);
	assert_int_equal(num(tagged, "packet.vlan_tci") & 0xefff, 0x2005);
	assert_null(json_object_get(popped, "vlan_proto"));
	assert_int_equal(packets__read(PCAP, captured, 3), 2);
	assert_int_equal(captured[0].len, num(tagged, "packet.len") + 4);
	assert_int_equal(captured[0].caplen, num(tagged, "packet.snapped") + 4);
	assert_int_equal(captured[1].len, num(json_array_get(records, 1), "packet.len"));
	json_decref(records);
}

/*
 * Old kernels do not pass on the packet to the probes of a main function without arguments. Then
 * the records of that function have no packet, and the records of the other program do.
 */
static void test_bare(void **state)
{
	static const char *const progs[] = {"xdp_bare", "tc_bare"};
	const bool hidden = kernel_is("5.10") || kernel_is("6.1");
	struct fixture *f = *state;
	struct target usual = load_target(f, "retval", "xdp_two");

	for (int i = 0; i < 2; i++) {
		struct target bare = load_target(f, "retval", progs[i]);
		struct packet captured[9];
		struct run *r = bprof(f,
				      "trace -j -b %u,%u -e time --every 1 --pcap " PCAP
				      " -- drive testrun %u:4 %u:4",
				      usual.id, bare.id, usual.id, bare.id);
		json_t *records = lines_with(r, "why"), *record;

		assert_status(r, 0);
		assert_int_equal(json_array_size(records), 8);
		for (size_t k = 0; (record = json_array_get(records, k)); k++)
			if (num(record, "id") == bare.id && hidden)
				assert_null(json_object_get(record, "packet"));
			else
				assert_int_equal(num(record, "packet.len"), PACKET_SZ);
		assert_int_equal(packets__read(PCAP, captured, 9), hidden ? 4 : 8);
		assert_int_equal(!!strstr(r->err, "no packets are recorded"), hidden);
		json_decref(records);
		r = bprof(f, "trace -b %u -e time --every 1 --snap 64 -- drive testrun %u:1",
			  bare.id, bare.id);
		assert_status(r, hidden ? 1 : 0);
		r = bprof(f, "trace -b %u -e time --every 1 -- drive testrun %u:1", bare.id,
			  bare.id);
		assert_contains(r->out, hidden ? "  -  every" : " 64  every");
	}
}

/* ---- missing records are counted ---- */

static json_int_t sum_of_lines(const struct run *r, const char *key)
{
	json_t *lines = lines_with(r, key);
	json_int_t sum = 0;

	for (size_t i = 0; i < json_array_size(lines); i++)
		sum += num(json_array_get(lines, i), key);
	json_decref(lines);
	return sum;
}

static void test_storm(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct summary s;
	struct run *r;

	r = bprof(f, "trace -j -b %u -e time --every 1 --limit 50 -- drive testrun %u:%d", t.id,
		  t.id, RUNS);
	assert_status(r, 0);
	s = summary_of(r);
	assert_int_equal(s.invocations, RUNS);
	assert_int_equal(s.matched, RUNS);
	assert_true(s.records >= 50 && s.held > 0);
	/* The JSON lines report how many records were held back because of --limit. */
	assert_int_equal(sum_of_lines(r, "held_back"), s.held);
	/* The text format reports the number of held-back records, too. */
	r = bprof(f, "trace -b %u -e time --every 1 --limit 50 -- drive testrun %u:%d", t.id, t.id,
		  RUNS);
	assert_contains(r->out, " records held back: at most 50 per program, CPU");
	assert_contains(r->out, "# 100,000 invocations in ");
}

/* Returns the number of lines in the file that match so far. */
static int line_cnt(struct fixture *f, const char *pattern)
{
	return atoi(command(f, "grep -c %s " OUTPUT, pattern)->out);
}

/* The summary adds up the records of all programs, also those that were held back. */
static void test_sums(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass"),
		      idle = load_target(f, "xdp", "xdp_pass");
	struct summary s;
	struct run *r;

	r = bprof(f, "trace -j -b %u,%u -e time --every 1 --limit 1 -- drive testrun %u:1000", t.id,
		  idle.id, t.id);
	assert_status(r, 0);
	s = summary_of(r);
	assert_int_equal(s.invocations, 1000);
	assert_int_equal(s.matched, 1000);
	assert_true(s.records > 0 && s.held > 0);
}

/*
 * If the reader of bprof's output stops, records are lost, but the traced programs continue. The
 * summary adds up the lost records of all programs.
 */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass"),
		      idle = load_target(f, "xdp", "xdp_pass");
	int runs = 20000;
	struct summary s;
	struct child *c;
	struct run *r;

	command(f, "rm -f " OUTPUT);
	c = bprof_start(f,
			"trace -j -C 0 -b %u,%u -e time --every 1 --limit 1000000 -o " OUTPUT
			" -- sh -c 'echo ready; exec sleep 1000'",
			t.id, idle.id);
	assert_string_equal(child_line(c), "ready");
	child_signal(c, SIGSTOP);
	assert_status(command(f, "drive -C 0 testrun %u:%d", t.id, runs), 0);
	child_signal(c, SIGCONT);
	/* the next record that is written reports the number of records lost before it */
	while (!line_cnt(f, "^..lost") && !hangs()) {
		usleep(10000);
		assert_status(command(f, "drive -C 0 testrun %u:10", t.id), 0);
		runs += 10;
	}
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " OUTPUT);
	s = summary_of(r);
	assert_int_equal(s.invocations, runs);
	assert_int_equal(s.matched, runs);
	assert_true(s.lost > 0 && s.records > 0);
	assert_in_range(sum_of_lines(r, "lost"), 1, s.lost);
}

/*
 * trace runs until SIGINT or SIGTERM, and its output is complete, although the owner releases the
 * target meanwhile: bprof holds a reference.
 */
static void test_interrupted(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	int sig = (uintptr_t)f->param;
	__u32 id = t.id;
	struct child *c;
	struct summary s;

	command(f, "rm -f " OUTPUT);
	c = bprof_start(f, "trace -j -b %u -e time --every 100 --snap 8 -o " OUTPUT, t.id);
	/* wait for the first record, which must be written long before the end */
	do
		drive(t, 100);
	while (!line_cnt(f, "why") && !hangs());
	unload(f, t);
	assert_status(command(f, "drive testrun %u:500", id), 0);
	child_signal(c, sig);
	assert_status(child_wait(f, c), 0);
	s = summary_of(command(f, "cat " OUTPUT));
	assert_true(s.records >= 6 && s.invocations >= 600);
	assert_true(s.held + s.lost == 0);
}

/* ---- refused options and targets ---- */

static void test_refusals(void **state)
{
	static const struct {
		const char *options;
		int status;
		const char *text;
	} cases[] = {
		{"", 2, "no condition: give --slower-than"},
		{"--every 1 --retval 2", 2, "other conditions change nothing"},
		{"--every 0", 2, "--every 0: give a whole number, at least 1"},
		{"--slower-than soon", 2,
		 "write a time as 5s, 200ms or 10us; a number without a unit is in ms"},
		{"--event 'instructions>'", 2, "no value"},
		{"--event 'nosuchevent>5'", 2, "nosuchevent"},
		{"--event 'time>5' --event 'time>7'", 2, "one of the two is enough"},
		{"--event 'time>5' --event 'time<7'", 2, "true for every invocation"},
		{"--retval XDP_NONSENSE", 2, "--retval XDP_NONSENSE: give a number, or a name"},
		{"--retval TC_ACT_SHOT", 1, "--retval TC_ACT_SHOT: no target's type has"},
		{"--every 1 --snap 16385", 2, "from 1 to 16384"},
		{"--every 1 --pcap -", 2, "--pcap -"},
		{"--every 1 --pcap /nonexistent/p", 1, "/nonexistent/p: cannot be written"},
		{"--every 1 --pcap " PCAP " -o " PCAP, 2, "-o and --pcap: choose two files"},
		{"--every 1 -a -C 0", 2, "-a and -C"},
		{"--every 1 -x , --stack", 2, "CSV has no columns for stacks"},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target other = load_target(f, "syscall", "syscall_zero");
	struct target tree = load_target(f, "tree", "xdp_tree");
	struct run *r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bprof(f, "trace -b %u -e time %s --timeout 1", t.id, cases[i].options);
		assert_status(r, cases[i].status);
		assert_contains(r->err, cases[i].text);
	}
	r = bprof(f, "trace -b %u -e time --every 1 --pcap " PCAP " --timeout 1", other.id);
	assert_status(r, 1);
	assert_contains(r->err, "no target has packets");
	r = bprof(f, "trace -b '%u:*' -e time --every 1 --timeout 1", tree.id);
	assert_status(r, 1);
	assert_contains(r->err, "these targets may call one another");
	r = bprof(f, "trace -b %u -e time --event '%s>5' --timeout 1", t.id,
		  arch_is("aarch64") ? "L1-dcache-load-misses" : "instructions");
	assert_status(r, 4);
	assert_contains(r->err, "cannot be counted here");
	r = command(f, "drive nobody none bprof trace -b %u -e time --every 1 --timeout 1", t.id);
	assert_status(r, 7);
	assert_contains(r->err, "CAP_");
	assert_contains(r->err, "nothing could be traced");
	assert_null(strstr(r->err, "cycles"));
}

/* When the disk is full, bprof ends at once, although the command continues. */
static void test_disk_full(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	static const struct {
		const char *to, *text;
	} cases[] = {
		{"--pcap /dev/full", "/dev/full: cannot be written: No space left"},
		{"-o /dev/full", "/dev/full: cannot be written: No space left"},
		{"> /dev/full", "standard output: cannot be written: No space left"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r = bprof(f,
				      "trace -b %u -e time --every 1 %s -- sh -c 'drive testrun "
				      "%u:10; exec sleep 1000'",
				      t.id, cases[i].to, t.id);

		assert_status(r, 1);
		assert_contains(r->err, cases[i].text);
		assert_true(strchr(r->err, '\n') == r->err + strlen(r->err) - 1);
	}
}

/*
 * Checks how many instructions trace adds to a run that it does not record (docs/guide-slow-runs.md).
 */
static void test_added_instructions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	double alone, with;

	if (!arch_is("aarch64") || !kernel_is("6.12"))
		skip_test("added_instructions", "no promise is made for this kernel");
	alone = atof(command(f, "drive slope %u", t.id)->out);
	with = atof(bprof(f,
			  "trace -o " OUTPUT " -b %u -e instructions --event "
			  "'instructions>1000000' -- drive slope %u",
			  t.id, t.id)
			    ->out);
	printf("# trace: %.0f instructions added per invocation, at most 1010\n", with - alone);
	assert_true(with - alone > 100 && with - alone <= 1010);
}

static int setup_exact(void **state)
{
	return has_cpus(1) ? setup(state) : -1;
}

#define EXACT_PARAM(test_name, fn, ...) \
	KTEST_FULL(test_name, fn, setup_exact, teardown, __VA_ARGS__)

KTEST_GROUP(trace_exact, "costs in records", NULL, ON(EXACT, CPUS512),
	    EXACT_PARAM("cost_of_xdp", test_cost, "xdp_slow", ALSO_X86),
	    EXACT_PARAM("cost_of_tc", test_cost, "tc_slow", LONG),
	    EXACT_PARAM("slower_than_xdp", test_slower_than, "xdp_slow", LONG),
	    EXACT_PARAM("slower_than_tc", test_slower_than, "tc_slow"),
	    EXACT_PARAM("percentile", test_percentile, 0), EXACT_PARAM("net", test_net, 0),
	    EXACT_PARAM("added_instructions", test_added_instructions, 0));

static const char *const hide_kallsyms[] = {"/proc/sys/net/core/bpf_jit_kallsyms", "0", "1"};
static const char *const hide_harden[] = {"/proc/sys/net/core/bpf_jit_harden", "2", "0"};

KTEST_GROUP(trace, "records of single invocations", NULL, ON(SMP4), KTEST(test_retval),
	    KTEST(test_every, LONG), KTEST(test_any), KTEST(test_task), KTEST(test_stack),
	    KTEST_PARAM("stack_jit_kallsyms", test_stack, hide_kallsyms),
	    KTEST_PARAM("stack_jit_harden", test_stack, hide_harden),
	    KTEST(test_stack_kallsyms, LONG), KTEST(test_stack_reloaded, LONG),
	    KTEST(test_subprogram), KTEST(test_parts), KTEST(test_vlan), KTEST(test_storm, LONG),
	    KTEST(test_sums), KTEST(test_lost), KTEST_PARAM("SIGINT", test_interrupted, SIGINT),
	    KTEST_PARAM("SIGTERM", test_interrupted, SIGTERM), KTEST(test_disk_full),
	    KTEST(test_refusals));

KTEST_GROUP(trace_bare, "records of programs whose main takes no argument", NULL, ON(SMP4, OLD),
	    KTEST(test_bare));
