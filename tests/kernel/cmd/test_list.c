// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the columns of bprof list on each program: the processes that hold it, its maps and
 * metadata, and the struct_ops map that it is part of.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "tests/kernel/harness.h"

static json_t *row_in_list(struct fixture *f, __u32 id)
{
	struct run *r = bprof(f, "list -j");

	assert_status(r, 0);
	return row_of(r, id);
}

static __u32 id_of_map(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* ---- holders ---- */

/* Fails unless exactly these processes hold the program. A pid of 0 stands for no process. */
static void assert_held_by(json_t *row, pid_t one, pid_t other)
{
	json_t *holders = json_object_get(row, "holders");
	int cnt = (one > 0) + (other > 0);

	if ((int)json_array_size(holders) != cnt)
		fail_test("%d holders expected: %s", cnt, json_dumps(row, 0));
	for (int i = 0; i < cnt; i++) {
		json_t *holder = json_array_get(holders, i);

		assert_int_equal(num(holder, "pid"), i ? other : one);
		assert_string_equal(str(holder, "comm"), "ktest");
	}
}

static void test_prog_holder(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	char held[64];

	assert_held_by(row_in_list(f, t.id), getpid(), 0);
	snprintf(held, sizeof(held), "  ktest[%d]\n", getpid());
	assert_contains(bprof(f, "list")->out, held);
	assert_contains(bprof(f, "list")->out, "HELD BY");
	/* in CSV, for a program that is attached nowhere */
	snprintf(held, sizeof(held), ",ktest[%d],\n", getpid());
	assert_contains(bprof(f, "list -x, --header %u", t.id)->out, held);
	assert_contains(bprof(f, "list -x, --header %u", t.id)->out, "id,type,name,tag,xlated,");
}

/* A process has only a link to the program open. */
static void test_link_holder(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "trace", "raw_tp_rename");

	assert_non_null(try_attach(f, t));
	unload(f, t);
	assert_held_by(row_in_list(f, t.id), getpid(), 0);
}

static int open_tracepoint(struct fixture *f)
{
	static const char path[] = "/sys/kernel/tracing/events/syscalls/sys_enter_getsid/id";
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	FILE *file = fopen(path, "re");
	int fd;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%llu", &attr.config), 1);
	fclose(file);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fail_test("perf_event_open: %s", strerror(errno));
	return f->fd[f->fd_cnt++] = fd;
}

/* A process has only the perf event with the program open. */
static void test_event_holder(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "trace", "tp_getsid");

	assert_int_equal(ioctl(open_tracepoint(f), PERF_EVENT_IOC_SET_BPF, t.fd), 0);
	unload(f, t);
	assert_held_by(row_in_list(f, t.id), getpid(), 0);
}

/* Each process is listed once, although it has the program open several times. */
static void test_two_holders(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	pid_t child = fork();
	char held[64];

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup(t.fd) >= 0)
			pause();
		_exit(1);
	}
	assert_true(child > 0);
	f->fd[f->fd_cnt++] = dup(t.fd);
	assert_held_by(row_in_list(f, t.id), getpid(), child);
	snprintf(held, sizeof(held), "  ktest[%d] +1\n", getpid());
	assert_contains(bprof(f, "list")->out, held);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* list shows which user has loaded a program: root, or another user with the capabilities. */
static void test_loader(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	int nobody = atoi(command(f, "drive nobody none id -u")->out);
	bool found = false;
	json_t *row;
	struct run *r;
	size_t i;

	assert_true(nobody > 0);
	r = command(f, "drive nobody cap_sys_admin,cap_bpf,cap_perfmon,cap_net_admin "
		       "drive run --obj " PROGS_DIR "/xdp.bpf.o -- bprof list -j");
	assert_status(r, 0);
	assert_int_equal(num(row_of(r, t.id), "loaded_by_uid"), 0);
	json_array_foreach(json_object_get(r->json, "programs"), i, row)
		found |= num(row, "loaded_by_uid") == nobody;
	assert_true(found);
}

static void test_pinned_only(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	command(f, "mkdir -p " PIN_DIR);
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/alone"), 0);
	unload(f, t);
	assert_held_by(row_in_list(f, t.id), 0, 0);
}

static void assert_pinned(json_t *row, const char *first, int cnt)
{
	json_t *pins = json_object_get(row, "pinned");

	assert_int_equal(json_array_size(pins), cnt);
	if (cnt)
		assert_string_equal(json_string_value(json_array_get(pins, 0)), first);
}

static void test_pins(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target linked = load_target(f, "trace", "raw_tp_rename");
	struct bpf_link *link = try_attach(f, linked);
	struct run *r;

	assert_non_null(link);
	command(f, "mkdir -p " PIN_DIR "/below");
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/a"), 0);
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/below/b"), 0);
	assert_int_equal(bpf_link__pin(link, PIN_DIR "/link"), 0);
	assert_pinned(row_in_list(f, t.id), PIN_DIR "/a", 2);
	assert_pinned(row_in_list(f, linked.id), PIN_DIR "/link", 1);
	r = bprof(f, "list -v");
	assert_contains(r->out, PIN_DIR "/a +1");
	assert_contains(r->out, PIN_DIR "/link");
	assert_int_equal(bpf_link__unpin(link), 0);
	assert_pinned(row_in_list(f, linked.id), NULL, 0);
}

