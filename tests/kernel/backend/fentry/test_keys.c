// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --by with keys other than return values. Each device, queue, cgroup and task has its own
 * count and its own cost, which are as exact as without the option. The rows add up to all runs.
 * The group "keys" needs the deterministic VM (one vCPU, -icount), the group "keys_cpus" several
 * CPUs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"
#include "tests/progs/keys.h"

#define REPORT "/tmp/keys.json"
#define CGROUPS "/sys/fs/cgroup/keys"

static json_t *find_key(json_t *report, __u32 id, const char *func, const char *name)
{
	json_t *rows = json_object_get(report, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		const char *key = json_string_value(json_object_get(row, "key_name"))
					  ?: json_string_value(json_object_get(row, "key_rest"));

		if (num(row, "id") == id && (!func || !strcmp(str(row, "func"), func)) && key &&
		    !strcmp(key, name))
			return row;
	}
	return NULL;
}

static json_t *row_of_key(const struct run *r, const struct target *t, const char *name)
{
	json_t *row = find_key(r->json, t->id, NULL, name);

	if (!row)
		fail_test("no row for %s: %s%s", name, r->out, r->err);
	return row;
}

static size_t count_rows(const struct run *r)
{
	return json_array_size(json_object_get(r->json, "programs"));
}

static json_int_t min_of(json_t *row)
{
	return num(event_of(row, exact_event()), "per_run.min");
}

/*
 * Checks that the row has this number of runs, and that each run had this cost, unless it was
 * interrupted.
 */
static void assert_key(const struct run *r, const struct target *t, const char *name,
		       json_int_t runs, json_int_t cost)
{
	json_t *row = row_of_key(r, t, name), *ev = event_of(row, exact_event());

	if (num(row, "runs") != runs || num(row, "measured") != runs ||
	    num(ev, "per_run.min") != cost || num(ev, "per_run.p50") != cost)
		fail_test("%s: not %lld runs of %lld: %s", name, (long long)runs, (long long)cost,
			  r->out);
}

/* Sets the key whose runs cost KEYS_INSNS more. */
static void set_more(const struct target *t, __u64 key)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, ".bss");

	assert_int_equal(bpf_map_update_elem(fd, &(__u32){0}, &key, BPF_ANY), 0);
}

/* Returns the cost of a run, measured without --by. */
static json_int_t measure_cost(struct fixture *f, const struct target *t, const char *load)
{
	struct run *r = bprof(f, "-j -b %u -e %s -- %s", t->id, exact_event(), load);

	assert_status(r, 0);
	return min_of(row_of(r, t->id));
}

static struct target load_attached(struct fixture *f, const char *prog)
{
	struct target t = load_target(f, "keys", prog);

	if (!try_attach(f, t))
		fail_test("%s: %s", prog, strerror(errno));
	return t;
}

/* Checks how many runs bprof trace has recorded with a key. */
static void assert_traced(const struct run *r, const char *name, int runs)
{
	char text[64];
	int cnt = 0;

	assert_status(r, 0);
	snprintf(text, sizeof(text), "\"key_name\":\"%s\"", name);
	for (const char *s = r->out; (s = strstr(s, text)); s++)
		cnt++;
	if (cnt != runs)
		fail_test("%d records of %s, not %d: %.2000s", cnt, name, runs, r->out);
}

/* ---- devices and queues ---- */

static struct target load_on_devices(struct fixture *f, const char *prog)
{
	static const char *const names[] = {"kt1", "kt3"};
	struct target t = load_target(f, "keys", prog);

	for (int i = 0; i < 2; i++) {
		struct bpf_link *link = bpf_program__attach_xdp(t.prog, if_nametoindex(names[i]));

		if (!link)
			fail_test("%s: %s", names[i], strerror(errno));
		keep_link(f, link);
	}
	return t;
}

