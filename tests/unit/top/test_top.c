// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the screen of bprof top: its lines at several sizes (tests/golden/top), what each key does,
 * and that no order of keys, sizes and reports breaks it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "render/render.h"
#include "tests/unit/count_parts.h"
#include "tests/unit/long_test.h"
#include "tests/unit/report_models.h"
#include "tests/unit/top/top_lines.h"
#include "top/top_priv.h"
#include "top/top_write.h"

static const struct top_stats stats = {
	.own_cpu = 0.0042, .programs = 500, .interval_ns = 1000 * NSEC_PER_MSEC};

static void set_stats(struct report_event *ev, double p99, double max)
{
	ev->stat[STAT_P99] = p99;
	ev->stat[STAT_MAX] = max;
}

static void add_program(struct report *r, __u32 id, const char *name, const char *type, __u64 runs,
			double scale)
{
	struct report_prog *p = add_prog(r, id, name, name, runs);

	free(p->type);
	p->type = strdup(type);
	p->all.measured = runs / 8;
	p->all.thinned_out = runs - p->all.measured;
	p->all.share_estimated = true;
	p->all.cpu_share = scale * runs * 1e-9;
	set_stats(add_event(&p->all, "cycles", scale), 3 * scale, 40 * scale);
	set_stats(add_event(&p->all, "instructions", 0.6 * scale), scale, 12.3 * scale);
}

/* Programs with probes, one that the kernel counts, and one that does not run. */
static struct report *make_report(double scale)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->followed = true;
	r->thin_period = 0;
	report__add_budget(r)->share = 0.01;
	r->budget->added = 0.0021;
	add_program(r, 42, "xdp_lb", "xdp", 1234567, 151.25 * scale);
	add_program(r, 57, "xdp_firewall_ingress_for_all_interfaces", "xdp", 98765, 2048.6 * scale);
	add_program(r, 1003, "tcp_congestion", "struct_ops", 1234, 99);
	p = add_prog(r, 7, "sys_enter", "sys_enter", 500);
	set_method(p, "run_stats");
	free(p->type);
	p->type = strdup("tracepoint");
	p->all.cpu_share = 0.00031;
	add_event(&p->all, "time", 620);
	add_program(r, 99, "idle_one", "kprobe", 0, 1);
	add_skip(r, 8, "no_btf", "no_btf", "has no BTF");
	return r;
}

/* Adds cnt programs, of which the last one is the most expensive. */
static struct report *make_many(int cnt)
{
	struct report *r = make_base();
	char name[16];

	for (int i = 1; i <= cnt; i++) {
		snprintf(name, sizeof(name), "prog_%d", i);
		add_program(r, i, name, "xdp", 100 * i, 5);
	}
	return r;
}

/* Shows a report of programs; some of them run. */
static void show(struct top *t, struct report *r)
{
	struct top_stats with = stats;

	for (int i = 0; i < r->prog_cnt; i++)
		with.running += (r->prog[i].all.runs || r->prog[i].all.at_least) &&
				!r->prog[i].subprog && !r->prog[i].by_retval;
	with.unprobed = r->prog_cnt && !report__probed(r);
	top__set_report(t, r, &with);
}

static struct top *make_top(void)
{
	struct top *t = top__new();

	assert_non_null(t);
	show(t, make_report(1));
	return t;
}

static const char *find_attached(void *arg, __u32 id)
{
	return id == 42 ? "xdp eth0 native" : id == 57 ? "tc veth0 ingress, tc veth1 ingress" : "";
}

static char *render(struct top *t, int width, int height, bool color, int *cursor)
{
	const struct screen screen = {.width = width, .color = color};
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	top__render(t, &screen, height, out, cursor);
	fclose(out);
	return text;
}

static void assert_screen(struct top *t, int width, int height, const char *name)
{
	char path[64];
	int cursor;

	snprintf(path, sizeof(path), "top/%s", name);
	assert_shown(path, "txt", render(t, width, height, false, &cursor));
}

/* Returns the n-th line of the screen, counted from 0, in a static buffer. */
static const char *line_of(struct top *t, int n)
{
	static char line[512];
	int cursor;
	char *text = render(t, 100, 24, false, &cursor);
	const char *s = text;

	for (int i = 0; s && i < n; i++)
		s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL;
	snprintf(line, sizeof(line), "%.*s", s ? (int)strcspn(s, "\n") : 0, s ?: "");
	free(text);
	return line;
}

/* Returns the first row of the table. */
static const char *first_row(struct top *t)
{
	return line_of(t, 6);
}

static void press_all(struct top *t, const char *keys)
{
	for (; *keys; keys++)
		top__press(t, *keys);
}

static void test_screens(void **state)
{
	struct top *t = make_top();

	assert_screen(t, 80, 24, "list_80");
	assert_screen(t, 120, 40, "list_120");
	assert_screen(t, 200, 20, "list_200");
	assert_screen(t, 250, 12, "list_250");
	assert_screen(t, 40, 10, "list_40");
	top__set_attached(t, find_attached, NULL);
	assert_screen(t, 140, 10, "attached");
	assert_screen(t, 250, 10, "attached_250");
	press_all(t, "i");
	assert_screen(t, 80, 14, "idle");
	press_all(t, "?");
	assert_screen(t, 80, 40, "help");
	top__free(t);
}

/* Tests which columns there are if all programs are measured by probes. */
static void test_method(void **state)
{
	struct top *t = top__new();

	show(t, make_many(2));
	assert_screen(t, 80, 9, "probed_80");
	assert_screen(t, 160, 9, "probed_160");
	top__free(t);
}

/* Before the first interval, without programs, and with colours. */
static void test_states(void **state)
{
	struct top *t = top__new();
	int cursor;

	assert_screen(t, 80, 24, "begin");
	assert_int_equal(top__selected(t), 0);
	assert_null(top__rows(t));
	assert_int_equal(top__press(t, 'o'), TOP_NOTHING);
	assert_string_equal(line_of(t, 0), "nothing is measured yet");
	/* there is no program to show */
	assert_int_equal(top__press(t, TOP_KEY_ENTER), TOP_NOTHING);
	show(t, make_base());
	assert_string_equal(line_of(t, 3), "wait for the first numbers");
	press_all(t, "j");
	assert_screen(t, 80, 24, "empty");
	show(t, make_report(1));
	assert_shown("top/color", "txt", render(t, 120, 24, true, &cursor));
	assert_int_equal(cursor, 6);
	top__set_message(t, "program 99: it went away");
	assert_string_equal(line_of(t, 3), "program 99: it went away");
	/* a key removes it */
	press_all(t, " ");
	assert_string_equal(line_of(t, 3), "");
	assert_true(top__is_paused(t));
	assert_non_null(strstr(line_of(t, 2), "PAUSED"));
	for (const char *key = "bi"; *key; key++) {
		assert_int_equal(top__press(t, *key), TOP_NOTHING);
		assert_string_equal(t->message, "not while paused: press Space first");
	}
	assert_false(t->mark_base || t->idle);
	top__free(t);
}

