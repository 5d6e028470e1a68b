// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that later loads of a bench must have the targets of the first load, measured by the same
 * method.
 */
#include <errno.h>
#include <stdio.h>

#include "bench/bench_priv.h"
#include "tests/unit/capture.h"
#include "tests/unit/made_session.h"

static const struct counter_ops other = {.method = "other", .caps = BACKEND_COUNTS_EVENTS};

/* Returns a bench with the fixture's two programs and their descriptors, after the first load. */
static struct bench bench_of(struct fixture *f)
{
	struct bench b = {};
	struct bench_prog p = {.partner = -1};

	f->s.targets.cnt = TARGET_CNT;
	f->probes.net = true;
	for (int i = 0; i < TARGET_CNT; i++) {
		p.id = f->target[i].id;
		p.fd = 100 + i;
		p.name = p.other_name = f->prog[i].info.name;
		bench__add(&b, &p);
	}
	assert_int_equal(bench__set_session(&b, &f->s), 0);
	return b;
}

/* Returns why the session of a later load is refused, or "" if it is accepted. */
static const char *refusal_of(struct bench *b, struct fixture *f)
{
	static char text[1024];
	struct capture c;
	char *printed;
	int err;

	capture__begin(&c, stderr);
	err = bench__set_session(b, &f->s);
	printed = capture__end(&c);
	snprintf(text, sizeof(text), "%s", printed);
	free(printed);
	assert_int_equal(err, *text ? -ESTALE : 0);
	if (*text)
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	return text;
}

static void assert_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in: %s", part, text);
}

static void test_same(void **state)
{
	struct bench b = bench_of(*state);

	assert_string_equal(refusal_of(&b, *state), "");
	bench__free(&b);
}

static void test_target_lost(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);
	struct skipped skip = {.id = 57, .name = "old", .reason.code = REASON_TOO_MANY_LINKS};

	f->s.targets.cnt = 1;
	f->s.targets.skip = &skip;
	f->s.targets.skip_cnt = 1;
	assert_part(refusal_of(&b, f), "program 57 old: cannot be measured any more in load 2: ");
	assert_int_equal(b.prog[1].fd, -1);
	/* this session has the same number of targets as the first one, but other targets */
	f->s.targets.cnt = TARGET_CNT;
	f->target[1].id = 42;
	f->target[1].func = "helper";
	assert_part(refusal_of(&b, f), "program 57 old: cannot be measured any more in load 3: ");
	bench__free(&b);
}

static void test_target_more(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);
	struct target all[TARGET_CNT + 1];

	memcpy(all, f->target, sizeof(f->target));
	all[TARGET_CNT] = all[0];
	all[TARGET_CNT].func = "helper";
	all[TARGET_CNT].subprog = true;
	f->s.targets.v = all;
	f->s.targets.cnt++;
	assert_part(refusal_of(&b, f),
		    "program 42 xdp_lb:helper: measured in load 2, but not in the first");
	bench__free(&b);
}

static void test_method(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);

	f->s.backend[0].ops = &counting;
	f->target[0].no_probe.code = REASON_NOT_JITED;
	assert_part(refusal_of(&b, f),
		    "measured by counting in load 2 and by probing in the first load: ");
	f->s.backend[0].ops = &other;
	assert_part(refusal_of(&b, f), "measured by other in load 3");
	bench__free(&b);
}

static void test_raw(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);

	f->probes.net = false;
	assert_part(refusal_of(&b, f),
		    "program 42 xdp_lb: numbers are raw in load 2 and net in the first");
	bench__free(&b);
}

/*
 * A program for which the first session measures nothing is never run, and its descriptor is
 * closed.
 */
static void test_unmeasured(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);
	struct bench_outcome outcome = {};

	b.load_cnt = 0;
	bench__free_rows(&b);
	b.row = NULL;
	b.row_cnt = 0;
	f->s.targets.cnt = 1;
	assert_int_equal(bench__set_session(&b, &f->s), 0);
	b.prog[0].outcome = b.prog[1].outcome = &outcome;
	assert_true(bench__has_row(&b, 42, 0));
	assert_false(bench__has_row(&b, 57, 0));
	assert_string_equal(b.prog[1].name, "old");
	b.prog[0].outcome = b.prog[1].outcome = NULL;
	assert_string_equal(refusal_of(&b, f), "");
	bench__free(&b);
}

