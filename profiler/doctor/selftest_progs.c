// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the contexts of the self-test: which programs belong to a context, where they are attached,
 * and how they are made to run. Must not know what is measured. Prints nothing.
 *
 * Half of the contexts are test runs, like those of calibration and of bprof bench. In the other
 * contexts, programs are attached to hooks, like users' programs, because a test in the context of
 * the calibration would prove little. Even on a busy machine, only this process reaches the chosen
 * hooks:
 *
 * - the tracepoint bpf_test_finish, which only BPF_PROG_TEST_RUN reaches;
 * - a socket pair of this process;
 * - a function of this process: the breakpoint of a uprobe is set only in this process.
 *
 * XDP and tcx on a device would need a network namespace. Making and removing a namespace takes locks
 * for which all network configuration of the machine waits, and may load modules that stay. All hooks
 * and programs belong to the process, so the kernel removes them, however the process ends.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/socket.h>

#include "bpf/selftest.skel.h"
#include "doctor/selftest_progs.h"
#include "kernel/feature.h"
#include "kernel/test_run.h"

/* ---- loading ---- */

/* Loads these programs of an open object, and sets their descriptors and ids. */
static int load_named(struct selftest_bpf *skel, const char *const *names, int cnt, int *fd,
		      __u32 *id)
{
	int err = 0;

	for (int i = 0; !err && i < cnt; i++) {
		struct bpf_program *prog = bpf_object__find_program_by_name(skel->obj, names[i]);

		err = prog ? bpf_program__set_autoload(prog, true) : -ENOENT;
	}
	err = err ?: selftest_bpf__load(skel);
	for (int i = 0; !err && i < cnt; i++) {
		struct bpf_prog_info info = {};
		__u32 sz = sizeof(info);

		fd[i] = bpf_program__fd(bpf_object__find_program_by_name(skel->obj, names[i]));
		err = bpf_obj_get_info_by_fd(fd[i], &info, &sz) ? -errno : 0;
		id[i] = info.id;
	}
	return err;
}

/* Loads these programs of a new copy of the object. Returns NULL with *reason on failure. */
static struct selftest_bpf *load_progs(const char *const *names, int cnt, int *fd, __u32 *id,
				       struct reason *reason)
{
	struct selftest_bpf *skel;
	int err;

	skel = selftest_bpf__open();
	err = skel ? load_named(skel, names, cnt, fd, id) : -errno;
	if (!err)
		return skel;
	reason__from_verifier(reason, -err, NULL);
	features__explain_perm(reason);
	selftest_bpf__destroy(skel);
	return NULL;
}

static const struct {
	const char *prog[SELFTEST_PROG_CNT];
	__u32 type;
} contexts[SELFTEST_CONTEXT_CNT] = {
#define PROGS(name)                                                                               \
	{                                                                                         \
		"bprof_test_" #name "_0", "bprof_test_" #name "_100", "bprof_test_" #name "_1000" \
	}
	[SELFTEST_XDP] = {PROGS(xdp), BPF_PROG_TYPE_XDP},
	[SELFTEST_RUN_TP] = {PROGS(run_tp), BPF_PROG_TYPE_RAW_TRACEPOINT},
	[SELFTEST_SYSCALL] = {PROGS(syscall), BPF_PROG_TYPE_SYSCALL},
	[SELFTEST_RAW_TP] = {PROGS(raw_tp), BPF_PROG_TYPE_RAW_TRACEPOINT},
	[SELFTEST_SOCKET] = {PROGS(socket), BPF_PROG_TYPE_SOCKET_FILTER},
	[SELFTEST_UPROBE] = {PROGS(uprobe), BPF_PROG_TYPE_KPROBE},
#undef PROGS
};

void selftest_progs__load(struct selftest_progs *p, enum selftest_context_id context)
{
	memset(p, 0, sizeof(*p));
	p->context = context;
	for (int i = 0; i < SELFTEST_PROG_CNT; i++)
		p->sock[i][0] = p->sock[i][1] = -1;
	p->skel = load_progs(contexts[context].prog, SELFTEST_PROG_CNT, p->fd, p->id, &p->reason);
}

void selftest_progs__free(struct selftest_progs *p)
{
	selftest_progs__detach(p);
	selftest_bpf__destroy(p->skel);
	p->skel = NULL;
}

void selftest_pair__load(struct selftest_pair *p)
{
	static const char *const names[] = {"bprof_test_probed", "bprof_test_bare"};
	int fd[2] = {};
	__u32 id[2] = {};

	memset(p, 0, sizeof(*p));
	p->skel = load_progs(names, 2, fd, id, &p->reason);
	p->probed_fd = fd[0];
	p->bare_fd = fd[1];
	p->probed_id = id[0];
}

