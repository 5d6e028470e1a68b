/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fixed reports for the tests that render and read reports. Include this file after <cmocka.h>.
 * Each make_…(n) returns the n-th report of its kind; the caller frees the report.
 */
#ifndef BPROF_TEST_REPORT_MODELS_H
#define BPROF_TEST_REPORT_MODELS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "report/report.h"
#include "report/report_sum.h"

static inline struct report *make_base(void)
{
	struct report *r = report__new();

	assert_non_null(r);
	r->version = strdup("0.1.0");
	r->command = calloc(4, sizeof(*r->command));
	assert_non_null(r->command);
	r->command[0] = strdup("bprof");
	r->command[1] = strdup("--prog-id");
	r->command[2] = strdup("42,57");
	r->host.kernel = strdup("6.12.57");
	r->host.arch = strdup("aarch64");
	r->host.cpu_model = strdup("Cortex-A72");
	r->host.cpus = 4;
	r->host.jit = true;
	r->started = (struct timespec){.tv_sec = 1767225600};
	r->elapsed_ns = 1003000000;
	r->calibrated = true;
	return r;
}

/* Returns the output of a report, which the caller frees. Sets *sz to its size, unless sz is NULL. */
static inline char *render_report(const struct report *r, report_render_fn *fn,
				  const struct render_opts *o, size_t *sz)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(report__render(r, fn, o, out), 0);
	assert_int_equal(fclose(out), 0);
	if (sz)
		*sz = len;
	return text;
}

static inline void set_method(struct report_prog *p, const char *method)
{
	p->method = method;
	p->probed = !strcmp(method, "fentry");
}

static inline struct report_prog *add_prog(struct report *r, __u32 id, const char *name,
					   const char *func, __u64 runs)
{
	struct report_prog *p = report__add_prog(r);

	assert_non_null(p);
	p->id = id;
	p->name = strdup(name);
	p->func = strdup(func);
	p->type = strdup("xdp");
	strcpy(p->tag, "d4f8542f2b42fac5");
	set_method(p, "fentry");
	p->all.runs = p->all.measured = runs;
	return p;
}

/* Adds an event that was read in every measured run of the row. */
static inline struct report_event *add_event(struct report_row *row, const char *name, double mean)
{
	struct report_event *ev = report_row__add_event(row);

	assert_non_null(ev);
	ev->name = strdup(name);
	ev->base = strndup(name, strcspn(name, ":"));
	ev->unit = strdup(strcmp(ev->base, "time") ? "" : "ns");
	ev->measured = row->measured;
	ev->total = mean * row->measured;
	if (row->measured)
		ev->stat[STAT_MEAN] = mean;
	return ev;
}

static inline void set_status(struct report_event *ev, enum event_status status, const char *detail)
{
	ev->status = status;
	ev->detail = detail ? strdup(detail) : NULL;
	ev->measured = 0;
	ev->total = 0;
	for (int i = 0; i < STAT_CNT; i++)
		ev->stat[i] = NAN;
}

static inline void add_skip(struct report *r, __u32 id, const char *name, const char *reason,
			    const char *detail)
{
	struct report_skip *s = report__add_skip(r);

	assert_non_null(s);
	s->id = id;
	s->name = strdup(name);
	s->reason = reason;
	s->detail = strdup(detail);
}

/* The report of: bprof --prog-id 42,57 -e cycles,instructions */
static inline struct report *make_two_programs(int n)
{
	static const double stat[STAT_CNT] = {99, 0.3, 99, 99, 99, 99, 99, 104, 4012, NAN};
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 100000);
	struct report_event *ev;

	p->all.cpu_share = 0.0123456;
	add_event(&p->all, "cycles", 151.25);
	ev = add_event(&p->all, "instructions", 99);
	memcpy(ev->stat, stat, sizeof(stat));
	ev->raw_per_run = 594;
	ev->bias = 495;
	ev->bias_stddev = 0.1;
	/* The kernel keeps 15 characters of this program's name. */
	p = add_prog(r, 57, "xdp_firewall_in", "xdp_firewall_ingress", 1234567);
	p->all.cpu_share = 1.5;
	add_event(&p->all, "cycles", 2048.6);
	/* This sum cannot be represented exactly as a double. */
	add_event(&p->all, "instructions", 4100.1 + 0.2);
	return r;
}

/* The report of: bprof --all --sum owner, of three programs of a service, one of them without a probe */
static inline struct report *make_sums(int n)
{
	struct report *r = make_base();

	for (int i = 0; i < 3; i++) {
		struct report_prog *p = add_prog(r, 42 + i, "agent", "agent", 1000 + i);

		p->owner = strdup("agent.service");
		p->device = strdup("eth0, eth1");
		p->all.cpu_share = 0.5;
		add_event(&p->all, i < 2 ? "instructions" : "time", 100 + i);
		report_notes__add(&p->notes, "makes tail calls");
		if (i == 2)
			set_method(p, "run_stats");
	}
	report__sum(r, SUM_OWNER);
	return r;
}

static inline struct report_prog *add_hooked(struct report *r, __u32 id, const char *name,
					     const char *type, const char *hook, __u64 runs)
{
	struct report_prog *p = add_prog(r, id, name, name, runs);

	free(p->type);
	p->type = strdup(type);
	p->hook = hook ? strdup(hook) : NULL;
	return p;
}

/*
 * The report of: bprof --all --per xdp_lb. The programs are in the order of their ids. Some were
 * measured in other ways than the first program on the path.
 */
static inline struct report *make_path(int n)
{
	struct report *r = make_base();
	struct report_prog *p;
	struct report_event *ev;

	r->per = strdup("xdp_lb");
	p = add_hooked(r, 40, "filter", "socket_filter", NULL, 300);
	add_event(&p->all, "instructions", 40);
	p = add_hooked(r, 41, "cg_in", "cgroup_skb", "cgroup_inet_ingress", 300);
	add_event(&p->all, "instructions", 20);
	p = add_hooked(r, 42, "xdp_lb", "xdp", "xdp native", n > 1 ? 0 : 1000);
	add_event(&p->all, "instructions", 100);
	p = add_hooked(r, 43, "tc_in", "sched_cls", "tcx ingress", 600);
	p->all.measured = p->all.thinned_out = 300;
	ev = add_event(&p->all, "instructions", 50);
	ev->mean_stddev = 1;
	p = add_hooked(r, 44, "old", "socket_filter", NULL, 100);
	set_method(p, "run_stats");
	set_status(add_event(&p->all, "instructions", 0), EVENT_NOT_COUNTED,
		   "run_stats measures time only");
	p = add_hooked(r, 45, "probe", "kprobe", NULL, 500);
	add_event(&p->all, "instructions", 10);
	p = add_hooked(r, 46, "idle", "sk_skb", NULL, 0);
	add_event(&p->all, "instructions", 0);
	add_skip(r, 62, "foo", "no_btf", "has no BTF");
	return r;
}

