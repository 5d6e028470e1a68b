// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests options from a table: how each type uses its argument, what is refused with which message,
 * where parsing stops, and that --help shows the same table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/util.h"
#include "options/options.h"
#include "tests/unit/capture.h"

struct test_opts {
	bool flag, other;
	int count;
	__u64 number, any;
	const char *string;
	/* the arguments that the rows' callbacks were called with */
	struct {
		const char *name, *arg;
	} call[8];
	int call_cnt;
};

static int add_call(void *options, const struct option_row *row, const char *arg)
{
	struct test_opts *o = options;

	if (arg && !strcmp(arg, "bad"))
		return log_err(-ERANGE, "--%s: it is bad", row->name);
	o->call[o->call_cnt].name = row->name;
	o->call[o->call_cnt++].arg = arg;
	return 0;
}

#define OPT(member) offsetof(struct test_opts, member)
#define REFUSED "a program's cost is not a process's"

static const struct option_row rows[] = {
	OPTION("flag", 'f', OPTION_FLAG, .member = OPT(flag), .help = "help of flag"),
	OPTION("other", 'O', OPTION_FLAG, .member = OPT(other), .help = "help of other"),
	OPTION("count", 'c', OPTION_COUNT, .member = OPT(count), .help = "help of count"),
	OPTION("number", 'n', OPTION_U64, .member = OPT(number), .arg = "MS", .min = 10,
	       .max = 1000, .help = "help of number"),
	OPTION("any", 0, OPTION_U64, .member = OPT(any), .arg = "N", .min = 1,
	       .help = "help of any"),
	{},
};

/* A table that several commands share. */
static const struct option_row more_rows[] = {
	OPTION("string", 's', OPTION_STRING, .member = OPT(string), .arg = "FILE",
	       .help = "help of string"),
	OPTION("call", 'k', OPTION_CALL, .arg = "LIST", .add = add_call, .help = "help of call"),
	OPTION("call-alias", 0, OPTION_CALL, .arg = "LIST", .add = add_call),
	OPTION("bare-call", 0, OPTION_CALL, .add = add_call, .help = "help of bare call"),
	OPTION("pid", 'p', OPTION_REFUSE, .arg = "PID", .help = REFUSED),
	OPTION("thing", 'q', OPTION_REFUSE, .help = "reason of thing"),
	{},
};

#define LONG_NAME "option-with-a-long-name"

static const struct option_row long_rows[] = {
	OPTION("words", 0, OPTION_STRING, .member = OPT(string), .arg = "WORD",
	       .help = "a text of several lines, each of which ends between two words, and before "
		       "column 80 of the terminal"),
	OPTION(LONG_NAME, 0, OPTION_FLAG, .member = OPT(flag), .help = "help of the long name"),
	{},
};

static const struct command_spec spec = {
	.name = "test",
	.synopsis = "THINGS [OPTIONS]",
	.summary = "Does this and that.",
	.tables = {{"First", rows}, {"Second", more_rows}, {"Second", long_rows}},
	.examples = "bprof test --flag\nbprof test -c",
	.notes = "A note.\nAnother note.",
	.exit_status = "0 done.",
};

struct parsed {
	struct test_opts o;
	int err, rest, argc;
	char *out, *log; /* text that was written to stdout and to stderr */
};

static struct parsed parse_argv(const struct command_spec *s, char **argv)
{
	struct parsed p = {};
	struct capture out, log;
	char **rest;

	while (argv[p.argc])
		p.argc++;
	capture__begin(&out, stdout);
	capture__begin(&log, stderr);
	p.err = options__parse(s, &p.o, p.argc, argv, &rest);
	p.rest = rest ? rest - argv : p.argc;
	p.log = capture__end(&log);
	p.out = capture__end(&out);
	return p;
}

#define parse(...) parse_argv(&spec, (char *[]){"test", __VA_ARGS__, NULL})

static void free_parsed(struct parsed *p)
{
	free(p->out);
	free(p->log);
}

static void assert_parsed(const struct parsed *p, int rest)
{
	assert_string_equal(p->log, "");
	assert_string_equal(p->out, "");
	assert_int_equal(p->err, 0);
	assert_int_equal(p->rest, rest);
}