/* Names cannot harm the terminal, whatever is typed or loaded. */
static void test_hostile(void **state)
{
	struct report *r = make_base();
	struct top *t = top__new();

	add_program(r, 1, "\033]0;title\007evil\nname", "x\033[31mp", 10, 5);
	show(t, r);
	top__set_message(t, "it is called \033[2J");
	assert_screen(t, 80, 12, "hostile");
	top__free(t);
}

static void assert_first(struct top *t, __u32 id)
{
	assert_int_equal(atoi(first_row(t)), id);
}

static void test_sort(void **state)
{
	struct top *t = make_top();

	assert_first(t, 57); /* by CPU share */
	press_all(t, ">");   /* mean */
	assert_first(t, 57);
	press_all(t, "<<"); /* runs/s */
	assert_first(t, 42);
	top__sort_by(t, "NAME");
	press_all(t, "<"); /* id */
	assert_first(t, 7);
	press_all(t, "<"); /* beyond the first is the last one */
	assert_non_null(strstr(line_of(t, 2), "sorted by max"));
	for (int i = 0; top__column(i); i++)
		top__press(t, '>');
	assert_non_null(strstr(line_of(t, 2), "sorted by max"));
	top__free(t);
}

/* An event without columns is named where 80 characters have room for it. */
static void test_unsupported(void **state)
{
	struct report *r = make_report(1);
	struct top *t = top__new();
	int cursor;
	char *text;

	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].all.event_cnt > 1)
			set_status(&r->prog[i].all.event[1], EVENT_NOT_SUPPORTED, NULL);
	show(t, r);
	top__press(t, 'b');
	text = render(t, 80, 24, false, &cursor);
	assert_non_null(strstr(text, "skipped; instructions not supported"));
	free(text);
	top__free(t);
}

/*
 * The lines above the list count programs, not rows: a row of a sum and an entry of skipped programs can stand for
 * many programs. The number of probes includes those of idle programs, whose rows are hidden.
 */
static void test_head(void **state)
{
	struct top *t = top__new();
	struct report *r = make_base();
	struct top_stats with = stats;

	set_method(add_prog(r, 7, "sys_enter", "sys_enter", 500), "run_stats");
	r->prog[0].programs = 300;
	add_skip(r, 8, "tmp", "short_lived", "was unloaded again");
	r->skip[0].more = 499;
	with.running = 299;
	with.cpus = "0,2-3";
	top__set_report(t, r, &with);
	assert_non_null(strstr(line_of(t, 0), "% of CPUs 0,2-3, "));
	assert_non_null(strstr(line_of(t, 1), "BPROF  probes add "));
	assert_non_null(strstr(line_of(t, 2), "500 programs: 299 running, 201 idle, 500 skipped"));
	assert_int_equal(top__press(t, 'r'), TOP_DIVIDE);
	with.unprobed = true;
	top__set_report(t, make_base(), &with);
	assert_non_null(strstr(line_of(t, 1), "BPROF  no probes, "));
	top__free(t);
}

/* Each event has columns if the screen has room for them. */
static void test_events(void **state)
{
	const struct screen all = {};
	struct top *t = top__new();
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 10);
	char name[16], *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	for (int i = 0; i < 17; i++) {
		snprintf(name, sizeof(name), "event-%d", i);
		add_event(&p->all, name, i + 1);
	}
	show(t, r);
	top__print(t, &all, out);
	fclose(out);
	for (int i = 0; i < 17; i++) {
		snprintf(name, sizeof(name), "event-%d", i);
		assert_non_null(strstr(text, name));
	}
	free(text);
	top__free(t);
}

/* An empty list says why: there are no numbers yet, nothing matches the selection, or no program runs. */
static void test_nothing(void **state)
{
	struct top_stats none = stats;
	struct top *t = top__new();
	int cursor;
	char *text;

	none.programs = 0;
	top__press(t, TOP_KEY_ENTER);
	assert_string_equal(t->message, "wait for the first numbers");
	top__set_report(t, make_base(), &none);
	top__press(t, TOP_KEY_ENTER);
	assert_string_equal(t->message, "no program is selected");
	text = render(t, 80, 24, false, &cursor);
	assert_non_null(strstr(text, "\nno loaded program matches\n"));
	free(text);
	show(t, make_base());
	text = render(t, 80, 24, false, &cursor);
	assert_non_null(strstr(text, "\nno program runs\n"));
	free(text);
	top__free(t);
}

/* After a key changes the order, the screen shows the first rows, and the first row is selected. */
static void test_new_order(void **state)
{
	struct top *t = top__new();

	show(t, make_many(21));
	assert_string_equal(line_of(t, 3), "rows 1-17 of 21");
	assert_first(t, 21);
	top__press(t, TOP_KEY_END);
	assert_string_equal(line_of(t, 3), "rows 5-21 of 21");
	press_all(t, "<");
	assert_string_equal(line_of(t, 3), "rows 1-17 of 21");
	assert_first(t, 21);
	assert_int_equal(top__selected(t), 21);
	/* the first row is also selected if a search selected another one, and in reverse order */
	press_all(t, "/prog_10\r");
	top__press(t, TOP_KEY_ENTER);
	press_all(t, "R");
	assert_first(t, 1);
	assert_int_equal(top__selected(t), 1);
	assert_non_null(strstr(line_of(t, 2), "sorted by runs/s of 5 s, reversed"));
	/* a new order also selects the new first row if a page about the old one was open before */
	top__press(t, TOP_KEY_ENTER);
	top__press(t, TOP_KEY_ESCAPE);
	press_all(t, "R");
	assert_first(t, 21);
	assert_null(strstr(line_of(t, 2), "reversed"));
	/* messages hide the text that says which rows the screen has */
	top__set_message(t, "a message");
	assert_string_equal(line_of(t, 3), "a message");
	top__free(t);
}

/* Adds an interval with a steady program and, if runs is not 0, a second program with this number of runs. */
static void add_interval_of_two(struct top *t, __u64 runs)
{
	struct report *r = make_base();

	add_program(r, 1, "steady", "xdp", 1000, 100);
	if (runs)
		add_program(r, 2, "uneven", "xdp", runs, 100);
	show(t, r);
}

/*
 * A single interval does not change the order of rows, but rows show the numbers of this interval.
 */
