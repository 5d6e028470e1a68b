// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the lines of bprof watch: unknown values are left out, and no name can send control
 * characters to a terminal.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#include <linux/bpf.h>

#include "base/table.h"
#include "json/trace_event.h"
#include "session/prog_watch.h"
#include "tests/unit/timeline.h"
#include "tests/unit/watch/watch_lines.h"
#include "watch/watch_print.h"

static const char *const funcs[] = {"xdp_lb", "parse"};

/* The time is 2026-01-01 12:00:00.250 UTC. */
static const struct prog_change load = {
	.kind = PROG_LOAD,
	.time_ns = 1234,
	.clock_ns = 1767268800250000000LL,
	.cpu = 2,
	.id = 42,
	.type = BPF_PROG_TYPE_XDP,
	.name = "xdp_lb",
	.tag = "0011223344556677",
	.xlated_bytes = 96,
	.jited_bytes = 80,
	.func = funcs,
	.func_cnt = 2,
	.pid = 7,
	.comm = "loader",
};

static void print_text(const struct prog_change *change, FILE *out)
{
	static const struct screen screen;
	struct table *t = watch_print__new(&screen);

	watch_print__text(t, &screen, change, out);
	table__free(t);
}

static char *print(void (*fn)(const struct prog_change *change, FILE *out),
		   const struct prog_change *change)
{
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	fn(change, out);
	fclose(out);
	return text;
}

static void assert_text(const struct prog_change *change, const char *want)
{
	char *text = print(print_text, change);

	assert_string_equal(text, want);
	free(text);
}

static void test_text(void **state)
{
	static const struct prog_change lost = {
		.kind = PROG_LOST, .clock_ns = 1767268800250000000LL, .cpu = 3, .lost = 17};
	struct prog_change gone = load;

	assert_text(&load,
		    "2026-01-01T12:00:00.250  load        42  xdp             xdp_lb               "
		    "     "
		    "0011223344556677      96      80  loader[7]               xdp_lb, parse\n");
	gone.type = -1;
	gone.name = gone.comm = "";
	gone.xlated_bytes = gone.jited_bytes = gone.func_cnt = gone.pid = 0;
	gone.gone = true;
	assert_text(&gone,
		    "2026-01-01T12:00:00.250  load        42  -               -                    "
		    "     "
		    "0011223344556677       -       -  -                       (unloaded before it "
		    "could be read)\n");
	gone.gone = false;
	gone.kind = PROG_UNLOAD;
	assert_text(&gone, "2026-01-01T12:00:00.250  unload      42  -               -             "
			   "            "
			   "0011223344556677       -       -  -\n");
	assert_text(&lost, "2026-01-01T12:00:00.250  lost    17 records of CPU 3\n");
}

/* A name cannot forge a field; lost records are a row, too. */
static void test_csv(void **state)
{
	static const struct prog_change lost = {
		.kind = PROG_LOST, .clock_ns = 1767268800250000000LL, .cpu = 3, .lost = 17};
	static const struct csv_style style = {.sep = ",", .header = true};
	static const struct screen screen;
	struct table *t = watch_print__new(&screen);
	struct prog_change change = load;
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	change.name = "a,\"b";
	change.xlated_bytes = 123456;
	change.jited_bytes = 0;
	watch_print__csv_names(t, &style, out);
	watch_print__csv(t, &style, &change, out);
	watch_print__csv(t, &style, &lost, out);
	fclose(out);
	assert_string_equal(
		text, "time,event,id,type,name,tag,xlated,jited,by,functions\n"
		      "2026-01-01T12:00:00.250Z,load,42,xdp,\"a,\"\"b\",0011223344556677,123456"
		      ",,loader[7],\"xdp_lb, parse\"\n"
		      "2026-01-01T12:00:00.250Z,lost,,,,,,,,17 records of CPU 3\n");
	free(text);
	table__free(t);
}

