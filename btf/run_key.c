// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Owns the table of keys, and knows which program types have which key. */
#include <errno.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/util.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "btf/run_key.h"

static const struct run_key_spec key_specs[RUN_KEY_CNT] = {
	[BY_RETVAL] = {"retval", "RETURNS", "returns"},
	[BY_CPU] = {"cpu", "CPU", "cpu"},
	[BY_IFINDEX] = {"ifindex", "DEVICE", "device"},
	[BY_QUEUE] = {"queue", "QUEUE", "queue"},
	[BY_CGROUP] = {"cgroup", "CGROUP", "cgroup"},
	[BY_COMM] = {"comm", "COMM", "comm"},
	[BY_PID] = {"pid", "PID", "pid"},
};

const struct run_key_spec *run_key__spec(enum run_key key)
{
	return key ? &key_specs[key] : NULL;
}

enum run_key run_key__find(const char *name)
{
	for (int key = BY_NOTHING + 1; name && key < RUN_KEY_CNT; key++)
		if (!strcmp(key_specs[key].name, name))
			return key;
	return BY_NOTHING;
}

bool run_key__is_read(enum run_key key)
{
	return key >= BY_IFINDEX;
}

/* Returns true if the kernel runs programs of this type on behalf of the current task. */
static bool runs_in_task(enum bpf_prog_type type)
{
	switch (type) {
	case BPF_PROG_TYPE_CGROUP_DEVICE:
	case BPF_PROG_TYPE_CGROUP_SOCK:
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
	case BPF_PROG_TYPE_CGROUP_SYSCTL:
	case BPF_PROG_TYPE_CGROUP_SOCKOPT:
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_LSM:
	case BPF_PROG_TYPE_SYSCALL:
	case BPF_PROG_TYPE_STRUCT_OPS:
		return true;
	default:
		return false;
	}
}

/* Returns KEY_FROM_XDP or KEY_FROM_SKB if programs of this type get a packet, else KEY_FROM_NOTHING. */
static enum key_source packet_source(enum bpf_prog_type type)
{
	switch (type) {
	case BPF_PROG_TYPE_XDP:
		return KEY_FROM_XDP;
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
	case BPF_PROG_TYPE_CGROUP_SKB:
	case BPF_PROG_TYPE_LWT_IN:
	case BPF_PROG_TYPE_LWT_OUT:
	case BPF_PROG_TYPE_LWT_XMIT:
	case BPF_PROG_TYPE_LWT_SEG6LOCAL:
	case BPF_PROG_TYPE_SK_SKB:
		return KEY_FROM_SKB;
	default:
		return KEY_FROM_NOTHING;
	}
}

enum key_source run_key__source(enum run_key key, enum bpf_prog_type type)
{
	switch (key) {
	case BY_IFINDEX:
		return packet_source(type);
	case BY_QUEUE:
		return type == BPF_PROG_TYPE_XDP ? KEY_FROM_XDP : KEY_FROM_NOTHING;
	case BY_CGROUP:
		if (type == BPF_PROG_TYPE_CGROUP_SKB)
			return KEY_FROM_SKB;
		/* fallthrough */
	case BY_COMM:
	case BY_PID:
		return runs_in_task(type) ? KEY_FROM_TASK : KEY_FROM_NOTHING;
	default:
		return KEY_FROM_NOTHING;
	}
}

/* Returns why programs of the type do not have the key. Call it if run_key__source() is KEY_FROM_NOTHING. */
static const char *why_no_key(enum run_key key, enum bpf_prog_type type)
{
	if (key == BY_IFINDEX)
		return "programs of its type have no packet with a device";
	if (key == BY_QUEUE)
		return "only xdp programs have a receive queue";
	return packet_source(type) ? "it runs for packets, in whatever task they interrupt"
				   : "it may run in a task that has nothing to do with it";
}

/* Returns true if the function's declared first argument is a pointer to that struct. */
static bool takes(const struct btf *btf, __u32 func_btf_id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, func_btf_id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || !btf_vlen(t))
		return false;
	t = btf_type__strip(btf, btf_params(t)->type);
	if (!t || !btf_is_ptr(t))
		return false;
	do
		t = btf__type_by_id(btf, t->type);
	while (t && btf_is_mod(t));
	return t && btf_is_struct(t) && !strcmp(btf__name_by_offset(btf, t->name_off), name);
}

int run_key__check(enum run_key key, const struct prog *p, __u32 func_btf_id, bool entry,
		   struct reason *reason)
{
	enum key_source source = run_key__source(key, prog__context_type(p));
	const char *ctx = source == KEY_FROM_XDP ? "xdp_md" : "__sk_buff";

	if (!run_key__is_read(key) || source == KEY_FROM_TASK)
		return 0;
	if (!source)
		return reason__set(reason, REASON_KEY, EOPNOTSUPP, "--by %s: %s",
				   key_specs[key].name, why_no_key(key, prog__context_type(p)));
	if (!entry)
		return reason__set(reason, REASON_KEY, EOPNOTSUPP,
				   "--by %s: only the entry function of a program has the packet",
				   key_specs[key].name);
	if (!p->funcs || !takes(p->funcs->btf, func_btf_id, ctx))
		return reason__set(
			reason, REASON_KEY, EOPNOTSUPP,
			"--by %s: its argument is not declared as struct %s *, so that the "
			"verifier does not let a probe read it",
			key_specs[key].name, ctx);
	return 0;
}
