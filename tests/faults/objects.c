// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists the BPF objects in the kernel (objects.h). */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/faults/objects.h"

static int (*const get_next[3])(__u32, __u32 *) = {
	bpf_prog_get_next_id,
	bpf_map_get_next_id,
	bpf_link_get_next_id,
};
static const char *const kinds[3] = {"program", "map", "link"};

static int count_pins(void)
{
	DIR *dir = opendir("/sys/fs/bpf");
	int cnt = 0;

	while (dir && readdir(dir))
		cnt++;
	if (dir)
		closedir(dir);
	return cnt;
}

void objects__list(struct objects *o)
{
	__u32 id;

	memset(o, 0, sizeof(*o));
	for (int k = 0; k < 3; k++)
		for (id = 0; o->cnt[k] < 256 && !get_next[k](id, &id);)
			o->id[k][o->cnt[k]++] = id;
	o->pins = count_pins();
}

static bool has_id(const struct objects *o, int kind, __u32 id)
{
	for (int i = 0; i < o->cnt[kind]; i++)
		if (o->id[kind][i] == id)
			return true;
	return false;
}

/* Describes the first object that was not in *before. Returns false if there is none. */
static bool find_new(const struct objects *before, char *what, int sz)
{
	struct objects now;

	objects__list(&now);
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < now.cnt[k]; i++) {
			if (has_id(before, k, now.id[k][i]))
				continue;
			snprintf(what, sz, "%s %u in the kernel", kinds[k], now.id[k][i]);
			return true;
		}
	}
	if (now.pins > before->pins)
		snprintf(what, sz, "a file below /sys/fs/bpf");
	return now.pins > before->pins;
}

bool objects__have_new(const struct objects *before, char *what, int sz)
{
	/* Programs and their maps are freed after a grace period, some of them after two. */
	for (int tries = 0; tries < 300; tries++) {
		if (!find_new(before, what, sz))
			return false;
		usleep(10000);
	}
	return true;
}