/* The report of: bprof --struct-ops '*', of the operations of two maps */
static inline struct report *make_operations(int n)
{
	struct report *r = make_base();

	r->elapsed_ns = 2000000000;
	add_event(
		&add_hooked(r, 40, "enqueue", "struct_ops", "struct_ops sched.enqueue", 1000)->all,
		"time", 300);
	add_event(&add_hooked(r, 41, "cc_init", "struct_ops", "struct_ops cc.init", 10)->all,
		  "time", 50);
	add_event(
		&add_hooked(r, 42, "dispatch", "struct_ops", "struct_ops sched.dispatch", 500)->all,
		"time", 200);
	return r;
}

/* A report whose table shows everything that may be missing or wrong in a cell. */
static inline struct report *make_cells(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "parse_ipv6", 1000);
	struct report_event *ev;

	r->calibrated = false;
	p->all.measured = 980;
	p->all.lost[LOST_ENTRY] = 1;
	p->all.lost[LOST_READ] = 2;
	p->all.lost[LOST_OVERFLOW] = 7;
	p->all.lost[LOST_RECURSION] = 10;
	p->all.cpu_share = 0.000004;
	add_event(&p->all, "instructions", 12345.678);
	set_status(add_event(&p->all, "cache-misses", 0), EVENT_NOT_SUPPORTED,
		   "this PMU (armv8_pmuv3_0) has no such event");
	add_event(&p->all, "time", 84.26);
	/* This event shared a counter with other events. */
	ev = add_event(&p->all, "branches", 20);
	ev->measured = 400;
	ev->total = 8000;

	p = add_prog(r, 58, "count_pkts", "count_pkts", 2000);
	set_method(p, "run_stats");
	p->all.cpu_share = 0.5;
	set_status(add_event(&p->all, "instructions", 0), EVENT_NOT_COUNTED,
		   "run_stats measures time only");
	set_status(add_event(&p->all, "cache-misses", 0), EVENT_NOT_COUNTED,
		   "run_stats measures time only");
	add_event(&p->all, "time", 250750.5);
	set_status(add_event(&p->all, "branches", 0), EVENT_NOT_COUNTED, NULL);

	/* This program never ran, and lacks some of the events. */
	p = add_prog(r, 59, "idle", "idle", 0);
	p->all.cpu_share = 0;
	add_event(&p->all, "instructions", 0);
	set_status(add_event(&p->all, "cache-misses", 0), EVENT_NOT_SUPPORTED,
		   "this PMU (armv8_pmuv3_0) has no such event");

	p = add_prog(r, 60, "sampled", "", 16000);
	p->all.measured = 1000;
	p->all.thinned_out = 15000;
	add_event(&p->all, "instructions", -0.04);
	add_prog(r, 61, "", "", 5);
	add_skip(r, 62, "foo", "no_btf",
		 "has no BTF (compiled without -g): compile it with clang -g");
	add_skip(r, 4000000000, "", "no_such_prog", "no program has this id");
	return r;
}

static inline struct report *make_per_cpu(int n)
{
	static const int ids[] = {0, 2, 127}; /* CPU ids with gaps */
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 6000);
	struct report_row *row;

	r->host.cpus = ARRAY_SIZE(ids);
	p->all.lost[LOST_OVERFLOW] = 3;
	p->all.cpu_share = 0.25;
	add_event(&p->all, "cycles", 200);
	add_event(&p->all, "instructions", 300);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		row = report_prog__add_cpu(p, ids[i]);
		assert_non_null(row);
		row->runs = row->measured = 3000 * i;
		row->lost[LOST_OVERFLOW] = i == 2 ? 3 : 0;
		row->cpu_share = i / 8.0;
		add_event(row, "cycles", 190 + 10 * i);
		add_event(row, "instructions", 300);
	}
	/* Some CPUs have a different PMU, which lacks this event. */
	set_status(&p->cpu[2].event[0], EVENT_NOT_SUPPORTED, "not on CPU 127");
	p = add_prog(r, 43, "no_cpus", "no_cpus", 10);
	set_method(p, "run_stats");
	set_status(add_event(&p->all, "cycles", 0), EVENT_NOT_COUNTED,
		   "run_stats measures time only");
	return r;
}

static inline struct report *make_interval(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", n ? 1000 + n : 0);

	r->elapsed_ns = 1000000000;
	r->interval_ns = (n + 1) * 1000000000ULL + 98765;
	p->all.cpu_share = 0.01;
	add_event(&p->all, "cycles", 150);
	add_event(&p->all, "instructions", 99.5);
	add_skip(r, 62, "foo", "no_btf", "has no BTF");
	return r;
}

static inline struct report *make_repeats(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 300000);

	r->repeats = 3;
	r->elapsed_ns = 3009000000;
	add_event(&p->all, "cycles", 151.25)->repeat_stddev = 20;
	add_event(&p->all, "instructions", 99)->repeat_stddev = 0.3;
	p = add_prog(r, 57, "empty", "empty", 300000);
	add_event(&p->all, "cycles", 0)->repeat_stddev = 0.2;
	add_event(&p->all, "instructions", -2)->repeat_stddev = 0.25;
	p = add_prog(r, 58, "idle", "idle", 0);
	set_status(add_event(&p->all, "cycles", 0), EVENT_NOT_SUPPORTED, "no PMU");
	add_event(&p->all, "instructions", 0);
	return r;
}