/* Checks that parsing fails with one line that contains text. */
static void assert_refused(struct parsed p, int err, const char *text)
{
	if (!strstr(p.log, text))
		fail_msg("\"%s\" is not in \"%s\"", text, p.log);
	assert_int_equal(p.err, err);
	assert_memory_equal(p.log, "bprof: ", 7);
	assert_ptr_equal(strchr(p.log, '\n'), p.log + strlen(p.log) - 1);
	assert_string_equal(p.out, "");
	free_parsed(&p);
}

/* ---- accepted command lines ---- */

static void test_nothing(void **state)
{
	struct parsed p = parse_argv(&spec, (char *[]){"test", NULL});
	static const struct test_opts untouched;

	assert_parsed(&p, 1);
	assert_memory_equal(&p.o, &untouched, sizeof(untouched));
	free_parsed(&p);
}

static void test_flag_and_count(void **state)
{
	struct parsed p = parse("--flag", "-c", "--count", "-cc");

	assert_parsed(&p, 5);
	assert_true(p.o.flag);
	assert_false(p.o.other);
	assert_int_equal(p.o.count, 4);
	free_parsed(&p);
	/* one word may have several short options, and the last of them may have an argument */
	p = parse("-fOc", "-Ofn12");
	assert_parsed(&p, 3);
	assert_true(p.o.flag && p.o.other);
	assert_int_equal(p.o.count, 1);
	assert_int_equal(p.o.number, 12);
	free_parsed(&p);
}

static void test_string(void **state)
{
	char *const argv[] = {"test", "--string", "file", NULL};
	struct parsed p = parse_argv(&spec, (char **)argv);

	/* the argument is not copied */
	assert_parsed(&p, 3);
	assert_ptr_equal(p.o.string, argv[2]);
	free_parsed(&p);
	p = parse("--string=a=b", "-f");
	assert_parsed(&p, 3);
	assert_string_equal(p.o.string, "a=b");
	assert_true(p.o.flag);
	free_parsed(&p);
	p = parse("-sx", "-s", "y"); /* the last value counts */
	assert_parsed(&p, 4);
	assert_string_equal(p.o.string, "y");
	free_parsed(&p);
	p = parse("--string", "", "-s",
		  "--flag"); /* the next word is the argument, even if it looks like an option */
	assert_parsed(&p, 5);
	assert_string_equal(p.o.string, "--flag");
	assert_false(p.o.flag);
	free_parsed(&p);
}

static void test_call(void **state)
{
	struct parsed p = parse("-k", "1", "--call", "2", "--call-alias=3", "--bare-call", "-k4");
	static const char *const want[][2] = {
		{"call", "1"},	     {"call", "2"}, {"call-alias", "3"},
		{"bare-call", NULL}, {"call", "4"},
	};

	assert_parsed(&p, 8);
	assert_int_equal(p.o.call_cnt, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(p.o.call[i].name, want[i][0]);
		if (want[i][1])
			assert_string_equal(p.o.call[i].arg, want[i][1]);
		else
			assert_null(p.o.call[i].arg);
	}
	free_parsed(&p);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *arg;
		__u64 number, any;
	} good[] = {
		{"--number=10", 10, 0}, /* both limits are valid */
		{"--number=1000", 1000, 0}, {"-n500", 500, 0},
		{"--any=1", 0, 1},	    {"--any=18446744073709551615", 0, ~0ULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct parsed p = parse((char *)good[i].arg);

		assert_parsed(&p, 2);
		assert_int_equal(p.o.number, good[i].number);
		assert_int_equal(p.o.any, good[i].any);
		free_parsed(&p);
	}
}

/* Long names may be abbreviated, as users of perf expect and getopt_long() allows. */
static void test_abbreviation(void **state)
{
	struct parsed p = parse("--num", "20", "--str=x");

	assert_parsed(&p, 4);
	assert_int_equal(p.o.number, 20);
	assert_string_equal(p.o.string, "x");
	free_parsed(&p);
}

/* ---- refused command lines ---- */

