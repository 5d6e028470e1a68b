// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof bench on programs of tests/progs with a known difference, and on real programs from
 * other projects (tests/bench/real.sh). The real programs must run through their main paths.
 * Expects only numbers that follow from the programs' code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/bench/bench_case.h"

#define HOT_500 PROGS_DIR "/hot_500.bpf.o"
#define HOT_501 PROGS_DIR "/hot_501.bpf.o"
#define HOT_550 PROGS_DIR "/hot_550.bpf.o"
#define HOT_TX PROGS_DIR "/hot_tx.bpf.o"
#define ADDRESSES PROGS_DIR "/addresses.bpf.o"
#define REFUSED PROGS_DIR "/refused.bpf.o"
#define ALU PROGS_DIR "/alu.bpf.o"
#define PACKET "--pcap real/pkt_v4.pcap"
/* Few runs, for results that are exact or do not depend on the number of runs. */
#define BRIEF "--blocks 6 --repeat 20"

/* ---- the verdict ---- */

static struct run *compare(struct fixture *f, const char *old, const char *new, const char *more)
{
	return bprof(f, "bench %s %s -j --exact -e %s " PACKET " " BRIEF " %s", old, new,
		     exact_event(), more);
}

/* Returns the element of comparisons[] that compares the program's minimum. */
static json_t *comparison_of(const struct run *r, const char *prog)
{
	json_t *rows = json_object_get(r->json, "comparisons"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strcmp(str(row, "program"), prog) && !strcmp(str(row, "stat"), "min"))
			return row;
	fail_test("%s is not compared; status %d\nstdout: %s\nstderr: %s", prog, r->status, r->out,
		  r->err);
	return NULL;
}

static void assert_change(const struct run *r, const char *prog, const char *verdict,
			  json_int_t change)
{
	json_t *row = comparison_of(r, prog);

	if (strcmp(str(row, "verdict"), verdict) || real(row, "change.estimate") != change ||
	    !json_is_true(json_object_get(row, "exact")))
		fail_test("%s is not %s by %lld: %s", prog, verdict, (long long)change, r->out);
}

/* Each program has exactly the number of instructions that the comparisons below assume. */
static void test_known(void **state)
{
	static const struct {
		const char *path;
		int cnt;
	} known[] = {{HOT_500, 500}, {HOT_501, 501}, {HOT_550, 550}, {HOT_TX, 499}};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct bpf_object *obj = open_object(f, known[i].path);
		struct bpf_program *prog = bpf_object__find_program_by_name(obj, "xdp_hot");

		assert_non_null(prog);
		assert_int_equal(bpf_program__insn_cnt(prog), known[i].cnt);
	}
}

static void test_plus_one(void **state)
{
	struct fixture *f = *state;
	struct run *r = compare(f, HOT_500, HOT_501, "");

	assert_status(r, 3);
	assert_string_equal(str(r->json, "verdict"), "worse");
	assert_change(r, "xdp_hot", "worse", 1);
	assert_change(r, "xdp_calm", "same", 0);
	assert_change(r, "xdp_still", "same", 0);
	r = compare(f, HOT_501, HOT_500, "");
	assert_status(r, 0);
	assert_change(r, "xdp_hot", "better", -1);
}

static void test_no_change(void **state)
{
	struct fixture *f = *state;
	struct run *r = compare(f, HOT_500, HOT_500, "");

	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	assert_change(r, "xdp_hot", "same", 0);
}

/*
 * Each load puts the program and its maps at other addresses. With some addresses, some programs
 * are one instruction shorter on arm64. bench must not report this as a change.
 */
static void test_addresses(void **state)
{
	struct fixture *f = *state;
	struct run *r = compare(f, ADDRESSES, ADDRESSES, "");

	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	assert_change(r, "xdp_32k", "same", 0);
	assert_change(r, "xdp_32k_longer", "same", 0);
	assert_change(r, "xdp_three", "same", 0);
}

/*
 * The changed program is listed first, although it is the second of the three programs in the
 * object.
 */
static void test_changed_first(void **state)
{
	struct fixture *f = *state;
	struct run *r = compare(f, HOT_500, HOT_550, "");
	json_t *first = json_array_get(json_object_get(r->json, "comparisons"), 0);

	assert_status(r, 3);
	assert_change(r, "xdp_hot", "worse", 50);
	assert_string_equal(str(first, "program"), "xdp_hot");
	assert_string_equal(str(first, "verdict"), "worse");
}

