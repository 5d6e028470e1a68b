// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which runs are joined as those of one packet, and which packets are written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_join.h"

#define MS 1000000ULL
enum { XDP, TC, CGROUP, FILTER, OTHER }; /* targets */

struct made {
	struct trace_join *j;
	char text[1000]; /* the packets: "1:012 -:3", with the targets of their runs */
	int err;
};

static int take(void *arg, const struct trace_packet *p)
{
	struct made *m = arg;
	size_t len = strlen(m->text);

	len += snprintf(m->text + len, sizeof(m->text) - len, "%s", len ? " " : "");
	if (p->number)
		len += snprintf(m->text + len, sizeof(m->text) - len,
				"%llu:", (unsigned long long)p->number);
	else
		len += snprintf(m->text + len, sizeof(m->text) - len, "-:");
	for (int i = 0; i < p->cnt; i++)
		len += snprintf(m->text + len, sizeof(m->text) - len, "%u", p->run[i].r->target);
	return m->err;
}

static void start(struct made *m, __u64 every, __u64 limit)
{
	*m = (struct made){};
	m->j = trace_join__new(&(struct trace_join_opts){
		.every = every, .limit = limit, .memory = 1 << 20, .take = take, .arg = m});
}

static void add_why(struct made *m, __u32 target, __u64 ms, struct join_key key, __u32 why)
{
	const struct bprof_record r = {.target = target, .why = why | BPROF_WHY_EVERY};

	trace_join__add(m->j, 0, &r, sizeof(r), &key, ms * MS);
}

static void add(struct made *m, __u32 target, __u64 ms, struct join_key key)
{
	add_why(m, target, ms, key, 0);
}

static void assert_packets(struct made *m, const char *want)
{
	assert_int_equal(trace_join__end(m->j), 0);
	assert_string_equal(m->text, want);
	trace_join__free(m->j);
}

#define KEY(...) ((struct join_key){__VA_ARGS__})
#define XDP_OF(h, device) KEY(.head = (h), .ifindex = (device))
#define SKB_OF(h, b, device, s) KEY(.head = (h), .skb = (b), .ifindex = (device), .sk = (s))

/* The whole path: the skb has the memory of the XDP program, and later a socket. */
static void test_path(void **state)
{
	struct made m;

	start(&m, 1, 100);
	for (int i = 0; i < 2; i++) { /* the same addresses again */
		add(&m, XDP, 10 * i + 1, XDP_OF(1, 7));
		add(&m, TC, 10 * i + 2, SKB_OF(1, 2, 7, 0));
		add(&m, CGROUP, 10 * i + 3, SKB_OF(1, 2, 7, 9));
		add(&m, FILTER, 10 * i + 4, SKB_OF(1, 2, 7, 9));
	}
	assert_packets(&m, "1:0123 2:0123");
}

/* Packets of two devices come at the same time, and their records in any order. */
static void test_two_devices(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, FILTER, 6, SKB_OF(3, 4, 8, 9));
	add(&m, TC, 4, SKB_OF(3, 4, 8, 0));
	add(&m, XDP, 1, XDP_OF(1, 7));
	add(&m, XDP, 2, XDP_OF(3, 8));
	add(&m, FILTER, 5, SKB_OF(1, 2, 7, 9));
	add(&m, TC, 3, SKB_OF(1, 2, 7, 0));
	assert_packets(&m, "1:013 2:013");
}

/* After a drop, the next packet has the same addresses. */
static void test_drops(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, XDP, 1, XDP_OF(1, 7));
	add(&m, XDP, 2, XDP_OF(1, 7));
	add(&m, TC, 3, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 4, SKB_OF(1, 2, 7, 0));
	add(&m, FILTER, 5, SKB_OF(1, 2, 7, 9));
	assert_packets(&m, "1:0 2:01 3:13");
}

/* A run on another device or with another socket belongs to another packet. */
static void test_others(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, FILTER, 2, SKB_OF(1, 2, 8, 9)); /* another device */
	add(&m, CGROUP, 3, SKB_OF(1, 2, 8, 6)); /* another socket */
	add(&m, OTHER, 4, SKB_OF(1, 2, 8, 0));	/* no socket, but a packet keeps its socket */
	add(&m, TC, 11, SKB_OF(3, 4, 0, 0));	/* sent from here, without a socket */
	add(&m, CGROUP, 12, SKB_OF(3, 4, 0, 9));
	add(&m, TC, 13, SKB_OF(3, 4, 0, 9));
	assert_packets(&m, "1:1 2:3 3:2 4:4 5:1 6:21");
}

