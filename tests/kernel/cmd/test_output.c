// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests options that say when bprof counts and where it writes the report: intervals, delay,
 * timeout, repeats, files and formats. Also tests exit statuses.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define OUT_FILE "/tmp/ktest-report"

static int line_cnt(const char *text)
{
	int cnt = 0;

	for (; *text; text++)
		cnt += *text == '\n';
	return cnt;
}

/* Returns how often `second` follows directly after `first` in text. */
static int count_parts(const char *text, const char *first, const char *second)
{
	int cnt = 0;

	while ((text = strstr(text, first))) {
		text += strlen(first);
		cnt += !strncmp(text, second, strlen(second));
	}
	return cnt;
}

static char *slurp(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(path, "re");

	assert_non_null(text);
	if (!file)
		fail_test("%s was not written", path);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static void test_intervals_sum_up(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "work", "xdp_long");
	struct run *r;

	r = bprof(f, "-j -I 20 -b %u -e time -- drive testrun %u:700", t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 700);
}

static void test_interval_count(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -I 20 --interval-count 3 -b %u -e time", t.id);
	assert_status(r, 0);
	assert_int_equal(line_cnt(r->out), 3);
	assert_int_equal(sum_of_runs(r->out, t.id), 0);
	assert_true(num(r->json, "interval_ns") >= 20000000);
}

static void test_timeout(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j --timeout 100 -b %u -e time", t.id);
	assert_status(r, 0);
	row_of(r, t.id);
	assert_true(num(r->json, "elapsed_ns") >= 100000000);
	/* The timeout also ends the command. */
	r = bprof(f, "-j --timeout 100 -b %u -e time -- sleep 1000", t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 0);
}

/* The start time in the report is the time at which measuring began. */
static void test_started(void **state)
{
	static const char *const commands[] = {"stat -b %u -e time",
					       "system -a -e cpu-clock --method perf_event"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		time_t before = time(NULL);
		struct tm tm = {};
		char args[128];
		struct run *r;

		snprintf(args, sizeof(args), commands[i], t.id);
		r = bprof(f, "%s -j -D 2000 --timeout 10", args);
		assert_status(r, 0);
		assert_non_null(strptime(str(r->json, "started"), "%Y-%m-%dT%H:%M:%SZ", &tm));
		if (timegm(&tm) < before + 2)
			fail_test("%s: started before the delay was over: %s", args, r->out);
	}
}

/* A report without programs still has the command line as given and the machine's JIT status. */
static void test_head_without_programs(void **state)
{
	static const char *const calls[] = {"--name no_such_program -j",
					    "stat --name no_such_program -j"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct run *r = bprof(f, "%s", calls[i]);
		char line[128] = "";
		json_t *arg;
		size_t n;

		assert_status(r, 8);
		assert_non_null(r->json);
		json_array_foreach(json_object_get(r->json, "command"), n, arg)
			sprintf(line + strlen(line), "%s%s", n > 1 ? " " : "",
				n ? json_string_value(arg) : "");
		assert_string_equal(line, calls[i]);
		assert_true(json_is_true(json_object_get(json_object_get(r->json, "host"), "jit")));
	}
}

static void test_ended_in_delay(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "-j -D 3600000 -b %u -e time -- drive testrun %u:5", t.id, t.id);

	assert_status(r, 4);
	assert_contains(r->err, "delay");
}

static void test_repeat(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -r 3 -b %u -e %s,time -- drive testrun %u:40", t.id, machine_event(),
		  t.id);
	assert_status(r, 0);
	assert_int_equal(num(r->json, "repeats"), 3);
	assert_counted(r, t.id, 120);
	assert_int_equal(num(event_of(row_of(r, t.id), machine_event()), "measured"), 120);
}

