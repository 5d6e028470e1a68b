// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the options shared by all commands that measure: what they set, and which of them are
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/log.h"
#include "base/util.h"
#include "run/measure_opts.h"
#include "tests/unit/capture.h"

/* A command's options. The shared options are a member of the struct. */
struct test_opts {
	bool own; /* so that the shared options are not at offset 0 */
	struct measure_opts measure;
};

static const struct option_row own_rows[] = {
	OPTION("own", 0, OPTION_FLAG, .member = offsetof(struct test_opts, own), .help = "its own"),
	{},
};

static const struct command_spec spec = {
	.name = "test",
	.synopsis = "[OPTIONS]",
	.summary = "Does this and that.",
	.tables = {{"Own", own_rows},
		   {"Events", event_rows, offsetof(struct test_opts, measure)},
		   {"Time", span_rows, offsetof(struct test_opts, measure)},
		   {"Time", measure_rows, offsetof(struct test_opts, measure)},
		   {"Output", output_rows, offsetof(struct test_opts, measure.output)}},
	.documents = DOC_PROGRAMS | DOC_SERIES,
};

struct parsed {
	struct test_opts o;
	int err;   /* error of parsing; if parsing succeeds, error of the checks */
	char *log; /* text that was written to stderr */
};

static struct parsed parse_argv(char **argv)
{
	struct parsed p = {};
	struct capture log;
	int argc = 0;

	while (argv[argc])
		argc++;
	capture__begin(&log, stderr);
	p.err = options__parse(&spec, &p.o, argc, argv, &p.o.measure.loop.command) ?:
		output_opts__apply(&p.o.measure.output, p.o.measure.loop.command) ?:
		measure_opts__check_format(&p.o.measure, DOC_PROGRAMS, DOC_SERIES) ?:
		measure_opts__check(&p.o.measure);
	p.log = capture__end(&log);
	return p;
}

#define parse(...) parse_argv((char *[]){"test", __VA_ARGS__, NULL})

static void free_parsed(struct parsed *p)
{
	measure_opts__free(&p->o.measure);
	free(p->log);
}

static void assert_parsed(const struct parsed *p)
{
	assert_string_equal(p->log, "");
	assert_int_equal(p->err, 0);
}

static void assert_refused(struct parsed p, const char *text)
{
	if (!strstr(p.log, text))
		fail_msg("\"%s\" is not in \"%s\"", text, p.log);
	assert_int_equal(p.err, -EINVAL);
	free_parsed(&p);
}

static void test_nothing(void **state)
{
	struct parsed p = parse_argv((char *[]){"test", NULL});
	static const struct measure_opts untouched = {};

	assert_parsed(&p);
	assert_memory_equal(&p.o.measure, &untouched, sizeof(untouched));
	free_parsed(&p);
}

static void test_what(void **state)
{
	struct parsed p = parse("-e", "cycles,instructions:k", "--own", "--event=time", "-C", "0",
				"-A", "-v");

	assert_parsed(&p);
	assert_true(p.o.own);
	assert_int_equal(p.o.measure.events.cnt, 3);
	assert_string_equal(p.o.measure.events.v[1].name, "instructions:k");
	assert_string_equal(p.o.measure.events.v[2].name, "time");
	assert_int_equal(p.o.measure.cpus.cnt, 1);
	assert_int_equal(p.o.measure.cpus.id[0], 0);
	assert_true(p.o.measure.per_cpu);
	assert_int_equal(p.o.measure.output.verbose, 1);
	assert_int_equal(log_stderr__sink()->max, LOG_LEVEL_INFO);
	log_stderr__set_verbose(0);
	free_parsed(&p);
}

