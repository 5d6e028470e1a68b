// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The output of bprof trace, and its text form. Owns the format of the lines. Must not know how
 * records are made, or what other formats look like.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/fsession.h"
#include "btf/retval.h"
#include "session/session.h"
#include "trace/trace_output.h"
#include "trace/trace_symbols.h"

#define TIME_SZ 32
/* A smaller step of the clock is ignored: it may come from reading two clocks. */
#define MIN_CLOCK_STEP_NS 1000000
#define CLOCK_TRIES 10
#define BYTES_PER_LINE 16

static int report_write_error(const struct trace_output *o)
{
	if (ferror(o->out))
		return log_err(-EIO, "%s: cannot be written: %s", o->name, strerror(errno ?: EIO));
	return 0;
}

void trace_output__follow_clock(struct trace_output *o)
{
	__u64 before, epoch_ns, took = MIN_CLOCK_STEP_NS;
	struct timespec ts;

	/* Read the clocks again if this took so long that the result may be wrong by half a step. */
	for (int i = 0; i < CLOCK_TRIES && took >= MIN_CLOCK_STEP_NS / 2; i++) {
		before = now_ns();
		clock_gettime(CLOCK_REALTIME, &ts);
		took = now_ns() - before;
	}
	epoch_ns = ts.tv_sec * 1000000000ULL + ts.tv_nsec - before;
	if (llabs((__s64)(epoch_ns - o->epoch_ns)) >= MIN_CLOCK_STEP_NS)
		o->epoch_ns = epoch_ns;
}

/*
 * Formats the time ns of CLOCK_MONOTONIC as the local time of day: "12:34:56.123456789". For CSV,
 * formats it with the date, in UTC. buf has TIME_SZ bytes. Returns buf.
 */
static const char *format_time_of_day(const struct trace_output *o, __u64 ns, char *buf)
{
	const bool is_csv = o->format == &trace_csv;
	__u64 wall = o->epoch_ns + ns;
	time_t sec = wall / 1000000000;
	struct tm tm;
	size_t len;

	is_csv ? gmtime_r(&sec, &tm) : localtime_r(&sec, &tm);
	len = strftime(buf, TIME_SZ, is_csv ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &tm);
	snprintf(buf + len, TIME_SZ - len, ".%09llu%s", (unsigned long long)wall % 1000000000,
		 is_csv ? "Z" : "");
	return buf;
}

/* Returns a target's name for the output, "xdp_lb" or "xdp_lb:parse". The caller frees it. */
static char *make_label(const struct target *t)
{
	char *name = text__printable(prog__name(t->prog)), *func, *label;

	if (!t->subprog)
		return name;
	func = text__printable(t->func);
	label = text__format("%s:%s", name, func);
	free(func);
	free(name);
	return label;
}

/* The least width of an event's cells. The number in a record may have seven digits. */
#define COST_WIDTH 9
#define ARG_WIDTH 6
#define ADDRESS_WIDTH 18
#define WHY_WIDTH 20
#define PACKET_WIDTH 7
#define KEY_WIDTH 12

/* Returns the width of an argument's column. */
static int find_arg_width(const struct trace_output *o, int index)
{
	const struct trace_args *args = o->probe->args;
	int width = text__width(args->expr[index].text);

	for (int i = 0; i < o->s->targets.cnt; i++) {
		const struct arg_path *path = trace_args__path(args, &o->s->targets.v[i], index);
		int wanted = !path			 ? 0
			     : path->kind == ARG_POINTER ? ADDRESS_WIDTH
			     : path->kind == ARG_TEXT	 ? (int)path->size
							 : ARG_WIDTH;

		if (width < wanted)
			width = wanted;
	}
	return width;
}