static void test_output_file(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	char *text;

	unlink(OUT_FILE);
	for (int i = 0; i < 3; i++) {
		struct run *r = bprof(f, "-j -o " OUT_FILE "%s -b %u -e time -- drive testrun %u:5",
				      i == 1 ? " --append" : "", t.id, t.id);

		assert_status(r, 0);
		assert_string_equal(r->out, "");
		text = slurp(OUT_FILE);
		/*
		 * The first run creates the file, the second one appends to it, the third one
		 * overwrites it.
		 */
		assert_int_equal(sum_of_runs(text, t.id), i == 1 ? 10 : 5);
		free(text);
	}
	unlink(OUT_FILE);
	/* Each report that --append writes is one line. Columns are named once. */
	for (int i = 0; i < 2; i++) {
		assert_status(bprof(f, "-j -o " OUT_FILE " --append -b %u -e time -- true", t.id),
			      0);
		assert_status(
			bprof(f, "-x , --header -o " OUT_FILE ".csv --append -b %u -e time -- true",
			      t.id),
			0);
	}
	text = slurp(OUT_FILE);
	assert_int_equal(line_cnt(text), 2);
	free(text);
	text = slurp(OUT_FILE ".csv");
	assert_int_equal(line_cnt(text), 3);
	assert_int_equal(strncmp(text, "value,unit,event,", 17), 0);
	free(text);
	unlink(OUT_FILE ".csv");
	unlink(OUT_FILE);
	assert_status(bprof(f, "-j -o /no/such/dir/file -b %u -e time -- true", t.id), 1);
}

/* If there is a COMMAND, whose output is on stdout, bprof writes its output to stderr. */
static void test_output_beside_command(void **state)
{
	static const struct {
		const char *args, *text;
	} cases[] = {
		{"-e time -j", "\"programs\": ["},
		{"-e time -x ,", ",time,"},
		{"-e time", "fentry"},
		{"-e time -j -I 3600000", "\"interval_ns\":"},
		{"trace --every 1", "# 0 invocations"},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool stat = cases[i].args[0] == '-';

		r = command(f, "bprof %s %s -b %u -- echo hello", stat ? "stat" : "", cases[i].args,
			    t.id);
		assert_status(r, 0);
		assert_string_equal(r->out, "hello\n");
		assert_contains(r->err, cases[i].text);
		r = command(f, "bprof %s %s -b %u -o - -- echo hello", stat ? "stat" : "",
			    cases[i].args, t.id);
		assert_contains(r->out, cases[i].text);
		assert_null(strstr(r->err, cases[i].text));
	}
	r = command(f, "bprof watch -j -- echo hello");
	assert_string_equal(r->out, "hello\n");
	assert_contains(r->err, "\"xdp_pass\"");
}

/* If nothing can be measured, the report of an earlier measurement stays. */
static void test_output_kept(void **state)
{
	static const char *const calls[] = {"--name no_such_program -j", "-b 4000000000 -e time",
					    "trace --every 1 -b 4000000000"};
	struct fixture *f = *state;
	char *text;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		assert_status(command(f, "sh -c 'echo old >" OUT_FILE "'"), 0);
		assert_status(bprof(f, "%s -o " OUT_FILE, calls[i]), 8);
		text = slurp(OUT_FILE);
		assert_string_equal(text, "old\n");
		free(text);
	}
	unlink(OUT_FILE);
}

static void test_output_full(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = command(f, "bprof -j -b %u -e time -o - -- true >/dev/full", t.id);

	assert_status(r, 1);
	assert_contains(r->err, "standard output: cannot be written: No space left on device\n");
	r = command(f, "bprof --list-events >/dev/full");
	assert_status(r, 1);
	assert_contains(r->err, "standard output: cannot be written: No space left on device\n");
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_with_a_very_long_function_name");
	struct run *r =
		bprof(f, "-b %u -e %s,time -- drive testrun %u:1234", t.id, machine_event(), t.id);

	assert_status(r, 0);
	assert_contains(r->out, "xdp_with_a_very_long_function_name");
	assert_contains(r->out, "1,234");
	assert_contains(r->out, "fentry");
	assert_null(strchr(r->out, '\033'));
}

/* Events with the same name each have their own line and number. */
static void test_events_of_one_name(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;
	json_t *events;

	r = bprof(f, "-j -b %u -e %s,page-faults,'{%s}' -- drive testrun %u:30", t.id,
		  machine_event(), machine_event(), t.id);
	assert_status(r, 0);
	events = json_object_get(row_of(r, t.id), "events");
	assert_int_equal(json_array_size(events), 3);
	for (int i = 0; i < 3; i += 2) {
		assert_string_equal(str(json_array_get(events, i), "name"), machine_event());
		assert_int_equal(num(json_array_get(events, i), "measured"), 30);
	}
	r = bprof(f, "-b %u -e %s,'{%s}' -- drive testrun %u:30", t.id, machine_event(),
		  machine_event(), t.id);
	assert_status(r, 0);
	assert_int_equal(count_parts(r->out, machine_event(), " "), 2);
}

