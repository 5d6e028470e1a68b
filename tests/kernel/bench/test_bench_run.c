// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how, how often, and with which input bprof bench runs programs. The return value or the
 * count of every program here depends on its input, so the report shows which input each program
 * got. Tests that depend on CPUs, devices and other users are in test_bench_use.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/bench/bench_case.h"

#define TYPES PROGS_DIR "/bench_types.bpf.o"
#define STATE PROGS_DIR "/bench_state.bpf.o"
#define INPUT PROGS_DIR "/bench_input.bpf.o"
#define REPLAY PROGS_DIR "/replay.bpf.o"

/* ---- program types ---- */

enum outcome {
	NOT_LOADED,  /* the kernel does not load the program, and the report says so */
	NOT_RUN,     /* the kernel does not run the program; there is no report */
	ONLY_LOADED, /* the program's row says why it has no cost, and has the verifier's figures */
};

struct refusal {
	const char *type, *kernel; /* bench refuses the type on this kernel (NULL: on any) */
	enum outcome outcome;
	const char *reason; /* a part of the message */
};

/* Returns why this kernel cannot run programs of this type, or NULL if it can. */
static const struct refusal *refusal_of(const char *type)
{
	static const struct refusal all[] = {
		{"raw_tp_w", NULL, ONLY_LOADED, "raw_tracepoint_writable"},
		{"syscall", "5.10", NOT_LOADED, "this kernel has no programs of type syscall"},
		{"lwt_seg6local", "6.12", NOT_RUN, "does not run programs of that type"},
		{"lwt_seg6local", "7", NOT_RUN, "does not run programs of that type"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].type, type) && (!all[i].kernel || kernel_is(all[i].kernel)))
			return &all[i];
	return NULL;
}

static void assert_outcome(const struct run *r, const char *prog, enum outcome outcome,
			   const char *reason)
{
	json_t *row;

	switch (outcome) {
	case NOT_LOADED:
		assert_one_line(r, 1, reason);
		assert_string_equal(skip_reason(r, 0), "not_loaded");
		return;
	case NOT_RUN:
		assert_refused(r, 1, reason);
		return;
	case ONLY_LOADED:
		assert_status(r, 0);
		row = case_row(r, prog, NULL);
		assert_string_equal(str(row, "method"), "verifier");
		assert_true(has_note(row, reason));
		assert_true(num(row, "size.verified_insns") > 0);
	}
}

/* For every program type, 64 more instructions raise the count by exactly 64. */
static void test_types(void **state)
{
	static const char *const types[] = {
		"sched_cls",	  "sched_act", "cgroup_skb", "socket_filter", "lwt_in",
		"lwt_out",	  "lwt_xmit",  "sk_lookup",  "lwt_seg6local", "raw_tp",
		"flow_dissector", "raw_tp_w",  "syscall",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct refusal *refusal = refusal_of(types[i]);
		char empty[32], more[32];
		struct run *r;

		print_message("# %s\n", types[i]);
		snprintf(empty, sizeof(empty), "%s_0", types[i]);
		snprintf(more, sizeof(more), "%s_64", types[i]);
		if (refusal) {
			assert_outcome(bench(f, TYPES " --prog %s", more), more, refusal->outcome,
				       refusal->reason);
			continue;
		}
		r = bench(f, TYPES " --prog %s --prog %s", empty, more);
		assert_status(r, 0);
		assert_runs(case_row(r, empty, NULL), BLOCKS * RUNS);
		assert_runs(case_row(r, more, NULL), BLOCKS * RUNS);
		assert_int_equal(
			min_cost(case_row(r, more, NULL)) - min_cost(case_row(r, empty, NULL)), 64);
	}
}

