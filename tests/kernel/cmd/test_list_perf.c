// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof list --perf: which program is attached to which perf event or tracepoint, by a link
 * or by the older ioctl, and which processes hold the attachment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "tests/kernel/harness.h"

#define TRACEPOINT "/sys/kernel/tracing/events/syscalls/sys_enter_getsid/id"

static int keep_fd(struct fixture *f, int fd)
{
	assert_true(f->fd_cnt < MAX_KEPT);
	return f->fd[f->fd_cnt++] = fd;
}

static int open_event(__u32 type, __u64 config)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .sample_period = 1 << 30};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail_test("perf_event_open: %s", strerror(errno));
	return fd;
}

static int open_tracepoint(void)
{
	FILE *file = fopen(TRACEPOINT, "re");
	int id = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &id), 1);
	fclose(file);
	return open_event(PERF_TYPE_TRACEPOINT, id);
}

static void set_program(int event_fd, int prog_fd)
{
	if (ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		fail_test("PERF_EVENT_IOC_SET_BPF: %s", strerror(errno));
}

static int load_perf_event(struct fixture *f, __u32 *id)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "on_event", "GPL", insns, 2, NULL);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_true(fd >= 0);
	keep_fd(f, fd);
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	*id = info.id;
	return fd;
}

/* ---- the output of list --perf ---- */

static struct run *list_perf(struct fixture *f)
{
	struct run *r = bprof(f, "list --perf -j");

	assert_status(r, 0);
	assert_non_null(r->json);
	return r;
}

/* Returns the only attachment of the program. */
static json_t *attachment_of(const struct run *r, __u32 id)
{
	json_t *list = json_object_get(row_of(r, id), "attached");

	if (json_array_size(list) != 1)
		fail_test("program %u: not one attachment: %s", id, r->out);
	return json_array_get(list, 0);
}

static void assert_held_by_us(json_t *at)
{
	json_t *holders = json_object_get(at, "holders");

	assert_int_equal(json_array_size(holders), 1);
	assert_int_equal(num(json_array_get(holders, 0), "pid"), getpid());
	assert_string_equal(str(json_array_get(holders, 0), "comm"), "ktest");
}

static bool has_links(void)
{
	return !kernel_is("5.10"); /* Linux has links to perf events since 5.15 */
}

struct link_case {
	const char *prog, *kind;
	const char *target; /* part of the text that names what the program is attached to */
};

static const struct link_case tp_case = {"tp_getsid", "tracepoint", "sys_enter_getsid"};
static const struct link_case kprobe_case = {"kprobe_getsid", "kprobe", "getsid"};
static const struct link_case raw_tp_case = {"raw_tp_rename", "raw_tp", "task_rename"};

static void test_link(void **state)
{
	struct fixture *f = *state;
	const struct link_case *c = f->param;
	struct target t = load_target(f, "trace", c->prog);
	json_t *at;

	load_target(f, "xdp", "xdp_pass");
	assert_non_null(try_attach(f, t));
	at = attachment_of(list_perf(f), t.id);
	assert_string_equal(str(at, "kind"), c->kind);
	assert_contains(str(at, "target"), c->target);
	assert_held_by_us(at);
	if (has_links() || !strcmp(c->kind, "raw_tp"))
		assert_true(num(at, "link_id") > 0);
}

/* Programs that are not attached to a perf event or a tracepoint are not listed. */
static void test_others_left_out(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	load_target(f, "xdp", "xdp_pass");
	load_target(f, "trace", "tp_getsid");
	r = list_perf(f);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 0);
}

static void test_perf_event_link(void **state)
{
	struct fixture *f = *state;
	__u32 id;
	int prog = load_perf_event(f, &id), event, link;
	json_t *at;

	event = keep_fd(f, open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK));
	link = has_links() ? bpf_link_create(prog, event, BPF_PERF_EVENT, NULL) : -1;
	if (has_links())
		assert_true(link >= 0);
	if (link < 0)
		set_program(event, prog);
	else
		keep_fd(f, link);
	at = attachment_of(list_perf(f), id);
	assert_string_equal(str(at, "kind"), "perf_event");
	assert_held_by_us(at);
	/* Since Linux 6.6 the kernel reports the event of a link. */
	if (has_links() && !kernel_is("6.1"))
		assert_string_equal(str(at, "target"), "cpu-clock");
	else
		assert_null(json_object_get(at, "target"));
}

/* Without a link, the kernel does not report to which event the program is attached. */
static void test_perf_event_ioctl(void **state)
{
	struct fixture *f = *state;
	__u32 id;
	int prog = load_perf_event(f, &id);
	struct run *r;
	json_t *at;

	set_program(keep_fd(f, open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)), prog);
	at = attachment_of(list_perf(f), id);
	assert_string_equal(str(at, "kind"), "perf_event");
	assert_null(json_object_get(at, "target"));
	assert_held_by_us(at);
	r = bprof(f, "list --perf");
	assert_status(r, 0);
	assert_contains(r->out, "(not known)");
	assert_contains(r->out, "on_event");
	assert_contains(r->out, "ktest[");
}

/* A process may have any name, also a name that is not valid JSON text. */
static void test_foreign_holder(void **state)
{
	struct fixture *f = *state;
	__u32 id;
	int prog = load_perf_event(f, &id);
	json_t *holders;

	set_program(keep_fd(f, open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)), prog);
	assert_int_equal(prctl(PR_SET_NAME, "k\xff\x1b["), 0);
	holders = json_object_get(attachment_of(list_perf(f), id), "holders");
	assert_int_equal(prctl(PR_SET_NAME, "ktest"), 0);
	assert_string_equal(str(json_array_get(holders, 0), "comm"), "k\xef\xbf\xbd\x1b[");
}

/*
 * Sends the event's descriptor through a socket. Until the other end receives the descriptor, no
 * process has the event in its table of files.
 */
static void send_away(struct fixture *f, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = room,
			     .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	keep_fd(f, pair[0]);
	keep_fd(f, pair[1]);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	assert_int_equal(sendmsg(pair[0], &msg, 0), 1);
	close(fd);
}

static void test_tracepoint_of_nobody(void **state)
{
	struct fixture *f = *state;
	struct target ours = load_target(f, "trace", "tp_getsid");
	struct target lost = load_target(f, "trace", "tp_getsid");
	int away = open_tracepoint();
	struct run *r;
	json_t *at;

	set_program(away, lost.fd);
	send_away(f, away);
	set_program(keep_fd(f, open_tracepoint()), ours.fd);
	r = list_perf(f);
	assert_held_by_us(attachment_of(r, ours.id));
	at = attachment_of(r, lost.id);
	assert_string_equal(str(at, "kind"), "tracepoint");
	assert_string_equal(str(at, "target"), "sys_enter_getsid");
	assert_null(json_object_get(at, "holders"));
	assert_contains(bprof(f, "list --perf")->out, "no process");
}

KTEST_GROUP(list_perf, "programs on perf events and tracepoints, and who holds them", NULL,
	    ON(EXACT, SMP4, OLD), KTEST_PARAM("tracepoint", test_link, &tp_case),
	    KTEST_PARAM("kprobe", test_link, &kprobe_case),
	    KTEST_PARAM("raw_tracepoint", test_link, &raw_tp_case), KTEST(test_others_left_out),
	    KTEST(test_perf_event_link), KTEST(test_perf_event_ioctl), KTEST(test_foreign_holder),
	    KTEST(test_tracepoint_of_nobody));