void selftest_pair__free(struct selftest_pair *p)
{
	selftest_bpf__destroy(p->skel);
	p->skel = NULL;
}

/* ---- attaching ---- */

static const struct bpf_program *nth_prog(const struct selftest_progs *p, int i)
{
	return bpf_object__find_program_by_name(p->skel->obj, contexts[p->context].prog[i]);
}

static int attach_raw_tp(struct selftest_progs *p)
{
	for (int i = 0; i < SELFTEST_PROG_CNT; i++) {
		p->link[i] = bpf_program__attach_raw_tracepoint(nth_prog(p, i), "bpf_test_finish");
		if (!p->link[i])
			return -errno;
	}
	return 0;
}

static int attach_socket(struct selftest_progs *p)
{
	for (int i = 0; i < SELFTEST_PROG_CNT; i++)
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, p->sock[i]) ||
		    setsockopt(p->sock[i][1], SOL_SOCKET, SO_ATTACH_BPF, &p->fd[i],
			       sizeof(p->fd[i])))
			return -errno;
	return 0;
}

/* The function with the breakpoint. The compiler must not merge it with one of the same code. */
static __attribute__((noinline, noclone, no_icf)) void run_uprobes(void)
{
	asm volatile("" : : : "memory");
}

/* Finds the offset of a function in this process's executable file. Returns 0 or -errno. */
static int find_file_offset(const void *func, size_t *offset)
{
	unsigned long at = (unsigned long)func, begin, end, file_offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	int err = maps ? -ENOENT : -errno;
	char line[4400];

	while (maps && err && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &file_offset) != 3 ||
		    at < begin || at >= end)
			continue;
		*offset = at - begin + file_offset;
		err = 0;
	}
	if (maps)
		fclose(maps);
	return err;
}

static int attach_uprobe(struct selftest_progs *p)
{
	size_t offset;
	int err = find_file_offset(run_uprobes, &offset);

	for (int i = 0; !err && i < SELFTEST_PROG_CNT; i++) {
		/* pid 0: this thread only */
		p->link[i] = bpf_program__attach_uprobe(nth_prog(p, i), false, 0, "/proc/self/exe",
							offset);
		err = p->link[i] ? 0 : -errno;
	}
	return err;
}

int selftest_progs__attach(struct selftest_progs *p)
{
	switch (p->context) {
	case SELFTEST_RAW_TP:
		return attach_raw_tp(p);
	case SELFTEST_SOCKET:
		return attach_socket(p);
	case SELFTEST_UPROBE:
		return attach_uprobe(p);
	default:
		return 0;
	}
}

void selftest_progs__detach(struct selftest_progs *p)
{
	for (int i = 0; i < SELFTEST_PROG_CNT; i++) {
		bpf_link__destroy(p->link[i]);
		p->link[i] = NULL;
		close_fd(&p->sock[i][0]);
		close_fd(&p->sock[i][1]);
	}
}

/* ---- running ---- */

static int make_test_runs(int prog_fd, __u32 type, int runs)
{
	static const char packet[64];
	const bool takes_packet = test_run__takes_packet(type);
	const struct test_input in = {.data = takes_packet ? packet : NULL,
				      .data_sz = takes_packet ? sizeof(packet) : 0};
	const struct test_run_opts o = {.repeat = runs};
	struct test_run_result result;
	int err;

	do
		err = test_run(prog_fd, type, &in, &o, &result);
	while (err == -EINTR); /* bprof was stopped, and continues */
	return err;
}

int selftest_progs__drive(const struct selftest_progs *p, int driver_fd, int runs)
{
	int err = 0;

	switch (p->context) {
	case SELFTEST_RAW_TP:
		for (int n = 0; !err && n < runs; n++)
			err = make_test_runs(driver_fd, BPF_PROG_TYPE_SCHED_CLS, 1);
		break;
	case SELFTEST_SOCKET:
		for (int n = 0; !err && n < runs; n++)
			for (int i = 0; !err && i < SELFTEST_PROG_CNT; i++)
				if (send(p->sock[i][0], "", 1, MSG_DONTWAIT) < 0)
					err = -errno;
		break;
	case SELFTEST_UPROBE:
		for (int n = 0; n < runs; n++)
			run_uprobes();
		break;
	default:
		for (int i = 0; !err && i < SELFTEST_PROG_CNT; i++)
			err = make_test_runs(p->fd[i], contexts[p->context].type, runs);
		break;
	}
	return err;
}

int selftest_pair__drive(int prog_fd, int runs)
{
	return make_test_runs(prog_fd, BPF_PROG_TYPE_SCHED_CLS, runs);
}
