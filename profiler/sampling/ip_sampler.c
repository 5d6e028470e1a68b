// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads and configures the BPF program that counts samples. Owns the program's maps, and the order
 * of the ranges in them. Must not know perf events or the programs that are sampled. Prints
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/util.h"
#include "bpf/ip_samples.skel.h"
#include "btf/reason.h"
#include "kernel/feature.h"
#include "kernel/jited.h"
#include "kernel/mapped_array.h"
#include "sampling/ip_sampler.h"

#define LOG_SZ (1 << 20)
/*
 * Maximum number of cells. It limits the memory that the kernel cannot swap out: a cell takes 16
 * bytes, and another 16 bytes for calls.
 */
#define MAX_CELLS (16u << 20)

/*
 * ENTRY_LEN: where the instruction that can call a trampoline ends, in a function's machine code
 * (build_prologue() in bpf_jit_comp.c): after bti, mov and bl on arm64; auipc and jalr on riscv64;
 * endbr64 and call on x86-64.
 */
#ifdef __aarch64__
#define INSN_SHIFT 2
#define ENTRY_LEN 12
#define THIS_PROGRAM bprof_sample_arm64
#elif defined(__riscv)
#define INSN_SHIFT 1
#define ENTRY_LEN 8
#define THIS_PROGRAM bprof_sample_riscv64
#else
#define INSN_SHIFT 0
#define ENTRY_LEN 9
#define THIS_PROGRAM bprof_sample_x86_64
#endif

struct ip_sampler {
	struct ip_samples_bpf *skel;
	__u32 calls_first; /* index of the first cell for calls; 0: calls are not counted */
	int depth;	   /* 0: callees are not counted */
	struct mapped_array cells, cpus;
};

unsigned int ip_sampler__shift(void)
{
	return INSN_SHIFT;
}

int ip_ranges__add(struct ip_ranges *ranges, __u64 addr, __u32 len)
{
	__u32 cells = (len >> INSN_SHIFT) + 1;
	struct bprof_ip_range *r;

	if (ranges->cnt == BPROF_IP_MAX_RANGES || cells > MAX_CELLS - ranges->cell_cnt)
		return -E2BIG;
	r = array__add(&ranges->v, &ranges->cnt, sizeof(*r));
	r->start = addr;
	r->end = addr + len;
	r->first = ranges->cell_cnt;
	ranges->cell_cnt += cells;
	return 0;
}

void ip_ranges__free(struct ip_ranges *ranges)
{
	free(ranges->v);
	memset(ranges, 0, sizeof(*ranges));
}