static void test_devices(void **state)
{
	static const char load[] = "sh -c 'drive send kt0 30 && drive send kt2 50'";
	struct fixture *f = *state;
	struct target t = load_on_devices(f, "xdp_device");
	json_int_t cost;
	struct run *r;

	set_more(&t, ~0ULL);
	cost = measure_cost(f, &t, load);
	set_more(&t, if_nametoindex("kt3"));
	r = bprof(f, "-j --by ifindex -b %u -e %s -- %s", t.id, exact_event(), load);
	assert_status(r, 0);
	assert_string_equal(str(r->json, "by"), "ifindex");
	assert_int_equal(count_rows(r), 2);
	assert_key(r, &t, "kt1", 30, cost);
	assert_key(r, &t, "kt3", 50, cost + KEYS_INSNS);
	assert_int_equal(num(row_of_key(r, &t, "kt3"), "key_value"), if_nametoindex("kt3"));
	r = bprof(f, "--by ifindex -b %u -e %s -- %s", t.id, exact_event(), load);
	assert_contains(r->out, "DEVICE");
	assert_contains(r->out, "kt3");
	r = bprof(f, "trace -j --every 1 --by ifindex -b %u -e time -- %s", t.id, load);
	assert_traced(r, "kt1", 30);
	assert_traced(r, "kt3", 50);
	r = bprof(f, "trace -x ';' --every 10 --by queue -b %u -e time -- %s", t.id, load);
	assert_status(r, 0);
	assert_contains(r->out, ";0;64;every\n");
}

/* Runs the program on a packet of this queue of kt1. */
static void run_on_queue(const struct target *t, __u32 queue, int runs)
{
	struct xdp_md ctx = {
		.data_end = 64, .ingress_ifindex = if_nametoindex("kt1"), .rx_queue_index = queue};
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = runs);

	if (bpf_prog_test_run_opts(t->fd, &opts))
		fail_test("queue %u: %s", queue, strerror(errno));
}

static void test_queues(void **state)
{
	struct fixture *f = *state;
	struct target t = load_on_devices(f, "xdp_queue");
	struct child *c;
	struct run *r;
	json_int_t cost;

	set_more(&t, 1);
	c = bprof_start(
		f, "-j -o " REPORT " --by queue -b %u -e %s -- sh -c 'echo ready; exec sleep 1000'",
		t.id, exact_event());
	assert_string_equal(child_line(c), "ready");
	run_on_queue(&t, 0, 40);
	run_on_queue(&t, 1, 60);
	child_signal(c, SIGINT);
	child_wait(f, c);
	r = command(f, "cat " REPORT);
	assert_int_equal(count_rows(r), 2);
	cost = min_of(row_of_key(r, &t, "0"));
	assert_key(r, &t, "0", 40, cost);
	assert_key(r, &t, "1", 60, cost + KEYS_INSNS);
}

/*
 * An skb that does not come from tc may have a device or none. Runs without a device have a row of
 * their own.
 */
static void test_no_device(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "keys", "filter");
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int local[2], udp[2] = {socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0)};
	socklen_t sz = sizeof(to);
	json_int_t cost;
	struct run *r;

	assert_int_equal(netdev__set_up("lo"), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, local), 0);
	for (int i = 0; i < 2; i++) {
		f->fd[f->fd_cnt++] = local[i];
		f->fd[f->fd_cnt++] = udp[i];
	}
	assert_int_equal(bind(udp[1], (struct sockaddr *)&to, sz), 0);
	assert_int_equal(getsockname(udp[1], (struct sockaddr *)&to, &sz), 0);
	assert_int_equal(connect(udp[0], (struct sockaddr *)&to, sz), 0);
	assert_int_equal(setsockopt(local[1], SOL_SOCKET, SO_ATTACH_BPF, &t.fd, sizeof(t.fd)), 0);
	assert_int_equal(setsockopt(udp[1], SOL_SOCKET, SO_ATTACH_BPF, &t.fd, sizeof(t.fd)), 0);
	set_more(&t, if_nametoindex("lo"));
	r = bprof(f,
		  "-j --by ifindex -b %u -e %s -- sh -c 'drive packets 7 %d && drive packets 9 %d'",
		  t.id, exact_event(), local[0], udp[0]);
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	cost = min_of(row_of_key(r, &t, "none"));
	assert_key(r, &t, "none", 7, cost);
	assert_null(json_object_get(row_of_key(r, &t, "none"), "key_value"));
	/* one instruction more, which loads the device's index */
	assert_key(r, &t, "lo", 9, cost + KEYS_INSNS + 1);
	r = bprof(f,
		  "trace -j --every 1 --by ifindex -b %u -e time -- sh -c 'drive packets 7 %d && "
		  "drive packets 9 %d'",
		  t.id, local[0], udp[0]);
	assert_traced(r, "none", 7);
	assert_traced(r, "lo", 9);
}

