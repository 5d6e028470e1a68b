// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the entries of a history: entries that are written can be read back, bad lines are left out, and commits
 * are in the right order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tests/unit/history/made_history.h"

/* Returns the history as text, which the caller frees. */
static char *print(const struct history *h)
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	for (int i = 0; i < h->cnt; i++)
		history_entry__print(&h->v[i], out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char messages[4096];

static void keep_message(void *arg, enum log_level level, const char *message)
{
	strncat(messages, message, sizeof(messages) - strlen(messages) - 2);
	strcat(messages, "\n");
}

/* Reads the text, and checks the messages. The caller frees the history. */
static void read_text(struct history *h, char *text, const char *want)
{
	static const struct log_sink sink = {.write = keep_message, .max = LOG_LEVEL_WARN};
	FILE *in = fmemopen(text, strlen(text), "r");

	assert_non_null(in);
	*h = (struct history){};
	messages[0] = '\0';
	log__set_sink(&sink);
	assert_int_equal(history__read(h, in, "file"), 0);
	log__set_sink(NULL);
	fclose(in);
	assert_string_equal(messages, want);
}

static void test_round_trip(void **state)
{
	struct history h = {}, again;
	struct report *r = add_count(&h, 1, 499);
	char *text, *same;

	report_event__add_bucket(&r->prog[0].all.event[0])->count = 1;
	report_prog__add_cpu(&r->prog[0], 0);
	add_cycles(&h, 2, 1000);
	h.v[1].machine = strdup("runner \"7\"");
	text = print(&h);
	assert_null(strstr(text, "histogram"));
	assert_null(strstr(text, "\"cpus\":["));
	read_text(&again, text, "");
	assert_int_equal(again.cnt, 2);
	assert_string_equal(again.v[0].commit, "c1");
	assert_null(again.v[0].machine);
	assert_string_equal(again.v[1].machine, "runner \"7\"");
	assert_int_equal(again.v[1].date.tv_sec, h.v[1].date.tv_sec);
	assert_int_equal(again.v[1].report->prog[0].all.event[0].block_cnt, 20);
	same = print(&again);
	assert_string_equal(same, text);
	free(same);
	free(text);
	history__free(&h);
	history__free(&again);
}

/* Each bad line is left out with a message, and the others are read. */
static void test_bad_lines(void **state)
{
	static const struct {
		const char *line, *message;
	} bad[] = {
		{"{\"history\":1,\"tool\":\"bprof\",\"commit\":\"x\"", "it is cut off"},
		{"nonsense", "not an entry of a history: not JSON"},
		{"[]", "not an entry of a history: not an object"},
		{"{\"schema\":1,\"tool\":\"bprof\",\"programs\":[]}",
		 "a report (of bprof stat or bench), not a history: 'bprof record' makes one"},
		{"{\"history\":2,\"commit\":\"x\"}",
		 "a history of a newer bprof (history 2): this one reads up to 1"},
		{"{\"history\":1,\"commit\":\"x\",\"date\":\"2026-01-01T00:00:00Z\"}",
		 "report: is missing"},
		{"{\"history\":1,\"commit\":\"\",\"date\":\"2026-01-01T00:00:00Z\",\"report\":"
		 "{\"schema\":1,\"calibrated\":true,\"programs\":[]}}",
		 "commit: is empty"},
		{"{\"history\":1,\"commit\":\"x\",\"date\":\"2026-01-01T00:00:00Z\",\"report\":"
		 "{\"schema\":2,\"calibrated\":true,\"programs\":[]}}",
		 "report: a report of a newer bprof (schema 2): this one reads up to 1"},
		{"{\"history\":1,\"commit\":\"x\",\"date\":\"today\",\"report\":{}}",
		 "date: expected a time as 2026-01-31T00:00:00Z"},
	};
	struct history h = {}, again;
	char *good, *text, want[512];

	add_count(&h, 1, 499);
	good = print(&h);
	history__free(&h);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "file:3: the line is left out: %s\n", bad[i].message);
		assert_true(asprintf(&text, "%s\n%s\n%s", good, bad[i].line, good) > 0);
		read_text(&again, text, want);
		assert_int_equal(again.cnt, 2);
		assert_int_equal(again.bad_cnt, 1);
		assert_false(again.ends_bad);
		history__free(&again);
		free(text);
	}
	assert_true(asprintf(&text, "%sx\nx\nx\nx\nx\nx\nx", good) > 0);
	read_text(&again, text,
		  "file:2: the line is left out: not an entry of a history: not JSON\n"
		  "file:3: the line is left out: not an entry of a history: not JSON\n"
		  "file:4: the line is left out: not an entry of a history: not JSON\n"
		  "file:5: the line is left out: not an entry of a history: not JSON\n"
		  "file:6: the line is left out: not an entry of a history: not JSON\n"
		  "file: 2 more lines are left out\n");
	assert_true(again.ends_bad);
	assert_int_equal(again.cnt, 1);
	history__free(&again);
	free(text);
	free(good);
}

