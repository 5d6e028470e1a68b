// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sums of programs. Owns the rule for which rows are summed up, and the order and the members of the rows
 * of sums; must not know how the numbers of an event are merged (report_sum_event.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "report/report_sum.h"
#include "report/report_sum_priv.h"

static const char *const keys[SUM_KEY_CNT] = {
	[SUM_NAME] = "name",	 [SUM_TAG] = "tag",	[SUM_TYPE] = "type",
	[SUM_DEVICE] = "device", [SUM_OWNER] = "owner",
};

const char *sum_key__name(enum sum_key key)
{
	return keys[key];
}

enum sum_key sum_key__find(const char *name)
{
	for (int i = SUM_NONE + 1; i < SUM_KEY_CNT; i++)
		if (!strcmp(keys[i], name))
			return i;
	return SUM_NONE;
}

const char *report_prog__sum_value(const struct report_prog *p, enum sum_key key)
{
	switch (key) {
	case SUM_TAG:
		return p->tag;
	case SUM_TYPE:
		return text__or_empty(p->type);
	case SUM_DEVICE:
		return text__or_empty(p->device);
	case SUM_OWNER:
		return text__or_empty(p->owner);
	default:
		return text__or_empty(p->name);
	}
}

const char *report__refuse_sum(const struct report *r, enum sum_key key)
{
	bool any = key != SUM_DEVICE && key != SUM_OWNER;

	if (r->of_scopes || r->scope_cnt)
		return "the report is on the system, not on programs";
	if (r->sum)
		return strcmp(r->sum, keys[key]) ? "the report already has sums, of another kind"
						 : NULL;
	for (int i = 0; i < r->prog_cnt; i++) {
		if (r->prog[i].called)
			return "the report has calls of the kernel's functions (--calls)";
		any |= *report_prog__sum_value(&r->prog[i], key) != 0;
	}
	if (any || !r->prog_cnt)
		return NULL;
	return key == SUM_DEVICE ? "the report does not say where programs are attached; measure "
				   "with --sum device"
				 : "the report does not say who holds the programs; measure with "
				   "--sum owner";
}

/* ---- which rows are summed up ---- */

/* Which of a function's runs a row has, in the order of the rows. */
enum part { PART_ALL, PART_VALUE, PART_OTHER, PART_UNMEASURED };

struct entry {
	int index; /* index of the row in the report */
	const struct report_prog *p;
	const char *value; /* value of the key */
	enum part part;
	/*
	 * With --by retval: a sum has only programs of one type, because a return value means
	 * something else in each type
	 */
	bool typed;
	int target;	/* the index of the first row of the same function of the same program */
	bool has_other; /* the function has a row "other" (PART_OTHER) */
	/*
	 * Index of the report's first row that belongs to the same sum, and of the first one of the
	 * same sum and function
	 */
	int first, func_first;
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(text__or_empty(a), text__or_empty(b));
}

static int compare_events(const struct report_row *a, const struct report_row *b)
{
	int order = a->event_cnt - b->event_cnt;

	for (int i = 0; !order && i < a->event_cnt; i++)
		order = compare_texts(a->event[i].name, b->event[i].name);
	return order;
}

static int compare_sums(const struct entry *a, const struct entry *b)
{
	const struct report_prog *p = a->p, *q = b->p;

	return strcmp(a->value, b->value)
		       ?: compare_texts(p->input, q->input)
		       ?: compare_texts(p->method, q->method)
		       ?: p->uncalibrated - q->uncalibrated
		       ?: (a->typed ? compare_texts(p->type, q->type) : 0)
		       ?: compare_events(&p->all, &q->all);
}

static int compare_funcs(const struct entry *a, const struct entry *b)
{
	return compare_sums(a, b)
		       ?: a->p->subprog - b->p->subprog
		       ?: (a->p->subprog ? compare_texts(a->p->func, b->p->func) : 0);
}

static int compare_parts_of_runs(const struct entry *a, const struct entry *b)
{
	const struct report_prog *p = a->p, *q = b->p;
	int order = (int)a->part - (int)b->part;
	__s32 v, w;

	if (order || a->part != PART_VALUE)
		return order;
	if (p->key_name || q->key_name)
		return compare_texts(p->key_name, q->key_name);
	v = (__s32)(__u32)p->retval;
	w = (__s32)(__u32)q->retval;
	return v < w ? -1 : v > w;
}

static int compare_summed_rows(const struct entry *a, const struct entry *b)
{
	return compare_funcs(a, b) ?: compare_parts_of_runs(a, b);
}

static int compare_entries(const void *a_ptr, const void *b_ptr)
{
	const struct entry *a = a_ptr, *b = b_ptr;

	return compare_summed_rows(a, b) ?: a->index - b->index;
}

/* Restores the order of the report: a sum is in the place of its first program. */
static int compare_first_rows(const void *a_ptr, const void *b_ptr)
{
	const struct entry *a = a_ptr, *b = b_ptr;

	return a->first - b->first ?: a->func_first - b->func_first ?: compare_entries(a, b);
}

typedef int compare_fn(const struct entry *a, const struct entry *b);

/*
 * Returns the index after the last entry that compares equal to entry i. The entries must be
 * sorted.
 */
static int end_of(const struct entry *v, int cnt, int i, compare_fn *compare)
{
	int end = i + 1;

	while (end < cnt && !compare(&v[i], &v[end]))
		end++;
	return end;
}

static enum part part_of(const struct report_prog *p)
{
	return !p->by_retval			  ? PART_ALL
	       : p->unmeasured			  ? PART_UNMEASURED
	       : isnan(p->retval) && !p->key_name ? PART_OTHER
						  : PART_VALUE;
}

static struct entry *make_entries(const struct report *r, enum sum_key key)
{
	struct entry *v = xcalloc(r->prog_cnt + 1, sizeof(*v));
	int end;

	for (int i = 0; i < r->prog_cnt; i++)
		v[i] = (struct entry){.index = i,
				      .p = &r->prog[i],
				      .value = report_prog__sum_value(&r->prog[i], key),
				      .part = part_of(&r->prog[i]),
				      .typed = r->by_retval && r->by == BY_NOTHING};
	/* Set the members that depend on the other rows of the function. */
	for (int i = 0; i < r->prog_cnt; i = end) {
		bool has_other = v[i].part == PART_OTHER;

		for (end = i + 1; end < r->prog_cnt && !report__is_first_row(r, end); end++)
			has_other |= v[end].part == PART_OTHER;
		for (int k = i; k < end; k++) {
			v[k].target = i;
			v[k].has_other = has_other;
		}
	}
	return v;
}

/* ---- return values that not all programs count separately ---- */

/*
 * v: the entries of one function of a sum. If some program of the sum counts a value only in its
 * row "other", moves the rows of this value in all programs to "other".
 */
static void move_values(struct entry *v, int cnt)
{
	int divided = 0, end; /* number of programs that have a row "other" */

	for (int i = 0; i < cnt; i++)
		divided += v[i].part == PART_OTHER;
	for (int i = 0; i < cnt && v[i].part <= PART_VALUE; i = end) {
		int told = 0; /* how many of these programs also have a row of this value */

		end = end_of(v, cnt, i, compare_parts_of_runs);
		for (int k = i; k < end; k++)
			told += v[k].has_other;
		if (told < divided && v[i].part == PART_VALUE)
			for (int k = i; k < end; k++)
				v[k].part = PART_OTHER;
	}
}

/* Sorts the entries into the order of the rows of sums. The entries of a row are adjacent. */
static void sort_entries(struct entry *v, int cnt)
{
	int end;

	qsort(v, cnt, sizeof(*v), compare_entries);
	for (int i = 0; i < cnt; i = end) {
		int first = v[i].index;

		end = end_of(v, cnt, i, compare_sums);
		for (int k = i; k < end; k++)
			first = v[k].index < first ? v[k].index : first;
		for (int k = i; k < end; k++)
			v[k].first = first;
	}
	for (int i = 0; i < cnt; i = end) {
		int first = v[i].index;

		end = end_of(v, cnt, i, compare_funcs);
		for (int k = i; k < end; k++)
			first = v[k].index < first ? v[k].index : first;
		for (int k = i; k < end; k++)
			v[k].func_first = first;
		move_values(&v[i], end - i);
	}
	qsort(v, cnt, sizeof(*v), compare_first_rows);
}

/* ---- the members of a sum's row ---- */

/* Returns a copy of the text that all entries have, or of "various" if their texts differ. */
static char *common_text(const struct entry *v, int cnt, size_t member, const char *various)
{
	const char *first = *(char *const *)((const char *)v->p + member);

	for (int i = 1; i < cnt; i++)
		if (!text__is_same(first, *(char *const *)((const char *)v[i].p + member)))
			return various ? xstrdup(various) : NULL;
	return text__dup(first);
}

#define COMMON(v, cnt, member, various) \
	common_text(v, cnt, offsetof(struct report_prog, member), various)

static __u32 hash_text(__u32 hash, const char *s)
{
	for (s = text__or_empty(s); *s; s++)
		hash = (hash ^ (unsigned char)*s) * 16777619; /* FNV-1a */
	/* marks the end of the text: UTF-8 does not contain this byte */
	return (hash ^ 0xff) * 16777619;
}

__u32 report_prog__make_sum_id(const struct report_prog *p, bool typed)
{
	__u32 hash = hash_text(hash_text(2166136261, p->name), p->method);

	if (typed)
		hash = hash_text(hash, p->type);
	return ((p->uncalibrated ? ~hash : hash) & ~(3U << 30)) | 1U << 30;
}

static void copy_common_members(struct report_prog *to, const struct entry *v, int cnt)
{
	const struct report_prog *p = v->p;
	bool tagged = true;

	to->name = xstrdup(v->value);
	to->func = xstrdup(p->subprog ? text__or_empty(p->func) : "");
	to->subprog = p->subprog;
	to->depth = p->depth;
	to->input = text__dup(p->input);
	to->type = COMMON(v, cnt, type, "");
	to->version_name = COMMON(v, cnt, version_name, NULL);
	to->device = COMMON(v, cnt, device, NULL);
	to->owner = COMMON(v, cnt, owner, NULL);
	to->hook = COMMON(v, cnt, hook, NULL);
	to->method = p->method;
	to->probed = p->probed;
	to->uncalibrated = p->uncalibrated;
	for (int i = 1; i < cnt; i++)
		tagged &= !strcmp(v[i].p->tag, p->tag);
	if (tagged)
		memcpy(to->tag, p->tag, sizeof(to->tag));
}

/*
 * Returns the number of programs. A program may have several entries, if move_values() moved
 * several of its values to "other".
 */
static __u32 count_programs(const struct entry *v, int cnt)
{
	__u32 *ids = xcalloc(cnt, sizeof(*ids)), programs = 1;

	for (int i = 0; i < cnt; i++)
		ids[i] = v[i].p->id;
	qsort(ids, cnt, sizeof(*ids), compare_u32);
	for (int i = 1; i < cnt; i++)
		programs += ids[i] != ids[i - 1];
	free(ids);
	return programs;
}

static void set_part_and_retval(struct report_prog *to, const struct entry *v, int cnt)
{
	to->by_retval = v->part != PART_ALL;
	to->by_key = v->p->by_key;
	to->unmeasured = v->part == PART_UNMEASURED;
	if (v->part == PART_VALUE) {
		to->retval = v->p->retval;
		to->key_value = v->p->key_value;
		to->key_name = text__dup(v->p->key_name);
	}
	if (to->by_retval || !report_prog__has_retval(v->p))
		return;
	for (int i = 0; i < cnt; i++)
		to->retval_varies |= v[i].p->retval != v->p->retval;
	if (!to->retval_varies)
		to->retval = v->p->retval;
}

/* Adds each note once. If only some of the rows have the note, adds their number to it. */
static void add_notes_once(struct report_prog *to, const struct entry *v, int cnt)
{
	char **text = NULL;
	int text_cnt = 0, about;

	for (int i = 0; i < cnt; i++)
		for (int k = 0; k < v[i].p->notes.cnt; k++)
			*(char **)array__add(&text, &text_cnt, sizeof(*text)) =
				v[i].p->notes.text[k];
	if (text_cnt)
		qsort(text, text_cnt, sizeof(*text), text__compare);
	for (int i = 0; i < text_cnt; i += about) {
		for (about = 1; i + about < text_cnt && !strcmp(text[i], text[i + about]);)
			about++;
		if (about >= cnt)
			report_notes__add(&to->notes, "%s", text[i]);
		else
			report_notes__add(&to->notes, "%d of %d programs: %s", about, cnt, text[i]);
	}
	free(text);
}

static struct report_row *row_of_cpu(const struct report *r, int i, int cpu)
{
	const struct report_prog *p = &r->prog[i];

	return report_row__of_cpu(&p->all, p->cpu, p->cpu_cnt, cpu);
}

/*
 * Returns the number of a function's runs on a CPU, divided by the number of its measured runs
 * there. Adds up all rows of the function, because a probe decides whether to measure a run before
 * it knows the run's return value or key. first: the index of the first of these rows.
 */
static double find_factor(const struct report *r, int first, int cpu)
{
	double runs = 0, measured = 0;

	for (int i = first; i == first || (i < r->prog_cnt && !report__is_first_row(r, i)); i++) {
		const struct report_row *row = row_of_cpu(r, i, cpu);

		runs += row ? row->runs : 0;
		measured += row ? row->measured : 0;
	}
	return measured > 0 ? runs / measured : 1;
}

static void merge_cpu(struct report *r, struct report_row *to, const struct entry *v, int cnt)
{
	struct sum_source *from = xcalloc(cnt, sizeof(*from));
	int found = 0, cpu = to->cpu;
	struct report_row *row = NULL;

	for (int i = 0; i < cnt; i++) {
		struct report_row *own = row_of_cpu(r, v[i].index, cpu);

		if (!own)
			continue;
		row = own;
		from[found++] = (struct sum_source){own, find_factor(r, v[i].target, cpu)};
	}
	if (found == 1) {
		*to = *row;
		/* keep the numbers of runs, because find_factor() reads them later */
		*row = (struct report_row){.cpu = cpu, .runs = to->runs, .measured = to->measured};
	} else {
		report_sum__merge_row(to, from, found);
	}
	free(from);
}

/* Adds a row for each CPU for which one of the entries has a row, in ascending order. */
static void merge_cpus(struct report *r, struct report_prog *to, const struct entry *v, int cnt)
{
	for (int cpu = -1, next;; cpu = next) {
		next = -1;
		for (int i = 0; i < cnt; i++)
			for (int k = 0; k < v[i].p->cpu_cnt; k++) {
				int id = v[i].p->cpu[k].cpu;

				if (id > cpu && (next < 0 || id < next))
					next = id;
			}
		if (next < 0)
			return;
		merge_cpu(r, report_prog__add_cpu(to, next), v, cnt);
	}
}

static void make_sum(struct report *r, struct report_prog *to, const struct entry *v, int cnt)
{
	to->programs = count_programs(v, cnt);
	to->recursion_misses = 0;
	copy_common_members(to, v, cnt);
	set_part_and_retval(to, v, cnt);
	for (int i = 0; i < cnt; i++)
		report_prog__add_properties(to, v[i].p);
	add_notes_once(to, v, cnt);
	to->id = report_prog__make_sum_id(to, v->typed);
	merge_cpus(r, to, v, cnt);
	merge_cpu(r, &to->all, v, cnt);
	/*
	 * Blocks do not say of which repeat they are. If a program did not run in a repeat, it has
	 * fewer blocks, and the n-th blocks of the programs may be of different repeats: then the
	 * sum has none.
	 */
	for (int i = 0; cnt > 1 && i < to->all.event_cnt; i++)
		if (to->all.event[i].block_cnt < r->repeats)
			to->all.event[i].block_cnt = 0;
}

/*
 * Sets calls_per_run of the rows of return values and keys: their share of the function's measured
 * runs. For functions of sums, calls_per_run is not known.
 */
static void set_calls(struct report *r)
{
	for (int i = 0, end; i < r->prog_cnt; i = end) {
		double measured = 0;

		for (end = i; end == i || (end < r->prog_cnt && !report__is_first_row(r, end));
		     end++)
			measured += r->prog[end].unmeasured ? 0 : r->prog[end].all.measured;
		for (int k = i; k < end && measured > 0; k++)
			if (r->prog[k].by_retval && !r->prog[k].unmeasured && !r->prog[k].subprog)
				r->prog[k].calls_per_run = r->prog[k].all.measured / measured;
	}
}

void report__sum(struct report *r, enum sum_key key)
{
	struct report *sums;
	struct report_prog *rows;
	struct entry *v;
	int cnt, end;

	if (r->sum)
		return;
	r->sum = keys[key];
	sums = report__new();
	v = make_entries(r, key);
	sort_entries(v, r->prog_cnt);
	for (int i = 0; i < r->prog_cnt; i = end) {
		end = end_of(v, r->prog_cnt, i, compare_summed_rows);
		make_sum(r, report__add_prog(sums), &v[i], end - i);
	}
	free(v);
	rows = sums->prog;
	cnt = sums->prog_cnt;
	sums->prog = r->prog;
	sums->prog_cnt = r->prog_cnt;
	r->prog = rows;
	r->prog_cnt = cnt;
	report__free(sums);
	set_calls(r);
}

static void drop_buckets(struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		free(row->event[i].bucket);
		row->event[i].bucket = NULL;
		row->event[i].bucket_cnt = 0;
	}
}

void report__drop_buckets(struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		drop_buckets(&r->prog[i].all);
		for (int k = 0; k < r->prog[i].cpu_cnt; k++)
			drop_buckets(&r->prog[i].cpu[k]);
	}
}