/* Reserves the widths of the columns, because each line is printed as soon as its record comes. */
static void make_columns(const struct trace_output *o, int label_width)
{
	static const struct table_col cols[] = {
		LEFT_COL("TIME"),
		RIGHT_COL("CPU", .drop_order = 4),
		RIGHT_COL("TID", .drop_order = 2),
		LEFT_COL("COMM", .drop_order = 3),
		RIGHT_COL("ID", .drop_order = 1),
		LEFT_COL("NAME", .min_width = 10),
		LEFT_COL("RETURNED"),
	};
	static const struct table_col end[] = {
		RIGHT_COL("LENGTH", .drop_order = 5),
		LEFT_COL("WHY", .min_width = WHY_WIDTH, .folds = true),
	};
	const int widths[] = {18, 3, 7, 15, 6, label_width, 12};
	const struct trace_args *args = o->probe->args;
	const struct session *s = o->s;
	int col = ARRAY_SIZE(cols);

	table__add_cols(o->table, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < s->env.events->cnt; i++)
		if (s->env.fds->state[i].status == EVENT_OK) {
			table__add_col(o->table, TABLE_RIGHT, s->env.events->v[i].name);
			table__reserve(o->table, col++, COST_WIDTH);
		}
	for (int i = 0; args && i < args->cnt; i++) {
		table__add_col(o->table, TABLE_RIGHT, args->expr[i].text);
		table__reserve(o->table, col++, find_arg_width(o, i));
	}
	if (trace_output__has_key(o)) {
		table__add_col(o->table, TABLE_LEFT, run_key__spec(o->keys->by)->header);
		table__reserve(o->table, col++, KEY_WIDTH);
	}
	if (o->joined) {
		table__add_col(o->table, TABLE_RIGHT, "PACKET");
		table__reserve(o->table, col++, PACKET_WIDTH);
	}
	table__add_cols(o->table, end, ARRAY_SIZE(end));
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		table__reserve(o->table, i, widths[i]);
	table__reserve(o->table, col + 1, WHY_WIDTH);
	table__fix_widths(o->table, &o->screen);
}

void trace_output__prepare(struct trace_output *o)
{
	int label_width = 0;

	o->label = xcalloc(o->s->targets.cnt + 1, sizeof(*o->label));
	o->table = table__new();
	for (int i = 0; i < o->s->targets.cnt; i++) {
		int width;

		o->label[i] = make_label(&o->s->targets.v[i]);
		width = text__width(o->label[i]);
		/* If functions call one another, only the outermost are recorded. */
		if (width > label_width && !o->s->targets.v[i].depth)
			label_width = width;
	}
	make_columns(o, label_width);
}

void trace_output__free(struct trace_output *o)
{
	for (int i = 0; o->label && i < o->s->targets.cnt; i++)
		free(o->label[i]);
	free(o->label);
	o->label = NULL;
	id_map__free(&o->named);
	table__free(o->table);
	o->table = NULL;
}

int trace_output__flush(const struct trace_output *o)
{
	fflush(o->out);
	return report_write_error(o);
}

static void add_costs(const struct trace_output *o, const struct bprof_record *r)
{
	const struct session *s = o->s;

	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];
		const struct event_state *state = &s->env.fds->state[i];
		bool failed = r->failed >> state->slot & 1;

		if (state->status == EVENT_OK)
			table__add_quantity(
				o->table, failed ? NAN : r->net[state->slot] * ev->scale, ev->unit);
	}
}

static void add_arg_cells(const struct trace_output *o, const struct bprof_record *r)
{
	const struct trace_args *args = o->probe->args;

	for (int i = 0; args && i < args->cnt; i++) {
		const void *value = trace_probe__arg(o->probe, r, i);
		char text[ARG_VALUE_SZ];

		table__add_cell(o->table, TABLE_PLAIN, "%s",
				value ? arg_path__format(trace_output__arg(o, r, i), value, text)
				      : "-");
	}
}

