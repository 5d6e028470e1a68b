// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the command line of bprof diff: exit statuses, and that errors have one line. Runs the
 * bprof that was built beside this test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/unit/compare_models.h"

static char bprof[4096];
static char dir[] = "/tmp/bprof-diff-XXXXXX";

struct result {
	int status;
	char *out, *err;
};

static char *read_back(const char *name)
{
	char *text;

	assert_int_equal(read_file(name, &text), 0);
	return text;
}

/* Runs bprof diff with args. The current directory has the reports. */
static struct result run(const char *args)
{
	char command[8192];
	struct result r;
	int status;

	snprintf(command, sizeof(command), "'%s' diff %s >out 2>err </dev/null", bprof, args);
	status = system(command);
	assert_true(WIFEXITED(status));
	r.status = WEXITSTATUS(status);
	r.out = read_back("out");
	r.err = read_back("err");
	return r;
}

static void free_result(struct result *r)
{
	free(r->out);
	free(r->err);
}

/*
 * Checks the exit status and how stdout (out) and stderr (err) begin; "" means that nothing was
 * written.
 */
static void check(const char *args, int status, const char *out, const char *err)
{
	struct result r = run(args);

	if (r.status != status || (*out ? strncmp(r.out, out, strlen(out)) : *r.out) ||
	    (*err ? strncmp(r.err, err, strlen(err)) : *r.err))
		fail_msg("diff %s: status %d\nstdout: %s\nstderr: %s", args, r.status, r.out,
			 r.err);
	/* an error has one line; only an invalid command line, whose status is 2, has more */
	if (status == 1)
		assert_null(strchr(r.err, '\n'));
	free_result(&r);
}

/* ---- the reports that are compared ---- */

static void write_report(const char *name, struct report *r)
{
	struct render_opts o = {.interval = r->interval_ns};
	FILE *f = fopen(name, "a");

	assert_non_null(f);
	assert_int_equal(report__render(r, report__render_json, &o, f), 0);
	assert_int_equal(fclose(f), 0);
	report__free(r);
}

static struct report *make_one(const char *name, double cycles, double step)
{
	struct report *r = make_base();

