// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the options, the output and the exit statuses that all commands that compare have in
 * common.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/build_info.h"
#include "base/util.h"
#include "run/command.h"
#include "run/compare_output.h"
#include "tests/unit/capture.h"
#include "tests/unit/compare_models.h"

/* A command's options. The shared options are a member of the struct. */
struct test_opts {
	bool own;
	struct compare_flags compare;
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
		   {"Comparison", compare_rows, offsetof(struct test_opts, compare)}},
};

struct parsed {
	struct test_opts o;
	int err;
	char *log;
};

static struct parsed parse_argv(char **argv)
{
	struct parsed p = {};
	struct capture log;
	char **rest;
	int argc = 0;

	while (argv[argc])
		argc++;
	capture__begin(&log, stderr);
	p.err = options__parse(&spec, &p.o, argc, argv, &rest);
	p.log = capture__end(&log);
	return p;
}

#define parse(...) parse_argv((char *[]){"test", __VA_ARGS__, NULL})

static void free_parsed(struct parsed *p)
{
	compare_flags__free(&p->o.compare);
	free(p->log);
}

static void test_options(void **state)
{
	struct parsed p = parse("--own", "--fail-on", "cycles:p50>2%", "--match", "a=b",
				"--fail-on", "time:mean>1us", "--strict");
	const struct compare_flags *f = &p.o.compare;

	assert_int_equal(p.err, 0);
	assert_string_equal(p.log, "");
	assert_true(p.o.own && f->strict && compare_flags__any(f));
	assert_int_equal(f->limits.cnt, 2);
	assert_int_equal(f->matches.cnt, 1);
	assert_ptr_equal(compare_flags__opts(f).limits, &f->limits);
	assert_ptr_equal(compare_flags__opts(f).matches, &f->matches);
	assert_false(compare_flags__opts(f).allow_retval_change);
	assert_int_equal(compare_flags__excuses(f), 0);
	free_parsed(&p);
	p = parse("--own");
	assert_false(compare_flags__any(f));
	free_parsed(&p);
}