static inline struct report *make_hostile(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	free(r->host.kernel);
	r->host.kernel = strdup("6.12\033[2J\n");
	p = add_prog(r, 1, "na\xc3\xafve_\xe5\x8c\x85", "na\xc3\xafve_\xe5\x8c\x85", 10);
	add_event(&p->all, "cpu/event=0x3c,umask=\"1\"/", 7);
	p = add_prog(r, 2, "\033]0;pwned\a\033[31mred", "line\nbreak\r\"quoted\"\x7f", 10);
	add_event(&p->all, "cpu/event=0x3c,umask=\"1\"/", 7);
	/*
	 * These names have invalid and truncated UTF-8, a C1 control character, and a change of the
	 * text's direction.
	 */
	p = add_prog(r, 3, "bad\xff\xc3(\xe2\x82",
		     "c1\xc2\x9b"
		     "2J\xe2\x80\xae.gpj",
		     10);
	add_event(&p->all, "cpu/event=0x3c,umask=\"1\"/", 7);
	add_skip(r, 4, "a,b", "no_btf", "first\nsecond \xff");
	return r;
}

static inline struct report *make_huge(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 4294967295, "busy", "busy", UINT64_MAX);

	r->elapsed_ns = 86400ULL * 365 * 1000000000;
	p->all.cpu_share = 127.5;
	add_event(&p->all, "cycles", 1e15 / 3)->total = 1e25;
	add_event(&p->all, "instructions", 12345678901.0)->total = 0x1p53 + 2;
	p->all.event[1].measured = 9007199254740993; /* cannot be represented as double */
	p = add_prog(r, 1, "tiny", "tiny", 1);
	r->prog[1].all.lost[LOST_READ] = UINT64_MAX;
	add_event(&p->all, "cycles", 1e-7);
	add_event(&p->all, "instructions", 0.0001234567);
	free(p->all.event[1].unit);
	p->all.event[1].unit = strdup("Joules");
	return r;
}

static inline void set_spread(struct report_event *ev, double min, double p50, double p90,
			      double p95, double p99, double p999, double max, double stddev)
{
	ev->stat[STAT_MIN] = min;
	ev->stat[STAT_P50] = p50;
	ev->stat[STAT_P90] = p90;
	ev->stat[STAT_P95] = p95;
	ev->stat[STAT_P99] = p99;
	ev->stat[STAT_P999] = p999;
	ev->stat[STAT_MAX] = max;
	ev->stat[STAT_STDDEV] = stddev;
}

/* Sets a statistic that is known only to lie between low and high. */
static inline void set_bounds(struct report_event *ev, enum stat_id id, double low, double high)
{
	ev->low[id] = low;
	ev->high[id] = high;
}

static inline void set_bias(struct report_event *ev, double bias, double stddev)
{
	ev->raw_per_run = ev->stat[STAT_MEAN] + bias;
	ev->bias = bias;
	ev->bias_stddev = stddev;
}

/* A report with bprof's default options: calibrated, with distributions recorded in the kernel. */
static inline struct report *make_tails(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 100000);
	struct report_event *ev;

	r->interval_ns = 1000000000;
	ev = add_event(&p->all, "cycles", 151.25);
	ev->read = "pinned";
	set_bias(ev, 612.5, 14.75);
	set_spread(ev, -12, 148, 176, 512, 1104, 25088, 1234567, 210.04);
	set_bounds(ev, STAT_P90, 176, 177);
	set_bounds(ev, STAT_P99, 1088, 1119);
	if (n) {
		set_bounds(ev, STAT_MIN, -12, 0);
		set_bounds(ev, STAT_MAX, 1228800, 1234567);
	}
	ev = add_event(&p->all, "instructions", 99);
	ev->read = "pinned";
	set_bias(ev, 495, 0);
	set_spread(ev, 99, 99, 99, 99, 99, 104, 4012, 0.3);
	ev = add_event(&p->all, "time", 84.26);
	ev->read = "clock";
	set_bias(ev, 310, 9);
	set_spread(ev, 0, 81, 126, 200, 448, 15872, 700416, 100.5);
	p = add_prog(r, 57, "xdp_firewall_in", "xdp_firewall_ingress", 1234567);
	ev = add_event(&p->all, "cycles", 2048.6);
	ev->read = "pinned";
	set_bias(ev, 612.5, 14.75);
	set_spread(ev, 1800, 2016, 2400, 2688, 3040, 5056, 99999, 321.9);
	/* This event has a scale, so its values are not integers. */
	ev = add_event(&p->all, "energy", 0.00123);
	free(ev->unit);
	ev->unit = strdup("Joules");
	set_spread(ev, 0.000061, 0.00122, 0.0013, 0.0016, 0.002, 0.0025, 0.0112, 0.0004);
	/*
	 * The last rows are an event without a distribution, an event without values, and a program
	 * without a probe.
	 */
	add_event(&p->all, "branches", 7)->stat[STAT_MAX] = 9;
	set_status(add_event(&p->all, "instructions", 0), EVENT_NOT_SUPPORTED, "no PMU");
	p = add_prog(r, 58, "count_pkts", "count_pkts", 2000);
	set_method(p, "run_stats");
	add_event(&p->all, "time", 250.5);
	return r;
}

/*
 * Returns the upper limit of the bucket that begins at "low". Buckets are like those of the probe,
 * but wider: one for each value below 64, then 32 for each power of two.
 */
static inline double bucket_high(double low)
{
	return low < 64 ? low : low + exp2(floor(log2(low)) - 5) - 1;
}

static inline void add_bucket(struct report_event *ev, double low, double high, __u64 count)
{
	struct report_bucket *b = report_event__add_bucket(ev);

	assert_non_null(b);
	*b = (struct report_bucket){.low = low, .high = high, .count = count};
}

static inline struct report *make_hist(int n)
{
	struct report *r = make_base();
	/* Nearly all runs of this program have the same value. */
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 100000);
	struct report_event *ev = add_event(&p->all, "instructions", 99);
	struct report_row *row;

	set_spread(ev, 99, 99, 99, 99, 99, 104, 4012, 0.3);
	add_bucket(ev, 99, 99, 99990);
	add_bucket(ev, 104, 105, 9);
	add_bucket(ev, 3968, 4031, 1);
	/*
	 * The distribution of this program has a hump with a long tail, and far more buckets than
	 * there are bars. Some values are negative, as the bias varies.
	 */
	p = add_prog(r, 57, "xdp_firewall_in", "xdp_firewall_ingress", 0);
	ev = add_event(&p->all, "time", 0);
	add_bucket(ev, -70, -68, 2);
	add_bucket(ev, -3, -3, 3);
	for (double low = 500; low < 100000; low = bucket_high(low) + 1) {
		__s64 d = low - 1100;
		__u64 count = 1000000 / (100 + d * d / 100);

		if (count)
			add_bucket(ev, low, bucket_high(low), count);
	}
	add_bucket(ev, 7340032, 7602175, 1);
	for (int i = 0; i < ev->bucket_cnt; i++)
		p->all.runs += ev->bucket[i].count;
	p->all.measured = ev->measured = p->all.runs;
	ev->total = 1186.5 * p->all.runs;
	ev->stat[STAT_MEAN] = 1186.5;
	set_spread(ev, -70, 1088, 1376, 1600, 1984, 5119, 7602175, 22400);
	row = report_prog__add_cpu(p, 3);
	assert_non_null(row);
	row->runs = row->measured = 40;
	ev = add_event(row, "time", 1100);
	add_bucket(ev, 1088, 1119, 40);
	return r;
}

