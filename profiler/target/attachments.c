// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds out where the loaded programs are attached. Owns the list of attachments, and decides which
 * sources are searched in which order; attachments_*.c search them. Prints nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/text.h"
#include "base/util.h"
#include "btf/btf_compat.h"
#include "host/task.h"
#include "target/attachments.h"
#include "target/attachments_priv.h"

/*
 * The sources in the order of the search. Interfaces and cgroups are searched before links: a
 * link's info has only the number of an interface or cgroup, and the earlier search has found its
 * name. Perf events are searched after links, to find only events that no link describes.
 */
static const struct {
	/* this search is done if one of these bits of enum attach_source is given; 0: always */
	unsigned int source;
	void (*search)(struct attach_search *s);
} sources[] = {
	{ATTACH_XDP | ATTACH_TC, attach_search__xdp},
	{ATTACH_TC, attach_search__tc},
	{ATTACH_CGROUP, attach_search__cgroups},
	{ATTACH_NETNS, attach_search__netns},
	{ATTACH_SOCKMAP, attach_search__sockmaps},
	{0, attach_search__links},
	{ATTACH_PERF, attach_search__perf_events},
	{ATTACH_STRUCT_OPS, attach_search__struct_ops},
};

static const struct {
	enum bpf_prog_type type;
	unsigned int sources;
} type_sources[] = {
	{BPF_PROG_TYPE_XDP, ATTACH_XDP},
	{BPF_PROG_TYPE_SCHED_CLS, ATTACH_TC},
	{BPF_PROG_TYPE_SCHED_ACT, ATTACH_TC},
	{BPF_PROG_TYPE_CGROUP_SKB, ATTACH_CGROUP},
	{BPF_PROG_TYPE_CGROUP_SOCK, ATTACH_CGROUP},
	{BPF_PROG_TYPE_CGROUP_DEVICE, ATTACH_CGROUP},
	{BPF_PROG_TYPE_CGROUP_SOCK_ADDR, ATTACH_CGROUP},
	{BPF_PROG_TYPE_CGROUP_SYSCTL, ATTACH_CGROUP},
	{BPF_PROG_TYPE_CGROUP_SOCKOPT, ATTACH_CGROUP},
	{BPF_PROG_TYPE_SOCK_OPS, ATTACH_CGROUP},
	{BPF_PROG_TYPE_LSM, ATTACH_CGROUP},
	{BPF_PROG_TYPE_KPROBE, ATTACH_PERF},
	{BPF_PROG_TYPE_TRACEPOINT, ATTACH_PERF},
	{BPF_PROG_TYPE_PERF_EVENT, ATTACH_PERF},
	{BPF_PROG_TYPE_STRUCT_OPS, ATTACH_STRUCT_OPS},
	{BPF_PROG_TYPE_SK_MSG, ATTACH_SOCKMAP},
	{BPF_PROG_TYPE_SK_SKB, ATTACH_SOCKMAP},
};

unsigned int attachments__sources(enum bpf_prog_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(type_sources); i++)
		if (type_sources[i].type == type)
			return type_sources[i].sources;
	return 0;
}

struct btf *attach_search__vmlinux(struct attach_search *s)
{
	if (!s->vmlinux && !s->vmlinux_err) {
		s->vmlinux = btf_compat__load_vmlinux();
		if (!s->vmlinux)
			s->vmlinux_err = -errno;
	}
	return s->vmlinux;
}

void attach_search__add_holder(struct attach_search *s, struct attachment *at)
{
	struct holder *h;
	struct task task;

	for (int i = 0; i < at->holder_cnt; i++)
		if (at->holder[i].pid == s->pid)
			return;
	if (!s->pid)
		return;
	h = array__add(&at->holder, &at->holder_cnt, sizeof(*h));
	h->prog_id = at->prog_id;
	h->pid = s->pid;
	if (!task__read(s->pid, &task))
		snprintf(h->comm, sizeof(h->comm), "%.*s", (int)sizeof(h->comm) - 1, task.comm);
}

void attach_search__add(struct attach_search *s, const struct attachment *at, const char *fmt, ...)
{
	struct attachment *new;
	char *target;
	va_list ap;

	va_start(ap, fmt);
	target = text__vformat(fmt, ap);
	va_end(ap);
	for (int i = 0; !s->ids_only && i < s->found->cnt; i++) {
		struct attachment *old = &s->found->v[i];

		if (old->prog_id == at->prog_id && !strcmp(old->kind, at->kind) &&
		    !strcmp(old->attach_type, at->attach_type) && !strcmp(old->target, target) &&
		    (!old->link_id || !at->link_id || old->link_id == at->link_id)) {
			old->link_id = old->link_id ?: at->link_id;
			free(target);
			attach_search__add_holder(s, old);
			return;
		}
	}
	new = array__add(&s->found->v, &s->found->cnt, sizeof(*new));
	*new = *at;
	new->target = target;
	attach_search__add_holder(s, new);
}