/* Writes to buf why the run was recorded. */
static void format_why(const struct trace_output *o, const struct bprof_record *r, char *buf,
		       size_t sz)
{
	const struct trace_conds *c = o->probe->conds;
	const char *sep = "";
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < c->bound_cnt && len < sz; i++)
		if (trace_output__is_true(o, r, &c->bound[i])) {
			len += snprintf(buf + len, sz - len, "%s%s", sep, c->bound[i].spec);
			sep = ", ";
		}
	for (int i = 0; i < TRACE_ARGS_MAX && len < sz; i++)
		if (trace_output__met_arg(o, r, i)) {
			len += snprintf(buf + len, sz - len, "%s%s", sep,
					o->probe->args->expr[i].spec);
			sep = ", ";
		}
	if (r->why & BPROF_WHY_RETVAL && len < sz) {
		len += snprintf(buf + len, sz - len, "%sretval", sep);
		sep = ", ";
	}
	if (r->why & BPROF_WHY_EVERY && len < sz)
		snprintf(buf + len, sz - len, "%severy", sep);
}

static void print_packet(const struct trace_output *o, const struct bprof_record *r)
{
	const __u8 *bytes = trace_probe__packet(o->probe, r);

	for (__u32 i = 0; i < r->snapped; i++)
		fprintf(o->out, "%s%02x",
			i % BYTES_PER_LINE == 0 ? (i ? "\n        " : "        ")
			: i % 2			? ""
						: " ",
			bytes[i]);
	if (r->snapped)
		fputc('\n', o->out);
	if (r->snapped && r->in_parts)
		fprintf(o->out, "        (only the linear part; the packet is in several parts)\n");
	if (r->vlan_proto)
		fprintf(o->out, "        (VLAN tag beside the packet: 0x%04x, TCI 0x%04x)\n",
			ntohs(r->vlan_proto), r->vlan_tci);
}

static void add_packet_cell(const struct trace_output *o)
{
	if (o->joined && o->packet)
		table__add_cell(o->table, TABLE_PLAIN, "%llu", (unsigned long long)o->packet);
	else if (o->joined)
		table__add_cell(o->table, TABLE_PLAIN, "-");
}

static void add_record_row(const struct trace_output *o, int cpu, const struct bprof_record *r)
{
	const struct target *t = &o->s->targets.v[r->target];
	char when[TIME_SZ], retval[RETVAL_SZ], comm[sizeof(r->comm) + 1] = "";
	char why[1024], *key;
	__u64 value;
	bool known;

	memcpy(comm, r->comm, sizeof(r->comm));
	format_why(o, r, why, sizeof(why));
	table__add_row(o->table);
	table__add_cell(o->table, TABLE_PLAIN, "%s", format_time_of_day(o, r->ns, when));
	table__add_cell(o->table, TABLE_PLAIN, "%d", cpu);
	table__add_cell(o->table, TABLE_PLAIN, "%u", (__u32)r->pid_tgid);
	table__add_cell(o->table, TABLE_PLAIN, "%s", comm);
	table__add_cell(o->table, TABLE_PLAIN, "%u", t->id);
	table__add_cell(o->table, TABLE_PLAIN, "%s", o->label[r->target]);
	table__add_cell(o->table, TABLE_PLAIN, "%s",
			trace_probe__has_retval(t)
				? retval__format(trace_output__type(t), r->retval, retval)
				: "-");
	add_costs(o, r);
	add_arg_cells(o, r);
	if (trace_output__has_key(o)) {
		key = trace_keys__name(o->keys, o->probe, r, &value, &known);
		table__add_cell(o->table, TABLE_PLAIN, "%s", key);
		free(key);
	}
	add_packet_cell(o);
	if (trace_probe__has_packets(o->probe, t))
		table__add_count(o->table, r->packet_sz, TABLE_PLAIN);
	else
		table__add_cell(o->table, TABLE_PLAIN, "-");
	table__add_cell(o->table, TABLE_PLAIN, "%s", why);
}

