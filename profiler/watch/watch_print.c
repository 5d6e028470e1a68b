// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the output of bprof watch. Owns the columns and the names of the fields; must not know how
 * a change was detected.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <jansson.h>

#include "base/build_info.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/prog.h"
#include "json/json_ascii.h"
#include "json/json_fields.h"
#include "json/json_make.h"
#include "json/trace_event.h"
#include "session/prog_watch.h"
#include "watch/watch_print.h"

static const char *const kind_names[] = {
	[PROG_PRESENT] = "loaded", [PROG_LOAD] = "load",     [PROG_UNLOAD] = "unload",
	[PROG_LOST] = "lost",	   [PROG_UNHELD] = "unheld",
};

/* Formats the time in ISO 8601 with milliseconds, as local time or UTC. Returns buf. */
static const char *format_change_time(const struct prog_change *change, bool utc, char *buf,
				      size_t sz)
{
	__s64 ms = change->clock_ns / 1000000;
	time_t t = ms / 1000;
	char date[32];
	struct tm tm;

	utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, sz, "%s.%03d%s", date, (int)(ms % 1000), utc ? "Z" : "");
	return buf;
}

/* ---- text ---- */

struct table *watch_print__new(const struct screen *screen)
{
	static const struct table_col cols[] = {
		LEFT_COL("TIME"),
		LEFT_COL("EVENT"),
		RIGHT_COL("ID"),
		LEFT_COL("TYPE", .min_width = 9),
		LEFT_COL("NAME", .min_width = 15),
		LEFT_COL("TAG", .drop_order = 1),
		RIGHT_COL("XLATED", .drop_order = 3),
		RIGHT_COL("JITED", .drop_order = 2),
		LEFT_COL("BY", .min_width = 12),
		LEFT_COL("FUNCTIONS", .min_width = 24, .folds = true),
	};
	/* Reserve widths, because each line is printed as it comes. */
	static const int widths[ARRAY_SIZE(cols)] = {23, 6, 6, 14, 24, 16, 6, 6, 22, 24};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (size_t i = 0; i < ARRAY_SIZE(cols); i++)
		table__reserve(t, i, widths[i]);
	table__fix_widths(t, screen);
	return t;
}

static void add_size_cell(struct table *t, __u32 bytes)
{
	if (bytes)
		table__add_count(t, bytes, TABLE_PLAIN);
	else
		table__add_cell(t, TABLE_PLAIN, "-");
}

/*
 * Returns the text of the last column: the functions if the program has more than one, and remarks.
 * The caller frees it.
 */
static char *make_end(const struct prog_change *change)
{
	char *text = NULL;
	size_t sz = 0;
	FILE *out = text__open(&text, &sz);

	for (int i = 0; i < change->func_cnt && change->func_cnt > 1; i++)
		fprintf(out, "%s%s", i ? ", " : "", change->func[i]);
	if (change->gone)
		fprintf(out, "%s(unloaded before it could be read)",
			change->func_cnt > 1 ? " " : "");
	if (change->missed)
		fprintf(out, "%s(missed; found by listing all programs)",
			change->func_cnt > 1 || change->gone ? " " : "");
	fclose(out);
	return text;
}

static void add_watch_row(struct table *t, const struct prog_change *change, const char *at,
			  const char *end)
{
	char by[96] = "-";

	if (change->pid)
		snprintf(by, sizeof(by), "%s[%u]", *change->comm ? change->comm : "-", change->pid);
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", at);
	table__add_cell(t, TABLE_PLAIN, "%s", kind_names[change->kind]);
	table__add_cell(t, TABLE_PLAIN, "%u", change->id);
	table__add_cell(t, TABLE_PLAIN, "%s",
			change->type < 0 ? "-" : prog_type__name(change->type));
	table__add_cell(t, TABLE_PLAIN, "%s", *change->name ? change->name : "-");
	table__add_cell(t, TABLE_PLAIN, "%s", change->tag);
	add_size_cell(t, change->xlated_bytes);
	add_size_cell(t, change->jited_bytes);
	table__add_cell(t, TABLE_PLAIN, "%s", by);
	table__add_cell(t, TABLE_PLAIN, "%s", end);
}

void watch_print__text(struct table *t, const struct screen *screen,
		       const struct prog_change *change, FILE *out)
{
	char at[64], *end;

	format_change_time(change, false, at, sizeof(at));
	if (change->kind == PROG_LOST) {
		fprintf(out, "%-23s  %-6s  %llu records of CPU %d\n", at, "lost", change->lost,
			change->cpu);
		return;
	}
	end = make_end(change);
	table__clear(t);
	add_watch_row(t, change, at, end);
	table__print(t, out, false, screen);
	free(end);
}

