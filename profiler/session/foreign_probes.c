// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds foreign probes. Owns the list of the tracing links that do not belong to the session, with
 * the owner of each link. Must not know how the session's own probes work.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "backend/counter.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/fsession.h"
#include "btf/own.h"
#include "host/holders.h"
#include "kernel/iter_run.h"
#include "report/report.h"
#include "session/foreign_probes.h"
#include "target/target.h"

/* A note names at most this many owners of probes, and gives the number of all further owners. */
#define MAX_NAMED 4

static bool is_probe(__u32 attach_type)
{
	return attach_type == BPF_TRACE_FENTRY || attach_type == BPF_TRACE_FEXIT ||
	       attach_type == BPF_MODIFY_RETURN || attach_type == ATTACH_TYPE_FSESSION;
}

/* The ids of the session's own links, sorted. */
struct own_links {
	__u32 *ids;
	int cnt;
};

/*
 * Finds the ids of the session's own links. Collects them once for all lookups, because a program
 * may have hundreds of functions that are targets. The caller frees own->ids.
 */
static void find_own_links(const struct target_list *targets, struct own_links *own)
{
	*own = (struct own_links){
		.ids = xcalloc(targets->cnt + 1, BACKEND_LINKS_MAX * sizeof(*own->ids))};
	for (int i = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		if (!t->frozen && t->backend && t->backend->ops->link_ids)
			own->cnt += t->backend->ops->link_ids(t, own->ids + own->cnt);
	}
	qsort(own->ids, own->cnt, sizeof(*own->ids), compare_u32);
}

static bool has_link(const struct own_links *own, __u32 id)
{
	return bsearch(&id, own->ids, own->cnt, sizeof(id), compare_u32);
}

static void list_links(struct foreign_probes *f, const struct target_list *targets)
{
	struct own_links own;
	__u32 id = f->last_link;
	int err;

	find_own_links(targets, &own);
	while (!(err = bpf_link_get_next_id(id, &id))) {
		struct bpf_link_info info = {};
		__u32 len = sizeof(info);
		struct foreign_probe *p;
		bool known;
		int fd;

		f->last_link = id;
		if (has_link(&own, id))
			continue;
		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0)
			continue; /* the link was closed after its id was read */
		known = !bpf_obj_get_info_by_fd(fd, &info, &len);
		close(fd);
		if (!known || info.type != BPF_LINK_TYPE_TRACING ||
		    !is_probe(info.tracing.attach_type) || !info.tracing.target_obj_id)
			continue;
		p = array__add(&f->v, &f->cnt, sizeof(*p));
		p->link_id = info.id;
		p->prog_id = info.prog_id;
		p->target_id = info.tracing.target_obj_id;
		p->target_btf_id = info.tracing.target_btf_id;
	}
	free(own.ids);
	f->unknown = err != -ENOENT;
}

/*
 * Returns true if id is the id of the BTF of the kernel or of a module. Programs and BTFs are
 * numbered separately, so a program may have the same id.
 */
static bool is_kernel_btf(__u32 id)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);
	bool kernel;

	if (fd < 0)
		return false;
	kernel = !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf;
	close(fd);
	return kernel;
}

/*
 * Finds out the name of the probe's program and where the probe is. The info of a link has only the
 * id of its target, which may be the id of a program or of a BTF. Since Linux 6.0, the info of the
 * link's program says whether the target is in the BTF of the kernel or of a module
 * (kernel/bpf/syscall.c: bpf_prog_get_info_by_fd()). On older kernels, both a program and such a
 * BTF may have this id; then assumes that the target is in the BTF.
 */
static void read_probe_prog(struct foreign_probe *p)
{
	struct prog *prog;
	bool on_prog;

	p->inspected = true;
	if (prog__open_id(p->prog_id, &prog))
		return; /* the program was unloaded */
	on_prog = prog->info.attach_btf_id ? !prog->info.attach_btf_obj_id
					   : !is_kernel_btf(p->target_id);
	p->on = on_prog ? ON_PROG : ON_KERNEL;
	snprintf(p->name, sizeof(p->name), "%s", prog->info.name);
	prog__close(prog);
}

/*
 * Returns true if the probe affects the target's numbers, or may affect them. Functions of modules
 * never have the same BTF ids as functions of vmlinux.
 */
