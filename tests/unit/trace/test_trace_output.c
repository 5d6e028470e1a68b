// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the lines of bprof trace in each format, for made-up records.
 */
#include <jansson.h>

#include "btf/func_table.h"
#include "tests/unit/made_session.h"

#include "tests/unit/capture.h"
#include "tests/unit/golden.h"
#include "tests/unit/timeline.h"
#include "trace/trace_output.h"

#define SNAP 64

struct made {
	struct fixture *f;
	struct trace_conds conds;
	struct trace_bound bound[2];
	struct trace_probe probe;
	struct trace_output o;
	struct bprof_record *r;
	char *text;
	size_t text_sz;
};

/* Makes a record of a run of the first target, which took 14,000 instructions and 60 us. */
static void make_record(struct made *m, struct fixture *f, const struct trace_format *format)
{
	memset(m, 0, sizeof(*m));
	m->f = f;
	add_event(f, "cycles", EVENT_NOT_SUPPORTED);
	add_event(f, "instructions", EVENT_OK);
	add_event(f, "time", EVENT_OK);
	m->bound[0] =
		(struct trace_bound){.spec = "instructions>10000", .index = 1, .limit = 10000};
	m->bound[1] = (struct trace_bound){.spec = "time>1ms", .index = 2, .limit = 1000000};
	m->conds = (struct trace_conds){.bound = m->bound, .bound_cnt = 2};
	m->probe = TRACE_PROBE_NONE;
	m->probe.conds = &m->conds;
	m->probe.limit = 1000;
	m->probe.config.at.skb_len = 8;
	m->r = calloc(1, sizeof(*m->r) + BPROF_TRACE_STACK_SZ + SNAP);
	*m->r = (struct bprof_record){.ns = 1000000123,
				      .pid_tgid = 100ULL << 32 | 101,
				      .comm = "a\033b",
				      .retval = 2,
				      .why = 1,
				      .packet_sz = 1514};
	m->r->net[0] = 14000;
	m->r->net[BPROF_CLOCK_SLOT] = 60000;
	f->probes.net = true;
	m->o = (struct trace_output){.format = format,
				     .start_ns = 500000000,
				     .s = &f->s,
				     .probe = &m->probe,
				     .epoch_ns = 1767225600000000000};
	m->o.out = open_memstream(&m->text, &m->text_sz);
	trace_output__prepare(&m->o);
}

static const char *text_of(struct made *m)
{
	fflush(m->o.out);
	return m->text;
}

static void free_record(struct made *m)
{
	fclose(m->o.out);
	trace_output__free(&m->o);
	free(m->text);
	free(m->r);
}

static void assert_has(struct made *m, const char *part)
{
	if (!strstr(text_of(m), part))
		fail_msg("no '%s' in: %s", part, m->text);
}

static void assert_has_not(struct made *m, const char *part)
{
	if (strstr(text_of(m), part))
		fail_msg("'%s' in: %s", part, m->text);
}

/* ---- lines of text ---- */

static void test_text(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_text);
	assert_int_equal(trace_output__begin(&m.o), 0);
	assert_has(&m, "RETURNED");
	assert_has_not(&m, "cycles");
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	assert_has(&m, ":01.000000123");
	assert_has(&m, "    3      101  a\\x1bb ");
	assert_has(&m, "  42  xdp_lb  XDP_PASS ");
	assert_has(&m, " 14,000 ");
	assert_has(&m, " 60.00 us ");
	assert_has(&m, " 1,514  instructions>10000\n");
	free_record(&m);
}

/* Columns are left out and names are shortened, so that each line fits the terminal. */
static void test_widths(void **state)
{
	static const int widths[] = {80, 100, 200};
	struct made m;

	make_record(&m, *state, &trace_text);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		trace_output__free(&m.o);
		m.o.screen.width = widths[i];
		trace_output__prepare(&m.o);
		fprintf(m.o.out, "%s# %d columns\n", i ? "\n" : "", widths[i]);
		assert_int_equal(trace_output__begin(&m.o), 0);
		m.r->why = 1;
		m.r->net[BPROF_CLOCK_SLOT] = 60000;
		assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
		m.r->why = 1 | 1 << BPROF_CLOCK_SLOT | BPROF_WHY_RETVAL | BPROF_WHY_EVERY;
		m.r->net[BPROF_CLOCK_SLOT] = 1234567890;
		assert_int_equal(trace_output__record(&m.o, 127, m.r), 0);
	}
	assert_golden("trace_widths", "txt", strdup(text_of(&m)));
	free_record(&m);
}