/* A program that needs fewer instructions but returns another value is not an improvement. */
static void test_retval(void **state)
{
	struct fixture *f = *state;
	struct run *r = compare(f, HOT_500, HOT_TX, "");

	assert_status(r, 5);
	assert_string_not_equal(str(r->json, "verdict"), "better");
	r = compare(f, HOT_500, HOT_TX, "--allow-retval-change");
	assert_status(r, 0);
	assert_change(r, "xdp_hot", "better", -1);
}

/* bench compares two loaded programs in the same way as the programs of two objects. */
static void test_loaded(void **state)
{
	struct fixture *f = *state;
	struct target old = load_target(f, "hot_500", "xdp_hot");
	struct target new = load_target(f, "hot_501", "xdp_hot");
	struct run *r;

	r = bprof(f, "bench --baseline %u --prog-id %u -j --exact -e %s " PACKET " " BRIEF, old.id,
		  new.id, exact_event());
	assert_status(r, 3);
	assert_change(r, "xdp_hot", "worse", 1);
}

/*
 * The kernel blinds constants with random numbers. On arm64, these take a varying number of
 * instructions, but bench must not judge two loads of one program as different.
 */
static void test_blinded(void **state)
{
	static const char harden[] = "/proc/sys/net/core/bpf_jit_harden";
	static const char progs[] = "--prog xdp_alu_7 --prog xdp_alu_100";
	struct fixture *f = *state;
	bool random = arch_is("aarch64");
	struct run *same, *bench, *stat, *doctor;
	struct target one, several, before = load_target(f, "loops", "xdp_helper");

	write_file(harden, "2");
	one = load_target(f, "loops", "xdp_helper");
	several = load_target(f, "loops", "xdp_hot_loop");
	same = compare(f, ALU, ALU, progs);
	bench = bprof(f, "bench " ALU " --exact -e %s " PACKET " " BRIEF " %s", exact_event(),
		      progs);
	stat = bprof(f, "-b %u,%u,%u --timeout 1", one.id, several.id, before.id);
	doctor = bprof(f, "doctor");
	write_file(harden, "0");
	assert_status(same, random ? 5 : 0);
	assert_string_equal(str(same->json, "verdict"), random ? "inconclusive" : "same");
	if (random)
		assert_contains(same->out, "the kernel blinds constants with random numbers");
	assert_contains(bench->out, "more: constants are blinded");
	assert_contains(stat->out, "xdp_helper and 1 more: constants are blinded");
	assert_contains(doctor->out, "constants blinded by random numbers");
	stat = bprof(f, "-b %u --timeout 1", before.id);
	assert_null(strstr(stat->out, "blinded"));
	stat = bprof(f, "-b %u --timeout 1", one.id);
	assert_contains(stat->out, "xdp_helper: constants are blinded");
}

/*
 * Two loads of the same program are compared. On arm64, one of them is an instruction shorter
 * because of its map's address. bench cannot load them again, as it does with objects. So it must
 * not report the instruction as a change, however many blocks show it. Neither must bprof diff.
 */
static void test_short_code(void **state)
{
	struct fixture *f = *state;
	bool differ = arch_is("aarch64");
	struct target a, b;

	load_two_lengths(f, "addresses", "xdp_32k", &a, &b);
	for (int i = 0; i < 2; i++) {
		__u32 old = i ? a.id : b.id, new = i ? b.id : a.id;
		struct run *r = bprof(f,
				      "bench -v --baseline %u --prog-id %u -j --exact -e %s " BRIEF
				      " --save-base /tmp/base.json --save-new /tmp/new.json",
				      old, new, exact_event());

		assert_status(r, differ ? 5 : 0);
		assert_string_equal(str(r->json, "verdict"), differ ? "inconclusive" : "same");
		if (!differ)
			continue;
		assert_contains(r->out, "takes fewer instructions than usual");
		assert_contains(r->err, "some map's address takes fewer instructions than usual: "
					"its counts are not exact");
		assert_status(bprof(f, "diff /tmp/base.json /tmp/new.json"), 5);
	}
	unlink("/tmp/base.json");
	unlink("/tmp/new.json");
}