/* ---- CSV ---- */

void watch_print__csv_names(struct table *t, const struct csv_style *style, FILE *out)
{
	table__clear(t);
	if (style->header)
		table__print_csv(t, style, out);
}

/* Lost records are a row, too: their number is in the last column. */
void watch_print__csv(struct table *t, const struct csv_style *style,
		      const struct prog_change *change, FILE *out)
{
	const struct csv_style row = {.sep = style->sep, .tsv = style->tsv};
	const bool lost = change->kind == PROG_LOST;
	char at[64], *end = lost ? text__format("%llu records of CPU %d", change->lost, change->cpu)
				 : make_end(change);

	format_change_time(change, true, at, sizeof(at));
	table__clear(t);
	if (!lost) {
		add_watch_row(t, change, at, end);
	} else {
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", at);
		table__add_cell(t, TABLE_PLAIN, "%s", kind_names[PROG_LOST]);
		for (int i = 2; i < table__col_cnt(t) - 1; i++)
			table__add_cell(t, TABLE_PLAIN, "-");
		table__add_cell(t, TABLE_PLAIN, "%s", end);
	}
	table__print_csv(t, &row, out);
	free(end);
}

/* ---- JSON ---- */

#define CHANGE(field) offsetof(struct prog_change, field)

static json_t *make_type(const struct json_field *f, const void *from, const void *user)
{
	const int *type = from;

	return *type < 0 ? json_null() : json__make_string(prog_type__name(*type));
}

static const struct json_kind field_type = {.make = make_type};

HAS(has_comm, struct prog_change, change, *change->comm)

/* The JSON fields of a program. A field whose value is unknown is left out. */
static const struct json_field program_rows[] = {
	FIELD("id", u32, CHANGE(id)),
	FIELD("type", type, CHANGE(type)),
	FIELD("name", string, CHANGE(name)),
	FIELD("tag", string, CHANGE(tag)),
	FIELD("xlated_bytes", u32, CHANGE(xlated_bytes), .omit = true),
	FIELD("jited_bytes", u32, CHANGE(jited_bytes), .omit = true),
	FIELD("functions", list, 0, .omit = true,
	      .arg = LIST(struct prog_change, func, func_cnt, string)),
	FIELD("pid", u32, CHANGE(pid), .omit = true),
	FIELD("comm", string, CHANGE(comm), .has = has_comm),
	FIELD("gone", bool, CHANGE(gone), .omit = true),
	FIELD("missed", bool, CHANGE(missed), .omit = true),
	{},
};

/* Sets the known values of a change, except its kind and its time. */
static void set_change_fields(json_t *obj, const struct prog_change *change)
{
	if (change->cpu >= 0)
		json_object_set_new(obj, "cpu", json_integer(change->cpu));
	if (change->kind == PROG_LOST)
		json_object_set_new(obj, "lost", json__make_u64(change->lost));
	else
		json__set_fields(obj, program_rows, change, NULL);
}

void watch_print__json(const struct prog_change *change, FILE *out)
{
	json_t *obj = json_object();
	char at[64];

	json__set_string(obj, "event", kind_names[change->kind]);
	format_change_time(change, true, at, sizeof(at));
	json__set_string(obj, "time", at);
	json_object_set_new(obj, "time_ns", json__make_u64(change->time_ns));
	set_change_fields(obj, change);
	json__print(obj, JSON_LINE, out);
}

/* ---- Trace Event Format ---- */

void watch_print__begin_timeline(__u64 start_ns, FILE *out)
{
	json_t *args = json_object();
	json__set_string(args, "version", build_info__version());

	json_object_set_new(args, "monotonic_ns", json__make_u64(start_ns));
	trace_event__begin(args, out);
}

void watch_print__timeline(const struct prog_change *change, __u64 start_ns, FILE *out)
{
	const struct trace_track by = {.pid = change->pid, .tid = change->pid};
	__u64 at = change->time_ns > start_ns ? change->time_ns - start_ns : 0;
	json_t *args = json_object();
	char *name = text__format("%s %s", kind_names[change->kind],
				  change->kind == PROG_LOST ? "records" : change->name);

	set_change_fields(args, change);
	if (change->pid && *change->comm)
		trace_event__name(&by, "process_name", change->comm, out);
	trace_event__instant(change->pid ? &by : NULL, name, at, args, out);
	free(name);
}