static void test_all_reasons(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_text);
	m.r->net[BPROF_CLOCK_SLOT] = 2000000;
	m.r->why = 1 | 1 << BPROF_CLOCK_SLOT | BPROF_WHY_RETVAL | BPROF_WHY_EVERY;
	trace_output__record(&m.o, 3, m.r);
	assert_has(&m, "instructions>10000, time>1ms, retval, every\n");
	free_record(&m);
}

/* Each field has a plain number. Lost records are reported by a message, not in the CSV. */
static void test_csv(void **state)
{
	const struct trace_summary sum = {.counts = {.records = 1}};
	struct capture log;
	struct made m;
	char *said;

	make_record(&m, *state, &trace_csv);
	m.o.csv = (struct csv_style){.sep = ";", .header = true};
	m.r->why = 1 | BPROF_WHY_EVERY;
	assert_int_equal(trace_output__begin(&m.o), 0);
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	m.r->failed = 1;
	assert_int_equal(trace_output__record(&m.o, 4, m.r), 0);
	capture__begin(&log, stderr);
	assert_int_equal(trace_output__held(&m.o, 7), 0);
	assert_int_equal(trace_output__lost(&m.o, 2, 5), 0);
	assert_int_equal(trace_output__end(&m.o, &sum), 0);
	said = capture__end(&log);
	assert_string_equal(
		text_of(&m),
		"time;cpu;tid;comm;id;name;returned;instructions;time;length;why\n"
		"2026-01-01T00:00:01.000000123Z;3;101;a\\x1bb;42;xdp_lb;XDP_PASS;14000;60000;1514;"
		"instructions>10000, every\n"
		"2026-01-01T00:00:01.000000123Z;4;101;a\\x1bb;42;xdp_lb;XDP_PASS;;60000;1514;"
		"instructions>10000, every\n");
	assert_non_null(strstr(said, "7 records held back: at most 1000 per program"));
	assert_non_null(strstr(said, "5 records lost: the ring buffer of CPU 2 was full"));
	assert_non_null(strstr(said, ": 1 recorded, 0 lost, 0 held back"));
	free(said);
	free_record(&m);
}

/* A value that could not be read is left out, and cannot be the reason for recording the run. */
static void test_failed_reading(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_text);
	m.r->why = BPROF_WHY_EVERY;
	m.r->failed = 1;
	trace_output__record(&m.o, 3, m.r);
	assert_has_not(&m, "14,000");
	assert_has(&m, "  every\n");
	free_record(&m);
}

static void put_packet(struct made *m, bool stack)
{
	__u8 *bytes = m->r->data;

	if (stack) {
		const __u64 addresses[] = {0xffff800000001000, 0xffff800000002000};

		m->probe.config.stack_sz = BPROF_TRACE_STACK_SZ;
		memcpy(bytes, addresses, sizeof(addresses));
		m->r->stack_sz = sizeof(addresses);
		bytes += BPROF_TRACE_STACK_SZ;
	}
	for (int i = 0; i < 20; i++)
		bytes[i] = i + 0xf0;
	m->r->snapped = 20;
	m->o.bytes = true;
}

static void test_bytes_and_stack(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_text);
	put_packet(&m, true);
	m.r->in_parts = 1;
	trace_output__record(&m.o, 3, m.r);
	assert_has(&m, "\n        f0f1 f2f3 f4f5 f6f7 f8f9 fafb fcfd feff\n        0001 0203\n"
		       "        (only the linear part; the packet is in several parts)\n"
		       "    0xffff800000001000\n    0xffff800000002000\n");
	free_record(&m);
}

