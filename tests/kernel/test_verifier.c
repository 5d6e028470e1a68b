// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The verifier of every kernel takes every probe, also those that this machine has no use for: with
 * no PMU there are no multiplexed events, and few sessions have sixteen.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "ktest.h"
#include "probe.h"
#include "trace.h"

/* After the types of its variables. */
#include "probe.skel.h"

/* With all conditions and all that a record may have, or with none of it. */
static struct bprof_trace_config trace_config(bool all)
{
	struct bprof_trace_config c = {.limit = 1000};

	if (!all)
		return c;
	c.slots = ~0U;
	c.retvals = 1;
	c.every = 100;
	c.stack_sz = BPROF_TRACE_STACK_SZ;
	c.snap = BPROF_TRACE_SNAP_MAX;
	c.at.xdp_flags = 64;
	return c;
}

/* Of all probes, what may make a difference to the verifier. */
static void load_probes(struct target t, __u32 flags, bool trace)
{
	const size_t area = sizeof(struct bprof_trace_cpu) +
			    (trace ? BPROF_TRACE_STACK_SZ + BPROF_TRACE_SNAP_MAX : 0);
	size_t hists = (flags & BPROF_CONFIG_HIST ? BPROF_SLOTS : 0) * BPROF_HIST_BUCKETS;
	struct probe_bpf *skel = probe_bpf__open();
	struct bpf_program *prog;
	char *log = calloc(1, 1 << 20);
	int err;

	assert_non_null(skel);
	assert_non_null(log);
	skel->rodata->bprof_config = BPROF_MAX_EVENTS | flags;
	skel->rodata->bprof_trace = trace_config(trace);
	err = bpf_map__set_max_entries(skel->maps.bprof_events, BPROF_MAX_EVENTS)
		      ?: bpf_map__set_value_size(skel->maps.bprof_stats,
						 sizeof(struct bprof_cpu_stat) +
							 sizeof(__u64) * hists + area);
	assert_int_equal(err, 0);
	bpf_object__for_each_program (prog, skel->obj) {
		/* Those that are compiled for distributions (probe.bpf.c, DEFINE_USUAL_PAIR). */
		if (strstr(bpf_program__name(prog), "_u") && !(flags & BPROF_CONFIG_HIST))
			bpf_program__set_autoload(prog, false);
		bpf_program__set_attach_target(prog, t.fd, "xdp_pass");
		bpf_program__set_log_buf(prog, log, 1 << 20);
	}
	err = probe_bpf__load(skel);
	probe_bpf__destroy(skel);
	if (err)
		fail_test("flags %#x: error %d: %.4000s", flags, err,
			  log + (strlen(log) > 4000 ? strlen(log) - 4000 : 0));
	free(log);
}

static void test_probes(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	load_probes(t, 0, false);
	load_probes(t, BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST, true);
	load_probes(t,
		    BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST | BPROF_CONFIG_SAMPLE |
			    BPROF_CONFIG_BIG_STACK,
		    false);
}

int run_verifier(void)
{
	const struct CMUnitTest tests[] = {
		KTEST(test_probes),
	};

	return cmocka_run_group_tests_name("verifier", tests, NULL, NULL);
}
