// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of hooks, and the steps of using a hook: attaching a program, driving the hook,
 * detaching the program. Owns the network namespace, the devices and the cgroup that a hook needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/lwtunnel.h>
#include <linux/netfilter.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "tests/kernel/drive/contexts_hooks.h"
#include "tests/kernel/drive/netdev.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP CGROUP_ROOT "/drive_context"
/* Attach types that this libbpf does not define yet. */
#define TCX_INGRESS 46
#define TCX_EGRESS 47
#define NETKIT_PRIMARY 54
#define GETSID "security_task_getsid"

#define NOWHERE "192.0.2.1"

/* A struct use in which nothing is open yet. */
#define UNUSED(c, position)                                                                        \
	{                                                                                          \
		.hook = (c)->hook, .index = (position), .cgroup = -1, .sock = {-1, -1}, .link = -1 \
	}

#define HOOK(attach_fn, drive_fn, ...) \
	(&(const struct hook){.attach = (attach_fn), .drive = (drive_fn), ##__VA_ARGS__})

const struct context contexts[] = {
	{"xdp_native", "contexts_net", "xdp",
	 HOOK(attach_device, drive_pair, .needs = NEEDS_VETH, .type = BPF_XDP, .where = RX),
	 "packets on a veth, NAPI"},
	{"xdp_cpumap", "contexts_net", "xdp_cpumap",
	 HOOK(attach_cpumap, drive_redirected, .needs = NEEDS_VETH, .where = RX),
	 "packets on a veth, a kernel thread"},
	{"xdp_generic", "contexts_net", "xdp",
	 HOOK(attach_generic_xdp, drive_udp, .needs = NEEDS_NET, .where = "lo"),
	 "UDP over lo, softirq"},
	{"tcx_ingress", "contexts_net", "tc",
	 HOOK(attach_device, drive_pair, .needs = NEEDS_VETH, .type = TCX_INGRESS, .where = RX),
	 "packets on a veth, NAPI"},
	{"tcx_egress", "contexts_net", "tc",
	 HOOK(attach_device, drive_pair, .needs = NEEDS_VETH, .type = TCX_EGRESS, .where = TX),
	 "packets on a veth, process"},
	{"netkit", "contexts_net", "tc",
	 HOOK(attach_device, drive_pair, .needs = NEEDS_NETKIT, .type = NETKIT_PRIMARY,
	      .where = TX),
	 "packets on a netkit pair, process"},
	{"tc_ingress", "contexts_net", "tc",
	 HOOK(attach_clsact, drive_pair, .detach = detach_clsact, .needs = NEEDS_VETH,
	      .type = BPF_TC_INGRESS, .where = RX),
	 "packets on a veth, NAPI"},
	{"tc_egress", "contexts_net", "tc",
	 HOOK(attach_clsact, drive_pair, .detach = detach_clsact, .needs = NEEDS_VETH,
	      .type = BPF_TC_EGRESS, .where = TX),
	 "packets on a veth, process"},
	{"tc_both", "contexts_net", "tc",
	 HOOK(attach_both_clsact, drive_pair, .detach = detach_both_clsact, .needs = NEEDS_VETH),
	 "packets on a veth, process and NAPI"},
	{"action", "contexts_net", "action",
	 HOOK(attach_action, drive_pair, .detach = detach_clsact, .needs = NEEDS_VETH,
	      .type = BPF_TC_INGRESS, .where = RX),
	 "packets on a veth, NAPI"},
	{"lwt_in", "contexts_net", "lwt_in",
	 HOOK(attach_route, drive_route, .needs = NEEDS_NET, .type = LWT_BPF_IN, .where = NOWHERE),
	 "UDP over lo, softirq"},
	{"lwt_out", "contexts_net", "lwt_out",
	 HOOK(attach_route, drive_route, .needs = NEEDS_NET, .type = LWT_BPF_OUT, .where = NOWHERE),
	 "UDP over lo, process"},
	{"lwt_xmit", "contexts_net", "lwt_xmit",
	 HOOK(attach_route, drive_route, .needs = NEEDS_NET, .type = LWT_BPF_XMIT,
	      .where = NOWHERE),
	 "UDP over lo, process"},
	{"netfilter", "contexts_net", "netfilter",
	 HOOK(attach_netfilter, drive_udp, .needs = NEEDS_NET, .type = NF_INET_LOCAL_IN),
	 "UDP over lo, softirq"},
	{"flow_dissector", "contexts_net", "flow_dissector",
	 HOOK(attach_netns, drive_pair, .needs = NEEDS_VETH, .type = BPF_FLOW_DISSECTOR),
	 "packets on a veth, process"},
	{"sk_lookup", "contexts_net", "sk_lookup",
	 HOOK(attach_netns, drive_udp, .needs = NEEDS_NET, .type = BPF_SK_LOOKUP),
	 "UDP over lo, softirq"},
	{"socket_filter", "contexts_net", "socket_filter",
	 HOOK(attach_socket, drive_udp, .needs = NEEDS_NET, .type = SO_ATTACH_BPF),
	 "UDP over lo, softirq"},
	{"sk_reuseport", "contexts_net", "sk_reuseport",
	 HOOK(attach_socket, drive_udp, .needs = NEEDS_NET, .type = SO_ATTACH_REUSEPORT_EBPF),
	 "UDP over lo, softirq"},
	{"sk_msg", "contexts_net", "sk_msg",
	 HOOK(attach_sockmap, drive_sockmap, .needs = NEEDS_NET, .type = BPF_SK_MSG_VERDICT),
	 "TCP over lo, process"},
	{"sk_skb", "contexts_net", "sk_skb",
	 HOOK(attach_sockmap, drive_sockmap, .needs = NEEDS_NET, .type = BPF_SK_SKB_STREAM_VERDICT),
	 "TCP over lo, softirq"},

	{"cgroup_skb_ingress", "contexts_cgroup", "cgroup_skb_ingress",
	 HOOK(attach_cgroup, drive_udp, .needs = NEEDS_NET | NEEDS_CGROUP,
	      .type = BPF_CGROUP_INET_INGRESS),
	 "UDP over lo, softirq"},
	{"cgroup_skb_egress", "contexts_cgroup", "cgroup_skb_egress",
	 HOOK(attach_cgroup, drive_udp, .needs = NEEDS_NET | NEEDS_CGROUP,
	      .type = BPF_CGROUP_INET_EGRESS),
	 "UDP over lo, process"},
	{"cgroup_sock", "contexts_cgroup", "cgroup_sock",
	 HOOK(attach_cgroup, drive_socket, .needs = NEEDS_CGROUP,
	      .type = BPF_CGROUP_INET_SOCK_CREATE),
	 "socket(2)"},
	{"connect4", "contexts_cgroup", "connect4",
	 HOOK(attach_cgroup, drive_connect, .needs = NEEDS_NET | NEEDS_CGROUP,
	      .type = BPF_CGROUP_INET4_CONNECT),
	 "connect(2)"},
	{"sendmsg4", "contexts_cgroup", "sendmsg4",
	 HOOK(attach_cgroup, drive_udp, .needs = NEEDS_NET | NEEDS_CGROUP,
	      .type = BPF_CGROUP_UDP4_SENDMSG),
	 "sendto(2)"},
	{"setsockopt", "contexts_cgroup", "setsockopt",
	 HOOK(attach_cgroup, drive_sockopt, .needs = NEEDS_CGROUP, .type = BPF_CGROUP_SETSOCKOPT),
	 "setsockopt(2)"},
	{"getsockopt", "contexts_cgroup", "getsockopt",
	 HOOK(attach_cgroup, drive_sockopt, .needs = NEEDS_CGROUP, .type = BPF_CGROUP_GETSOCKOPT),
	 "getsockopt(2)"},
	{"sysctl", "contexts_cgroup", "sysctl",
	 HOOK(attach_cgroup, drive_read, .needs = NEEDS_CGROUP, .type = BPF_CGROUP_SYSCTL,
	      .where = "/proc/sys/kernel/ostype"),
	 "read(2) of a sysctl"},
	{"device", "contexts_cgroup", "device",
	 HOOK(attach_cgroup, drive_read, .needs = NEEDS_CGROUP, .type = BPF_CGROUP_DEVICE,
	      .where = "/dev/null"),
	 "open(2) of /dev/null"},
	{"sock_ops", "contexts_cgroup", "sock_ops",
	 HOOK(attach_cgroup, drive_connect, .needs = NEEDS_NET | NEEDS_CGROUP,
	      .type = BPF_CGROUP_SOCK_OPS),
	 "TCP connections over lo"},

	{"kprobe", "contexts_trace", "kprobe", HOOK(attach_probe, drive_getsid, .where = GETSID),
	 "getsid(2)"},
	{"kretprobe", "contexts_trace", "kprobe",
	 HOOK(attach_probe, drive_getsid, .type = 1, .where = GETSID), "getsid(2)"},
	{"kprobe_breakpoint", "contexts_trace", "kprobe",
	 HOOK(attach_breakpoint, drive_getsid, .detach = detach_breakpoint, .where = GETSID),
	 "getsid(2), exception"},
	{"kprobe_multi", "contexts_trace", "kprobe_multi",
	 HOOK(attach_probes, drive_getsid, .where = GETSID), "getsid(2)"},
	{"uprobe", "contexts_trace", "kprobe", HOOK(attach_uprobe, drive_uprobe),
	 "a call, exception"},
	{"uretprobe", "contexts_trace", "kprobe", HOOK(attach_uprobe, drive_uprobe, .type = 1),
	 "a call, exception"},
	{"tracepoint", "contexts_trace", "tracepoint",
	 HOOK(attach_tracepoint, drive_rename, .where = "task/task_rename"), "prctl(2)"},
	{"tracepoint_syscall", "contexts_trace", "tracepoint",
	 HOOK(attach_tracepoint, drive_getsid, .where = "syscalls/sys_enter_getsid"), "getsid(2)"},
	{"perf_event", "contexts_trace", "perf_event", HOOK(attach_clock, drive_spin),
	 "cpu-clock, hard interrupt"},
	{"perf_event_pmu", "contexts_trace", "perf_event", HOOK(attach_counter, drive_spin),
	 "instructions, the PMU's interrupt"},
	{"raw_tp", "contexts_trace", "raw_tp",
	 HOOK(attach_raw_tp, drive_rename, .where = "task_rename"), "prctl(2)"},
	{"raw_tp_syscall", "contexts_trace", "raw_tp",
	 HOOK(attach_raw_tp, drive_getsid, .where = "sys_enter"), "getsid(2)"},
	{"raw_tp_softirq", "contexts_trace", "raw_tp",
	 HOOK(attach_raw_tp, drive_pair, .needs = NEEDS_VETH, .where = "netif_receive_skb"),
	 "packets on a veth, NAPI"},
	{"raw_tp_irq", "contexts_trace", "raw_tp",
	 HOOK(attach_raw_tp, drive_sleep, .where = "hrtimer_expire_entry"),
	 "timers, hard interrupt"},
	{"raw_tp_switch", "contexts_trace", "raw_tp",
	 HOOK(attach_raw_tp, drive_sleep, .where = "sched_switch"),
	 "context switches, interrupts off"},
	{"raw_tp_mixed", "contexts_trace", "raw_tp", HOOK(attach_mixed_raw_tp, drive_sleep),
	 "nanosleep(2) and its timer, hard interrupt"},
	{"raw_tp_writable", "contexts_trace", "raw_tp_w",
	 HOOK(attach_raw_tp, drive_other_test_run, .where = "bpf_test_finish"),
	 "test runs of another program"},
	{"tp_btf", "contexts_trace", "tp_btf", HOOK(attach_tracing, drive_rename), "prctl(2)"},
	{"fentry", "contexts_trace", "fentry", HOOK(attach_tracing, drive_getsid), "getsid(2)"},
	{"fexit", "contexts_trace", "fexit", HOOK(attach_tracing, drive_getsid), "getsid(2)"},
	{"fmod_ret", "contexts_trace", "fmod_ret", HOOK(attach_tracing, drive_getsid), "getsid(2)"},
	{"lsm", "contexts_trace", "lsm", HOOK(attach_tracing, drive_getsid), "getsid(2)"},
	{"lsm_sleepable", "contexts_trace", "lsm_s",
	 HOOK(attach_tracing, drive_read, .where = "/dev/null"), "open(2), may sleep"},
	{"lsm_cgroup", "contexts_cgroup", "lsm_cgroup",
	 HOOK(attach_cgroup, drive_socket, .needs = NEEDS_CGROUP, .type = BPF_LSM_CGROUP),
	 "socket(2)"},
	{"iter", "contexts_trace", "iter", HOOK(attach_iter, drive_iter),
	 "read(2) of the iterator"},
	{"syscall", "contexts_trace", "syscall", HOOK(attach_nothing, drive_test_run),
	 "test runs, may sleep"},
	/*
	 * No program is attached here: the process that loads the object registers its congestion
	 * controls, which call the programs.
	 */
	{"struct_ops", "contexts_struct_ops", "struct_ops",
	 HOOK(attach_nothing, drive_transfer,
	      .where = "ctx_0 ctx_100 ctx_void_0 ctx_void_100 ctx_calls"),
	 "TCP over lo"},
	{"sched_ext", "contexts_sched_ext", "sched_ext", HOOK(attach_nothing, drive_sleep),
	 "context switches, interrupts off"},
};

const int context_cnt = sizeof(contexts) / sizeof(contexts[0]);

const struct context *context__find(const char *name)
{
	for (int i = 0; i < context_cnt; i++)
		if (!strcmp(contexts[i].name, name))
			return &contexts[i];
	return NULL;
}

int use__keep(struct use *u, int fd)
{
	if (fd < 0)
		return -errno;
	if (u->fd_cnt == MAX_USE_FDS)
		return -E2BIG;
	u->fd[u->fd_cnt++] = fd;
	return 0;
}

/* Enters a new network namespace with only lo and the requested pair of devices. */
static int make_network(unsigned int needs)
{
	int err;

	if (unshare(CLONE_NEWNET))
		return -errno;
	err = netdev__set_up("lo");
	if (!err && needs & NEEDS_VETH)
		err = pair__create("veth", TX, RX);
	if (!err && needs & NEEDS_NETKIT)
		err = pair__create("netkit", TX, RX);
	return err;
}

static int enter_cgroup(const char *path)
{
	char file[128];
	int fd, err = 0;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static int make_cgroup(void)
{
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		return -errno;
	return enter_cgroup(CGROUP);
}

static int open_use(struct use *u, __u32 id, const char **step)
{
	int err;

	*step = "program";
	u->prog_fd = bpf_prog_get_fd_by_id(id);
	err = use__keep(u, u->prog_fd);
	if (!err && (u->hook->needs & NEEDS_CGROUP)) {
		*step = "cgroup";
		u->cgroup = open(CGROUP, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
		err = use__keep(u, u->cgroup);
	}
	if (err)
		return err;
	*step = "attach";
	err = u->hook->attach(u);
	return err < 0 ? err : 0;
}

static void close_use(struct use *u)
{
	if (u->hook->detach)
		u->hook->detach(u);
	while (u->fd_cnt)
		close(u->fd[--u->fd_cnt]);
}

static int use_once(const struct context *c, __u32 id, int index, int cnt, const char **step)
{
	struct use u = UNUSED(c, index);
	int err = open_use(&u, id, step);

	if (!err) {
		*step = "drive";
		err = c->hook->drive(&u, cnt);
	}
	close_use(&u);
	return err < 0 ? err : 0;
}

/* Makes and enters the network namespace and the cgroup that the hook needs. */
static int enter_context(const struct context *c, const char **step)
{
	int err = 0;

	*step = "network";
	if (c->hook->needs & (NEEDS_NET | NEEDS_VETH | NEEDS_NETKIT))
		err = make_network(c->hook->needs);
	if (!err && (c->hook->needs & NEEDS_CGROUP)) {
		*step = "cgroup";
		err = make_cgroup();
	}
	return err;
}

static void leave_context(const struct context *c)
{
	if (!(c->hook->needs & NEEDS_CGROUP))
		return;
	enter_cgroup(CGROUP_ROOT);
	rmdir(CGROUP);
}

int context__use(const struct context *c, const __u32 *ids, int id_cnt, int cnt, const char **step)
{
	int err = enter_context(c, step);

	for (int i = 0; i < id_cnt && !err; i++)
		err = use_once(c, ids[i], i, cnt, step);
	leave_context(c);
	return err;
}

int context__attach(const struct context *c, __u32 id, int (*fn)(void *arg), void *arg,
		    const char **step)
{
	struct use u = UNUSED(c, 0);
	int err = enter_context(c, step) ?: open_use(&u, id, step);

	err = err ?: fn(arg);
	close_use(&u);
	leave_context(c);
	return err;
}

int context__leave(const struct context *c, __u32 id, int (*fn)(void *arg), void *arg,
		   const char **step)
{
	struct use u = UNUSED(c, 0);
	int err = enter_context(c, step) ?: open_use(&u, id, step);

	for (int i = 0; !err && i < u.fd_cnt; i++)
		if (u.fd[i] == u.prog_fd) {
			close(u.prog_fd);
			u.fd[i] = -1;
		}
	err = err ?: fn(arg);
	close_use(&u);
	leave_context(c);
	return err;
}
