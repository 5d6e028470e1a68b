// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds and counts the objects of bperf in the kernel. Does not know who uses the objects. Caches
 * nothing: each function asks the kernel each time.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/counters.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/sharing.h"

#define MAX_KEY 512

static bool has_map(const struct bpf_prog_info *prog, const __u32 *ids, const char *name)
{
	bool found = false;

	for (__u32 i = 0; i < prog->nr_map_ids && !found; i++) {
		struct bpf_map_info info = {};
		__u32 sz = sizeof(info);
		int fd = bpf_map_get_fd_by_id(ids[i]);

		found = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &sz) &&
			!strcmp(info.name, name);
		if (fd >= 0)
			close(fd);
	}
	return found;
}

static bool is_on_sched_switch(__u32 link_id)
{
	char name[16] = "";
	struct bpf_link_info link = {.raw_tracepoint = {(unsigned long)name, sizeof(name)}};
	__u32 sz = sizeof(link);
	int fd = bpf_link_get_fd_by_id(link_id);
	bool is = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &link, &sz) &&
		  !strcmp(name, "sched_switch");

	if (fd >= 0)
		close(fd);
	return is;
}

static void add_link(struct sharing *l, const struct bpf_link_info *link)
{
	__u32 map_ids[16];
	struct bpf_prog_info prog = {.map_ids = (unsigned long)map_ids, .nr_map_ids = 16};
	__u32 sz = sizeof(prog);
	int fd = bpf_prog_get_fd_by_id(link->prog_id);

	if (fd < 0)
		return;
	if (bpf_obj_get_info_by_fd(fd, &prog, &sz))
		memset(&prog, 0, sizeof(prog));
	if (link->type == BPF_LINK_TYPE_RAW_TRACEPOINT && !strcmp(prog.name, "on_switch") &&
	    is_on_sched_switch(link->id)) {
		l->cnt++;
		l->link = link->id;
		l->ours = has_map(&prog, map_ids, "bprof_sets");
	}
	l->bprof_followers += !strcmp(prog.name, "bprof_on_switch");
	l->perf_followers += !strcmp(prog.name, "fexit_XXX");
	close(fd);
}

struct sharing sharing__read(void)
{
	struct sharing l = {};
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		__u32 sz = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &sz))
			add_link(&l, &info);
		close(fd);
	}
	return l;
}

int attr_map_key_size(void)
{
	struct bpf_map_info info = {};
	__u32 sz = sizeof(info);
	int fd = bpf_obj_get(ATTR_MAP);

	if (fd < 0)
		return 0;
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &sz), 0);
	close(fd);
	return info.key_size;
}

/* Calls add() with each key of the attr map. */
static void for_each_key(void (*add)(const struct perf_event_attr *attr, void *arg), void *arg)
{
	char key[MAX_KEY] = {}, last[MAX_KEY];
	int fd = bpf_obj_get(ATTR_MAP);
	void *from = NULL;

	if (fd < 0)
		return;
	while (!bpf_map_get_next_key(fd, from, key)) {
		struct perf_event_attr attr;

		memcpy(&attr, key, sizeof(attr));
		add(&attr, arg);
		memcpy(last, key, sizeof(last));
		from = last;
	}
	close(fd);
}

static void add_entry(const struct perf_event_attr *attr, void *arg)
{
	++*(int *)arg;
}

int attr_map_entries(void)
{
	int cnt = 0;

	for_each_key(add_entry, &cnt);
	return cnt;
}

static void add_guest(const struct perf_event_attr *attr, void *arg)
{
	*(unsigned int *)arg |= attr->exclude_guest ? 2 : 1;
}

unsigned int attr_map_guests(void)
{
	unsigned int bits = 0;

	for_each_key(add_guest, &bits);
	return bits;
}

void await_free_counters(int cnt)
{
	int now;

	while ((now = free_counters()) != cnt) {
		if (hangs())
			fail_test("%d counters are free, not %d", now, cnt);
		usleep(2000);
	}
}

void rotate_rarely(bool rarely)
{
	static const char interval[] =
		"/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms";
	static char before[16];
	FILE *in = fopen(interval, "re");

	if (!in)
		return;
	if (!*before)
		assert_non_null(fgets(before, sizeof(before), in));
	fclose(in);
	write_file(interval, rarely ? "1000" : before);
}
