// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the queue of perf's side-band records with made-up records: which ones are used, in which
 * order they are reported, and which symbols belong to which program.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "session/sideband_queue.h"

#define TAG "0011223344556677"

/* reported has one line for each call of report_event(), such as "load 7 a,b by 42(comm)\n". */
struct fixture {
	struct sideband_queue *q;
	char reported[2048];
	int fail_after; /* number of the report that fails; 0: none */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	assert_non_null(f);
	f->q = sideband_queue__new();
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sideband_queue__free(f->q);
	free(f);
	return 0;
}

static int report_event(const struct sideband_event *e, void *arg)
{
	struct fixture *f = arg;
	char *p = f->reported + strlen(f->reported);

	if (e->kind == SIDEBAND_LOST) {
		sprintf(p, "lost %llu on %d\n", e->lost, e->cpu);
	} else {
		p += sprintf(p, "%s %u", e->kind == SIDEBAND_LOAD ? "load" : "unload", e->id);
		for (int i = 0; i < e->func_cnt; i++)
			p += sprintf(p, "%c%s", i ? ',' : ' ', e->func[i]);
		sprintf(p, " by %u(%s)\n", e->pid, e->comm);
	}
	return f->fail_after && !--f->fail_after ? -EIO : 0;
}

/* The fields at the end of each record: pid, tid, time, CPU. */
struct where {
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, res;
};

struct buf {
	union {
		struct perf_event_header header;
		char bytes[512];
	};
};

/* Makes a record that consists of a fixed part, a name, and the fields of struct where. */
static void make(struct buf *b, __u32 type, const void *fixed, size_t sz, const char *name,
		 struct where at)
{
	size_t len = sizeof(b->header);

	memset(b, 0, sizeof(*b));
	memcpy(b->bytes + len, fixed, sz);
	len += sz;
	if (name) {
		strcpy(b->bytes + len, name);
		len += (strlen(name) + 8) & ~7;
	}
	memcpy(b->bytes + len, &at, sizeof(at));
	b->header.type = type;
	b->header.size = len + sizeof(at);
}

static void add(struct fixture *f, const struct buf *b)
{
	sideband_queue__add(f->q, &b->header);
}

static void add_prog(struct fixture *f, __u16 type, __u32 id, struct where at)
{
	struct {
		__u16 type, flags;
		__u32 id;
		__u8 tag[8];
	} fixed = {.type = type, .id = id};
	struct buf b;

	make(&b, PERF_RECORD_BPF_EVENT, &fixed, sizeof(fixed), NULL, at);
	add(f, &b);
}

static void add_symbol(struct fixture *f, const char *name, bool unregister, struct where at)
{
	struct {
		__u64 addr;
		__u32 len;
		__u16 type, flags;
	} fixed = {.type = PERF_RECORD_KSYMBOL_TYPE_BPF, .flags = unregister};
	struct buf b;

	make(&b, PERF_RECORD_KSYMBOL, &fixed, sizeof(fixed), name, at);
	add(f, &b);
}

static void add_comm(struct fixture *f, __u32 pid, __u32 tid, const char *comm, struct where at)
{
	__u32 fixed[2] = {pid, tid};
	struct buf b;

	make(&b, PERF_RECORD_COMM, fixed, sizeof(fixed), comm, at);
	add(f, &b);
}

static void add_lost(struct fixture *f, __u64 lost, struct where at)
{
	__u64 fixed[2] = {0, lost};
	struct buf b;

	make(&b, PERF_RECORD_LOST, fixed, sizeof(fixed), NULL, at);
	add(f, &b);
}

static struct where at(__u64 time, __u32 pid, __u32 cpu)
{
	return (struct where){.pid = pid, .tid = pid, .time = time, .cpu = cpu};
}

static void assert_reported(struct fixture *f, __u64 until, const char *want)
{
	f->reported[0] = '\0';
	assert_int_equal(sideband_queue__flush(f->q, until, report_event, f), 0);
	assert_string_equal(f->reported, want);
}

#define LOAD PERF_BPF_EVENT_PROG_LOAD
#define UNLOAD PERF_BPF_EVENT_PROG_UNLOAD

/* The buffers of two CPUs are read one after the other, but records are ordered by time. */
static void test_order(void **state)
{
	struct fixture *f = *state;

	add_prog(f, UNLOAD, 7, at(30, 42, 0));
	add_prog(f, LOAD, 8, at(40, 42, 0));
	add_prog(f, LOAD, 7, at(20, 41, 1));
	assert_reported(f, 100, "load 7 by 41()\nunload 7 by 42()\nload 8 by 42()\n");
	assert_reported(f, 100, "");
}

/* Records with the same time keep the order in which they were written. */
static void test_same_time(void **state)
{
	struct fixture *f = *state;

	for (__u32 id = 1; id < 20; id++)
		add_prog(f, LOAD, id, at(5, 1, 0));
	f->reported[0] = '\0';
	assert_int_equal(sideband_queue__flush(f->q, 5, report_event, f), 0);
	assert_int_equal(strncmp(f->reported, "load 1 by 1()\nload 2 by 1()\nload 3", 34), 0);
}

/* A record that is newer than the given time is not reported until the next flush. */
static void test_until(void **state)
{
	struct fixture *f = *state;

	add_prog(f, LOAD, 7, at(20, 1, 0));
	add_prog(f, UNLOAD, 7, at(21, 1, 1));
	assert_true(sideband_queue__has_load(f->q, 7));
	assert_reported(f, 20, "load 7 by 1()\n");
	assert_false(sideband_queue__has_load(f->q, 7));
	assert_reported(f, 21, "unload 7 by 1()\n");
}

