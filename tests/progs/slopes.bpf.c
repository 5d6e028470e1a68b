// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that make one call or four equal calls, and programs that do the same without the calls. The
 * differences of their costs give the cost of a call. test_slopes.c compares this cost with the one that
 * --calls reports. Context: XDP, in BPF_PROG_TEST_RUN.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define DEFINE_MAP(name, kind, flags)     \
	struct {                          \
		__uint(type, kind);       \
		__uint(max_entries, 64);  \
		__uint(map_flags, flags); \
		__type(key, __u64);       \
		__type(value, __u64);     \
	} name SEC(".maps")

DEFINE_MAP(a_hash, BPF_MAP_TYPE_HASH, 0);
DEFINE_MAP(an_lru, BPF_MAP_TYPE_LRU_HASH, 0);
DEFINE_MAP(a_percpu_hash, BPF_MAP_TYPE_PERCPU_HASH, 0);
DEFINE_MAP(a_trie, BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC);

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 64);
	__type(value, __u64);
} a_queue SEC(".maps");

/* The arguments are set in assembly, because clang would do it in different ways. fp-16: key, fp-8: value */
#define DEFINE(name, cnt, call)                                                                    \
	SEC("xdp") int name##_##cnt(struct xdp_md *ctx)                                            \
	{                                                                                          \
		asm volatile(                                                                      \
			"r6 = %[ctx]\n\t*(u64 *)(r10 - 16) = %[key]\n\t"                           \
			"*(u64 *)(r10 - 8) = %[key]\n\t"                                           \
			".rept " #cnt "\n\t" call "\n\t.endr"                                      \
			:                                                                          \
			: [ctx] "r"(ctx), [key] "r"(8ULL), [update] "i"(BPF_FUNC_map_update_elem), \
			  [delete] "i"(BPF_FUNC_map_delete_elem),                                  \
			  [lookup] "i"(BPF_FUNC_map_lookup_elem),                                  \
			  [peek] "i"(BPF_FUNC_map_peek_elem), [csum] "i"(BPF_FUNC_csum_diff),      \
			  [load] "i"(BPF_FUNC_xdp_load_bytes), [hash] "i"(&a_hash),                \
			  [lru] "i"(&an_lru), [percpu] "i"(&a_percpu_hash), [trie] "i"(&a_trie),   \
			  [queue] "i"(&a_queue)                                                    \
			: "r0", "r1", "r2", "r3", "r4", "r5", "r6", "memory");                     \
		return XDP_PASS;                                                                   \
	}

#define DEFINE_EACH(name, arguments, call)     \
	DEFINE(name, 1, arguments "\n\t" call) \
	DEFINE(name, 4, arguments "\n\t" call) \
	DEFINE(name##_bare, 1, arguments)      \
	DEFINE(name##_bare, 4, arguments)

#define MAP_ARGUMENTS(map) "r1 = %[" #map "] ll; r2 = r10; r2 += -16; r3 = r10; r3 += -8; r4 = 0"

DEFINE_EACH(update_hash, MAP_ARGUMENTS(hash), "call %[update]")
DEFINE_EACH(update_lru, MAP_ARGUMENTS(lru), "call %[update]")
DEFINE_EACH(update_percpu, MAP_ARGUMENTS(percpu), "call %[update]")
DEFINE_EACH(delete_hash, MAP_ARGUMENTS(hash), "call %[delete]")
DEFINE_EACH(lookup_trie, MAP_ARGUMENTS(trie), "call %[lookup]")
DEFINE_EACH(peek_queue, "r1 = %[queue] ll; r2 = r10; r2 += -8", "call %[peek]")
DEFINE_EACH(csum, "r1 = r10; r1 += -16; r2 = 8; r3 = r10; r3 += -8; r4 = 8; r5 = 0", "call %[csum]")
DEFINE_EACH(load_bytes, "r1 = r6; r2 = 0; r3 = r10; r3 += -8; r4 = 8", "call %[load]")

char LICENSE[] SEC("license") = "Dual BSD/GPL";