/*
 * A block of 1000 runs may take 30 s, so a run may take 30 ms. The check measures 3 runs of an XDP
 * program.
 */
static void test_block_time(void **state)
{
	static const struct {
		__u64 ns, block_ns, repeat;
		int err;
		const char *text;
		int packets; /* 0 means 1 */
	} cases[] = {
		{3 * 30000000ULL, 30000000000ULL, 1000, 0, ""},
		{3 * 60000000ULL, 30000000000ULL, 500, 0, ""},
		{3 * 60000000ULL, 30000000000ULL, 1000, -ETIME,
		 "bprof: program 7 slow [x.pcap]: is left out: a run takes 0.06 s, so a block of "
		 "1000 takes longer than 30 s (--block-time); use --repeat 500, or a longer "
		 "--block-time\n"},
		{3 * 2000000000ULL, 1000000000ULL, 60, -ETIME,
		 "bprof: program 7 slow [x.pcap]: is left out: a run takes 2 s, so a block of 60 "
		 "takes longer than 1 s (--block-time); use a longer --block-time\n"},
		/* a block runs each packet equally often */
		{3 * 60000000ULL, 30000000000ULL, 251, 0, "", 250},
		{3 * 60000000ULL, 30000000000ULL, 501, -ETIME,
		 "bprof: program 7 slow [x.pcap]: is left out: a run takes 0.06 s, so a block of "
		 "600 takes longer than 30 s (--block-time); use --repeat 400, or a longer "
		 "--block-time\n",
		 200},
	};
	struct bench_case c = {.name = "x.pcap"};
	const struct bench_input input = {.v = &c, .cnt = 1};
	const struct bench_prog p = {.id = 7, .name = "slow", .type = BPF_PROG_TYPE_XDP};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = {.input = &input};
		struct capture capture;
		char *text;

		c.packet_cnt = cases[i].packets ?: 1;
		b.o.repeat = cases[i].repeat;
		b.o.block_ns = cases[i].block_ns;
		capture__begin(&capture, stderr);
		assert_int_equal(bench__check_time(&b, &p, 0, 3, cases[i].ns), cases[i].err);
		text = capture__end(&capture);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

/* A block runs each packet of a case equally often. */
static void test_runs(void **state)
{
	static const struct {
		__u64 repeat;
		int packets;
		__u64 runs;
	} cases[] = {
		{1000, 1, 1000}, {60, 3, 60}, {1000, 3, 1002}, {60, 300, 300}, {1000, 300, 1200}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_case c = {.name = "x.pcap", .packet_cnt = cases[i].packets};
		const struct bench_input input = {.v = &c, .cnt = 1};
		const struct bench b = {.input = &input, .o.repeat = cases[i].repeat};

		assert_int_equal(bench__runs(&b, 0), cases[i].runs);
	}
}

/* A block has a report of each version. */
static void test_block(void **state)
{
	struct fixture *f = *state;
	struct bench b = bench_of(f);
	struct bench_case c = {.name = "x.pcap", .packet_cnt = 1};
	const struct bench_input input = {.v = &c, .cnt = 1};
	struct report *each[BENCH_SIDE_CNT] = {};
	struct snapshot *block = &f->to;
	struct bench_outcome outcome = {};
	char *command[] = {"bprof", NULL};
	const struct result_opts opts = {.command = command};

	add_event(f, "cycles", EVENT_OK);
	b.input = &input;
	b.block = &block;
	b.prog[1].side = BENCH_NEW;
	for (int i = 0; i < TARGET_CNT; i++)
		b.prog[i].outcome = &outcome;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		b.each[side] = &each[side];
	assert_int_equal(bench__report_block(&b, &opts), 0);
	assert_int_equal(b.each_cnt, 1);
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		assert_non_null(each[side]);
		report__free(each[side]);
		b.each[side] = NULL;
	}
	b.each_cnt = 0;
	for (int i = 0; i < TARGET_CNT; i++)
		b.prog[i].outcome = NULL;
	b.block = NULL;
	b.input = NULL;
	bench__free(&b);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_same),       TEST(test_target_lost), TEST(test_target_more),
		TEST(test_method),     TEST(test_raw),	       TEST(test_unmeasured),
		TEST(test_block_time), TEST(test_block),       TEST(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
