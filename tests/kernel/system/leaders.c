// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the leaders of bperf and their BPF maps by the ids of kernel objects. Owns the descriptors
 * that it opens.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <bpf/bpf.h>

#include "bpf/bperf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/leaders.h"

/*
 * An entry of the attr map: same layout as struct attr_entry of profiler/system/attr_map.h and
 * perf.
 */
struct entry {
	__u32 link_id, diff_map_id;
};

/*
 * Returns true for a leader's link on sched_switch. The leader's other programs have their own
 * links.
 */
static bool is_on_sched_switch(int link_fd)
{
	char name[16] = "";
	struct bpf_link_info link = {.raw_tracepoint = {(uintptr_t)name, sizeof(name)}};
	__u32 len = sizeof(link);

	return !bpf_obj_get_info_by_fd(link_fd, &link, &len) &&
	       link.type == BPF_LINK_TYPE_RAW_TRACEPOINT && !strcmp(name, "sched_switch");
}

static int prog_of(int link_fd, char *name)
{
	struct bpf_link_info link = {};
	struct bpf_prog_info prog = {};
	__u32 len = sizeof(link);
	int fd;

	if (bpf_obj_get_info_by_fd(link_fd, &link, &len))
		return -1;
	fd = bpf_prog_get_fd_by_id(link.prog_id);
	len = sizeof(prog);
	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &prog, &len))
		strcpy(name, prog.name);
	return fd;
}

void leaders__open(struct leaders *l)
{
	__u32 id = 0;

	*l = (struct leaders){};
	while (!bpf_link_get_next_id(id, &id)) {
		char name[BPF_OBJ_NAME_LEN] = "";
		int fd = bpf_link_get_fd_by_id(id), prog;

		if (fd < 0)
			continue;
		prog = prog_of(fd, name);
		if (prog >= 0)
			close(prog);
		if (strcmp(name, "on_switch") || !is_on_sched_switch(fd)) {
			close(fd);
			continue;
		}
		assert_true(l->cnt < MAX_LEADERS);
		l->link_id[l->cnt] = id;
		l->fd[l->cnt++] = fd;
	}
}

void leaders__close(struct leaders *l)
{
	for (int i = 0; i < l->cnt; i++)
		close(l->fd[i]);
	l->cnt = 0;
}

void leaders__await(int cnt)
{
	struct leaders l;

	for (;;) {
		int is;

		leaders__open(&l);
		is = l.cnt;
		leaders__close(&l);
		if (is == cnt)
			return;
		if (hangs())
			fail_test("%d leaders, not %d", is, cnt);
		usleep(5000);
	}
}

int attr_map_open(const char *path)
{
	int fd = bpf_obj_get(path);

	if (fd < 0)
		fail_test("%s: %s", path, strerror(errno));
	return fd;
}

/* Counts the entries of the attr map that name this link. */
static int count_entries(int map_fd, __u32 link_id)
{
	char key[512], last[512];
	void *from = NULL;
	struct entry e;
	int cnt = 0;

	while (!bpf_map_get_next_key(map_fd, from, key)) {
		cnt += !bpf_map_lookup_elem(map_fd, key, &e) && e.link_id == link_id;
		memcpy(last, key, sizeof(last));
		from = last;
	}
	return cnt;
}

void leaders__assert_entered(int map_fd)
{
	struct leaders l;

	assert_int_equal(flock(map_fd, LOCK_EX), 0);
	leaders__open(&l);
	for (int i = 0; i < l.cnt; i++) {
		int cnt = count_entries(map_fd, l.link_id[i]);

		if (cnt != 1)
			fail_test("leader %u has %d entries in the map", l.link_id[i], cnt);
	}
	leaders__close(&l);
	assert_int_equal(flock(map_fd, LOCK_UN), 0);
}

int count_elements(int map_fd)
{
	char key[512], last[512];
	void *from = NULL;
	int cnt = 0;

	while (!bpf_map_get_next_key(map_fd, from, key)) {
		cnt++;
		memcpy(last, key, sizeof(last));
		from = last;
	}
	return cnt;
}

static int count_dead(int owners_fd)
{
	struct bperf_owner o, last;
	void *from = NULL;
	int cnt = 0;

	while (!bpf_map_get_next_key(owners_fd, from, &o)) {
		int fd = bpf_map_get_fd_by_id(o.user);

		cnt += fd < 0;
		if (fd >= 0)
			close(fd);
		last = o;
		from = &last;
	}
	return cnt;
}

int open_table(int link_fd, const char *table)
{
	__u32 ids[16] = {}, len;
	struct bpf_prog_info prog = {.map_ids = (__u64)(uintptr_t)ids, .nr_map_ids = 16};
	char name[BPF_OBJ_NAME_LEN] = "";
	int prog_fd = prog_of(link_fd, name);

	len = sizeof(prog);
	assert_true(prog_fd >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(prog_fd, &prog, &len), 0);
	close(prog_fd);
	for (__u32 i = 0; i < prog.nr_map_ids; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);
		struct bpf_map_info map = {};

		len = sizeof(map);
		assert_true(fd >= 0);
		assert_int_equal(bpf_obj_get_info_by_fd(fd, &map, &len), 0);
		if (!strcmp(map.name, table))
			return fd;
		close(fd);
	}
	fail_test("%s has no %s", name, table);
	return -1;
}

static bool has_moved(int link_fd)
{
	int fd = open_table(link_fd, "bprof_sets");
	static struct bperf_cpu cpu; /* static, because it is too large for the stack */
	bool has = false;

	for (__u32 id = 0; !has && !bpf_map_lookup_elem(fd, &id, &cpu); id++)
		has = cpu.moved.task;
	close(fd);
	return has;
}

void leaders__await_moves(void)
{
	bool any = true;

	while (any) {
		struct leaders l;

		any = false;
		leaders__open(&l);
		for (int i = 0; i < l.cnt; i++)
			any |= has_moved(l.fd[i]);
		leaders__close(&l);
		if (any && hangs())
			fail_test("a task that was moved is not counted in its old cgroup");
		usleep(5000);
	}
}

struct tables read_tables(int link_fd)
{
	int keys = open_table(link_fd, "bprof_keys"), owners = open_table(link_fd, "bprof_owners");
	struct tables t = {count_elements(keys), count_elements(owners), count_dead(owners)};

	close(keys);
	close(owners);
	return t;
}

struct tables read_only_tables(void)
{
	struct leaders l;
	struct tables t;

	leaders__open(&l);
	if (l.cnt != 1)
		fail_test("%d leaders, not one", l.cnt);
	t = read_tables(l.fd[0]);
	leaders__close(&l);
	return t;
}