/* Two tasks load programs at the same time. Symbols of trampolines are ignored. */
static void test_functions(void **state)
{
	struct fixture *f = *state;

	add_symbol(f, "bpf_prog_" TAG "_main_a", false, at(1, 10, 0));
	add_symbol(f, "bpf_prog_" TAG "_main_b", false, at(2, 11, 1));
	add_symbol(f, "bpf_trampoline_6442", false, at(3, 10, 0));
	add_symbol(f, "bpf_prog_" TAG "_sub_a", false, at(4, 10, 0));
	add_prog(f, LOAD, 5, at(5, 10, 1)); /* the task moved to another CPU before this record */
	add_prog(f, LOAD, 6, at(6, 11, 1));
	add_prog(f, LOAD, 7, at(7, 11, 1)); /* not JITed, and therefore without symbols */
	assert_reported(f, 100,
			"load 5 main_a,sub_a by 10()\nload 6 main_b by 11()\nload 7 by 11()\n");
	add_symbol(f, "bpf_prog_" TAG "_main_a", true, at(8, 10, 0));
	add_symbol(f, "bpf_prog_" TAG, true, at(9, 10, 0));
	add_prog(f, UNLOAD, 5, at(10, 10, 0));
	assert_reported(f, 100, "unload 5 main_a, by 10()\n");
}

/*
 * Symbols before lost records may belong to a program whose record is among the lost ones. The next
 * load does not get them.
 */
static void test_lost(void **state)
{
	struct fixture *f = *state;

	add_symbol(f, "bpf_prog_" TAG "_old", false, at(1, 10, 0));
	add_lost(f, 12, at(2, 10, 3));
	add_prog(f, LOAD, 5, at(3, 10, 0));
	assert_reported(f, 100, "lost 12 on 3\nload 5 by 10()\n");
}

/* The symbols of a program that is unloaded do not belong to the next load. */
static void test_other_kind(void **state)
{
	struct fixture *f = *state;

	add_symbol(f, "bpf_prog_" TAG "_old", true, at(1, 10, 0));
	add_prog(f, LOAD, 5, at(2, 10, 0));
	assert_reported(f, 100, "load 5 by 10()\n");
}

/* The reported name is that of the process when the record was written, not that of a thread. */
static void test_comm(void **state)
{
	struct fixture *f = *state;

	add_comm(f, 10, 10, "first", at(1, 10, 0));
	add_comm(f, 10, 12, "thread", at(2, 10, 0));
	add_prog(f, LOAD, 5, at(3, 10, 0));
	add_comm(f, 10, 10, "second_of_15_ch", at(4, 10, 0));
	add_prog(f, UNLOAD, 5, at(5, 10, 0));
	add_prog(f, LOAD, 6, at(6, 11, 0));
	/* this pid has the same index in the table of names as pid 10 */
	add_prog(f, LOAD, 7, at(7, 10 + 1024, 0));
	add_prog(f, LOAD, 8, at(8, ~0U, 0));
	assert_reported(f, 100,
			"load 5 by 10(first)\nunload 5 by 10(second_of_15_ch)\nload 6 by 11()\n"
			"load 7 by 1034()\nload 8 by 0()\n");
}

/* Irrelevant and truncated records are ignored, and nothing is read beyond their end. */
static void test_foreign(void **state)
{
	struct fixture *f = *state;
	__u64 fixed[4] = {};
	struct buf b;

	make(&b, PERF_RECORD_MMAP, fixed, sizeof(fixed), NULL, at(1, 1, 0));
	add(f, &b);
	add_prog(f, PERF_BPF_EVENT_UNKNOWN, 5, at(2, 1, 0));
	add_symbol(f, "bpf_prog_0011_short_tag", false, at(3, 1, 0));
	add_symbol(f, "bpf_prog_" TAG "x", false, at(4, 1, 0));
	for (__u16 sz = 0; sz < 40; sz++) {
		static const __u32 types[] = {PERF_RECORD_BPF_EVENT, PERF_RECORD_KSYMBOL,
					      PERF_RECORD_COMM, PERF_RECORD_LOST};

		for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
			struct perf_event_header *h = malloc(sz < sizeof(*h) ? sizeof(*h) : sz);

			assert_non_null(h);
			memset(h, 0, sz < sizeof(*h) ? sizeof(*h) : sz);
			h->type = types[i];
			h->size = sz < 32 ? sz : 31;
			sideband_queue__add(f->q, h);
			free(h);
		}
	}
	add_prog(f, LOAD, 6, at(5, 1, 0));
	assert_reported(f, 100, "load 6 by 1()\n");
}

/* If reporting fails, the remaining records are kept, and are reported the next time. */
static void test_failing(void **state)
{
	struct fixture *f = *state;

	add_prog(f, LOAD, 5, at(1, 1, 0));
	add_prog(f, LOAD, 6, at(2, 1, 0));
	f->fail_after = 1;
	assert_int_equal(sideband_queue__flush(f->q, 100, report_event, f), -EIO);
	assert_reported(f, 100, "load 6 by 1()\n");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),     TEST(test_same_time), TEST(test_until),
		TEST(test_functions), TEST(test_lost),	    TEST(test_other_kind),
		TEST(test_comm),      TEST(test_foreign),   TEST(test_failing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
