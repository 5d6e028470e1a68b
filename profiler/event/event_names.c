// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of the event names that need no sysfs: the names, their values in perf_event_attr, and the
 * cache events that the kernel defines. Knows no PMU and no syntax of -e.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "event/event_names.h"

#define HW(config, ...)                                                             \
	{                                                                           \
		EVENT_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, __VA_ARGS__ \
	}
#define SW(config, ...)                                                             \
	{                                                                           \
		EVENT_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, __VA_ARGS__ \
	}

const struct event_name event_names[] = {
	HW(CPU_CYCLES, "cycles", "cpu-cycles", ""),
	HW(INSTRUCTIONS, "instructions", NULL, ""),
	HW(CACHE_REFERENCES, "cache-references", NULL, ""),
	HW(CACHE_MISSES, "cache-misses", NULL, ""),
	HW(BRANCH_INSTRUCTIONS, "branches", "branch-instructions", ""),
	HW(BRANCH_MISSES, "branch-misses", NULL, ""),
	HW(BUS_CYCLES, "bus-cycles", NULL, ""),
	HW(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend", ""),
	HW(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend", ""),
	HW(REF_CPU_CYCLES, "ref-cycles", NULL, ""),

	/* The clocks count in nanoseconds (kernel/events/core.c, cpu_clock_event_update). */
	SW(CPU_CLOCK, "cpu-clock", NULL, "ns"),
	SW(TASK_CLOCK, "task-clock", NULL, "ns"),
	SW(PAGE_FAULTS, "page-faults", "faults", ""),
	SW(CONTEXT_SWITCHES, "context-switches", "cs", ""),
	SW(CPU_MIGRATIONS, "cpu-migrations", "migrations", ""),
	SW(PAGE_FAULTS_MIN, "minor-faults", NULL, ""),
	SW(PAGE_FAULTS_MAJ, "major-faults", NULL, ""),
	SW(ALIGNMENT_FAULTS, "alignment-faults", NULL, ""),
	SW(EMULATION_FAULTS, "emulation-faults", NULL, ""),
	SW(CGROUP_SWITCHES, "cgroup-switches", NULL, ""),
	SW(DUMMY, "dummy", NULL, ""),

	{EVENT_TIME, 0, 0, "time", NULL, "ns"},
};
const int event_name_cnt = ARRAY_SIZE(event_names);

static const struct {
	const char *name, *why;
} refused_names[] = {
	{"bpf-output", "carries data of BPF programs and counts nothing"},
	{"duration_time", "is perf's own clock; bprof's is 'time'"},
	{"user_time", "is perf's own clock; bprof's is 'time'"},
	{"system_time", "is perf's own clock; bprof's is 'time'"},
};

/* Returns true if the first len characters of a are the word b, ignoring case. */
static bool same_word(const char *a, size_t len, const char *b)
{
	return b && strlen(b) == len && !strncasecmp(a, b, len);
}

const struct event_name *event_name__find(const char *name, size_t len)
{
	for (int i = 0; i < event_name_cnt; i++) {
		if (same_word(name, len, event_names[i].name) ||
		    same_word(name, len, event_names[i].alias))
			return &event_names[i];
	}
	return NULL;
}

const char *event_name__refused(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused_names); i++) {
		if (same_word(name, len, refused_names[i].name))
			return refused_names[i].why;
	}
	return NULL;
}

#define MAX_SPELLINGS 5

/* The spellings of one part of a cache event's name. The first spelling is canonical. */
struct cache_word {
	const char *spelling[MAX_SPELLINGS];
};

static const struct cache_word cache_types[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"}},
	[PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"}},
	[PERF_COUNT_HW_CACHE_LL] = {{"LLC", "L2"}},
	[PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"}},
	[PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}},
	[PERF_COUNT_HW_CACHE_BPU] = {{"branch", "branches", "bpu", "btb", "bpc"}},
	[PERF_COUNT_HW_CACHE_NODE] = {{"node"}},
};

/*
 * The second spelling is the plural, which is canonical if no result follows: "loads", but
 * "load-misses".
 */
static const struct cache_word cache_ops[PERF_COUNT_HW_CACHE_OP_MAX] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {{"load", "loads", "read"}},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {{"store", "stores", "write"}},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {{"prefetch", "prefetches", "speculative-read",
					      "speculative-load"}},
};