/*
 * In a pid namespace, the pids from the kernel's iterator have no meaning. bprof finds the same
 * holders in /proc.
 */
static void test_pid_namespace(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target linked = load_target(f, "trace", "raw_tp_rename");
	struct run *r;

	assert_non_null(try_attach(f, linked));
	unload(f, linked);
	r = command(f, "unshare -pf bprof list -v -j");
	assert_status(r, 0);
	assert_contains(r->err, "the holders of programs are read from /proc");
	assert_held_by(row_of(r, t.id), getpid(), 0);
	assert_held_by(row_of(r, linked.id), getpid(), 0);
	/* The iterator works since Linux 5.17. */
	if (!kernel_is("5.10"))
		assert_null(strstr(bprof(f, "list -v")->err, "/proc"));
}

/*
 * If bprof reads /proc, it needs CAP_SYS_PTRACE for the processes of other users. Without it, a
 * note says that holders may be missing.
 */
static void test_hidden_files(void **state)
{
	static const char note[] = "some holders of programs may be missing";
	struct fixture *f = *state;
	struct run *r;

	load_target(f, "xdp", "xdp_pass");
	r = command(f, "unshare -pf drive nobody cap_sys_admin,cap_bpf,cap_perfmon bprof list");
	assert_status(r, 0);
	assert_contains(r->err, note);
	if (!kernel_is("5.10")) {
		r = command(f, "drive nobody cap_sys_admin,cap_bpf,cap_perfmon bprof list");
		assert_contains(r->out, "ktest[");
		assert_null(strstr(r->err, note));
	}
}

/* ---- maps, memory, metadata ---- */

/* Returns the program's map with that name. */
static json_t *map_of(json_t *row, const char *name)
{
	json_t *maps = json_object_get(row, "maps"), *map;
	size_t i;

	json_array_foreach(maps, i, map) if (!strcmp(str(map, "name"), name)) return map;
	fail_test("no map %s: %s", name, json_dumps(row, 0));
	return NULL;
}

static void test_maps(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "metadata", "xdp_metadata");
	struct target bare = load_raw(f);
	json_t *row = row_in_list(f, t.id), *counts = map_of(row, "counts");
	struct run *r;

	assert_int_equal(json_array_size(json_object_get(row, "maps")), 2);
	assert_string_equal(str(counts, "type"), "array");
	assert_int_equal(num(counts, "id"),
			 id_of_map(bpf_object__find_map_fd_by_name(t.obj, "counts")));
	assert_in_range(num(counts, "memory"), 8000, 64 << 10);
	assert_string_equal(str(map_of(row, "metadata.rodata"), "type"), "array");
	assert_int_equal(json_array_size(json_object_get(row, "map_ids")), 2);
	assert_in_range(num(row, "memory"), 4096, 64 << 10);
	assert_string_equal(str(row, "metadata.version"), "1.2-rc3");
	assert_int_equal(num(row, "metadata.build"), 7);
	row = row_in_list(f, bare.id);
	assert_int_equal(json_array_size(json_object_get(row, "maps")), 0);
	assert_int_equal(json_object_size(json_object_get(row, "metadata")), 0);
	r = bprof(f, "list -v");
	assert_contains(r->out, "MEMORY");
	assert_contains(r->out, "version=1.2-rc3 build=7");
	r = bprof(f, "list");
	assert_null(strstr(r->out, "MEMORY"));
	assert_null(strstr(r->out, "1.2-rc3"));
}

/* ---- struct_ops maps ---- */

static void test_struct_ops(void **state)
{
	struct fixture *f = *state;
	struct target t;
	struct run *r;
	json_t *at;

	t = load_struct_ops(f);
	load_target(f, "xdp", "xdp_pass");
	register_struct_ops(f, t.obj, "bprof_test_with_a_long_name");
	r = bprof(f, "list -j --struct-ops bprof_test");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 4);
	at = json_array_get(json_object_get(row_of(r, t.id), "attached"), 0);
	assert_string_equal(str(at, "kind"), "struct_ops");
	assert_string_equal(str(at, "target"), "bprof_test.init");
	r = bprof(f, "list --struct-ops '*_long_name'");
	assert_contains(r->out, "bprof_test_with_a_long_name.undo_cwnd");
	assert_null(strstr(r->out, "cc_init"));
	r = bprof(f, "list --struct-ops nope");
	assert_status(r, 0);
	assert_string_equal(r->err,
			    "bprof: --struct-ops nope: no registered struct_ops map has this name; "
			    "'bprof list --type struct_ops' shows the maps under ATTACHED\n");
}

KTEST_GROUP(list, "holders, maps and metadata in bprof list", NULL, ON(SMP4, OLD),
	    KTEST(test_prog_holder), KTEST(test_link_holder), KTEST(test_event_holder),
	    KTEST(test_two_holders), KTEST(test_pinned_only), KTEST(test_pins), KTEST(test_loader),
	    KTEST(test_pid_namespace), KTEST(test_hidden_files), KTEST(test_maps),
	    KTEST(test_struct_ops));