/* Opens two connected sockets; the second one has the filter. */
static void open_udp(struct fixture *f, const struct target *filter, int udp[2])
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t sz = sizeof(to);

	assert_int_equal(netdev__set_up("lo"), 0);
	for (int i = 0; i < 2; i++) {
		udp[i] = socket(AF_INET, SOCK_DGRAM, 0);
		assert_true(udp[i] >= 0);
		f->fd[f->fd_cnt++] = udp[i];
	}
	assert_int_equal(bind(udp[1], (struct sockaddr *)&to, sz), 0);
	assert_int_equal(getsockname(udp[1], (struct sockaddr *)&to, &sz), 0);
	assert_int_equal(connect(udp[0], (struct sockaddr *)&to, sz), 0);
	assert_int_equal(
		setsockopt(udp[1], SOL_SOCKET, SO_ATTACH_BPF, &filter->fd, sizeof(filter->fd)), 0);
}

/* Each network namespace has a device "lo" with the same index. They have separate rows. */
static void test_namespaces(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "keys", "filter");
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), here[2], there[2];
	char name[64];
	struct stat st;
	struct run *r;

	assert_true(own >= 0);
	open_udp(f, &t, here);
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	assert_int_equal(stat("/proc/thread-self/ns/net", &st), 0);
	open_udp(f, &t, there);
	assert_int_equal(setns(own, CLONE_NEWNET), 0);
	close(own);
	r = bprof(f,
		  "-j --by ifindex -b %u -e %s -- sh -c 'drive packets 9 %d && drive packets 7 %d'",
		  t.id, exact_event(), here[0], there[0]);
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	snprintf(name, sizeof(name), "%u@net:[%lu]", if_nametoindex("lo"), (long)st.st_ino);
	assert_key(r, &t, "lo", 9, min_of(row_of_key(r, &t, "lo")));
	assert_key(r, &t, name, 7, min_of(row_of_key(r, &t, "lo")));
	assert_int_equal(num(row_of_key(r, &t, name), "key_value"), if_nametoindex("lo"));
	r = bprof(f,
		  "trace -j --every 1 --by ifindex -b %u -e time -- sh -c 'drive packets 9 %d && "
		  "drive packets 7 %d'",
		  t.id, here[0], there[0]);
	assert_traced(r, "lo", 9);
	assert_traced(r, name, 7);
}

/* ---- cgroups ---- */

/* Makes the cgroups a, b and c, and returns the id of b. */
static __u64 make_cgroups(void)
{
	static const char *const names[] = {"", "/a", "/b", "/c"};
	struct stat st = {};
	char path[64];

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), CGROUPS "%s", names[i]);
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
	}
	assert_int_equal(stat(CGROUPS "/b", &st), 0);
	return st.st_ino;
}

#define IN_CGROUPS(command)                                            \
	"sh -c 'for g in a:20 b:30 c:40; do sh -c \"echo 0 > " CGROUPS \
	"/${g%%%%:*}/cgroup.procs; exec " command " ${g#*:}\"; done'"

#define TRACED_IN_CGROUPS(command)                                     \
	"sh -c 'for g in a:20 b:30 c:40; do sh -c \"echo 0 > " CGROUPS \
	"/${g%%:*}/cgroup.procs; exec " command " ${g#*:}\"; done'"

static void assert_cgroups(const struct run *r, const struct target *t, const char *func)
{
	static const char *const names[] = {"/keys/a", "/keys/b", "/keys/c"};
	json_int_t cost = 0;

	for (int i = 0; i < 3; i++) {
		json_t *row = find_key(r->json, t->id, func, names[i]);

		if (!row)
			fail_test("no row for %s: %s", names[i], r->out);
		cost = i ? cost : min_of(row);
		if (num(row, "runs") != 20 + 10 * i || num(row, "measured") != 20 + 10 * i ||
		    min_of(row) != cost + (i == 1 ? KEYS_INSNS : 0))
			fail_test("%s: %s", names[i], r->out);
	}
}

/* Each record of bprof trace has its cgroup. */
static void assert_traced_cgroups(struct fixture *f, const struct target *t, const char *command)
{
	struct run *r =
		bprof(f, "trace -j --every 1 --by cgroup -b %u -e time -- %s", t->id, command);

	assert_traced(r, "/keys/a", 20);
	assert_traced(r, "/keys/b", 30);
	assert_traced(r, "/keys/c", 40);
}