static bool is_of_target(const struct foreign_probe *p, const struct target *t)
{
	if (target__is_called(t))
		return p->on == ON_KERNEL && p->target_btf_id == t->called.btf_id &&
		       (!t->called.module || p->target_id == t->called.module);
	if (p->on == ON_PROG && p->target_id == t->id)
		return p->target_btf_id == t->func_btf_id || !t->subprog;
	/*
	 * Another bprof's probe of a kernel function (--calls) may affect any program that calls
	 * it.
	 */
	return p->on == ON_KERNEL && prog_name__is_own(p->name);
}

static bool is_of_any(const struct foreign_probe *p, const struct target_list *targets)
{
	const struct target *t = NULL;

	while (p->on == ON_PROG && (t = target_list__next(targets, p->target_id, t)))
		if (is_of_target(p, t))
			return true;
	for (int i = 0; p->on == ON_KERNEL && i < targets->cnt; i++)
		if (is_of_target(p, &targets->v[i]))
			return true;
	return false;
}

/* Finds a process that holds each of the cnt probes from p on. */
static void find_holders(struct foreign_probe *p, int cnt)
{
	struct holders h;
	int holder_cnt;

	holders__load(&h, iter_run__explain);
	for (int i = 0; i < cnt; i++) {
		const struct holder *holder = holders__of(&h, p[i].prog_id, &holder_cnt);

		if (!holder_cnt)
			continue;
		p[i].pid = holder->pid;
		memcpy(p[i].comm, holder->comm, sizeof(p[i].comm));
	}
	holders__free(&h);
}