/* A report of two CPUs, one of them CPU 0, which have distributions of their own. */
static inline struct report *make_cpus(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 4000);
	struct report_event *ev = add_event(&p->all, "time", 105);

	r->host.cpus = 2;
	r->interval_ns = 2000000000;
	set_spread(ev, 100, 104, 110, 110, 110, 111, 127, 2.5);
	add_bucket(ev, 100, 103, 1001);
	add_bucket(ev, 104, 127, 2999);
	for (int cpu = 0; cpu < 2; cpu++) {
		struct report_row *row = report_prog__add_cpu(p, cpu);

		assert_non_null(row);
		row->runs = row->measured = 2000;
		row->cpu_share = 0.25;
		ev = add_event(row, "time", 104 + 2 * cpu);
		set_spread(ev, 100 + cpu, 104, 110, 110, 110, 111, 126 + cpu, 2);
		add_bucket(ev, 100, 103, 500 + cpu);
		add_bucket(ev, 104, 127, 1500 - cpu);
	}
	return r;
}

static inline void add_multiplexed(struct report_row *row)
{
	struct report_event *ev = add_event(row, "cycles", 151.25);

	ev->read = "multiplexed";
	set_spread(ev, 120, 148, 176, 512, 1104, 25088, 1234567, 210.04);
	ev->measured = row->measured * 2 / 5 + 816;
	ev = add_event(row, "instructions", 99);
	ev->read = "multiplexed";
	ev->measured--;
	add_event(row, "branches", 20)->read = "multiplexed";
	ev = add_event(row, "cache-misses", 0);
	ev->read = "multiplexed";
	ev->measured = 0; /* this event was never on a counter */
}

/* A report with more events than counters, so the events are multiplexed. */
static inline struct report *make_multiplexed(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 100000);
	struct report_row *row = report_prog__add_cpu(p, 1);

	add_multiplexed(&p->all);
	assert_non_null(row);
	row->runs = row->measured = 50000;
	add_multiplexed(row);
	return r;
}

static inline struct report *make_thinned(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 160002);

	r->thin_period = 16;
	r->interval_ns = 1000000000;
	p->all.measured = 10000;
	p->all.thinned_out = 150000;
	p->all.lost[LOST_OVERFLOW] = 2;
	p->all.cpu_share = 0.763;
	p->all.share_estimated = true;
	add_event(&p->all, "cycles", 151.25);
	return r;
}

/*
 * A report of --sample auto. If n is 0, the overhead was above the requested share; otherwise below
 * it.
 */
static inline struct report *make_thinned_auto(int n)
{
	struct report *r = make_thinned(n);
	struct report_row *row;

	r->thin_period = 0;
	report__add_budget(r)->share = 0.005;
	r->budget->added = n ? 0.0042 : 0.0381384;
	r->budget->counting = n ? 0.001 : 0.0368;
	r->memory = (struct report_memory){n ? 70400 : 68000, 1 << 20, n ? 0.125 : NAN};
	r->prog[0].all.period_min = n ? 1 : 7;
	r->prog[0].all.period_max = 195;
	row = report_prog__add_cpu(&r->prog[0], 1);
	assert_non_null(row);
	row->runs = row->thinned_out = 150000;
	row->period_min = row->period_max = 195;
	return r;
}

/* A report of --max-overhead, with a program that took turns. */
static inline struct report *make_turns(int n)
{
	struct report *r = make_thinned_auto(1);
	struct report_row *row = &r->prog[0].all;

	r->budget->turns = true;
	r->budget->attaching = 0.0021;
	row->unprobed = 9000000;
	row->runs += row->unprobed;
	return r;
}

static inline struct report *make_notes(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 1000);

	r->interval_ns = (n + 1) * 1000000000ULL;
	add_event(&p->all, "cycles", 151.25);
	report_notes__add(&p->notes, "makes tail calls: its cost includes the programs it "
				     "jumps to");
	p->recursion_misses = 0;
	p = add_prog(r, 43, "tail", "tail", 10);
	p->recursion_misses = 12345;
	p->slowed_runs = 9;
	p->own_runs = 1200;
	p->with_own_runs = true;
	p->called = true;
	p->map = strdup("flows");
	p->map_type = strdup("lru_hash");
	p->site = strdup("lb.bpf.c:41#2");
	p->others = 123456;
	p->others_ns = 7890123;
	p->blinded = p->random_code = true;
	p->all.lost[LOST_OVERFLOW] = 1;
	add_event(&p->all, "cycles", 15);
	report_notes__add(&p->notes,
			  "is in the prog array %s: runs by tail call are "
			  "not seen",
			  "\033[2Jjmp");
	report_notes__add(&p->notes, "is %d%% special", 100);
	return r;
}

static inline struct report_prog *add_func(struct report *r, const char *func, int depth,
					   __u64 runs, double cost, double self)
{
	struct report_prog *p = add_prog(r, 42, "xdp_lb", func, runs);

	p->depth = depth;
	p->subprog = depth;
	if (depth)
		p->calls_per_run = runs / 1000.0;
	add_event(&p->all, "instructions", cost)->stat[STAT_SELF] = self;
	add_event(&p->all, "time", cost / 3)->stat[STAT_SELF] = self / 3;
	return p;
}

/* The report of: bprof --prog-id 42,57 --func '*' */
static inline struct report *make_tree(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->interval_ns = 1000000000;
	add_func(r, "xdp_lb", 0, 1000, 672, 210);
	add_func(r, "parse", 1, 1000, 321.5, 301.5);
	p = add_func(r, "checksum", 2, 2500, 20, 20);
	report_notes__add(&p->notes, "called by parse and rewrite");
	add_func(r, "rewrite", 1, 500, 281, 221);
	/* This function was never called, so nothing is known of its net values. */
	p = add_func(r, "report_error", 1, 0, NAN, NAN);
	/* A single function of another program is not shown as a tree. */
	p = add_prog(r, 57, "xdp_fw", "parse", 2000);
	p->subprog = true;
	add_event(&p->all, "instructions", 99);
	add_event(&p->all, "time", 33);
	return r;
}

