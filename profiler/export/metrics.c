// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of metrics. Owns the names of metrics, and which number is the value of which metric.
 * Must not know the syntax of metrics (openmetrics.c) or how counts are added up (series.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/inventory.h"
#include "export/metrics.h"
#include "export/series.h"
#include "report/report.h"

#define NSEC 1e9

/*
 * A part of a program: all its runs or, with --by, the runs with one value of the key. Each metric
 * has a sample for each part.
 */
struct cell {
	const struct series_prog *prog;
	const struct series_part *part;
	char *labels;
};

struct metrics {
	struct metrics_writer w;
	const struct series *s;
	const struct metrics_self *self;
	/* The parts of all programs. The last one belongs to series.other. */
	struct cell *cell;
	int cell_cnt;
	struct inventory *sum; /* the inventory of each program: see make_sums() */
	char *buf;	       /* a copy of labels with one more label */
	size_t buf_sz;
};

/* ---- labels ---- */

/* Adds the labels of a program to out. */
static void add_labels(FILE *out, bool *first, const struct series_prog *p)
{
	metrics__add_label(out, first, "name", p->name);
	metrics__add_label(out, first, "tag", p->tag);
	metrics__add_label(out, first, "function", p->func);
	metrics__add_label(out, first, "version", p->version);
	metrics__add_label(out, first, "type", p->type);
	metrics__add_label(out, first, "owner", p->owner);
	metrics__add_label(out, first, "device", p->device);
}

static void make_cells(struct metrics *d, const struct series_prog *p)
{
	for (int i = 0; i < p->part_cnt; i++) {
		struct cell *cell = array__add(&d->cell, &d->cell_cnt, sizeof(*d->cell));
		bool first = true;
		size_t sz;
		FILE *out;

		cell->prog = p;
		cell->part = &p->part[i];
		out = text__open(&cell->labels, &sz);
		add_labels(out, &first, p);
		metrics__add_label(out, &first, d->s->label, cell->part->returns);
		fclose(out);
	}
}

/* Returns labels with one more label. The result is valid until the next call. */
static const char *with_label(struct metrics *d, const char *labels, const char *name,
			      const char *value)
{
	bool first = !*labels;
	FILE *out;

	free(d->buf);
	d->buf = NULL;
	out = text__open(&d->buf, &d->buf_sz);
	fputs(labels, out);
	metrics__add_label(out, &first, name, value);
	fclose(out);
	return d->buf;
}

/* ---- programs ---- */

/*
 * Writes a sample with the labels of a program and two more labels. A label whose name is "" is
 * left out.
 */
static void write_labelled(struct metrics *d, int prog, const char *const label[2],
			   const char *const value[2], __u64 v)
{
	bool first = true;
	char *labels;
	size_t sz;
	FILE *out = text__open(&labels, &sz);

	add_labels(out, &first, &d->s->prog[prog]);
	for (int i = 0; i < 2; i++)
		metrics__add_label(out, &first, label[i], value[i]);
	fclose(out);
	metrics__write_u64(&d->w, labels, v);
	free(labels);
}

static const char *const none[2] = {"", ""};

/*
 * Writes nothing with --sum: the number of series of a sum should not depend on the number of its
 * programs.
 */
static void write_info(struct metrics *d)
{
	for (int i = 0; !d->s->opts.sum && i < d->s->instance_cnt; i++) {
		const struct series_instance *in = &d->s->instance[i];
		char id[16], *labels;
		bool first = true;
		size_t sz;
		FILE *out;

		if (in->prog < 0 || in->ended)
			continue;
		out = text__open(&labels, &sz);
		snprintf(id, sizeof(id), "%u", in->id);
		add_labels(out, &first, &d->s->prog[in->prog]);
		metrics__add_label(out, &first, "id", id);
		metrics__add_label(out, &first, "type", in->type);
		metrics__add_label(out, &first, "method", in->method ?: "");
		fclose(out);
		metrics__write_u64(&d->w, labels, 1);
		free(labels);
	}
}

/* With --sum: writes the number of loaded programs of each sum. */
static void write_programs(struct metrics *d)
{
	for (int i = 0; d->s->opts.sum && i < d->s->prog_cnt; i++) {
		__u64 cnt = 0;

		for (int k = 0; k < d->s->instance_cnt; k++)
			cnt += d->s->instance[k].prog == i && !d->s->instance[k].ended;
		write_labelled(d, i, none, none, cnt);
	}
}

static void write_runs(struct metrics *d)
{
	for (int i = 0; i < d->cell_cnt; i++) {
		const struct cell *c = &d->cell[i];

		if (c->part->blind)
			continue;
		metrics__write_u64(&d->w, c->labels, c->part->runs);
		metrics__write_created(&d->w, c->labels, &c->part->created);
	}
}

/*
 * Returns true if a part can have lost runs. The return value of a lost run is not known. So with
 * --by retval, all lost runs are in the part SERIES_OTHER_VALUES.
 */
static bool has_unseen(const struct series_part *part)
{
	return part->probed && (!*part->returns || !strcmp(part->returns, SERIES_OTHER_VALUES));
}

static void write_lost_runs(struct metrics *d)
{
	for (int i = 0; i < d->cell_cnt; i++)
		for (int l = 0; has_unseen(d->cell[i].part) && l < LOST_CNT; l++) {
			const struct cell *c = &d->cell[i];
			const char *labels = with_label(d, c->labels, "cause", lost_specs[l].name);

			metrics__write_u64(&d->w, labels, c->part->lost[l]);
			metrics__write_created(&d->w, labels, &c->part->created);
		}
}

typedef void write_event_fn(struct metrics *d, const char *labels, const struct cell *c,
			    const struct series_event *e);

/* For each part, calls write() for the event "time", or for all other events. */
static void each_event(struct metrics *d, bool time, write_event_fn *write)
{
	for (int i = 0; i < d->cell_cnt; i++)
		for (int k = 0; k < d->cell[i].part->event_cnt; k++) {
			const struct cell *c = &d->cell[i];
			const struct series_event *e = &c->part->event[k];

			if (e->time == time)
				write(d,
				      time ? c->labels : with_label(d, c->labels, "event", e->name),
				      c, e);
		}
}

static void write_total(struct metrics *d, const char *labels, const struct cell *c,
			const struct series_event *e)
{
	if (c->part->blind)
		return;
	metrics__write_double(&d->w, labels, e->total.shown / (e->time ? NSEC : 1));
	metrics__write_created(&d->w, labels, &e->created);
}

static void write_variance(struct metrics *d, const char *labels, const struct cell *c,
			   const struct series_event *e)
{
	double unit = e->time ? NSEC : 1;

	if (c->part->blind || !e->variance)
		return;
	metrics__write_double(&d->w, labels, e->variance / (unit * unit));
	metrics__write_created(&d->w, labels, &e->created);
}

static void write_histogram(struct metrics *d, const char *labels, const struct cell *c,
			    const struct series_event *e)
{
	const struct metric_histogram h = {.bound = e->bounds->v,
					   .bucket = e->bucket,
					   .bound_cnt = e->bounds->cnt,
					   .divisor = e->time ? NSEC : 1,
					   .sum = e->sum.shown};

	if (!e->has_buckets || c->prog == &d->s->other)
		return;
	metrics__write_histogram(&d->w, labels, &h);
	metrics__write_created(&d->w, labels, &e->created);
}

/* ---- what programs have ---- */

/*
 * Sums up the maps, memory and attachments of the loaded versions of each program. sum->prog[i]
 * belongs to s->prog[i].
 */
static void make_sums(struct metrics *d)
{
	for (int i = 0; i < d->s->prog_cnt; i++)
		inventory__add_prog(d->sum, 0);
	for (int i = 0; i < d->s->instance_cnt; i++) {
		const struct series_instance *in = &d->s->instance[i];
		const struct inventory_prog *p = inventory__find(d->self->inventory, in->id);

		if (in->prog < 0 || in->ended || in->subprog || !p)
			continue;
		inventory_prog__add(&d->sum->prog[in->prog], p);
	}
}

static void write_prog_memory(struct metrics *d)
{
	for (int i = 0; i < d->sum->prog_cnt; i++)
		if (d->sum->prog[i].memory)
			write_labelled(d, i, none, none, d->sum->prog[i].memory);
}

static void write_maps(struct metrics *d, bool entries)
{
	static const char *const label[2] = {"map", "map_type"};

	for (int i = 0; i < d->sum->prog_cnt; i++)
		for (int k = 0; k < d->sum->prog[i].map_cnt; k++) {
			const struct inventory_map *map = &d->sum->prog[i].map[k];
			const char *const value[2] = {map->name, map->type};

			write_labelled(d, i, label, value,
				       entries ? map->max_entries : map->memory);
		}
}

static void write_map_memory(struct metrics *d)
{
	write_maps(d, false);
}

static void write_map_entries(struct metrics *d)
{
	write_maps(d, true);
}

/* A map of a program. prog: the index of the program's series. */
struct listed_map {
	int prog;
	const struct inventory_map *map;
};

static void list_maps(const struct metrics *d, struct listed_map **list, int *cnt)
{
	for (int i = 0; !d->s->opts.sum && i < d->s->instance_cnt; i++) {
		const struct series_instance *in = &d->s->instance[i];
		const struct inventory_prog *p =
			in->prog < 0 || in->ended || in->subprog
				? NULL
				: inventory__find(d->self->inventory, in->id);

		for (int k = 0; p && k < p->map_cnt && k < INVENTORY_MAX_MAPS; k++) {
			struct listed_map *new = array__add(list, cnt, sizeof(*new));

			*new = (struct listed_map){in->prog, &p->map[k]};
		}
	}
}

static int compare_maps(const void *a_ptr, const void *b_ptr)
{
	const struct listed_map *a = a_ptr, *b = b_ptr;

	if (a->prog != b->prog)
		return a->prog < b->prog ? -1 : 1;
	return a->map->id < b->map->id ? -1 : a->map->id > b->map->id;
}

/* If several programs of a series share a map, writes only one sample for the map. */
static void write_map_info(struct metrics *d)
{
	static const char *const label[2] = {"map", "map_id"};
	struct listed_map *list = NULL;
	int cnt = 0;

	list_maps(d, &list, &cnt);
	if (cnt)
		qsort(list, cnt, sizeof(*list), compare_maps);
	for (int i = 0; i < cnt; i++) {
		char id[16];
		const char *const value[2] = {list[i].map->name, id};

		if (i && list[i].prog == list[i - 1].prog && list[i].map->id == list[i - 1].map->id)
			continue;
		snprintf(id, sizeof(id), "%u", list[i].map->id);
		write_labelled(d, list[i].prog, label, value, 1);
	}
	free(list);
}

static void write_attachments(struct metrics *d)
{
	static const char *const label[2] = {"kind", ""};

	for (int i = 0; i < d->sum->prog_cnt; i++)
		for (int k = 0; k < d->sum->prog[i].attached_cnt; k++) {
			const struct inventory_attachment *at = &d->sum->prog[i].attached[k];
			const char *const value[2] = {at->kind, ""};

			write_labelled(d, i, label, value, at->cnt);
		}
}

/* ---- all programs of the machine ---- */

static void write_unheld(struct metrics *d)
{
	if (d->self->inventory && d->self->inventory->unheld.known)
		metrics__write_u64(&d->w, "", d->self->inventory->unheld.cnt);
}

static void write_unheld_memory(struct metrics *d)
{
	if (d->self->inventory && d->self->inventory->unheld.known)
		metrics__write_u64(&d->w, "", d->self->inventory->unheld.memory);
}

static void write_unheld_unknown(struct metrics *d)
{
	if (d->self->inventory && d->self->inventory->unheld.known)
		metrics__write_u64(&d->w, "", d->self->inventory->unheld.unknown);
}

static void write_jit_memory(struct metrics *d)
{
	const struct inventory *inv = d->self->inventory;

	if (inv && inv->jit.limit)
		metrics__write_u64(&d->w,
				   with_label(d, "", "of", inv->jit.exact ? "kernel" : "programs"),
				   inv->jit.used);
}

static void write_jit_limit(struct metrics *d)
{
	if (d->self->inventory && d->self->inventory->jit.limit)
		metrics__write_u64(&d->w, "", d->self->inventory->jit.limit);
}

/* ---- bprof itself ---- */

static void write_skipped(struct metrics *d)
{
	const struct report *r = d->self->last;

	for (int i = 0; r && i < r->skip_cnt; i++) {
		__u64 cnt = 0;
		bool again = false;

		for (int k = 0; k < r->skip_cnt; k++) {
			bool same = !strcmp(r->skip[k].reason, r->skip[i].reason);

			cnt += same ? 1 + r->skip[k].more : 0;
			again |= same && k < i;
		}
		if (!again && strcmp(r->skip[i].reason, SERIES_SHORT_LIVED))
			metrics__write_u64(&d->w, with_label(d, "", "reason", r->skip[i].reason),
					   cnt);
	}
}

static void write_probe_share(struct metrics *d)
{
	const struct report *r = d->self->last;

	if (r && r->budget)
		metrics__write_double(&d->w, "", r->budget->added);
}

static void write_stats_share(struct metrics *d)
{
	const struct report *r = d->self->last;

	if (r && r->budget && r->budget->turns)
		metrics__write_double(&d->w, "", r->budget->stats);
}

static void write_stats_run(struct metrics *d)
{
	const struct report *r = d->self->last;

	if (r && r->budget && r->budget->turns)
		metrics__write_double(&d->w, "", r->budget->stats_run_ns / NSEC);
}

static void write_probe_memory(struct metrics *d)
{
	const struct report *r = d->self->last;

	if (r && r->memory.counts)
		metrics__write_u64(&d->w, "", r->memory.counts);
}

static void write_memory_limit(struct metrics *d)
{
	const struct report *r = d->self->last;

	if (r && r->memory.counts)
		metrics__write_u64(&d->w, "", r->memory.limit);
}

static void write_limit(struct metrics *d)
{
	metrics__write_u64(&d->w, "", d->s->opts.max_progs);
}

static void write_beyond(struct metrics *d)
{
	metrics__write_u64(&d->w, "", d->s->other_cnt);
}

static void write_uncalibrated(struct metrics *d)
{
	metrics__write_u64(&d->w, "", d->s->uncalibrated_cnt);
}

static void write_build(struct metrics *d)
{
	metrics__write_u64(&d->w, with_label(d, "", "version", d->self->version), 1);
}

static void write_counter(struct metrics *d, __u64 v)
{
	metrics__write_u64(&d->w, "", v);
	metrics__write_created(&d->w, "", &d->self->started);
}

static void write_short_lived(struct metrics *d)
{
	write_counter(d, d->s->short_lived);
}

static void write_looks(struct metrics *d)
{
	write_counter(d, d->self->looks);
}

static void write_look_time(struct metrics *d)
{
	metrics__write_double(&d->w, "", d->self->look_ns / NSEC);
	metrics__write_created(&d->w, "", &d->self->started);
}

static void write_requests(struct metrics *d)
{
	write_counter(d, d->self->requests);
}

static void write_process_cpu(struct metrics *d)
{
	metrics__write_double(&d->w, "", d->self->cpu_ns / NSEC);
	metrics__write_created(&d->w, "", &d->self->started);
}

static void write_memory(struct metrics *d)
{
	metrics__write_u64(&d->w, "", d->self->memory);
}

/* ---- the table ---- */

static const struct {
	struct metric_family family;
	void (*write)(struct metrics *d); /* or one of the two members below */
	write_event_fn *of_time;	  /* called for each event "time" */
	write_event_fn *of_event;	  /* called for each other event */
} metrics[] = {
	{{"bprof_program", METRIC_INFO, NULL,
	  "The loaded programs that are measured, and their ids."},
	 write_info},
	{{"bprof_program_sum_programs", METRIC_GAUGE, NULL,
	  "With --sum: number of loaded programs in this sum."},
	 write_programs},
	{{"bprof_program_runs", METRIC_COUNTER, NULL,
	  "Runs of the function, also those that the probe missed."},
	 write_runs},
	{{"bprof_program_cpu_seconds", METRIC_COUNTER, "seconds",
	  "CPU time of all runs. For a run that was not measured, the mean of the measured runs "
	  "is added or, if the probe is attached only for slices of time, the kernel's time of "
	  "the run."},
	 .of_time = write_total},
	{{"bprof_program_cpu_variance", METRIC_COUNTER, NULL,
	  "Variance of bprof_program_cpu_seconds, in seconds squared, of programs whose probes "
	  "were "
	  "attached for slices of time and whose CPU time the kernel does not know."},
	 .of_time = write_variance},
	{{"bprof_program_run_time_seconds", METRIC_HISTOGRAM, "seconds",
	  "Time that a run takes, from the runs that were measured."},
	 .of_time = write_histogram},
	{{"bprof_program_event", METRIC_COUNTER, NULL,
	  "Events such as cycles in all runs. For a run that was not measured, the mean of the "
	  "measured runs is added."},
	 .of_event = write_total},
	{{"bprof_program_event_variance", METRIC_COUNTER, NULL,
	  "Variance of bprof_program_event, of programs whose probes were attached for slices "
	  "of time. The standard error of an increase of bprof_program_event is the square root "
	  "of the increase of this metric."},
	 .of_event = write_variance},
	{{"bprof_program_event_per_run", METRIC_HISTOGRAM, NULL,
	  "Events such as cycles that a run takes, from the runs that were measured."},
	 .of_event = write_histogram},
	{{"bprof_program_lost_runs", METRIC_COUNTER, NULL,
	  "Runs that the probe saw but could not measure."},
	 write_lost_runs},
	{{"bprof_program_memory_bytes", METRIC_GAUGE, "bytes",
	  "Memory that the kernel accounts for the program, without its maps."},
	 write_prog_memory},
	{{"bprof_program_map_memory_bytes", METRIC_GAUGE, "bytes",
	  "Memory that the kernel accounts for the program's maps of this name. Programs may share "
	  "a map."},
	 write_map_memory},
	{{"bprof_program_map_max_entries", METRIC_GAUGE, NULL,
	  "Number of entries that the program's maps of this name can have."},
	 write_map_entries},
	{{"bprof_program_map", METRIC_INFO, NULL, "The maps of programs, and their ids."},
	 write_map_info},
	{{"bprof_program_attachments", METRIC_GAUGE, NULL,
	  "Number of places where the program is attached, by kind."},
	 write_attachments},
	{{"bprof_unheld_programs", METRIC_GAUGE, NULL,
	  "Loaded programs that nothing holds, as far as bprof can see: no process, pin, map, "
	  "other program or attachment (--unheld)."},
	 write_unheld},
	{{"bprof_unheld_memory_bytes", METRIC_GAUGE, "bytes",
	  "Memory that the kernel accounts for the programs of bprof_unheld_programs, without "
	  "their maps."},
	 write_unheld_memory},
	{{"bprof_unheld_unknown_programs", METRIC_GAUGE, NULL,
	  "Loaded programs without a known holder, because bprof cannot search everywhere."},
	 write_unheld_unknown},
	{{"bprof_jit_memory_bytes", METRIC_GAUGE, "bytes",
	  "Memory of the kernel's JIT. of=kernel: the kernel's own count. of=programs: a lower "
	  "bound, the code of all programs that have an id."},
	 write_jit_memory},
	{{"bprof_jit_limit_bytes", METRIC_GAUGE, "bytes",
	  "Limit on the memory of the kernel's JIT for processes without CAP_BPF "
	  "(net.core.bpf_jit_limit)."},
	 write_jit_limit},
	{{"bprof_skipped_programs", METRIC_GAUGE, NULL,
	  "Selected programs that cannot be measured, by reason."},
	 write_skipped},
	{{"bprof_uncalibrated_programs", METRIC_GAUGE, NULL,
	  "Loaded programs whose events are not counted, because the calibration failed."},
	 write_uncalibrated},
	{{"bprof_short_lived_programs", METRIC_COUNTER, NULL,
	  "Selected programs that were unloaded before they could be measured."},
	 write_short_lived},
	{{"bprof_probe_added_ratio", METRIC_GAUGE, "ratio",
	  "CPU time that the probes and the kernel's run statistics added between the last two "
	  "readings of the counts, as a share of one CPU: the CPU on which they added most."},
	 write_probe_share},
	{{"bprof_run_stats_added_ratio", METRIC_GAUGE, "ratio",
	  "The part of bprof_probe_added_ratio that the kernel's run statistics added."},
	 write_stats_share},
	{{"bprof_run_stats_run_seconds", METRIC_GAUGE, "seconds",
	  "Time that the kernel's run statistics add to one run on this machine."},
	 write_stats_run},
	{{"bprof_probe_memory_bytes", METRIC_GAUGE, "bytes",
	  "Memory of the kernel that the counts of the probes take."},
	 write_probe_memory},
	{{"bprof_probe_memory_limit_bytes", METRIC_GAUGE, "bytes",
	  "Memory that the counts of the probes may take (--max-memory)."},
	 write_memory_limit},
	{{"bprof_export_program_limit", METRIC_GAUGE, NULL,
	  "Number of programs that get series of their own (--max-programs)."},
	 write_limit},
	{{"bprof_export_programs_beyond_limit", METRIC_GAUGE, NULL,
	  "Loaded programs that are counted together as program other, because of the limit."},
	 write_beyond},
	{{"bprof_export_looks", METRIC_COUNTER, NULL, "How often the counts were read."},
	 write_looks},
	{{"bprof_export_look_seconds", METRIC_COUNTER, "seconds",
	  "Time that reading the counts took."},
	 write_look_time},
	{{"bprof_export_http_requests", METRIC_COUNTER, NULL, "HTTP requests that were answered."},
	 write_requests},
	{{"bprof_build", METRIC_INFO, NULL, "The version of bprof."}, write_build},
	{{"process_cpu_seconds", METRIC_COUNTER, "seconds",
	  "CPU time of bprof export itself, without its probes."},
	 write_process_cpu},
	{{"process_resident_memory_bytes", METRIC_GAUGE, "bytes",
	  "Resident memory of bprof export."},
	 write_memory},
};

void metrics__write(const struct series *s, const struct metrics_self *self,
		    enum metrics_format format, FILE *out)
{
	struct metrics d = {.w = {.out = out, .format = format}, .s = s, .self = self};

	d.sum = inventory__new();
	for (int i = 0; i < s->prog_cnt; i++)
		make_cells(&d, &s->prog[i]);
	if (s->has_other)
		make_cells(&d, &s->other);
	make_sums(&d);
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		metrics__begin(&d.w, &metrics[i].family);
		if (metrics[i].write)
			metrics[i].write(&d);
		if (metrics[i].of_time)
			each_event(&d, true, metrics[i].of_time);
		if (metrics[i].of_event)
			each_event(&d, false, metrics[i].of_event);
	}
	metrics__end(&d.w);
	for (int i = 0; i < d.cell_cnt; i++)
		free(d.cell[i].labels);
	free(d.cell);
	free(d.buf);
	inventory__free(d.sum);
}