static void print_column_names(struct trace_output *o)
{
	table__print(o->table, o->out, true, &o->screen);
}

static void print_record(struct trace_output *o, int cpu, const struct bprof_record *r)
{
	table__clear(o->table);
	add_record_row(o, cpu, r);
	table__print(o->table, o->out, false, &o->screen);
	if (o->bytes)
		print_packet(o, r);
	for (int i = trace_output__first_frame(o, r); i < trace_output__stack_cnt(r); i++) {
		char symbol[160];
		char *name = text__printable(trace_output__frame(o, r, i, symbol, sizeof(symbol)));

		fprintf(o->out, "    %s\n", name);
		free(name);
	}
}

/* Returns a text that says to what the limit applies. */
static const char *limited(const struct trace_output *o)
{
	return o->joined ? "packets per second" : "per program, CPU and second";
}

/* Prints the cost of a packet above its records. */
static void print_packet_sum(struct trace_output *o, const struct trace_packet *p)
{
	const struct session *s = o->s;
	char when[TIME_SZ];

	if (!p->number)
		return;
	table__clear(o->table);
	table__add_row(o->table);
	table__add_cell(o->table, TABLE_PLAIN, "%s", format_time_of_day(o, p->run->begin_ns, when));
	for (int i = 0; i < 4; i++)
		table__add_cell(o->table, TABLE_PLAIN, "%s", "");
	table__add_cell(o->table, TABLE_PLAIN, "= %d program%s", p->cnt, p->cnt > 1 ? "s" : "");
	table__add_cell(o->table, TABLE_PLAIN, "%s", "");
	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];
		const struct event_state *state = &s->env.fds->state[i];
		double sum = 0; /* NaN: the cost of a run is not known */

		if (state->status != EVENT_OK)
			continue;
		for (int k = 0; k < p->cnt; k++) {
			const struct bprof_record *r = p->run[k].r;

			sum += r->failed >> state->slot & 1 ? NAN : r->net[state->slot] * ev->scale;
		}
		table__add_quantity(o->table, sum, ev->unit);
	}
	for (int i = 0; o->probe->args && i < o->probe->args->cnt; i++)
		table__add_cell(o->table, TABLE_PLAIN, "%s", "");
	if (trace_output__has_key(o))
		table__add_cell(o->table, TABLE_PLAIN, "%s", "");
	add_packet_cell(o);
	table__print(o->table, o->out, false, &o->screen);
}

static void print_held(struct trace_output *o, __u64 cnt)
{
	char held[NUMBER_SZ], limit[NUMBER_SZ];

	fprintf(o->out, "# %s records held back: at most %s %s (--limit)\n",
		number__group_u64(held, cnt), number__group_u64(limit, o->probe->limit),
		limited(o));
}

static void print_lost_records(struct trace_output *o, int cpu, __u64 cnt)
{
	char lost[NUMBER_SZ];

	fprintf(o->out, "# %s records lost: the ring buffer of CPU %d was full\n",
		number__group_u64(lost, cnt), cpu);
}

/* Prints the last limits of percentiles: the records only show which runs were above the limit. */
static void print_bounds(const struct trace_output *o)
{
	const struct trace_bound *b = trace_conds__percentile(o->probe->conds);

	for (int i = 0; b && i < o->s->targets.cnt; i++) {
		const struct event *ev = &o->s->env.events->v[b->index];
		char text[QUANTITY_SZ];
		double value;

		if (trace_output__bound(o, i, &value))
			fprintf(o->out, "# %s: %s at the end for %u %s\n", b->spec,
				number__quantity(text, value, ev->unit, false),
				o->s->targets.v[i].id, o->label[i]);
		else if (!o->s->targets.v[i].depth)
			fprintf(o->out, "# %s: not known, too few runs of %u %s\n", b->spec,
				o->s->targets.v[i].id, o->label[i]);
	}
}