static void test_unknown_types(void **state)
{
	struct fixture *f = *state;

	static const struct {
		const char *object, *prog, *reason;
	} cases[] = {
		{"trace", "kprobe_getsid", "type kprobe "},
		{"lsm", "lsm_getsid", "type lsm "},
		{"struct_ops", "cc_ssthresh", "type struct_ops "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r =
			bench(f, PROGS_DIR "/%s.bpf.o --prog %s", cases[i].object, cases[i].prog);

		/* Kernels without the type do not load the program. */
		assert_outcome(r, cases[i].prog, r->status ? NOT_LOADED : ONLY_LOADED,
			       cases[i].reason);
	}
}

/* ---- fresh packets ---- */

#define FRESH "each run got a fresh packet"

/* Each run gets an unmodified packet. The return value and the count of each program show this. */
static void test_fresh(void **state)
{
	static const struct {
		const char *prog;
		bool changes;
	} progs[] = {
		{"xdp_reads", false}, {"xdp_writes", true}, {"xdp_head", true},
		{"xdp_tail", true},   {"xdp_meta", true},   {"tc_reads", false},
		{"tc_writes", true},  {"tc_marks", true},   {"tc_priority", true},
		{"tc_cb", true},      {"tc_vlan", true},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(progs) / sizeof(progs[0]); i++) {
		struct run *r;
		json_t *row;

		/* Linux 5.10 does not return the context of XDP test runs. */
		if (!strcmp(progs[i].prog, "xdp_meta") && kernel_is("5.10"))
			continue;
		print_message("# %s\n", progs[i].prog);
		r = bench(f, STATE " --prog %s --expect-retval 2", progs[i].prog);
		assert_status(r, 0);
		row = case_row(r, progs[i].prog, NULL);
		assert_int_equal(num(row, "retval"), 2);
		assert_runs(row, BLOCKS * RUNS);
		assert_true(real(event_of(row, exact_event()), "per_run.p50") <
			    min_cost(row) + 300);
		assert_int_equal(has_note(row, FRESH), progs[i].changes);
	}
}

static void test_fresh_option(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, STATE " --prog xdp_reads --fresh");
	json_t *row;

	assert_status(r, 0);
	row = case_row(r, "xdp_reads", NULL);
	assert_true(has_note(row, FRESH));
	assert_false(has_note(row, "changes its packet"));
}

/*
 * bench runs two versions in the same way, even if their names differ: if one version needs fresh
 * packets, both versions get fresh packets.
 */
static void test_fresh_both(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f,
			      STATE " " STATE " --prog xdp_reads --prog xdp_writes "
				    "--match xdp_reads=xdp_writes --save-base /tmp/bench/base.json "
				    "--save-new /tmp/bench/new.json");

	assert_status(r, 3);
	r = command(f, "cat /tmp/bench/base.json");
	assert_true(has_note(case_row(r, "xdp_reads", NULL), FRESH));
	r = command(f, "cat /tmp/bench/new.json");
	assert_true(has_note(case_row(r, "xdp_writes", NULL), "changes its packet"));
	assert_false(has_note(case_row(r, "xdp_reads", NULL), FRESH));
	unlink("/tmp/bench/base.json");
	unlink("/tmp/bench/new.json");
}

/* ---- input cases ---- */

#define PACKET_SZ 60

/* Writes a packet of zeroes, except for the first byte. */
static void write_packet(const char *path, __u8 first, size_t sz)
{
	__u8 *packet = calloc(1, sz);

	assert_non_null(packet);
	*packet = first;
	write_bytes(path, packet, sz);
	free(packet);
}

static void write_frames(const char *path, const __u8 (*frames)[PACKET_SZ], int cnt)
{
	struct {
		__u32 magic;
		__u16 major, minor;
		__u32 zone, accuracy, most, link;
	} head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, 1};
	struct {
		__u32 s, us, len, wire_len;
		__u8 packet[PACKET_SZ];
	} packet = {.len = PACKET_SZ, .wire_len = PACKET_SZ};
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	assert_int_equal(fwrite(&head, sizeof(head), 1, out), 1);
	for (int i = 0; i < cnt; i++) {
		memcpy(packet.packet, frames[i], PACKET_SZ);
		assert_int_equal(fwrite(&packet, sizeof(packet), 1, out), 1);
	}
	assert_int_equal(fclose(out), 0);
}

/* Writes packets that begin with 1, 2, 3. */
static void write_pcap(const char *path)
{
	static const __u8 frames[][PACKET_SZ] = {{1}, {2}, {3}};

	write_frames(path, frames, 3);
}

static void test_cases(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_packet("/tmp/bench/five", 5, PACKET_SZ);
	write_packet("/tmp/bench/six", 6, PACKET_SZ);
	write_pcap("/tmp/bench/t.pcap");
	r = bench(f, INPUT
		  " --prog xdp_byte --data-in /tmp/bench/five --data-in /tmp/bench/six --pcap "
		  "/tmp/bench/t.pcap");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 5);
	assert_int_equal(num(case_row(r, "xdp_byte", "five"), "retval"), 5);
	assert_int_equal(num(case_row(r, "xdp_byte", "six"), "retval"), 6);
	assert_int_equal(num(case_row(r, "xdp_byte", "t.pcap#1"), "retval"), 1);
	assert_int_equal(num(case_row(r, "xdp_byte", "t.pcap#3"), "retval"), 3);
	assert_runs(case_row(r, "xdp_byte", "t.pcap#2"), BLOCKS * RUNS);
	assert_refused(
		bench(f,
		      INPUT " --prog xdp_byte --data-in /tmp/bench/five --data-in /tmp/bench/five"),
		1, "five");
}

