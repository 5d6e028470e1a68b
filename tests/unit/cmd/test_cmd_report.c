// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof report: that each kind of document, and each page made of it, is shown as the command
 * that wrote it did, and its errors. Runs the bprof that was built beside this test with the
 * golden files.
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

/* Runs a line of the shell in which R is "bprof report". Fails unless it has this exit status. */
static void check(const char *line, int status)
{
	char command[1024];
	int got;

	snprintf(command, sizeof(command), "R=\"$BPROF report\"; %s", line);
	got = system(command);
	assert_true(WIFEXITED(got));
	if (WEXITSTATUS(got) != status)
		fail_msg("%s: status %d", line, WEXITSTATUS(got));
}

/* Checks the exit status, that nothing is written, and the message. */
static void check_error(const char *args, int status, const char *message)
{
	char line[512], *err;

	snprintf(line, sizeof(line), "$R %s 2>$T/err >$T/out </dev/null", args);
	check(line, status);
	check("! test -s $T/out", 0);
	snprintf(line, sizeof(line), "%s/err", getenv("T"));
	assert_int_equal(read_file(line, &err), 0);
	if (strncmp(err, message, strlen(message)))
		fail_msg("%s: %s", args, err);
	free(err);
}

static void test_reports(void **state)
{
	check("$R tree.json | cmp - tree.txt", 0);
	check("$R rich.json --dist | cmp - rich.txt", 0);
	check("$R rich.json -x , | cmp - rich.csv", 0);
	check("$R system.json --format tsv | cmp - system.tsv", 0);
	check("$R bench.json | cmp - bench.txt", 0);
	check("$R - -j <rich.json | cmp - rich.json", 0);
	check("$R rich.json --sort NAME --top 2 | sed -n 3p | grep -q '^258  count_pkts  '", 0);
	check("$R rich.json --sort NAME --top 2 | grep -q '^9 more programs not shown'", 0);
	/* a number that the document lacks is not shown as 0 */
	check("sed 's/\"cpus\":/\"_\":/' rich.json | $R - | head -1 | grep -q '^7.021 s, kernel'",
	      0);
}

/*
 * Output that is written to a closed descriptor is lost, which is an error. A file that bprof opens
 * does not get the number of this descriptor.
 */
static void test_closed_output(void **state)
{
	check("$R tree.json >&- 2>$T/err", 1);
	check("grep -qx 'bprof: standard output: cannot be written: Bad file descriptor' $T/err",
	      0);
	check("\"$BPROF\" help >&- 2>/dev/null", 1);
	check("$R tree.json -o $T/out >&- && cmp $T/out tree.txt", 0);
	check("$R - <&- 2>/dev/null", 1);
}

/* The reports of bprof stat -I are shown in the same way as by bprof stat -I. */
static void test_intervals(void **state)
{
	check("$R interval.json | cmp - interval.txt", 0);
	check("$R interval.json -j | cmp - interval.json", 0);
	check("$R interval.json --format tsv | grep -c xdp_lb | grep -qx 6", 0);
	check("$R interval.json --format trace-event | cmp - interval.timeline", 0);
	check("$R interval.json --merge | grep -q '^3.000 s on 4 CPUs'", 0);
	check("$R interval.json --merge -j | grep -q '\"blocks\"'", 0);
}

/* Reports that --append put into one file */
static void test_appended(void **state)
{
	check("cat rich.json tree.json | $R - --dist >$T/both && "
	      "{ cat rich.txt; echo; cat tree.txt; } | cmp - $T/both",
	      0);
	check("cat tree.json tree.json | $R - --format tsv | grep -c runtime | grep -qx 1", 0);
	check("cat rich.json tree.json | $R - --html >$T/page", 0);
	check("$R $T/page --dist | cmp - $T/both", 0);
	/*
	 * intervals after a single report, and longer intervals of a later session: both begin with
	 * a header and with the notes that do not change
	 */
	check("cat tree.json interval.json | $R - >$T/both && "
	      "{ cat tree.txt; cat interval.txt; } | cmp - $T/both",
	      0);
	check("sed 's/T00:00:00Z/T00:10:00Z/; s/l_ns\":\\([123]\\)0/l_ns\":9\\1/' interval.json "
	      ">$T/later; cat interval.json $T/later | $R - | "
	      "grep -cx 'not measured: 62 foo: has no BTF' | grep -qx 2",
	      0);
	check("cat interval.json $T/later | $R - --format trace-event 2>$T/err", 2);
	check("grep -q 'has the intervals of 2 measurements; ' $T/err", 0);
}

static void test_comparisons(void **state)
{
	check("$R compare/changes.json | cmp - compare/changes.txt", 0);
	check("$R compare/changes.json --markdown | cmp - compare/changes.md", 0);
	check("$R compare/changes.json --junit | cmp - compare/changes.xml", 0);
	check("$R compare/axis.json -j | cmp - compare/axis.json", 0);
	check("cat compare/changes.json compare/axis.json | $R - | "
	      "grep -c 'VERDICT' | grep -qx 2",
	      0);
}

