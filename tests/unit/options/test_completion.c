// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the completion of a command line by the tables of options, and that an option which is only
 * in a table appears in help, man page and completion. Called as "test_completion __complete
 * WORD...", it completes like bprof, with the test's own options: tests/completion.sh puts it into
 * the place of bprof.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/completion.h"

static const struct option_row target_rows[] = {
	OPTION("prog-id", 'b', OPTION_CALL, .arg = "ID[,ID...]", .help = "select programs by id",
	       .arg_kind = ARG_PROG_ID),
	OPTION("bpf-prog", 0, OPTION_CALL, .arg = "ID", .arg_kind = ARG_PROG_ID),
	OPTION("name", 0, OPTION_CALL, .arg = "GLOB",
	       .help = "select programs (also others); and more", .arg_kind = ARG_PROG_NAME),
	OPTION("no-hist", 0, OPTION_FLAG, .help = "collect nothing"),
	OPTION("pid", 'p', OPTION_REFUSE, .arg = "PID", .help = "refused"),
	{},
};

static const struct option_row other_rows[] = {
	OPTION("event", 'e', OPTION_CALL, .arg = "EVENTS", .help = "events", .arg_kind = ARG_EVENT),
	OPTION("sort", 0, OPTION_STRING, .arg = "source|hot", .help = "order",
	       .arg_kind = ARG_CHOICE),
	OPTION("output", 'o', OPTION_STRING, .arg = "FILE", .help = "file", .arg_kind = ARG_FILE),
	OPTION("repeat", 'r', OPTION_U64, .arg = "N", .help = "repeat"),
	OPTION("verbose", 'v', OPTION_COUNT, .help = "more"),
	{},
};

/* An option that a developer adds. Nothing but this table knows it. */
static const struct option_row extra_rows[] = {
	OPTION("extra", 'Z', OPTION_STRING, .arg = "apple|pear", .help = "choose a fruit",
	       .arg_kind = ARG_CHOICE),
	{},
};

static const struct command_spec spec = {
	.name = "stat",
	.brief = "measure things",
	.synopsis = "[OPTIONS]",
	.summary = "Measures things.",
	.examples = "bprof stat --name 'x*'\n.first",
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", target_rows}, {"Output", other_rows}, {"Output", extra_rows}},
};

static void offer_values(const struct completion *c, enum option_arg kind)
{
	if (kind == ARG_PROG_ID) {
		completion__offer(c, "42", "xdp_lb");
		completion__offer(c, "57", "xdp_fw");
	} else if (kind == ARG_PROG_NAME) {
		completion__offer(c, "xdp_lb", "xdp");
		completion__offer(c, "xdp_fw", "xdp");
	} else if (kind == ARG_EVENT) {
		completion__offer(c, "cycles", NULL);
		completion__offer(c, "cycle-time", NULL);
		completion__offer(c, "instructions", NULL);
	}
}

