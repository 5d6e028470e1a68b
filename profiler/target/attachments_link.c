// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the links. One table says for each link type which members of its info describe the
 * attachment. This file has its own copy of the kernel's struct bpf_link_info as of Linux 7.2, so
 * that it does not depend on the build's headers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "event/event.h"
#include "event/event_names.h"
#include "event/pmu.h"
#include "target/attachments_priv.h"

#define NAME_SZ 4096

/*
 * A copy of struct bpf_link_info of include/uapi/linux/bpf.h. The kernel adds a member for each new
 * link type and never changes existing members.
 */
struct link_info {
	__u32 type;
	__u32 id;
	__u32 prog_id;
	__u32 pad;
	union {
		struct {
			__u64 name;
			__u32 name_len;
		} named; /* set for links of type raw_tracepoint and iter */
		struct {
			__u32 attach_type;
			__u32 target_obj_id;
			__u32 target_btf_id;
		} tracing;
		struct {
			__u64 cgroup_id;
			__u32 attach_type;
		} cgroup;
		struct {
			__u32 netns_ino;
			__u32 attach_type;
		} netns;
		struct {
			__u32 ifindex;
			__u32 attach_type; /* not set for xdp links */
		} dev;
		struct {
			__u32 map_id;
			__u32 attach_type; /* set only for sockmap links */
		} map;
		struct {
			__u32 pf;
			__u32 hooknum;
			__s32 priority;
		} netfilter;
		struct {
			__u64 addrs;
			__u32 count;
			__u32 flags;
		} kprobe_multi;
		struct {
			__u64 path;
			__u64 offsets;
			__u64 ref_ctr_offsets;
			__u64 cookies;
			__u32 path_len;
			__u32 count;
		} uprobe_multi;
		struct {
			__u32 type;
			__u32 pad;
			__u64 name;
			__u32 name_len;
			__u32 offset;
		} perf_probe; /* set for links to a kprobe, uprobe or tracepoint */
		struct {
			__u32 type;
			__u32 pad;
			__u64 config;
			__u32 event_type;
		} perf_event;
		__u8 room[256];
	};
};

_Static_assert(offsetof(struct link_info, tracing.target_btf_id) ==
		       offsetof(struct bpf_link_info, tracing.target_btf_id),
	       "struct link_info differs from the kernel's");

/* Adds the attachment *at. The caller has set its kind and the ids of the program and the link. */
typedef void (*add_link_fn)(struct attach_search *s, struct attachment *at,
			    const struct link_info *info, const char *name);

static void add_named(struct attach_search *s, struct attachment *at, const struct link_info *info,
		      const char *name)
{
	attach_search__add(s, at, "%s", name);
}

static void add_tracing(struct attach_search *s, struct attachment *at,
			const struct link_info *info, const char *name)
{
	attach_search__add_tracing(s, at, info->tracing.attach_type, info->tracing.target_obj_id,
				   info->tracing.target_btf_id);
}

static void add_cgroup_link(struct attach_search *s, struct attachment *at,
			    const struct link_info *info, const char *name)
{
	at->cgroup_id = info->cgroup.cgroup_id;
	attach_type__name(info->cgroup.attach_type, at->attach_type, sizeof(at->attach_type));
	for (int i = 0; i < s->cgroup_cnt; i++)
		if (s->cgroup[i].id == at->cgroup_id) {
			attach_search__add(s, at, "%s", s->cgroup[i].path);
			return;
		}
	if (at->cgroup_id)
		attach_search__add(s, at, "id %llu", at->cgroup_id);
	else
		attach_search__add(s, at, "(removed)");
}

static void add_netns(struct attach_search *s, struct attachment *at, const struct link_info *info,
		      const char *name)
{
	attach_type__name(info->netns.attach_type, at->attach_type, sizeof(at->attach_type));
	attach_search__add(s, at, "%u", info->netns.netns_ino);
}

static const struct {
	__u32 attach_type;
	const char *name;
} dev_sides[] = {
	{ATTACH_TYPE_TCX_INGRESS, "ingress"},
	{ATTACH_TYPE_TCX_EGRESS, "egress"},
	{ATTACH_TYPE_NETKIT_PRIMARY, "primary"},
	{ATTACH_TYPE_NETKIT_PEER, "peer"},
};

/*
 * The interfaces of this network namespace have already been searched, so an interface index that
 * was not found there belongs to another namespace.
 */
