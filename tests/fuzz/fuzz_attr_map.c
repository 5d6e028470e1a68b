// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes what bprof does with the content of the attr map, which perf and others write. "make fuzz"
 * runs it.
 *
 * Input: the size of the keys, how many elements the map has room for, the struct perf_event_attr
 * that is looked up, then the map's elements: keys, each with its value and a byte of flags.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "system/attr_key.h"
#include "system/attr_map.h"
#include "tests/fuzz/world.h"

#define MAX_ELEMS 16
#define NO_SUCH_FD 1000000

/* Flags of an element. */
#define LINK_IS_GONE 1
#define OTHER_LINK 2
#define OTHER_PROG 4

struct elem {
	uint8_t key[ATTR_KEY_MAX];
	struct attr_entry value;
	uint8_t flags;
};

static struct elem elem[MAX_ELEMS];
static int cnt, room;
static __u32 key_sz;

static int find_key(const void *key)
{
	for (int i = 0; i < cnt; i++)
		if (!memcmp(elem[i].key, key, key_sz))
			return i;
	errno = ENOENT;
	return -1;
}

static const struct elem *find_link(__u32 id)
{
	for (int i = 0; i < cnt; i++)
		if (elem[i].value.link_id == id && !(elem[i].flags & LINK_IS_GONE))
			return &elem[i];
	errno = ENOENT;
	return NULL;
}

static long next_key(const union bpf_attr *attr)
{
	const void *key = (void *)attr->key;
	int i = key ? find_key(key) + 1 : 0;

	if (i >= cnt) {
		errno = ENOENT;
		return -1;
	}
	memcpy((void *)attr->next_key, elem[i].key, key_sz);
	return 0;
}

static long update(const union bpf_attr *attr)
{
	int i = find_key((void *)attr->key);

	if (i < 0 && cnt >= room) {
		errno = E2BIG;
		return -1;
	}
	if (i < 0)
		i = cnt++;
	memset(&elem[i], 0, sizeof(elem[i]));
	memcpy(elem[i].key, (void *)attr->key, key_sz);
	memcpy(&elem[i].value, (void *)attr->value, sizeof(elem[i].value));
	return 0;
}

static long get_info(const union bpf_attr *attr)
{
	__u32 id = attr->info.bpf_fd - NO_SUCH_FD;
	const struct elem *e = find_link(id % 256);
	struct bpf_link_info *link = (void *)attr->info.info;
	struct bpf_prog_info *prog = (void *)attr->info.info;

	if (!e)
		return -1;
	if (id >= 256) {
		strcpy(prog->name, e->flags & OTHER_PROG ? "on_swap" : "on_switch");
		return 0;
	}
	link->type = BPF_LINK_TYPE_RAW_TRACEPOINT;
	link->prog_id = id;
	if (link->raw_tracepoint.tp_name)
		snprintf((char *)link->raw_tracepoint.tp_name, link->raw_tracepoint.tp_name_len,
			 "%s", e->flags & OTHER_LINK ? "sched_waking" : "sched_switch");
	return 0;
}

static long answer(int cmd, void *arg, unsigned int sz)
{
	const union bpf_attr *attr = arg;
	int i;

	switch (cmd) {
	case BPF_MAP_LOOKUP_ELEM:
		i = find_key((void *)attr->key);
		if (i < 0)
			return -1;
		memcpy((void *)attr->value, &elem[i].value, sizeof(elem[i].value));
		return 0;
	case BPF_MAP_GET_NEXT_KEY:
		return next_key(attr);
	case BPF_MAP_UPDATE_ELEM:
		return update(attr);
	case BPF_MAP_DELETE_ELEM:
		i = find_key((void *)attr->key);
		if (i >= 0)
			elem[i] = elem[--cnt];
		return i < 0 ? -1 : 0;
	case BPF_LINK_GET_FD_BY_ID:
		return find_link(attr->link_id) ? NO_SUCH_FD + (attr->link_id % 256) : -1;
	case BPF_PROG_GET_FD_BY_ID:
		return NO_SUCH_FD + 256 + attr->prog_id % 256;
	case BPF_OBJ_GET_INFO_BY_FD:
		return get_info(attr);
	default:
		errno = EPERM;
		return -1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	struct attr_map m = {.fd = NO_SUCH_FD};
	struct perf_event_attr attr = {};
	struct attr_entry e = {.link_id = 77};
	int link_fd, err;

	world_bpf = answer;
	key_sz = m.key_sz = ATTR_KEY_MIN + bytes__u8(&in) * 8 % (ATTR_KEY_MAX - ATTR_KEY_MIN + 8);
	room = bytes__u8(&in) % MAX_ELEMS + 1;
	bytes__copy(&in, &attr, key_sz < sizeof(attr) ? key_sz : sizeof(attr));
	memset(elem, 0, sizeof(elem));
	for (cnt = 0; in.sz && cnt < room; cnt++) {
		bytes__copy(&in, elem[cnt].key, key_sz);
		elem[cnt].value.link_id = bytes__u8(&in);
		elem[cnt].flags = bytes__u8(&in);
		if (find_key(elem[cnt].key) >= 0)
			break;
	}
	err = attr_map__find(&m, &attr, &e, &link_fd);
	require(!err == (link_fd >= 0));
	err = attr_map__put(&m, &attr, &e);
	require(!err || err == -E2BIG);
	attr_map__sweep(&m);
	for (int i = 0; i < cnt; i++)
		require(!(elem[i].flags & (OTHER_LINK | OTHER_PROG | LINK_IS_GONE)) ||
			find_link(elem[i].value.link_id));
	return 0;
}
