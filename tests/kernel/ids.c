// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets of ids of BPF objects. Does not know the tests. Caches nothing: each function asks the
 * kernel each time.
 */
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/drive/hang.h"
#include "tests/kernel/ids.h"

#define SHORTEST_PAUSE_MS 2
#define LONGEST_PAUSE_MS 256

static const struct {
	const char *name;
	int (*next)(__u32 id, __u32 *next_id);
} kinds[ID_KIND_CNT] = {
	[ID_PROG] = {"program", bpf_prog_get_next_id},
	[ID_MAP] = {"map", bpf_map_get_next_id},
	[ID_LINK] = {"link", bpf_link_get_next_id},
	[ID_BTF] = {"BTF", bpf_btf_get_next_id},
};

static int count_pins(void)
{
	char *const roots[] = {"/sys/fs/bpf", NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;
	int cnt = 0;

	if (!fts)
		return -1;
	while ((e = fts_read(fts)))
		cnt += e->fts_info == FTS_F;
	fts_close(fts);
	return cnt;
}

void id_set__read(struct id_set *s)
{
	for (int k = 0; k < ID_KIND_CNT; k++) {
		__u32 id = 0;

		s->cnt[k] = 0;
		while (s->cnt[k] < MAX_IDS && !kinds[k].next(id, &id))
			s->id[k][s->cnt[k]++] = id;
	}
	s->pins = count_pins();
}

static bool has_id(const struct id_set *s, int kind, __u32 id)
{
	for (int i = 0; i < s->cnt[kind]; i++)
		if (s->id[kind][i] == id)
			return true;
	return false;
}

static void prog_name(__u32 id, char *buf, size_t sz)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	buf[0] = '\0';
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(buf, sz, "%s", info.name);
	close(fd);
}

/* Writes the map's name and type to the buffer. */
static void describe_map(__u32 id, char *buf, size_t sz)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	buf[0] = '\0';
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(buf, sz, "'%s' of type %u", info.name, info.type);
	close(fd);
}

/* Finds the first object that is in *now but not in *s. Returns false if there is none. */
static bool find_new(const struct id_set *s, const struct id_set *now, enum id_kind *kind,
		     __u32 *id)
{
	for (int k = 0; k < ID_KIND_CNT; k++)
		for (int i = 0; i < now->cnt[k]; i++) {
			if (has_id(s, k, now->id[k][i]))
				continue;
			*kind = k;
			*id = now->id[k][i];
			return true;
		}
	return false;
}

/* Describes in the buffer "what" the first object that is in *now but not in *s. */
static void describe_new(const struct id_set *s, const struct id_set *now, char *what, int sz)
{
	enum id_kind kind;
	char text[64] = "";
	__u32 id;

	if (!find_new(s, now, &kind, &id)) {
		snprintf(what, sz, "%d pinned files, %d before", now->pins, s->pins);
		return;
	}
	if (kind == ID_PROG)
		prog_name(id, text, sizeof(text));
	else if (kind == ID_MAP)
		describe_map(id, text, sizeof(text));
	snprintf(what, sz, "%s %u %s is left", kinds[kind].name, id, text);
}

static void pause_for(long ms)
{
	struct timespec ts = {.tv_nsec = ms * 1000000};

	nanosleep(&ts, NULL);
}

bool id_set__await(const struct id_set *s, char *what, int sz)
{
	static struct id_set now; /* too large for the stack */
	long pause_ms = SHORTEST_PAUSE_MS;
	enum id_kind kind;
	__u32 id;

	for (;;) {
		id_set__read(&now);
		if (!find_new(s, &now, &kind, &id) && now.pins == s->pins)
			return true;
		/*
		 * describe_new() opens objects, so call it only after the wait has failed: if the
		 * last descriptor of a prog array is closed twice before the kernel has emptied the
		 * array, the array leaks (kernel/bpf/arraymap.c: prog_array_map_clear() takes a
		 * reference even if the work is already pending).
		 */
		if (hangs()) {
			describe_new(s, &now, what, sz);
			return false;
		}
		/*
		 * The kernel frees the objects on the same CPUs. On emulated CPUs, constant polling
		 * would delay this work, so each pause is longer than the pause before.
		 */
		pause_for(pause_ms);
		if (pause_ms < LONGEST_PAUSE_MS)
			pause_ms *= 2;
	}
}

bool prog_id__is_loaded(__u32 prog_id)
{
	int fd = bpf_prog_get_fd_by_id(prog_id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool prog__is_probed(__u32 prog_id)
{
	bool found = false;
	__u32 id = 0;

	while (!found && !bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		__u32 sz = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		found = !bpf_obj_get_info_by_fd(fd, &info, &sz) &&
			info.type == BPF_LINK_TYPE_TRACING &&
			info.tracing.attach_type == BPF_TRACE_FENTRY &&
			info.tracing.target_obj_id == prog_id;
		close(fd);
	}
	return found;
}

static bool find_prog(const char *prefix, bool probed)
{
	char name[BPF_OBJ_NAME_LEN];
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		prog_name(id, name, sizeof(name));
		if (!strncmp(name, prefix, strlen(prefix)) && (!probed || prog__is_probed(id)))
			return true;
	}
	return false;
}

static bool await_prog(const char *prefix, bool probed)
{
	while (!find_prog(prefix, probed)) {
		if (hangs())
			return false;
		pause_for(SHORTEST_PAUSE_MS);
	}
	return true;
}

bool prog_name__await(const char *prefix)
{
	return await_prog(prefix, false);
}

bool prog_name__await_probe(const char *prefix)
{
	return await_prog(prefix, true);
}