/* bench skips packets that the kernel refuses, and uses the other packets. */
static void test_bad_packets(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_packet("/tmp/bench/five", 5, PACKET_SZ);
	write_packet("/tmp/bench/short", 5, 13);
	r = bench(f, INPUT " --prog tc_ctx --data-in /tmp/bench/short --data-in /tmp/bench/five");
	assert_one_line(r, 1, "tc_ctx [short]");
	assert_contains(r->err, "too short");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_runs(case_row(r, "tc_ctx", "five"), BLOCKS * RUNS);
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 1);
	assert_refused(bench(f, INPUT " --prog tc_ctx --data-in /tmp/bench/short"), 1,
		       "tc_ctx [short]");
}

/*
 * Some kernels accept a packet of several pages. bench must not conclude that the program changes
 * such a packet.
 */
static void test_large_packet(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_packet("/tmp/bench/large", 7, 20000);
	r = bench(f, INPUT " --prog xdp_byte --data-in /tmp/bench/large");
	if (kernel_is("5.10")) {
		assert_refused(r, 1, "too long");
		return;
	}
	assert_status(r, 0);
	assert_int_equal(num(case_row(r, "xdp_byte", "large"), "retval"), 7);
	assert_false(has_note(case_row(r, "xdp_byte", "large"), FRESH));
}

/* An IPv4 frame with a VLAN tag */
static const __u8 tagged[1][PACKET_SZ] = {{[12] = 0x81, 0, 0, 5, 0x08, 0, 0x45}};

/*
 * A tc program gets a captured frame as from a device: without its VLAN tag. A note names the
 * fields that the program reads and the test run does not have. Other programs have no such note.
 */
static void test_replay(void **state)
{
	static const __u8 ctx[12];
	struct fixture *f = *state;
	struct run *r;
	json_t *row;

	write_frames("/tmp/bench/v.pcap", tagged, 1);
	write_bytes("/tmp/bench/frame", tagged, PACKET_SZ);
	write_bytes("/tmp/bench/ctx", ctx, sizeof(ctx));
	r = bench(f, REPLAY " --pcap /tmp/bench/v.pcap --data-in /tmp/bench/frame");
	assert_status(r, 0);
	assert_string_equal(r->err, "");
	assert_int_equal(num(case_row(r, "tc_packet", "v.pcap#1"), "retval"), 0);
	assert_int_equal(num(case_row(r, "tc_packet", "frame"), "retval"), 2);
	assert_false(has_note(case_row(r, "tc_packet", "v.pcap#1"), "read"));
	assert_false(has_note(case_row(r, "tc_packet", "frame"), "read"));
	row = case_row(r, "tc_fields", "v.pcap#1");
	assert_true(
		has_note(row, "1 of its packets have a VLAN tag, but it reads vlan_tci, which"));
	assert_true(has_note(row, "it reads hash, which a capture does not have"));
	assert_true(has_note(row, "it reads mark, which a capture does not have: set it with "));
	row = case_row(r, "tc_fields", "frame");
	assert_true(has_note(row, "it reads vlan_tci"));
	assert_false(has_note(row, "capture"));
	row = case_row(r, "xdp_queue", "v.pcap#1");
	assert_true(has_note(row, "it reads rx_queue_index, which a capture does not have: set"));
	assert_false(has_note(row, "VLAN"));
	r = bench(f, REPLAY " --prog tc_fields --pcap /tmp/bench/v.pcap --ctx-in /tmp/bench/ctx");
	assert_status(r, 0);
	assert_false(has_note(case_row(r, "tc_fields", "v.pcap#1"), "mark"));
	assert_true(has_note(case_row(r, "tc_fields", "v.pcap#1"), "hash"));
}

/* If bench did not load a program, it does not know which fields the program reads. */
static void test_replay_loaded(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "replay", "tc_packet");
	struct run *r;

	write_frames("/tmp/bench/v.pcap", tagged, 1);
	r = bench(f, "--prog-id %u --pcap /tmp/bench/v.pcap", t.id);
	assert_status(r, 0);
	assert_true(has_note(case_row(r, "tc_packet", "v.pcap#1"),
			     "1 of its packets have a VLAN tag: if it reads vlan_present"));
	assert_int_equal(num(case_row(r, "tc_packet", "v.pcap#1"), "retval"), 0);
}

