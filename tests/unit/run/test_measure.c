// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how commands measure, with made-up counts: which two snapshots each report is made from,
 * what ends the repeats, which errors are returned, and that every snapshot is freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "base/util.h"
#include "report/report.h"
#include "run/command.h"
#include "run/measure.h"
#include "tests/unit/capture.h"
#include "tests/unit/fake_counting.h"

/* Made-up counts, the options of a measurement of them, and its reports. */
struct fake {
	struct fake_counting c;
	struct measure_opts o;
	int status;
	char path[32];
	char *log; /* text that was written to stderr */
	struct report *got[16];
	int got_cnt;
};

static void read_reports(struct fake *f)
{
	struct report_source src = {.in = fopen(f->path, "r")};
	struct report_error err;

	assert_non_null(src.in);
	while (!report__read(&src, &f->got[f->got_cnt], &err))
		f->got_cnt++;
	assert_int_equal(fgetc(src.in), EOF);
	fclose(src.in);
}

static const struct format *find_format(const char *name)
{
	for (int i = 0; i < format_cnt; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	fail_msg("no format %s", name);
	return NULL;
}

static struct fake *begin(void)
{
	struct fake *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->path, "/tmp/bprof-test-XXXXXX");
	close(mkstemp(f->path));
	f->o = (struct measure_opts){.output = {.format = &formats[FORMAT_JSON], .file = f->path}};
	live_snapshots = 0;
	return f;
}

static void end(struct fake *f)
{
	assert_int_equal(live_snapshots, 0);
	for (int i = 0; i < f->got_cnt; i++)
		report__free(f->got[i]);
	unlink(f->path);
	free(f->log);
	free(f);
}

/* Runs a whole measurement and reads the reports. Returns the first error. */
static int run(struct fake *f)
{
	struct capture c;
	struct output out = {};
	int err;

	capture__begin(&c, stderr);
	err = output__close(&out, measure__run(&f->o, &out, &fake_counting_ops, &f->c, &f->status));
	f->log = capture__end(&c);
	if (access(f->path, R_OK) == 0 && f->o.output.file == f->path &&
	    f->o.output.format == &formats[FORMAT_JSON])
		read_reports(f);
	return err;
}

static void test_once(void **state)
{
	struct fake *f = begin();

	f->o.loop.command = (char *[]){"sh", "-c", "exit 3", NULL};
	assert_int_equal(run(f), 0);
	assert_string_equal(f->log, "");
	assert_int_equal(f->status, 3);
	assert_true(f->c.command > 0);
	assert_int_equal(f->c.starts, 1);
	assert_int_equal(f->got_cnt, 1);
	assert_int_equal(f->got[0]->elapsed_ns, 10);
	assert_int_equal(f->got[0]->repeats, 1);
	end(f);
}

/* Each report begins where the one before ended. The last one ends with the measurement. */
static void test_intervals(void **state)
{
	struct fake *f = begin();
	time_t before = time(NULL);

	f->o.loop.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.loop.interval_count = 4;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->c.reads, 3);
	assert_int_equal(f->got_cnt, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(f->got[i]->elapsed_ns, 10);
		assert_int_equal(f->got[i]->interval_ns, 10 * (i + 1));
		/* each report has the time at which the measurement started */
		assert_true(f->got[i]->started.tv_sec >= before);
		assert_int_equal(f->got[i]->started.tv_nsec, f->got[0]->started.tv_nsec);
	}
	end(f);
}

/* The reports of a series are in one page, which is complete also if the last report fails. */
static void test_page(void **state)
{
	for (int fail = 0; fail < 2; fail++) {
		struct fake *f = begin();
		char text[1 << 16] = "", *at;
		int reports = 0;
		FILE *in;

		f->o.output.format = find_format("html");
		f->o.loop.interval_ns = 1 * NSEC_PER_MSEC;
		f->o.loop.interval_count = 4;
		f->c.fail_report = fail ? 4 : 0;
		assert_int_equal(run(f), fail ? -ENOSPC : 0);
		in = fopen(f->path, "r");
		assert_non_null(in);
		assert_in_range(fread(text, 1, sizeof(text) - 1, in), 1, sizeof(text) - 2);
		fclose(in);
		for (at = text; (at = strstr(at, "<script type=")); at++)
			reports++;
		assert_int_equal(reports, fail ? 3 : 4);
		assert_null(strstr(strstr(text, "<html") + 1, "<html"));
		assert_string_equal(strstr(text, "</html>"), "</html>\n");
		end(f);
	}
}

/* With o.totals, the last report covers the whole measurement. */
static void test_total(void **state)
{
	struct fake *f = begin();

	f->o.totals = true;
	f->o.loop.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.loop.interval_count = 3;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->got_cnt, 4);
	assert_int_equal(f->got[2]->interval_ns, 30);
	assert_false(f->got[2]->total);
	assert_true(f->got[3]->total);
	assert_int_equal(f->got[3]->elapsed_ns, 30);
	assert_int_equal(f->got[3]->interval_ns, 0);
	end(f);
	/* without intervals, the total is the only report */
	f = begin();
	f->o.totals = true;
	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->got_cnt, 1);
	assert_false(f->got[0]->total);
	end(f);
	/* if the report of the total fails, the reports of the intervals remain */
	f = begin();
	f->o.totals = true;
	f->o.loop.interval_ns = 1 * NSEC_PER_MSEC;
	f->o.loop.interval_count = 2;
	f->c.fail_report = 3;
	assert_int_equal(run(f), -ENOSPC);
	assert_int_equal(f->got_cnt, 2);
	end(f);
}

