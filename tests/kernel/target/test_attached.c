// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof list shows where a program is attached, for every hook to which drive can attach
 * programs.
 */
#include <string.h>

#include "tests/kernel/backend/fentry/contexts_case.h"

#define CGROUP "/sys/fs/cgroup/drive_context"
#define GETSID "security_task_getsid"

/*
 * The attachment that bprof must show for a program on a hook. target is the beginning of the attachment's
 * target (NULL: it has no target). kind is NULL if the kernel does not report to what the program is
 * attached.
 */
static const struct row {
	const char *hook, *kind, *target, *attach_type;
} rows[] = {
	{"xdp_native", "xdp", "ctx1", "native"},
	{"xdp_cpumap", NULL},
	{"xdp_generic", "xdp", "lo", "generic"},
	{"tcx_ingress", "tcx", "ctx1", "ingress"},
	{"tcx_egress", "tcx", "ctx0", "egress"},
	{"netkit", "netkit", "ctx0", "primary"},
	{"tc_ingress", "tc", "ctx1", "ingress"},
	{"tc_egress", "tc", "ctx0", "egress"},
	{"tc_both", "tc", "ctx0", "egress"},
	{"action", "tc", NULL, "action"},
	{"lwt_in", NULL},
	{"lwt_out", NULL},
	{"lwt_xmit", NULL},
	{"netfilter", "netfilter", "pf 2 hook 1 priority 1", NULL},
	{"flow_dissector", "netns", "402653", "flow_dissector"},
	{"sk_lookup", "netns", "402653", "sk_lookup"},
	{"socket_filter", NULL},
	{"sk_reuseport", NULL},
	{"sk_msg", "sockmap", "map ", "sk_msg_verdict"},
	{"sk_skb", "sockmap", "map ", "sk_skb_stream_verdict"},
	{"cgroup_skb_ingress", "cgroup", CGROUP, "cgroup_inet_ingress"},
	{"cgroup_skb_egress", "cgroup", CGROUP, "cgroup_inet_egress"},
	{"cgroup_sock", "cgroup", CGROUP, "cgroup_inet_sock_create"},
	{"connect4", "cgroup", CGROUP, "cgroup_inet4_connect"},
	{"sendmsg4", "cgroup", CGROUP, "cgroup_udp4_sendmsg"},
	{"setsockopt", "cgroup", CGROUP, "cgroup_setsockopt"},
	{"getsockopt", "cgroup", CGROUP, "cgroup_getsockopt"},
	{"sysctl", "cgroup", CGROUP, "cgroup_sysctl"},
	{"device", "cgroup", CGROUP, "cgroup_device"},
	{"sock_ops", "cgroup", CGROUP, "cgroup_sock_ops"},
	{"kprobe", "kprobe", GETSID, NULL},
	{"kretprobe", "kretprobe", GETSID, NULL},
	{"kprobe_breakpoint", "kprobe", GETSID "+0x", NULL},
	{"kprobe_multi", "kprobe_multi", "1 function", NULL},
	{"uprobe", "uprobe", "/tools/drive+0x", NULL},
	{"uretprobe", "uretprobe", "/tools/drive+0x", NULL},
	{"tracepoint", "tracepoint", "task_rename", NULL},
	{"tracepoint_syscall", "tracepoint", "sys_enter_getsid", NULL},
	{"perf_event", "perf_event", NULL, NULL},
	{"raw_tp", "raw_tp", "task_rename", NULL},
	{"raw_tp_syscall", "raw_tp", "sys_enter", NULL},
	{"raw_tp_softirq", "raw_tp", "netif_receive_skb", NULL},
	{"raw_tp_irq", "raw_tp", "hrtimer_expire_entry", NULL},
	{"raw_tp_switch", "raw_tp", "sched_switch", NULL},
	{"raw_tp_mixed", "raw_tp", "hrtimer_expire_entry", NULL},
	{"raw_tp_writable", "raw_tp", "bpf_test_finish", NULL},
	{"tp_btf", "raw_tp", "task_rename", NULL},
	{"fentry", "fentry", GETSID, NULL},
	{"fexit", "fexit", GETSID, NULL},
	{"fmod_ret", "fmod_ret", GETSID, NULL},
	{"lsm", "lsm", "task_getsid", NULL},
	{"lsm_sleepable", "lsm", "file_open", NULL},
	{"lsm_cgroup", "cgroup", CGROUP, "lsm_cgroup"},
	{"iter", "iter", "bpf_map", NULL},
	{"syscall", NULL},
	{"struct_ops", "struct_ops", "control_0.", NULL},
	{"sched_ext", "struct_ops", "", NULL},
};

static const struct row *row_for(const char *hook)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].hook, hook))
			return &rows[i];
	fail_test("no row for %s", hook);
	return NULL;
}

/* The info of a tracing link has no target before Linux 5.13 (kernel commit 441e8c66b23e). */
static bool has_target(const struct row *want)
{
	static const char *const tracing[] = {"fentry", "fexit", "fmod_ret", "lsm"};

	for (size_t i = 0; kernel_is("5.10") && i < sizeof(tracing) / sizeof(tracing[0]); i++)
		if (!strcmp(want->kind, tracing[i]))
			return false;
	return true;
}

/*
 * Returns true if the text begins with "begin". If "begin" is NULL, returns true if there is no
 * text.
 */
static bool begins(json_t *text, const char *begin)
{
	if (!text || !begin)
		return !text && !begin;
	return !strncmp(json_string_value(text), begin, strlen(begin));
}

static bool is_right(json_t *at, const struct row *want)
{
	return begins(json_object_get(at, "kind"), want->kind) &&
	       begins(json_object_get(at, "target"), has_target(want) ? want->target : NULL) &&
	       begins(json_object_get(at, "attach_type"), want->attach_type);
}

/* The kernel reports the programs of sockmaps since Linux 5.18. */
static bool is_reported(const struct row *want)
{
	return want->kind && !(kernel_is("5.10") && !strcmp(want->kind, "sockmap"));
}

static void test_hook(void **state)
{
	struct fixture *f = *state;
	const struct context *c = f->param;
	const struct row *want = row_for(c->name);
	json_t *attached;
	struct target t;
	struct run *r;

	load_targets(f, c, target_suffixes, &t, 1);
	r = command(f, "drive attached %s %u bprof list -j", c->name, t.id);
	if (strstr(r->err, "drive: attach: "))
		skip_test(c->name, "attach");
	if (strstr(r->err, "drive: network: "))
		skip_test(c->name, "network");
	assert_status(r, 0);
	attached = json_object_get(row_of(r, t.id), "attached");
	if (!is_reported(want) && json_array_size(attached))
		fail_test("attached: %s", r->out);
	if (is_reported(want) && !is_right(json_array_get(attached, 0), want))
		fail_test("not %s %s: %s", want->kind, want->target ?: "", r->out);
}

static int make_tests(struct ktest *tests)
{
	int cnt = 0;

	for (int i = 0; i < context_cnt; i++) {
		/* This hook is like perf_event, but needs a PMU with an interrupt. */
		if (!strcmp(contexts[i].name, "perf_event_pmu"))
			continue;
		tests[cnt++] = (struct ktest)KTEST_PARAM(contexts[i].name, test_hook, &contexts[i]);
	}
	return cnt;
}

KTEST_GROUP_OF(attached, "where programs are attached, on every hook", load_context_modules,
	       ON(SMP4, OLD), make_tests);