/* The report of: bprof --prog-id 42 --func '*', with functions of one name (btf/func_label.h). */
static inline struct report *make_namesakes(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->interval_ns = 1000000000;
	add_func(r, "xdp_lb", 0, 1000, 1271, 45);
	add_func(r, "a", 1, 1000, 143, 33);
	p = add_func(r, "helper@a.c:7", 2, 1000, 100, 100);
	report_notes__add(&p->notes, "has the same BTF id as helper@c.c:7, which cannot be probed");
	add_func(r, "same_line@same_line.h:5#1", 2, 1000, 10, 10);
	p = add_func(r, "b", 1, 1000, 1083, 53);
	report_notes__add(&p->notes, "its cost includes helper@c.c:7, not measured");
	add_func(r, "helper@b.c:12", 2, 1000, 1000, 1000);
	add_func(r, "same_line@same_line.h:5#2", 2, 1000, 10, 10);
	add_func(r, "xdp_lb@b.c:14", 2, 1000, 20, 20);
	return r;
}

/*
 * The report of: bprof --prog-id 42,43,44 --func '*'. The first program starts a timer, whose
 * callback has a tree of its own, and calls a function that the callback calls, too. Then the
 * program jumps to the second one, whose own runs are not seen. The third program also jumps, and
 * only its entry function is measured.
 */
static inline struct report *make_roots(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	add_func(r, "xdp_lb", 0, 1000, 600, 300);
	add_func(r, "parse", 1, 2000, 60, 60);
	p = add_func(r, "log", 1, 1500, 20, 20);
	p->calls_per_run = NAN;
	report_notes__add(&p->notes, "called by xdp_lb and on_timer");
	p = add_func(r, "on_timer", 0, 500, 90, 60);
	p->subprog = true;
	add_func(r, "sweep", 1, 500, 10, 10)->calls_per_run = 1;
	p = add_func(r, "xdp_fw", 0, 0, NAN, NAN);
	p->id = 43;
	p = add_func(r, "check", 1, 1000, 160, 160);
	p->id = 43;
	p->calls_per_run = NAN;
	p = add_func(r, "xdp_jump", 0, 1000, 200, 40);
	p->id = 44;
	return r;
}

/*
 * Adds a version. loaded_s is the time of its load in seconds, and its measurement starts 2.5 ms
 * later. If loaded_s is NaN, the version was loaded before the session started.
 */
static inline struct report_prog *add_version(struct report *r, __u32 id, const char *name,
					      const char *tag, double loaded_s, __u64 runs,
					      double instructions)
{
	struct report_prog *p = add_prog(r, id, name, name, runs);

	strcpy(p->tag, tag);
	p->version.followed = true;
	p->version.load_time_ns = 90000000000 + id * 1000000000ULL;
	if (!isnan(loaded_s)) {
		p->version.loaded_ns = loaded_s * 1e9;
		p->version.attached_ns = 2500000;
		p->version.missed = 0;
	}
	add_event(&p->all, "instructions", instructions);
	add_event(&p->all, "time", instructions / 2);
	return p;
}

/*
 * The report of: bprof stat --name 'xdp_*' --follow. One version replaces another one; program 60
 * was unloaded too early to be measured.
 */
static inline struct report *make_followed(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->followed = true;
	p = add_version(r, 59, "xdp_lb", "00c0ffee00c0ffee", 0.75, 1000, 339);
	p->version.missed = 1200;
	add_version(r, 50, "xdp_fw", "d4f8542f2b42fac5", NAN, 7, 88);
	p = add_version(r, 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 5000, 239);
	p->version.ended_ns = 900000000;
	/* this version was loaded, but never ran */
	p = add_version(r, 61, "xdp_lb", "0badcafe0badcafe", 1.001, 0, 0);
	p->version.detach_cnt = 2;
	p->version_name = strdup("1.2-rc3");
	/* run_stats measures this version without a probe, so no run can be missed */
	p = add_version(r, 62, "tc_old", "1111111111111111", 0.2, 30, 0);
	set_method(p, "run_stats");
	p->version.attached_ns = p->version.missed = NAN;
	add_skip(r, 60, "xdp_lb", "short_lived",
		 "was unloaded again before a probe could be attached");
	add_skip(r, 63, "xdp_lb", "too_many",
		 "was loaded after as many programs as may be followed");
	r->skip[r->skip_cnt - 1].more = 4;
	report__compare_versions(r, r, NULL);
	return r;
}

/* A session with --follow and -I: reports on two intervals, then on the total. */
static inline struct report *make_followed_intervals(int n)
{
	struct report *r = make_base(), *whole = make_base();
	struct report_prog *p;

	r->followed = true;
	r->total = n == 2;
	r->interval_ns = n == 2 ? 0 : (n + 1) * 1000000000ULL;
	r->elapsed_ns = n == 2 ? 2000000000 : 1000000000;
	p = add_version(r, 42, "xdp_lb", "d4f8542f2b42fac5", NAN,
			n == 2 ? 1000
			: n    ? 100
			       : 900,
			239);
	if (n)
		p->version.ended_ns = 1900000000;
	if (n)
		add_version(r, 59, "xdp_lb", "00c0ffee00c0ffee", 1.5, 1000, 339);
	/* versions are compared by all their runs, not only those of the interval */
	add_version(whole, 42, "xdp_lb", "d4f8542f2b42fac5", NAN, 1000, 238);
	report__compare_versions(r, whole, "d4f8");
	report__free(whole);
	return r;
}

static inline struct report_scope *add_scope(struct report *r, const char *kind, __u64 id,
					     const char *name)
{
	struct report_scope *s = report__add_scope(r);

	assert_non_null(s);
	s->kind = kind;
	s->id = id;
	s->name = strdup(name);
	s->method = "bperf";
	s->shared = true;
	return s;
}

