// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the selection of targets: by id, name, tag, pin, type, struct_ops map and --all, several targets at once,
 * duplicates, and a target that is unloaded.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define MANY 50

static size_t row_cnt(const struct run *r)
{
	return json_array_size(json_object_get(r->json, "programs"));
}

static void test_two_at_once(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "xdp", "xdp_pass");
	struct target b = load_target(f, "skb", "tc_mark");
	struct run *r;

	r = bprof(f, "-j --prog-id %u,%u -e %s,time -- drive testrun %u:123 %u:77 %u:1", a.id, b.id,
		  machine_event(), a.id, b.id, a.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 2);
	assert_counted(r, a.id, 124);
	assert_counted(r, b.id, 77);
}

/*
 * Each target runs a different number of times, so that the test notices a count that is reported
 * for another target.
 */
static void test_fifty_at_once(void **state)
{
	struct fixture *f = *state;
	char ids[MAX_TEXT / 4] = "", runs[MAX_TEXT / 4] = "";
	struct target t[MANY];
	struct run *r;

	for (int i = 0; i < MANY; i++) {
		t[i] = load_target(f, "xdp", "xdp_pass");
		sprintf(ids + strlen(ids), "%s%u", i ? "," : "", t[i].id);
		sprintf(runs + strlen(runs), " %u:%d", t[i].id, i + 1);
	}
	r = bprof(f, "-j -b %s -e %s,time -- drive testrun%s", ids, machine_event(), runs);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), MANY);
	for (int i = 0; i < MANY; i++)
		assert_counted(r, t[i].id, i + 1);
}

static void test_spellings(void **state)
{
	static const char *const options[] = {"--prog-id", "-b", "--bpf-prog", "stat -b"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct run *r =
			bprof(f, "%s %u -j -e time -- drive testrun %u:5", options[i], t.id, t.id);

		assert_status(r, 0);
		assert_counted(r, t.id, 5);
	}
}

static void test_duplicates(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u,%u -b %u --name xdp_pass -e time -- drive testrun %u:9", t.id, t.id,
		  t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	assert_counted(r, t.id, 9);
}

/*
 * The kernel keeps 15 characters of a program's name. bprof reads the full name from the program's
 * BTF, matches it and shows it.
 */
static void test_name(void **state)
{
	static const char full[] = "xdp_with_a_very_long_function_name";
	static const char *const globs[] = {"xdp_with_a_very_long_function_name",
					    "xdp_with_*_function_name", "*long_function*",
					    "xdp_w[ix]th_a_very_long_function_nam?"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", full);
	struct target other = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		struct run *r = bprof(f, "-j --name '%s' -e time -- drive testrun %u:5 %u:3",
				      globs[i], t.id, other.id);

		assert_status(r, 0);
		assert_int_equal(row_cnt(r), 1);
		assert_counted(r, t.id, 5);
		assert_string_equal(str(row_of(r, t.id), "name"), full);
		assert_string_equal(str(row_of(r, t.id), "func"), full);
	}
}

static void test_tag(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_7");
	struct target other = load_target(f, "alu", "xdp_alu_64");
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	char tag[2 * BPF_TAG_SIZE + 1];
	struct run *r;

	assert_int_equal(bpf_obj_get_info_by_fd(t.fd, &info, &len), 0);
	for (int i = 0; i < BPF_TAG_SIZE; i++)
		sprintf(tag + 2 * i, "%02x", info.tag[i]);
	r = bprof(f, "-j --tag %s -e time -- drive testrun %u:5 %u:3", tag, t.id, other.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	assert_counted(r, t.id, 5);
	assert_string_equal(str(row_of(r, t.id), "tag"), tag);
}

static void test_pinned(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "xdp", "xdp_pass");
	struct target raw_tp = load_target(f, "trace", "raw_tp_rename");
	struct bpf_link *link = try_attach(f, raw_tp);
	struct run *r;

	assert_non_null(link);
	assert_int_equal(mkdir(PIN_DIR, 0700), 0);
	assert_int_equal(bpf_obj_pin(xdp.fd, PIN_DIR "/prog"), 0);
	assert_int_equal(bpf_obj_pin(bpf_link__fd(link), PIN_DIR "/link"), 0);

	r = bprof(f, "-j --pinned " PIN_DIR "/prog -e time -- drive testrun %u:5", xdp.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	assert_counted(r, xdp.id, 5);

	r = bprof(f, "-j --pinned " PIN_DIR "/link -e time -- true");
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	row_of(r, raw_tp.id);

	r = bprof(f, "-j --pinned " PIN_DIR " -e time -- drive testrun %u:6", xdp.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 2);
	assert_counted(r, xdp.id, 6);
	row_of(r, raw_tp.id);

	/*
	 * Select all of bpffs. bprof finds the directory. The iterators that some kernels pin at
	 * the root are neither targets nor errors.
	 */
	r = bprof(f, "-j --pinned /sys/fs/bpf -e time -- drive testrun %u:7", xdp.id);
	assert_status(r, 0);
	assert_string_equal(r->err, "");
	assert_int_equal(row_cnt(r), 2);
	assert_counted(r, xdp.id, 7);
	row_of(r, raw_tp.id);
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 0);
	/*
	 * --pinned and -b together choose only the pinned program with this id. In the same way, "list"
	 * with --pinned and --type shows only the pinned programs of this type.
	 */
	r = bprof(f, "-j --pinned " PIN_DIR " -b %u -e time -- drive testrun %u:8", xdp.id, xdp.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	assert_counted(r, xdp.id, 8);
	r = bprof(f, "list -j --pinned " PIN_DIR " --type xdp");
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 1);
	row_of(r, xdp.id);
}