static void test_order_of_means(void **state)
{
	const struct screen screen = {.width = 100};
	struct top *t = top__new();
	char *text = NULL;
	size_t sz;
	FILE *out;

	for (int i = 0; i < 12; i++) {
		add_interval_of_two(t, i % 3 ? 0 : 1900);
		if (i)
			assert_first(t, 1);
	}
	add_interval_of_two(t, 1900);
	assert_first(t, 1); /* program 2 has run in two of the last five intervals */
	assert_non_null(strstr(first_row(t), "997"));
	assert_non_null(strstr(line_of(t, 7), "1,894"));
	assert_non_null(strstr(line_of(t, 2), "sorted by cpu% of 5 s"));
	add_interval_of_two(t, 1900);
	assert_first(t, 2);
	/* means of runs leave out intervals without a run */
	press_all(t, ">");
	assert_non_null(strstr(line_of(t, 2), "sorted by mean of 5 s"));
	for (int i = 0; i < 4; i++)
		add_interval_of_two(t, 0);
	assert_int_equal(t->recent.cnt, 2);
	assert_true(t->recent.row[1].v[2][4] == 100); /* slot 4 of MEAN is the oldest one */
	/* a program that has not run for two minutes is removed */
	for (int i = 0; i < 130; i++)
		add_interval_of_two(t, 0);
	assert_int_equal(t->recent.cnt, 1);
	/* text columns have no mean of 5 s */
	top__sort_by(t, "name");
	assert_non_null(strstr(line_of(t, 2), "sorted by name;"));
	/* lines for a file are sorted by the numbers of their own interval */
	top__sort_by(t, "cpu%");
	add_interval_of_two(t, 1900);
	assert_first(t, 1);
	out = open_memstream(&text, &sz);
	top__print(t, &screen, out);
	fclose(out);
	assert_non_null(strstr(text, "sorted by cpu%;"));
	assert_true(strstr(text, "uneven") < strstr(text, "steady"));
	free(text);
	top__free(t);
}

static void add_interval_of_ns(struct top *t, __u64 ns, double share)
{
	struct report *r = make_base();

	r->elapsed_ns = ns;
	add_program(r, 1, "steady", "xdp", 1000, 100);
	add_program(r, 2, "other", "xdp", 1000, 100);
	r->prog[1].all.cpu_share = share;
	r->prog[1].all.share_estimated = false;
	show(t, r);
}

static void assert_graph(struct top *t, const char *graph, double peak)
{
	char buf[TOP_GRAPH_SZ];

	assert_true(fabs(top_recent__graph(&t->recent, 2, buf) - peak) < 1e-9);
	assert_string_equal(buf, graph);
}

/* The graph of the CPU share in the last two minutes. Each cell stands for 7.5 s. */
static void test_graph(void **state)
{
	const __u64 sec = 1000 * NSEC_PER_MSEC;
	struct top *t = top__new();
	char buf[TOP_GRAPH_SZ];

	assert_true(isnan(top_recent__graph(&t->recent, 2, buf)));
	add_interval_of_ns(t, 5 * sec, 0.1);
	assert_graph(t, "               █", 0.1);
	add_interval_of_ns(t, 5 * sec, 0.4); /* half of it is in the first cell: 0.2 on average */
	assert_graph(t, "              ▅█", 0.4);
	add_interval_of_ns(t, 20 * sec, 0.8);
	assert_graph(t, "           ▃▇██ ", 0.8);
	add_interval_of_two(t, 0);
	add_interval_of_ns(t, 7 * sec, 0.001); /* small, and yet not nothing */
	assert_graph(t, "          ▃▇██▂▂", 0.8);
	/* a function that did not run in a cell, and one whose share is not known */
	for (int i = 0; i < 15; i++)
		add_interval_of_two(t, 0);
	add_interval_of_ns(t, 4 * sec, NAN);
	assert_graph(t, "        ▃▇██▂▂▁?", 0.8);
	assert_screen(t, 200, 8, "graph");
	top__press(t, TOP_KEY_DOWN);
	top__press(t, TOP_KEY_ENTER);
	assert_screen(t, 80, 8, "graph_page");
	top__set_message(t, "a message");
	assert_string_equal(line_of(t, 1), "a message");
	setlocale(LC_CTYPE, "C");
	assert_graph(t, "        -%##.._?", 0.8);
	setlocale(LC_CTYPE, "C.UTF-8");
	/* all earlier intervals are more than two minutes ago */
	add_interval_of_ns(t, 500 * sec, 0.2);
	assert_graph(t, "████████████████", 0.2);
	top__free(t);
}

/* Times that were not measured, and the time before the start, are blank. A share of 0 is not blank. */
static void test_graph_gap(void **state)
{
	const __u64 cell = TOP_CELL_NS;
	struct top *t = top__new();

	add_interval_of_ns(t, 2 * cell, 0.4);
	top__skip(t, 2 * cell);
	add_interval_of_ns(t, cell, 0);
	add_interval_of_ns(t, cell - 1, 0.2);
	assert_graph(t, "          ██  ▁▅", 0.4);
	/* if only a half of a cell's time was measured, the cell shows the mean of that half */
	top__skip(t, cell / 2);
	add_interval_of_ns(t, cell / 2, 0.2);
	assert_graph(t, "         ██  ▁▅▅", 0.4);
	top__free(t);
}

/* An interval with percentiles of program 2; NaN: it did not run. */
static void add_interval_of_p99(struct top *t, double p99)
{
	struct report *r = make_base();

	add_program(r, 1, "steady", "xdp", 1000, 100);
	if (!isnan(p99)) {
		add_program(r, 2, "uneven", "xdp", 1000, 100);
		r->prog[1].all.event[0].stat[STAT_P50] = p99 / 2;
		r->prog[1].all.event[0].stat[STAT_P99] = p99;
	}
	show(t, r);
}

static void test_bars(void **state)
{
	struct top *t = top__new();
	char buf[TOP_BARS_SZ];

	add_interval_of_p99(t, 700);
	add_interval_of_p99(t, 300);
	add_interval_of_p99(t, NAN);
	top__skip(t, 1);
	add_interval_of_p99(t, 100);
	assert_true(top_recent__bars(&t->recent, 2, 1, 6, buf) == 700);
	assert_string_equal(buf, " █▄  ▂");
	assert_true(top_recent__bars(&t->recent, 2, 0, 4, buf) == 150);
	assert_string_equal(buf, "█  ▄");
	assert_true(isnan(top_recent__bars(&t->recent, 3, 0, 4, buf)));
	assert_true(isnan(top_recent__bars(&t->recent, 2, 0, -1, buf)));
	top__press(t, TOP_KEY_DOWN);
	top__press(t, TOP_KEY_ENTER);
	assert_screen(t, 70, 16, "bars");
	/* a screen that has no room for 60 intervals shows the highest value of those that it has */
	for (int i = 0; i < 40; i++)
		add_interval_of_p99(t, 100);
	assert_screen(t, 70, 16, "bars_narrow");
	for (int i = 0; i < 50; i++)
		add_interval_of_p99(t, 100);
	assert_true(top_recent__bars(&t->recent, 2, 1, TOP_BARS, buf) == 100);
	assert_screen(t, 70, 15, "bars_low");
	top__skip(t, 1); /* where there was a bar 60 intervals ago */
	top_recent__bars(&t->recent, 2, 1, 2, buf);
	assert_string_equal(buf, "█ ");
	top__free(t);
}