/* Adds an event that was on a counter for this percentage of one second. */
static inline struct report_event *add_total(struct report_row *row, const char *name, double total,
					     int percent)
{
	struct report_event *ev = add_event(row, name, NAN);

	ev->total = total;
	ev->enabled_ns = 1e9;
	ev->running_ns = 1e7 * percent;
	return ev;
}

/* Adds an event with this status. It was never enabled. */
static inline void add_uncounted(struct report_row *row, const char *name, enum event_status status,
				 const char *detail)
{
	struct report_event *ev = add_total(row, name, NAN, 100);

	ev->enabled_ns = ev->running_ns = NAN;
	set_status(ev, status, detail);
}

/* The report of: bprof system -a -p 123 -t 7 --for-each-cgroup /user.slice -- make -j */
static inline struct report *make_system(int n)
{
	static const char no_cache[] = "this PMU (armv8_pmuv3_0) has no such event";
	struct report *r = make_base();
	struct report_scope *s = add_scope(r, "system", 0, "");
	struct report_row *row = report_scope__add_cpu(s, 2);

	r->calibrated = false;
	assert_non_null(row);
	add_total(row, "cycles", 1500000, 50);
	add_uncounted(row, "instructions", EVENT_NOT_SUPPORTED, "not on CPU 2");
	add_total(row, "time", 1e9, 100);
	add_total(&s->all, "cycles", 4123456789, 100);
	add_total(&s->all, "instructions", 3298765431, 100);
	add_total(&s->all, "time", 4003000000, 100);
	add_uncounted(&s->all, "cache-misses", EVENT_NOT_SUPPORTED, no_cache);
	s = add_scope(r, "process", 123, "nginx");
	add_total(&s->all, "cycles", 0, 0)->enabled_ns = 0; /* this scope did not run */
	add_total(&s->all, "instructions", 12, 100);
	add_total(&s->all, "time", 12.5, 100);
	add_uncounted(&s->all, "cache-misses", EVENT_NOT_SUPPORTED, no_cache);
	s = add_scope(r, "thread", 18446744073709551615ULL, "");
	s->method = "perf_event";
	s->shared = false;
	add_total(&s->all, "cycles", 1000, 100);
	add_uncounted(&s->all, "cache-misses", EVENT_NOT_COUNTED, NULL);
	report_notes__add(&s->notes, "is %d%% special", 100);
	s = add_scope(r, "cgroup", 4711, "/user.slice");
	add_total(&s->all, "cycles", 5e18, 100);
	report_notes__add(&s->notes, "has gone");
	add_scope(r, "cgroup", 4712, "");
	add_scope(r, "command", 4242, "make");
	add_scope(r, "total", 0, "");
	add_skip(r, 0, "99999", "no_process", "no process has this id");
	return r;
}

/* A report on two CPUs. It has more events than counters, so the events are multiplexed. */
static inline struct report *make_system_per_cpu(int n)
{
	struct report *r = make_base();
	struct report_scope *s = add_scope(r, "system", 0, "");
	struct report_row *row;

	r->interval_ns = (n + 1) * 1000000000ULL;
	r->host.cpus = 2;
	add_total(&s->all, "cycles", 3000000, 50);
	add_total(&s->all, "instructions", 4500000.5, 25);
	add_total(&s->all, "branches", 1000, 0)->total = NAN;
	add_total(&s->all, "time", 2e9, 100);
	for (int cpu = 0; cpu < 4; cpu += 2) {
		row = report_scope__add_cpu(s, cpu);
		assert_non_null(row);
		add_total(row, "cycles", 1500000, 50);
		add_total(row, "instructions", 2250000, cpu ? 20 : 30);
		add_total(row, "branches", NAN, 0);
		add_total(row, "time", 1e9, 100);
	}
	set_status(&row->event[1], EVENT_NOT_SUPPORTED, "not on CPU 2");
	s = add_scope(r, "process", 7, "no_cpus");
	add_total(&s->all, "cycles", 100 + n, 50);
	add_total(&s->all, "branches", 5, 40);
	/* The second interval has one more note. */
	if (n)
		report_notes__add(&s->notes, "lost a CPU");
	return r;
}

static inline struct report *make_system_repeats(int n)
{
	struct report *r = make_base();
	struct report_scope *s = add_scope(r, "command", 0, "sleep");

	r->repeats = 3;
	add_total(&s->all, "cycles", 151000.25, 100)->repeat_stddev = 2000;
	add_total(&s->all, "instructions", 99, 100)->repeat_stddev = 0;
	add_uncounted(&s->all, "branches", EVENT_NOT_SUPPORTED, "no PMU");
	return r;
}

/* A report in which nothing that was requested could be counted. */
static inline struct report *make_system_skipped(int n)
{
	struct report *r = make_base();

	r->of_scopes = true;
	add_skip(r, 0, "99999", "no_process", "no such process");
	return r;
}

/* A command's name (comm) and a cgroup's name may contain any byte. */
static inline struct report *make_system_hostile(int n)
{
	struct report *r = make_base();
	struct report_scope *s = add_scope(r, "process", 1, "\033]0;pwned\a,\"\n");

	add_total(&s->all, "cycles", 7, 100);
	s = add_scope(r, "cgroup", 2, "/bad\xff\xc3(\xe2\x82/\xe5\x8c\x85\xe2\x80\xae.gpj");
	add_total(&s->all, "cycles", 7, 10);
	report_notes__add(&s->notes, "\033[2J");
	s = add_scope(r, "command", 3, "sh -c echo\r\n42,,cycles");
	add_total(&s->all, "cycles", 7, 100);
	add_skip(r, 0, "\033[31mred,", "no_cgroup", "\x7f\xff");
	return r;
}

static inline void add_block(struct report_event *ev, __u64 measured, double mean, double p50)
{
	struct report_block *b = report_event__add_block(ev);

	assert_non_null(b);
	b->measured = measured;
	b->stat[STAT_MEAN] = mean;
	b->stat[STAT_P50] = p50;
}

/*
 * A report for tests of comparisons, with repeats, an exact event, and a program that has two input
 * cases.
 */
static inline struct report *make_blocks(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 3000);
	struct report_event *ev = add_event(&p->all, "cycles", 151.25);

	r->repeats = 3;
	p->input = strdup("ipv4 \xe2\x82\xac");
	ev->repeat_stddev = 0.8;
	add_block(ev, 1000, 150.25, 149);
	add_block(ev, 1000, 151.125, 150);
	add_block(ev, 1000, 152.375, NAN);
	ev->block[0].stat[STAT_MIN] = -3;
	ev->block[0].stat[STAT_P999] = 1104.5;
	ev = add_event(&p->all, "instructions", 99);
	ev->exact = true;
	add_block(ev, 18446744073709551615ULL, 99, 99);
	p = add_prog(r, 42, "xdp_lb", "xdp_lb", 5);
	p->input = strdup("");
	add_event(&p->all, "cycles", 7)->exact = true;
	return r;
}