struct attachment *attach_search__find_dev(struct attach_search *s, const struct attachment *at)
{
	for (int i = 0; i < s->found->cnt; i++) {
		struct attachment *old = &s->found->v[i];

		if (old->prog_id == at->prog_id && old->ifindex == at->ifindex &&
		    (!old->link_id || old->link_id == at->link_id) &&
		    !strcmp(old->kind, at->kind) &&
		    (!*at->attach_type || !strcmp(old->attach_type, at->attach_type)))
			return old;
	}
	return NULL;
}

/* Names of attach types for which libbpf 1.1 has no name. */
static const struct {
	__u32 type;
	const char *name;
} new_types[] = {
	{ATTACH_TYPE_LSM_CGROUP, "lsm_cgroup"},
	{49, "cgroup_unix_connect"},
	{50, "cgroup_unix_sendmsg"},
	{51, "cgroup_unix_recvmsg"},
	{52, "cgroup_unix_getpeername"},
	{53, "cgroup_unix_getsockname"},
};

const char *attach_type__name(__u32 type, char *buf, size_t sz)
{
	const char *name = libbpf_bpf_attach_type_str(type);

	for (size_t i = 0; !name && i < ARRAY_SIZE(new_types); i++)
		if (new_types[i].type == type)
			name = new_types[i].name;
	if (name)
		snprintf(buf, sz, "%s", name);
	else
		snprintf(buf, sz, "attach_type_%u", type);
	return buf;
}

static int compare_attachments(const void *a_ptr, const void *b_ptr)
{
	const struct attachment *a = a_ptr, *b = b_ptr;
	int order = strcmp(a->kind, b->kind);

	if (a->prog_id != b->prog_id)
		return a->prog_id < b->prog_id ? -1 : 1;
	order = order ?: strcmp(a->target, b->target);
	return order ?: strcmp(a->attach_type, b->attach_type);
}

static void search_sources(struct attachments *a, unsigned int wanted, bool ids_only)
{
	struct attach_search s = {.found = a, .ids_only = ids_only};

	memset(a, 0, sizeof(*a));
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (!sources[i].source || sources[i].source & wanted)
			sources[i].search(&s);
	if (a->cnt)
		qsort(a->v, a->cnt, sizeof(*a->v), compare_attachments);
	for (int i = 0; i < s.cgroup_cnt; i++)
		free(s.cgroup[i].path);
	free(s.cgroup);
	btf__free(s.vmlinux);
}

void attachments__load(struct attachments *a, unsigned int wanted)
{
	search_sources(a, wanted, false);
}

void attachments__load_ids(struct attachments *a, unsigned int wanted)
{
	search_sources(a, wanted, true);
}

void attachments__free(struct attachments *a)
{
	for (int i = 0; i < a->cnt; i++) {
		free(a->v[i].target);
		free(a->v[i].holder);
	}
	free(a->v);
	memset(a, 0, sizeof(*a));
}

const struct attachment *attachments__next(const struct attachments *a, __u32 prog_id,
					   const struct attachment *prev)
{
	int i = prev ? prev - a->v + 1 : (int)COUNT_BELOW(a->v, a->cnt, prog_id, prog_id);

	return i < a->cnt && a->v[i].prog_id == prog_id ? &a->v[i] : NULL;
}

bool attachment__is_perf(const struct attachment *at)
{
	static const char *const kinds[] = {"tracepoint", "raw_tp", "tp_btf",	 "kprobe",
					    "kretprobe",  "uprobe", "uretprobe", "perf_event"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(at->kind, kinds[i]))
			return true;
	return false;
}

const char *attachment__describe(const struct attachment *at, char *buf, size_t sz)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *target = at->target;
	const size_t len = strlen(mount);

	/* Show the path of a cgroup as its processes see it in /proc/self/cgroup. */
	if (!strncmp(target, mount, len) && (!target[len] || target[len] == '/'))
		target = target[len] ? target + len : "/";
	snprintf(buf, sz, "%s%s%s%s%s", at->kind, *target ? " " : "", target,
		 *at->attach_type ? " " : "", at->attach_type);
	return buf;
}

/* A description has at most this many attachments; JSON has all. */
#define MAX_DESCRIBED 4

const char *attachments__describe(const struct attachments *a, __u32 prog_id, char *buf, size_t sz)
{
	const struct attachment *at = NULL;
	size_t len = 0;
	char one[512];
	int cnt = 0;

	buf[0] = '\0';
	while ((at = attachments__next(a, prog_id, at)))
		if (cnt++ < MAX_DESCRIBED && len < sz)
			len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "",
					attachment__describe(at, one, sizeof(one)));
	if (cnt > MAX_DESCRIBED && len < sz)
		snprintf(buf + len, sz - len, ", and %d more", cnt - MAX_DESCRIBED);
	return buf;
}