static void test_interval_cannot_be_reported(void **state)
{
	struct fake *f = begin();

	f->o.loop.interval_ns = 1 * NSEC_PER_MSEC;
	f->c.fail_report = 3;
	assert_int_equal(run(f), -ENOSPC);
	assert_int_equal(f->got_cnt, 2);
	end(f);
}

/* The report covers all repeats, from the first start to the last stop. */
static void test_repeats(void **state)
{
	struct fake *f = begin();

	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	f->o.repeat = 3;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->c.starts, 3);
	assert_int_equal(f->c.report_cnt, 4); /* one for each repeat, and one for all repeats */
	assert_int_equal(f->got_cnt, 1);
	assert_int_equal(f->got[0]->repeats, 3);
	assert_int_equal(f->got[0]->elapsed_ns, 2 * 1010 + 3 * 10);
	end(f);
}

static void test_repeats_end(void **state)
{
	struct fake *f = begin();

	/* a signal from the user ends the repeats */
	f->o.loop.timeout_ns = 20 * NSEC_PER_MSEC;
	f->o.repeat = 5;
	f->c.stop_at = 2;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->c.starts, 2);
	assert_int_equal(f->got[0]->repeats, 2);
	end(f);
	/* if a tick says that all targets are gone, there are no more repeats */
	f = begin();
	f->o.loop.first_tick_ns = f->o.loop.tick_ns = 1 * NSEC_PER_MSEC;
	f->o.loop.timeout_ns = 1ULL << 60;
	f->o.repeat = 5;
	f->c.over_at = 2;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->c.ticks, 2);
	assert_int_equal(f->c.starts, 1);
	assert_int_equal(f->got[0]->repeats, 1);
	end(f);
	/*
	 * if a repeat fails, the report covers the repeats before it; if the first one fails, there
	 * is no report
	 */
	f = begin();
	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	f->o.repeat = 5;
	f->c.fail_report = 3;
	assert_int_equal(run(f), -ENOSPC);
	assert_int_equal(f->c.starts, 3);
	assert_int_equal(f->got_cnt, 1);
	assert_int_equal(f->got[0]->repeats, 2);
	assert_int_equal(f->got[0]->elapsed_ns, 1010 + 2 * 10);
	end(f);
	f = begin();
	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	f->o.repeat = 5;
	f->c.fail_report = 1;
	assert_int_equal(run(f), -ENOSPC);
	assert_int_equal(f->c.starts, 1);
	assert_int_equal(f->got_cnt, 0);
	end(f);
}

static void test_ended_before_delay(void **state)
{
	struct fake *f = begin();

	f->o.loop.command = (char *[]){"sh", "-c", "exit 3", NULL};
	f->o.loop.delay_ns = 1ULL << 60;
	assert_int_equal(run(f), -ENODATA);
	assert_non_null(strstr(f->log, "before the delay (-D) was over"));
	assert_int_equal(f->c.starts, 0);
	assert_int_equal(f->got_cnt, 0);
	end(f);
}

static void test_no_such_command(void **state)
{
	struct fake *f = begin();

	f->o.loop.command = (char *[]){"/no/such/command", NULL};
	assert_int_equal(run(f), -ECHILD);
	assert_int_equal(f->status, EXIT_NOT_FOUND);
	assert_int_equal(f->got_cnt, 0);
	end(f);
}

static void test_nothing(void **state)
{
	struct fake *f = begin();
	struct capture out;
	char *text;

	f->c.nothing = true;
	f->o.output.file = NULL;
	capture__begin(&out, stdout);
	assert_int_equal(run(f), -ENODATA);
	text = capture__end(&out);
	assert_string_equal(f->log, "bprof: nothing could be measured\n");
	assert_int_equal(f->c.starts, 0);
	assert_non_null(strstr(text, "\"elapsed_ns\": 0"));
	free(text);
	free(f->log);
	/* A file is not replaced by a report without results. */
	f->o.output.file = f->path;
	assert_int_equal(run(f), -ENODATA);
	assert_int_equal(f->got_cnt, 0);
	end(f);
}

static void test_output(void **state)
{
	struct fake *f = begin();

	/* with --append, the report of a second session follows that of the first one */
	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	f->o.output.append = true;
	assert_int_equal(run(f), 0);
	free(f->log);
	report__free(f->got[0]);
	f->got_cnt = 0;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->got_cnt, 2);
	end(f);
	/* an error is reported in a single line */
	f = begin();
	f->o.output.file = "/dev/full";
	f->o.loop.timeout_ns = 1 * NSEC_PER_MSEC;
	assert_int_equal(run(f), -ENOSPC);
	assert_string_equal(f->log,
			    "bprof: /dev/full: cannot be written: No space left on device\n");
	end(f);
}

static void test_exit_status(void **state)
{
	assert_int_equal(measure__exit_status(0, 0), EXIT_DONE);
	assert_int_equal(measure__exit_status(0, 77), 77);
	assert_int_equal(measure__exit_status(-ENODATA, 77), EXIT_NOTHING);
	assert_int_equal(measure__exit_status(-EIO, 77), EXIT_FAILED);
	assert_int_equal(measure__exit_status(-EPERM, 77), EXIT_NOT_ALLOWED);
	assert_int_equal(measure__exit_status(-EACCES, 77), EXIT_NOT_ALLOWED);
	assert_int_equal(measure__exit_status(-ESRCH, 77), EXIT_NO_SUCH);
	assert_int_equal(measure__exit_status(-ENOTUNIQ, 77), EXIT_USAGE);
	assert_int_equal(measure__exit_status(-ECHILD, EXIT_NOT_FOUND), 127);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_interval_cannot_be_reported),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_repeats_end),
		cmocka_unit_test(test_ended_before_delay),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_no_such_command),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_exit_status),
	};

	/* If a measurement never ends, the alarm makes the test fail. */
	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
