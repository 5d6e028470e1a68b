// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the snapshots of a made-up session of bprof system become its report: what is summed,
 * scaled, not counted, and noted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "system/system.h"

enum { CPU_CNT = 3, SCOPE_CNT = 3, EVENT_CNT = 2, REST = CPU_CNT, CPU_LIMIT = 400 };

static const struct system_ops sharing = {.method = "sharing", .shared = true},
			       alone = {.method = "alone"};

/*
 * A session on CPUs whose ids have gaps, with two events and the processes 42, 57 and 99. Process
 * 99 was never counted.
 */
struct fixture {
	struct system s;
	struct event_list events;
	struct event ev[EVENT_CNT];
	struct scope scope[SCOPE_CNT];
	int unread[SCOPE_CNT * EVENT_CNT], refused[EVENT_CNT * CPU_LIMIT];
	bool added_once[SCOPE_CNT], uncounted_cpu[CPU_LIMIT];
	int cpu_id[CPU_CNT];
	struct reading v[2][SCOPE_CNT * EVENT_CNT * (CPU_CNT + 1)];
	struct system_snapshot from, to;
	char *command[2];
	struct report *r;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	memcpy(f->cpu_id, (int[]){1, 2, 7}, sizeof(f->cpu_id));
	f->ev[0] = (struct event){.name = "cycles:u", .base = "cycles", .unit = "", .scale = 1};
	f->ev[1] = (struct event){.name = "energy", .base = "energy", .unit = "J", .scale = 0.5};
	f->events = (struct event_list){.v = f->ev, .cnt = EVENT_CNT};
	f->scope[0] = (struct scope){SCOPE_PROCESS, 42, "sh", .fd = -1};
	f->scope[1] = (struct scope){SCOPE_PROCESS, 57, "cat", .fd = -1};
	f->scope[2] = (struct scope){SCOPE_PROCESS, 99, "gone", .fd = -1};
	f->added_once[0] = f->added_once[1] = true;
	f->s = (struct system){.opts = {.inherit = true},
			       .events = &f->events,
			       .cpus = {f->cpu_id, CPU_CNT},
			       .cpu_limit = CPU_LIMIT,
			       .scopes = {.v = f->scope, .cnt = SCOPE_CNT},
			       .added_once = f->added_once,
			       .unread = f->unread,
			       .uncounted_cpu = f->uncounted_cpu,
			       .refused = f->refused,
			       .ops = &sharing};
	f->from = (struct system_snapshot){1000, f->v[0]};
	f->to = (struct system_snapshot){5000, f->v[1]};
	f->command[0] = "bprof";
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	report__free(f->r);
	free(f);
	return 0;
}

/*
 * Sets what was counted between the two snapshots. The counts in the first snapshot are arbitrary.
 */
static void count(struct fixture *f, int scope, int event, int i, struct reading v)
{
	size_t at = system__at(&f->s, scope, event, i);

	f->v[0][at] = (struct reading){7000, 900, 800};
	f->v[1][at] = (struct reading){7000 + v.counter, 900 + v.enabled_ns, 800 + v.running_ns};
}

static struct report *make(struct fixture *f, bool per_cpu)
{
	f->s.opts.command = f->command;
	f->s.opts.per_cpu = per_cpu;
	report__free(f->r);
	assert_int_equal(system__report(&f->s, &f->from, &f->to, &f->r), 0);
	return f->r;
}

static void assert_total(const struct report_row *row, int event, double want)
{
	double total = row->event[event].total;

	if (!(fabs(total - want) <= 1e-9 * fabs(want)))
		fail_msg("%.12g, not %.12g", total, want);
}

static void test_rows(void **state)
{
	struct fixture *f = *state;
	struct report *r;

	count(f, 0, 0, 0, (struct reading){100, 10, 10});
	count(f, 0, 0, 2, (struct reading){20, 10, 10});
	count(f, 0, 0, REST, (struct reading){3, 10, 10});
	count(f, 0, 1, 1, (struct reading){8, 10, 10});
	count(f, 1, 0, 1, (struct reading){4000, 10, 10});
	count(f, 2, 0, 1, (struct reading){90000, 10, 10});
	r = make(f, false);
	/*
	 * The rows are the two processes that were counted, and their sum. No row includes process
	 * 99.
	 */
	assert_int_equal(r->scope_cnt, 3);
	assert_string_equal(r->scope[0].kind, "process");
	assert_int_equal(r->scope[0].id, 42);
	assert_string_equal(r->scope[0].name, "sh");
	assert_string_equal(r->scope[0].method, "sharing");
	assert_true(r->scope[0].shared);
	assert_total(&r->scope[0].all, 0, 123);
	assert_total(&r->scope[0].all, 1, 4);
	assert_string_equal(r->scope[0].all.event[1].unit, "J");
	assert_total(&r->scope[1].all, 0, 4000);
	assert_total(&r->scope[1].all, 1, 0);
	assert_string_equal(r->scope[2].kind, "total");
	assert_total(&r->scope[2].all, 0, 4123);
	assert_int_equal(r->scope[0].cpu_cnt, 0);
	assert_int_equal(r->elapsed_ns, 4000);
	assert_int_equal(r->host.cpus, CPU_CNT);
}