/* The report of a loaded program says whether its counts are exact. */
static void test_short_code_report(void **state)
{
	struct fixture *f = *state;
	struct target shorter, longer;

	load_two_lengths(f, "addresses", "xdp_32k", &shorter, &longer);
	assert_int_equal(bpf_program__pin(shorter.prog, PIN_DIR "/short"), 0);
	assert_int_equal(bpf_program__pin(longer.prog, PIN_DIR "/long"), 0);
	for (int i = 0; i < 2; i++) {
		bool is_short = i && arch_is("aarch64");
		struct run *r = bprof(f, "bench --pinned " PIN_DIR "/%s -j --exact -e %s " BRIEF,
				      i ? "short" : "long", exact_event());
		json_t *row = row_of(r, i ? shorter.id : longer.id);

		assert_status(r, 0);
		assert_int_equal(json_is_true(json_object_get(row, "short_code")), is_short);
		assert_int_equal(
			json_is_true(json_object_get(event_of(row, exact_event()), "exact")),
			!is_short);
	}
}

/* bprof diff compares two saved reports of bench in the same way as bench does. */
static void test_saved(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	r = compare(f, HOT_500, HOT_501, "--save-base /tmp/base.json --save-new /tmp/new.json");
	assert_status(r, 3);
	r = bprof(f, "diff -j /tmp/base.json /tmp/new.json");
	assert_status(r, 3);
	assert_change(r, "xdp_hot", "worse", 1);
	assert_change(r, "xdp_calm", "same", 0);
	unlink("/tmp/base.json");
	unlink("/tmp/new.json");
}

/* ---- errors ---- */

static void test_refused(void **state)
{
	static const struct {
		const char *args;
		int status;
		const char *part;
	} bad[] = {
		{HOT_500 " --prog nowhere " PACKET, 1, "nowhere"},
		{HOT_500 " " ALU " " PACKET, 1, "in both reports"},
		{PROGS_DIR "/nothing.bpf.o " PACKET, 1, "nothing.bpf.o"},
		{"real/cases " PACKET, 1, "real/cases"},
		{HOT_500 " --pcap real/cases", 1, "real/cases"},
		{HOT_500 " --pcap real/nothing.pcap", 1, "real/nothing.pcap"},
		{HOT_500 " --data-in real/nothing", 1, "real/nothing"},
		{"real/test_l4lb.o --map nowhere=real/reals.json " PACKET, 1, "nowhere"},
		{"real/test_l4lb.o --map reals=real/cases " PACKET, 1, "real/cases"},
		{"real/test_l4lb.o --map reals=real/vip_map.json " PACKET, 1, "real/vip_map.json"},
		{"real/test_cls_redirect.o --global NOWHERE=1 " PACKET, 1, "NOWHERE"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("# bench %s\n", bad[i].args);
		assert_refused(bprof(f, "bench %s -e %s " BRIEF, bad[i].args, machine_event()),
			       bad[i].status, bad[i].part);
	}
}

/*
 * bench reports the count of a program that returns an unexpected value, but its exit status is not
 * 0.
 */
static void test_unexpected(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	r = bprof(f,
		  "bench " HOT_500 " -j --prog xdp_hot --expect-retval XDP_TX -e %s " PACKET
		  " " BRIEF,
		  machine_event());
	assert_status(r, 1);
	assert_contains(r->err, "xdp_hot");
	assert_contains(r->err, "returned XDP_PASS, expected XDP_TX");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
}

/* bench prints the last lines of the verifier's log, which contain the kernel's reason. */
static void test_unloadable(void **state)
{
	struct fixture *f = *state;
	struct run *r = bprof(f, "bench " REFUSED " " PACKET " " BRIEF);

	assert_status(r, 1);
	/* the report has no row for the program, but the reason */
	assert_contains(r->out, "not measured: xdp_refused: cannot be loaded");
	assert_contains(r->err, REFUSED);
	assert_contains(r->err, "xdp_refused");
	assert_contains(r->err, "invalid access to packet");
}

/* bprof diff refuses a truncated report, and documents that are not reports. */
static void test_bad_reports(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	r = bprof(f, "bench " HOT_500 " -j -o /tmp/base.json -e %s " PACKET " " BRIEF,
		  machine_event());
	assert_status(r, 0);
	r = bprof(f, "diff /tmp/base.json /tmp/base.json --inconclusive-ok");
	assert_status(r, 0);
	command(f, "sh -c 'head -c 700 /tmp/base.json >/tmp/cut.json'");
	command(f, "sh -c 'echo \"[{}]\" >/tmp/foreign.json'");
	assert_refused(bprof(f, "diff /tmp/base.json /tmp/cut.json"), 1, "/tmp/cut.json");
	assert_refused(bprof(f, "diff /tmp/foreign.json /tmp/base.json"), 1, "/tmp/foreign.json");
	unlink("/tmp/base.json");
	unlink("/tmp/cut.json");
	unlink("/tmp/foreign.json");
}

/* ---- real programs ---- */

#define MAX_CASES 64

struct real_case {
	char name[32], args[512];
};

/* Reads the lines of the file "cases" that are not comments. */
static int read_cases(struct real_case *cases)
{
	FILE *in = fopen("real/cases", "re");
	char line[1024];
	int cnt = 0;

	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (*line == '#' || *line == '\n')
			continue;
		assert_true(cnt < MAX_CASES);
		assert_int_equal(sscanf(line, "%31s %511[^\n]", cases[cnt].name, cases[cnt].args),
				 2);
		cnt++;
	}
	fclose(in);
	return cnt;
}