static size_t skip_cnt(const struct run *r)
{
	return json_array_size(json_object_get(r->json, "skipped"));
}

/* Checks that a pin that is not a program is reported with its path. */
static void assert_bad_pin(const struct run *r, const char *path)
{
	json_t *skips = json_object_get(r->json, "skipped"), *skip;

	for (size_t i = 0; (skip = json_array_get(skips, i)); i++) {
		if (strcmp(str(skip, "name"), path))
			continue;
		assert_string_equal(str(skip, "reason"), "bad_pin");
		assert_contains(r->err, path);
		return;
	}
	fail_test("%s is not among the skipped: %s", path, r->out);
}

static void test_bad_pins(void **state)
{
	static const char *const bad[] = {PIN_DIR "/none", PIN_DIR "/empty", PIN_DIR "/map", "/etc",
					  "/proc/self/exe"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	assert_int_equal(mkdir(PIN_DIR, 0700), 0);
	assert_int_equal(mkdir(PIN_DIR "/empty", 0700), 0);
	assert_int_equal(
		bpf_obj_pin(bpf_object__find_map_fd_by_name(t.obj, "seen"), PIN_DIR "/map"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r = bprof(f, "-j --pinned %s -e time -- true", bad[i]);
		assert_status(r, 8);
		assert_int_equal(skip_cnt(r), 1);
		assert_bad_pin(r, bad[i]);
		r = bprof(f, "-j --pinned %s --name xdp_pass -e time -- true", bad[i]);
		assert_status(r, 8);
		assert_bad_pin(r, bad[i]);
	}
	/* A pinned map is no error if the directory also contains a program. */
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/prog"), 0);
	r = bprof(f, "-j --pinned " PIN_DIR " -e time -- drive testrun %u:5", t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 5);
	assert_int_equal(skip_cnt(r), 0);
}

/*
 * A user who may write to a bpffs can nest directories so deeply that their path is longer than PATH_MAX. bprof
 * must still find the other pins.
 */
static void test_deep_pins(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	char name[256] = "";
	int here = open(".", O_RDONLY | O_DIRECTORY);
	const int depth = 20;
	struct run *r;

	memset(name, 'd', sizeof(name) - 1);
	assert_int_equal(mkdir(PIN_DIR, 0700), 0);
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/prog"), 0);
	assert_int_equal(chdir(PIN_DIR), 0);
	for (int i = 0; i < depth; i++)
		assert_true(!mkdir(name, 0700) && !chdir(name));
	r = command(f, "bprof list -v --name xdp_pass");
	for (int i = 0; i < depth; i++)
		assert_true(!chdir("..") && !rmdir(name));
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_status(r, 0);
	assert_contains(r->out, PIN_DIR "/prog");
}

/* These constants came with Linux 6.4. This system's headers may be older. */
#define LINK_FLAG (1U << 13)	  /* BPF_F_LINK */
#define STRUCT_OPS_ATTACH_TYPE 44 /* BPF_STRUCT_OPS */

/* The link of a struct_ops map attaches all programs of the map. The kernel reports none of them for the link. */
static void test_struct_ops_pin(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = open_object(f, PROGS_DIR "/struct_ops.bpf.o");
	struct bpf_map *map = bpf_object__find_map_by_name(obj, "bprof_test");
	struct run *r;
	int link;

	assert_non_null(map);
	assert_int_equal(bpf_map__set_map_flags(map, bpf_map__map_flags(map) | LINK_FLAG), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	/* Since libbpf 1.2, this also makes the link. Older versions only set the map's value. */
	register_struct_ops(f, obj, "bprof_test");
	link = bpf_link_create(bpf_map__fd(map), 0, STRUCT_OPS_ATTACH_TYPE, NULL);
	if (link < 0)
		link = dup(bpf_link__fd(f->link[f->link_cnt - 1]));
	assert_int_equal(mkdir(PIN_DIR, 0700), 0);
	assert_int_equal(bpf_obj_pin(link, PIN_DIR "/link"), 0);
	r = bprof(f, "-j --pinned " PIN_DIR "/link -e time -- true");
	close(link);
	assert_status(r, 8);
	assert_bad_pin(r, PIN_DIR "/link");
	assert_contains(
		r->err,
		"it is the link of a struct_ops map, which --struct-ops selects by its name");
}

/* A target that is requested several times is reported as skipped only once. */
static void test_duplicate_skips(void **state)
{
	const __u32 none = 4000000000U, also_none = none + 1;
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u,%u,%u -b %u,%u -e time -- true", none, t.id, none, also_none, none);
	assert_status(r, 0);
	assert_int_equal(skip_cnt(r), 2);
	assert_string_equal(skip_reason(r, none), "no_such_prog");
	assert_string_equal(skip_reason(r, also_none), "no_such_prog");
	r = bprof(f, "-j --pinned /etc --pinned /etc -e time -- true");
	assert_status(r, 8);
	assert_int_equal(skip_cnt(r), 1);
	assert_bad_pin(r, "/etc");
	r = bprof(f, "-j -b %u:nothing,%u:nothing,%u:none -e time -- true", t.id, t.id, t.id);
	assert_status(r, 8);
	assert_int_equal(skip_cnt(r), 2);
}

static void test_type_and_all(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "xdp", "xdp_pass");
	struct target tc = load_target(f, "skb", "tc_mark");
	struct target sys = load_target(f, "syscall", "syscall_zero");
	char runs[128];
	struct run *r;

	sprintf(runs, "%u:4 %u:5 %u:6", xdp.id, tc.id, sys.id);
	r = bprof(f, "-j --type xdp,sched_cls -e time -- drive testrun %s", runs);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 2);
	assert_counted(r, xdp.id, 4);
	assert_counted(r, tc.id, 5);

	r = bprof(f, "-j --all -e time -- drive testrun %s", runs);
	assert_status(r, 0);
	assert_counted(r, xdp.id, 4);
	assert_counted(r, tc.id, 5);
	assert_counted(r, sys.id, 6);
}

/*
 * The report shows the cost per second of this map's operations. Only cc_init ran, so its cost is
 * the total.
 */
static void assert_operations(const struct run *r, const char *map, size_t cnt)
{
	json_t *ops = json_array_get(json_object_get(r->json, "operations"), 0);
	json_t *rows = json_object_get(ops, "rows"), *total, *row;

	if (!ops)
		fail_test("no operations: %s", r->out);
	assert_string_equal(str(ops, "map"), map);
	assert_int_equal(json_array_size(rows), cnt);
	total = json_array_get(json_object_get(ops, "total"), 0);
	assert_int_equal(num(total, "left_out"), 0);
	for (size_t i = 0; i < cnt; i++) {
		row = json_array_get(rows, i);
		assert_true(real(json_array_get(json_object_get(row, "events"), 0), "cost") ==
			    (strcmp(str(row, "name"), "cc_init") ? 0 : real(total, "cost")));
	}
}

/* The name of a registered struct_ops map, however long, selects all its operations. */
static void test_struct_ops(void **state)
{
	struct fixture *f = *state;
	struct target t = load_struct_ops(f);
	struct run *r;

	r = bprof(f, "-j --struct-ops 'bprof_tes?' -e time -- drive tcpcc bprof_test 20");
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 4);
	assert_counted(r, t.id, 20);
	assert_int_equal(num(row_of(r, program_of(t.obj, "cc_undo_cwnd").id), "runs"), 0);
	assert_operations(r, "bprof_test", 4);
	/* This map is loaded but not registered, so the kernel does not report its programs yet. */
	r = bprof(f, "-j --struct-ops bprof_test_with_a_long_name -e time -- true");
	assert_status(r, 8);
	assert_contains(r->err, "no registered struct_ops map has this name");
	register_struct_ops(f, t.obj, "bprof_test_with_a_long_name");
	r = bprof(f, "-j --struct-ops bprof_test_with_a_long_name -e time -- true");
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 3);
}

