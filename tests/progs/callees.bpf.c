// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that spend their time in functions that they call: operations on maps of several types (two maps of
 * one type), one helper at three places, a subprogram that calls helpers, and a callback. Comments mark the
 * lines, so that test_callees.c can find them. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define KEEP_LOOP _Pragma("clang loop unroll(disable)")
#define KEYS 64

struct bytes {
	__be32 word[128];
};

#define DEFINE_MAP(name, kind, keys, data) \
	struct {                           \
		__uint(type, kind);        \
		__uint(max_entries, keys); \
		__type(key, __u32);        \
		__type(value, data);       \
	} name SEC(".maps")

DEFINE_MAP(flows, BPF_MAP_TYPE_HASH, KEYS, __u64);
DEFINE_MAP(others, BPF_MAP_TYPE_HASH, KEYS, __u64);
DEFINE_MAP(recent, BPF_MAP_TYPE_LRU_HASH, KEYS, __u64);
DEFINE_MAP(totals, BPF_MAP_TYPE_ARRAY, KEYS, __u64);
DEFINE_MAP(bytes, BPF_MAP_TYPE_ARRAY, 1, struct bytes);
DEFINE_MAP(jumps, BPF_MAP_TYPE_PROG_ARRAY, 1, __u32);

DEFINE_MAP(of_cpu, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u64);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, typeof(totals));
} outer SEC(".maps") = {.values = {&totals}};

static struct bytes *find_bytes(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&bytes, &key);
}

static NOINLINE int touch(__u32 key)
{
	__u64 *found, value = key;

	found = bpf_map_lookup_elem(&flows, &key); /* lookup flows */
	if (found)
		(*found)++;
	bpf_map_update_elem(&recent, &key, &value, BPF_ANY); /* update recent */
	return found ? 1 : 0;
}

static int update_others(__u32 key, void *ctx)
{
	__u64 value = key;

	key %= KEYS;
	bpf_map_update_elem(&others, &key, &value, BPF_ANY); /* update others */
	return 0;
}

/* Makes each kind of call. */
SEC("xdp")
int xdp_callees(struct xdp_md *ctx)
{
	__u32 key = bpf_get_smp_processor_id() % KEYS; /* cpu */
	struct bytes *b = find_bytes();
	__u64 *total, value = 1, sum;

	if (!b)
		return XDP_DROP;
	bpf_map_update_elem(&flows, &key, &value, BPF_ANY);	       /* update flows */
	total = bpf_map_lookup_elem(&totals, &key);		       /* array */
	sum = bpf_csum_diff(NULL, 0, b->word, sizeof(*b), touch(key)); /* csum 1 */
	sum = bpf_csum_diff(NULL, 0, b->word, sizeof(*b) / 2, sum);    /* csum 2 */
	sum = bpf_csum_diff(NULL, 0, b->word, sizeof(*b) / 4, sum);    /* csum 3 */
	bpf_loop(20, update_others, NULL, 0);			       /* loop */
	if (total)
		*total += sum;
	if (ctx->rx_queue_index == 77)
		bpf_tail_call(ctx, &jumps, 0); /* jump */
	return XDP_PASS;
}

#define UPDATE(map)                                                 \
	do {                                                        \
		KEEP_LOOP                                           \
		for (__u32 i = 0; i < 40; i++) {                    \
			__u32 key = i;                              \
			__u64 value = i;                            \
                                                                    \
			bpf_map_update_elem(&map, &key, &value, 0); \
		}                                                   \
	} while (0)

/* The loop of UPDATE(), with the arguments of the call, but without the call. */
SEC("xdp")
int xdp_no_calls(struct xdp_md *ctx)
{
	KEEP_LOOP
	for (__u32 i = 0; i < 40; i++) {
		__u32 key = i;
		__u64 value = i;

		asm volatile("r1 = 0 ll; r2 = %0; r3 = %1; r4 = 0"
			     :
			     : "r"(&key), "r"(&value)
			     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
	}
	return XDP_PASS;
}

/* The first update of xdp_both. The test subtracts the cost of this program to get that of the second update. */
SEC("xdp")
int xdp_flows(struct xdp_md *ctx)
{
	UPDATE(flows); /* flows */
	return XDP_PASS;
}

SEC("xdp")
int xdp_both(struct xdp_md *ctx)
{
	UPDATE(flows);	/* flows */
	UPDATE(recent); /* recent */
	return XDP_PASS;
}

/* Two lookups that the verifier inlines, and two calls whose map is not certain: an inner map, and one of two maps. */
SEC("xdp")
int xdp_which(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *found = bpf_map_lookup_elem(&of_cpu, &key); /* per cpu */
	void *map = bpf_map_lookup_elem(&outer, &key);	   /* outer */

	if (map && ctx->ingress_ifindex)
		found = bpf_map_lookup_elem(map, &key); /* inner */
	map = ctx->rx_queue_index ? (void *)&flows : (void *)&others;
	bpf_map_delete_elem(map, &key); /* either */
	return found ? XDP_PASS : XDP_DROP;
}

extern int bpf_dynptr_from_xdp(struct xdp_md *ctx, __u64 flags,
			       struct bpf_dynptr *ptr) __ksym __weak;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *ptr, __u32 off, void *buf,
			      __u32 sz) __ksym __weak;

/* These kfuncs came with Linux 6.4. */
SEC("xdp")
int xdp_kfuncs(struct xdp_md *ctx)
{
	struct bpf_dynptr ptr;
	char buf[8], *first;

	bpf_dynptr_from_xdp(ctx, 0, &ptr);		     /* from xdp */
	first = bpf_dynptr_slice(&ptr, 0, buf, sizeof(buf)); /* slice */
	return first && *first ? XDP_PASS : XDP_DROP;
}

struct alarm {
	struct bpf_timer timer;
};

DEFINE_MAP(alarms, BPF_MAP_TYPE_ARRAY, 1, struct alarm);

#define ALARM_NS 60000

/* Takes some 20 us in a soft interrupt, each time. */
static int on_alarm(void *map, __u32 *key, struct alarm *alarm)
{
	KEEP_LOOP
	for (int i = 0; i < 100; i++)
		asm volatile(".rept 200\n\tr0 = 0\n\t.endr" : : : "r0");
	bpf_timer_start(&alarm->timer, ALARM_NS, 0);
	return 0;
}

/* Starts a timer that causes soft interrupts until its map is freed. */
SEC("xdp")
int xdp_alarm(struct xdp_md *ctx)
{
	__u32 key = 0;
	struct alarm *alarm = bpf_map_lookup_elem(&alarms, &key);

	if (!alarm)
		return XDP_DROP;
	bpf_timer_init(&alarm->timer, &alarms, 1 /* CLOCK_MONOTONIC */);
	bpf_timer_set_callback(&alarm->timer, on_alarm);
	bpf_timer_start(&alarm->timer, ALARM_NS, 0);
	return XDP_PASS;
}

/* Context: getsid(2), with interrupts enabled. */
SEC("raw_tp/sys_enter")
int tp_interrupted(struct bpf_raw_tracepoint_args *ctx)
{
	if (ctx->args[1] != 156 && ctx->args[1] != 124) /* arm64, x86-64 */
		return 0;
	for (int i = 0; i < 5; i++)
		UPDATE(flows); /* interrupted */
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
