// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the room's functions when memory is short: each allocation fails in turn, and the result is
 * complete or an error. A file of -o has the old or the new document.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hist.h"
#include "bpf/probe.h"
#include "base/id_map.h"
#include "base/log.h"
#include "base/output.h"
#include "base/parse_error.h"
#include "base/stats.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/scratch_file.h"

/* Any result but success needs an allocation that failed. */
static void assert_excused(int err)
{
	if (err && (err != -ENOMEM || failing_allocation < 0))
		fail_msg("allocation %ld: error %d", failing_allocation, err);
}

/* ---- files ---- */

static char path[] = "/tmp/bprof-no-memory-XXXXXX";

static int messages;
static char message[256]; /* the last one */

static void count_message(void *arg, enum log_level level, int err, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
	assert_int_equal(level, LOG_LEVEL_ERROR);
	assert_string_not_equal(message, "");
	/* Nothing reaches the terminal that could manipulate it. */
	for (const char *c = message; *c; c++)
		assert_true(*c == '\n' || *c == '\t' || (unsigned char)*c >= ' ');
	assert_null(strchr(message, 0x7f));
	messages++;
}

static const struct log_sink counting = {.write = count_message, .max = LOG_LEVEL_ERROR};

static void write_file(void *arg)
{
	const unsigned int *flags = arg;
	char text[16] = "";
	struct output o;
	FILE *f = fopen(path, "w");
	int err;

	/* The preparation must not fail. */
	if (!f)
		return;
	fputs("old", f);
	fclose(f);
	messages = 0;
	err = output__check(path) ?: output__open(path, *flags, &o);
	if (!err) {
		fputs("new", o.file);
		err = output__close(&o, output__commit(&o, 0));
	}
	assert_excused(err);
	assert_int_equal(messages, err ? 1 : 0);
	f = fopen(path, "r");
	if (!f)
		return;
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	if (*flags & OUTPUT_APPEND)
		assert_string_equal(text, err ? "old" : "oldnew");
	else
		assert_string_equal(text, err ? "old" : "new");
}

static void test_output(void **state)
{
	static const unsigned int flags[] = {0, OUTPUT_APPEND, OUTPUT_PRIVATE,
					     OUTPUT_PRIVATE | OUTPUT_KEEP_OLD};
	const struct log_sink *sink = log__set_sink(&counting);
	char old[sizeof(path) + 4];

	close(mkstemp(path));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		assert_true(fail_each_allocation(write_file, (void *)&flags[i]) > 0);
	unlink(path);
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	log__set_sink(sink);
}

static void read_whole(void *arg)
{
	char *text = NULL;
	int err = read_file("/proc/self/smaps", &text);

	assert_excused(err);
	assert_int_equal(!text, !!err);
	assert_true(err || strlen(text) > 4096);
	free(text);
}

static void test_read_file(void **state)
{
	char *text;

	assert_true(fail_each_allocation(read_whole, NULL) >= 3);
	assert_int_equal(read_file("/", &text), -EIO);
	assert_null(text);
}

/* ---- text, tables, messages ---- */

static void use_text(void *arg)
{
	char *printable = text__printable("a\033b\n\xff"), *utf8 = text__utf8("a\xff"),
	     *shorter = text__shorten("a long name of a program", 9), *same = text__dup("x");

	assert_excused(printable && utf8 && shorter && same ? 0 : -ENOMEM);
	if (printable)
		assert_string_equal(printable, "a\\x1bb\\x0a\\xff");
	if (shorter)
		assert_int_equal(text__width(shorter), 9);
	free(printable);
	free(utf8);
	free(shorter);
	free(same);
}

static struct scratch_file file;

