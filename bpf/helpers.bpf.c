// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The built-in programs of bprof doctor --helpers. Each operation has two programs: the first does the
 * operation once, and the second does it HELPER_MORE times more. The difference between them is the
 * cost of HELPER_MORE operations.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "helpers.h"

/* The keys that a program uses in turn: (key_mask + 1) keys, beginning with key_first. */
const volatile __u32 key_first, key_mask;
__u32 next_key;
/*
 * The programs store the results of operations here, so that the compiler leaves out no operation.
 */
__u64 result;

#define KEY(sz)                                  \
	struct key##sz {                         \
		__u32 id;                        \
		__u8 more[(sz) - sizeof(__u32)]; \
	}

KEY(4);
KEY(16);
KEY(64);
/* The key of a trie begins with the length of the prefix. */
struct key8 {
	__u32 bits;
	__u32 id;
};

#define MAP(name, map_type, key_type, flags)           \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_##map_type); \
		__uint(max_entries, HELPER_ENTRIES);   \
		__uint(map_flags, flags);              \
		__type(key, key_type);                 \
		__type(value, __u64);                  \
	} name SEC(".maps")

MAP(array, ARRAY, __u32, 0);
MAP(percpu_array, PERCPU_ARRAY, __u32, 0);
MAP(hash4, HASH, struct key4, 0);
MAP(hash16, HASH, struct key16, 0);
MAP(hash64, HASH, struct key64, 0);
MAP(percpu_hash, PERCPU_HASH, struct key16, 0);
MAP(lru_hash, LRU_HASH, struct key16, 0);
MAP(lpm_trie, LPM_TRIE, struct key8, BPF_F_NO_PREALLOC);

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, HELPER_ENTRIES);
	__type(value, __u64);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} ringbuf SEC(".maps");

struct locked {
	struct bpf_spin_lock lock;
	__u64 value;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct locked);
} locks SEC(".maps");

/*
 * Defines the two programs of an operation. The operation is an expression that may use skb and the
 * variables that "setup" declares.
 */
#define OPERATION(name, setup, operation)                                           \
	static __always_inline int name(struct __sk_buff *skb, int times)           \
	{                                                                           \
		__u64 sum = 0;                                                      \
                                                                                    \
		setup;                                                              \
		_Pragma("unroll") for (int i = 0; i < times; i++) sum += operation; \
		result = sum;                                                       \
		return 0;                                                           \
	}                                                                           \
	SEC("?tc") int name##_1(struct __sk_buff *skb)                              \
	{                                                                           \
		return name(skb, 1);                                                \
	}                                                                           \
	SEC("?tc") int name##_9(struct __sk_buff *skb)                              \
	{                                                                           \
		return name(skb, 1 + HELPER_MORE);                                  \
	}

#define NO_SETUP (void)0

/* Sets the next key. Every operation on a map contains these instructions. */
#define NEXT(key)                                               \
	({                                                      \
		(key).id = key_first + (next_key++ & key_mask); \
		asm volatile("" : : "r"(&(key)) : "memory");    \
		&(key);                                         \
	})

#define LOOKUP(map, key_type, ...)                                         \
	OPERATION(key_##map, key_type key = {__VA_ARGS__}, (NEXT(key), 0)) \
	OPERATION(lookup_##map, key_type key = {__VA_ARGS__},              \
		  !!bpf_map_lookup_elem(&map, NEXT(key)))

#define UPDATE(map, key_type)                      \
	OPERATION(update_##map, key_type key = {}; \
		  __u64 value = 0, !!bpf_map_update_elem(&map, NEXT(key), &value, BPF_ANY))

#define REPLACE(map, key_type, ...)                                                           \
	OPERATION(replace_##map, key_type key = {__VA_ARGS__};                                \
		  __u64 value = 0, (!!bpf_map_update_elem(&map, NEXT(key), &value, BPF_ANY) + \
				    !!bpf_map_delete_elem(&map, &key)))

LOOKUP(array, struct key4)
LOOKUP(percpu_array, struct key4)
LOOKUP(hash4, struct key4)
LOOKUP(hash16, struct key16)
LOOKUP(hash64, struct key64)
LOOKUP(percpu_hash, struct key16)
LOOKUP(lru_hash, struct key16)
LOOKUP(lpm_trie, struct key8, .bits = 32)
UPDATE(array, struct key4)
UPDATE(hash16, struct key16)
UPDATE(percpu_hash, struct key16)
UPDATE(lru_hash, struct key16)
REPLACE(hash16, struct key16)
REPLACE(lpm_trie, struct key8, .bits = 32)

OPERATION(push_pop, __u64 value = 0,
	  (!!bpf_map_push_elem(&queue, &value, 0) + !!bpf_map_pop_elem(&queue, &value)))

static __always_inline int reserve(void)
{
	void *record = bpf_ringbuf_reserve(&ringbuf, 64, 0);

	if (!record)
		return 1;
	bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	return 0;
}

OPERATION(reserve_discard, NO_SETUP, reserve())

static __always_inline int lock(struct locked *l)
{
	bpf_spin_lock(&l->lock);
	l->value++;
	bpf_spin_unlock(&l->lock);
	return 0;
}

OPERATION(lock_unlock, __u32 zero = 0; struct locked *l = bpf_map_lookup_elem(&locks, &zero);
	  if (!l) return 0, lock(l))

OPERATION(ktime_get_ns, NO_SETUP, bpf_ktime_get_ns())
OPERATION(get_prandom_u32, NO_SETUP, bpf_get_prandom_u32())
OPERATION(get_smp_processor_id, NO_SETUP, bpf_get_smp_processor_id())
OPERATION(get_current_task, NO_SETUP, bpf_get_current_task())
OPERATION(csum_diff, __be32 from[16] = {}, bpf_csum_diff(from, sizeof(from), 0, 0, 0))
OPERATION(skb_load_bytes, __u8 bytes[14], bpf_skb_load_bytes(skb, 0, bytes, sizeof(bytes)))
OPERATION(skb_store_bytes, __u8 bytes[14] = {},
	  bpf_skb_store_bytes(skb, 0, bytes, sizeof(bytes), 0))
OPERATION(probe_read_kernel, __u64 value; void *task = (void *)bpf_get_current_task(),
					  bpf_probe_read_kernel(&value, sizeof(value), task))
#define AF_INET 2
#define LOOPBACK __builtin_bswap32(0x7f000001)
OPERATION(fib_lookup, struct bpf_fib_lookup fib = {},
	  (fib.family = AF_INET, fib.ifindex = 1, fib.ipv4_dst = LOOPBACK,
	   bpf_fib_lookup(skb, &fib, sizeof(fib), 0)))

char LICENSE[] SEC("license") = "GPL";