static void test_numbers_refused(void **state)
{
	static const char *const range[] = {
		"9", "1001", "-20", "1e2", "", "20ms", " 20", "0x20", "99999999999999999999"};
	static const char *const at_least[] = {"0", "-1", "x", "18446744073709551616"};
	char want[128];

	for (size_t i = 0; i < ARRAY_SIZE(range); i++) {
		snprintf(want, sizeof(want), "--number %s: give a whole number from 10 to 1000",
			 range[i]);
		assert_refused(parse("-n", (char *)range[i]), -EINVAL, want);
	}
	for (size_t i = 0; i < ARRAY_SIZE(at_least); i++) {
		snprintf(want, sizeof(want), "--any %s: give a whole number, at least 1",
			 at_least[i]);
		assert_refused(parse("--any", (char *)at_least[i]), -EINVAL, want);
	}
}

static void test_unknown(void **state)
{
	assert_refused(parse("--nonsense"), -EINVAL, "--nonsense: no such option");
	assert_refused(parse("-f", "--nonsense=1", "-c"), -EINVAL, "--nonsense=1: no such option");
	assert_refused(parse("-Z"), -EINVAL, "-Z: no such option");
	assert_refused(parse("-fZc"), -EINVAL, "-Z: no such option");
	assert_refused(parse("--flag", "-fZc"), -EINVAL, "bprof: -Z: no such option");
	/* the message refers to --help */
	assert_refused(parse("-Z"), -EINVAL, "see 'bprof test --help'");
	/* "--c" is ambiguous: --call, --call-alias and --count begin with it */
	assert_refused(parse("--c", "1"), -EINVAL,
		       "--c: several options begin with '--c'; see 'bprof test --help'\n");
}

/* A long option that is nearly right gets a hint, which does not depend on its argument. */
static void test_suggestion(void **state)
{
	assert_refused(parse("--hlep"), -EINVAL,
		       "--hlep: no such option; did you mean '--help'?\n");
	assert_refused(parse("--nubmer=7"), -EINVAL,
		       "--nubmer=7: no such option; did you mean '--number'?\n");
	assert_refused(parse("-f", "--flagg"), -EINVAL, "; did you mean '--flag'?\n");
	assert_refused(parse("--verson"), -EINVAL, "; did you mean '--version'?\n");
	assert_refused(parse("--xyz"), -EINVAL, "--xyz: no such option; see 'bprof test --help'\n");
}

static void test_missing_argument(void **state)
{
	assert_refused(parse("-s"), -EINVAL, "-s: needs an argument; see 'bprof test --help'");
	assert_refused(parse("-fs"), -EINVAL, "-s: needs an argument");
	assert_refused(parse("-f", "--any"), -EINVAL, "--any: needs an argument");
	assert_refused(parse("--string"), -EINVAL, "bprof: --string: needs an argument");
}

static void test_needless_argument(void **state)
{
	assert_refused(parse("--flag=1"), -EINVAL,
		       "bprof: --flag=1: takes no argument; see 'bprof test --help'\n");
	assert_refused(parse("--bare-call=1"), -EINVAL, "--bare-call=1: takes no argument");
	assert_refused(parse("--help=1"), -EINVAL, "--help=1: takes no argument");
}

/* An option of perf that has no meaning here is refused with the reason. */
static void test_refused(void **state)
{
	assert_refused(parse("-p", "1"), -EINVAL, "--pid: " REFUSED "\n");
	assert_refused(parse("--pid=1"), -EINVAL, "--pid: " REFUSED "\n");
	assert_refused(parse("-q"), -EINVAL, "--thing: reason of thing\n");
}

/* If a callback fails, only its own message and error are reported. */
static void test_call_fails(void **state)
{
	struct parsed p = parse("-k", "1", "--call=bad", "-k", "2", "-f");

	assert_int_equal(p.err, -ERANGE);
	assert_string_equal(p.log, "bprof: --call: it is bad\n");
	assert_int_equal(p.o.call_cnt, 1);
	assert_false(p.o.flag);
	free_parsed(&p);
}

/* ---- where parsing stops ---- */