static void print_table(void *arg)
{
	static const struct table_col cols[] = {
		LEFT_COL("NAME", .min_width = 8), RIGHT_COL("COUNT"),
		LEFT_COL("NOTE", .folds = true),
		LEFT_COL("", .full_header = "more", .drop_order = 1)};
	const struct screen screen = {.width = 30, .color = true};
	struct table *t = table__new();
	int err = -ENOMEM;

	scratch_file__empty(&file);
	if (t) {
		table__add_cols(t, cols, ARRAY_SIZE(cols));
		for (int i = 0; i < 3; i++) {
			table__add_row(t);
			table__add_cell(t, TABLE_PLAIN, "a very long name %d", i);
			table__add_count(t, 1234567, TABLE_PLAIN);
			table__add_cell(t, TABLE_DIM, "words that are folded");
			if (i)
				table__add_same(t);
			else
				table__add_cell(t, TABLE_RED, "%s", "x");
		}
		err = table__print(t, file.out, true, &screen);
		assert_int_equal(table__error(t), err);
	}
	table__free(t);
	assert_excused(err);
	if (!err) {
		assert_non_null(strstr(scratch_file__text(&file), "1,234,567"));
		assert_non_null(strstr(file.text, "folded"));
	}
}

static void report_error(void *arg)
{
	struct parse_error err = {};

	messages = 0;
	parse_error__set(&err, 2, 3, "no number");
	assert_int_equal(parse_error__report(-EINVAL, "--top", "a\tbcd\xc3\xa9", &err), -EINVAL);
	assert_int_equal(messages, 1);
	assert_int_equal(log_err_lines(-EINVAL, "first\n  second"), -EINVAL);
	assert_int_equal(log_err(-EIO, "%s", "a \033[2J\x7f~ \x1f"), -EIO);
	if (strcmp(message, "a \\x1b[2J\\x7f~ \\x1f"))
		assert_string_equal(message, "a ?[2J?~ ?");
	assert_int_equal(messages, 3);
}

static void test_text(void **state)
{
	const struct log_sink *sink;

	fail_each_allocation(use_text, NULL);
	scratch_file__open(&file);
	assert_true(fail_each_allocation(print_table, NULL) > 20);
	fclose(file.out);
	/* A message is never lost, even if there is no memory to make it printable. */
	sink = log__set_sink(&counting);
	assert_true(fail_each_allocation(report_error, NULL) > 2);
	log__set_sink(sink);
}

/* ---- statistics ---- */

static void use_stats(void *arg)
{
	double x[40], y[40], p[] = {0.01, 0.02, 0.03}, median = NAN;
	struct stats_interval shift, ratio;
	struct mann_whitney mw;

	for (int i = 0; i < 40; i++) {
		x[i] = 100 + i;
		y[i] = 200 + i;
	}
	assert_excused(stats__mann_whitney(x, 40, y, 40, &mw));
	assert_excused(stats__mann_whitney(x, 6, y, 6, &mw));
	assert_excused(stats__shift(x, 40, y, 40, &shift));
	assert_excused(stats__ratio(x, 40, y, 40, &ratio));
	assert_excused(stats__holm(p, 3));
	assert_excused(stats__median(x, 40, &median));
	if (failing_allocation < 0) {
		assert_true(fabs(shift.estimate - 100) <= 0);
		assert_true(fabs(median - 119.5) <= 0);
		assert_true(fabs(p[0] - 0.03) <= 1e-9);
	}
}

static void use_hist(void *arg)
{
	static __u64 words[2 * BPROF_HIST_BUCKETS];
	struct hist a = {}, copy = {}, sum = {}, none = {};
	const __s64 min = 5, max = 900;
	int err;

	words[5] = 3;
	words[300] = 2;
	err = hist__copy(words, &min, &max, &a) ?: hist__dup(&a, &copy) ?: hist__add(&sum, &a, &none)
		      ?: hist__add(&sum, &copy, &none);
	assert_excused(err);
	if (!err) {
		assert_int_equal(copy.cnt, a.cnt);
		assert_int_equal(sum.cnt, a.cnt);
		assert_int_equal(sum.bucket[0].count, 2 * a.bucket[0].count);
	}
	hist__free(&a);
	hist__free(&copy);
	hist__free(&sum);
}

static void use_id_map(void *arg)
{
	struct id_map m = {};
	int err = 0;

	for (int i = 0; i < 2000; i++) {
		err = id_map__set(&m, 7919ULL * i, i);
		assert_excused(err);
		assert_int_equal(id_map__get(&m, 7919ULL * i), err ? -1 : i);
	}
	id_map__free(&m);
}

static void test_numbers(void **state)
{
	assert_true(fail_each_allocation(use_stats, NULL) > 5);
	assert_true(fail_each_allocation(use_hist, NULL) >= 4);
	assert_true(fail_each_allocation(use_id_map, NULL) > 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_read_file),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
