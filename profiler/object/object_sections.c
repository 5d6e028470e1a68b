// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The sections of programs that are unknown to libbpf 1.1, the oldest libbpf with which bprof is
 * built. Owns the table of these sections (from section_defs[] in libbpf.c of libbpf 1.8), and
 * registers with libbpf the sections that the linked libbpf does not know.
 */
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "btf/fsession.h"
#include "object/object_load.h"

/* Attach types that the build's headers may lack (include/uapi/linux/bpf.h). */
enum {
	ATTACH_NETFILTER = 45,
	ATTACH_TCX_INGRESS = 46,
	ATTACH_TCX_EGRESS = 47,
	ATTACH_UPROBE_MULTI = 48,
	ATTACH_UNIX_CONNECT = 49,
	ATTACH_UNIX_SENDMSG = 50,
	ATTACH_UNIX_RECVMSG = 51,
	ATTACH_UNIX_GETPEERNAME = 52,
	ATTACH_UNIX_GETSOCKNAME = 53,
	ATTACH_NETKIT_PRIMARY = 54,
	ATTACH_NETKIT_PEER = 55,
	ATTACH_KPROBE_SESSION = 56,
	ATTACH_UPROBE_SESSION = 57,
};
#define TYPE_NETFILTER 32

static const struct section {
	const char *name; /* in libbpf's syntax: "tc+" accepts "tc" and "tc/SOMETHING" */
	/* a full section name, to ask libbpf whether it knows such sections; NULL: name itself */
	const char *example;
	int type, attach;
	bool sleepable;
	/* the section is "NAME/TARGET", with a traced function or tracepoint as TARGET */
	bool traces;
} sections[] = {
	{"tc/ingress", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_TCX_INGRESS},
	{"tc/egress", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_TCX_EGRESS},
	{"tcx/ingress", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_TCX_INGRESS},
	{"tcx/egress", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_TCX_EGRESS},
	{"netkit/primary", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_NETKIT_PRIMARY},
	{"netkit/peer", NULL, BPF_PROG_TYPE_SCHED_CLS, ATTACH_NETKIT_PEER},
	{"netfilter", NULL, TYPE_NETFILTER, ATTACH_NETFILTER},
	{"cgroup/connect_unix", NULL, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_UNIX_CONNECT},
	{"cgroup/sendmsg_unix", NULL, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_UNIX_SENDMSG},
	{"cgroup/recvmsg_unix", NULL, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_UNIX_RECVMSG},
	{"cgroup/getpeername_unix", NULL, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_UNIX_GETPEERNAME},
	{"cgroup/getsockname_unix", NULL, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_UNIX_GETSOCKNAME},
	{"kprobe.session+", "kprobe.session/f", BPF_PROG_TYPE_KPROBE, ATTACH_KPROBE_SESSION},
	{"uprobe.multi+", "uprobe.multi/f", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI},
	{"uretprobe.multi+", "uretprobe.multi/f", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI},
	{"uprobe.session+", "uprobe.session/f", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_SESSION},
	{"uprobe.multi.s+", "uprobe.multi.s/f", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, true},
	{"struct_ops.s+", "struct_ops.s/f", BPF_PROG_TYPE_STRUCT_OPS, 0, true},
	{"tp.s+", "tp.s/a/b", BPF_PROG_TYPE_TRACEPOINT, 0, true},
	{"raw_tp.s+", "raw_tp.s/a", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, true},
	{"tp_btf.s+", "tp_btf.s/a", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, true, true},
	{"fsession+", "fsession/f", BPF_PROG_TYPE_TRACING, ATTACH_TYPE_FSESSION, false, true},
	{"fsession.s+", "fsession.s/f", BPF_PROG_TYPE_TRACING, ATTACH_TYPE_FSESSION, true, true},
};

/* libbpf calls this for each program in a registered section; cookie is the index in sections[]. */
static int set_up_prog(struct bpf_program *prog, long cookie)
{
	const struct section *s = &sections[cookie];
	const char *target = strchr(bpf_program__section_name(prog), '/');

	if (s->sleepable)
		bpf_program__set_flags(prog, bpf_program__flags(prog) | BPF_F_SLEEPABLE);
	/*
	 * If the kernel has no such function, loading the program fails later, with a better
	 * message. An error here would make the whole object fail, with all its programs.
	 */
	if (s->traces && target)
		bpf_program__set_attach_target(prog, 0, target + 1);
	return 0;
}

void bench_load__register_sections(void)
{
	static bool done;

	for (size_t i = 0; !done && i < sizeof(sections) / sizeof(sections[0]); i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = i,
			    .prog_setup_fn = set_up_prog);
		const struct section *s = &sections[i];
		enum bpf_prog_type type;
		enum bpf_attach_type attach;

		if (libbpf_prog_type_by_name(s->example ?: s->name, &type, &attach) == -ESRCH)
			libbpf_register_prog_handler(s->name, s->type, s->attach, &opts);
	}
	done = true;
}
