// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what -e accepts as a single event: names in every spelling, modifiers, and PMU events of a
 * made-up sysfs tree. Also tests the caret's position in a refused argument.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/perf_event.h>

#include "event/event_names.h"
#include "event/pmu.h"
#include "tests/unit/made_events.h"

/* Checks that spec is a single event with this name, base, type and config. */
static void assert_event(const char *sysfs, const char *spec, const char *base, __u32 type,
			 __u64 config)
{
	struct event_list list = parse(sysfs, spec);

	if (list.cnt != 1)
		fail_msg("'%s': %d events", spec, list.cnt);
	if (strcmp(list.v[0].name, spec) || strcmp(list.v[0].base, base))
		fail_msg("'%s': name '%s', base '%s'", spec, list.v[0].name, list.v[0].base);
	if (list.v[0].type != type || list.v[0].config != config)
		fail_msg("'%s': type %u, config %#llx", spec, list.v[0].type, list.v[0].config);
	assert_int_equal(list.v[0].kind, EVENT_PERF);
	assert_int_equal(list.v[0].group, -1);
	event_list__free(&list);
}

static void generic_names(void **state)
{
	static const struct {
		const char *spec, *base;
		__u32 type;
		__u64 config;
	} rows[] = {
		{"cycles", "cycles", 0, 0},
		{"cpu-cycles", "cycles", 0, 0},
		{"CPU-Cycles", "cycles", 0, 0},
		{"instructions", "instructions", 0, 1},
		{"cache-references", "cache-references", 0, 2},
		{"cache-misses", "cache-misses", 0, 3},
		{"branch-instructions", "branches", 0, 4},
		{"branches", "branches", 0, 4},
		{"branch-misses", "branch-misses", 0, 5},
		{"bus-cycles", "bus-cycles", 0, 6},
		{"stalled-cycles-frontend", "stalled-cycles-frontend", 0, 7},
		{"idle-cycles-frontend", "stalled-cycles-frontend", 0, 7},
		{"stalled-cycles-backend", "stalled-cycles-backend", 0, 8},
		{"idle-cycles-backend", "stalled-cycles-backend", 0, 8},
		{"ref-cycles", "ref-cycles", 0, 9},
		{"cpu-clock", "cpu-clock", 1, 0},
		{"task-clock", "task-clock", 1, 1},
		{"page-faults", "page-faults", 1, 2},
		{"faults", "page-faults", 1, 2},
		{"context-switches", "context-switches", 1, 3},
		{"cs", "context-switches", 1, 3},
		{"cpu-migrations", "cpu-migrations", 1, 4},
		{"migrations", "cpu-migrations", 1, 4},
		{"minor-faults", "minor-faults", 1, 5},
		{"major-faults", "major-faults", 1, 6},
		{"alignment-faults", "alignment-faults", 1, 7},
		{"emulation-faults", "emulation-faults", 1, 8},
		{"dummy", "dummy", 1, 9},
		{"cgroup-switches", "cgroup-switches", 1, 11},
		{"r1a2", "r1a2", 4, 0x1a2},
		{"r0x1A2", "r0x1A2", 4, 0x1a2},
		{"r0X1a2", "r0X1a2", 4, 0x1a2},
		{"rffffffffffffffff", "rffffffffffffffff", 4, ~0ULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_event(SYSFS, rows[i].spec, rows[i].base, rows[i].type, rows[i].config);
}

static void cache_names(void **state)
{
	static const struct {
		const char *spec, *base;
		__u64 config;
	} rows[] = {
		{"L1-dcache-loads", "L1-dcache-loads", 0},
		{"L1-dcache", "L1-dcache-loads", 0},
		{"l1d", "L1-dcache-loads", 0},
		{"l1-d-read", "L1-dcache-loads", 0},
		{"L1-data-load-refs", "L1-dcache-loads", 0},
		{"L1-dcache-load-misses", "L1-dcache-load-misses", 0x10000},
		{"L1-dcache-misses", "L1-dcache-load-misses", 0x10000},
		{"l1d-miss-load", "L1-dcache-load-misses", 0x10000},
		{"L1-dcache-stores", "L1-dcache-stores", 0x100},
		{"l1d-write-access", "L1-dcache-stores", 0x100},
		{"l1d-speculative-read-miss", "L1-dcache-prefetch-misses", 0x10200},
		{"l1d-speculative-load", "L1-dcache-prefetches", 0x200},
		{"L1-icache-load-misses", "L1-icache-load-misses", 0x10001},
		{"L1-instruction-prefetch", "L1-icache-prefetches", 0x201},
		{"l1i-ops", "L1-icache-loads", 0x1},
		{"l1-i", "L1-icache-loads", 0x1},
		{"LLC-loads", "LLC-loads", 0x2},
		{"L2-misses", "LLC-load-misses", 0x10002},
		{"LLC-store-misses", "LLC-store-misses", 0x10102},
		{"dTLB-load-misses", "dTLB-load-misses", 0x10003},
		{"Data-TLB-Reference", "dTLB-loads", 0x3},
		{"d-tlb-stores", "dTLB-stores", 0x103},
		{"iTLB-load-misses", "iTLB-load-misses", 0x10004},
		{"Instruction-TLB", "iTLB-loads", 0x4},
		{"i-tlb-miss", "iTLB-load-misses", 0x10004},
		{"branch-load-misses", "branch-load-misses", 0x10005},
		{"branch", "branch-loads", 0x5},
		{"branches-misses", "branch-load-misses", 0x10005},
		{"bpu-loads", "branch-loads", 0x5},
		{"btb", "branch-loads", 0x5},
		{"bpc-read-ops", "branch-loads", 0x5},
		{"node-prefetch-misses", "node-prefetch-misses", 0x10206},
		{"node", "node-loads", 0x6},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_event(SYSFS, rows[i].spec, rows[i].base, PERF_TYPE_HW_CACHE, rows[i].config);

	assert_bad(SYSFS, "L1-icache-stores", 0, 16, "no such event 'L1-icache-stores'");
	assert_bad(SYSFS, "iTLB-prefetch-misses", 0, 20, "no such event 'iTLB-prefetch-misses'");
	assert_bad(SYSFS, "branch-stores", 0, 13, "no such event 'branch-stores'");
	assert_bad(SYSFS, "LLC-", 0, 4, "unknown event");
	assert_bad(SYSFS, "LLC-load-load", 0, 13, "unknown event");
	assert_bad(SYSFS, "LLC-load-misses-refs", 0, 20, "unknown event");
	assert_bad(SYSFS, "LLC-refs-misses", 0, 15, "unknown event");
}

static void time_is_no_perf_event(void **state)
{
	struct event_list list = parse(SYSFS, "time");
	struct perf_event_attr attr;

	assert_int_equal(list.cnt, 1);
	assert_int_equal(list.v[0].kind, EVENT_TIME);
	assert_string_equal(list.v[0].base, "time");
	assert_string_equal(list.v[0].unit, "ns");
	assert_int_equal(event__to_attr(&list.v[0], &attr), -EINVAL);
	event_list__free(&list);
	assert_bad(SYSFS, "time:u", 5, 1, "no modifier");
	assert_bad(SYSFS, "{cycles,time}:k", 14, 1, "no modifier");
}

static void units_and_scales(void **state)
{
	struct event_list list =
		parse(SYSFS, "cycles,cpu-clock,power/energy-pkg/,cpu/topdown/,cpu/mem-loads/");

	assert_string_equal(list.v[0].unit, "");
	assert_true(list.v[0].scale == 1);
	assert_string_equal(list.v[1].unit, "ns");
	assert_string_equal(list.v[2].unit, "Joules");
	assert_true(list.v[2].scale == 1.0 / (1ULL << 32));
	assert_string_equal(list.v[3].unit, "slots");
	assert_true(list.v[3].scale == 2);
	assert_string_equal(list.v[4].unit, "");
	assert_true(list.v[4].scale == 1);
	event_list__free(&list);
}

static void pmu_terms(void **state)
{
	assert_event(SYSFS, "cpu/event=0x3c/", "cpu/event=0x3c/", 4, 0x3c);
	assert_event(SYSFS, "cpu/event=60,umask=0xff/", "cpu/event=60,umask=0xff/", 4, 0xff3c);
	assert_event(SYSFS, "cpu/event=0X3c/", "cpu/event=0X3c/", 4, 0x3c);
	assert_event(SYSFS, "cpu/event=010/", "cpu/event=010/", 4, 10);
	assert_event(SYSFS, "cpu/edge/", "cpu/edge/", 4, 1 << 18);
	assert_event(SYSFS, "cpu/cpu-cycles/", "cpu/cpu-cycles/", 4, 0x3c);
	assert_event(SYSFS, "cpu/cpu-cycles,edge/", "cpu/cpu-cycles,edge/", 4, 0x4003c);
	assert_event(SYSFS, "cpu/event=1,event=2/", "cpu/event=1,event=2/", 4, 2);
	assert_event(SYSFS, "cpu/config=0x1234/", "cpu/config=0x1234/", 4, 0x1234);
	assert_event(SYSFS, "cpu/config=0xff00,event=1/", "cpu/config=0xff00,event=1/", 4, 0xff01);
	assert_event(SYSFS, "cpu/r1a/", "cpu/r1a/", 4, 0x1a);
	assert_event(SYSFS, "cpu//", "cpu//", 4, 0);
	assert_event(SYSFS, "msr/tsc/", "msr/tsc/", 9, 0);
	assert_event(SYSFS, "msr/event=0xffffffffffffffff/", "msr/event=0xffffffffffffffff/", 9,
		     ~0ULL);
	/* the value's bits go to config:0-7,32-35 and config1:1,6-10,44, lowest bits first */
	assert_event(SYSFS, "uncore_imc_0/event=0xfa5/", "uncore_imc_0/event=0xfa5/", 20,
		     0xf000000a5ULL);
	assert_event(SYSFS, "uncore_imc_0/cas/", "uncore_imc_0/cas/", 20, 0xf00000004ULL);
}

static void other_config_words(void **state)
{
	struct event_list list = parse(SYSFS, "cpu/mem-loads/,cpu/all=7,config1=9,third=5/,"
					      "uncore_imc_0/mixed=0x43/,uncore_imc_0/nest,chip=3/");

	assert_int_equal(list.v[0].config, 0x1cd);
	assert_int_equal(list.v[0].config1, 3);
	assert_int_equal(list.v[1].config, 0);
	assert_int_equal(list.v[1].config1, 9);
	assert_int_equal(list.v[1].config2, 7);
	assert_int_equal(list.v[1].config3, 5);
	assert_int_equal(list.v[2].config1, 1ULL << 1 | 1 << 6 | 1ULL << 44);
	assert_int_equal(list.v[3].config, 0x30001);
	event_list__free(&list);
}

static void names_given(void **state)
{
	struct event_list list = parse(SYSFS, "cpu/event=1,name=uops/k,cycles/name='a,b/c:d'/u,"
					      "{msr/tsc,name=t/,r3}:u,cycles/name=c/,"
					      "{instructions/name=i/}:kP,instructions/name=d/P,"
					      "instructions/name=x:u/,instructions/name='x/u'/p");

	assert_string_equal(list.v[4].base, "cycles");
	assert_string_equal(list.v[5].base, "instructions:kP");
	assert_string_equal(list.v[6].base, "instructions");
	/* these count at all levels, but their names end like those of events of the user level */
	assert_string_not_equal(list.v[7].base, "instructions");
	assert_string_not_equal(list.v[8].base, "instructions");

	assert_string_equal(list.v[0].name, "uops");
	assert_true(list.v[0].exclude_user);
	assert_string_equal(list.v[1].name, "a,b/c:d");
	/* a ratio of these cycles and of instructions at all levels would be wrong */
	assert_string_equal(list.v[1].base, "cycles:u");
	assert_true(list.v[1].exclude_kernel);
	assert_string_equal(list.v[2].name, "t");
	assert_true(list.v[2].exclude_kernel);
	assert_string_equal(list.v[3].base, "r3");
	assert_string_equal(list.v[3].name, "r3:u");
	event_list__free(&list);
	assert_bad(SYSFS, "cpu/name=/", 4, 5, "empty");
	assert_bad(SYSFS, "cpu/name=''/", 4, 7, "empty");
	assert_bad(SYSFS, "cpu/name/", 4, 4, "empty");
	assert_bad(SYSFS, "cpu/name='x/", 9, 1, "not closed");
	assert_bad(SYSFS, "cycles/event=1/", 7, 7, "only the term name=");
}

static void cpus_of_pmus(void **state)
{
	struct event_list list = parse(SYSFS, "armv8_a53/inst_retired/,power/energy-pkg/,msr/tsc/");
	char buf[32];

	assert_string_equal(cpus__format(&list.v[0].cpumask, buf, sizeof(buf)), "0-3");
	assert_int_equal(list.v[0].type, 7);
	assert_string_equal(cpus__format(&list.v[1].cpumask, buf, sizeof(buf)), "0,4");
	assert_int_equal(list.v[2].cpumask.cnt, 0);
	event_list__free(&list);
}

static void bare_pmu_events(void **state)
{
	struct event_list list = parse(SYSFS, "tsc:k,bus_little");

	assert_string_equal(list.v[0].name, "tsc:k");
	assert_string_equal(list.v[0].base, "msr/tsc/");
	assert_int_equal(list.v[0].type, 9);
	assert_true(list.v[0].exclude_user);
	assert_string_equal(list.v[1].name, "bus_little");
	assert_string_equal(list.v[1].base, "armv8_a53/bus_little/");
	assert_int_equal(list.v[1].config, 0x19);
	assert_int_equal(list.v[1].cpumask.cnt, 4);
	event_list__free(&list);
	/* the generic event has priority, on hybrid machines as well */
	assert_event(SYSFS, "cpu-cycles", "cycles", PERF_TYPE_HARDWARE, 0);
	assert_bad(SYSFS, "cycles,inst_retired", 7, 12, "(armv8_a53, armv8_a72)");
	assert_bad(SYSFS, "inst_retired", 0, 12, "choose one, as armv8_a53/inst_retired/");
	assert_bad(SYSFS, "energy-pkg.unit", 0, 15, "unknown event");
	assert_bad(SYSFS, "..", 0, 2, "unknown event");
	assert_bad(SYSFS, "../msr/", 0, 2, "no such PMU");
}

/*
 * Checks the members exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest and
 * exclude_idle. bits has a 0 or a 1 for each of them, in this order.
 */
static void assert_excludes(const char *sysfs, const char *spec, const char *bits)
{
	struct event_list list = parse(sysfs, spec);
	const struct event *e = &list.v[0];
	char got[8];

	snprintf(got, sizeof(got), "%d%d%d%d%d%d", e->exclude_user, e->exclude_kernel,
		 e->exclude_hv, e->exclude_host, e->exclude_guest, e->exclude_idle);
	if (strcmp(got, bits))
		fail_msg("'%s' excludes %s, not %s", spec, got, bits);
	event_list__free(&list);
}

static void modifiers(void **state)
{
	struct event_list list;

	assert_excludes(SYSFS, "cycles", "000000");
	assert_excludes(SYSFS, "cycles:u", "011000");
	assert_excludes(SYSFS, "cycles:k", "101000");
	assert_excludes(SYSFS, "cycles:h", "110000");
	assert_excludes(SYSFS, "cycles:uk", "001000");
	assert_excludes(SYSFS, "cycles:hku", "000000");
	assert_excludes(SYSFS, "cycles:H", "000010");
	assert_excludes(SYSFS, "cycles:G", "000100");
	assert_excludes(SYSFS, "cycles:GH", "000000");
	assert_excludes(SYSFS, "cycles:I", "000001");
	assert_excludes(SYSFS, "cycles:kGI", "101101");
	assert_excludes(SYSFS, "cpu/event=1/u", "011000");
	assert_excludes(SYSFS, "cpu/event=1/:u", "011000");
	assert_excludes(SYSFS, "r1a:k", "101000");
	assert_excludes(SYSFS, "L1-dcache-loads:k", "101000");
	assert_excludes(SYSFS, "{cycles:k,branches}:u", "001000");

	/* In bprof system, cycles and cycles:HG differ: without H and G, guests are left out. */
	list = parse(SYSFS, "cycles,cycles:HG,cycles:GH");
	assert_int_equal(list.cnt, 2);
	event_list__free(&list);

	list = parse(SYSFS, "cycles,cycles:p,cycles:ppp,cycles:P,cycles:D,cycles:e");
	assert_int_equal(list.cnt, 6);
	assert_int_equal(list.v[1].precise_ip, 1);
	assert_int_equal(list.v[2].precise_ip, 3);
	assert_true(list.v[3].precise_max);
	assert_true(list.v[4].pinned);
	assert_true(list.v[5].exclusive);
	assert_false(list.v[0].precise_ip || list.v[0].precise_max || list.v[0].pinned ||
		     list.v[0].exclusive);
	event_list__free(&list);
}

static void bad_modifiers(void **state)
{
	assert_bad(SYSFS, "cycles:kW", 8, 1, "weak group");
	assert_bad(SYSFS, "cycles:S", 7, 1, "sampling");
	assert_bad(SYSFS, "cycles:b", 7, 1, "always");
	assert_bad(SYSFS, "cycles:ukz", 9, 1, "unknown modifier");
	assert_bad(SYSFS, "instructions,cycles:u!", 21, 1, "unknown modifier");
	assert_bad(SYSFS, "cycles:uku", 9, 1, "twice");
	assert_bad(SYSFS, "cycles:pppp", 10, 1, "precision");
	assert_bad(SYSFS, "{cycles:pp,branches}:pp", 22, 1, "precision");
	assert_bad(SYSFS, "cycles:", 6, 1, "no modifier");
	assert_bad(SYSFS, "{cycles}:", 8, 1, "no modifier");
	assert_bad(SYSFS, "{cycles}: ,branches", 8, 1, "no modifier");
	assert_bad(SYSFS, "cpu/event=1/:", 12, 1, "no modifier");
	assert_bad(SYSFS, "cpu/event=1/x", 12, 1, "unknown modifier");
	assert_bad(SYSFS, "{cycles}:q", 9, 1, "unknown modifier");
}

static void unknown_names(void **state)
{
	assert_bad(SYSFS, "cycles,cylces", 7, 6, "did you mean 'cycles'?");
	assert_bad(SYSFS, "cylces:u", 0, 6, "did you mean 'cycles'?");
	assert_bad(SYSFS, "intsructions", 0, 12, "did you mean 'instructions'?");
	assert_bad(SYSFS, "L1-dcache-load-mises", 0, 20, "did you mean 'L1-dcache-load-misses'?");
	assert_bad(SYSFS, "L1-dcache-lods", 0, 14, "did you mean 'L1-dcache-loads'?");
	assert_bad(SYSFS, "mem_loads", 0, 9, "did you mean 'mem-loads'?");
	assert_bad(SYSFS, "tcs", 0, 3, "did you mean 'tsc'?");
	assert_bad(SYSFS, "frobnicate", 0, 10, "--list-events");
	assert_bad(SYSFS, "x", 0, 1, "--list-events");
	assert_bad(SYSFS, "r12345678901234567", 0, 18, "64 bits");
	assert_bad(SYSFS, "rxyz", 0, 4, "unknown event");
	assert_bad(SYSFS, "1:3", 0, 1, "unknown event");
	assert_bad("/nonexistent", "tsc", 0, 3, "unknown event");
	assert_bad("/nonexistent", "msr/tsc/", 0, 3, "no such PMU");
}

/*
 * Tracepoints are looked up in tracefs, whose place is relative to that of the PMUs. This needs a
 * tree of its own, because the other tests have the PMUs at its root.
 */
static void tracepoints(void **state)
{
	char root[] = "/tmp/bprof-test-tracefs-XXXXXX", sysfs[PATH_MAX];
	struct event_list list;

	fake_sysfs__make(root, "no file");
	snprintf(sysfs, sizeof(sysfs), "%s/bus/event_source/devices", root);
	fake_sysfs__write(root, "bus/event_source/devices/software/type", "1\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/sched/sched_switch/id", "316\n", 4);
	fake_sysfs__write(root, "kernel/tracing/events/xdp/go/id", "7\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/xdp/last/id", "4294967295\n", 11);
	fake_sysfs__write(root, "kernel/tracing/events/bad/sched_bad/id", "-1\n", 3);
	fake_sysfs__write(root, "kernel/tracing/events/bad/big_id/id", "4294967296\n", 11);
	fake_sysfs__write(root, "kernel/tracing/events/sched/.hidden_one/id", "8\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/.sched/hidden_two/id", "9\n", 2);
	fake_sysfs__write(root, "kernel/tracing/outside/id", "9\n", 2);
	assert_event(sysfs, "sched:sched_switch", "sched:sched_switch", PERF_TYPE_TRACEPOINT, 316);
	assert_event(sysfs, "xdp:go", "xdp:go", PERF_TYPE_TRACEPOINT, 7);
	assert_event(sysfs, "xdp:last", "xdp:last", PERF_TYPE_TRACEPOINT, 4294967295);
	list = parse(sysfs, "cs,{sched:sched_switch:u,xdp:go}:k");
	assert_int_equal(list.cnt, 3);
	assert_string_equal(list.v[1].name, "sched:sched_switch:uk");
	assert_string_equal(list.v[1].base, "sched:sched_switch");
	assert_true(list.v[1].exclude_hv && !list.v[1].exclude_user && !list.v[1].exclude_kernel);
	assert_string_equal(list.v[2].name, "xdp:go:k");
	assert_true(list.v[2].exclude_user);
	event_list__free(&list);
	assert_bad(sysfs, "cs,sched:sched_swich", 3, 17, "did you mean 'sched:sched_switch'?");
	assert_bad(sysfs, "sched:sched_switch:z", 19, 1, "modifier");
	assert_bad(sysfs, "sched:sched_*", 0, 13, "not a pattern");
	assert_bad(sysfs, "sched:sched_switc?", 0, 18, "not a pattern");
	assert_bad(sysfs, "sched:.hidden_one", 0, 17, "no such tracepoint");
	assert_bad(sysfs, ".sched:hidden_two", 0, 17, "no such tracepoint");
	assert_bad(sysfs, "..:outside", 0, 10, "no such tracepoint");
	assert_bad(sysfs, "bad:sched_bad", 0, 13, "no such tracepoint");
	assert_bad(sysfs, "bad:big_id", 0, 10, "no such tracepoint");
	assert_bad(sysfs, "..:tracing", 0, 10, "no such tracepoint");
	assert_bad(sysfs, "xdp:g", 0, 3, "unknown event");
	/*
	 * after the colon, up to four letters may be modifiers; all else is a name of a tracepoint
	 */
	assert_bad(sysfs, "xdp:gone", 0, 3, "unknown event");
	assert_bad(sysfs, "xdp:goner", 0, 9, "no such tracepoint");
	assert_bad(sysfs, "xdp:3go", 0, 7, "no such tracepoint");
	assert_bad(SYSFS, "cycles,kmem:kfree", 7, 10, "mount -t tracefs");
	assert_int_equal(fake_sysfs__remove(root), 0);
}

static void what_cannot_be_counted(void **state)
{
	assert_bad(SYSFS, "mem:0x1000:rw", 0, 13, "bprof cannot count breakpoints");
	assert_bad(SYSFS, "breakpoint/config=1/", 0, 10, "breakpoints");
	assert_bad(SYSFS, "tracepoint/config=1/", 0, 10, "sched:sched_switch");
	assert_bad(SYSFS, "uprobe/retprobe/", 0, 6, "uprobes");
	assert_bad(SYSFS, "duration_time", 0, 13, "'time'");
	assert_bad(SYSFS, "bpf-output", 0, 10, "counts nothing");
	assert_bad(SYSFS, "power/occupancy/", 6, 9, "momentary value");
}

static void bad_terms(void **state)
{
	assert_bad(SYSFS, "cpu/event=0x100/", 4, 11, "config:0-7 (at most 0xff)");
	assert_bad(SYSFS, "cpu/edge=2/", 4, 6, "config:18 (at most 0x1)");
	assert_bad(SYSFS, "uncore_imc_0/event=0x1000/", 13, 12, "config:0-7,32-35 (at most 0xfff)");
	assert_bad(SYSFS, "cpu/event=1,foo=2/", 12, 3,
		   "formats: all, edge, event, ldlat, third, umask");
	assert_bad(SYSFS, "cpu/event=1,umsak=2/", 12, 5, "did you mean 'umask'?");
	assert_bad(SYSFS, "msr/tcs/", 4, 3, "did you mean 'tsc'?");
	assert_bad(SYSFS, "msr/tcs/", 4, 3, "no such format or event; its formats");
	assert_bad(SYSFS, "msr/tcs=1/", 4, 3, "no such format; its formats");
	assert_bad(SYSFS, "cpu/event=/", 4, 6, "must be a number");
	assert_bad(SYSFS, "cpu/event=-1/", 4, 8, "must be a number");
	assert_bad(SYSFS, "cpu/event=+1/", 4, 8, "must be a number");
	assert_bad(SYSFS, "cpu/event=0x/", 4, 8, "must be a number");
	assert_bad(SYSFS, "cpu/event=3c/", 4, 8, "must be a number");
	assert_bad(SYSFS, "cpu/event=1a/", 4, 8, "must be a number");
	assert_bad(SYSFS, "cpu/event=1x5/", 4, 9, "must be a number");
	assert_bad(SYSFS, "cpu/config=0x10000000000000000/", 4, 26, "64 bits");
	assert_bad(SYSFS, "cpu/config=18446744073709551616/", 4, 27, "64 bits");
	assert_bad(SYSFS, "cpu/config/", 4, 6, "must be a number");
	assert_bad(SYSFS, "cpu/event=1,/", 12, 1, "missing");
	assert_bad(SYSFS, "cpu/,event=1/", 4, 1, "missing");
	assert_bad(SYSFS, "cpu/=1/", 4, 2, "no such format");
	assert_bad(SYSFS, "cpu/period=1000/", 4, 11, "sampling");
	assert_bad(SYSFS, "cpu/aux-output/", 4, 10, "sampling");
	assert_bad(SYSFS, "cpu/ratio-to-prev=1/", 4, 15, "sampling");
	assert_bad(SYSFS, "uncore_imc_0/nest/", 13, 4, "needs a value for 'chip'");
	assert_bad(SYSFS, "uncore_imc_0/nest,chop=1,mixed=1,chip/", 13, 4,
		   "needs a value for 'chip'");
	assert_bad(SYSFS, "uncore_imc/event=1/", 0, 10, "there are uncore_imc_0, uncore_imc_1");
	assert_bad(SYSFS, "mrs/tsc/", 0, 3, "did you mean 'msr'?");
	assert_bad(SYSFS, "armv8_a5/event=1/", 0, 8, "did you mean 'armv8_a53'?");
	/*
	 * neither a part of the name of an uncore PMU nor another name of this length is accepted
	 */
	assert_bad(SYSFS, "uncore_im/event=1/", 0, 9, "no such PMU");
	assert_bad(SYSFS, "uncore_abc/event=1/", 0, 10, "no such PMU");
}

/* A format that sysfs describes wrongly sets no bits. */
static void formats(void **state)
{
	static const struct {
		const char *text;
		int word;
		__u64 mask; /* 0: refused */
	} rows[] = {
		{"config:0-7,32", 0, 0x1000000ff},
		{"config2:3", 2, 8},
		{"config:0-63", 0, ~0ULL},
		{"config1:63", 1, 1ULL << 63},
		{"config:64", 0, 0},
		{"config:0-64", 0, 0},
		{"config:7-0", 0, 0},
		{"config:0-7x", 0, 0},
		{"config:0-7,", 0, 0},
		{"config:0-7,7", 0, 0},
		{"config", 0, 0},
		{"confi:1", 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int word, err;
		__u64 mask;

		err = pmu_format__parse(rows[i].text, &word, &mask);
		assert_int_equal(err, rows[i].mask ? 0 : -EINVAL);
		assert_true(mask == rows[i].mask);
		assert_true(err || word == rows[i].word);
	}
}

/* No value but 0 fits into a format without bits. */
static void no_bits(void **state)
{
	const struct pmu_format f = {.name = "none"};
	__u64 config[PMU_CONFIG_CNT] = {7};

	assert_int_equal(pmu_format__max(&f), 0);
	assert_int_equal(pmu_format__set(&f, 0, config), 0);
	assert_int_equal(pmu_format__set(&f, 1, config), -ERANGE);
	assert_int_equal(config[0], 7);
}

static void hostile_sysfs(void **state)
{
	static const char *const formats[] = {"huge", "back", "twice",	"later",
					      "tail", "sign", "binary", "empty"};
	char spec[64];

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(spec, sizeof(spec), "hostile/%s/", formats[i]);
		assert_bad(SYSFS, spec, 8, strlen(formats[i]), "is invalid");
	}
	assert_event(SYSFS, "hostile/good=0xff/", "hostile/good=0xff/", 30, 0xff);
	assert_bad(SYSFS, "hostile/no_format/", 8, 9, "no format for");
	assert_bad(SYSFS, "hostile/too_big/", 8, 7, "does not fit");
	assert_bad(SYSFS, "hostile/overflow/", 8, 8, "64 bits");
	assert_bad(SYSFS, "hostile/garbage/", 8, 7, "no format for");
	assert_bad(SYSFS, "hostile/empty,good/", 8, 5, "is invalid");
	assert_bad(SYSFS, "type_huge/config=1/", 0, 9, "not a number");
	assert_bad(SYSFS, "type_wide/config=1/", 0, 9, "not a number");
	assert_bad(SYSFS, "type_word/config=1/", 0, 9, "'nine', not a number");
	assert_bad(SYSFS, "type_negative/config=1/", 0, 13, "not a number");
	assert_bad(SYSFS, "type_none/config=1/", 0, 9, "no type");
	assert_bad(SYSFS, "cpus_bad/config=1/", 0, 8, "not a list of CPUs");
	assert_bad(SYSFS, "lonely", 0, 6, "not a list of CPUs");
	assert_bad(SYSFS, "power/bent/", 6, 4, "'1.5x', not a positive number");
	assert_bad(SYSFS, "power/endless/", 6, 7, "not a positive number");
	assert_bad(SYSFS, "power/nil/", 6, 3, "not a positive number");
}

static void fills_attr(void **state)
{
	struct event_list list =
		parse(SYSFS, "cpu/mem-loads,config2=7/kppDe,cycles:uGI,cpu/third=1/");
	struct perf_event_attr attr, expected;

	memset(&attr, 0xff, sizeof(attr));
	memset(&expected, 0, sizeof(expected));
	expected.size = sizeof(expected);
	expected.type = 4;
	expected.config = 0x1cd;
	expected.config1 = 3;
	expected.config2 = 7;
	expected.exclude_user = 1;
	expected.exclude_hv = 1;
	expected.precise_ip = 2;
	expected.pinned = 1;
	expected.exclusive = 1;
	assert_int_equal(event__to_attr(&list.v[0], &attr), 0);
	assert_memory_equal(&attr, &expected, sizeof(attr));

	memset(&expected, 0, sizeof(expected));
	expected.size = sizeof(expected);
	expected.exclude_kernel = 1;
	expected.exclude_hv = 1;
	expected.exclude_host = 1;
	expected.exclude_idle = 1;
	assert_int_equal(event__to_attr(&list.v[1], &attr), 0);
	assert_memory_equal(&attr, &expected, sizeof(attr));
#ifdef PERF_ATTR_SIZE_VER8
	assert_int_equal(event__to_attr(&list.v[2], &attr), 0);
	assert_int_equal(attr.config3, 1);
#else
	assert_int_equal(event__to_attr(&list.v[2], &attr), -EOPNOTSUPP);
#endif
	event_list__free(&list);
}

/* An event that another process has opened gets its name from its attributes. */
static void test_name_of(void **state)
{
	char buf[64];

	assert_string_equal(event_name__of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, buf, 64),
			    "cycles");
	assert_string_equal(event_name__of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, buf, 64),
			    "cpu-clock");
	assert_string_equal(event_name__of(PERF_TYPE_HW_CACHE, 0x10003, buf, 64),
			    "dTLB-load-misses");
	assert_string_equal(event_name__of(PERF_TYPE_RAW, 0x1a2, buf, 64), "r1a2");
	assert_null(event_name__of(PERF_TYPE_HARDWARE, 99, buf, 64));
	assert_null(event_name__of(PERF_TYPE_HW_CACHE, 0x1010003, buf, 64));
	assert_null(event_name__of(PERF_TYPE_HW_CACHE, 0xff, buf, 64));
	assert_null(event_name__of(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_MAX, buf, 64));
	assert_null(event_name__of(PERF_TYPE_HW_CACHE, 0x300, buf, 64));
	assert_null(event_name__of(PERF_TYPE_HW_CACHE, 0x20000, buf, 64));
	assert_null(event_name__of(PERF_TYPE_TRACEPOINT, 5, buf, 64));
	assert_null(event_name__of(10, 0x11, buf, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_of),
		cmocka_unit_test(generic_names),
		cmocka_unit_test(cache_names),
		cmocka_unit_test(time_is_no_perf_event),
		cmocka_unit_test(units_and_scales),
		cmocka_unit_test(pmu_terms),
		cmocka_unit_test(other_config_words),
		cmocka_unit_test(names_given),
		cmocka_unit_test(cpus_of_pmus),
		cmocka_unit_test(bare_pmu_events),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(bad_modifiers),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(tracepoints),
		cmocka_unit_test(what_cannot_be_counted),
		cmocka_unit_test(bad_terms),
		cmocka_unit_test(formats),
		cmocka_unit_test(no_bits),
		cmocka_unit_test(hostile_sysfs),
		cmocka_unit_test(fills_attr),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
