// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * BPF_PROG_TEST_RUN. Owns the inputs and outputs of each program type. Must not know what is being
 * measured. Prints nothing.
 *
 * The kernel's code for each type is in net/bpf/test_run.c.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "base/util.h"
#include "kernel/test_run.h"

enum takes {
	TAKES_PACKET = 1,
	TAKES_REPEAT = 2,
	TAKES_SKB = 4,	/* takes and returns a context struct __sk_buff */
	TAKES_XDP = 8,	/* takes and returns a context struct xdp_md */
	HAS_ETHER = 16, /* the kernel returns the packet's Ethernet header, not zeros */
};

/* The maximum number of arguments of a program (MAX_BPF_FUNC_ARGS), all zero. */
static const __u64 no_args[12];
/* A context for syscall programs. It is larger than the context that a sensible program reads. */
static const char no_ctx[4096];
static const struct bpf_sk_lookup some_lookup = {.family = AF_INET, .protocol = IPPROTO_TCP};

#define SKB (TAKES_PACKET | TAKES_REPEAT | TAKES_SKB)

static const struct test_run_type {
	__u32 type;
	unsigned int takes; /* bits of enum takes */
	const void *ctx;    /* default context; NULL: no context is needed */
	__u32 ctx_sz;
} types[] = {
	{BPF_PROG_TYPE_XDP, TAKES_PACKET | TAKES_REPEAT | TAKES_XDP | HAS_ETHER, NULL, 0},
	{BPF_PROG_TYPE_SCHED_CLS, SKB | HAS_ETHER, NULL, 0},
	{BPF_PROG_TYPE_SCHED_ACT, SKB | HAS_ETHER, NULL, 0},
	{BPF_PROG_TYPE_CGROUP_SKB, SKB, NULL, 0},
	{BPF_PROG_TYPE_SOCKET_FILTER, SKB, NULL, 0},
	{BPF_PROG_TYPE_LWT_IN, SKB, NULL, 0},
	{BPF_PROG_TYPE_LWT_OUT, SKB, NULL, 0},
	{BPF_PROG_TYPE_LWT_XMIT, SKB, NULL, 0},
	{BPF_PROG_TYPE_LWT_SEG6LOCAL, SKB, NULL, 0},
	{BPF_PROG_TYPE_FLOW_DISSECTOR, TAKES_PACKET | TAKES_REPEAT, NULL, 0},
	{BPF_PROG_TYPE_SK_LOOKUP, TAKES_REPEAT, &some_lookup, sizeof(some_lookup)},
	{BPF_PROG_TYPE_RAW_TRACEPOINT, 0, no_args, sizeof(no_args)},
	{BPF_PROG_TYPE_SYSCALL, 0, no_ctx, sizeof(no_ctx)},
};

static const struct test_run_type *find_run_type(__u32 type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

bool test_run__has_type(__u32 type)
{
	return find_run_type(type);
}

bool test_run__takes_packet(__u32 type)
{
	const struct test_run_type *t = find_run_type(type);

	return t && t->takes & TAKES_PACKET;
}

bool test_run__takes_skb(__u32 type)
{
	const struct test_run_type *t = find_run_type(type);

	return t && t->takes & TAKES_SKB;
}

static int run_test_once(int prog_fd, const struct test_run_type *t, const struct test_input *in,
			 struct bpf_test_run_opts *run)
{
	const void *ctx = in->ctx ?: t->ctx;
	__u32 sz = in->ctx ? in->ctx_sz : t->ctx_sz;
	void *copy = NULL;
	int err;

	/* A syscall program gets a copy, because the kernel writes to its context. */
	if (ctx && t->type == BPF_PROG_TYPE_SYSCALL) {
		copy = xmalloc(sz + 1);
		ctx = memcpy(copy, ctx, sz);
	}
	run->ctx_in = ctx;
	run->ctx_size_in = ctx ? sz : 0;
	if (t->takes & TAKES_PACKET) {
		run->data_in = in->data;
		run->data_size_in = in->data_sz;
	}
	/* -EINTR: a signal stopped the call before its last run (bpf_test_timer_continue()) */
	err = bpf_prog_test_run_opts(prog_fd, run) ? -errno : 0;
	free(copy);
	return err;
}

/*
 * The number of frames per batch: the kernel's default (NAPI_POLL_WEIGHT). bprof sets it so that a
 * test run on a kernel without live frames fails: such a kernel ignores the flags of an XDP test
 * run, but refuses a batch size.
 */
#define LIVE_BATCH 64

int test_run(int prog_fd, __u32 type, const struct test_input *in, const struct test_run_opts *o,
	     struct test_run_result *out)
{
	const struct test_run_type *t = find_run_type(type);
	__u32 calls, repeat;
	int err = 0;

	memset(out, 0, sizeof(*out));
	if (!t)
		return -EOPNOTSUPP;
	calls = t->takes & TAKES_REPEAT && !o->fresh ? 1 : o->repeat;
	repeat = t->takes & TAKES_REPEAT ? o->repeat / calls : 0;
	for (__u32 i = 0; !err && i < calls; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .repeat = repeat,
			    .flags = o->live ? BPF_F_TEST_XDP_LIVE_FRAMES : 0,
			    .batch_size = o->live ? LIVE_BATCH : 0);

		err = run_test_once(prog_fd, t, in, &run);
		out->varied |= i && run.retval != out->retval;
		out->retval = run.retval;
		out->mean_ns = run.duration;
	}
	return err;
}