static int compare_ranges(const void *a, const void *b)
{
	const struct bprof_ip_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int configure(const struct ip_sampler *s, const struct bprof_ip_range *sorted,
		     const struct ip_ranges *ranges, int cpu_limit, const struct ip_calls *calls)
{
	struct ip_samples_bpf *skel = s->skel;
	int depth = s->depth ?: 1;
	struct bpf_program *prog;

	bpf_object__for_each_program (prog, skel->obj)
		bpf_program__set_autoload(prog, prog == skel->progs.THIS_PROGRAM);
	skel->rodata->bprof_range_cnt = ranges->cnt;
	skel->rodata->bprof_low = sorted[0].start;
	skel->rodata->bprof_high = sorted[ranges->cnt - 1].end;
	skel->rodata->bprof_insn_shift = INSN_SHIFT;
	skel->rodata->bprof_entry_len = ENTRY_LEN;
	skel->rodata->bprof_calls_first = s->calls_first;
	skel->rodata->bprof_callee_depth = s->depth;
	skel->rodata->bprof_irq_start = calls->irq_start;
	skel->rodata->bprof_irq_end = calls->irq_end;
	skel->rodata->bprof_softirq_start = calls->softirq_start;
	skel->rodata->bprof_softirq_end = calls->softirq_end;
	return bpf_map__set_max_entries(skel->maps.bprof_ranges, ranges->cnt) ?:
	       bpf_map__set_max_entries(skel->maps.bprof_cells, ranges->cell_cnt + s->calls_first) ?:
	       bpf_map__set_max_entries(skel->maps.bprof_cpus, cpu_limit) ?:
	       bpf_map__set_key_size(skel->maps.bprof_callees, BPROF_IP_CALLEES_SZ(depth)) ?:
	       bpf_map__set_max_entries(skel->maps.bprof_callees,
					s->depth ? BPROF_IP_CALLEES_MAX : 1);
}

static int load_sampler(struct ip_samples_bpf *skel, struct reason *reason)
{
	char *log = xcalloc(1, LOG_SZ);
	int err;

	bpf_program__set_log_buf(skel->progs.THIS_PROGRAM, log, LOG_SZ);
	err = ip_samples_bpf__load(skel);
	if (err) {
		reason__from_verifier(reason, err, log);
		features__explain_perm(reason);
	} else {
		err = jited__check_object(skel->obj, reason);
	}
	free(log);
	return err;
}

static int map_counts(struct mapped_array *a, struct bpf_map *map)
{
	int fd = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno
		      : mapped_array__map(a, fd, bpf_map__value_size(map),
					  bpf_map__max_entries(map));
}

int ip_sampler__open(const struct ip_ranges *ranges, int cpu_limit, const struct ip_calls *calls,
		     struct ip_sampler **out, struct reason *reason)
{
	struct ip_sampler *s = xcalloc(1, sizeof(*s));
	size_t sz = ranges->cnt * sizeof(*ranges->v);
	struct bprof_ip_range *sorted = xmalloc(sz);
	int fd, err;

	*out = NULL;
	s->cells = s->cpus = MAPPED_ARRAY_NONE;
	s->calls_first = calls->find ? ranges->cell_cnt : 0;
	s->depth = calls->find ? calls->depth : 0;
	memcpy(sorted, ranges->v, sz);
	qsort(sorted, ranges->cnt, sizeof(*sorted), compare_ranges);
	s->skel = ip_samples_bpf__open();
	err = s->skel ? configure(s, sorted, ranges, cpu_limit, calls) : -errno;
	if (err) {
		reason__set(reason, REASON_SYSTEM, -err, "opening it: %s", strerror(-err));
		goto out;
	}
	err = load_sampler(s->skel, reason);
	if (err)
		goto out;
	fd = bpf_map__fd(s->skel->maps.bprof_ranges);
	for (__u32 i = 0; !err && i < (__u32)ranges->cnt; i++)
		err = bpf_map_update_elem(fd, &i, &sorted[i], BPF_ANY);
	err = err ?:
	      map_counts(&s->cells, s->skel->maps.bprof_cells) ?:
	      map_counts(&s->cpus, s->skel->maps.bprof_cpus);
	if (err) {
		reason__set(reason, REASON_SYSTEM, -err, "setting up its maps: %s", strerror(-err));
		goto out;
	}
	*out = s;
	s = NULL;
out:
	free(sorted);
	ip_sampler__close(s);
	return err;
}

void ip_sampler__close(struct ip_sampler *s)
{
	if (!s)
		return;
	mapped_array__close(&s->cells);
	mapped_array__close(&s->cpus);
	ip_samples_bpf__destroy(s->skel);
	free(s);
}

int ip_sampler__prog_fd(const struct ip_sampler *s)
{
	return bpf_program__fd(s->skel->progs.THIS_PROGRAM);
}

const struct bprof_ip_cell *ip_sampler__cell(const struct ip_sampler *s, __u32 cell)
{
	return (const struct bprof_ip_cell *)s->cells.mem + cell;
}

const struct bprof_ip_cell *ip_sampler__call_cell(const struct ip_sampler *s, __u32 cell)
{
	return s->calls_first ? ip_sampler__cell(s, s->calls_first + cell) : NULL;
}

const struct bprof_ip_cpu *ip_sampler__cpu(const struct ip_sampler *s, int cpu)
{
	return (const struct bprof_ip_cpu *)s->cpus.mem + cpu;
}

int ip_sampler__depth(const struct ip_sampler *s)
{
	return s->depth;
}

int ip_sampler__for_each_callees(const struct ip_sampler *s,
				 void (*fn)(const struct bprof_ip_callees *key,
					    const struct bprof_ip_cell *count, void *arg),
				 void *arg)
{
	int fd = bpf_map__fd(s->skel->maps.bprof_callees), err = s->depth ? 0 : -ENOENT;
	struct bprof_ip_callees key = {};
	struct bprof_ip_cell count;
	bool first = true;

	while (!err) {
		err = bpf_map_get_next_key(fd, first ? NULL : &key, &key);
		first = false;
		if (!err && !bpf_map_lookup_elem(fd, &key, &count))
			fn(&key, &count, arg);
	}
	return err == -ENOENT ? 0 : err;
}

void ip_sampler__clear(struct ip_sampler *s)
{
	int fd = bpf_map__fd(s->skel->maps.bprof_callees), err;
	struct bprof_ip_callees key, next;

	memset(s->cells.mem, 0, s->cells.sz);
	memset(s->cpus.mem, 0, s->cpus.sz);
	err = s->depth ? bpf_map_get_next_key(fd, NULL, &key) : -ENOENT;
	/* Find the next key first: after a deleted key, the kernel searches from the beginning. */
	while (!err) {
		err = bpf_map_get_next_key(fd, &key, &next);
		bpf_map_delete_elem(fd, &key);
		key = next;
	}
}
