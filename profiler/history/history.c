// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The entries of a history as JSON, one entry on each line. Owns the fields of an entry and the
 * order of entries. Must not know where the lines are kept, or what is done with the reports.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <jansson.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "history/history.h"
#include "json/json_ascii.h"
#include "json/json_error.h"
#include "json/json_fields.h"
#include "report/report_head.h"

#define ENTRY(field) offsetof(struct history_entry, field)

/* A line of history with 500 programs has a few megabytes. */
#define MAX_LINE (64 << 20)
#define MAX_WARNINGS 5

/* ---- fields ---- */

static json_t *make_report_document(const struct json_field *f, const void *from, const void *user)
{
	const struct report *r = *(struct report *const *)from;
	const struct render_opts o = {.one_line = true};
	const struct report_writer w = {r, &o};
	json_t *doc = json_object();
	json_object_set_new(doc, "schema", json_integer(REPORT_SCHEMA));

	json__set_fields(doc, report_rows, r, &w);
	return doc;
}

static int read_report(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct report_source src = {};
	struct report_error err = {};

	if (!json_is_object(v))
		return json_reader__refuse_type(rd, "an object", v);
	return report__parse(&src, v, to, &err) ? json_reader__refuse(rd, "%s", err.text) : 0;
}

static const struct json_kind field_report = {.make = make_report_document, .read = read_report};

static const struct json_field entry_rows[] = {
	FIELD("tool", const, 0, .arg = "bprof"),
	FIELD("commit", string, ENTRY(commit), .required = true),
	FIELD("date", time, ENTRY(date), .required = true),
	FIELD("machine", string, ENTRY(machine), .omit = true),
	FIELD("report", report, ENTRY(report), .required = true),
	{},
};

/* ---- writing ---- */

void history_entry__print(const struct history_entry *e, FILE *out)
{
	json_t *doc = json_object();

	/* Remove the data that a history does not need: the distributions. */
	for (int i = 0; i < e->report->prog_cnt; i++) {
		struct report_row *row = &e->report->prog[i].all;

		for (int k = 0; k < row->event_cnt; k++) {
			free(row->event[k].bucket);
			row->event[k].bucket = NULL;
			row->event[k].bucket_cnt = 0;
		}
	}
	json_object_set_new(doc, "history", json_integer(HISTORY_SCHEMA));
	json__set_fields(doc, entry_rows, e, NULL);
	json__print(doc, JSON_LINE, out);
}

/* ---- reading ---- */

void history_entry__free(struct history_entry *e)
{
	free(e->commit);
	free(e->machine);
	report__free(e->report);
}

void history__free(struct history *h)
{
	for (int i = 0; i < h->cnt; i++)
		history_entry__free(&h->v[i]);
	free(h->v);
	*h = (struct history){};
}

static int parse_line(const char *line, size_t len, struct history_entry *e,
		      struct report_error *err)
{
	const struct report_source src = {.kind = "history"};
	struct json_reader rd = {.text = err->text, .text_sz = sizeof(err->text)};
	json_error_t jerr;
	json_t *doc;
	int ret;

	if (len > MAX_LINE)
		return report_error__set(err, 0, "too large for a report");
	doc = json_loadb(line, len, JSON_REJECT_DUPLICATES, &jerr);
	if (!json_is_object(doc)) {
		json_decref(doc);
		if (!doc && json_error_code(&jerr) == json_error_premature_end_of_input)
			return report_error__set(err, 0, "it is cut off");
		return report_error__set(err, 0, "not an entry of a history: %s",
					 doc ? "not an object" : json__syntax_text(&jerr));
	}
	ret = report_source__check(&src, doc, "history", HISTORY_SCHEMA, err)
		      ?: json_reader__object(&rd, doc, entry_rows, e);
	if (!ret && !*e->commit)
		ret = report_error__set(err, 0, "commit: is empty");
	json_decref(doc);
	return ret;
}

static void add_line(struct history *h, const char *name, unsigned long nr, const char *line,
		     size_t len)
{
	struct history_entry e = {.order = h->cnt};
	struct report_error err = {};

	h->ends_bad = parse_line(line, len, &e, &err);
	if (h->ends_bad) {
		if (h->bad_cnt++ < MAX_WARNINGS)
			log_warn("%s:%lu: the line is left out: %s", name, nr, err.text);
		history_entry__free(&e);
		return;
	}
	*(struct history_entry *)array__add(&h->v, &h->cnt, sizeof(e)) = e;
}