/* Two concurrent sessions count the same runs, and do not select each other's probes as targets. */
static void test_two_sessions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *first = bprof_start(f, "-j -I 50 -e %s,time -b %u", machine_event(), t.id);
	json_t *rows, *row;
	struct run *r;

	child_line(first);
	r = bprof(f, "-j --all -e %s,time -- drive testrun %u:30", machine_event(), t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 30);
	rows = json_object_get(r->json, "programs");
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strncmp(str(row, "name"), "bprof_", 6))
			fail_test("bprof measures itself: %s", r->out);
	child_signal(first, SIGINT);
	r = child_wait(f, first);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 30);
}

/*
 * With selectors of several kinds, a program must be chosen by a selector of each kind, in all
 * commands.
 */
static void test_mixed(void **state)
{
	static const char *const commands[] = {"", "list "};
	struct fixture *f = *state;
	struct target a = load_target(f, "xdp", "xdp_pass");
	struct target b = load_target(f, "skb", "tc_mark");
	struct target c = load_target(f, "alu", "xdp_alu_7");
	struct run *r;

	for (int i = 0; i < 2; i++) {
		const char *rest = i ? "" : "-e time -- true";

		r = bprof(f, "%s-j --name 'xdp_p*' --name 'tc_*' --type xdp %s", commands[i], rest);
		assert_status(r, 0);
		assert_int_equal(row_cnt(r), 1);
		row_of(r, a.id);
		r = bprof(f, "%s-j -b %u,%u --type xdp %s", commands[i], b.id, c.id, rest);
		assert_status(r, 0);
		assert_int_equal(row_cnt(r), 1);
		row_of(r, c.id);
		r = bprof(f, "%s-j --all --type xdp --name xdp_alu_7 %s", commands[i], rest);
		assert_status(r, 0);
		assert_int_equal(row_cnt(r), 1);
		row_of(r, c.id);
		r = bprof(f, "%s-j --type xdp --name tc_mark %s", commands[i], rest);
		assert_contains(r->err, "--name tc_mark: no loaded program that the other options "
					"select matches");
	}
}