/* Columns are left out and names are shortened, so that each line fits the terminal. */
static void test_widths(void **state)
{
	static const char *const many[] = {"balance", "parse_ipv4_options", "parse_ipv6", "drop"};
	struct prog_change gone = load, big = load;

	big.id = 123456;
	big.name = "xdp_firewall_ingress_v2";
	big.type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	big.func = many;
	big.func_cnt = 4;
	big.comm = "systemd-networkd";
	big.xlated_bytes = 123456;
	gone.missed = true;
	for (int width = 80; width <= 200; width += width == 80 ? 20 : 100) {
		const struct screen screen = {.width = width};
		struct table *t = watch_print__new(&screen);
		char *text, name[32];
		size_t sz;
		FILE *out = open_memstream(&text, &sz);

		assert_non_null(t);
		assert_non_null(out);
		table__print(t, out, true, &screen);
		watch_print__text(t, &screen, &load, out);
		watch_print__text(t, &screen, &big, out);
		watch_print__text(t, &screen, &gone, out);
		fclose(out);
		table__free(t);
		snprintf(name, sizeof(name), "watch_%d", width);
		assert_shown(name, "txt", text);
	}
}

/* A name may contain any byte but NUL. */
static void test_hostile(void **state)
{
	struct prog_change change = load;
	char *text;

	change.comm = "a\n\033[31mb";
	change.name = "\xff\x07";
	text = print(print_text, &change);
	assert_null(strchr(text, '\033'));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	text = print(watch_print__json, &change);
	for (const char *p = text; p[1]; p++)
		assert_in_range(*p, ' ', '~');
	free(text);
}

static void test_json(void **state)
{
	struct prog_change change = load;
	char *text = print(watch_print__json, &change);

	assert_string_equal(
		text, "{\"event\":\"load\",\"time\":\"2026-01-01T12:00:00.250Z\","
		      "\"time_ns\":1234,\"cpu\":2,\"id\":42,\"type\":\"xdp\",\"name\":\"xdp_lb\","
		      "\"tag\":\"0011223344556677\",\"xlated_bytes\":96,\"jited_bytes\":80,"
		      "\"functions\":[\"xdp_lb\",\"parse\"],\"pid\":7,\"comm\":\"loader\"}\n");
	free(text);
	change.kind = PROG_UNLOAD;
	change.cpu = change.type = -1;
	change.xlated_bytes = change.jited_bytes = change.func_cnt = change.pid = 0;
	change.comm = "";
	change.missed = true;
	text = print(watch_print__json, &change);
	assert_string_equal(text, "{\"event\":\"unload\",\"time\":\"2026-01-01T12:00:00.250Z\","
				  "\"time_ns\":1234,\"id\":42,\"name\":\"xdp_lb\","
				  "\"tag\":\"0011223344556677\",\"missed\":true}\n");
	free(text);
	change = (struct prog_change){
		.kind = PROG_LOST, .clock_ns = load.clock_ns, .cpu = 0, .lost = 5};
	text = print(watch_print__json, &change);
	assert_string_equal(text, "{\"event\":\"lost\",\"time\":\"2026-01-01T12:00:00.250Z\","
				  "\"time_ns\":0,\"cpu\":0,\"lost\":5}\n");
	free(text);
}

/* Changes by known and unknown processes, and lost records; one is from before the start. */
static void test_timeline(void **state)
{
	static const struct prog_change lost = {.kind = PROG_LOST, .time_ns = 9000, .lost = 5};
	struct prog_change present = load, unload = load;
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	present.kind = PROG_PRESENT;
	present.time_ns = 3;
	present.pid = 0;
	present.comm = "";
	present.cpu = -1;
	unload.kind = PROG_UNLOAD;
	unload.time_ns = 8234;
	unload.name = "\033\xff\"";
	watch_print__begin_timeline(1000, out);
	watch_print__timeline(&present, 1000, out);
	watch_print__timeline(&load, 1000, out);
	watch_print__timeline(&unload, 1000, out);
	watch_print__timeline(&lost, 1000, out);
	trace_event__end(out);
	assert_int_equal(fclose(out), 0);
	assert_timeline(text);
	assert_shown("watch", "timeline", golden__set_version(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	 cmocka_unit_test(test_widths),
		cmocka_unit_test(test_hostile),	 cmocka_unit_test(test_json),
		cmocka_unit_test(test_timeline), cmocka_unit_test(test_csv),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
