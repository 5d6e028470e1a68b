// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what log.h promises: a function whose comment says "(reported)" logs an error whenever it
 * fails. The tests pass wrong arguments, and make each allocation fail in turn.
 */
#include "tests/unit/made_session.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "options/options.h"
#include "report/report.h"
#include "session/sideband_queue.h"
#include "system/scope.h"
#include "target/target.h"
#include "tests/unit/no_memory.h"

static int messages, last_err;

static void keep(void *arg, enum log_level level, int err, const char *message)
{
	if (level != LOG_LEVEL_ERROR)
		return;
	assert_true(*message);
	messages++;
	last_err = err;
}

static const struct log_sink sink = {.write = keep, .max = LOG_LEVEL_DEBUG};

/*
 * Calls call(arg) repeatedly. Each time, one more allocation succeeds before all others fail. Ends
 * when the call succeeds or fails for another reason, and returns its result.
 */
static int try_all(int (*call)(void *arg), void *arg)
{
	int err = -ENOMEM;

	log__set_sink(&sink);
	for (int n = 0; err == -ENOMEM; n++) {
		messages = 0;
		allocations_left = n;
		err = call(arg);
		allocations_left = LONG_MAX;
		if (err) {
			assert_true(messages > 0);
			assert_int_equal(last_err, err);
		} else {
			assert_int_equal(messages, 0);
		}
	}
	log__set_sink(NULL);
	return err;
}

static int add_selector(void *arg)
{
	static const struct option_row row = {.name = "name"};
	const struct selector *s = arg;
	struct selector_list list = {};
	int err = selector_list__report_add(&list, s->kind, &row, s->arg);

	selector_list__free(&list);
	return err;
}

static void test_selectors(void **state)
{
	static const struct {
		enum selector_kind kind;
		char *arg;
		int err;
	} cases[] = {
		{SELECT_ID, "42,57:parse", 0},
		{SELECT_ID, "42,x", -EINVAL},
		{SELECT_NAME, "xdp_*", 0},
		{SELECT_NAME, "", -EINVAL},
		{SELECT_TAG, "d4f8", 0},
		{SELECT_TAG, "none", -EINVAL},
		{SELECT_TYPE, "xdp,sched_cls", 0},
		{SELECT_TYPE, "xdp,none", -EINVAL},
		{SELECT_PINNED, "/sys", 0},
		{SELECT_PINNED, "", -EINVAL},
		{SELECT_ALL, NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct selector s = {.kind = cases[i].kind, .arg = cases[i].arg};

		assert_int_equal(try_all(add_selector, &s), cases[i].err);
	}
}

static int select_targets(void *arg)
{
	struct target_list targets;
	int err = target_list__select(arg, NULL, &targets);

	if (!err)
		target_list__free(&targets);
	return err;
}

/*
 * Selects programs by an id that no program has and by a path that is not a pin, then all programs.
 * Only root may list all programs, so the last call may fail.
 */
static void test_targets(void **state)
{
	struct selector_list none = {}, all = {};

	assert_int_equal(selector_list__add(&none, SELECT_ID, "4294967295", NULL), 0);
	assert_int_equal(selector_list__add(&none, SELECT_PINNED, "/proc/self/none", NULL), 0);
	assert_int_equal(try_all(select_targets, &none), 0);
	assert_int_equal(selector_list__add(&all, SELECT_ALL, NULL, NULL), 0);
	try_all(select_targets, &all);
	selector_list__free(&none);
	selector_list__free(&all);
}

static int add_processes(void *arg)
{
	struct scope_list scopes = {};
	int err = scope_list__add_processes(&scopes, arg);

	scope_list__free(&scopes);
	return err;
}

static void test_scopes(void **state)
{
	assert_int_equal(try_all(add_processes, "1,4194305"), 0);
	assert_int_equal(try_all(add_processes, "1,init"), -EINVAL);
}

static int open_session(void *arg)
{
	const struct backend_opts opts = {};
	struct target_list targets = {};
	struct session *s;

	return session__open(&targets, arg, &(struct cpus){}, &opts, &s);
}

static void test_open(void **state)
{
	struct event_list none = {};

	assert_int_equal(try_all(open_session, &none), -ENODATA);
}

static int read_session(void *arg)
{
	struct snapshot *snap;
	int err = session__read(arg, true, &snap);

	if (!err)
		snapshot__free(snap);
	return err;
}

/* The session has a target that is gone, with its final counts. */
static void test_session(void **state)
{
	struct fixture *f = *state;

	f->target[0].frozen = counts__new(CPU_CNT + 1);
	f->target[0].frozen->event[0].hist.bucket = calloc(1, sizeof(struct hist_bucket));
	f->target[0].frozen->event[0].hist.cnt = 1;
	assert_int_equal(try_all(read_session, &f->s), 0);
	counts__free(f->target[0].frozen, CPU_CNT + 1);
}

static int make_report(void *arg)
{
	struct fixture *f = arg;
	const struct result_span span = {.from = &f->from, .to = &f->to};
	struct report *r;
	int err = result__report(&f->s, &span, 1, &f->o, &r);

	if (!err)
		report__free(r);
	return err;
}

static void test_result(void **state)
{
	assert_int_equal(try_all(make_report, *state), 0);
}

static int ignore_event(const struct sideband_event *e, void *arg)
{
	return 0;
}

/* A program's symbol waits in the queue. */
static int flush_symbol(void *arg)
{
	static const struct {
		struct perf_event_header header;
		__u64 addr;
		__u32 len;
		__u16 type, flags;
		char name[32];
		__u32 pid, tid;
		__u64 time;
		__u32 cpu, res;
	} record = {.header = {.type = PERF_RECORD_KSYMBOL, .size = sizeof(record)},
		    .type = PERF_RECORD_KSYMBOL_TYPE_BPF,
		    .name = "bpf_prog_0011223344556677_main"};
	long left = allocations_left;
	struct sideband_queue *q;
	int err;

	/* these allocations are not those of the tested function */
	allocations_left = LONG_MAX;
	assert_int_equal(sideband_queue__new(&q), 0);
	assert_int_equal(sideband_queue__add(q, &record.header), 0);
	allocations_left = left;
	err = sideband_queue__flush(q, 1, ignore_event, NULL);
	sideband_queue__free(q);
	return err;
}

static void test_sideband(void **state)
{
	assert_int_equal(try_all(flush_symbol, NULL), 0);
}

static int read_report(void *arg)
{
	long left = allocations_left;
	struct report_error rerr = {};
	struct report *r;
	FILE *in;
	int err;

	/* these allocations are made for the test, not by the function that is tested */
	allocations_left = LONG_MAX;
	in = *(char *)arg ? fmemopen(arg, strlen(arg), "r") : fopen("/dev/null", "r");
	assert_non_null(in);
	setvbuf(in, NULL, _IONBF, 0);
	allocations_left = left;
	err = report__read_all(in, &r, &rerr);
	fclose(in);
	if (!err)
		report__free(r);
	return report_error__report(err, "a report", "'bprof stat -j' writes one", &rerr);
}

static void test_report(void **state)
{
	assert_int_equal(try_all(read_report, ""), -ENODATA);
	assert_int_equal(try_all(read_report, "{"), -EINVAL);
	assert_int_equal(try_all(read_report, "{}"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_open),
		cmocka_unit_test_setup_teardown(test_session, setup, teardown),
		cmocka_unit_test_setup_teardown(test_result, setup, teardown),
		cmocka_unit_test(test_sideband),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests_name("reported", tests, NULL, NULL);
}