static bool is_gone(const struct foreign_probe *p)
{
	int fd = bpf_link_get_fd_by_id(p->link_id);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

/* Drops the probes that are gone, among those whose "matters" has this value. */
static void drop_closed_links(struct foreign_probes *f, bool matters)
{
	int cnt = 0;

	for (int i = 0; i < f->cnt; i++)
		if (f->v[i].matters != matters || !is_gone(&f->v[i]))
			f->v[cnt++] = f->v[i];
	f->cnt = cnt;
}

void foreign_probes__update(struct foreign_probes *f, const struct target_list *targets)
{
	bool found = false;

	if (!f->unknown)
		list_links(f, targets);
	for (int i = 0; i < f->cnt; i++) {
		struct foreign_probe *p = &f->v[i];

		if (!p->inspected)
			read_probe_prog(p);
		if (p->matters || !is_of_any(p, targets))
			continue;
		p->matters = found = true;
	}
	/*
	 * Other tools may create links all the time, most of which never matter: forget the closed
	 * ones.
	 */
	drop_closed_links(f, false);
	if (found)
		find_holders(f->v, f->cnt);
}

void foreign_probes__mark_gone(struct foreign_probes *f, __u64 now_ns)
{
	for (int i = 0; i < f->cnt; i++) {
		struct foreign_probe *p = &f->v[i];

		if (!p->matters || p->gone || !is_gone(p))
			continue;
		p->gone = true;
		p->gone_ns = now_ns;
	}
}

void foreign_probes__mark_held(struct foreign_probes *f, const struct target_list *targets, int pid)
{
	struct own_links links;

	find_own_links(targets, &links);
	for (int i = 0; i < f->cnt; i++)
		if (has_link(&links, f->v[i].link_id))
			f->v[i].pid = pid;
	free(links.ids);
}

void foreign_probes__drop_gone(struct foreign_probes *f)
{
	drop_closed_links(f, true);
}

void foreign_probes__free(struct foreign_probes *f)
{
	free(f->v);
	memset(f, 0, sizeof(*f));
}

/* ---- notes for the report ---- */

/*
 * Returns true for the names of perf's and bpftool's programs (bpf_prog_profiler.bpf.c,
 * profiler.bpf.c).
 */
static bool is_prog_profiler(const char *name)
{
	return !strcmp(name, "fentry_XXX") || !strcmp(name, "fexit_XXX");
}

/* Describes the owner of a probe from the name of the probe's program, such as "another bprof". */
static const char *describe_probe_owner(const struct foreign_probe *p, char *buf, size_t sz)
{
	if (prog_name__is_own(p->name))
		snprintf(buf, sz, "%s", p->pid == getpid() ? "this bprof" : "another bprof");
	else if (is_prog_profiler(p->name) && !p->pid)
		snprintf(buf, sz, "perf or bpftool");
	else if (is_prog_profiler(p->name))
		snprintf(buf, sz, "%s", p->comm);
	else
		snprintf(buf, sz, "program %u %s", p->prog_id, p->name);
	return buf;
}

/* Returns true if describe_probe_owner() already names the process. */
static bool names_process(const struct foreign_probe *p)
{
	return prog_name__is_own(p->name) || is_prog_profiler(p->name);
}

/* Returns true if both probes seem to have the same owner. b->pid is 0 if b's process has ended. */
static bool is_same_owner(const struct foreign_probe *a, const struct foreign_probe *b)
{
	char kind_a[64], kind_b[64];

	return (a->pid == b->pid || !b->pid) &&
	       !strcmp(describe_probe_owner(a, kind_a, sizeof(kind_a)),
		       describe_probe_owner(b, kind_b, sizeof(kind_b)));
}

enum place { ON_TARGET, ON_OTHER_FUNCTIONS, ON_CALLED };

/*
 * Chooses the probes that a note names: those that affect t's numbers and are in this place, except
 * probes that were gone by since_ns.
 */
struct choice {
	const struct foreign_probes *f;
	const struct target *t;
	enum place place;
	__u64 since_ns;
};

static enum place probed_place(const struct foreign_probe *p, const struct target *t)
{
	if (p->on == ON_KERNEL && !target__is_called(t))
		return ON_CALLED;
	return p->target_btf_id == t->func_btf_id ? ON_TARGET : ON_OTHER_FUNCTIONS;
}

/* Returns the next chosen probe after prev (NULL: the first one), or NULL if there is none. */
static const struct foreign_probe *next_chosen(const struct choice *c,
					       const struct foreign_probe *prev)
{
	const struct foreign_probe *end = c->f->v + c->f->cnt;

	for (const struct foreign_probe *p = prev ? prev + 1 : c->f->v; p < end; p++)
		if (is_of_target(p, c->t) && probed_place(p, c->t) == c->place &&
		    (!p->gone || p->gone_ns > c->since_ns))
			return p;
	return NULL;
}

/*
 * Returns true if another probe of the same owner is listed instead of p: an earlier probe, or one
 * whose pid is known.
 */
static bool is_represented(const struct choice *c, const struct foreign_probe *p)
{
	const struct foreign_probe *other = NULL;

	while ((other = next_chosen(c, other)))
		if (is_same_owner(other, p) && (other < p || other->pid > p->pid))
			return true;
	return false;
}

/*
 * Lists owners, such as "another bprof (pid 12), perf (pid 14) and 2 more"; "" if there are none.
 */
static const char *describe_owners(const struct choice *c, char *buf, size_t sz)
{
	const struct foreign_probe *p = NULL;
	int cnt = 0, len = 0;
	char kind[64];

	buf[0] = '\0';
	while ((p = next_chosen(c, p))) {
		if (is_represented(c, p) || cnt++ >= MAX_NAMED)
			continue;
		len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "",
				describe_probe_owner(p, kind, sizeof(kind)));
		if (p->pid)
			len += snprintf(buf + len, sz - len, " (%s%spid %d)",
					names_process(p) ? "" : p->comm,
					names_process(p) ? "" : ", ", p->pid);
	}
	if (cnt > MAX_NAMED)
		snprintf(buf + len, sz - len, " and %d more", cnt - MAX_NAMED);
	return buf;
}

void foreign_probes__add_notes(const struct foreign_probes *f, const struct target *t,
			       __u64 since_ns, struct report_prog *p)
{
	const char *part = backend__has(t->backend, BACKEND_PROBES) ? "a part of" : "all of";
	struct choice c = {f, t, ON_TARGET, since_ns};
	/* Samples that hit probes on a target's functions do not count for the target. */
	bool sampled = backend__has(t->backend, BACKEND_ESTIMATES_EVENTS);
	char owners[512];

	if (!sampled && *describe_owners(&c, owners, sizeof(owners)))
		report_notes__add(&p->notes,
				  "also probed by %s: these numbers include %s its "
				  "cost, which cannot be measured; measure "
				  "without it",
				  owners, part);
	c.place = ON_OTHER_FUNCTIONS;
	if (!sampled && *describe_owners(&c, owners, sizeof(owners)))
		report_notes__add(&p->notes,
				  "functions that it may call are also probed by %s: these "
				  "numbers include the cost",
				  owners);
	c.place = ON_CALLED;
	if (*describe_owners(&c, owners, sizeof(owners)))
		report_notes__add(&p->notes,
				  "%s probes functions of the kernel: if it calls them, these "
				  "numbers include the cost",
				  owners);
}