static inline struct report_prog *add_case(struct report *r, __u32 id, const char *name,
					   const char *func, const char *input, double retval)
{
	struct report_prog *p = add_prog(r, id, name, func, 4000);

	p->input = input ? strdup(input) : NULL;
	set_method(p, "test_run");
	p->retval = retval;
	add_event(&p->all, "instructions", 500.25)->exact = true;
	return p;
}

/* A report of bench, with input cases, return values, and program sizes. */
static inline struct report *make_bench(int n)
{
	static const double size[SIZE_CNT] = {123, 9, NAN, 1456, 980, 64};
	static const double times[] = {250000, 254000, 260000};
	struct report *r = make_base();
	struct report_prog *p = add_case(r, 42, "xdp_lb", "xdp_lb", "syn.pcap#1", 2);
	struct report_event *ev = &p->all.event[0];

	r->driven = true;
	set_spread(ev, 500, 500, 500, 500, 500, 503, 4012, 9.5);
	for (int i = 0; i < 2; i++) {
		add_block(ev, 2000, 500 + i / 2., 500);
		ev->block[i].stat[STAT_MIN] = 500;
	}
	add_bucket(ev, 500, 503, 3999);
	add_bucket(ev, 4000, 4063, 1);
	ev = add_event(&p->all, "time", 350.5);
	add_block(ev, 2000, 350.75, 348);
	add_block(ev, 2000, 350.25, 348);
	memcpy(p->size, size, sizeof(size));
	report_prog__set_verification(p, times, ARRAY_SIZE(times));
	p = add_case(r, 42, "xdp_lb", "parse_ipv6", "syn.pcap#1", NAN);
	p->subprog = true;
	p->depth = 1;
	p->calls_per_run = 1;
	p->all.event[0].stat[STAT_SELF] = 12;
	add_case(r, 42, "xdp_lb", "xdp_lb", "big data-2", 4294967295);
	p = add_case(r, 43, "tc_mark", "tc_mark", NULL, 7);
	free(p->type);
	p->type = strdup("sched_cls");
	p->size[SIZE_JITED] = 1234567;
	p = add_case(r, 43, "tc_mark", "tc_mark", "mixed.pcap", NAN);
	p->retvals = calloc(2, sizeof(*p->retvals));
	assert_non_null(p->retvals);
	p->retvals[1] = 4294967295;
	p->retvals_cnt = 2;
	p = add_case(r, 44, "lsm", "lsm", "", 0);
	p->retval = NAN;
	p->retval_varies = true;
	p->short_code = true;
	p->uncalibrated = true;
	p->all.lost[LOST_OVERFLOW] = 1;
	return r;
}

/* Adds a row of the runs that returned this value. NaN: the row of all other runs. */
static inline struct report_prog *add_part(struct report *r, __u32 id, const char *name,
					   double retval, __u64 runs, double mean)
{
	struct report_prog *p = add_prog(r, id, name, name, runs);
	struct report_event *ev = add_event(&p->all, "instructions", mean);

	p->by_retval = true;
	p->retval = retval;
	p->all.cpu_share = runs * mean / 1e9;
	if (runs)
		set_spread(ev, mean, mean, mean, mean, mean, mean, mean, 0);
	return p;
}

/*
 * The report of: bprof --prog-id 42,57,58 --func '*' --by retval. Some runs of the first program
 * were lost or thinned out, and it returned more than eight values. In the first interval, it has
 * returned one value less. No return value is known of the second program, and the third one did
 * not run.
 */
static inline struct report *make_by_retval(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->by_retval = true;
	r->interval_ns = (n + 1) * r->elapsed_ns;
	r->thin_period = 2;
	add_part(r, 42, "xdp_lb", 1, 1000, 10);
	if (n)
		add_part(r, 42, "xdp_lb", 3, 3000, 510);
	add_part(r, 42, "xdp_lb", 4294967295, 1, 99);
	add_part(r, 42, "xdp_lb", NAN, 7, 123);
	p = add_part(r, 42, "xdp_lb", NAN, 0, 0);
	p->unmeasured = true;
	p->all.cpu_share = NAN;
	p->all.thinned_out = 4008;
	p->all.lost[LOST_ENTRY] = 3;
	p->all.runs = 4011;
	p = add_part(r, 42, "xdp_lb", 4294967289, 40, 5);
	free(p->func);
	p->func = strdup("parse");
	p->subprog = true;
	p->depth = 1;
	for (int i = 0; i < r->prog_cnt; i++) {
		if (r->prog[i].unmeasured)
			continue;
		r->prog[i].calls_per_run = r->prog[i].all.runs / (n ? 4008. : 1008.);
		r->prog[i].all.event[0].stat[STAT_SELF] = 3;
	}
	p = add_prog(r, 57, "old", "", 5);
	set_method(p, "run_stats");
	report_notes__add(&p->notes, "its runs are not divided");
	add_event(&p->all, "instructions", 0);
	p = add_prog(r, 58, "idle", "idle", 0);
	add_event(&p->all, "instructions", 0);
	add_skip(r, 62, "foo", "no_btf", "has no BTF");
	return r;
}

/* Adds a row of the runs with this key; name NULL: the row of all others. */
static inline struct report_prog *add_key(struct report *r, const char *name, double value,
					  __u64 runs, double mean)
{
	struct report_prog *p = add_part(r, 42, "xdp_lb", NAN, runs, mean);

	p->by_key = true;
	p->key_name = name ? strdup(name) : NULL;
	p->key_value = value;
	return p;
}

/*
 * The report of: bprof --prog-id 42,57 --by ifindex. The second program has no packets. In the first
 * interval, no packet was on the last device.
 */