/*
 * With --cycle, bench uses the packets in turn, and compares the return values for each packet
 * separately.
 */
static void test_cycle(void **state)
{
	struct fixture *f = *state;
	struct target old = load_full_length(f, "bench_input", "xdp_byte");
	struct target new = load_full_length(f, "bench_input", "xdp_byte");
	__u32 three = 3, second = 2;
	struct run *r;
	json_t *row;

	write_pcap("/tmp/bench/t.pcap");
	r = bench(f, "--prog-id %u --pcap /tmp/bench/t.pcap --cycle", old.id);
	assert_status(r, 0);
	row = case_row(r, "xdp_byte", "t.pcap");
	assert_runs(row, BLOCKS * 21);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			json_integer_value(json_array_get(json_object_get(row, "retvals"), i)),
			i + 1);
	/* Each block runs each packet equally often. */
	r = bench(f, "--prog-id %u --pcap /tmp/bench/t.pcap --cycle --repeat 2", old.id);
	assert_status(r, 0);
	row = case_row(r, "xdp_byte", "t.pcap");
	assert_runs(row, BLOCKS * 3);
	assert_true(has_note(row, "a block has 3 runs instead of 2"));
	r = bench(f, "--baseline %u --prog-id %u --pcap /tmp/bench/t.pcap --cycle", old.id, new.id);
	assert_status(r, 0);
	assert_int_equal(bpf_map_update_elem(bpf_object__find_map_fd_by_name(new.obj, "array"),
					     &three, &second, BPF_ANY),
			 0);
	r = bprof(f,
		  "bench --exact -e %s --baseline %u --prog-id %u --pcap /tmp/bench/t.pcap --cycle",
		  exact_event(), old.id, new.id);
	assert_status(r, 5);
	assert_contains(r->out, "xdp_byte");
	assert_contains(r->out, "packet 2");
	assert_contains(r->out, "99");
}

/* ---- contexts ---- */

static void test_contexts(void **state)
{
	static const struct {
		const char *prog;
		__u32 ctx[4];
		size_t sz;
		int retval;  /* -1 if bench refuses the context */
		bool is_new; /* Linux 5.10 takes no context for the program */
	} cases[] = {
		{"tc_ctx", {0, 0, 9}, 12, 9, false},
		{"tc_ctx", {1}, 4, -1, false},
		{"raw_tp_ctx", {5, 0, 7, 0}, 16, 12, false},
		{"raw_tp_ctx", {5, 0}, 8, -1, false},
		{"xdp_ctx", {4, PACKET_SZ}, 12, 4, true},
		{"xdp_ctx", {4, PACKET_SZ + 1}, 12, -1, false},
		{"syscall_ctx", {5, 0}, 8, 6, false},
	};
	struct fixture *f = *state;

	write_packet("/tmp/bench/five", 5, PACKET_SZ);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool refused = cases[i].retval < 0 || (cases[i].is_new && kernel_is("5.10"));
		const struct refusal *refusal;
		struct run *r;

		print_message("# %s, %zu bytes\n", cases[i].prog, cases[i].sz);
		write_bytes("/tmp/bench/ctx", cases[i].ctx, cases[i].sz);
		r = bench(f, INPUT " --prog %s --data-in /tmp/bench/five --ctx-in /tmp/bench/ctx",
			  cases[i].prog);
		refusal = strcmp(cases[i].prog, "syscall_ctx") ? NULL : refusal_of("syscall");
		if (refusal) {
			assert_outcome(r, cases[i].prog, refusal->outcome, refusal->reason);
			continue;
		}
		if (refused) {
			assert_refused(r, 1, cases[i].prog);
			continue;
		}
		assert_status(r, 0);
		assert_int_equal(num(case_row(r, cases[i].prog, "five"), "retval"),
				 cases[i].retval);
	}
}

/* ---- runs ---- */

/* If the program does not change its packet, bench makes these runs before it counts. */
#define TRIAL_RUNS 3

/* Returns the number of runs that the program itself counted. */
static __u64 seen(int map_fd)
{
	__u32 key = 0;
	__u64 cnt;

	assert_int_equal(bpf_map_lookup_elem(map_fd, &key, &cnt), 0);
	return cnt;
}