/* Writes one line without its end. */
static void write_summary_line(const struct trace_output *o, const struct trace_summary *sum,
			       FILE *out)
{
	char runs[NUMBER_SZ], records[NUMBER_SZ], lost[NUMBER_SZ], held[NUMBER_SZ], no[NUMBER_SZ];
	char own[NUMBER_SZ];

	fprintf(out, "%s invocations in %.3f s", number__group_u64(runs, sum->invocations),
		sum->elapsed_ns / 1e9);
	if (sum->measured != sum->invocations)
		fprintf(out, ", %s of them not measured",
			number__group_u64(no, sum->invocations - sum->measured));
	if (sum->own)
		fprintf(out, ", %s by bprof itself left out", number__group_u64(own, sum->own));
	fprintf(out, ": %s recorded, %s lost, %s held back%s",
		number__group_u64(records, sum->counts.records),
		number__group_u64(lost, sum->counts.lost),
		number__group_u64(held, sum->counts.held),
		session__is_net(o->s) ? "" : "; costs are raw, including the probe's own");
	if (o->joined)
		fprintf(out, "; %s packets, and %s records that are not joined",
			number__group_u64(records, sum->joined.packets),
			number__group_u64(lost, sum->joined.unjoined));
}

static void print_summary(struct trace_output *o, const struct trace_summary *sum)
{
	const struct target_list *targets = &o->s->targets;

	fputs("# ", o->out);
	write_summary_line(o, sum, o->out);
	fputc('\n', o->out);
	print_bounds(o);
	trace_shares__print(&sum->shares, o->s, o->out, &o->screen);
	/* The cost of the callers includes these calls. Other skipped targets were reported before. */
	for (int i = 0; i < targets->skip_cnt; i++) {
		const struct skipped *skip = &targets->skip[i];
		char why[512], *name;

		if (!skip->called)
			continue;
		name = text__printable(skip->name);
		fprintf(o->out, "# %u %s: %s\n", skip->id, name,
			reason__describe(&skip->reason, why, sizeof(why)));
		free(name);
	}
}

/* ---- the formats ---- */

const struct trace_format trace_text = {.begin = print_column_names,
					.packet = print_packet_sum,
					.record = print_record,
					.held = print_held,
					.lost = print_lost_records,
					.end = print_summary};

/* ---- CSV: the lines of records; everything else is a message ---- */

static void print_csv_names(struct trace_output *o)
{
	table__clear(o->table);
	if (o->csv.header)
		table__print_csv(o->table, &o->csv, o->out);
	o->csv.header = false;
}

static void print_csv_record(struct trace_output *o, int cpu, const struct bprof_record *r)
{
	table__clear(o->table);
	add_record_row(o, cpu, r);
	table__print_csv(o->table, &o->csv, o->out);
}

static void warn_held(struct trace_output *o, __u64 cnt)
{
	log_warn("%llu records held back: at most %llu %s (--limit)", (unsigned long long)cnt,
		 (unsigned long long)o->probe->limit, limited(o));
}

static void warn_lost(struct trace_output *o, int cpu, __u64 cnt)
{
	log_warn("%llu records lost: the ring buffer of CPU %d was full", (unsigned long long)cnt,
		 cpu);
}

static void note_summary(struct trace_output *o, const struct trace_summary *sum)
{
	char *text = NULL;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	write_summary_line(o, sum, out);
	fclose(out);
	log_note("%s", text);
	free(text);
	if (sum->shares.cnt)
		log_note("the shares of functions are in text and JSON (-j), not in CSV");
}

const struct trace_format trace_csv = {.begin = print_csv_names,
				       .record = print_csv_record,
				       .held = warn_held,
				       .lost = warn_lost,
				       .end = note_summary};

int trace_output__begin(struct trace_output *o)
{
	if (o->format->begin)
		o->format->begin(o);
	return trace_output__flush(o);
}