/* ---- columns and the mouse ---- */

static void assert_refused(struct top *t, const char *list, const char *why)
{
	char *wrong = top__choose_columns(t, list);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, why));
	free(wrong);
}

static void assert_columns(struct top *t, const char *list)
{
	char *columns = top__columns(t);

	assert_string_equal(columns, list);
	free(columns);
}

#define EVERY_COLUMN "id,name,type,method,attached,runs/s,cpu%,history,mean,change,p99,max"

static void test_columns(void **state)
{
	struct top *t = make_top();

	assert_columns(t, EVERY_COLUMN);
	assert_null(top__choose_columns(t, "P99,name,CPU%"));
	assert_columns(t, "name,cpu%,p99");
	assert_screen(t, 80, 10, "columns");
	/* without columns of events, the rows are on the same lines as with them */
	assert_null(top__choose_columns(t, "name,runs/s"));
	assert_screen(t, 80, 10, "columns_without_events");
	assert_refused(t, "name,nme", "no column 'nme'; there are " EVERY_COLUMN);
	assert_refused(t, "", "no column ''");
	assert_refused(t, "name,", "no column ''");
	assert_refused(t, "cpu", "no column 'cpu'");
	assert_refused(t, "\033[2J", "no column '\\x1b[2J'");
	assert_columns(t, "name,runs/s");
	/* the last event column stays on a narrow screen */
	assert_null(top__choose_columns(t, "id,name,type,method,runs/s,cpu%,p99"));
	assert_screen(t, 40, 10, "columns_narrow");
	top__free(t);
}

static void test_column_page(void **state)
{
	struct top *t = make_top();

	assert_int_equal(top__press(t, 'f'), TOP_PAGE);
	assert_int_equal(top__press(t, TOP_KEY_DOWN), TOP_NOTHING);
	assert_int_equal(top__press(t, 'j'), TOP_NOTHING);
	assert_int_equal(top__press(t, ' '), TOP_REMEMBER);
	assert_screen(t, 80, 16, "column_page");
	assert_columns(t, "id,name,method,attached,runs/s,cpu%,history,mean,change,p99,max");
	top__press(t, TOP_KEY_END);
	assert_int_equal(top__press(t, TOP_KEY_ENTER), TOP_REMEMBER);
	assert_screen(t, 60, 8, "column_page_low");
	top__press(t, TOP_KEY_HOME);
	assert_int_equal(top__press(t, 'k'), TOP_NOTHING);
	assert_int_equal(top__press(t, ' '), TOP_REMEMBER);
	assert_columns(t, "name,method,attached,runs/s,cpu%,history,mean,change,p99");
	/* the mouse: the third line is the first column */
	line_of(t, 0);
	assert_int_equal(top__click(t, 5, 2), TOP_REMEMBER);
	assert_int_equal(top__click(t, 5, 1), TOP_NOTHING);
	assert_int_equal(top__click(t, 5, 2 + TOP_COL_CNT), TOP_NOTHING);
	assert_columns(t, "id,name,method,attached,runs/s,cpu%,history,mean,change,p99");
	assert_int_equal(top__press(t, TOP_KEY_ESCAPE), TOP_PAGE);
	/* one column has to stay */
	assert_null(top__choose_columns(t, "id"));
	press_all(t, "f");
	top__press(t, TOP_KEY_HOME);
	assert_int_equal(top__press(t, ' '), TOP_NOTHING);
	assert_string_equal(line_of(t, 1), "one column has to stay");
	assert_columns(t, "id");
	top__free(t);
}

/* Clicks where a text begins on a line of a screen with 100 columns. */
static enum top_action click(struct top *t, int y, const char *text)
{
	const char *line = line_of(t, y), *s = strstr(line, text);

	assert_non_null(s);
	return top__click(t, s - line, y);
}

static void test_click(void **state)
{
	struct top *t = make_top();
	int x;

	click(t, 5, "RUNS/S");
	assert_non_null(strstr(line_of(t, 2), "sorted by runs/s of 5 s;"));
	click(t, 5, "RUNS/S");
	assert_non_null(strstr(line_of(t, 2), "sorted by runs/s of 5 s, reversed;"));
	click(t, 5, "P99"); /* of the first event */
	assert_non_null(strstr(line_of(t, 2), "sorted by p99 of 5 s;"));
	/* clicks on both lines of titles, and on their blanks */
	x = strstr(line_of(t, 5), "NAME") - line_of(t, 5);
	top__click(t, x - 1, 4);
	assert_non_null(strstr(line_of(t, 2), "sorted by name;"));
	/* on a column of the second event */
	top__click(t, 99, 5);
	assert_non_null(strstr(line_of(t, 3), "of this event, only by that of the first one"));
	top__click(t, 1000, 5);
	assert_string_equal(line_of(t, 3), "");
	/* rows: the selection follows the program */
	top__sort_by(t, "cpu%");
	top__arrange(t);
	top__click(t, 3, 8);
	assert_int_equal(top__selected(t), 7);
	top__click(t, 3, 6);
	assert_int_equal(top__selected(t), 57);
	top__click(t, 3, 20);
	top__click(t, 3, -1);
	assert_int_equal(top__selected(t), 57);
	top__press(t, TOP_KEY_WHEEL_DOWN);
	assert_int_equal(top__selected(t), 1003);
	top__press(t, TOP_KEY_WHEEL_UP);
	assert_int_equal(top__selected(t), 57);
	/* clicks do nothing while the user types, and on pages */
	press_all(t, "/");
	top__click(t, 3, 7);
	assert_int_equal(top__selected(t), 57);
	top__press(t, TOP_KEY_ESCAPE);
	top__press(t, TOP_KEY_ENTER);
	line_of(t, 0);
	top__click(t, 3, 7);
	assert_int_equal(top__selected(t), 57);
	top__free(t);
}

/* Unknown numbers are last in both orders. Columns of text can be reversed, too. */
static void test_reverse(void **state)
{
	struct top *t = top__new();
	struct report *r = make_many(3);

	r->prog[1].all.cpu_share = NAN;
	show(t, r);
	assert_first(t, 3);
	assert_int_equal(t->rows.prog[2].id, 2);
	press_all(t, "R");
	assert_first(t, 1);
	assert_int_equal(t->rows.prog[2].id, 2);
	top__sort_by(t, "name");
	top__arrange(t);
	assert_first(t, 3);
	top__free(t);
}

/* Opening the page of a program does not change whether a row is selected. */
static void test_look(void **state)
{
	struct top *t = make_top();

	press_all(t, "/firewall");
	top__press(t, TOP_KEY_ENTER);
	assert_true(t->chosen);
	top__press(t, TOP_KEY_ENTER);
	top__press(t, TOP_KEY_ESCAPE);
	assert_true(t->chosen);
	top__sort_by(t, "runs/s");
	top__arrange(t);
	assert_int_equal(top__selected(t), 57);
	top__free(t);
}