/* The record has no packet, and a return value without a name, or none. */
static void test_subprogram(void **state)
{
	struct bpf_fn fn = {.name = "parse", .label = "parse", .ret_sz = 4};
	struct func_table table = {.fn = &fn, .cnt = 1};
	struct fixture *f = *state;
	struct made m;

	f->target[0].subprog = true;
	f->target[0].func = "parse";
	f->prog[0].funcs = &table;
	make_record(&m, f, &trace_text);
	trace_output__record(&m.o, 3, m.r);
	assert_has(&m, "xdp_lb:parse  2 ");
	assert_has_not(&m, "1,514");
	fn.ret_sz = 0;
	trace_output__record(&m.o, 3, m.r);
	assert_has(&m, "xdp_lb:parse  - ");
	free_record(&m);
	f->prog[0].funcs = NULL;
}

/* The kernel does not pass the packet on, or it cannot be read. */
static void test_no_packet(void **state)
{
	struct fixture *f = *state;
	struct made m;

	make_record(&m, f, &trace_text);
	f->target[0].shape = (struct target_shape){.known = true};
	trace_output__record(&m.o, 3, m.r);
	f->target[0].shape.args = 1;
	m.probe.config.at.skb_len = 0;
	trace_output__record(&m.o, 3, m.r);
	assert_has_not(&m, "1,514");
	free_record(&m);
}

static void test_what_is_missing(void **state)
{
	struct trace_summary sum = {.elapsed_ns = 1234000000,
				    .invocations = 100000,
				    .measured = 99997,
				    .counts = {5010, 10, 5000, 0}};
	struct fixture *f = *state;
	struct made m;

	make_record(&m, f, &trace_text);
	trace_output__held(&m.o, 5000);
	trace_output__lost(&m.o, 2, 17);
	assert_has(&m, "# 5,000 records held back: at most 1,000 per program, CPU");
	assert_has(&m, "# 17 records lost: the ring buffer of CPU 2 was full\n");
	trace_output__end(&m.o, &sum);
	assert_has(&m, "# 100,000 invocations in 1.234 s, 3 of them not measured: 10 recorded, 0 "
		       "lost, 5,000 held back\n");
	f->probes.net = false;
	sum.own = 1500;
	trace_output__end(&m.o, &sum);
	assert_has(&m, "3 of them not measured, 1,500 by bprof itself left out: 10 recorded");
	assert_has(&m, "held back; costs are raw, including the probe's own\n");
	free_record(&m);
}

/* ---- lines of JSON ---- */

static json_t *load(struct made *m)
{
	json_error_t error;
	json_t *obj = json_loads(text_of(m), 0, &error);

	if (!obj)
		fail_msg("%s: %s", error.text, m->text);
	/* the output is a single line */
	assert_ptr_equal(strchr(m->text, '\n'), m->text + strlen(m->text) - 1);
	return obj;
}