static void test_task_cgroups(void **state)
{
	struct fixture *f = *state;
	__u64 id = make_cgroups();
	struct target t = load_attached(f, "tp_cgroup");
	struct run *r;

	set_more(&t, id);
	r = bprof(f, "-j --by cgroup -b %u -e %s -- " IN_CGROUPS("drive getsid"), t.id,
		  exact_event());
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 3);
	assert_cgroups(r, &t, "tp_cgroup");
	/* In a call tree, the caller's counts do not contain the cost of a function's probe. */
	r = bprof(f, "-j --by cgroup -b %u --func '*' -e %s -- " IN_CGROUPS("drive getsid"), t.id,
		  exact_event());
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 6);
	assert_cgroups(r, &t, "tp_cgroup");
	assert_cgroups(r, &t, "inner");
	assert_traced_cgroups(f, &t, TRACED_IN_CGROUPS("drive getsid"));
}

/* The key is the cgroup of the socket, whichever task sends the packet. */
static void test_socket_cgroups(void **state)
{
	struct fixture *f = *state;
	__u64 id = make_cgroups();
	struct target t = load_target(f, "keys", "skb_cgroup");
	int root = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	struct bpf_link *link = bpf_program__attach_cgroup(t.prog, root);
	struct run *r;

	close(root);
	assert_non_null(link);
	keep_link(f, link);
	assert_int_equal(netdev__set_up("lo"), 0);
	set_more(&t, id);
	r = bprof(f, "-j --by cgroup -b %u -e %s -- " IN_CGROUPS("drive packets"), t.id,
		  exact_event());
	assert_status(r, 0);
	assert_int_equal(count_rows(r), 3);
	assert_cgroups(r, &t, "skb_cgroup");
	assert_traced_cgroups(f, &t, TRACED_IN_CGROUPS("drive packets"));
}

/* ---- tasks ---- */

static void test_pids(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	json_int_t cost = measure_cost(f, &t, "drive getsid 30"), runs = 0;
	struct run *r = bprof(f,
			      "-j --by pid -b %u -e %s -- sh -c 'drive getsid 30 & drive getsid "
			      "50 & wait'",
			      t.id, exact_event());
	json_t *rows = json_object_get(r->json, "programs"), *row;
	char name[64];

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		snprintf(name, sizeof(name), "drive[%lld]", num(row, "key_value"));
		assert_key(r, &t, name, i ? 30 : 50, cost);
		runs += num(row, "runs");
	}
	assert_int_equal(runs, 80);
	r = bprof(f, "trace -j --every 1 --by pid -b %u -e time -- sh -c 'drive getsid 30'", t.id);
	assert_status(r, 0);
	row = json_loads(r->out, JSON_DISABLE_EOF_CHECK, NULL);
	snprintf(name, sizeof(name), "drive[%lld]", num(row, "pid"));
	assert_int_equal(num(row, "key_value"), num(row, "pid"));
	assert_traced(r, name, 30);
}

/* Processes with the same name have one row. */
static void test_names(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	json_int_t cost = measure_cost(f, &t, "drive getsid 30");
	struct run *r = bprof(f,
			      "-j --by comm -b %u -e %s -- sh -c 'd=$(command -v drive); "
			      "ln -sf $d /tmp/first_alpha; ln -sf $d /tmp/first_beta; "
			      "/tmp/first_alpha getsid 30; /tmp/first_beta getsid 50; "
			      "/tmp/first_alpha getsid 7'",
			      t.id, exact_event());

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	assert_key(r, &t, "first_alpha", 37, cost);
	assert_key(r, &t, "first_beta", 50, cost);
	assert_null(json_object_get(row_of_key(r, &t, "first_beta"), "key_value"));
}

/* The probe keeps names apart that have the same first letters: none of them is only in "other". */
static void test_similar_names(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	struct run *r = bprof(f,
			      "-j --by comm -b %u -e %s -- sh -c 'd=$(command -v drive); "
			      "for n in 0 1 2 3 4 5 6 7 8 9; do ln -sf $d /tmp/task_$n; "
			      "/tmp/task_$n getsid 10; done'",
			      t.id, exact_event());

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 9);
	assert_int_equal(num(row_of_key(r, &t, "other"), "runs"), 20);
	if (strstr(r->out, "keeps apart"))
		fail_test("similar names share parts: %s", r->out);
}

