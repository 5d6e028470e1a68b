// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fentry backend: one probe skeleton (bpf/probe.bpf.c) per target. Owns the maps that the
 * probes of a session share (perf events, gate), and each target's probe and its counts.
 *
 * Only file descriptors hold what is attached: whatever end the process comes to, the kernel takes
 * the probes off.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "counter.h"
#include "feature.h"
#include "func_table.h"
#include "log.h"
#include "probe.skel.h"
#include "session.h"
#include "target.h"
#include "util.h"

/* Enough for what bpf_check_attach_target() and a refused probe print. */
#define LOG_SZ 65536

/*
 * How long a stop waits for the invocations that began before it, which are mostly over within
 * microseconds.
 */
#define DRAIN_NS 10000000ULL

struct fentry {
	int events_fd; /* the perf event array */
	int gate_fd;
	__u64 *gate; /* mmapped */
	size_t page_sz;
	__u32 config;
	char log[LOG_SZ];
};

struct probe {
	struct probe_bpf *skel;
	struct bpf_link *entry, *exit;
	struct bprof_cpu_stat *stat; /* mmapped, by CPU id */
	size_t stat_sz;
	int cpu_limit;
};

static int create_event_map(struct fentry *f, const struct event_fds *fds)
{
	f->events_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bprof_events", sizeof(__u32),
				      sizeof(__u32), BPROF_EVENT_SLOT(fds->cpu_limit, 0), NULL);
	if (f->events_fd < 0)
		return -errno;
	for (int i = 0; i < fds->event_cnt; i++) {
		for (int cpu = 0; cpu < fds->cpu_limit; cpu++) {
			int fd = fds->fd[i * fds->cpu_limit + cpu];
			__u32 slot = BPROF_EVENT_SLOT(cpu, fds->state[i].slot);

			if (fd >= 0 && bpf_map_update_elem(f->events_fd, &slot, &fd, BPF_ANY))
				return -errno;
		}
	}
	return 0;
}

static int create_gate(struct fentry *f)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	f->gate_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bprof_gate", sizeof(__u32), sizeof(__u64),
				    1, &opts);
	if (f->gate_fd < 0)
		return -errno;
	f->gate = mmap(NULL, f->page_sz, PROT_READ | PROT_WRITE, MAP_SHARED, f->gate_fd, 0);
	return f->gate == MAP_FAILED ? -errno : 0;
}

static void fentry_close(void *state)
{
	struct fentry *f = state;

	if (!f)
		return;
	if (f->gate && f->gate != MAP_FAILED)
		munmap(f->gate, f->page_sz);
	if (f->gate_fd >= 0)
		close(f->gate_fd);
	if (f->events_fd >= 0)
		close(f->events_fd);
	free(f);
}

static int fentry_open(struct session *s, void **state, struct reason *reason)
{
	struct fentry *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return reason__set(reason, REASON_SYSTEM, ENOMEM, "out of memory");
	f->events_fd = f->gate_fd = -1;
	f->page_sz = sysconf(_SC_PAGESIZE);
	f->config = BPROF_CONFIG(s->fds->perf_slot_cnt, s->fds->clock);
	err = create_event_map(f, s->fds) ?: create_gate(f);
	if (err) {
		reason__set(reason, err == -EPERM ? REASON_NO_PERM : REASON_SYSTEM, -err,
			    "creating its maps: %s", strerror(-err));
		features__explain_perm(reason);
		fentry_close(f);
		return err;
	}
	*state = f;
	return 0;
}

static int prepare_program(struct fentry *f, struct bpf_program *prog, const struct target *t)
{
	return bpf_program__set_attach_target(prog, t->prog->fd, t->func)
		       ?: bpf_program__set_log_buf(prog, f->log, sizeof(f->log));
}

static int prepare_probe(struct fentry *f, struct probe_bpf *skel, const struct target *t,
			 int cpu_limit)
{
	skel->rodata->bprof_config = f->config;
	return bpf_map__set_max_entries(skel->maps.bprof_stats, cpu_limit) ?:
	       bpf_map__reuse_fd(skel->maps.bprof_events, f->events_fd) ?:
	       bpf_map__reuse_fd(skel->maps.data_gate, f->gate_fd) ?:
	       prepare_program(f, skel->progs.bprof_entry, t) ?:
	       prepare_program(f, skel->progs.bprof_exit, t);
}

static int map_stats(struct session *s, struct fentry *f, struct probe *p)
{
	size_t sz = sizeof(struct bprof_cpu_stat) * s->cpu_limit;

	p->cpu_limit = s->cpu_limit;
	p->stat_sz = (sz + f->page_sz - 1) & ~(f->page_sz - 1);
	p->stat = mmap(NULL, p->stat_sz, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(p->skel->maps.bprof_stats), 0);
	if (p->stat == MAP_FAILED) {
		p->stat = NULL;
		return -errno;
	}
	for (int cpu = 0; cpu < s->cpu_limit; cpu++) {
		p->stat[cpu].off = !cpus__has(&s->cpus, cpu);
		for (int i = 0; i < BPROF_SLOTS; i++)
			p->stat[cpu].event[i].min = ~0ULL;
	}
	return 0;
}