/* If the user did not ask for an event and it cannot be counted, the report does not have it. */
static void test_default_events(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "-j --method run_stats -b %u -- drive testrun %u:12", t.id, t.id);
	json_t *events;

	assert_status(r, 0);
	events = json_object_get(row_of(r, t.id), "events");
	assert_int_equal(json_array_size(events), 1);
	assert_string_equal(str(json_array_get(events, 0), "name"), "time");
	r = bprof(f, "-j --method run_stats -b %u -e %s -- drive testrun %u:12", t.id,
		  machine_event(), t.id);
	events = json_object_get(row_of(r, t.id), "events");
	assert_string_equal(str(json_array_get(events, 0), "status"), "not_counted");
}

/* If nothing was measured, one line says why. There is no table, and so no header. */
static void test_nothing(void **state)
{
	struct fixture *f = *state;
	struct run *r = bprof(f, "-b 999999 -e time");

	assert_status(r, 8);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "program 999999: ");
	r = bprof(f, "-j -b 999999 -e time");
	assert_status(r, 8);
	assert_contains(r->out, "\"skipped\"");
}

/* --sort, --active and --top choose what the text shows; other formats refuse them. */
static void test_order(void **state)
{
	struct fixture *f = *state;
	struct target rare = load_target(f, "xdp", "xdp_with_a_very_long_function_name");
	struct target busy = load_target(f, "xdp", "xdp_pass");
	const char *first, *second;
	struct run *r;

	r = bprof(f, "-b %u,%u -e time --dist --sort runs -- drive testrun %u:10 %u:1000", rare.id,
		  busy.id, rare.id, busy.id);
	assert_status(r, 0);
	first = strstr(r->out, "xdp_pass");
	second = strstr(r->out, "xdp_with_a_very_long");
	assert_true(first && second && first < second);
	assert_contains(r->out, "distribution of net cost per run");
	r = bprof(f, "-b %u,%u -e time --active -- drive testrun %u:10", rare.id, busy.id, rare.id);
	assert_status(r, 0);
	assert_null(strstr(r->out, "xdp_pass"));
	assert_null(strstr(r->out, "distribution"));
	assert_contains(r->out, "1 more program not shown (--active)");
	assert_status(bprof(f, "-b %u --sort runz -- true", busy.id), 2);
	assert_status(bprof(f, "-b %u --top 1 -j -- true", busy.id), 2);
}

/* The columns are the same as in perf: value, unit, event, ... */
static void test_csv(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "-x ';' -b %u -e time -- drive testrun %u:12", t.id, t.id);
	const char *line;

	assert_status(r, 0);
	line = strstr(r->out, ";time;");
	assert_non_null(line);
	while (line > r->out && line[-1] != '\n')
		line--;
	assert_true(isdigit(*line));
	assert_contains(line, "xdp_pass");
	r = bprof(f, "--format tsv -b %u -e time -- drive testrun %u:12", t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(strncmp(r->out, "value\tunit\tevent\t", 17), 0);
	assert_contains(r->out, "\txdp_pass\t");
}

/*
 * Checks a command that does not exist and one that cannot be executed. The exit statuses are those
 * of shells.
 */
static void assert_not_run(struct fixture *f, const char *format, __u32 id)
{
	char args[128];
	struct run *r;

	snprintf(args, sizeof(args), format, id);
	r = bprof(f, "%s -- no-such-command", args);
	assert_status(r, 127);
	assert_contains(r->err, "no-such-command: cannot be executed: No such file or directory");
	assert_status(bprof(f, "%s -- /dev/null", args), 126);
}

