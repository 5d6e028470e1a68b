// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests every program type: the test runs a program exactly N times, and bprof must report N runs.
 * Each type is one row of the table.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernel/harness.h"

struct type_case {
	const char *file, *prog;
	const char *type;  /* name of the type in bprof */
	const char *drive; /* drive's command that runs the program, or NULL for testrun */
	__u64 runs;
	bool attach;
	const char *may_skip; /* the name of the test in the table of skips.c, or NULL */
};

static const struct type_case cases[] = {
	{"xdp", "xdp_pass", "xdp", NULL, 1000, .attach = false},
	{"xdp_fw", "xdp_fw", "xdp", NULL, 1000, .attach = false},
	{"xdp_lb", "xdp_lb", "xdp", NULL, 1000, .attach = false},
	{"work", "xdp_map", "xdp", NULL, 1000, .attach = false},
	{"work", "xdp_long", "xdp", NULL, 200, .attach = false},
	{"subprogs", "xdp_subprogs", "xdp", NULL, 1000, .attach = false},
	{"skb", "tc_mark", "sched_cls", NULL, 1000, .attach = false},
	{"skb", "cgroup_allow", "cgroup_skb", NULL, 1000, .attach = false},
	{"trace", "raw_tp_rename", "raw_tracepoint", NULL, 300, .attach = false},
	{"trace", "tp_getsid", "tracepoint", "getsid", 300, .attach = true},
	{"trace", "kprobe_getsid", "kprobe", "getsid", 300, .attach = true, .may_skip = "kprobe"},
	{"lsm", "lsm_getsid", "lsm", "getsid", 300, .attach = true, .may_skip = "lsm"},
	{"syscall", "syscall_zero", "syscall", NULL, 300, .attach = false},
};

static void measure(struct fixture *f, const struct type_case *c, struct target t)
{
	char drive[128];
	struct run *r;
	json_t *row;

	if (c->drive)
		snprintf(drive, sizeof(drive), "%s %llu", c->drive, c->runs);
	else
		snprintf(drive, sizeof(drive), "testrun %u:%llu", t.id, c->runs);
	r = bprof(f, "-j -b %u -e %s,time -- drive %s", t.id, machine_event(), drive);
	assert_status(r, 0);
	assert_counted(r, t.id, c->runs);
	row = row_of(r, t.id);
	assert_string_equal(str(row, "type"), c->type);
	assert_string_equal(str(row, "name"), c->prog);
	assert_string_equal(str(row, "func"), c->prog);
	assert_int_equal(json_array_size(json_object_get(row, "events")), 2);
	for (int i = 0; i < 2; i++) {
		json_t *ev = event_of(row, i ? "time" : machine_event());

		assert_string_equal(str(ev, "status"), "ok");
		assert_int_equal(num(ev, "measured"), c->runs);
	}
}

static void test_type(void **state)
{
	struct fixture *f = *state;
	const struct type_case *c = f->param;
	struct target t;

	t = load_target(f, c->file, c->prog);
	if (c->attach && !try_attach(f, t)) {
		if (!c->may_skip)
			fail_test("%s: cannot be attached: %s", c->prog, strerror(errno));
		skip_test(c->may_skip, strerror(errno));
	}
	measure(f, c, t);
}

static void test_struct_ops(void **state)
{
	static const struct type_case c = {NULL, "cc_init",	 "struct_ops", "tcpcc bprof_test",
					   200,	 .attach = false};
	struct fixture *f = *state;

	measure(f, &c, load_struct_ops(f));
}

/*
 * If a program ends with a tail call, it is measured up to the end of the program to which it
 * jumps. That program has no runs of its own, because it was not entered through its trampoline.
 */
static void test_tail_call(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/tailcall.bpf.o");
	struct target root, leaf;
	struct run *r;

	if (!obj)
		skip_test("tail_call", strerror(errno));
	root = program_of(obj, "tail_root");
	leaf = program_of(obj, "tail_leaf");
	set_jump(obj, leaf);
	r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:500 %u:7", root.id, leaf.id, root.id,
		  leaf.id);
	assert_status(r, 0);
	assert_counted(r, root.id, 500);
	assert_counted(r, leaf.id, 7);
}

KTEST_GROUP(types, "every program type", NULL, ON(SMP4, RISCV64, ALSO_NEWEST),
	    KTEST_PARAM("xdp", test_type, &cases[0]), KTEST_PARAM("xdp_fw", test_type, &cases[1]),
	    KTEST_PARAM("xdp_lb", test_type, &cases[2]),
	    KTEST_PARAM("xdp_map", test_type, &cases[3]),
	    KTEST_PARAM("xdp_long", test_type, &cases[4]),
	    KTEST_PARAM("xdp_subprogs", test_type, &cases[5]),
	    KTEST_PARAM("tc", test_type, &cases[6]),
	    KTEST_PARAM("cgroup_skb", test_type, &cases[7]),
	    KTEST_PARAM("raw_tracepoint", test_type, &cases[8]),
	    KTEST_PARAM("tracepoint", test_type, &cases[9]),
	    KTEST_PARAM("kprobe", test_type, &cases[10]), KTEST_PARAM("lsm", test_type, &cases[11]),
	    KTEST_PARAM("syscall", test_type, &cases[12]), KTEST(test_struct_ops),
	    KTEST(test_tail_call));