	add_spread(&add_prog(r, 42, name, name, 8000)->all, "cycles", cycles, step, 8);
	return r;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void write_files(void)
{
	struct report *r;
	char *text;

	write_report("base", make_one("xdp_lb", 100, 0.5));
	write_report("slow", make_one("xdp_lb", 130, 0.5));
	write_report("fast", make_one("xdp_lb", 70, 0.5));
	write_report("near", make_one("xdp_lb", 105, 0.5));
	write_report("noisy", make_one("xdp_lb", 100, 5));
	write_report("other", make_one("xdp_fw", 100, 0.5));
	r = make_one("xdp_lb", 100, 0.5);
	add_spread(&add_prog(r, 43, "added", "added", 9)->all, "cycles", 1, 0, 8);
	write_report("more", r);
	r = make_one("xdp_lb", 100, 0.5);
	free(r->host.kernel);
	r->host.kernel = strdup("7.1\033[2J");
	write_report("host", r);
	for (int i = 0; i < 8; i++) {
		r = make_one("xdp_lb", 130 + i / 8., 0);
		r->prog[0].all.event[0].block_cnt = 0;
		r->interval_ns = i + 1;
		write_report("lines", r);
	}
	for (int i = 0; i < 8; i++) {
		r = make_one("xdp_lb", 130 + i / 8., 0);
		r->prog[0].id += i;
		r->prog[0].all.event[0].block_cnt = 0;
		write_report("appended", r);
	}
	text = read_back("base");
	text[strlen(text) - 100] = '\0';
	write_file("cut", text);
	free(text);
	write_file("empty", "");
	write_file("foreign", "{\"schema\":1,\"tool\":\"perf\"}\n");
	write_file("text", "ID  NAME\n");
	write_report("system", make_system(0));
}

/* ---- verdicts and errors ---- */

static void test_verdicts(void **state)
{
	check("base base", 0, "same: 1 same\n", "");
	check("base slow", 3, "worse: 1 worse\n\nVERDICT  PROGRAM", "");
	check("slow base", 0, "better: 1 better\n", "");
	check("base fast", 0, "better: 1 better\n", "");
	/* two sessions may differ by 5 % although their blocks are alike */
	check("base near", 5, "inconclusive: 1 inconclusive\n", "");
	check("base noisy", 5, "inconclusive: 1 inconclusive\n", "");
	check("base noisy --inconclusive-ok", 0, "inconclusive: 1 inconclusive\n", "");
	check("base more", 5, "new: 1 new, 1 same\n", "");
	check("more base", 5, "gone: 1 gone, 1 same\n", "");
	check("more base --inconclusive-ok", 5, "gone: 1 gone, 1 same\n", "");
	check("more base --one-sided-ok", 0, "gone: 1 gone, 1 same\n", "");
	check("base slow --inconclusive-ok --one-sided-ok", 3, "worse", "");
	/* the blocks of base are the repeats of -r, and those of lines are the intervals of -I */
	check("base lines", 3, "worse: 1 worse\n", "");
	check("lines lines --fail-on 'cycles:mean>2%'", 0, "same: 1 same\n", "");
	/* the blocks of appended are its reports, as of several calls with --append */
	check("base appended", 3, "worse: 1 worse\n", "");
}

static void test_options(void **state)
{
	check("base slow --fail-on 'cycles:p50>32%'", 0, "same", "");
	check("--fail-on 'cycles:p50>32%' base -v slow", 0, "same", "");
	check("base --fail-on 'cycles:p50>32%' -- slow", 0, "same", "");
	check("-- base slow", 3, "worse", "");
	check("base slow --fail-on 'cycles:p50>32%' --fail-on 'xdp_*/cycles:mean>5'", 3, "worse",
	      "");
	check("base other --match xdp_lb=xdp_fw", 0, "same: 1 same\n", "");
	check("-j base slow", 3, "{\n \"schema\": 1,\n \"tool\": \"bprof\",", "");
	check("--markdown base slow", 3, "### :x: bprof: worse: 1 worse\n", "");
	check("--junit base slow", 3, "<?xml version=\"1.0\"", "");
	check("--help", 0, "Usage: bprof diff BASE.json NEW.json", "");
}

static void test_output_file(void **state)
{
	char *text;

	check("base slow -o result", 3, "", "bprof: worse: 1 worse");
	text = read_back("result");
	assert_int_equal(strncmp(text, "worse: 1 worse\n", 15), 0);
	free(text);
	check("base slow -j -o lines.json --append", 3, "", "bprof: worse: 1 worse");
	check("base slow -j -o lines.json --append", 3, "", "bprof: worse: 1 worse");
	text = read_back("lines.json"); /* without the last newline */
	assert_non_null(strstr(text, "}\n{"));
	assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
	free(text);
	/* on failure the output file is unchanged */
	check("base cut -o result", 1, "", "bprof: cut:");
	text = read_back("result");
	assert_int_equal(strncmp(text, "worse: 1 worse\n", 15), 0);
	free(text);
	check("base base -o -", 0, "same: 1 same\n", "");
	check("base base -o /dev/full", 1, "",
	      "bprof: /dev/full: cannot be written: No space left on device");
	check("base base -o /no/such/file", 1, "",
	      "bprof: /no/such/file: cannot be written: No such file or directory");
}

/* On failure the exit status is never 0, and the message says what failed and why. */
static void test_failures(void **state)
{
	static const char none[] =
		"bprof: no program is in both reports: the base has xdp_lb, the new one xdp_fw; "
		"pair renamed programs with --match OLD=NEW";

	check("base missing", 1, "", "bprof: missing: No such file or directory");
	check("missing base", 1, "", "bprof: missing: No such file or directory");
	check("base .", 1, "", "bprof: .: Is a directory");
	check("base empty", 1, "",
	      "bprof: empty: is empty; 'bprof stat -j -o FILE' writes a report");
	check("base foreign", 1, "", "bprof: foreign:1: not a report of bprof");
	check("text base", 1, "", "bprof: text:1: not a report of bprof");
	check("base system", 1, "", "bprof: the new report has no programs");
	check("base other", 1, "", none);
	check("base other --inconclusive-ok --one-sided-ok", 1, "", none);
	check("base other --match a=b", 1, "", "bprof: --match a=b: no two such programs");
	check("base slow --fail-on 'cyclse:p50>2%'", 1, "",
	      "bprof: --fail-on cyclse:p50>2%: there is no event 'cyclse'; did you mean "
	      "'cycles'?");
	check("base slow --fail-on 'cycles:p50>2us'", 1, "",
	      "bprof: --fail-on cycles:p50>2us: cycles is not counted in ns");
}

/* Runs a command line in which BPROF is the path of bprof. Returns its exit status. */
static int run_line(const char *line)
{
	int status;

	setenv("BPROF", bprof, 1);
	status = system(line);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_stdin(void **state)
{
	char *text;

	assert_int_equal(run_line("$BPROF diff base - <slow >out"), 3);
	assert_int_equal(run_line("$BPROF diff - base <slow >out"), 0);
	text = read_back("out");
	assert_int_equal(strncmp(text, "better: 1 better\n", 17), 0);
	free(text);
	check("base -", 1, "", "bprof: standard input: is empty");
	check("- -", 2, "", "bprof: diff: only one of the reports can be read from standard input");
}

static void test_usage(void **state)
{
	check("", 2, "", "bprof: diff: give two reports: bprof diff BASE.json NEW.json");
	check("base", 2, "", "bprof: diff: give two reports");
	check("base slow fast", 2, "",
	      "bprof: diff: 'fast': only two reports can be compared; for several "
	      "kernels or machines, see --axis");
	check("base slow -j --junit", 2, "", "bprof: -j and --junit: choose one format");
	check("base slow --bogus", 2, "", "bprof: --bogus: no such option");
	check("base slow --fail-on 'cycles:p42>2%'", 2, "",
	      "bprof: --fail-on: unknown statistic; there are mean, stddev, min, p50, p90, p95, "
	      "p99, "
	      "p99.9, max and self\n  cycles:p42>2%\n         ^^^");
	check("base slow --match x", 2, "",
	      "bprof: --match: expected OLD=NEW, the names of two programs\n  x\n   ^");
}

static void test_hosts(void **state)
{
	check("base host", 0, "same: 1 same\n", "");
	check("base host -j", 0, "{",
	      "bprof: the reports differ in kernel: 6.12.57, now 7.1\\x1b[2J");
	check("base host --strict", 1, "",
	      "bprof: --strict: the reports differ in kernel: 6.12.57, now 7.1\\x1b[2J");
	check("base slow --strict", 3, "worse", "");
}

static int enter_dir(void **state)
{
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	write_files();
	return 0;
}

static int remove_dir(void **state)
{
	static const char *const files[] = {"base",  "slow",	   "fast", "noisy",  "near",
					    "other", "more",	   "host", "lines",  "cut",
					    "empty", "foreign",	   "text", "system", "appended",
					    "out",   "lines.json", "err",  "result"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(files[i]);
	return chdir("/") || rmdir(dir);
}

/* ---- several reports ---- */

/* Tests an axis with one report for each label, and one with two. */
static void test_axis(void **state)
{
	check("--axis machine=a,b,c base slow fast", 3, "worse: 1 worse, 1 better\n\n", "");
	check("--axis machine=a,b base base", 0, "same: 1 same\n\n", "");
	check("--axis machine=a base", 0, "same\n\n", "");
	check("--axis machine=a,b base slow base fast", 3, "worse: 1 worse, 1 better\n\n", "");
	check("--axis machine=a,b slow base base fast", 0, "better: 2 better\n\n", "");
	check("--axis machine=a,b,c base more base", 5, "new: 1 new, 2 same\n\n", "");
	/* a point with other programs than the base is no error */
	check("--axis machine=a,b,c base other base", 5, "gone: 1 gone, 1 new, 1 same\n\n", "");
	check("--axis machine=a,b base other", 5, "gone: 1 gone, 1 new\n\n", "");
}

static void test_axis_differences(void **state)
{
	struct result r = run("--axis kernel=a,b base host");

	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "KERNEL"));
	assert_null(strstr(r.out, "differ in kernel"));
	assert_non_null(strstr(r.out, "note: kernel b: Linux 7.1"));
	free_result(&r);
	check("--axis kernel=a,b base host --strict", 0, "same: 1 same\n\n", "");
	check("--axis machine=a,b base host --strict", 1, "",
	      "bprof: --strict: the reports differ in kernel of b: ");
}

static void test_axis_refused(void **state)
{
	check("--axis machine base slow", 2, "",
	      "bprof: --axis 'machine': expected NAME=LABEL,LABEL,...");
	check("--axis machine=a,,b base slow", 2, "",
	      "bprof: --axis 'machine=a,,b': a label is empty");
	check("--axis machine=a,b base slow fast", 2, "",
	      "bprof: --axis: 2 labels, but 3 reports; give one or two for each label");
	check("--axis machine=a,b base nosuch", 1, "", "bprof: nosuch: No such file");
	check("--axis machine=a,b base slow --fail-on 'ghost:min>0'", 1, "",
	      "bprof: --fail-on ghost:min>0: ");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_output_file),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_stdin),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_axis),
		cmocka_unit_test(test_axis_differences),
		cmocka_unit_test(test_axis_refused),
	};
	char *path = realpath(argv[0], NULL);

	if (!path) {
		perror(argv[0]);
		return 1;
	}
	snprintf(bprof, sizeof(bprof), "%s/../../bprof", dirname(path));
	free(path);
	/* tests/faults looks for leaks of each command, which takes half of the time of a call */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	return cmocka_run_group_tests(tests, enter_dir, remove_dir);
}