static void test_when(void **state)
{
	char *argv[] = {"test", "-D", "5",   "-I", "10", "--interval-count", "3", "--timeout",
			"100",	"--", "cmd", "-r", NULL};
	struct parsed p = parse_argv(argv);

	assert_parsed(&p);
	assert_int_equal(p.o.measure.loop.delay_ns, 5 * NSEC_PER_MSEC);
	assert_int_equal(p.o.measure.loop.interval_ns, 10 * NSEC_PER_MSEC);
	assert_int_equal(p.o.measure.loop.interval_count, 3);
	assert_int_equal(p.o.measure.loop.timeout_ns, 100 * NSEC_PER_MSEC);
	assert_ptr_equal(p.o.measure.loop.command, argv + 10);
	assert_int_equal(p.o.measure.repeat, 0);
	free_parsed(&p);
	p = parse("-D", "10us", "-I", "1.5s", "--timeout", "2s");
	assert_parsed(&p);
	assert_int_equal(p.o.measure.loop.delay_ns, 10000);
	assert_int_equal(p.o.measure.loop.interval_ns, 1500 * NSEC_PER_MSEC);
	assert_int_equal(p.o.measure.loop.timeout_ns, 2000 * NSEC_PER_MSEC);
	free_parsed(&p);
	p = parse("-r", "4", "cmd");
	assert_parsed(&p);
	assert_int_equal(p.o.measure.repeat, 4);
	free_parsed(&p);
	p = parse("-r4", "--timeout=1");
	assert_parsed(&p);
	free_parsed(&p);
}

static void test_output(void **state)
{
	struct parsed p = parse("-j", "-o", "file", "--append");

	assert_parsed(&p);
	assert_true(output_opts__is_json(&p.o.measure.output) && p.o.measure.output.append);
	assert_string_equal(p.o.measure.output.file, "file");
	free_parsed(&p);
}

static void test_refused(void **state)
{
	assert_refused(parse("-j", "-x,"), "-j and -x: choose one format\n");
	assert_refused(parse("--append"), "--append: it needs -o FILE\n");
	assert_refused(parse("--interval-count", "2"), "--interval-count: it needs -I\n");
	assert_refused(parse("-r", "2", "-I", "5", "cmd"),
		       "-r and -I: choose repeats or intervals");
	assert_refused(parse("--format", "pprof", "-o", "/dev/null", "-I", "5"),
		       "--format pprof: pprof is not available for a series of reports (-I); "
		       "choose text, json, csv, tsv, benchfmt, html or trace-event\n");
	assert_refused(parse("--format", "trace-event"),
		       "--format trace-event: trace-event is not available for a single report, "
		       "without -I; choose text, json, csv, tsv, benchfmt, html or pprof\n");
	assert_refused(parse("--format", "trace-event", "-I", "5", "-o", "x", "--append"),
		       "--append and --format trace-event: a file holds one trace-event "
		       "document\n");
	assert_refused(parse("-r", "2"), "-r: it needs a COMMAND or --timeout to repeat\n");
	assert_refused(parse("-r", "10001"), "--repeat 10001: give a whole number from 1 to 10000");
	assert_refused(parse("-I", "0"), "--interval 0: give at least 1ms\n");
	assert_refused(parse("--timeout", "0"), "--timeout 0: the time must not be 0\n");
	assert_refused(parse("--timeout", "5 x"),
		       "bprof: --timeout: write a time as 5s, 200ms or 10us; a number without a "
		       "unit is in ms\n  5 x\n   ^^\n");
	/* a caret is under the invalid token */
	assert_refused(parse("-C", "0-x"), "  0-x\n  ^\n");
	assert_refused(parse("-C", ""), "no list of CPUs; give ids and ranges, such as 0-3,5\n");
	assert_refused(parse("-C", "0,65535"), "-C: not online: CPU 65535\n  0,65535\n  ^^^^^^^\n");
	assert_refused(parse("-e", "cycles,frobnicate"),
		       "  cycles,frobnicate\n         ^^^^^^^^^^\n");
}

/* A mistake of the user and any other failure have different exit statuses. */
static void test_ends(void **state)
{
	struct measure_opts o = {};
	int status;

	assert_true(measure_opts__ends(&o, -EINVAL, &status));
	assert_int_equal(status, EXIT_USAGE);
	assert_true(measure_opts__ends(&o, -EIO, &status));
	assert_int_equal(status, EXIT_FAILED);
	assert_true(measure_opts__ends(&o, 1, &status));
	assert_int_equal(status, EXIT_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_what),
		cmocka_unit_test(test_when),	cmocka_unit_test(test_output),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