static const struct cache_word cache_results[PERF_COUNT_HW_CACHE_RESULT_MAX] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {{"refs", "Reference", "ops", "access"}},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {{"misses", "miss"}},
};

#define OP(op) (1 << PERF_COUNT_HW_CACHE_OP_##op)

/* The operations that exist for each cache, as in perf's table evsel__hw_cache_stat. */
static const __u8 cache_type_ops[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_L1I] = OP(READ) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_LL] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_DTLB] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_ITLB] = OP(READ),
	[PERF_COUNT_HW_CACHE_BPU] = OP(READ),
	[PERF_COUNT_HW_CACHE_NODE] = OP(READ) | OP(WRITE) | OP(PREFETCH),
};

/*
 * Finds the row that has a spelling with which s begins. The spelling ends at the end of s or at a
 * '-'. A spelling may itself contain '-'. But no spelling followed by '-' is the beginning of
 * another spelling, so the first match is the only one. Returns the row, with the spelling's length
 * in *word_len, or -1.
 */
static int match_word(const struct cache_word *rows, int cnt, const char *s, size_t len,
		      size_t *word_len)
{
	for (int i = 0; i < cnt; i++) {
		for (int k = 0; k < MAX_SPELLINGS && rows[i].spelling[k]; k++) {
			size_t n = strlen(rows[i].spelling[k]);

			if (n > len || strncasecmp(s, rows[i].spelling[k], n) ||
			    (n < len && s[n] != '-'))
				continue;
			*word_len = n;
			return i;
		}
	}
	return -1;
}

int cache_event__parse(const char *name, size_t len, struct cache_event *out)
{
	int op = -1, result = -1;
	const char *s = name, *end = name + len;
	size_t n = 0;

	out->type = match_word(cache_types, ARRAY_SIZE(cache_types), s, len, &n);
	if (out->type < 0)
		return -ENOENT;
	for (s += n; s < end; s += n) {
		int row;

		s++; /* skip the '-' at which match_word() stopped */
		row = match_word(cache_ops, ARRAY_SIZE(cache_ops), s, end - s, &n);
		if (row >= 0 && op < 0) {
			op = row;
			continue;
		}
		row = match_word(cache_results, ARRAY_SIZE(cache_results), s, end - s, &n);
		if (row < 0 || result >= 0)
			return -ENOENT;
		result = row;
	}
	out->op = op < 0 ? PERF_COUNT_HW_CACHE_OP_READ : op;
	out->result = result < 0 ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : result;
	return 0;
}

bool cache_event__valid(const struct cache_event *c)
{
	return cache_type_ops[c->type] & (1 << c->op);
}

__u64 cache_event__config(const struct cache_event *c)
{
	return c->type | c->op << 8 | c->result << 16;
}

const char *cache_event__name(const struct cache_event *c, char *buf, size_t sz)
{
	bool miss = c->result == PERF_COUNT_HW_CACHE_RESULT_MISS;

	snprintf(buf, sz, "%s-%s%s", cache_types[c->type].spelling[0],
		 cache_ops[c->op].spelling[miss ? 0 : 1], miss ? "-misses" : "");
	return buf;
}

const char *event_name__of(__u32 type, __u64 config, char *buf, size_t sz)
{
	const struct cache_event c = {config & 0xff, config >> 8 & 0xff, config >> 16 & 0xff};

	for (int i = 0; i < event_name_cnt; i++)
		if (event_names[i].kind == EVENT_PERF && event_names[i].type == type &&
		    event_names[i].config == config)
			return event_names[i].name;
	if (type == PERF_TYPE_HW_CACHE && cache_event__config(&c) == config &&
	    c.type < PERF_COUNT_HW_CACHE_MAX && c.op < PERF_COUNT_HW_CACHE_OP_MAX &&
	    c.result < PERF_COUNT_HW_CACHE_RESULT_MAX && cache_event__valid(&c))
		return cache_event__name(&c, buf, sz);
	if (type != PERF_TYPE_RAW)
		return NULL;
	snprintf(buf, sz, "r%llx", config);
	return buf;
}