static void check_spec(const struct command_spec *s, const char *want, char *const *words)
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);
	int cnt = 0;

	while (words[cnt])
		cnt++;
	command_spec__complete(s, words, cnt, 2, offer_values, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

#define check(want, ...) check_spec(&spec, want, (char *[]){__VA_ARGS__, NULL})

static void test_options(void **state)
{
	check("--name\tselect programs\n", "--na");
	check("--name\tselect programs\n--no-hist\tcollect nothing\n", "-v", "--n");
	check("-b\tselect programs by id\n", "-b");
	/* aliases and refused options are not offered */
	check("", "--bpf");
	check("", "--pi");
	check("--help\tshow this help\n", "--he");
	/* after a dash, long names and letters; without a dash, only long names */
	check("-b\tselect programs by id\n--prog-id\tselect programs by id\n"
	      "--name\tselect programs\n--no-hist\tcollect nothing\n"
	      "-e\tevents\n--event\tevents\n--sort\torder\n-o\tfile\n--output\tfile\n"
	      "-r\trepeat\n--repeat\trepeat\n-v\tmore\n--verbose\tmore\n"
	      "-Z\tchoose a fruit\n--extra\tchoose a fruit\n"
	      "-h\tshow this help\n--help\tshow this help\n"
	      "-V\tshow the version\n--version\tshow the version\n",
	      "-");
	check("--prog-id\tselect programs by id\n--name\tselect programs\n"
	      "--no-hist\tcollect nothing\n--event\tevents\n--sort\torder\n--output\tfile\n"
	      "--repeat\trepeat\n--verbose\tmore\n--extra\tchoose a fruit\n"
	      "--help\tshow this help\n--version\tshow the version\n",
	      "");
}

static void test_values(void **state)
{
	check("42\txdp_lb\n57\txdp_fw\n", "--prog-id", "");
	check("42\txdp_lb\n", "-b", "4");
	check("57,42\txdp_lb\n57,57\txdp_fw\n", "--bpf-prog", "57,");
	check("--prog-id=42\txdp_lb\n", "--prog-id=4");
	check("--prog-id=5,42\txdp_lb\n", "--prog-id=5,4");
	check("-b42\txdp_lb\n", "-b4");
	check("-vb42\txdp_lb\n", "-vb4");
	check("cycles\ncycle-time\n", "-e", "cyc");
	check("{cycles,instructions\n", "--event", "{cycles,ins");
	check("hot\n", "--sort", "h");
	check("--sort=source\n--sort=hot\n", "--sort=");
	/* long names may be abbreviated */
	check("42\txdp_lb\n", "--prog", "4");
	check("", "-r", "");
}

/* A command with subcommands: the first word chooses a subcommand, whose options follow. */
static void test_subs(void **state)
{
	static const struct command_spec other = {.name = "things list", .brief = "list; also all"};
	static const struct command_spec sub = {
		.name = "things measure",
		.brief = "measure things",
		.operand = ARG_FILE,
		.tables = {{"Output", other_rows}},
	};
	static const struct command_spec *const subs[] = {&sub, &other, NULL};
	static const struct command_spec parent = {.name = "things", .subs = subs};

	check_spec(&parent, "measure\tmeasure things\nlist\tlist\n", (char *[]){"", NULL});
	check_spec(&parent, "list\tlist\n", (char *[]){"li", NULL});
	check_spec(&parent, "--sort\torder\n", (char *[]){"measure", "--s", NULL});
	check_spec(&parent, "hot\n", (char *[]){"measure", "--sort", "h", NULL});
	check_spec(&parent, ":files \n", (char *[]){"measure", "x", NULL});
	check_spec(&parent, "", (char *[]){"nonsense", "--s", NULL});
	check_spec(&parent, "--help\tshow this help\n", (char *[]){"--he", NULL});
}

static void test_files(void **state)
{
	check(":files \n", "-o", "re");
	check(":files --output=\n", "--output=re");
	check(":files -o\n", "-ore");
}

/* An argument that looks like an option is an argument. */
static void test_arguments(void **state)
{
	check("", "-o", "x", "-b", "--na");
	check("--name\tselect programs\n", "-o", "-b", "--na");
	check("--name\tselect programs\n", "--output=-b", "--na");
}

/* The words of COMMAND are completed by the shell. */
static void test_program(void **state)
{
	struct command_spec files = spec;

	check(":program 4\n", "-b", "42", "pi");
	check(":program 4\n", "-b", "42", "ping", "--na");
	check(":program 5\n", "-b", "42", "--", "");
	files.operand = ARG_FILE;
	check_spec(&files, ":files \n", (char *[]){"a", "-v", "b", NULL});
	check_spec(&files, "--name\tselect programs\n", (char *[]){"a", "--na", NULL});
	check_spec(&files, ":files \n", (char *[]){"a", "--", "--na", NULL});
}

static void test_brief(void **state)
{
	static const struct option_row rows[] = {
		OPTION("long", 0, OPTION_FLAG,
		       .help = "a text of many words that is much too long to stand beside a "
			       "candidate of a shell"),
		{},
	};
	const struct command_spec wordy = {.name = "x", .tables = {{"All", rows}}};

	check_spec(&wordy, "--long\ta text of many words that is much too long to stand beside a\n",
		   (char *[]){"--lo", NULL});
}

static char *print(void (*print_spec)(const struct command_spec *s, FILE *out))
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	print_spec(&spec, out);
	fclose(out);
	return text;
}

/* One row is enough for an option to appear everywhere. */
static void test_additional_option(void **state)
{
	char *help = print(command_spec__print_help), *man = print(command_spec__print_man);

	assert_non_null(strstr(help, "\n  -Z, --extra apple|pear     choose a fruit\n"));
	assert_non_null(strstr(man, "\n.It Fl Z , Fl Fl extra Ar apple|pear\nchoose a fruit\n"));
	check("--extra\tchoose a fruit\n", "--ex");
	check("pear\n", "--extra", "pe");
	free(help);
	free(man);
}

static void test_man(void **state)
{
	char *man = print(command_spec__print_man);

	assert_memory_equal(man, "@NAME@\n.Sh NAME\n.Nm bprof-stat\n.Nd measure things\n", 50);
	assert_non_null(strstr(man, "\n@OPTIONS@\n.Sh OPTIONS\n.Ss Targets\n"));
	assert_non_null(strstr(man, "\n.It Fl b , Fl Fl prog\\-id Ar ID[,ID...]\n"));
	assert_non_null(strstr(man, "\n.El\n.Ss Output\n"));
	assert_non_null(strstr(man, "\n@EXIT_STATUS@\n"));
	assert_non_null(strstr(man, "\nbprof stat \\-\\-name \\(aqx*\\(aq\n\\&.first\n.Ed\n"));
	assert_null(strstr(man, "bpf"));
	assert_null(strstr(man, "refused"));
	free(man);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_subs),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_brief),
		cmocka_unit_test(test_man),
		cmocka_unit_test(test_additional_option),
	};

	if (argc > 2 && !strcmp(argv[1], "__complete")) {
		command_spec__complete(&spec, argv + 2, argc - 2, 1, offer_values, stdout);
		return 0;
	}
	return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
