// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that throw BPF exceptions (bpf_throw(), Linux 6.7), to see which of their functions are
 * safe to probe. Most of them throw in every second run.
 *
 * throw_deep: the entry function calls outer, which calls inner, which throws; and quiet, which does not.
 * throw_own: only the entry function itself throws.
 * throw_caught: like throw_deep, with a callback for exceptions of its own.
 * throw_host: first calls around(), which calls slot(), which throw_ext can replace; then like throw_deep.
 * throw_ext: an extension whose function ext_inner throws.
 * throw_always: each run throws, every second one after 50 instructions more.
 * throw_calls: calls a helper itself, in a function that throws, and in its callback for exceptions.
 * throw_none: calls other kfuncs, and never throws. New kernels call a function for its may_goto, too.
 * Context: sched_cls.
 */
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern void bpf_throw(__u64 cookie) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

#define __exception_cb(name) __attribute__((btf_decl_tag("exception_callback:" #name)))

__u64 runs, inner_runs, quiet_runs, caught;
/* libbpf before 1.3 adds the callback to the program only if something refers to it. */
const volatile int never;

static __noinline int quiet(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&quiet_runs, 1);
	return skb->len;
}

static __noinline int inner(struct __sk_buff *skb)
{
	if (__sync_fetch_and_add(&inner_runs, 1) & 1)
		bpf_throw(0);
	return quiet(skb);
}

__noinline int outer(struct __sk_buff *skb)
{
	return inner(skb) + quiet(skb);
}

SEC("tc") int throw_deep(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&runs, 1);
	return quiet(skb) + outer(skb) == 0;
}

SEC("tc") int throw_own(struct __sk_buff *skb)
{
	if (__sync_fetch_and_add(&runs, 1) & 1)
		bpf_throw(0);
	return quiet(skb) == 0;
}

static __noinline int tidy(void)
{
	return __sync_fetch_and_add(&caught, 1) == 0;
}

__noinline int handler(__u64 cookie)
{
	return tidy() & 0;
}

SEC("tc") __exception_cb(handler) int throw_caught(struct __sk_buff *skb)
{
	if (never)
		bpf_loop(1, handler, NULL, 0);
	__sync_fetch_and_add(&runs, 1);
	return outer(skb) == 0;
}

__noinline int slot(struct __sk_buff *skb)
{
	volatile int len = skb->len;

	return len;
}

static __noinline int around(struct __sk_buff *skb)
{
	return slot(skb) + quiet(skb);
}

SEC("tc") int throw_host(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&runs, 1);
	return around(skb) + outer(skb) == 0;
}

static __noinline int ext_inner(struct __sk_buff *skb)
{
	if (__sync_fetch_and_add(&inner_runs, 1) & 1)
		bpf_throw(0);
	return quiet(skb);
}

SEC("freplace/slot") int throw_ext(struct __sk_buff *skb)
{
	return ext_inner(skb);
}

static __noinline int always(struct __sk_buff *skb)
{
	if (skb->len)
		bpf_throw(0);
	return skb->len;
}

SEC("tc") int throw_always(struct __sk_buff *skb)
{
	if (__sync_fetch_and_add(&runs, 1) & 1)
		asm volatile(".rept 50\n\tr0 = 0\n\t.endr" : : : "r0");
	return always(skb) == 0;
}

static __noinline int draw(void)
{
	__u32 x = bpf_get_prandom_u32();

	if (__sync_fetch_and_add(&inner_runs, 1) & 1)
		bpf_throw(0);
	return x == 0;
}

__noinline int draw_again(__u64 cookie)
{
	return bpf_get_prandom_u32() & 0;
}

SEC("tc") __exception_cb(draw_again) int throw_calls(struct __sk_buff *skb)
{
	if (never)
		bpf_loop(1, draw_again, NULL, 0);
	return bpf_get_prandom_u32() + draw() == 0;
}

static __noinline int locked(void)
{
	/* may_goto +1, which compilers have since clang 19 */
	asm volatile(".byte 0xe5; .byte 0; .short 1; .long 0; r0 = 0" : : : "r0");
	bpf_rcu_read_lock();
	bpf_rcu_read_unlock();
	return runs == 0;
}

SEC("tc") int throw_none(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&runs, 1);
	return locked() + quiet(skb) == 0;
}

char LICENSE[] SEC("license") = "GPL";