static void test_one_has_no_total(void **state)
{
	struct fixture *f = *state;

	f->s.scopes.cnt = 1;
	assert_int_equal(make(f, false)->scope_cnt, 1);
	/* cgroups have no sum, as one may contain another */
	f->s.scopes.cnt = 2;
	f->scope[0].kind = f->scope[1].kind = SCOPE_CGROUP;
	assert_int_equal(make(f, false)->scope_cnt, 2);
}

static void test_cpus(void **state)
{
	struct fixture *f = *state;
	struct report *r;

	count(f, 1, 0, 0, (struct reading){100, 10, 10});
	count(f, 1, 0, 2, (struct reading){20, 10, 10});
	r = make(f, true);
	assert_int_equal(r->scope[1].cpu_cnt, CPU_CNT);
	for (int i = 0; i < CPU_CNT; i++)
		assert_int_equal(r->scope[1].cpu[i].cpu, f->cpu_id[i]);
	assert_total(&r->scope[1].cpu[0], 0, 100);
	assert_total(&r->scope[1].cpu[1], 0, 0);
	assert_total(&r->scope[1].cpu[2], 0, 20);
	assert_total(&r->scope[2].cpu[2], 0, 20);
}

/*
 * Counts of multiplexed events are extrapolated to the whole time for which the event was enabled, with or
 * without a counter.
 */
static void test_scaling(void **state)
{
	struct fixture *f = *state;
	const struct report_event *ev;

	count(f, 0, 0, 0, (struct reading){100, 1000, 250});
	count(f, 0, 1, 0, (struct reading){100, 1000, 1000});
	/* running_ns is read after enabled_ns, and may be larger */
	count(f, 1, 0, 1, (struct reading){50, 200, 201});
	ev = make(f, false)->scope[0].all.event;
	assert_total(&f->r->scope[0].all, 0, 400);
	assert_int_equal(ev[0].enabled_ns, 1000);
	assert_int_equal(ev[0].running_ns, 250);
	assert_total(&f->r->scope[0].all, 1, 50); /* scaled by the event's own .scale */
	assert_total(&f->r->scope[1].all, 0, 50);
	assert_total(&f->r->scope[2].all, 0, 450);
}

/*
 * A busy CPU had a counter for a quarter of the time, and idle CPUs had one all the time, or never.
 */
static void test_scaling_of_each_cpu(void **state)
{
	struct fixture *f = *state;

	count(f, 0, 0, 0, (struct reading){4000, 1000, 250});
	count(f, 0, 0, 1, (struct reading){10, 1000, 1000});
	assert_total(&make(f, false)->scope[0].all, 0, 16010);
	/* nothing is known of this CPU: it counts like the others */
	count(f, 0, 0, 2, (struct reading){0, 500, 0});
	assert_total(&make(f, false)->scope[0].all, 0, 16010 * 2500 / 2000.);
	assert_int_equal(f->r->scope[0].all.event[0].enabled_ns, 2500);
	assert_int_equal(f->r->scope[0].all.event[0].running_ns, 1250);
}

/*
 * An event that was enabled but never on a counter has no total. An event that was never enabled,
 * because the process did not run, has the total 0.
 */
static void test_never_on_a_counter(void **state)
{
	struct fixture *f = *state;
	struct report *r;

	count(f, 0, 0, 0, (struct reading){0, 1000, 0});
	count(f, 1, 0, 0, (struct reading){0, 0, 0});
	r = make(f, false);
	assert_true(isnan(r->scope[0].all.event[0].total));
	assert_int_equal(r->scope[0].all.event[0].status, EVENT_OK);
	assert_total(&r->scope[1].all, 0, 0);
}

/* A counter that cannot be read hides the count of its own row, and of the sum. */
static void test_unread(void **state)
{
	struct fixture *f = *state;
	struct report *r;

	count(f, 0, 0, 0, (struct reading){100, 10, 10});
	count(f, 1, 0, 0, (struct reading){20, 10, 10});
	count(f, 1, 1, 0, (struct reading){8, 10, 10});
	f->unread[EVENT_CNT] = -EBUSY;	 /* event 0 of the second scope */
	f->unread[2 * EVENT_CNT] = -EIO; /* a scope that is in no row */
	r = make(f, false);
	assert_total(&r->scope[0].all, 0, 100);
	assert_int_equal(r->scope[0].all.event[0].status, EVENT_OK);
	assert_int_equal(r->scope[1].all.event[0].status, EVENT_NOT_COUNTED);
	assert_non_null(strstr(r->scope[1].all.event[0].detail, "modifier D"));
	assert_total(&r->scope[1].all, 1, 4);
	assert_int_equal(r->scope[2].all.event[0].status, EVENT_NOT_COUNTED);
	assert_total(&r->scope[2].all, 1, 4);
}