/* Each key that does nothing says so. */
static void test_unknown_keys(void **state)
{
	struct top *t = make_top();

	press_all(t, "s");
	assert_string_equal(line_of(t, 3), "key s does nothing: ? shows all keys");
	top__press(t, 0x20ac);
	assert_string_equal(line_of(t, 3), "key \xe2\x82\xac does nothing: ? shows all keys");
	top__press(t, TOP_KEY_OTHER);
	assert_string_equal(line_of(t, 3), "this key does nothing: ? shows all keys");
	press_all(t, "\x01");
	assert_string_equal(line_of(t, 3), "this key does nothing: ? shows all keys");
	press_all(t, "?b");
	assert_string_equal(line_of(t, 1), "key b works on the list only: Esc goes back to it");
	top__press(t, TOP_KEY_ESCAPE);
	assert_string_equal(line_of(t, 3), "");
	top__free(t);
}

/* A screen that has no room for the list and its keys says which size it needs. */
static void test_too_small(void **state)
{
	static const struct {
		int width, height;
		const char *text;
	} sizes[] = {
		{20, 3, "needs 40x8\ncharacters: this\nterminal has 20x3\n"},
		{39, 24, "needs 40x8 characters: this terminal\nhas 39x24\n"},
		{100, 7, "needs 40x8 characters: this terminal has 100x7\n"},
		{60, 1, "needs 40x8 characters: this terminal has 60x1\n"},
	};
	struct top *t = make_top();
	int cursor;

	for (int page = 0; page < 2; page++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			char *text = render(t, sizes[i].width, sizes[i].height, false, &cursor);

			assert_string_equal(text, sizes[i].text);
			assert_int_equal(cursor, -1);
			free(text);
		}
		press_all(t, "?");
	}
	top__press(t, TOP_KEY_ESCAPE);
	free(render(t, 40, 8, false, &cursor));
	assert_int_equal(cursor, 6);
	top__free(t);
}

/* Messages stay until the next key. Their page keeps all of them. */
static void test_messages(void **state)
{
	struct top *t = make_top();
	char *text;
	int cursor;

	press_all(t, "m");
	assert_string_equal(line_of(t, 2), "no messages so far");
	top__press(t, TOP_KEY_ESCAPE);
	top__add_message(t, "cycles cannot be counted here");
	assert_string_equal(line_of(t, 3), "cycles cannot be counted here");
	text = render(t, 40, 8, false, &cursor);
	assert_null(strstr(text, "all messages"));
	free(text);
	top__add_message(t, "program 99: it went away");
	assert_string_equal(line_of(t, 3), "program 99: it went away (m: all messages)");
	press_all(t, "j");
	assert_string_equal(line_of(t, 3), "");
	/* a message that is too long for the screen */
	top__add_message(t, "program 98: its probe cannot be attached again, because something "
			    "has happened that takes a long sentence to explain");
	assert_string_equal(line_of(t, 3), "program 98: its probe cannot be attached \xe2\x80\xa6"
					   "ed that takes a long "
					   "sentence to explain (m: all messages)");
	press_all(t, "m");
	assert_screen(t, 80, 10, "messages");
	/* a message that comes while the page is open */
	top__add_message(t, "program 97: it went away, too");
	assert_string_equal(line_of(t, 6), "program 97: it went away, too");
	assert_int_equal(top__press(t, TOP_KEY_ESCAPE), TOP_PAGE);
	/* the oldest messages are dropped */
	for (int i = 0; i < 2000; i++)
		top__add_message(t, "program 1: one of very many messages");
	assert_true(strlen(t->log) < 21000);
	assert_null(strstr(t->log, "99"));
	assert_int_equal(strncmp(t->log, "program 1: ", 11), 0);
	top__free(t);
}

static void test_filter(void **state)
{
	struct top *t = make_top();

	press_all(t, "\\XDP_F");
	assert_string_equal(line_of(t, 3), "filter: XDP_F_");
	assert_first(t, 57);
	assert_int_equal(t->rows.prog_cnt, 1);
	/* while the filter is typed, keys are text */
	press_all(t, "q");
	assert_int_equal(t->rows.prog_cnt, 0);
	assert_string_equal(line_of(t, 4), "no program matches the filter");
	top__press(t, TOP_KEY_BACKSPACE);
	assert_int_equal(top__press(t, TOP_KEY_ENTER), TOP_NOTHING);
	assert_int_equal(t->rows.prog_cnt, 1);
	assert_non_null(strstr(line_of(t, 2), "filter 'XDP_F'"));
	/* Esc ends the filter */
	press_all(t, "\\");
	assert_string_equal(line_of(t, 3), "filter: XDP_F_");
	top__press(t, TOP_KEY_ESCAPE);
	assert_int_equal(t->rows.prog_cnt, 4);
	press_all(t, "\\run_stats");
	assert_first(t, 7);
	top__free(t);
}

static void test_filter_utf8(void **state)
{
	struct top *t = make_top();

	press_all(t, "\\");
	top__press(t, 0xe4); /* a-umlaut */
	assert_string_equal(t->input, "\xc3\xa4");
	top__press(t, TOP_KEY_BACKSPACE);
	assert_string_equal(t->input, "");
	top__press(t, TOP_KEY_BACKSPACE);
	top__press(t, TOP_KEY_UP); /* no character */
	assert_string_equal(t->input, "");
	for (int i = 0; i < 200; i++)
		top__press(t, 0x20ac);
	assert_int_equal(strlen(t->input), 63); /* no half character */
	top__free(t);
}

static void test_search(void **state)
{
	struct top *t = make_top();
	int cursor;

	press_all(t, "/sys");
	assert_string_equal(line_of(t, 3), "search: sys_");
	top__press(t, TOP_KEY_ENTER);
	assert_int_equal(top__selected(t), 7);
	/* the key n finds the next program, and after the last one the first one */
	press_all(t, "/xdp");
	top__press(t, TOP_KEY_ENTER);
	assert_int_equal(top__selected(t), 57);
	press_all(t, "n");
	assert_int_equal(top__selected(t), 42);
	press_all(t, "n");
	assert_int_equal(top__selected(t), 57);
	free(render(t, 80, 24, false, &cursor));
	assert_int_equal(cursor, 6);
	press_all(t, "/nothing of that name");
	top__press(t, TOP_KEY_ENTER);
	assert_string_equal(line_of(t, 3), "nothing found");
	press_all(t, "/x");
	top__press(t, TOP_KEY_ESCAPE);
	assert_int_equal(t->prompt, 0);
	top__free(t);
}

