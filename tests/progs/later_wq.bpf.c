// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program whose callback a workqueue runs later (Linux 6.10), and a function that both call.
 * Context: XDP, in BPF_PROG_TEST_RUN, and a kernel thread.
 */
#define bpf_wq header_bpf_wq /* headers have it since Linux 6.10 */
#include <linux/bpf.h>
#undef bpf_wq
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define USE(value) asm volatile("" : : "r"(value))
#define WORK(n) asm volatile(".rept " #n "\n\tr0 = 0\n\t.endr" : : : "r0")

struct bpf_wq {
	__u64 opaque[2];
} __attribute__((aligned(8)));

extern int bpf_wq_init(struct bpf_wq *wq, void *map, unsigned int flags) __ksym;
extern int bpf_wq_start(struct bpf_wq *wq, unsigned int flags) __ksym;
#ifdef IMPLICIT_AUX
/* The verifier adds an argument, the program's aux, to calls of this kfunc (Linux 7.0). */
extern int bpf_wq_set_callback(struct bpf_wq *wq, int (*callback)(void *, int *, void *),
			       unsigned int flags) __ksym;
#define SET_CALLBACK(wq, callback) bpf_wq_set_callback(wq, callback, 0)
#else
#define SET_CALLBACK(wq, callback) bpf_wq_set_callback_impl(wq, callback, 0, NULL)
extern int bpf_wq_set_callback_impl(struct bpf_wq *wq, int (*callback)(void *, int *, void *),
				    unsigned int flags, void *aux__ign) __ksym;
#endif

struct job {
	struct bpf_wq wq;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct job);
} jobs SEC(".maps");

static NOINLINE long leaf_both(long x)
{
	WORK(30);
	return x;
}

static NOINLINE long leaf_later(long x)
{
	WORK(20);
	return x;
}

static int on_work(void *map, int *key, void *value)
{
	WORK(50);
	USE(leaf_later(1));
	USE(leaf_later(2));
	USE(leaf_both(1));
	return 0;
}

SEC("xdp")
int xdp_work(struct xdp_md *ctx)
{
	__u32 key = 0;
	struct job *job = bpf_map_lookup_elem(&jobs, &key);

	if (!job)
		return XDP_ABORTED;
	bpf_wq_init(&job->wq, &jobs, 0);
	SET_CALLBACK(&job->wq, on_work);
	bpf_wq_start(&job->wq, 0);
	USE(leaf_both(1));
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