static void test_stops_at_the_first_that_is_no_option(void **state)
{
	struct parsed p = parse("-f", "command", "-c", "--nonsense", "--help");

	assert_parsed(&p, 2);
	assert_true(p.o.flag);
	assert_int_equal(p.o.count, 0);
	free_parsed(&p);
	p = parse("-", "-f");
	assert_parsed(&p, 1);
	free_parsed(&p);
}

/* The command line may begin with the command's name, but only once. */
static void test_name_of_the_command(void **state)
{
	struct parsed p = parse("test", "-f", "test", "-c");

	assert_parsed(&p, 3);
	assert_true(p.o.flag);
	assert_int_equal(p.o.count, 0);
	free_parsed(&p);
	p = parse("test", "test");
	assert_parsed(&p, 2);
	free_parsed(&p);
}

static void test_stops_at_two_dashes(void **state)
{
	struct parsed p = parse("-f", "--", "-c", "--nonsense");

	assert_parsed(&p, 3);
	assert_int_equal(p.o.count, 0);
	free_parsed(&p);
	/* only the first "--" is removed; the second one belongs to the command */
	p = parse("--", "command", "--", "-f");
	assert_parsed(&p, 2);
	assert_false(p.o.flag);
	free_parsed(&p);
	p = parse("-c", "--");
	assert_parsed(&p, p.argc);
	free_parsed(&p);
}

static int set_seven(void *options, const struct option_row *row, const char *arg)
{
	*(int *)options = 7;
	return 0;
}

/* The offsets of a shared table are relative to a member of the command's struct. */
static void test_base(void **state)
{
	static const struct option_row part_rows[] = {
		OPTION("part", 'p', OPTION_COUNT, .help = "help of part"),
		OPTION("seven", 0, OPTION_CALL, .add = set_seven, .help = "help of seven"),
		{},
	};
	static const struct command_spec with_part = {
		.name = "test",
		.tables = {{"Part", part_rows, OPT(count)}, {"Own", rows}},
	};
	struct parsed p = parse_argv(&with_part, (char *[]){"test", "-pfp", "-c", NULL});

	assert_parsed(&p, 3);
	assert_int_equal(p.o.count, 3);
	assert_true(p.o.flag);
	free_parsed(&p);
	p = parse_argv(&with_part, (char *[]){"test", "--seven", "-p", NULL});
	assert_parsed(&p, 3);
	assert_int_equal(p.o.count, 8);
	free_parsed(&p);
}

/* A parse leaves no state for the next one, whether it succeeds or fails. */
static void test_parses_are_independent(void **state)
{
	struct parsed p = parse("-fc", "command", "-O");

	assert_parsed(&p, 2);
	free_parsed(&p);
	p = parse("-c", "-n", "20");
	assert_parsed(&p, 4);
	assert_false(p.o.flag);
	assert_int_equal(p.o.count, 1);
	free_parsed(&p);
	/* here parsing fails in the middle of a word of several short options */
	assert_refused(parse("-fZcc"), -EINVAL, "-Z: ");
	p = parse("-O", "x");
	assert_parsed(&p, 2);
	assert_true(p.o.other);
	assert_int_equal(p.o.count, 0);
	free_parsed(&p);
	p = parse("-fh");
	assert_int_equal(p.err, 1);
	free_parsed(&p);
	p = parse("-f", "--", "-c");
	assert_parsed(&p, 3);
	assert_int_equal(p.o.count, 0);
	free_parsed(&p);
}

/* ---- the output of --help ---- */

/* Returns the line of --help that contains this text, or NULL. The caller frees the line. */
static char *line_with(const char *help, const char *text)
{
	const char *at = strstr(help, text), *begin = at;

	if (!at)
		return NULL;
	while (begin > help && begin[-1] != '\n')
		begin--;
	return strndup(begin, strcspn(begin, "\n"));
}

static void assert_help_line(const char *help, const char *text, const char *left)
{
	char *line = line_with(help, text);

	if (!line)
		fail_msg("\"%s\" is not in \"%s\"", text, help);
	/* the option is followed by its help text, in the same column as for all options */
	assert_memory_equal(line, left, strlen(left));
	assert_string_equal(line + 29, text);
	assert_int_equal(strspn(line + strlen(left), " "), 29 - strlen(left));
	free(line);
}

