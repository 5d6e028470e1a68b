// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decodes perf's side-band records of BPF programs. Owns the layout of the records
 * (include/uapi/linux/perf_event.h), sorts them by time, and assigns symbols to programs. Must not
 * know where the bytes come from.
 *
 * For each load or unload, one task writes a KSYMBOL record for each function, and then a BPF_EVENT
 * record (kernel/bpf/core.c, kernel/events/core.c: perf_event_bpf_event()). The task may move to
 * another CPU between these records.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/text.h"
#include "session/sideband_queue.h"

#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* The last bytes of every record. SAMPLE_TYPE and sample_id_all determine this layout. */
struct sample_id {
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, res;
};

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

struct comm_record {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct ksymbol_record {
	struct perf_event_header header;
	__u64 addr;
	__u32 len;
	__u16 ksym_type;
	__u16 flags;
	char name[];
};

struct bpf_record {
	struct perf_event_header header;
	__u16 type;
	__u16 flags;
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
};

/* One decoded record. */
struct sideband_record {
	struct sample_id at;
	/* number of records added before this one; used to sort records that have the same time */
	__u64 seq;
	__u32 type;
	bool unload; /* the record is about an unload, not a load */
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
	__u64 lost;
	char comm[16];
	char *name; /* KSYMBOL record: the function's name, owned */
};

/*
 * The symbols that a task has loaded or unloaded since its last BPF_EVENT record. They belong to
 * the program of the task's next BPF_EVENT record.
 */
struct symbols {
	__u32 tid;
	bool unload;
	char **name; /* owned */
	int cnt;
};

/*
 * Size of the table of command names. The index of a process is its pid modulo this size. If two
 * processes have the same index, the later one replaces the earlier one.
 */
#define COMM_CNT 1024

struct comm {
	__u32 pid;
	char comm[16];
};

struct sideband_queue {
	struct sideband_record *rec;
	int rec_cnt;
	__u64 seq;
	struct symbols *symbols;
	int symbols_cnt;
	struct comm comm[COMM_CNT];
};

void sideband_queue__set_attr(struct perf_event_attr *attr)
{
	attr->sample_type = SAMPLE_TYPE;
	attr->sample_id_all = true;
	attr->use_clockid = true;
	attr->clockid = CLOCK_MONOTONIC;
	attr->ksymbol = true;
	attr->bpf_event = true;
}

struct sideband_queue *sideband_queue__new(void)
{
	return xcalloc(1, sizeof(struct sideband_queue));
}

static void symbols__clear(struct symbols *s)
{
	for (int i = 0; i < s->cnt; i++)
		free(s->name[i]);
	free(s->name);
	s->name = NULL;
	s->cnt = 0;
}

static void forget_symbols(struct sideband_queue *q)
{
	for (int i = 0; i < q->symbols_cnt; i++)
		symbols__clear(&q->symbols[i]);
	free(q->symbols);
	q->symbols = NULL;
	q->symbols_cnt = 0;
}

void sideband_queue__free(struct sideband_queue *q)
{
	if (!q)
		return;
	for (int i = 0; i < q->rec_cnt; i++)
		free(q->rec[i].name);
	free(q->rec);
	forget_symbols(q);
	free(q);
}

/* ---- the records ---- */

/*
 * Returns NAME for a symbol "bpf_prog_TAG_NAME" of a function (kernel/bpf/core.c:
 * bpf_prog_ksym_set_name()), "" for "bpf_prog_TAG", or NULL for other symbols, which belong to
 * trampolines and dispatchers.
 */
static const char *function_of_symbol(const char *symbol)
{
	static const char prefix[] = "bpf_prog_";
	const char *tag = symbol + strlen(prefix);
	size_t tag_len;

	if (strncmp(symbol, prefix, strlen(prefix)))
		return NULL;
	tag_len = strspn(tag, "0123456789abcdef");
	if (tag_len != 2 * BPF_TAG_SIZE || (tag[tag_len] && tag[tag_len] != '_'))
		return NULL;
	return tag[tag_len] ? tag + tag_len + 1 : "";
}

/*
 * Each read_…() function decodes a record of one type, except its sample_id. It returns true if the
 * record is relevant.
 */
static bool read_lost(const struct perf_event_header *h, size_t sz, struct sideband_record *r)
{
	r->lost = ((const struct lost_record *)h)->lost;
	return true;
}

static bool read_comm(const struct perf_event_header *h, size_t sz, struct sideband_record *r)
{
	const struct comm_record *rec = (const void *)h;
	size_t room = sz - sizeof(*rec);

	if (rec->pid != rec->tid)
		return false;
	if (room > sizeof(r->comm) - 1)
		room = sizeof(r->comm) - 1;
	memcpy(r->comm, rec->comm, strnlen(rec->comm, room));
	r->id = rec->pid;
	return true;
}

static bool read_ksymbol(const struct perf_event_header *h, size_t sz, struct sideband_record *r)
{
	const struct ksymbol_record *rec = (const void *)h;
	char *symbol = xstrndup(rec->name, sz - sizeof(*rec));
	const char *func;

	func = function_of_symbol(symbol);
	r->unload = rec->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	r->name = text__dup(func);
	free(symbol);
	return r->name;
}

static bool read_bpf_event(const struct perf_event_header *h, size_t sz, struct sideband_record *r)
{
	const struct bpf_record *rec = (const void *)h;

	if (rec->type != PERF_BPF_EVENT_PROG_LOAD && rec->type != PERF_BPF_EVENT_PROG_UNLOAD)
		return false;
	r->unload = rec->type == PERF_BPF_EVENT_PROG_UNLOAD;
	r->id = rec->id;
	memcpy(r->tag, rec->tag, sizeof(r->tag));
	return true;
}

static const struct record_type {
	__u32 type;
	size_t sz; /* minimum size of the record without its sample_id */
	bool (*read)(const struct perf_event_header *h, size_t sz, struct sideband_record *r);
} record_types[] = {
	{PERF_RECORD_LOST, sizeof(struct lost_record), read_lost},
	{PERF_RECORD_COMM, sizeof(struct comm_record), read_comm},
	{PERF_RECORD_KSYMBOL, sizeof(struct ksymbol_record), read_ksymbol},
	{PERF_RECORD_BPF_EVENT, sizeof(struct bpf_record), read_bpf_event},
};

void sideband_queue__add(struct sideband_queue *q, const struct perf_event_header *h)
{
	const struct record_type *t = NULL;
	struct sideband_record r = {.seq = q->seq++, .type = h->type}, *slot;
	size_t sz;

	for (size_t i = 0; i < ARRAY_SIZE(record_types) && !t; i++)
		if (record_types[i].type == h->type)
			t = &record_types[i];
	if (!t || h->size < t->sz + sizeof(r.at))
		return;
	sz = h->size - sizeof(r.at);
	memcpy(&r.at, (const char *)h + sz, sizeof(r.at));
	if (!t->read(h, sz, &r))
		return;
	slot = array__add(&q->rec, &q->rec_cnt, sizeof(*slot));
	*slot = r;
}

bool sideband_queue__has_load(const struct sideband_queue *q, __u32 id)
{
	for (int i = 0; i < q->rec_cnt; i++)
		if (q->rec[i].type == PERF_RECORD_BPF_EVENT && !q->rec[i].unload &&
		    q->rec[i].id == id)
			return true;
	return false;
}

/* ---- combining KSYMBOL and BPF_EVENT records into loads and unloads ---- */

static struct symbols *symbols_of_task(struct sideband_queue *q, __u32 tid)
{
	for (int i = 0; i < q->symbols_cnt; i++)
		if (q->symbols[i].tid == tid)
			return &q->symbols[i];
	return NULL;
}

/* Adds r's symbol to the symbols of its task. Takes ownership of the symbol's name. */
static void add_task_symbol(struct sideband_queue *q, struct sideband_record *r)
{
	struct symbols *s = symbols_of_task(q, r->at.tid);
	char **name;

	if (!s) {
		s = array__add(&q->symbols, &q->symbols_cnt, sizeof(*s));
		s->tid = r->at.tid;
	}
	/*
	 * If the task has loaded symbols and now unloads a symbol, or vice versa, the earlier
	 * symbols belong to another program, whose BPF_EVENT record is missing.
	 */
	if (s->unload != r->unload)
		symbols__clear(s);
	s->unload = r->unload;
	name = array__add(&s->name, &s->cnt, sizeof(*name));
	*name = r->name;
	r->name = NULL;
}

static int report_program(struct sideband_queue *q, const struct sideband_record *r, sideband_fn fn,
			  void *arg)
{
	struct sideband_event event = {
		.kind = r->unload ? SIDEBAND_UNLOAD : SIDEBAND_LOAD,
		.time_ns = r->at.time,
		.cpu = r->at.cpu,
		/* the kernel writes -1 for a task that has ended (perf_event_pid()) */
		.pid = r->at.pid == ~0U ? 0 : r->at.pid,
		.id = r->id,
	};
	struct symbols *s = symbols_of_task(q, r->at.tid);
	const struct comm *c = &q->comm[event.pid % COMM_CNT];
	int err;

	memcpy(event.tag, r->tag, sizeof(event.tag));
	if (event.pid && c->pid == event.pid)
		memcpy(event.comm, c->comm, sizeof(event.comm));
	if (s && s->unload == r->unload) {
		event.func = (const char *const *)s->name;
		event.func_cnt = s->cnt;
	}
	err = fn(&event, arg);
	if (s) {
		symbols__clear(s);
		*s = q->symbols[--q->symbols_cnt];
	}
	return err;
}

static int handle_record(struct sideband_queue *q, struct sideband_record *r, sideband_fn fn,
			 void *arg)
{
	struct sideband_event lost = {
		.kind = SIDEBAND_LOST, .time_ns = r->at.time, .cpu = r->at.cpu, .lost = r->lost};
	struct comm *c = &q->comm[r->id % COMM_CNT];

	switch (r->type) {
	case PERF_RECORD_KSYMBOL:
		add_task_symbol(q, r);
		return 0;
	case PERF_RECORD_COMM:
		c->pid = r->id;
		memcpy(c->comm, r->comm, sizeof(c->comm));
		return 0;
	case PERF_RECORD_BPF_EVENT:
		return report_program(q, r, fn, arg);
	default: /* PERF_RECORD_LOST: the BPF_EVENT record of these symbols may be lost, too */
		forget_symbols(q);
		return fn(&lost, arg);
	}
}

static int compare_records(const void *a_ptr, const void *b_ptr)
{
	const struct sideband_record *a = a_ptr, *b = b_ptr;

	if (a->at.time != b->at.time)
		return a->at.time < b->at.time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

int sideband_queue__flush(struct sideband_queue *q, __u64 until_ns, sideband_fn fn, void *arg)
{
	int cnt = 0, err = 0;

	if (q->rec_cnt)
		qsort(q->rec, q->rec_cnt, sizeof(*q->rec), compare_records);
	while (!err && cnt < q->rec_cnt && q->rec[cnt].at.time <= until_ns) {
		err = handle_record(q, &q->rec[cnt], fn, arg);
		free(q->rec[cnt++].name);
	}
	q->rec_cnt -= cnt;
	if (cnt && q->rec_cnt)
		memmove(q->rec, q->rec + cnt, q->rec_cnt * sizeof(*q->rec));
	return err;
}