static void add_dev(struct attach_search *s, struct attachment *at, const struct link_info *info,
		    const char *name)
{
	struct attachment *known;

	at->ifindex = info->dev.ifindex;
	for (size_t i = 0; i < ARRAY_SIZE(dev_sides); i++)
		if (dev_sides[i].attach_type == info->dev.attach_type)
			snprintf(at->attach_type, sizeof(at->attach_type), "%s", dev_sides[i].name);
	known = at->ifindex ? attach_search__find_dev(s, at) : NULL;
	if (known) {
		known->link_id = at->link_id;
	} else if (!at->ifindex) {
		attach_search__add(s, at, "(removed)");
	} else {
		at->elsewhere = true;
		attach_search__add(s, at, "interface %u of another network namespace", at->ifindex);
	}
}

static void add_map_link(struct attach_search *s, struct attachment *at,
			 const struct link_info *info, const char *name)
{
	if (info->map.attach_type)
		attach_type__name(info->map.attach_type, at->attach_type, sizeof(at->attach_type));
	attach_search__add(s, at, "map %u", info->map.map_id);
}

static void add_netfilter(struct attach_search *s, struct attachment *at,
			  const struct link_info *info, const char *name)
{
	attach_search__add(s, at, "pf %u hook %u priority %d", info->netfilter.pf,
			   info->netfilter.hooknum, info->netfilter.priority);
}

static void add_kprobe_multi(struct attach_search *s, struct attachment *at,
			     const struct link_info *info, const char *name)
{
	if (info->kprobe_multi.count)
		attach_search__add(s, at, "%u functions", info->kprobe_multi.count);
	else /* kernels before 6.6 set the count to 0 */
		attach_search__add(s, at, "%s", "");
}

static void add_uprobe_multi(struct attach_search *s, struct attachment *at,
			     const struct link_info *info, const char *name)
{
	attach_search__add(s, at, "%s (%u places)", name, info->uprobe_multi.count);
}

/* Returns the name of the PMU with this event type, which the caller frees; NULL: not in sysfs. */
static char *find_pmu(__u32 type)
{
	char **names = NULL, *found = NULL, *text, path[512];
	int cnt = 0;
	__u64 v;

	if (pmu__list_names(EVENT_SYSFS, &names, &cnt))
		return NULL;
	for (int i = 0; i < cnt && !found; i++) {
		snprintf(path, sizeof(path), "%s/%s/type", EVENT_SYSFS, names[i]);
		if (read_file(path, &text))
			continue;
		if (!parse_u64(text, ~0U, &v) && v == type)
			found = xstrdup(names[i]);
		free(text);
	}
	pmu__free_names(names, cnt);
	return found;
}

/*
 * The PMUs that are not in sysfs. The kernel registers them first, so their types are the first
 * dynamic types (kernel/events/core.c, perf_event_init()). Since Linux 6.5, the attr of such an
 * event has this dynamic type.
 */
static const char *const clocks[] = {"cpu-clock", "task-clock"};

static void add_event_of_config(struct attach_search *s, struct attachment *at, __u32 type,
				__u64 config)
{
	char buf[64], *pmu;
	const char *name = event_name__of(type, config, buf, sizeof(buf));

	pmu = name ? NULL : find_pmu(type);
	if (name)
		attach_search__add(s, at, "%s", name);
	else if (pmu)
		attach_search__add(s, at, "%s/config=%#llx/", pmu, config);
	else if (type >= PERF_TYPE_MAX && type - PERF_TYPE_MAX < ARRAY_SIZE(clocks) && !config)
		attach_search__add(s, at, "%s", clocks[type - PERF_TYPE_MAX]);
	else
		attach_search__add(s, at, "type %u config %#llx", type, config);
	free(pmu);
}

enum { PERF_NONE, PERF_UPROBE, PERF_URETPROBE, PERF_KPROBE, PERF_KRETPROBE, PERF_TP, PERF_EVENT };