static inline struct report *make_by_key(int n)
{
	struct report *r = make_base();
	struct report_prog *p;

	r->by_retval = true;
	r->by = BY_IFINDEX;
	r->interval_ns = (n + 1) * r->elapsed_ns;
	add_key(r, "eth0", 2, 1000, 10);
	add_key(r, "veth12ab\x1b", 17, 70, 510);
	if (n)
		add_key(r, "other", 19, 3, 11);
	add_key(r, "none", NAN, 1, 99);
	add_key(r, NULL, NAN, 7, 123);
	p = add_key(r, NULL, NAN, 0, 0);
	p->unmeasured = true;
	p->all.cpu_share = NAN;
	p->all.lost[LOST_ENTRY] = 3;
	p->all.runs = 3;
	add_skip(r, 57, "kprobe", "key", "has runs that cannot be divided so");
	return r;
}

static inline struct report *make_empty(int n)
{
	struct report *r = report__new();

	assert_non_null(r);
	r->host.cpus = 1;
	add_skip(r, 57, "foo", "not_jited", "is not JITed");
	return r;
}

static inline struct report_event *add_estimate(struct report_row *row, const char *name,
						double total, __u64 samples)
{
	struct report_event *ev = add_event(row, name, row->measured ? total / row->measured : NAN);

	ev->total = total;
	report_event__add_estimate(ev)->samples = samples;
	if (samples)
		ev->estimate->total_stddev = total / sqrt(samples);
	if (samples && row->measured)
		ev->mean_stddev = ev->estimate->total_stddev / row->measured;
	return ev;
}

static inline void add_verify(struct report_event *ev, const char *verdict, double added,
			      double error, __u64 use)
{
	struct report_verify *v = report_event__add_verify(ev);

	v->verdict = verdict;
	v->added = added;
	v->added_error = error;
	v->use = use;
	for (__u64 sample = 1; sample <= 256; sample *= 16) {
		struct report_verify_rate *rate = report_verify__add_rate(v);

		rate->sample = sample;
		rate->measured = isnan(added) ? 0 : 76800 / sample;
		rate->mean = isnan(added) ? NAN : ev->stat[STAT_MEAN] + (sample == 1 ? added : 0);
		rate->stddev = isnan(added) ? NAN : error / 2;
	}
}

/* The report of stat --verify: programs that a probe disturbs or not, one that ran too rarely, one without a probe. */
static inline struct report *make_verify(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 230400);

	r->thin_period = 0;
	p->all.measured = 81900;
	p->all.thinned_out = p->all.runs - p->all.measured;
	add_verify(add_event(&p->all, "cycles", 1520), "more", 12.25, 1.5, 16);
	*report_verify__add_samples(p->all.event[0].verify) =
		(struct report_verify_samples){12100, 1509.5, 13.75, "agree"};
	add_verify(add_event(&p->all, "instructions", 783), "none", 0, 0, 1);
	report_verify__add_samples(p->all.event[1].verify)->verdict = "unknown";
	add_verify(add_event(&p->all, "time", 507.5), "less", -4.5, 2.25, 1);
	report_notes__add(&p->notes, "cycles: each measured run makes the next one cost 12.3 more "
				     "(+-1.5): use --sample 16");
	p = add_prog(r, 57, "tc_rare", "tc_rare", 12);
	add_verify(add_event(&p->all, "cycles", 900), "unknown", NAN, NAN, 0);
	p = add_prog(r, 58, "old", "old", 100);
	set_method(p, "run_stats");
	add_event(&p->all, "time", 812);
	return r;
}

/*
 * A report with method samples. It has a program whose number of runs is known, one whose number is
 * unknown, one without samples, and one that did not run.
 */
static inline struct report *make_samples(int n)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "no_btf", "", 100000);
	struct report_sampled_event *s;

	set_method(p, "samples");
	p->all.cpu_share = 0.25;
	add_estimate(&p->all, "cycles", 4e8, 400);
	add_estimate(&p->all, "time", 250e6, 1000);
	p = add_prog(r, 57, "tail_leaf", "tail_leaf", 0);
	set_method(p, "samples");
	report_notes__add(&p->notes, "its runs are not counted");
	add_estimate(&p->all, "cycles", 16e6, 16);
	add_estimate(&p->all, "time", 1e6, 4);
	p = add_prog(r, 58, "seldom", "seldom", 3);
	set_method(p, "samples");
	set_status(add_event(&p->all, "cycles", 0), EVENT_NOT_COUNTED, "it takes no samples");
	add_estimate(&p->all, "time", 0, 0);
	p = add_prog(r, 59, "idle", "idle", 0);
	set_method(p, "samples");
	add_estimate(&p->all, "cycles", 0, 0);
	add_estimate(&p->all, "time", 0, 0);
	report__add_sampling(r)->freq = 4000;
	for (int i = 0; i < 2; i++) {
		s = report_sampling__add_event(r->sampling);
		s->event = strdup(i ? "cpu-clock" : "cycles");
		s->sum = (struct record_samples){.taken = 16048,
						 .in_targets = 416,
						 .weight = 16048000000,
						 .weight_in_targets = 416000000,
						 .in_calls = 12,
						 .weight_in_calls = 12000000,
						 .enabled_ns = 4012000000,
						 .running_ns = 4012000000,
						 .cost_ns = 1700};
	}
	s->sum.lost = 12;
	s->sum.throttled = 1;
	s->sum.running_ns = 2006000000;
	s->sum.cost_ns = NAN;
	return r;
}

/* Frees all programs but the first cnt. */
static inline void keep_progs(struct report *r, int cnt)
{
	struct report *rest = report__new();

	assert_non_null(rest);
	for (int i = cnt; i < r->prog_cnt; i++)
		*report__add_prog(rest) = r->prog[i];
	r->prog_cnt = cnt;
	report__free(rest);
}

/* A report with every part that can occur together in a report without return values and versions. */
static inline struct report *make_rich(int n)
{
	static const struct {
		struct report *(*make)(int n);
		int progs;
	} parts[] = {{make_tails, 2}, {make_cells, 2},	{make_multiplexed, 1},
		     {make_turns, 1}, {make_blocks, 1}, {make_notes, 2}};
	struct report *r = make_samples(0);

	keep_progs(r, 2);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct report *part = parts[i].make(0);

		keep_progs(part, parts[i].progs);
		for (int k = 0; k < part->prog_cnt; k++)
			part->prog[k].id += 100 * (i + 1); /* another program */
		if (part->budget) {
			r->thin_period = 0;
			*report__add_budget(r) = *part->budget;
		}
		report__take(r, part);
	}
	r->interval_ns = 0;
	r->repeats = 3;
	return r;
}

#endif