int test_run__check_live(int prog_fd, __u32 type, const struct test_input *in)
{
	const struct test_run_opts once = {.repeat = 1, .live = true};
	struct test_run_result result;
	int err;

	if (type != BPF_PROG_TYPE_XDP)
		return -EPROTOTYPE;
	err = test_run(prog_fd, type, in, &once, &result);
	return err == -EINVAL ? -EPROTONOSUPPORT : err;
}

/* ---- checking what a run changes ---- */

#define MAX_PACKET 65536

struct output {
	char packet[MAX_PACKET];
	union {
		struct __sk_buff skb;
		struct xdp_md xdp;
	} in, out;
};

/* Compares the fields that programs may write and the kernel returns (convert_skb_to___skb()). */
static bool skb_changed(const struct __sk_buff *in, const struct __sk_buff *out)
{
	return in->mark != out->mark || in->priority != out->priority ||
	       in->tstamp != out->tstamp || memcmp(in->cb, out->cb, sizeof(in->cb));
}

static bool has_changed(const struct test_run_type *t, const struct test_input *in,
			const struct output *o, const struct bpf_test_run_opts *run)
{
	/* For types without HAS_ETHER, the kernel returns zeros in the place of the Ethernet header. */
	__u32 from = t->takes & HAS_ETHER ? 0 : 14;

	if (run->data_size_out != in->data_sz ||
	    (in->data_sz > from &&
	     memcmp((char *)in->data + from, (char *)run->data_out + from, in->data_sz - from)))
		return true;
	if (t->takes & TAKES_SKB)
		return skb_changed(&o->in.skb, &o->out.skb);
	/*
	 * Compare only the member "data", the start of the packet after its metadata. In a large
	 * packet, data_end differs even if the program changed nothing.
	 */
	return run->ctx_out && o->in.xdp.data != o->out.xdp.data;
}

/* A program and its input, for test_run__check_repeat(). */
struct checked_run {
	int prog_fd;
	const struct test_run_type *t;
	const struct test_input *in;
	bool with_ctx;
	struct output *o;
};

static int run_and_compare(const struct checked_run *c, __u32 repeat, __u32 *retval, bool *changed)
{
	struct output *o = c->o;
	__u32 ctx_sz = c->t->takes & TAKES_SKB ? sizeof(o->in.skb) : sizeof(o->in.xdp);
	struct test_input complete = *c->in;
	LIBBPF_OPTS(bpf_test_run_opts, run, .repeat = repeat, .data_out = o->packet,
		    .data_size_out = sizeof(o->packet));
	int err;

	if (c->with_ctx) {
		/* Pass the whole context of the program, to compare it with the returned one. */
		memset(&o->in, 0, sizeof(o->in));
		if (c->in->ctx)
			memcpy(&o->in, c->in->ctx,
			       c->in->ctx_sz < sizeof(o->in) ? c->in->ctx_sz : sizeof(o->in));
		else if (c->t->takes & TAKES_XDP)
			o->in.xdp.data_end = c->in->data_sz;
		complete.ctx = &o->in;
		complete.ctx_sz = ctx_sz;
		run.ctx_out = &o->out;
		run.ctx_size_out = ctx_sz;
	}
	err = run_test_once(c->prog_fd, c->t, &complete, &run);
	if (err)
		return err;
	*retval = run.retval;
	*changed = has_changed(c->t, c->in, o, &run);
	return 0;
}

int test_run__check_repeat(int prog_fd, __u32 type, const struct test_input *in, __u32 *retval,
			   bool *changed)
{
	const struct test_run_type *t = find_run_type(type);
	struct checked_run c = {.prog_fd = prog_fd, .t = t, .in = in, .with_ctx = true};
	__u32 last;
	int err;

	*changed = false;
	if (!t || !(t->takes & (TAKES_SKB | TAKES_XDP))) {
		const struct test_run_opts once = {.repeat = 1};
		struct test_run_result result = {};

		err = test_run(prog_fd, type, in, &once, &result);
		*retval = result.retval;
		return err;
	}
	c.o = xmalloc(sizeof(*c.o));
	err = run_and_compare(&c, 1, retval, changed);
	/* Kernels before Linux 5.15 refuse a context for XDP programs: try without a context. */
	if (err == -EINVAL && t->takes & TAKES_XDP && !in->ctx) {
		c.with_ctx = false;
		err = run_and_compare(&c, 1, retval, changed);
	}
	/*
	 * Run the program twice in one system call. The kernel stores the first VLAN tag of a
	 * packet in the sk_buff, so the first run that pushes a tag leaves the packet data
	 * unchanged. The push of the second run moves the first tag into the data.
	 */
	if (!err && !*changed)
		err = run_and_compare(&c, 2, &last, changed);
	free(c.o);
	return err;
}
