// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the output of bprof watch. Owns the columns and the names of the fields; must not know how
 * a change was detected.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <jansson.h>

#include "base/text.h"
#include "btf/prog.h"
#include "cmd/common/watch_print.h"
#include "json/json_ascii.h"
#include "json/json_fields.h"
#include "json/json_make.h"
#include "session/prog_watch.h"

static const char *const kind_names[] = {
	[PROG_PRESENT] = "loaded",
	[PROG_LOAD] = "load",
	[PROG_UNLOAD] = "unload",
	[PROG_LOST] = "lost",
};

/* Formats the time in ISO 8601 with milliseconds, as local time or UTC. Returns buf. */
static const char *format_time(const struct prog_change *change, bool utc, char *buf, size_t sz)
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

#define LINE "%-23s  %-6s  %5s  %-14s  %-20s  %-16s  %6s  %6s  %-20s  %s"

void watch_print__header(FILE *out)
{
	fprintf(out, LINE "\n", "TIME", "EVENT", "ID", "TYPE", "NAME", "TAG", "XLATED", "JITED",
		"BY", "FUNCTIONS");
}

static const char *format_size(char *buf, size_t sz, __u32 bytes)
{
	if (bytes)
		snprintf(buf, sz, "%u", bytes);
	else
		snprintf(buf, sz, "-");
	return buf;
}

/*
 * Returns the text of the last column: the functions if the program has more than one, and remarks.
 * The caller frees it. NULL: out of memory.
 */
static char *make_end(const struct prog_change *change)
{
	char *text = NULL;
	size_t sz = 0;
	FILE *out = open_memstream(&text, &sz);

	if (!out)
		return NULL;
	for (int i = 0; i < change->func_cnt && change->func_cnt > 1; i++)
		fprintf(out, "%s%s", i ? "," : "", change->func[i]);
	if (change->gone)
		fprintf(out, " (unloaded before it could be read)");
	if (change->missed)
		fprintf(out, " (missed; found by listing all programs)");
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Prints the line without trailing blanks. */
static void print_line(char *line, FILE *out)
{
	size_t len = strlen(line);

	while (len && line[len - 1] == ' ')
		len--;
	fprintf(out, "%.*s\n", (int)len, line);
}

int watch_print__text(const struct prog_change *change, FILE *out)
{
	char at[64], id[16], by[96] = "-", xlated[16], jited[16];
	char *name, *end, *line = NULL, *printable = NULL;
	int err = -ENOMEM;

	format_time(change, false, at, sizeof(at));
	if (change->kind == PROG_LOST) {
		fprintf(out, "%-23s  %-6s  %llu records of CPU %d\n", at, "lost", change->lost,
			change->cpu);
		return 0;
	}
	snprintf(id, sizeof(id), "%u", change->id);
	if (change->pid)
		snprintf(by, sizeof(by), "%s[%u]", *change->comm ? change->comm : "-", change->pid);
	name = text__printable(change->name);
	end = make_end(change);
	if (name && end &&
	    asprintf(&line, LINE, at, kind_names[change->kind], id,
		     change->type < 0 ? "-" : prog_type__name(change->type), *name ? name : "-",
		     change->tag, format_size(xlated, sizeof(xlated), change->xlated_bytes),
		     format_size(jited, sizeof(jited), change->jited_bytes), by, end) < 0)
		line = NULL;
	printable = line ? text__printable(line) : NULL;
	if (printable) {
		print_line(printable, out);
		err = 0;
	}
	free(printable);
	free(line);
	free(end);
	free(name);
	return err;
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

int watch_print__json(const struct prog_change *change, FILE *out)
{
	json_t *obj = json_object();
	char at[64];
	int err = 0;

	err |= json__set_string(obj, "event", kind_names[change->kind]);
	format_time(change, true, at, sizeof(at));
	err |= json__set_string(obj, "time", at);
	err |= json_object_set_new(obj, "time_ns", json__make_u64(change->time_ns));
	if (change->cpu >= 0)
		err |= json_object_set_new(obj, "cpu", json_integer(change->cpu));
	if (change->kind == PROG_LOST)
		err |= json_object_set_new(obj, "lost", json__make_u64(change->lost));
	else
		err |= json__set_fields(obj, program_rows, change, NULL);
	return json__print(obj, err, JSON_LINE, out);
}