static void test_bits(void **state)
{
	static const struct {
		char *option;
		unsigned int excuses;
		bool allow_retval_change;
	} options[] = {
		{"--inconclusive-ok", EXCUSE_INCONCLUSIVE},
		{"--one-sided-ok", EXCUSE_ONE_SIDED},
		{"--strict"},
		{"--allow-retval-change", 0, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct parsed p = parse(options[i].option);
		const struct compare_flags *f = &p.o.compare;

		assert_int_equal(p.err, 0);
		assert_int_equal(compare_flags__excuses(f), options[i].excuses);
		assert_int_equal(compare_flags__opts(f).allow_retval_change,
				 options[i].allow_retval_change);
		assert_true(compare_flags__any(f));
		free_parsed(&p);
	}
}

static void check_refused(struct parsed p, int err, const char *log)
{
	assert_int_equal(p.err, err);
	assert_string_equal(p.log, log);
	free_parsed(&p);
}

static void test_refused(void **state)
{
	char *argv[2 * COMPARE_MAX_LIMITS + 4] = {"test"};

	check_refused(parse("--fail-on", "cycles"), -EINVAL,
		      "bprof: --fail-on: no '>': expected [PROGRAM/]EVENT:STATISTIC>CHANGE, such "
		      "as instructions:p50>2%, or [PROGRAM/]SIZE>CHANGE, such as "
		      "verified_insns>5%\n  cycles\n        ^\n");
	check_refused(parse("--match", "=b"), -EINVAL,
		      "bprof: --match: expected OLD=NEW, the names of two programs\n  =b\n  ^\n");
	for (int i = 0; i <= COMPARE_MAX_LIMITS; i++) {
		argv[2 * i + 1] = "--fail-on";
		argv[2 * i + 2] = "a:p50>1";
	}
	check_refused(parse_argv(argv), -E2BIG,
		      "bprof: --fail-on a:p50>1: one too many, at most 64 can be given\n");
}

/* ---- what is written, and the exit status ---- */

struct written {
	int err, status;
	char *out, *log;
};

static const struct format *find_format(const char *name)
{
	for (int i = 0; name && i < format_cnt; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static struct written write_scene(struct scene *s, const struct compare_flags *flags,
				  const char *format, const char *file)
{
	const struct output_opts output = {.format = find_format(format), .file = file};
	const struct compare_output_opts o = {
		.flags = flags,
		.base_name = "old.o",
		.new_name = "new.o",
		.output = &output,
	};
	const struct compare_part part = {
		.base = s->base, .new = s->new, .opts = compare_flags__opts(flags)};
	struct written w = {.status = -1};
	struct capture out, log;

	capture__begin(&out, stdout);
	capture__begin(&log, stderr);
	w.err = compare_output__write_parts(&part, 1, &o, &w.status);
	w.log = capture__end(&log);
	w.out = capture__end(&out);
	return w;
}

static void check_written(struct written w, int err, int status, const char *out, const char *log)
{
	assert_int_equal(w.err, err);
	assert_int_equal(w.status, status);
	if (*out ? strncmp(w.out, out, strlen(out)) : *w.out)
		fail_msg("stdout: %s", w.out);
	assert_string_equal(w.log, log);
	free(w.out);
	free(w.log);
}

static void test_write(void **state)
{
	static const char differ[] = "bprof: the reports differ in kernel: 6.12.57, now 7\n";
	char path[] = "/tmp/bprof-compare-XXXXXX", json[128];
	struct compare_flags flags = {};
	struct scene s;
	int fd = mkstemp(path);

	snprintf(json, sizeof(json),
		 "{\n \"schema\": 1,\n \"tool\": \"bprof\",\n \"version\": \"%s\",\n "
		 "\"verdict\": \"worse\",\n \"exit_status\": 3,",
		 build_info__version());
	assert_true(fd >= 0);
	close(fd);
	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 110, 0.5, 8);
	check_written(write_scene(&s, &flags, NULL, NULL), 0, EXIT_REGRESSION, "worse: ", "");
	free(s.new->host.kernel);
	s.new->host.kernel = strdup("7");
	/*
	 * differences between the machines are also printed to stderr, unless stdout has the text
	 * format, which shows them
	 */
	check_written(write_scene(&s, &flags, NULL, NULL), 0, EXIT_REGRESSION, "worse: ", "");
	check_written(write_scene(&s, &flags, "json", NULL), 0, EXIT_REGRESSION, json, differ);
	check_written(write_scene(&s, &flags, NULL, path), 0, EXIT_REGRESSION, "",
		      "bprof: the reports differ in kernel: 6.12.57, now 7\n"
		      "bprof: worse: 1 worse\n");
	/*
	 * with --strict, a difference between the machines is an error, and only the error is
	 * printed
	 */
	flags.strict = true;
	check_written(write_scene(&s, &flags, NULL, NULL), -EINVAL, -1, "",
		      "bprof: --strict: the reports differ in kernel: 6.12.57, now 7\n");
	close_scene(&s);
	unlink(path);
}

static void test_flags_are_used(void **state)
{
	struct compare_flags flags = {};
	struct scene s;

	open_scene(&s, "lb", "lb2");
	add_spread(s.base_row, "cycles", 100, 0.5, 3);
	add_spread(s.new_row, "cycles", 110, 0.5, 3);
	check_written(write_scene(&s, &flags, NULL, NULL), -ENODATA, -1, "",
		      "bprof: no program is in both reports: the base has lb, the new one lb2; "
		      "pair renamed programs with --match OLD=NEW\n");
	assert_int_equal(compare_matches__add(&flags.matches, "lb=lb2", NULL), 0);
	check_written(write_scene(&s, &flags, "markdown", NULL), 0, EXIT_INCONCLUSIVE, "### ", "");
	flags.inconclusive_ok = true;
	check_written(write_scene(&s, &flags, "junit", NULL), 0, EXIT_DONE, "<?xml", "");
	compare_flags__free(&flags);
	close_scene(&s);
}

static void test_allow_retval_change(void **state)
{
	struct compare_flags flags = {.inconclusive_ok = true, .one_sided_ok = true};
	struct scene s;

	open_scene(&s, "lb", "lb");
	add_spread(s.base_row, "cycles", 100, 0.5, 8);
	add_spread(s.new_row, "cycles", 50, 0.5, 8);
	s.base->prog[0].retval = 2;
	s.new->prog[0].retval = 1;
	check_written(write_scene(&s, &flags, NULL, NULL), 0, EXIT_INCONCLUSIVE,
		      "inconclusive: ", "");
	flags.allow_retval_change = true;
	check_written(write_scene(&s, &flags, NULL, NULL), 0, EXIT_DONE, "better: ", "");
	close_scene(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),	       cmocka_unit_test(test_bits),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_write),
		cmocka_unit_test(test_flags_are_used), cmocka_unit_test(test_allow_retval_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