/*
 * bench measures every program of every line in "cases" and checks its return value
 * (--expect-retval).
 */
static void test_real(void **state)
{
	struct fixture *f = *state;
	struct real_case cases[MAX_CASES];
	int cnt = read_cases(cases);

	assert_true(cnt >= 20);
	for (int i = 0; i < cnt; i++) {
		json_t *rows, *row;
		struct run *r;

		print_message("# %s\n", cases[i].name);
		r = command(
			f, "sh -c 'cd real && exec bprof bench -j -e %s --blocks 2 --repeat 20 %s'",
			machine_event(), cases[i].args);
		assert_status(r, 0);
		rows = json_object_get(r->json, "programs");
		assert_true(json_array_size(rows) > 0);
		for (size_t j = 0; (row = json_array_get(rows, j)); j++)
			/*
			 * Check the raw count. Without -icount, the net count depends on the host's
			 * time and may be 0 or less.
			 */
			if (num(row, "measured") <= 0 ||
			    real(event_of(row, machine_event()), "raw_per_run") <= 0)
				fail_test("%s costs nothing: %s", cases[i].name, r->out);
	}
}

/*
 * If old and new are the same program, bench reports no change, whatever maps and packets the
 * program uses. The suite has the same cases (tests/bench/suite.py).
 */
static void test_real_same(void **state)
{
	struct fixture *f = *state;
	struct real_case cases[MAX_CASES];
	int cnt = read_cases(cases);
	struct run *r =
		bprof(f, "bench --suite real/suite.json -j --exact -e %s " BRIEF, exact_event());
	json_t *rows = json_object_get(r->json, "comparisons"), *row;

	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	for (int i = 0; i < cnt; i++) {
		size_t len = strlen(cases[i].name), n = 0;

		for (size_t j = 0; (row = json_array_get(rows, j)); j++)
			n += !strncmp(str(row, "case"), cases[i].name, len) &&
			     str(row, "case")[len] == '/';
		if (!n)
			fail_test("%s has no row: %s", cases[i].name, r->out);
	}
}

KTEST_GROUP(bench, "what bprof bench refuses", NULL, ON(SMP4), KTEST(test_refused),
	    KTEST(test_unexpected), KTEST(test_unloadable), KTEST(test_bad_reports, LONG));

KTEST_GROUP(bench_loads, "real programs, loaded anew for each block (./real)", NULL,
	    ON(SMP4, UNTIL(6.1)), KTEST(test_real));

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

KTEST_GROUP(bench_exact, "verdicts of bprof bench (./real)", NULL, ON(EXACT),
	    BENCH_TEST(test_known), BENCH_TEST(test_plus_one, ALSO_X86), BENCH_TEST(test_no_change),
	    BENCH_TEST(test_addresses, ALSO_X86), BENCH_TEST(test_retval),
	    BENCH_TEST(test_changed_first), BENCH_TEST(test_loaded), BENCH_TEST(test_saved),
	    BENCH_TEST(test_blinded, LONG), BENCH_TEST(test_short_code, ALSO_X86),
	    BENCH_TEST(test_short_code_report));

KTEST_GROUP(bench_real, "real programs without a change (./real)", NULL, ON(EXACT, FROM(6.12)),
	    BENCH_TEST(test_real_same, LONG));