int history__read(struct history *h, FILE *in, const char *name)
{
	char *line = NULL;
	size_t sz = 0;
	ssize_t len;
	int err = 0, bad = h->bad_cnt;

	errno = 0;
	for (unsigned long nr = 1; (len = getline(&line, &sz, in)) >= 0; nr++) {
		len -= len && line[len - 1] == '\n';
		if (strspn(line, " \t\r") < (size_t)len)
			add_line(h, name, nr, line, len);
	}
	/* without memory, getline() fails without setting a flag of the stream */
	if (!feof(in))
		err = -(errno ?: EIO);
	if (h->bad_cnt - bad > MAX_WARNINGS)
		log_warn("%s: %d more lines are left out", name, h->bad_cnt - bad - MAX_WARNINGS);
	free(line);
	return err;
}

/* ---- order ---- */

static int compare_dates(const void *a, const void *b)
{
	const struct history_entry *x = a, *y = b;

	if (x->date.tv_sec != y->date.tv_sec)
		return x->date.tv_sec < y->date.tv_sec ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->order - y->order;
}

/* Orders entries by the name of the commit, and those of one commit by their former order. */
static int compare_commit_names(const void *a, const void *b)
{
	const struct history_entry *x = *(struct history_entry *const *)a,
				   *y = *(struct history_entry *const *)b;

	return strcmp(x->commit, y->commit) ?: x->order - y->order;
}

static int compare_positions(const void *a, const void *b)
{
	const struct history_entry *x = a, *y = b;

	return x->position != y->position ? x->position - y->position : x->order - y->order;
}

static void number_commits(struct history *h, int (*compare)(const void *a, const void *b))
{
	struct history_entry **by_name = xcalloc(h->cnt + 1, sizeof(*by_name));
	int last = -1;

	for (int i = 0; i < h->cnt; i++) {
		h->v[i].order = i;
		by_name[i] = &h->v[i];
	}
	qsort(by_name, h->cnt, sizeof(*by_name), compare_commit_names);
	/*
	 * For sorting, set an entry's position to the order of the first entry with the same
	 * commit. That entry also decides the date, because a commit has only one date.
	 */
	for (int i = 0, first = 0; i < h->cnt; i++) {
		if (strcmp(by_name[i]->commit, by_name[first]->commit))
			first = i;
		by_name[i]->position = by_name[first]->order;
		by_name[i]->date = by_name[first]->date;
	}
	free(by_name);
	if (!h->cnt)
		return;
	qsort(h->v, h->cnt, sizeof(*h->v), compare);
	h->commit_cnt = 0;
	for (int i = 0; i < h->cnt; i++) {
		h->commit_cnt += h->v[i].position != last;
		last = h->v[i].position;
		h->v[i].position = h->commit_cnt - 1;
	}
}

void history__sort(struct history *h)
{
	number_commits(h, compare_dates);
}

void history__number(struct history *h)
{
	number_commits(h, compare_positions);
}

/* ---- names ---- */

int history__find(const struct history *h, const char *name)
{
	size_t len = strlen(name);
	bool several = false;
	int found = -ENOENT;

	for (int i = 0; i < h->cnt; i++) {
		if (strncmp(h->v[i].commit, name, len))
			continue;
		if (!h->v[i].commit[len])
			return h->v[i].position;
		several |= found >= 0 && found != h->v[i].position;
		found = h->v[i].position;
	}
	return several ? -EINVAL : found;
}

int history__parse_date(const char *text, struct timespec *date)
{
	static const char *const formats[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct tm tm = {};
		const char *end = strptime(text, formats[i], &tm);
		int day = tm.tm_mday;

		if (!end || *end)
			continue;
		*date = (struct timespec){.tv_sec = timegm(&tm)};
		/* timegm() takes the 30th of February as a day in March */
		return tm.tm_mday == day ? 0 : -EINVAL;
	}
	return -EINVAL;
}

const char *history__format_date(const struct timespec *date, char *buf)
{
	struct tm tm;

	if (!gmtime_r(&date->tv_sec, &tm) || !strftime(buf, HISTORY_DATE_SZ, "%Y-%m-%d", &tm))
		strcpy(buf, "-");
	return buf;
}

const char *history__format_commit(const char *commit, char *buf)
{
	size_t len = strlen(commit);
	bool hash = len >= 40 && strspn(commit, "0123456789abcdef") == len;

	snprintf(buf, HISTORY_COMMIT_SZ, "%.*s", hash ? 12 : HISTORY_COMMIT_SZ - 1, commit);
	return buf;
}
