// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the options for output, which every command has, and the table of formats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "run/log_stderr.h"
#include "run/output_opts.h"
#include "tests/unit/capture.h"

struct parsed {
	struct output_opts o;
	int err;
	char *out, *log; /* text that was written to stdout and to stderr */
};

static struct parsed parse_argv(unsigned int documents, char **argv)
{
	const struct command_spec spec = {.name = "test",
					  .synopsis = "[OPTIONS]",
					  .summary = "Does this and that.",
					  .tables = {{"Output", output_rows}},
					  .documents = documents};
	struct parsed p = {};
	struct capture out, log;
	char **rest;
	int argc = 0;

	while (argv[argc])
		argc++;
	capture__begin(&out, stdout);
	capture__begin(&log, stderr);
	p.err = options__parse(&spec, &p.o, argc, argv, &rest);
	if (!p.err)
		p.err = output_opts__apply(&p.o, NULL);
	p.log = capture__end(&log);
	p.out = capture__end(&out);
	return p;
}

#define parse(documents, ...) parse_argv(documents, (char *[]){"test", __VA_ARGS__, NULL})

static void free_parsed(struct parsed *p)
{
	free(p->out);
	free(p->log);
}

static void assert_format(struct parsed p, const char *name)
{
	assert_string_equal(p.log, "");
	assert_int_equal(p.err, 0);
	assert_string_equal(output_opts__format(&p.o)->name, name);
	assert_int_equal(output_opts__is_json(&p.o), !strcmp(name, "json"));
	free_parsed(&p);
}

static void assert_refused(struct parsed p, const char *text)
{
	assert_string_equal(p.log, text);
	assert_int_equal(p.err, -EINVAL);
	free_parsed(&p);
}

static void test_formats(void **state)
{
	assert_format(parse_argv(DOC_PROGRAMS, (char *[]){"test", NULL}), "text");
	assert_format(parse(DOC_PROGRAMS, "--format", "text"), "text");
	assert_format(parse(DOC_PROGRAMS, "--format=csv"), "csv");
	assert_format(parse(DOC_PROGRAMS, "-x", ";"), "csv");
	assert_format(parse(DOC_PROGRAMS | DOC_COMPARISON, "--format", "tsv"), "tsv");
	assert_format(parse(DOC_SCOPES, "-j"), "json");
	assert_format(parse(DOC_OTHER, "--json"), "json");
	assert_format(parse(DOC_COMPARISON, "--junit"), "junit");
	assert_format(parse(DOC_PROGRAMS | DOC_COMPARISON, "--markdown"), "markdown");
	assert_format(parse(DOC_ANNOTATION, "--format", "folded"), "folded");
	/* -j and --format json mean the same format, so both may be given */
	assert_format(parse(DOC_OTHER, "-j", "--format", "json", "-j"), "json");
}

static void test_separator(void **state)
{
	struct parsed p = parse(DOC_PROGRAMS, "-x", ";", "--format", "csv");

	assert_string_equal(p.o.sep, ";");
	assert_format(p, "csv");
	p = parse(DOC_PROGRAMS, "-x\\t"); /* \t is passed as two characters, a backslash and a t */
	assert_string_equal(p.o.sep, "\t");
	assert_format(p, "csv");
	p = parse(DOC_PROGRAMS, "--format", "csv");
	assert_null(p.o.sep);
	free_parsed(&p);
	assert_refused(parse(DOC_PROGRAMS, "-x", ""), "bprof: -x: the separator is empty\n");
	assert_refused(parse(DOC_PROGRAMS, "-x", "\""),
		       "bprof: -x: a quote or a newline cannot separate fields\n");
}

static void test_refused(void **state)
{
	assert_refused(parse(DOC_PROGRAMS, "-j", "-x,"), "bprof: -j and -x: choose one format\n");
	assert_refused(parse(DOC_COMPARISON, "--format", "junit", "--markdown"),
		       "bprof: --format junit and --markdown: choose one format\n");
	assert_refused(parse(DOC_OTHER, "--format", "text", "-j"),
		       "bprof: --format text and -j: choose one format\n");
	/* the message lists the formats, and suggests the one with the most similar name */
	assert_refused(
		parse(DOC_COMPARISON, "--format", "markdwon"),
		"bprof: --format markdwon: give text, json, markdown, junit or html; did you mean "
		"'markdown'?\n");
	assert_refused(parse(DOC_OTHER, "--format", "csv"),
		       "bprof: --format csv: give text or json\n");
	assert_refused(parse(DOC_PROGRAMS, "--append"), "bprof: --append: it needs -o FILE\n");
}

/* The help of a command lists only the formats in which the command can write its documents. */
static void test_help(void **state)
{
	struct parsed p = parse(DOC_ANNOTATION, "--help");

	assert_int_equal(p.err, 1);
	assert_non_null(strstr(p.out, "  -j, --json "));
	assert_non_null(strstr(p.out, "      --folded "));
	assert_non_null(strstr(p.out, "output format: text, json, html, folded or pprof\n"));
	assert_non_null(strstr(p.out, "  -o, --output FILE "));
	assert_non_null(strstr(p.out, "      --append "));
	assert_null(strstr(p.out, "--markdown"));
	assert_null(strstr(p.out, "-x,"));
	free_parsed(&p);
	/* the document of this command has only one format */
	p = parse(0, "--help");
	assert_int_equal(p.err, 1);
	assert_non_null(strstr(p.out, "  -o, --output FILE "));
	assert_null(strstr(p.out, "--format"));
	assert_null(strstr(p.out, "--json"));
	assert_null(strstr(p.out, "--append"));
	free_parsed(&p);
}