/* The selection stays with its program when rows move. If it is at the top, it stays at the top. */
static void test_selection(void **state)
{
	struct top *t = make_top();
	int cursor;

	assert_int_equal(top__selected(t), 57);
	top__sort_by(t, "runs/s");
	top__arrange(t);
	assert_int_equal(top__selected(t), 42);
	press_all(t, "j");
	assert_int_equal(top__selected(t), 57);
	top__sort_by(t, "cpu%");
	top__arrange(t);
	assert_int_equal(top__selected(t), 57);
	press_all(t, "jjjjjjj");
	assert_int_equal(top__selected(t), 1003);
	free(render(t, 80, 9, false, &cursor)); /* room for two rows */
	assert_int_equal(cursor, 7);
	top__press(t, TOP_KEY_PAGE_UP);
	top__press(t, TOP_KEY_HOME);
	assert_int_equal(top__selected(t), 57);
	top__press(t, TOP_KEY_END);
	assert_int_equal(top__selected(t), 1003);
	/* if the selected program is gone, the nearest row is selected */
	show(t, make_two_programs(0));
	assert_int_equal(top__selected(t), 42);
	show(t, make_base());
	assert_int_equal(top__selected(t), 0);
	top__free(t);
}

/* Adds cnt intervals whose means vary a little; with replaced, another program is called xdp_lb. */
static void add_intervals(struct top *t, int cnt, double scale, bool replaced)
{
	for (int i = 0; i < cnt; i++) {
		struct report *r = make_report(scale * (1 + i % 5 * 0.002));

		if (replaced)
			r->prog[0].id = 43;
		show(t, r);
	}
}

static const struct report_event *event_of(struct top *t, __u32 id)
{
	for (int i = 0; i < t->report->prog_cnt; i++)
		if (t->report->prog[i].id == id)
			return &t->report->prog[i].all.event[0];
	fail_msg("no program %u", id);
	return NULL;
}

static void press_baseline(struct top *t)
{
	assert_int_equal(top__press(t, 'b'), TOP_READ);
	assert_non_null(strstr(line_of(t, 3), "CHANGE compares"));
	/* the interval that ends now is the last one before the baseline */
	assert_false(t->compared);
	add_intervals(t, 1, 1, false);
	assert_true(t->compared);
	top__set_message(t, NULL);
}

/* CHANGE compares the time since the baseline with the time before, also for a replaced program. */
static void test_baseline(void **state)
{
	struct top *t = top__new();

	add_intervals(t, 39, 1, false);
	press_baseline(t);
	assert_null(event_of(t, 42)->change);
	/* too few intervals for a verdict */
	add_intervals(t, 5, 1.5, true);
	assert_string_equal(event_of(t, 43)->change->verdict, "inconclusive");
	assert_screen(t, 120, 14, "baseline_early");
	add_intervals(t, 25, 1.5, true);
	assert_string_equal(event_of(t, 43)->change->verdict, "worse");
	assert_int_equal(event_of(t, 43)->change->from, 42);
	assert_string_equal(event_of(t, 57)->change->verdict, "worse");
	assert_string_equal(event_of(t, 1003)->change->verdict,
			    "same"); /* its cost never differs */
	assert_screen(t, 120, 14, "baseline");
	/* the key b ends the comparison */
	assert_int_equal(top__press(t, 'b'), TOP_NOTHING);
	add_intervals(t, 1, 1, false);
	assert_null(strstr(line_of(t, 5), "CHANGE"));
	/* intervals after the old baseline are before the next one */
	add_intervals(t, 40, 1.5, false);
	press_baseline(t);
	add_intervals(t, 30, 0.9, false);
	assert_string_equal(event_of(t, 42)->change->verdict, "better");
	assert_int_equal(top__press(t, 'b'), TOP_NOTHING);
	top__free(t);
}

static void add_alike(struct top *t, int intervals, double scale)
{
	for (int i = 0; i < intervals; i++) {
		struct report *r = make_base();

		for (int id = 1; id <= 5; id++)
			add_program(r, id, "xdp_alike", "xdp", 1000, (100 + i * i % 7) * scale);
		show(t, r);
	}
}

/* If all programs cost more, the third line says that the machine is slower. */
static void test_machine(void **state)
{
	struct top *t = top__new();

	add_alike(t, 40, 1);
	assert_int_equal(top__press(t, 'b'), TOP_READ);
	add_alike(t, 1, 1);
	top__set_message(t, NULL);
	add_alike(t, 30, 1.5);
	assert_string_equal(event_of(t, 1)->change->verdict, "inconclusive");
	assert_non_null(strstr(line_of(t, 2), "; the machine: most programs +50.0%"));
	assert_int_equal(top__press(t, 'b'), TOP_NOTHING);
	assert_null(strstr(line_of(t, 2), "the machine"));
	top__free(t);
}

/* Several programs with one name are each compared with their own past, also when replaced. */
static void test_same_names(void **state)
{
	struct top *t = top__new();

	add_alike(t, 40, 1);
	assert_int_equal(top__press(t, 'b'), TOP_READ);
	add_alike(t, 1, 1);
	for (int i = 0; i < 2; i++) {
		struct report *r = make_base();

		for (int id = 3; id <= 8; id++)
			add_program(r, id, "xdp_alike", "xdp", 1000, 100);
		show(t, r);
	}
	assert_int_equal(event_of(t, 3)->change->from, 3);
	assert_int_equal(event_of(t, 6)->change->from, 1);
	assert_int_equal(event_of(t, 7)->change->from, 2);
	assert_null(event_of(t, 8)->change); /* there is one program more than before */
	top__free(t);
}

/* A program that was replaced shortly before the baseline is compared with the version before. */
static void test_reloads(void **state)
{
	struct top *t = top__new();

	for (int id = 41; id <= 43; id++) {
		if (id == 43)
			assert_int_equal(top__press(t, 'b'), TOP_READ);
		for (int i = 0; i < 5; i++) {
			struct report *r = make_base();

			add_program(r, id == 43 && !i ? 42 : id, "xdp_lb", "xdp", 1000, 100);
			show(t, r);
		}
	}
	assert_int_equal(event_of(t, 43)->change->from, 42);
	top__free(t);
}

/* Colours as in bprof diff. */
static void test_change_colors(void **state)
{
	struct top *t = top__new();
	int cursor;

	add_intervals(t, 39, 1, false);
	press_baseline(t);
	add_intervals(t, 30, 1.5, false);
	assert_shown("top/baseline_color", "txt", render(t, 120, 14, true, &cursor));
	top__free(t);
}

/* Functions that ran long ago are forgotten; those of a baseline are not. */
static void test_history(void **state)
{
	struct top *t = top__new();

	for (int i = 0; i < 300; i++) {
		struct report *r = make_base();

		add_program(r, 1000 + i, "short_lived", "xdp", 100, 5);
		show(t, r);
	}
	assert_true(t->before.report->prog_cnt <= 2 * TOP_SERIES_MAX);
	add_intervals(t, TOP_SERIES_MAX + 10, 1, false);
	for (int i = 0; i < t->before.report->prog_cnt; i++)
		assert_true(t->before.past[i].event[0].cnt <= TOP_SERIES_MAX);
	press_baseline(t);
	for (int i = 0; i < 100; i++)
		show(t, make_base());
	add_intervals(t, 30, 1.5, false);
	assert_string_equal(event_of(t, 42)->change->verdict, "worse");
	top__free(t);
}

