// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests live traffic: XDP programs are attached to one end of veth pairs, and bprof counts their
 * runs while packets arrive from the other end.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <net/if.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"

static const char *const tx[] = {"kt0", "kt2"}, *const rx[] = {"kt1", "kt3"};

static int setup_veth(void **state)
{
	if (!load_module("veth") || setup(state))
		return -1;
	for (int i = 0; i < 2; i++)
		if (veth__create(tx[i], rx[i]))
			return -1;
	return 0;
}

static int teardown_veth(void **state)
{
	for (int i = 0; i < 2; i++)
		veth__delete(tx[i]);
	return teardown(state);
}

static struct target attach_xdp(struct fixture *f, const char *file, const char *prog,
				const char *device)
{
	struct target t = load_target(f, file, prog);
	struct bpf_link *link = bpf_program__attach_xdp(t.prog, if_nametoindex(device));

	if (!link)
		fail_test("%s: %s", device, strerror(errno));
	keep_link(f, link);
	return t;
}

/* Returns the number of runs that the program itself has counted. */
static __u64 seen(struct target t)
{
	__u32 key = 0;
	__u64 cnt;

	assert_int_equal(
		bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(t.obj, "seen"), &key, &cnt), 0);
	return cnt;
}

static void test_packets(void **state)
{
	struct fixture *f = *state;
	struct target t = attach_xdp(f, "xdp", "xdp_seen", rx[0]);
	struct run *r;

	r = bprof(f, "-j -b %u -e %s,time -- drive send %s 2000", t.id, machine_event(), tx[0]);
	assert_status(r, 0);
	assert_true(seen(t) > 0);
	assert_counted(r, t.id, seen(t));
	if (!strstr(r->err, "packets dropped by the device"))
		assert_int_equal(seen(t), 2000);
}

/* Bursts of packets, one after the other. */
struct flow {
	const char *options;
	int bursts, packets;
	bool in_turns; /* packets come so fast that bprof attaches the probe only some of the time */
};

static const struct flow small = {"", 3, 100}, large = {"--max-overhead 1%", 10, 20000, true};

/*
 * Each interval shows the packets that arrived in it: bprof reports while packets flow, and does
 * not stop them.
 */
static void test_while_they_flow(void **state)
{
	struct fixture *f = *state;
	const struct flow *flow = f->param;
	struct target t = attach_xdp(f, "xdp", "xdp_seen", rx[0]);
	json_int_t sum = 0, measured = 0;
	struct child *c;
	struct run *r;

	c = bprof_start(f, "-j -I 50 -b %u -e time %s", t.id, flow->options);
	sum += sum_of_runs(child_line(c), t.id);
	for (int i = 1; i <= flow->bursts; i++) {
		assert_int_equal(packets__send(tx[0], flow->packets, 0, NULL), 0);
		while (sum < (json_int_t)seen(t)) {
			const char *line = child_line(c);

			sum += sum_of_runs(line, t.id);
			measured += sum_of(line, t.id, "measured");
		}
		assert_int_equal(sum, seen(t));
	}
	child_signal(c, SIGTERM);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), seen(t));
	printf("# %lld packets, %lld measured\n", (long long)sum, (long long)measured);
	if (flow->in_turns)
		assert_true(measured < sum / 2);
	else
		assert_int_equal(measured, sum);
}

static void test_two_devices(void **state)
{
	struct fixture *f = *state;
	struct target fw = attach_xdp(f, "xdp_fw", "xdp_fw", rx[0]);
	struct target lb = attach_xdp(f, "xdp_lb", "xdp_lb", rx[1]);
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e time -- sh -c 'drive send %s 300 && drive send %s 200'", fw.id,
		  lb.id, tx[0], tx[1]);
	assert_status(r, 0);
	if (!strstr(r->err, "packets dropped by the device")) {
		assert_counted(r, fw.id, 300);
		assert_counted(r, lb.id, 200);
	}
}

/* drive makes the devices in its own network namespace, as in the demonstration. */
static void test_drive_run(void **state)
{
	struct fixture *f = *state;
	struct run *r;
	json_t *rows, *row;

	r = command(f, "drive run --veth --obj " PROGS_DIR "/xdp_fw.bpf.o --obj " PROGS_DIR
		       "/xdp_lb.bpf.o -- "
		       "sh -c 'bprof -j -b $PROG_IDS -e time -o - -- drive send $IF_TX 250'");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 2);
	rows = json_object_get(r->json, "programs");
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strstr(r->err, "packets dropped by the device"))
			assert_int_equal(num(row, "runs"), 250);
}

#define VETH_TEST(...) KTEST_WITH(setup_veth, teardown_veth, __VA_ARGS__)
#define VETH_TEST_PARAM(name, fn, ...) KTEST_FULL(name, fn, setup_veth, teardown_veth, __VA_ARGS__)

KTEST_GROUP(traffic, "packets on a veth", NULL, ON(SMP4), VETH_TEST(test_packets),
	    VETH_TEST_PARAM("while_they_flow", test_while_they_flow, &small),
	    VETH_TEST_PARAM("in_turns", test_while_they_flow, &large, LONG),
	    VETH_TEST(test_two_devices), VETH_TEST(test_drive_run));