/* A run of a hook earlier on the path than the last run begins another packet. */
static void test_order(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, KEY(.head = 1, .skb = 2, .sk = 9, .order = 1));
	add(&m, CGROUP, 2, KEY(.head = 1, .skb = 2, .sk = 9, .order = 0));
	add(&m, TC, 3, KEY(.head = 1, .skb = 2, .sk = 9, .order = 1));
	add(&m, FILTER, 4, KEY(.head = 1, .skb = 2, .sk = 9, .order = -1));
	add(&m, OTHER, 5, KEY(.head = 1, .skb = 2, .sk = 9, .order = 1));
	assert_packets(&m, "1:1 2:21 3:3 4:4");
}

/* Devices of two network namespaces have the same index. */
static void test_namespaces(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, KEY(.head = 1, .skb = 2, .ifindex = 7, .net = 20, .dev = 30, .order = 1));
	add(&m, CGROUP, 2,
	    KEY(.head = 1, .skb = 2, .ifindex = 7, .net = 21, .dev = 31, .sk = 9, .order = 2));
	add(&m, FILTER, 3, /* not known where */
	    KEY(.head = 1, .skb = 2, .ifindex = 7, .sk = 9, .order = 3));
	add(&m, TC, 11, KEY(.head = 3, .skb = 4, .ifindex = 7, .net = 20, .dev = 30, .order = 1));
	add(&m, OTHER, 12, /* forwarded */
	    KEY(.head = 3, .skb = 4, .ifindex = 7, .net = 20, .dev = 32, .order = 1));
	assert_packets(&m, "1:1 2:23 3:14");
}

/*
 * A socket sends on two devices. The second run may be on a device below the first run's, or it may
 * have the next packet, unless the packet began at the cgroup of the socket.
 */
static void test_sent_on_two_devices(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 30, .order = 1));
	add(&m, OTHER, 2, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 31, .order = 1));
	add(&m, FILTER, 3, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 30, .order = 1));
	add(&m, CGROUP, 11, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 30));
	add(&m, TC, 12, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 30, .order = 1));
	add(&m, OTHER, 13, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 31, .order = 1));
	add(&m, CGROUP, 21, KEY(.head = 1, .skb = 2, .sk = 9)); /* of a route */
	add(&m, TC, 22, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 30, .order = 1));
	add(&m, OTHER, 23, KEY(.head = 1, .skb = 2, .sk = 9, .dev = 31, .order = 1));
	assert_packets(&m, "1:13 -:4 2:214 3:21 -:4");
}

/* A packet that a cgroup drops can pass only further programs of cgroups. */
static void test_dropped_by_cgroup(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, CGROUP, 1, KEY(.head = 1, .skb = 2, .sk = 9, .dropped = true));
	add(&m, OTHER, 2, KEY(.head = 1, .skb = 2, .sk = 9));
	add(&m, TC, 3, KEY(.head = 1, .skb = 2, .sk = 9, .order = 1));
	assert_packets(&m, "1:24 2:1");
}

/* If only the skb or only its memory is the same, it may be a copy or another packet: the run is not joined. */
static void test_ambiguous(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, CGROUP, 2, SKB_OF(1, 3, 7, 0)); /* the same memory, another skb */
	add(&m, CGROUP, 3, SKB_OF(4, 2, 7, 0)); /* the same skb, other memory */
	add(&m, FILTER, 4, SKB_OF(1, 2, 7, 9));
	add(&m, OTHER, 5, KEY(0)); /* not read */
	assert_packets(&m, "1:13 -:2 -:2 -:4");
}

/* A second without a run ends a packet. */
static void test_gap(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, FILTER, 1000, SKB_OF(1, 2, 7, 9));
	add(&m, OTHER, 2000, SKB_OF(1, 2, 7, 9));
	assert_packets(&m, "1:13 2:4");
}

/* Packets are written when they have ended, and in the order in which they began. */
static void test_advance(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 2, SKB_OF(3, 4, 7, 0));
	add(&m, TC, 3, SKB_OF(3, 4, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 10 * MS), 0);
	assert_string_equal(m.text, "");
	add(&m, FILTER, 11, SKB_OF(1, 2, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 1011 * MS), 0);
	assert_string_equal(m.text, "");
	assert_int_equal(trace_join__advance(m.j, 1012 * MS), 0);
	assert_string_equal(m.text, "1:13 2:1 3:1");
	add(&m, TC, 1013, SKB_OF(1, 2, 7, 0));
	assert_packets(&m, "1:13 2:1 3:1 4:1");
}