static void check_help(const struct parsed *p)
{
	assert_int_equal(p->err, 1);
	assert_string_equal(p->log, "");
	assert_memory_equal(p->out, "Usage: bprof test THINGS [OPTIONS]\n", 35);
	assert_non_null(strstr(p->out, "\nDoes this and that.\n"));
	assert_help_line(p->out, "help of flag", "  -f, --flag");
	assert_help_line(p->out, "help of other", "  -O, --other");
	assert_help_line(p->out, "help of count", "  -c, --count");
	assert_help_line(p->out, "help of number", "  -n, --number MS");
	assert_help_line(p->out, "help of any", "      --any N");
	assert_help_line(p->out, "help of string", "  -s, --string FILE");
	assert_help_line(p->out, "help of call", "  -k, --call LIST");
	assert_help_line(p->out, "help of bare call", "      --bare-call");
	assert_help_line(p->out, "show this help", "  -h, --help");
	assert_help_line(p->out, "show the version", "  -V, --version");
	/* each group has a headline, also if it has several tables */
	assert_non_null(strstr(p->out, "\n\nFirst:\n  -f, --flag "));
	assert_non_null(strstr(p->out, "\n      --any N                help of any\n\n"
				       "Second:\n  -s, --string FILE "));
	assert_null(strstr(strstr(p->out, "Second:") + 1, "Second:"));
	assert_non_null(strstr(p->out, "\n\nOther:\n  -h, --help "));
	/* texts are wrapped; an option that is too wide has a line of its own */
	assert_non_null(strstr(
		p->out, "      --words WORD           a text of several lines, each of "
			"which ends between\n"
			"                             two words, and before column 80 of the "
			"terminal\n"
			"      --" LONG_NAME "\n"
			"                             help of the long name\n"));
	assert_null(strstr(p->out, "call-alias"));
	assert_null(strstr(p->out, "pid"));
	assert_null(strstr(p->out, REFUSED));
	assert_null(strstr(p->out, "thing "));
	assert_null(strstr(p->out, "reason of thing"));
	assert_string_equal(strstr(p->out, "\nExamples:\n"), "\nExamples:\n"
							     "  bprof test --flag\n"
							     "  bprof test -c\n"
							     "\n"
							     "A note.\n"
							     "Another note.\n"
							     "\n"
							     "Exit status: 0 done.\n");
}

static void test_help(void **state)
{
	struct parsed p = parse("-h");

	check_help(&p);
	free_parsed(&p);
	p = parse("--help");
	check_help(&p);
	free_parsed(&p);
	/* --help is accepted after valid options, and the rest is ignored */
	p = parse("-f", "--help", "--nonsense");
	check_help(&p);
	free_parsed(&p);
}

/* If several combinations of options are invalid, the first one in the table is reported. */
static void test_check(void **state)
{
	const struct option_check checks[] = {
		{false, "-a and -b"}, {true, "-c and -d"}, {true, "-e and -f"}};
	struct capture log;
	char *text;
	int err;

	assert_int_equal(options__check(checks, 1), 0);
	assert_int_equal(options__check(checks, 0), 0);
	capture__begin(&log, stderr);
	err = options__check(checks, ARRAY_SIZE(checks));
	text = capture__end(&log);
	assert_int_equal(err, -EINVAL);
	assert_string_equal(text, "bprof: -c and -d\n");
	free(text);
}

static void test_help_without_texts(void **state)
{
	struct command_spec short_spec = spec;
	struct parsed p;

	short_spec.examples = short_spec.notes = short_spec.exit_status = NULL;
	p = parse_argv(&short_spec, (char *[]){"test", "--help", NULL});
	assert_int_equal(p.err, 1);
	assert_string_equal(p.out + strlen(p.out) - 17, "show the version\n");
	free_parsed(&p);
}

/* ---- commands of a command ---- */

static const struct command_spec sub_add = {.name = "test add",
					    .brief = "add a thing",
					    .synopsis = "THING",
					    .summary = "Adds.",
					    .tables = {{"First", rows}}},
				 sub_remove = {.name = "test remove",
					       .brief = "remove a thing",
					       .synopsis = "THING",
					       .summary = "Removes."};