static void test_runs(void **state)
{
	struct fixture *f = *state;
	/*
	 * Use a program of full length (load_full_length()). For a shorter one, bench would open a session
	 * for each block, and warm up in each session.
	 */
	struct target t = load_full_length(f, "xdp", "xdp_seen");
	int map_fd = bpf_object__find_map_fd_by_name(t.obj, "seen");
	struct run *r;
	json_t *row;

	r = bench(f, "--prog-id %u --blocks 7 --repeat 30 --warm-up 11", t.id);
	assert_status(r, 0);
	row = case_row(r, "xdp_seen", NULL);
	assert_runs(row, 7 * 30);
	assert_int_equal(seen(map_fd), 7 * 30 + 11 + TRIAL_RUNS);
	assert_null(json_object_get(row, "notes"));
	r = bench(f, "--prog-id %u --blocks 1 --repeat 1 --warm-up 0", t.id);
	assert_status(r, 0);
	assert_runs(case_row(r, "xdp_seen", NULL), 1);
	assert_int_equal(seen(map_fd), 7 * 30 + 11 + 1 + 2 * TRIAL_RUNS);
}

/* bench warns if a program's return value depends on anything other than the packet. */
static void test_fickle(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, INPUT " --prog xdp_fickle");
	json_t *row;

	assert_one_line(r, 0, "xdp_fickle");
	row = case_row(r, "xdp_fickle", NULL);
	assert_true(json_is_true(json_object_get(row, "retval_varies")));
	assert_null(json_object_get(row, "retval"));
}

/*
 * bench refuses --live-frames on Linux 5.10, because this kernel would run the program in another
 * way without an error.
 */
static void test_live_frames(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, PROGS_DIR "/xdp.bpf.o --prog xdp_pass --live-frames");

	if (kernel_is("5.10")) {
		assert_refused(r, 1, "--live-frames: not supported by this kernel");
		return;
	}
	assert_status(r, 0);
	assert_runs(case_row(r, "xdp_pass", NULL), BLOCKS * RUNS);
}

/* ---- functions ---- */

/*
 * Returns the number of input cases in which the comparison of the function's minimum is exact.
 */
static int count_compared(const struct run *r, const char *func)
{
	json_t *rows = json_object_get(r->json, "comparisons"), *row;
	const char *last = "";
	int cnt = 0;

	/* An input case can have comparisons of several statistics. */
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (strcmp(str(row, "func"), func) || !json_is_true(json_object_get(row, "exact")))
			continue;
		cnt += strcmp(str(row, "case"), last) != 0;
		last = str(row, "case");
	}
	return cnt;
}

/* The report has a row for every function in every input case. */
static void test_functions(void **state)
{
	static const struct {
		const char *func;
		int calls; /* calls per run */
	} funcs[] = {
		{"xdp_tree", 1}, {"branch", 3},	 {"leaf", 7},	 {"add", 2},
		{"empty_0", 1},	 {"empty_3", 1}, {"empty_5", 1}, {"empty_pointer", 2},
	};
	const int cnt = sizeof(funcs) / sizeof(funcs[0]);
	struct fixture *f = *state;
	struct run *r;

	write_packet("/tmp/bench/five", 5, PACKET_SZ);
	write_packet("/tmp/bench/six", 6, PACKET_SZ);
	r = bench(f, PROGS_DIR
		  "/tree.bpf.o --func '*' --data-in /tmp/bench/five --data-in /tmp/bench/six");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 2 * cnt);
	for (int i = 0; i < cnt; i++) {
		assert_runs(func_row(r, funcs[i].func, "five"), BLOCKS * RUNS * funcs[i].calls);
		assert_runs(func_row(r, funcs[i].func, "six"), BLOCKS * RUNS * funcs[i].calls);
	}
	assert_int_equal(min_cost(func_row(r, "leaf", "six")), 10);
	r = bench(f, PROGS_DIR
		  "/tree.bpf.o " PROGS_DIR
		  "/tree.bpf.o --func '*' --data-in /tmp/bench/five --data-in /tmp/bench/six");
	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	for (int i = 0; i < cnt; i++)
		assert_int_equal(count_compared(r, funcs[i].func), 2);
}

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

KTEST_GROUP(bench_run, "what bprof bench runs, with which input", NULL, ON(EXACT),
	    BENCH_TEST(test_types), BENCH_TEST(test_unknown_types), BENCH_TEST(test_fresh, LONG),
	    BENCH_TEST(test_fresh_option), BENCH_TEST(test_fresh_both), BENCH_TEST(test_cases),
	    BENCH_TEST(test_bad_packets), BENCH_TEST(test_large_packet), BENCH_TEST(test_cycle),
	    BENCH_TEST(test_contexts), BENCH_TEST(test_runs), BENCH_TEST(test_fickle),
	    BENCH_TEST(test_live_frames), BENCH_TEST(test_functions, LONG), BENCH_TEST(test_replay),
	    BENCH_TEST(test_replay_loaded));