static void check_order(const struct history *h, const char *want)
{
	char got[256] = "";

	for (int i = 0; i < h->cnt; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s@%d:%g ", h->v[i].commit,
			 h->v[i].position, h->v[i].report->prog[0].all.event[0].stat[STAT_MIN]);
	assert_string_equal(got, want);
}

/* A later report of an older commit is put into its place, and a commit has one date. */
static void test_order(void **state)
{
	struct history h = {};

	add_count(&h, 3, 1);
	add_count(&h, 1, 2);
	add_count(&h, 3, 3);
	add_count(&h, 2, 4);
	h.v[2].date.tv_sec = 5; /* the date of the first one counts */
	/* two commits at the same time stay in their order */
	add_count(&h, 9, 5);
	add_count(&h, 8, 6);
	h.v[4].date = h.v[5].date;
	history__sort(&h);
	check_order(&h, "c1@0:2 c2@1:4 c3@2:1 c3@2:3 c9@3:5 c8@4:6 ");
	assert_int_equal(h.commit_cnt, 5);
	assert_int_equal(history__find(&h, "c3"), 2);
	assert_int_equal(history__find(&h, "c"), -EINVAL);
	assert_int_equal(history__find(&h, "d"), -ENOENT);
	history__free(&h);

	/* a full name is found among longer names that begin with it */
	add_count(&h, 10, 1);
	add_count(&h, 12, 2);
	add_count(&h, 1, 3);
	history__number(&h);
	assert_int_equal(history__find(&h, "c1"), 2);
	history__free(&h);

	add_count(&h, 3, 1);
	add_count(&h, 1, 2);
	add_count(&h, 3, 3);
	history__number(&h);
	check_order(&h, "c3@0:1 c3@0:3 c1@1:2 ");
	history__free(&h);
	history__sort(&h);
}

static void test_names(void **state)
{
	const struct timespec date = {.tv_sec = 1767225600 + 86399};
	char buf[HISTORY_COMMIT_SZ];

	assert_string_equal(history__format_date(&date, buf), "2026-01-01");
	assert_string_equal(history__format_commit("0123456789abcdef0123456789abcdef01234567", buf),
			    "0123456789ab");
	assert_string_equal(history__format_commit("v1.2", buf), "v1.2");
}

/* A day that a month does not have is not a day of the next month. */
static void test_dates(void **state)
{
	struct timespec date;

	assert_int_equal(history__parse_date("2026-01-01", &date), 0);
	assert_int_equal(date.tv_sec, 1767225600);
	assert_int_equal(history__parse_date("2024-02-29T23:59:59Z", &date), 0);
	assert_int_equal(history__parse_date("2026-02-29", &date), -EINVAL);
	assert_int_equal(history__parse_date("2026-04-31T00:00:00Z", &date), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),	  cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_order),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("history/history", tests, NULL, NULL);
}