static const struct command_spec *const subs[] = {&sub_add, &sub_remove, NULL};
static const struct command_spec parent = {
	.name = "test", .synopsis = "COMMAND", .summary = "Does this.", .subs = subs};

/* Chooses a subcommand, and checks its output and messages. Returns the result of options__parse_sub(). */
static int choose_sub(char **argv, const char *want_out, const char *want_log, char ***rest)
{
	struct capture out, log;
	int argc = 0, sub;
	char *text;

	while (argv[argc])
		argc++;
	capture__begin(&out, stdout);
	capture__begin(&log, stderr);
	sub = options__parse_sub(&parent, &argc, &argv);
	text = capture__end(&log);
	assert_string_equal(text, want_log);
	free(text);
	text = capture__end(&out);
	assert_string_equal(text, want_out);
	free(text);
	assert_null(argv[argc]);
	*rest = argv;
	return sub;
}

static void test_subs(void **state)
{
	char *argv[] = {"bprof", "test", "remove", "--flag", "x", NULL}, **rest;
	struct parsed p;

	assert_int_equal(choose_sub(argv, "", "", &rest), 1);
	assert_string_equal(rest[1], "remove");
	argv[2] = "add";
	assert_int_equal(choose_sub(argv, "", "", &rest), 0);
	p = parse_argv(&sub_add, rest);
	assert_parsed(&p, 3);
	assert_true(p.o.flag);
	assert_string_equal(rest[3], "x");
	free_parsed(&p);
	argv[2] = "remvoe";
	assert_int_equal(choose_sub(argv, "",
				    "bprof: test: 'remvoe': no such command; did you mean "
				    "'remove'?\n",
				    &rest),
			 -EINVAL);
	argv[2] = "xyz";
	assert_int_equal(choose_sub(argv, "",
				    "bprof: test: 'xyz': no such command; 'bprof help test' lists "
				    "them\n",
				    &rest),
			 -EINVAL);
	argv[2] = NULL;
	assert_int_equal(choose_sub(argv, "",
				    "bprof: test: a command is missing; 'bprof help test' lists "
				    "them\n",
				    &rest),
			 -EINVAL);
	argv[2] = "--help";
	argv[3] = NULL;
	assert_int_equal(choose_sub(argv,
				    "Usage: bprof test COMMAND\n\nDoes this.\n\nCommands:\n"
				    "  add     add a thing\n  remove  remove a thing\n\n"
				    "'bprof test COMMAND --help' shows the options of a command.\n",
				    "", &rest),
			 -1);
}

static void test_version(void **state)
{
	struct parsed p = parse("--version");
	char start[64];

	assert_int_equal(p.err, 1);
	snprintf(start, sizeof(start), "bprof %s\nlibbpf ", build_info__version());
	assert_memory_equal(p.out, start, strlen(start));
	assert_non_null(strstr(p.out, "\ndisassembler "));
	assert_string_equal(p.log, "");
	free_parsed(&p);
}

/* If a command has too many options, the process aborts, so that no option is silently missing. */
static void test_too_many_rows(void **state)
{
	static struct option_rows rows;
	const struct option_row row = {.name = "one"};
	pid_t pid = fork();
	int status;

	if (!pid) {
		for (int i = 0; i < OPTION_MAX_ROWS; i++)
			option_rows__add(&rows, &row);
		if (rows.cnt != OPTION_MAX_ROWS)
			_exit(1);
		option_rows__add(&rows, &row);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_flag_and_count),
		cmocka_unit_test(test_string),
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_abbreviation),
		cmocka_unit_test(test_numbers_refused),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_suggestion),
		cmocka_unit_test(test_missing_argument),
		cmocka_unit_test(test_needless_argument),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_call_fails),
		cmocka_unit_test(test_stops_at_the_first_that_is_no_option),
		cmocka_unit_test(test_stops_at_two_dashes),
		cmocka_unit_test(test_name_of_the_command),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_parses_are_independent),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_help_without_texts),
		cmocka_unit_test(test_subs),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_too_many_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