int trace_output__record(struct trace_output *o, int cpu, const struct bprof_record *r)
{
	o->format->record(o, cpu, r);
	return report_write_error(o);
}

int trace_output__begin_packet(struct trace_output *o, const struct trace_packet *p)
{
	o->packet = p->number;
	if (o->format->packet)
		o->format->packet(o, p);
	return report_write_error(o);
}

int trace_output__held(struct trace_output *o, __u64 cnt)
{
	o->format->held(o, cnt);
	return report_write_error(o);
}

int trace_output__lost(struct trace_output *o, int cpu, __u64 cnt)
{
	o->format->lost(o, cpu, cnt);
	return report_write_error(o);
}

int trace_output__end(struct trace_output *o, const struct trace_summary *sum)
{
	o->format->end(o, sum);
	return report_write_error(o);
}

/* ---- helpers for all formats ---- */

bool trace_output__bound(const struct trace_output *o, int target, double *value)
{
	const struct trace_bound *b = trace_conds__percentile(o->probe->conds);
	__s64 over;

	if (!b || !trace_probe__bound(o->probe, &o->s->targets.v[target], &over))
		return false;
	*value = over * o->s->env.events->v[b->index].scale;
	return true;
}

const char *trace_output__type(const struct target *t)
{
	return t->subprog ? "" : prog_type__name(t->prog->info.type);
}

bool trace_output__is_true(const struct trace_output *o, const struct bprof_record *r,
			   const struct trace_bound *b)
{
	__u32 slot = o->s->env.fds->state[b->index].slot;

	return r->why >> slot & 1 && trace_bound__is_true(b, r->net[slot]);
}

bool trace_output__has_key(const struct trace_output *o)
{
	return o->keys && o->keys->by;
}

const struct arg_path *trace_output__arg(const struct trace_output *o, const struct bprof_record *r,
					 int index)
{
	return trace_args__path(o->probe->args, &o->s->targets.v[r->target], index);
}

bool trace_output__met_arg(const struct trace_output *o, const struct bprof_record *r, int index)
{
	const struct trace_args *args = o->probe->args;

	return args && index < args->cnt && r->why & BPROF_WHY_ARG && r->args_true >> index & 1;
}

int trace_output__stack_cnt(const struct bprof_record *r)
{
	return r->stack_sz / sizeof(__u64);
}

static __u64 frame_address(const struct trace_output *o, const struct bprof_record *r, int i)
{
	const char *stack = trace_probe__stack(o->probe, r);
	__u64 address;

	memcpy(&address, stack + i * sizeof(address), sizeof(address));
	return address;
}

const char *trace_output__frame(const struct trace_output *o, const struct bprof_record *r, int i,
				char *buf, size_t sz)
{
	__u64 address = frame_address(o, r, i);
	struct code_place place = trace_symbols__find(o->symbols, address);

	if (place.name)
		snprintf(buf, sz, "%s+0x%llx", place.name, (unsigned long long)place.offset);
	else
		snprintf(buf, sz, "0x%llx", (unsigned long long)address);
	return buf;
}

static bool is_probe_frame(const struct code_place *place)
{
	return place->prog_id && place->name &&
	       (strstr(place->name, "_bprof_exit") || strstr(place->name, "_" FSESSION_PROBE));
}

/*
 * The first frame is that of the probe, and the next one is that of its trampoline, whose name the
 * kernel may hide. If the trampoline is entered by a jump (Linux 6.19, x86-64), the target has no
 * frame.
 */
int trace_output__first_frame(const struct trace_output *o, const struct bprof_record *r)
{
	int cnt = trace_output__stack_cnt(r), i = 0;
	struct code_place place = {};

	for (; i < cnt; i++) {
		place = trace_symbols__find(o->symbols, frame_address(o, r, i));
		if (!is_probe_frame(&place))
			break;
	}
	return i && i < cnt && !place.prog_id ? i + 1 : i;
}