static void fentry_close_target(struct target *t)
{
	struct probe *p = t->priv;

	if (!p)
		return;
	/* Entry first: an exit probe alone is harmless, an entry alone would leave frames. */
	bpf_link__destroy(p->entry);
	bpf_link__destroy(p->exit);
	if (p->stat)
		munmap(p->stat, p->stat_sz);
	probe_bpf__destroy(p->skel);
	free(p);
	t->priv = NULL;
}

static int fentry_open_target(struct session *s, void *state, struct target *t,
			      struct reason *reason)
{
	struct fentry *f = state;
	struct probe *p;
	int err;

	if (t->no_probe.code) {
		*reason = t->no_probe;
		return -EOPNOTSUPP;
	}
	p = t->priv = calloc(1, sizeof(*p));
	if (!p)
		return reason__set(reason, REASON_SYSTEM, ENOMEM, "out of memory");
	f->log[0] = '\0';
	p->skel = probe_bpf__open();
	err = p->skel ? prepare_probe(f, p->skel, t, s->cpu_limit) : -errno;
	if (err) {
		reason__from_verifier(reason, err, NULL);
		goto out;
	}
	err = probe_bpf__load(p->skel);
	if (err) {
		reason__from_verifier(reason, err, f->log);
		features__explain_perm(reason);
		goto out;
	}
	err = map_stats(s, f, p);
	if (err)
		reason__set(reason, REASON_SYSTEM, -err, "mapping its counts: %s", strerror(-err));
out:
	if (err)
		fentry_close_target(t);
	return err;
}

static int attach(struct bpf_program *prog, struct bpf_link **link)
{
	*link = bpf_program__attach_trace(prog);
	return *link ? 0 : -errno;
}

static int fentry_attach_target(void *state, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;
	/*
	 * Exit first: the other way round, an invocation that begins in between would leave its
	 * frame.
	 */
	int err = attach(p->skel->progs.bprof_exit, &p->exit)
			  ?: attach(p->skel->progs.bprof_entry, &p->entry);

	if (!err)
		return 0;
	reason__from_verifier(reason, err, NULL);
	features__explain_perm(reason);
	fentry_close_target(t);
	return err;
}

static void fentry_start(struct session *s, void *state)
{
	struct fentry *f = state;

	__atomic_store_n(f->gate, 1, __ATOMIC_SEQ_CST);
}

static bool in_flight(const struct probe *p)
{
	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_FRAMES; i++) {
			const struct bprof_frame *frame = &p->stat[cpu].frame[i];

			if (__atomic_load_n(&frame->ctx, __ATOMIC_ACQUIRE) && frame->counted)
				return true;
		}
	return false;
}

static void fentry_stop(struct session *s, void *state)
{
	struct fentry *f = state;
	__u64 end = now_ns() + DRAIN_NS;

	__atomic_store_n(f->gate, 0, __ATOMIC_SEQ_CST);
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		while (t->backend->ops == &fentry_ops && in_flight(t->priv) && now_ns() < end)
			sched_yield();
	}
}

static void read_cpu(const struct bprof_cpu_stat *stat, struct counts *c)
{
	__u64 overflow = stat->lost_overflow, unmatched = stat->lost_entry;

	c->measured = stat->measured;
	memcpy(c->event, stat->event, sizeof(c->event));
	/*
	 * The exit of an invocation that found no frame is unmatched as well: it is counted as
	 * overflow only.
	 */
	c->lost[LOST_OVERFLOW] = overflow;
	c->lost[LOST_ENTRY] = unmatched > overflow ? unmatched - overflow : 0;
}

static int fentry_read_target(struct session *s, struct target *t, struct counts *per_cpu,
			      struct counts *rest)
{
	struct probe *p = t->priv;
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	for (int i = 0; i < s->cpus.cnt; i++)
		read_cpu(&p->stat[s->cpus.id[i]], &per_cpu[i]);
	/*
	 * An exit probe that was active on the CPU already was not run (since 5.12; earlier kernels
	 * have no such check). Where it was the entry probe that was not run, the exit shows it as
	 * lost_entry.
	 */
	if (bpf_obj_get_info_by_fd(bpf_program__fd(p->skel->progs.bprof_exit), &info, &sz))
		return -errno;
	rest->lost[LOST_RECURSION] = info.recursion_misses;
	return 0;
}

const struct counter_ops fentry_ops = {
	.method = "fentry",
	.has_events = true,
	.open = fentry_open,
	.open_target = fentry_open_target,
	.attach_target = fentry_attach_target,
	.start = fentry_start,
	.stop = fentry_stop,
	.read_target = fentry_read_target,
	.close_target = fentry_close_target,
	.close = fentry_close,
};