/* A range of ids selects the loaded programs with ids in the range. */
static void test_ranges(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "xdp", "xdp_pass");
	struct target b = load_target(f, "skb", "tc_mark");
	__u32 low = a.id < b.id ? a.id : b.id, high = a.id < b.id ? b.id : a.id;
	struct run *r;

	r = bprof(f,
		  "-j -b %u-%u --name xdp_pass --name tc_mark -e time -- drive testrun %u:4 %u:5",
		  low, high, a.id, b.id);
	assert_status(r, 0);
	assert_int_equal(row_cnt(r), 2);
	assert_counted(r, a.id, 4);
	assert_counted(r, b.id, 5);
	assert_int_equal(skip_cnt(r), 0);
	r = bprof(f, "list -j -b %u-%u", low, low);
	assert_int_equal(row_cnt(r), 1);
	row_of(r, low);
	r = bprof(f, "list xdp_pass -j %u", a.id);
	assert_int_equal(row_cnt(r), 1);
	row_of(r, a.id);
	r = bprof(f, "-j -b 4000000000-4000000009 -e time -- true");
	assert_status(r, 8);
	assert_contains(r->err, "--prog-id 4000000000-4000000009: no loaded program matches");
}

/*
 * The owner unloads a target while bprof measures it. The counts of this target remain, and bprof
 * goes on measuring the other target.
 */
static void test_unloaded(void **state)
{
	struct fixture *f = *state;
	struct target gone = load_target(f, "xdp", "xdp_pass");
	struct target stays = load_target(f, "skb", "tc_mark");
	struct child *c;
	struct run *r;

	c = bprof_start(f, "-j -I 50 -e time -b %u,%u", gone.id, stays.id);
	child_line(c);
	drive(gone, 11);
	drive(stays, 5);
	unload(f, gone);
	child_line(c);
	child_line(c);
	drive(stays, 6);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, gone.id), 11);
	assert_int_equal(sum_of_runs(r->out, stays.id), 11);
}

/*
 * Like test_unloaded(), for a target that is measured by run_stats: bprof has a descriptor of it,
 * but no link.
 */
static void test_unloaded_run_stats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_raw(f);
	struct child *c;
	struct run *r;

	c = bprof_start(f, "-j -I 50 -e time -b %u", t.id);
	child_line(c);
	drive(t, 11);
	close_fd(f, t.fd);
	child_line(c);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 11);
}

KTEST_GROUP(targets, "selecting targets", NULL, ON(SMP4), KTEST(test_two_at_once),
	    KTEST(test_fifty_at_once, LONG), KTEST(test_spellings), KTEST(test_duplicates),
	    KTEST(test_name), KTEST(test_tag), KTEST(test_pinned), KTEST(test_bad_pins),
	    KTEST(test_deep_pins), KTEST(test_struct_ops_pin, FROM(6.4)),
	    KTEST(test_duplicate_skips), KTEST(test_type_and_all), KTEST(test_struct_ops),
	    KTEST(test_two_sessions), KTEST(test_mixed), KTEST(test_ranges), KTEST(test_unloaded),
	    KTEST(test_unloaded_run_stats));