static void test_command_status(void **state)
{
	static const struct {
		const char *command;
		int status;
	} cases[] = {
		{"true", 0},
		{"false", 1},
		{"sh -c 'exit 42'", 42},
		{"sh -c 'kill -TERM $$'", 128 + SIGTERM},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bprof(f, "-j -b %u -e time -- %s", t.id, cases[i].command);
		assert_status(r, cases[i].status);
		assert_counted(r, t.id, 0); /* the report is written even if the command fails */
	}
	assert_not_run(f, "-b %u -e time", t.id);
	assert_not_run(f, "-b %u -e time -D 1", t.id);
	assert_not_run(f, "-b %u -e time -r 2", t.id);
	assert_not_run(f, "-b %u -e time -I 1000", t.id);
	assert_not_run(f, "trace -b %u --every 1", t.id);
	assert_not_run(f, "system -a -e cpu-clock --method perf_event", t.id);
	assert_not_run(f, "record -o /dev/null -b %u -e cpu-clock", t.id);
	assert_not_run(f, "annotate -b %u -e cpu-clock", t.id);
	assert_not_run(f, "watch", t.id);
}

/*
 * bprof does not write to the command's output. The command inherits only the three standard
 * descriptors from bprof.
 */
static void test_command_descriptors(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "-j -o " OUT_FILE " -b %u -e %s,time -- sh -c 'ls /proc/self/fd'",
			      t.id, machine_event());

	assert_status(r, 0);
	/* ls opens the fourth descriptor itself, to read the directory. */
	assert_string_equal(r->out, "0\n1\n2\n3\n");
	unlink(OUT_FILE);
}

/*
 * A file that bprof opens must not get the number of a closed standard descriptor. Otherwise output
 * to this descriptor would go to the file.
 */
static void test_closed_descriptors(void **state)
{
	static const char *const closed[] = {"2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		json_error_t error;
		json_t *report;
		struct run *r;
		char *text;

		/*
		 * bprof writes a message about the skipped target, and the command writes output.
		 */
		r = bprof(f,
			  "-j -o " OUT_FILE " -b %u,4000000000 -e %s,time -- sh -c 'echo out; "
			  "echo err >&2; drive testrun %u:5' %s",
			  t.id, machine_event(), t.id, closed[i]);
		assert_status(r, 0);
		text = slurp(OUT_FILE);
		report = json_loads(text, 0, &error);
		if (!report)
			fail_test("%s: not a report: %s", closed[i], text);
		json_decref(report);
		assert_int_equal(sum_of_runs(text, t.id), 5);
		free(text);
		unlink(OUT_FILE);
	}
	/* A message must not go to standard output, either: the report is written there. */
	assert_string_equal(bprof(f, "-b 4000000000 -e time -- true >/dev/null 2>&-")->out, "");
}

static void test_sixteen_events(void **state)
{
	static const char *const events[] = {
		"cpu-clock",	      "task-clock",	  "page-faults",
		"context-switches",   "cpu-migrations",	  "minor-faults",
		"major-faults",	      "alignment-faults", "emulation-faults",
		"page-faults:k",      "cpu-migrations:k", "minor-faults:k",
		"context-switches:k", "major-faults:k",	  "time",
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	char list[512];
	struct run *r;
	json_t *row;

	snprintf(list, sizeof(list), "%s", machine_event());
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		sprintf(list + strlen(list), ",%s", events[i]);
	r = bprof(f, "-j -b %u -e %s -- drive testrun %u:20", t.id, list, t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 20);
	row = row_of(r, t.id);
	assert_int_equal(json_array_size(json_object_get(row, "events")), 16);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		json_t *ev = event_of(row, events[i]);

		assert_string_equal(str(ev, "status"), "ok");
		assert_int_equal(num(ev, "measured"), 20);
	}
}

KTEST_GROUP(output, "intervals, repeats, files, statuses", NULL, ON(SMP4),
	    KTEST(test_intervals_sum_up), KTEST(test_interval_count), KTEST(test_timeout),
	    KTEST(test_started, LONG), KTEST(test_head_without_programs),
	    KTEST(test_ended_in_delay), KTEST(test_repeat), KTEST(test_output_file),
	    KTEST(test_output_beside_command, LONG), KTEST(test_output_kept),
	    KTEST(test_output_full), KTEST(test_text), KTEST(test_default_events),
	    KTEST(test_nothing), KTEST(test_order), KTEST(test_csv),
	    KTEST(test_command_status, LONG), KTEST(test_command_descriptors),
	    KTEST(test_closed_descriptors), KTEST(test_events_of_one_name),
	    KTEST(test_sixteen_events));