/*
 * The processes that cost most have rows, although they ran last. The other processes are in one
 * row. A timer interrupt in a run makes its process more expensive, so the rows need not be in the
 * order of runs.
 */
static void test_most_expensive(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	struct run *r = bprof(f,
			      "-j --by pid -b %u -e %s -- sh -c 'for n in 1 2 3 4 5 6 7 8 9 10 11 "
			      "12; do drive getsid ${n}0; done'",
			      t.id, exact_event());
	json_t *rows = json_object_get(r->json, "programs");
	json_int_t last = INT64_MAX, runs = 0;
	bool seen[13] = {};

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 9);
	for (int i = 0; i < 8; i++) {
		json_t *row = json_array_get(rows, i);
		json_int_t total = num(event_of(row, exact_event()), "total");

		if (total > last)
			fail_test("row %d costs more than the one before: %s", i, r->out);
		last = total;
		runs += num(row, "runs");
		seen[num(row, "runs") / 10] = true;
	}
	for (int n = 9; n <= 12; n++)
		assert_true(seen[n]);
	assert_int_equal(num(row_of_key(r, &t, "other"), "runs"), 780 - runs);
	if (strstr(r->out, "keeps apart"))
		fail_test("nothing is unknown: %s", r->out);
}

/*
 * With -r, other names may cost most in each repeat. The report has the means of all repeats in which a name
 * ran, not only of those in which it was expensive.
 */
static void test_repeats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	struct run *r;
	json_t *row;

	unlink("/tmp/again");
	r = bprof(f,
		  "-j -r 2 --by comm -b %u -e %s -- sh -c 'd=$(command -v drive); many=$(cat "
		  "/tmp/again 2>/dev/null); for n in 0 1 2 3 4 5 6 7 8; do ln -sf $d /tmp/task_$n; "
		  "/tmp/task_$n getsid 20; done; ln -sf $d /tmp/rare; /tmp/rare getsid ${many:-5}; "
		  "echo 300 >/tmp/again'",
		  t.id, exact_event());
	unlink("/tmp/again");
	assert_status(r, 0);
	row = row_of_key(r, &t, "rare");
	assert_int_equal(num(row, "runs"), 305);
	assert_int_equal(json_array_size(json_object_get(event_of(row, exact_event()), "blocks")),
			 2);
	assert_int_equal(count_rows(r), 10);
}

/*
 * There are more processes than a probe can keep apart. No run is lost, and a note says that a
 * process may be missing.
 */
static void test_too_many(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	struct run *r = bprof(f,
			      "-j --by pid -b %u -e %s -- sh -c 'for a in 1 2 3 4 5 6; do for b in "
			      "1 2 3 4 5 6 7 8 9 10; do drive getsid 10; done; done'",
			      t.id, exact_event());

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 9);
	assert_int_equal(num(row_of_key(r, &t, "other"), "runs"), 600 - 80);
	assert_contains(r->out, "\\\"other\\\" has runs of more values than a probe keeps apart");
}

/*
 * 40 tasks run first, more than a probe has parts for. A task that then costs much gets a part of its own,
 * and a row. If the row lacks the task's first runs, which are in "other", a note says so.
 */
static void test_latecomer(void **state)
{
	struct fixture *f = *state;
	struct target t = load_attached(f, "tp_task");
	struct run *r =
		bprof(f,
		      "-j --by comm -b %u -e %s -- sh -c 'd=$(command -v drive); n=0; "
		      "while [ $n -lt 40 ]; do ln -sf $d /tmp/early_$n; /tmp/early_$n getsid 10; "
		      "n=$((n + 1)); done; ln -sf $d /tmp/late; for n in 1 2 3 4; do "
		      "/tmp/late getsid 1000; sleep 1; done'",
		      t.id, exact_event());
	json_t *late = row_of_key(r, &t, "late"), *row;
	json_int_t measured = 0;

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 9);
	assert_in_range(num(late, "runs"), 1000, 4000);
	assert_int_equal(num(late, "runs") % 1000, 0);
	/* If starting 40 tasks takes long, some of them have already lost their parts when this one begins. */
	assert_true(!strstr(r->out, "late: the first runs are in \\\"other\\\"") ==
		    (num(late, "runs") == 4000));
	for (size_t i = 0; (row = json_array_get(json_object_get(r->json, "programs"), i)); i++) {
		measured += num(row, "measured");
	}
	assert_int_equal(measured, 40 * 10 + 4000);
}