static void add_perf(struct attach_search *s, struct attachment *at, const struct link_info *info,
		     const char *name)
{
	static const char *const kinds[] = {
		[PERF_UPROBE] = "uprobe", [PERF_URETPROBE] = "uretprobe",
		[PERF_KPROBE] = "kprobe", [PERF_KRETPROBE] = "kretprobe",
		[PERF_TP] = "tracepoint", [PERF_EVENT] = "perf_event",
	};
	__u32 type = info->perf_event.type;

	if (type < ARRAY_SIZE(kinds) && kinds[type])
		snprintf(at->kind, sizeof(at->kind), "%s", kinds[type]);
	switch (type) {
	case PERF_UPROBE:
	case PERF_URETPROBE:
		attach_search__add(s, at, "%s+%#x", name, info->perf_probe.offset);
		break;
	case PERF_KPROBE:
	case PERF_KRETPROBE:
		if (info->perf_probe.offset)
			attach_search__add(s, at, "%s+%#x", name, info->perf_probe.offset);
		else
			attach_search__add(s, at, "%s", name);
		break;
	case PERF_TP:
		attach_search__add(s, at, "%s", name);
		break;
	case PERF_EVENT:
		add_event_of_config(s, at, info->perf_event.event_type, info->perf_event.config);
		break;
	default:
		/*
		 * Before Linux 6.6 the info of the link has no details.
		 * attach_search__perf_events() finds them if a process has the perf event open.
		 */
		attach_search__add(s, at, "%s", "");
	}
}

#define NAME_AT(member) offsetof(struct link_info, member), offsetof(struct link_info, member##_len)

/* Indexed by the kernel's enum bpf_link_type. */
static const struct link_type {
	const char *kind;
	add_link_fn add;
	/*
	 * the offsets, in struct link_info, of the pointer to a name buffer and of the buffer's
	 * length; 0: links of this type have no name
	 */
	size_t name, name_len;
} link_types[] = {
	[1] = {"raw_tp", add_named, NAME_AT(named.name)},
	[2] = {"tracing", add_tracing, 0, 0},
	[3] = {"cgroup", add_cgroup_link, 0, 0},
	[4] = {"iter", add_named, NAME_AT(named.name)},
	[5] = {"netns", add_netns, 0, 0},
	[6] = {"xdp", add_dev, 0, 0},
	[7] = {"perf_event", add_perf, NAME_AT(perf_probe.name)},
	[8] = {"kprobe_multi", add_kprobe_multi, 0, 0},
	[9] = {"struct_ops", add_map_link, 0, 0},
	[10] = {"netfilter", add_netfilter, 0, 0},
	[11] = {"tcx", add_dev, 0, 0},
	[12] = {"uprobe_multi", add_uprobe_multi, NAME_AT(uprobe_multi.path)},
	[13] = {"netkit", add_dev, 0, 0},
	[14] = {"sockmap", add_map_link, 0, 0},
};

/* Reads a link's info and its name ("": its type has no names). Returns 0 or -errno. */
static int read_link(int fd, struct link_info *info, char *name)
{
	__u32 len = sizeof(*info);
	const struct link_type *t;

	memset(info, 0, sizeof(*info));
	name[0] = '\0';
	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return -errno;
	t = info->type < ARRAY_SIZE(link_types) ? &link_types[info->type] : NULL;
	if (!t || !t->name)
		return 0;
	/*
	 * The first call has returned the link's type. The member that must point to the buffer for
	 * the name depends on this type.
	 */
	memset(info->room, 0, sizeof(info->room));
	memcpy((char *)info + t->name, &(__u64){(unsigned long)name}, sizeof(__u64));
	memcpy((char *)info + t->name_len, &(__u32){NAME_SZ}, sizeof(__u32));
	len = sizeof(*info);
	if (bpf_obj_get_info_by_fd(fd, info, &len) && errno != ENOSPC)
		return -errno;
	name[NAME_SZ - 1] = '\0';
	return 0;
}

void attach_search__links(struct attach_search *s)
{
	char name[NAME_SZ];
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct attachment at = {.link_id = id};
		const struct link_type *t;
		struct link_info info;
		int err, fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue; /* the link was removed after its id was read */
		err = read_link(fd, &info, name);
		close(fd);
		/*
		 * A struct_ops link has no program id: attach_search__struct_ops() finds its
		 * programs.
		 */
		if (err || !info.prog_id)
			continue;
		at.prog_id = info.prog_id;
		t = info.type < ARRAY_SIZE(link_types) ? &link_types[info.type] : NULL;
		if (t && t->add) {
			snprintf(at.kind, sizeof(at.kind), "%s", t->kind);
			t->add(s, &at, &info, name);
		} else {
			snprintf(at.kind, sizeof(at.kind), "link_type_%u", info.type);
			attach_search__add(s, &at, "%s", "");
		}
	}
}