static void assert_opens(const struct output_opts *o, const char *name, bool is_stdout)
{
	struct output out;

	assert_int_equal(output_opts__open(o, 0, &out), 0);
	assert_string_equal(out.name, name);
	assert_int_equal(out.file == stdout, is_stdout);
	assert_int_equal(output__close(&out, 0), 0);
}

static void test_file(void **state)
{
	struct parsed p = parse(DOC_OTHER, "-o", "/dev/null", "--append", "-vv");

	assert_int_equal(p.err, 0);
	assert_opens(&p.o, "/dev/null", false);
	assert_true(p.o.append);
	assert_int_equal(log_stderr__sink()->max, LOG_LEVEL_DEBUG);
	log_stderr__set_verbose(0);
	free_parsed(&p);
	assert_opens(&(struct output_opts){}, "standard output", true);
	assert_opens(&(struct output_opts){.command = true}, "standard error", false);
	assert_opens(&(struct output_opts){.command = true, .file = "-"}, "standard output", true);
	assert_refused(parse(DOC_OTHER, "-o", "-", "--append"),
		       "bprof: --append: it needs -o FILE\n");
	assert_refused(parse(DOC_SCOPES, "--html", "-o", "/dev/null", "--append"),
		       "bprof: --append: html is a complete page; choose another format\n");
	assert_refused(parse(DOC_OTHER, "-o", ""), "bprof: -o: the name of the file is empty\n");
	assert_refused(parse(DOC_SCOPES, "--header"),
		       "bprof: --header: it needs -x SEP; TSV always has a header\n");
	p = parse(DOC_SCOPES, "--header", "--format", "csv");
	assert_true(!p.err && p.o.header && output_opts__layout(&p.o) == JSON_INDENTED);
	free_parsed(&p);
	p = parse(DOC_SCOPES, "-j", "-o", "/dev/null", "--append");
	assert_int_equal(output_opts__layout(&p.o), JSON_LINE);
	free_parsed(&p);
	p = parse(DOC_OTHER, "-o", "/no/such/file");
	assert_int_equal(p.err, -ENOENT); /* no usage error: the exit status is 1 */
	assert_string_equal(p.log,
			    "bprof: /no/such/file: cannot be written: No such file or directory\n");
	free_parsed(&p);
}

/*
 * The format is checked after all options are parsed, because only then is it known whether the
 * document is a report or a comparison.
 */
static void test_documents(void **state)
{
	struct parsed p = parse(DOC_PROGRAMS | DOC_COMPARISON, "--junit");
	struct capture log;
	char *text;

	assert_int_equal(output_opts__check_format(&p.o, DOC_COMPARISON, "a comparison"), 0);
	capture__begin(&log, stderr);
	p.err = output_opts__check_format(&p.o, DOC_SCOPES, "the system");
	text = capture__end(&log);
	assert_int_equal(p.err, -EINVAL);
	assert_string_equal(text,
			    "bprof: --junit: junit is not available for the system; choose text, "
			    "json, csv, tsv or html\n");
	free(text);
	free_parsed(&p);
}

static void assert_not_written(const struct output_opts *o, char **command, const char *why)
{
	struct output_opts copy = *o;
	struct capture log;
	char *text;
	int err;

	capture__begin(&log, stderr);
	err = output_opts__apply(&copy, command);
	text = capture__end(&log);
	assert_int_equal(err, why ? -EINVAL : 0);
	assert_string_equal(text, why ?: "");
	free(text);
}

/* A binary document is written neither to a terminal, nor among messages, nor behind another. */
static void test_binary(void **state)
{
	struct parsed p = parse(DOC_ANNOTATION, "--format", "pprof");
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDOUT_FILENO);
	struct output_opts file = p.o;
	char *command[] = {"true", NULL};

	assert_format(p, "pprof"); /* its standard output was a file */
	assert_true(terminal >= 0 && saved >= 0 && !fflush(stdout));
	assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
	file.file = "/dev/null";
	assert_not_written(&file, command, NULL);
	assert_not_written(&p.o, NULL,
			   "bprof: --format pprof: it is binary, and standard output is a "
			   "terminal; give -o FILE\n");
	assert_not_written(&p.o, command,
			   "bprof: --format pprof: it is binary, and standard error has messages, "
			   "too; give -o FILE\n");
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	close(saved);
	close(terminal);
	assert_refused(parse(DOC_ANNOTATION, "--format", "pprof", "-o", "/dev/null", "--append"),
		       "bprof: --append and --format pprof: a file holds one pprof document\n");
}

/*
 * Each format has one name, at most one option, and at least one renderer. All commands have text
 * and JSON.
 */
static void test_table(void **state)
{
	for (int i = 0; i < format_cnt; i++) {
		const struct format *f = &formats[i];

		assert_true(f->report || f->comparison || f->annotation || f->recording);
		assert_true(!f->flag == !f->help);
		assert_true(f->flag || (!f->letter && !f->arg));
		for (int k = 0; k < i; k++) {
			assert_string_not_equal(f->name, formats[k].name);
			assert_true(!f->flag || !formats[k].flag ||
				    strcmp(f->flag, formats[k].flag));
		}
	}
	for (unsigned int document = 1; document <= DOC_TIMELINE; document *= 2)
		if (document != DOC_VERSIONS && document != DOC_RECORDING)
			assert_true(format__has(&formats[FORMAT_TEXT], document) &&
				    format__has(&formats[FORMAT_JSON], document));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats), cmocka_unit_test(test_separator),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_help),
		cmocka_unit_test(test_file),	cmocka_unit_test(test_documents),
		cmocka_unit_test(test_binary),	cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