/* ---- refused ---- */

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct target task = load_attached(f, "tp_task");
	struct target tc = load_target(f, "keys", "tc_device");
	struct target xdp = load_target(f, "keys", "xdp_parse");
	struct target opaque = load_target(f, "keys", "xdp_void");
	struct run *r = bprof(f, "-j --by queue -b %u,%u,%u,%u -e %s -- drive testrun %u:20",
			      task.id, tc.id, xdp.id, opaque.id, exact_event(), xdp.id);

	assert_status(r, 0);
	assert_string_equal(skip_reason(r, task.id), "key");
	assert_string_equal(skip_reason(r, tc.id), "key");
	assert_string_equal(skip_reason(r, opaque.id), "key");
	assert_contains(r->err, "--by queue: only xdp programs have a receive queue");
	assert_contains(r->err, "its argument is not declared as struct xdp_md *");
	assert_key(r, &xdp, "0", 20, min_of(row_of_key(r, &xdp, "0")));
	r = bprof(f, "-j --by ifindex -b %u --func '*' -e %s -- drive testrun %u:20", xdp.id,
		  exact_event(), xdp.id);
	assert_status(r, 0);
	assert_contains(r->err, "only the entry function of a program has the packet");
	r = bprof(f, "--by pid -b %u,%u --timeout 1", tc.id, xdp.id);
	assert_status(r, 4);
	assert_contains(r->err, "it runs for packets, in whatever task they interrupt");
	r = command(f, "bprof bench " PROGS_DIR "/keys.bpf.o --by pid");
	assert_status(r, 2);
	r = bprof(f, "trace -j --every 1 --by queue -b %u,%u,%u,%u -e time -- drive testrun %u:20",
		  task.id, tc.id, xdp.id, opaque.id, xdp.id);
	assert_traced(r, "0", 20);
	assert_contains(r->err, "--by queue: only xdp programs have a receive queue");
	assert_contains(r->err, "its argument is not declared as struct xdp_md *");
	r = bprof(f, "trace --every 1 --by pid -b %u,%u --timeout 1", tc.id, xdp.id);
	assert_status(r, 4);
	assert_contains(r->err, "it runs for packets, in whatever task they interrupt");
	r = bprof(f, "trace --every 1 --by cpu -b %u --timeout 1", tc.id);
	assert_status(r, 2);
	assert_contains(r->err, "--by cpu: each record has it, in the column CPU");
}

static int setup_devices(void **state)
{
	return !load_module("veth") || setup(state) || veth__create_queues("kt0", "kt1", 2) ||
			       veth__create("kt2", "kt3")
		       ? -1
		       : 0;
}

static int teardown_devices(void **state)
{
	veth__delete("kt0");
	veth__delete("kt2");
	return teardown(state);
}

static int setup_exact(void **state)
{
	return has_cpus(1) ? 0 : -1;
}

KTEST_GROUP(keys, "--by: a row for each device, queue, cgroup and task", setup_exact,
	    ON(EXACT, FROM(6.1)),
	    KTEST_WITH(setup_devices, teardown_devices, test_devices, ALSO_X86),
	    KTEST_WITH(setup_devices, teardown_devices, test_queues), KTEST(test_no_device),
	    KTEST(test_namespaces, ALSO_X86), KTEST(test_task_cgroups),
	    KTEST(test_socket_cgroups, ALSO_X86), KTEST(test_pids), KTEST(test_names),
	    KTEST(test_similar_names), KTEST(test_most_expensive), KTEST(test_repeats),
	    KTEST(test_too_many), KTEST(test_latecomer), KTEST(test_refused));

/* ---- CPUs ---- */

static void test_cpus(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "keys", "tc_device");
	struct run *r = bprof(f,
			      "-j --by cpu -b %u -e time -- sh -c 'taskset 1 drive testrun %u:30; "
			      "taskset 4 drive testrun %u:50'",
			      t.id, t.id, t.id);

	assert_status(r, 0);
	assert_int_equal(count_rows(r), 2);
	assert_int_equal(num(row_of_key(r, &t, "0"), "runs"), 30);
	assert_int_equal(num(row_of_key(r, &t, "2"), "runs"), 50);
	assert_int_equal(num(row_of_key(r, &t, "2"), "key_value"), 2);
}

KTEST_GROUP(keys_cpus, "--by cpu: a row for each CPU", NULL, ON(SMP4), KTEST(test_cpus));