/* Where records are missing, no packet is known to be complete. */
static void test_lost(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, FILTER, 2, SKB_OF(1, 2, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 1500 * MS), 0);
	assert_string_equal(m.text, "1:13");
	add(&m, TC, 1600, SKB_OF(1, 2, 7, 0));
	trace_join__lose(m.j, 1700 * MS);
	add(&m, FILTER, 1701, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 2699, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 2700, SKB_OF(1, 2, 7, 0));
	add(&m, FILTER, 2701, SKB_OF(1, 2, 7, 0));
	assert_packets(&m, "1:13 -:1 -:3 -:1 2:13");
}

/* If a record comes too late, its packet has been joined without it. */
static void test_late(void **state)
{
	struct made m;

	start(&m, 1, 100);
	add(&m, XDP, 1, XDP_OF(1, 7));
	add(&m, FILTER, 3, SKB_OF(1, 2, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 10 * MS), 0);
	add(&m, TC, 2, SKB_OF(1, 2, 7, 0));
	assert_packets(&m, "-:0 -:3 -:1");
}

/* All runs of a packet are written if one of them meets a condition. */
static void test_conditions(void **state)
{
	struct trace_join_counts counts;
	struct made m;

	start(&m, 0, 100);
	for (int i = 0; i < 4; i++) {
		add_why(&m, XDP, 10 * i + 1, XDP_OF(1, 7), i == 1);
		add_why(&m, TC, 10 * i + 2, SKB_OF(1, 2, 7, 0), i == 1 || i == 3);
	}
	add_why(&m, OTHER, 100, KEY(0), 1);
	add_why(&m, OTHER, 101, KEY(0), 0);
	assert_int_equal(trace_join__end(m.j), 0);
	counts = trace_join__counts(m.j);
	assert_int_equal(counts.matched, 4);
	assert_int_equal(counts.packets, 2);
	assert_int_equal(counts.records, 5);
	assert_int_equal(counts.unjoined, 1);
	assert_packets(&m, "1:01 2:01 -:4");
}

static void test_every_and_limit(void **state)
{
	struct trace_join_counts counts;
	struct made m;

	start(&m, 2, 2);
	for (int i = 0; i < 10; i++)
		add(&m, TC, i + 1, SKB_OF(1, 2, 7, 0));
	for (int i = 0; i < 2; i++)
		add(&m, TC, 2000 + i, SKB_OF(1, 2, 7, 0));
	assert_int_equal(trace_join__end(m.j), 0);
	counts = trace_join__counts(m.j);
	assert_int_equal(counts.matched, 6);
	assert_int_equal(counts.held, 3);
	assert_packets(&m, "1:1 2:1 3:1");
}

/* An error of the output ends the trace; nothing is left behind. */
static void test_error(void **state)
{
	struct made m;

	start(&m, 1, 100);
	m.err = -5;
	add(&m, TC, 1, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 2, SKB_OF(1, 2, 7, 0));
	add(&m, TC, 5000, SKB_OF(1, 2, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 100 * MS), -5);
	trace_join__free(m.j);
	trace_join__free(NULL);
}

/* If runs take too much memory, the oldest runs are written without a packet. Packets that begin then may lack runs. */
static void test_memory(void **state)
{
	struct made m;

	*(&m) = (struct made){};
	m.j = trace_join__new(&(struct trace_join_opts){
		.every = 1,
		.limit = 100,
		.memory = 5 * (sizeof(struct bprof_record) + sizeof(struct join_run)),
		.take = take,
		.arg = &m});
	for (int i = 0; i < 3; i++)
		add(&m, TC, 1 + i, SKB_OF(10 + i, 20 + i, 7, 0));
	add(&m, FILTER, 5, SKB_OF(10, 20, 7, 9));
	add(&m, FILTER, 6, SKB_OF(11, 21, 7, 9));
	assert_int_equal(trace_join__advance(m.j, 10 * MS), 0);
	assert_string_equal(m.text, "");
	add(&m, TC, 11, SKB_OF(13, 23, 7, 0));
	assert_int_equal(trace_join__advance(m.j, 20 * MS), 0);
	assert_string_equal(m.text, "-:1 -:3 -:1 -:3");
	add(&m, FILTER, 21, SKB_OF(12, 22, 7, 9)); /* of a packet that is still known */
	add(&m, FILTER, 22, SKB_OF(10, 20, 7, 9)); /* of one that is not */
	assert_packets(&m, "-:1 -:3 -:1 -:3 1:13 2:1 -:3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_two_devices),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_ambiguous),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_advance),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_every_and_limit),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_sent_on_two_devices),
		cmocka_unit_test(test_dropped_by_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