/* Adds the row of a return value, with this many measured runs. */
static void add_value(struct report *r, double retval, __u64 measured, double scale)
{
	struct report_prog *p;

	add_program(r, 42, "xdp_lb", "xdp", 8 * measured, scale);
	p = &r->prog[r->prog_cnt - 1];
	p->by_retval = true;
	p->retval = retval;
	p->all.likely_runs = measured ? 8 * measured : NAN;
}

/* xdp_lb returns XDP_PASS in 3 of 4 runs. */
static struct report *make_divided(void)
{
	struct report *r = make_base();

	r->by_retval = r->followed = true;
	r->thin_period = 0;
	add_program(r, 57, "xdp_firewall", "xdp", 1000, 90);
	add_program(r, 42, "xdp_lb", "xdp", 32000, 150);
	add_value(r, 2, 3000, 100);
	add_value(r, 3, 1000, 300);
	add_value(r, NAN, 0, 0); /* no measured run returned another value */
	return r;
}

static void test_divided(void **state)
{
	struct top *t = top__new();
	int cursor;

	assert_int_equal(top__press(t, 'r'), TOP_DIVIDE);
	show(t, make_divided());
	top__set_message(t, NULL);
	assert_screen(t, 120, 14, "divided");
	assert_int_equal(t->rows.prog_cnt, 4);
	/* each row of a program can be selected; the selected program is then the same */
	press_all(t, "jj");
	assert_int_equal(top__selected(t), 42);
	show(t, make_divided());
	free(render(t, 80, 24, false, &cursor));
	assert_int_equal(cursor, 8);
	press_all(t, "j");
	assert_int_equal(top__selected(t), 57);
	/* the rows of a program stay together in each order */
	top__sort_by(t, "mean");
	top__arrange(t);
	assert_false(t->rows.prog[0].by_retval);
	assert_true(t->rows.prog[1].by_retval && t->rows.prog[2].by_retval);
	assert_int_equal(top__press(t, 'r'), TOP_DIVIDE);
	top__free(t);
}

/* With --batch, top writes the rows of the list as a report, in which no run is counted twice. */
static void test_report(void **state)
{
	static const struct render_opts o = {.interval = true, .names = true, .header = true};
	struct top *t = top__new();
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	top__sort_by(t, "name");
	show(t, make_divided());
	assert_int_equal(top_write__report(top__rows_of_interval(t), report__render_csv, &o, out),
			 0);
	fclose(out);
	assert_memory_equal(text, "time,value,unit,event,", 22);
	assert_int_equal(count_parts(text, ",xdp_firewall,"), 2); /* events */
	assert_int_equal(count_parts(text, ",xdp_lb,"), 2 * 2);
	assert_true(strstr(text, ",xdp_firewall,") < strstr(text, ",xdp_lb,"));
	free(text);
	top__free(t);
}

/* What is about all rows of a program is in the first of those that are written. */
static void test_report_notes(void **state)
{
	static const struct render_opts o = {};
	struct top *t = top__new();
	struct report *r = make_divided();
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	report_notes__add(&r->prog[1].notes, "also probed by perf");
	r->prog[1].recursion_misses = 4711;
	show(t, r);
	assert_int_equal(top_write__report(top__rows(t), report__render_json, &o, out), 0);
	fclose(out);
	assert_int_equal(count_parts(text, "also probed by perf"), 1);
	assert_int_equal(count_parts(text, "4711"), 1);
	free(text);
	top__free(t);
}

/* The row of the runs that were not measured is only in files: there, the runs of all rows add up. */
static void test_unmeasured_row(void **state)
{
	struct top *t = top__new();
	struct report *r = make_divided();
	struct report_prog *p = &r->prog[r->prog_cnt - 1];

	p->unmeasured = true;
	p->all.runs = p->all.thinned_out = 28000;
	show(t, r);
	assert_int_equal(top__rows(t)->prog_cnt, 4);
	top__set_writing(t, true);
	assert_int_equal(top__rows(t)->prog_cnt, 5);
	assert_true(top__rows(t)->prog[4].unmeasured || top__rows(t)->prog[3].unmeasured);
	top__set_writing(t, false);
	assert_int_equal(top__rows(t)->prog_cnt, 4);
	top__free(t);
}

/* Makes a row in which no run was measured, because the probe was not attached in this interval. */
static void set_unmeasured(struct report_prog *p)
{
	p->all.measured = 0;
	p->all.cpu_share = p->all.likely_runs = NAN;
	p->all.share_estimated = false;
	for (int i = 0; i < p->all.event_cnt; i++)
		for (int id = 0; id < STAT_CNT; id++)
			p->all.event[i].stat[id] = NAN;
}

/* Unknown numbers are not shown as 0. */
static void test_unmeasured(void **state)
{
	struct top *t = top__new();
	struct report *r = make_divided();

	for (int i = 1; i < r->prog_cnt; i++)
		set_unmeasured(&r->prog[i]);
	assert_int_equal(top__press(t, 'r'), TOP_DIVIDE);
	show(t, r);
	top__set_message(t, NULL);
	assert_screen(t, 120, 14, "unmeasured");
	r = make_divided();
	for (int i = 0; i < r->prog_cnt; i++)
		set_unmeasured(&r->prog[i]);
	show(t, r);
	assert_string_equal(line_of(t, 0), "TOTAL  all BPF programs: -% of this machine (4 CPUs), "
					   "32,901 runs/s");
	/* a program without a seen run may have run nevertheless */
	r = make_divided();
	set_unmeasured(&r->prog[1]);
	r->prog[1].all.runs = 0;
	r->prog[1].all.at_least = true;
	show(t, r);
	assert_string_equal(line_of(t, 0),
			    "TOTAL  all BPF programs: at least 0.002% of this machine "
			    "(4 CPUs), 997 runs/s");
	assert_non_null(strstr(line_of(t, 2), "500 programs: 2 running, 498 idle"));
	top__free(t);
}

/* Raw numbers of a failed calibration are not shown as if they were net. */
static void test_uncalibrated(void **state)
{
	struct top *t = top__new();
	struct report *r = make_report(1);

	r->prog[0].uncalibrated = true;
	show(t, r);
	assert_non_null(
		strstr(line_of(t, 1), "BPROF  not calibrated, numbers are raw; probes add "));
	top__free(t);
}

/* Without probes, return values are not known. */
static void test_divide_refused(void **state)
{
	struct top *t = top__new();
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 7, "sys_enter", "sys_enter", 500);

	set_method(p, "run_stats");
	show(t, r);
	assert_int_equal(top__press(t, 'r'), TOP_NOTHING);
	assert_non_null(strstr(line_of(t, 3), "only known with probes"));
	/* an interval in which no program has run */
	show(t, make_base());
	assert_int_equal(top__press(t, 'r'), TOP_DIVIDE);
	top__free(t);
}