static void test_skipped(void **state)
{
	struct fixture *f = *state;
	struct scope_skip skip = {"4711", "no_process", "there is none"};
	struct report *r;

	f->s.scopes.skip = &skip;
	f->s.scopes.skip_cnt = 1;
	r = make(f, false);
	assert_int_equal(r->skip_cnt, 1);
	assert_string_equal(r->skip[0].name, "4711");
	assert_string_equal(r->skip[0].reason, "no_process");
	assert_string_equal(r->skip[0].detail, "there is none");
}

/* The report notes what was not counted, in the rows that lack it. */
static void test_notes(void **state)
{
	struct fixture *f = *state;
	struct report *r = make(f, false);

	assert_int_equal(r->scope[0].notes.cnt, 0);
	f->uncounted_cpu[2] = f->uncounted_cpu[5] = true;
	f->s.uncounted_children = 12;
	r = make(f, false);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(r->scope[i].notes.cnt, 2);
		assert_non_null(strstr(r->scope[i].notes.text[0], "CPU 2,5,"));
		assert_non_null(strstr(r->scope[i].notes.text[1], "up to 12 children"));
	}
	/*
	 * Uncounted children are not mentioned if children were not requested, or if the scope is a
	 * cgroup.
	 */
	f->s.opts.inherit = false;
	assert_int_equal(make(f, false)->scope[0].notes.cnt, 1);
	f->s.opts.inherit = true;
	f->scope[0].kind = SCOPE_CGROUP;
	assert_int_equal(make(f, false)->scope[0].notes.cnt, 1);
	assert_int_equal(f->r->scope[1].notes.cnt, 2);
	/* Unshared counters of a task follow it to any CPU, unless they count per CPU. */
	f->s.uncounted_children = 0;
	f->s.ops = &alone;
	r = make(f, false);
	assert_non_null(strstr(r->scope[0].notes.text[0], "restart bprof"));
	assert_int_equal(r->scope[1].notes.cnt, 0);
	assert_int_equal(make(f, true)->scope[1].notes.cnt, 1);
}

/* The sum of an event lacks the CPUs on which the kernel refused the event. */
static void test_refused_on_some_cpus(void **state)
{
	struct fixture *f = *state;
	const struct report_notes *notes;
	const struct report *r;
	char want[200];

	f->refused[CPU_LIMIT + f->cpu_id[1]] = f->refused[CPU_LIMIT + f->cpu_id[2]] = -EBUSY;
	f->refused[CPU_LIMIT + CPU_LIMIT - 1] = -EBUSY; /* this CPU is not counted (-C) */
	snprintf(want, sizeof(want),
		 "%s: not counted on CPU %d,%d: another user has exclusive use of the PMU",
		 f->ev[1].name, f->cpu_id[1], f->cpu_id[2]);
	notes = &make(f, false)->scope[0].notes;
	assert_int_equal(notes->cnt, 1);
	assert_string_equal(notes->text[0], want);
	/* the row of such a CPU has no number */
	r = make(f, true);
	assert_int_equal(r->scope[0].cpu[0].event[1].status, EVENT_OK);
	assert_int_equal(r->scope[0].cpu[1].event[0].status, EVENT_OK);
	assert_int_not_equal(r->scope[0].cpu[1].event[1].status, EVENT_OK);
	assert_int_equal(r->scope[0].all.event[1].status, EVENT_OK);
	/* another reason is shown for an event that no CPU counts */
	f->s.event[1].status = EVENT_NOT_SUPPORTED;
	assert_int_equal(make(f, false)->scope[0].notes.cnt, 0);
}

/* A PMU that counts for a socket counts on one of its CPUs: the rows of the others have no number. */
static void test_cpumask(void **state)
{
	struct fixture *f = *state;
	const struct report *r;

	f->ev[1].cpumask = (struct cpus){f->cpu_id + 1, 1};
	r = make(f, true);
	assert_int_equal(r->scope[0].all.event[1].status, EVENT_OK);
	for (int i = 0; i < CPU_CNT; i++)
		assert_int_equal(r->scope[0].cpu[i].event[1].status,
				 i == 1 ? EVENT_OK : EVENT_NOT_COUNTED);
	assert_non_null(strstr(r->scope[0].cpu[0].event[1].detail, "see its cpumask"));
}

/* The note names the right CPUs, also if there are many. */
static void test_note_on_many_cpus(void **state)
{
	struct fixture *f = *state;

	for (int cpu = 100; cpu < 164; cpu++)
		f->uncounted_cpu[cpu] = true;
	f->uncounted_cpu[399] = true;
	assert_non_null(strstr(make(f, false)->scope[0].notes.text[0], "CPU 100-163,399, which"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_has_no_total, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scaling, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scaling_of_each_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_on_a_counter, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_on_some_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cpumask, setup, teardown),
		cmocka_unit_test_setup_teardown(test_note_on_many_cpus, setup, teardown),
	};

	return cmocka_run_group_tests_name("system_result", tests, NULL, NULL);
}