static void test_recordings(void **state)
{
	check("$R record/rich.json >$T/a && \"$BPROF\" annotate -i record/rich.json | cmp - $T/a",
	      0);
	check("$R record/rich.json --folded | grep -qx 'prog;main;main.c:11 44'", 0);
}

/* Annotated code is shown as the recording that it was made from. */
static void test_annotations(void **state)
{
	setenv("r", "record/rich", 1);
	check("$R $r.annotate.json -j | cmp - $r.annotate.json", 0);
	check("$R $r.annotate.json --folded >$T/a && $R $r.json --folded | cmp - $T/a", 0);
	check("$R $r.json --html -o $T/page && $R $T/page --html | cmp - $T/page", 0);
	check("$R $r.json >$T/text && $R $T/page | cmp - $T/text", 0);
	check("sed '0,/\"sampled\": true/s//\"sampled\": false/' $r.json >$T/part && "
	      "$R $T/part >$T/text && grep -q 'in the functions below' $T/text && "
	      "$R $T/part -j | $R - | cmp - $T/text",
	      0);
	check("\"$BPROF\" annotate -j -i $r.json | sed 's/\"name\": \"last\",//' | $R - "
	      "2>$T/err; test $? = 1 && grep -q 'functions\\[0\\].name: is missing$' "
	      "$T/err",
	      0);
	check("sed 's/^   \"samples\": .*/   \"samples\": 9,/' $r.annotate.json | "
	      "$R - 2>$T/err; test $? = 1 && "
	      "grep -q 'a function has more samples than its program$' $T/err",
	      0);
}

/* An HTML page can be read like the JSON that it contains. */
static void test_pages(void **state)
{
	check("$R interval.json --html -o $T/page && $R $T/page | cmp - interval.txt", 0);
	check("$R compare/changes.json --html | $R - | cmp - compare/changes.txt", 0);
	check("$R by_retval.json --html | $R - -j | cmp - by_retval.json", 0);
	check("{ echo; $R rich.json --html; } | $R - --html >$T/page && "
	      "$R rich.json --html | cmp - $T/page",
	      0);
}

static void test_errors(void **state)
{
	check_error("", 2, "bprof: report: give a file: bprof report FILE.json; ");
	check_error("a b", 2, "bprof: report: 'b': only one file can be shown");
	check_error("missing", 1, "bprof: missing: No such file or directory");
	check_error("-", 1, "bprof: -: is empty; 'bprof stat -j -o FILE' writes a report");
	check_error("tree.txt", 1, "bprof: tree.txt:1: not a document of bprof");
	check_error("record/rich.annotate.json --format pprof -o $T/p", 2,
		    "bprof: --format pprof: pprof is not available for annotated code; choose ");
	check_error("rich.json --junit", 2,
		    "bprof: --junit: junit is not available for a report on programs; choose ");
	check_error("system.json --benchfmt", 2,
		    "bprof: --benchfmt: benchfmt is not available for the system; choose ");
	check_error("interval.json --format pprof -o $T/p", 2,
		    "bprof: --format pprof: pprof is not available for a series of reports without "
		    "--merge; choose ");
	check_error(
		"rich.json --format trace-event", 2,
		"bprof: --format trace-event: trace-event is not available for a single report; ");
	check("cat interval.json interval.json >$T/twice", 0);
	check_error("$T/twice --format trace-event", 2, "bprof: /tmp/");
	check_error("rich.json --sort x", 2, "bprof: --sort x: no such column; ");
	check_error("compare/changes.json --merge", 1,
		    "bprof: compare/changes.json:1: a comparison (of bprof diff), not a report");
	check("cat compare/changes.json compare/changes.json >$T/two; "
	      "cat tree.json compare/changes.json >$T/mixed; echo '<p>' >$T/empty.html",
	      0);
	check_error("$T/two --html", 2, "bprof: /tmp/");
	check_error("$T/mixed", 1, "bprof: /tmp/");
	check("grep -q ':[0-9]*: a document of another kind than the ones before$' $T/err", 0);
	check_error("$T/empty.html", 1, "bprof: /tmp/");
	check("grep -q 'empty.html:1: a page without the data of bprof$' $T/err", 0);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports),	      cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_appended),      cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_recordings),    cmocka_unit_test(test_annotations),
		cmocka_unit_test(test_pages),	      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_closed_output),
	};
	char bprof[4096], dir[] = "/tmp/bprof-report-XXXXXX", path[4200];
	int failed;

	/* The test is build/<arch>/unit/cmd/test_cmd_report, and bprof is build/<arch>/bprof. */
	if (!realpath(argv[0], bprof) || !mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/bprof", dirname(dirname(dirname(bprof))));
	setenv("BPROF", path, 1);
	setenv("T", dir, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	snprintf(path, sizeof(path), "%.*s/../../golden", (int)(strrchr(__FILE__, '/') - __FILE__),
		 __FILE__);
	if (chdir(path))
		return 1;
	/* tests/faults looks for leaks of each command, which takes half of the time of a call */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(path, sizeof(path), "rm -rf '%s'", dir);
	return system(path) || failed;
}