static char *make_lines(int cnt)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	for (int i = 1; i <= cnt; i++)
		fprintf(out, "line %d\n", i);
	fclose(out);
	return text;
}

static void test_pages(void **state)
{
	static const struct {
		int key;
		enum top_page page;
	} pages[] = {{TOP_KEY_ENTER, TOP_DETAIL},
		     {'t', TOP_TREE},
		     {'c', TOP_CALLS},
		     {'a', TOP_ANNOTATE}};
	struct top *t = make_top();

	press_all(t, "j");
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		assert_int_equal(top__press(t, pages[i].key), TOP_PAGE);
		assert_int_equal(top__page(t), pages[i].page);
		assert_int_equal(top__selected(t), 42);
		/* the page has no text yet */
		assert_non_null(strstr(line_of(t, 0), "program 42"));
		assert_int_equal(top__press(t, TOP_KEY_ESCAPE), TOP_PAGE);
		assert_int_equal(top__page(t), TOP_LIST);
	}
	top__press(t, TOP_KEY_ENTER);
	top__set_text(t, make_lines(30));
	assert_screen(t, 60, 10, "page");
	top__press(t, TOP_KEY_PAGE_DOWN);
	assert_screen(t, 60, 10, "page_scrolled");
	top__press(t, TOP_KEY_END);
	assert_non_null(strstr(line_of(t, 0), "line 12 of 30")); /* 19 lines fit */
	/* keys of the list do nothing here */
	assert_int_equal(top__press(t, '<'), TOP_NOTHING);
	assert_int_equal(top__press(t, 'b'), TOP_NOTHING);
	/* a shorter text */
	top__set_text(t, make_lines(2));
	assert_string_equal(line_of(t, 4), "line 1");
	/* from one page to another */
	assert_int_equal(top__press(t, 'a'), TOP_PAGE);
	assert_int_equal(top__page(t), TOP_ANNOTATE);
	assert_int_equal(top__selected(t), 42);
	assert_int_equal(top__press(t, TOP_KEY_ESCAPE), TOP_PAGE);
	assert_int_equal(top__press(t, TOP_KEY_ESCAPE), TOP_NOTHING);
	top__free(t);
}

static void test_actions(void **state)
{
	struct top *t = make_top();

	assert_int_equal(top__press(t, 'q'), TOP_QUIT);
	assert_int_equal(top__press(t, '+'), TOP_SLOWER);
	assert_int_equal(top__press(t, '='), TOP_SLOWER);
	assert_int_equal(top__press(t, '-'), TOP_FASTER);
	assert_false(top__shows_idle(t));
	assert_int_equal(top__press(t, 'i'), TOP_READ);
	assert_true(top__shows_idle(t));
	assert_int_equal(top__press(t, 'o'), TOP_WRITE);
	press_all(t, "\\xdp\r");
	top__press(t, TOP_KEY_ENTER);
	assert_int_equal(top__rows(t)->prog_cnt, 2); /* those of the screen */
	assert_int_equal(top__press(t, 'Z'), TOP_NOTHING);
	assert_int_equal(top__press(t, 0), TOP_NOTHING);
	top__free(t);
}

static void test_batch(void **state)
{
	struct top *t = make_top();
	const struct screen screen = {};
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	top__print(t, &screen, out);
	fclose(out);
	assert_shown("top/batch", "txt", text);
	top__free(t);
}

/* Presses random keys at random sizes, with reports that come and go. */
static void test_random(void **state)
{
	static const int keys[] = {'q',
				   '?',
				   't',
				   'a',
				   '<',
				   '>',
				   '\\',
				   '/',
				   'n',
				   ' ',
				   '+',
				   '-',
				   'b',
				   'r',
				   'i',
				   'j',
				   'k',
				   'x',
				   'd',
				   '\t',
				   TOP_KEY_UP,
				   TOP_KEY_DOWN,
				   0x20ac,
				   0,
				   '\n',
				   0xff,
				   -1,
				   '_',
				   '%',
				   'h',
				   'p',
				   'R',
				   'o',
				   'm',
				   'f',
				   TOP_KEY_WHEEL_UP,
				   TOP_KEY_WHEEL_DOWN,
				   TOP_KEY_PAGE_UP,
				   TOP_KEY_PAGE_DOWN};
	struct top *t = top__new();
	int cursor;

	srand(1);
	for (int i = 0; i < case_cnt(20000); i++) {
		int key = rand() % 3 ? keys[rand() % ARRAY_SIZE(keys)] : TOP_KEY_UP + rand() % 10,
		    height = rand() % 60 + 1;

		top__press(t, key);
		if (rand() % 5 == 0)
			top__click(t, rand() % 250, rand() % 60);
		if (rand() % 50 == 0)
			top__skip(t, rand());
		if (rand() % 50 == 0)
			top__set_text(t, rand() % 2 ? make_lines(rand() % 90) : NULL);
		if (rand() % 50 == 0)
			top__add_message(t, "program 1: a message of more than one word");
		if (rand() % 10 == 0) {
			struct report *r = rand() % 3 ? make_report(rand() % 9)
						      : make_two_programs(0);

			show(t, r);
		}
		free(render(t, rand() % 250 + 1, height, rand() % 2, &cursor));
		assert_true(cursor < height);
	}
	top__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),	       cmocka_unit_test(test_states),
		cmocka_unit_test(test_hostile),	       cmocka_unit_test(test_sort),
		cmocka_unit_test(test_filter),	       cmocka_unit_test(test_filter_utf8),
		cmocka_unit_test(test_search),	       cmocka_unit_test(test_selection),
		cmocka_unit_test(test_baseline),       cmocka_unit_test(test_reloads),
		cmocka_unit_test(test_change_colors),  cmocka_unit_test(test_history),
		cmocka_unit_test(test_head),	       cmocka_unit_test(test_events),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_report),	       cmocka_unit_test(test_divided),
		cmocka_unit_test(test_unmeasured),     cmocka_unit_test(test_unmeasured_row),
		cmocka_unit_test(test_report_notes),   cmocka_unit_test(test_uncalibrated),
		cmocka_unit_test(test_divide_refused), cmocka_unit_test(test_pages),
		cmocka_unit_test(test_actions),	       cmocka_unit_test(test_batch),
		cmocka_unit_test(test_method),	       cmocka_unit_test(test_random),
		cmocka_unit_test(test_graph),	       cmocka_unit_test(test_new_order),
		cmocka_unit_test(test_order_of_means), cmocka_unit_test(test_reverse),
		cmocka_unit_test(test_look),	       cmocka_unit_test(test_unknown_keys),
		cmocka_unit_test(test_too_small),      cmocka_unit_test(test_messages),
		cmocka_unit_test(test_machine),	       cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_graph_gap),      cmocka_unit_test(test_bars),
		cmocka_unit_test(test_columns),	       cmocka_unit_test(test_column_page),
		cmocka_unit_test(test_click),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