static void test_json(void **state)
{
	const char *comm, *type, *retval, *why, *event, *data, *frame;
	json_int_t time, pid, tid, id, len;
	struct fixture *f = *state;
	struct made m;
	json_t *obj;
	double net;

	make_record(&m, f, &trace_json);
	put_packet(&m, true);
	f->events.v[2].scale = 0.1;
	m.r->net[BPROF_CLOCK_SLOT] = 3;
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	obj = load(&m);
	assert_has(&m, "\"net\":0.3}");
	assert_int_equal(
		json_unpack(obj,
			    "{s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:[s!], s:[{s:s, s:F}, {}!], "
			    "s:{s:I, s:s}, s:[s,s!]}",
			    "time_ns", &time, "pid", &pid, "tid", &tid, "id", &id, "comm", &comm,
			    "type", &type, "retval_name", &retval, "why", &why, "events", "name",
			    &event, "net", &net, "packet", "len", &len, "data", &data, "stack",
			    &frame, &(const char *){0}),
		0);
	assert_int_equal(time, 1767225601000000123);
	assert_int_equal(pid, 100);
	assert_int_equal(tid, 101);
	assert_int_equal(id, 42);
	assert_string_equal(comm, "a\033b");
	assert_string_equal(retval, "XDP_PASS");
	assert_string_equal(why, "instructions>10000");
	assert_string_equal(event, "instructions");
	assert_near(net, 14000);
	assert_int_equal(len, 1514);
	assert_string_equal(data, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203");
	assert_string_equal(frame, "0xffff800000001000");
	json_decref(obj);
	free_record(&m);
}

static void test_json_summary(void **state)
{
	const struct trace_summary sum = {
		.elapsed_ns = 5, .invocations = 9, .measured = 8, .own = 3, .counts = {7, 1, 2, 4}};
	json_int_t invocations, own, matched, records, held, lost;
	struct made m;
	json_t *obj;

	make_record(&m, *state, &trace_json);
	trace_output__end(&m.o, &sum);
	obj = load(&m);
	assert_int_equal(json_unpack(obj, "{s:{s:I, s:I, s:I, s:I, s:I, s:I}}", "summary",
				     "invocations", &invocations, "own_runs", &own, "matched",
				     &matched, "records", &records, "held_back", &held, "lost",
				     &lost),
			 0);
	assert_int_equal(invocations, 9);
	assert_int_equal(own, 3);
	assert_int_equal(matched, 7);
	assert_int_equal(records, 1);
	assert_int_equal(held, 2);
	assert_int_equal(lost, 4);
	json_decref(obj);
	free_record(&m);
}

/*
 * Records of two threads of a process and of two idle CPUs. The second thread renames itself. A net time
 * below 0 is shown as 0. A run that began before the document is shown at the beginning of the document.
 */
static void test_timeline(void **state)
{
	const struct trace_summary sum = {.elapsed_ns = 1234000000,
					  .invocations = 100000,
					  .measured = 100000,
					  .counts = {7, 6, 1, 0}};
	struct fixture *f = *state;
	struct made m;

	make_record(&m, f, &trace_timeline);
	assert_int_equal(trace_output__begin(&m.o), 0);
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	memcpy(m.r->comm, "main", 5);
	m.r->pid_tgid = 100ULL << 32 | 100;
	m.r->ns += 1;
	m.r->net[BPROF_CLOCK_SLOT] = -7;
	assert_int_equal(trace_output__record(&m.o, 0, m.r), 0);
	m.r->pid_tgid = 100ULL << 32 | 101;
	m.r->failed = 1;
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	assert_int_equal(trace_output__held(&m.o, 1), 0);
	memcpy(m.r->comm, "swapper/3", 10);
	m.r->pid_tgid = 0;
	m.r->why = BPROF_WHY_EVERY;
	m.r->net[BPROF_CLOCK_SLOT] = 1234567890;
	assert_int_equal(trace_output__record(&m.o, 3, m.r), 0);
	assert_int_equal(trace_output__record(&m.o, 1, m.r), 0);
	assert_int_equal(trace_output__lost(&m.o, 2, 17), 0);
	assert_int_equal(trace_output__end(&m.o, &sum), 0);
	assert_timeline(text_of(&m));
	assert_golden("trace", "timeline", golden__set_version(strdup(m.text)));
	free_record(&m);
}

#define OUTPUT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

/* The wall clock is set, or the machine sleeps, while a trace goes on. */
static void test_clock(void **state)
{
	struct trace_output o = {};
	struct timespec wall, monotonic;
	__u64 epoch_ns;

	trace_output__follow_clock(&o);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_REALTIME, &wall);
	assert_true(llabs((__s64)o.epoch_ns / 1000000000 - (wall.tv_sec - monotonic.tv_sec)) <= 1);
	/* the difference is kept while neither has happened */
	epoch_ns = --o.epoch_ns;
	trace_output__follow_clock(&o);
	assert_true(o.epoch_ns == epoch_ns);
	o.epoch_ns -= 3600000000000;
	trace_output__follow_clock(&o);
	assert_true(llabs((__s64)(o.epoch_ns - epoch_ns)) < 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OUTPUT_TEST(test_text),
		OUTPUT_TEST(test_csv),
		OUTPUT_TEST(test_widths),
		cmocka_unit_test(test_clock),
		OUTPUT_TEST(test_all_reasons),
		OUTPUT_TEST(test_failed_reading),
		OUTPUT_TEST(test_bytes_and_stack),
		OUTPUT_TEST(test_subprogram),
		OUTPUT_TEST(test_no_packet),
		OUTPUT_TEST(test_what_is_missing),
		OUTPUT_TEST(test_json),
		OUTPUT_TEST(test_json_summary),
		OUTPUT_TEST(test_timeline),
	};

	return cmocka_run_group_tests_name("trace_output", tests, NULL, NULL);
}
