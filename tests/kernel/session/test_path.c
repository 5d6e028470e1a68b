// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --per: what all programs on the path of a packet cost per packet, if some packets are
 * dropped between them. The programs count their own runs. In the VM with -icount, costs are the same as
 * without the option, and the total is exactly the sum of the parts.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"
#include "tests/progs/path.h"

#define TX "kt0"
#define RX "kt1"
#define ASIDE "kt2"
#define PACKETS 300
#define SEND "drive send " TX " 300"
#define SAVED "/tmp/path.json"
#define CGROUP "/sys/fs/cgroup/path"
#define DISCARD 9 /* the port to which packet__build() sends */

/* Gives the device the address to which packet__build() sends. */
static void set_address(const char *device)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct ifreq address = {}, mac = {.ifr_hwaddr.sa_family = ARPHRD_ETHER};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	strcpy(address.ifr_name, device);
	strcpy(mac.ifr_name, device);
	memcpy(mac.ifr_hwaddr.sa_data, (const char[]){2, 0, 0, 0, 0, 1}, 6);
	inet_pton(AF_INET, "192.0.2.1", &in.sin_addr);
	memcpy(&address.ifr_addr, &in, sizeof(in));
	assert_int_equal(ioctl(fd, SIOCSIFADDR, &address), 0);
	assert_int_equal(ioctl(fd, SIOCSIFHWADDR, &mac), 0);
	close(fd);
}

static int setup_path(void **state)
{
	static const char *const modules[] = {"veth", "sch_ingress", "cls_bpf"};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!load_module(modules[i]))
			return -1;
	if (setup(state))
		return -1;
	if (veth__create(TX, RX) || veth__create(ASIDE, "kt3"))
		return -1;
	set_address(RX);
	return 0;
}

static int teardown_path(void **state)
{
	int err;

	veth__delete(TX);
	veth__delete(ASIDE);
	err = teardown(state);
	rmdir(CGROUP);
	return err;
}

struct path {
	struct bpf_object *obj;
	struct target xdp, tc, cgroup, filter;
	int seen_fd;
};

static struct path_seen seen(const struct path *p)
{
	struct path_seen s;

	assert_int_equal(bpf_map_lookup_elem(p->seen_fd, &(__u32){0}, &s), 0);
	return s;
}

static struct path load_path(struct fixture *f)
{
	struct path p = {.obj = try_load_object(f, PROGS_DIR "/path.bpf.o")};

	assert_non_null(p.obj);
	p.xdp = program_of(p.obj, "path_xdp");
	p.tc = program_of(p.obj, "path_tc");
	p.cgroup = program_of(p.obj, "path_cgroup");
	p.filter = program_of(p.obj, "path_filter");
	p.seen_fd = bpf_object__find_map_fd_by_name(p.obj, ".bss");
	assert_true(p.seen_fd >= 0);
	return p;
}

static void keep(struct fixture *f, struct bpf_link *link)
{
	if (!link)
		fail_test("cannot attach: %s", strerror(errno));
	keep_link(f, link);
}

/* The qdisc, and so the filter, is removed with the device. */
static void attach_tc(const char *device, enum bpf_tc_attach_point point, int prog_fd)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = if_nametoindex(device), .attach_point = point);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog_fd);
	int err = bpf_tc_hook_create(&hook);

	assert_true(!err || err == -EEXIST);
	assert_int_equal(bpf_tc_attach(&hook, &opts), 0);
}

/* Opens a socket in a cgroup. It receives the packets and has the filter. */
static void attach_socket(struct fixture *f, const struct path *p)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(DISCARD)};
	int cgroup, fd;

	mkdir(CGROUP, 0755);
	cgroup = open(CGROUP, O_RDONLY | O_CLOEXEC);
	assert_true(cgroup >= 0);
	keep(f, bpf_program__attach_cgroup(p->cgroup.prog, cgroup));
	close(cgroup);
	write_file(CGROUP "/cgroup.procs", "0");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	write_file("/sys/fs/cgroup/cgroup.procs", "0");
	assert_true(fd >= 0);
	f->fd[f->fd_cnt++] = fd;
	assert_int_equal(bind(fd, (void *)&in, sizeof(in)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &p->filter.fd, sizeof(int)), 0);
}

static struct path attach_path(struct fixture *f, __u32 xdp_flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = xdp_flags);
	struct path p = load_path(f);
	int fd = bpf_link_create(p.xdp.fd, if_nametoindex(RX), BPF_XDP, &opts);

	if (fd < 0)
		fail_test("xdp: %s", strerror(errno));
	f->fd[f->fd_cnt++] = fd;
	attach_tc(RX, BPF_TC_INGRESS, p.tc.fd);
	attach_socket(f, &p);
	return p;
}

/* Returns the row of a program in the costs per run. */
static json_t *per_row(json_t *doc, __u32 id)
{
	json_t *rows = json_object_get(json_object_get(doc, "per"), "rows"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (num(row, "id") == id)
			return row;
	fail_test("no row of %u: %s", id, json_dumps(doc, 0));
	return NULL;
}

static json_t *find_event(json_t *costs, const char *name)
{
	json_t *cost;

	for (size_t i = 0; (cost = json_array_get(costs, i)); i++)
		if (!strcmp(str(cost, "name"), name))
			return cost;
	fail_test("no %s: %s", name, json_dumps(costs, 0));
	return NULL;
}

static json_t *total_of(json_t *doc, const char *event)
{
	return find_event(json_object_get(json_object_get(doc, "per"), "total"), event);
}

static double cost_of(json_t *row, const char *event)
{
	return real(find_event(json_object_get(row, "events"), event), "cost");
}

/* Numbers in a report are rounded. */
static void assert_near(double v, double want)
{
	if (!(fabs(v - want) <= 1e-4))
		fail_test("%.9f is not %.9f", v, want);
}

static json_int_t min_cost(json_t *doc_row, const char *stat)
{
	return num(event_of(doc_row, exact_event()), stat);
}

/* Checks the number of runs of one program, and its runs per packet. */
static void assert_runs(const struct run *r, const struct target *t, __u64 seen, int want)
{
	assert_int_equal(seen, want);
	assert_counted(r, t->id, want);
	assert_near(real(per_row(r->json, t->id), "runs"), (double)want / PACKETS);
}

static const struct target *const *targets_of(const struct path *p)
{
	static const struct target *v[4];

	v[0] = &p->xdp;
	v[1] = &p->tc;
	v[2] = &p->cgroup;
	v[3] = &p->filter;
	return v;
}

/* The rows are in the order of the path, whatever the order of ids is. */
static void assert_order(const struct run *r, const struct path *p)
{
	const struct target *const *t = targets_of(p);
	json_t *rows = json_object_get(json_object_get(r->json, "per"), "rows");

	assert_int_equal(json_array_size(rows), 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(num(json_array_get(rows, i), "id"), t[i]->id);
}

/* The total is the sum of all programs' costs, divided by the number of packets. */
static void assert_total(const struct run *r, const struct path *p)
{
	const struct target *const *t = targets_of(p);
	double sum = 0, parts = 0;

	for (int i = 0; i < 4; i++) {
		json_t *row = row_of(r, t[i]->id);

		sum += real(event_of(row, exact_event()), "total");
		parts += cost_of(per_row(r->json, t[i]->id), exact_event());
		assert_near(cost_of(per_row(r->json, t[i]->id), exact_event()),
			    real(event_of(row, exact_event()), "total") / PACKETS);
	}
	printf("# %.6f instructions per packet\n", sum / PACKETS);
	assert_near(real(total_of(r->json, exact_event()), "cost"), sum / PACKETS);
	assert_near(real(total_of(r->json, exact_event()), "cost"), parts);
	assert_int_equal(num(total_of(r->json, exact_event()), "left_out"), 0);
}

#define PASSED (PACKETS - PACKETS / PATH_XDP_DROPS)
#define RECEIVED (PASSED - PASSED / PATH_TC_DROPS)

static void check_path(struct fixture *f, __u32 xdp_flags)
{
	struct path p = attach_path(f, xdp_flags);
	const struct target *const *t = targets_of(&p);
	json_int_t insns[] = {PATH_XDP_INSNS, PATH_TC_INSNS, PATH_CGROUP_INSNS, PATH_FILTER_INSNS};
	struct path_seen first, s;
	struct run *r, *alone;

	r = bprof(f, "-j -b %u,%u,%u,%u --per %u -e %s -- " SEND, p.filter.id, p.cgroup.id, p.tc.id,
		  p.xdp.id, p.xdp.id, exact_event());
	assert_status(r, 0);
	first = seen(&p);
	assert_runs(r, &p.xdp, first.xdp, PACKETS);
	assert_runs(r, &p.tc, first.tc, PASSED);
	assert_runs(r, &p.cgroup, first.cgroup, RECEIVED);
	assert_runs(r, &p.filter, first.filter, RECEIVED);
	assert_int_equal(num(r->json, "per.runs"), PACKETS);
	assert_order(r, &p);
	assert_total(r, &p);
	for (int i = 0; i < 4; i++) {
		json_int_t min = min_cost(row_of(r, t[i]->id), "per_run.min");

		alone = bprof(f, "-j -b %u -e %s -- " SEND, t[i]->id, exact_event());
		assert_status(alone, 0);
		assert_int_equal(min, min_cost(row_of(alone, t[i]->id), "per_run.min"));
		assert_int_equal(min_cost(row_of(r, t[i]->id), "per_run.p50"),
				 min_cost(row_of(alone, t[i]->id), "per_run.p50"));
		printf("# %s: %lld\n", str(row_of(r, t[i]->id), "name"), (long long)min);
		/* counting takes some more instructions */
		assert_true(min > insns[i] && min < insns[i] + 40);
	}
	s = seen(&p);
	assert_int_equal(s.xdp, 5 * PACKETS);
}

static void test_native(void **state)
{
	check_path(*state, XDP_FLAGS_DRV_MODE);
}

static void test_generic(void **state)
{
	check_path(*state, XDP_FLAGS_SKB_MODE);
}

/*
 * A run inside of another run is counted once: the total is the cost of the outer program,
 * including the inner run.
 */
static void test_inside(void **state)
{
	struct fixture *f = *state;
	struct path p = load_path(f);
	struct target clone = program_of(p.obj, "path_clone"),
		      egress = program_of(p.obj, "path_egress");
	struct path_seen s = {.to = if_nametoindex(ASIDE)};
	double outer, inner, total;
	struct run *r;

	assert_int_equal(bpf_map_update_elem(p.seen_fd, &(__u32){0}, &s, BPF_ANY), 0);
	attach_tc(RX, BPF_TC_INGRESS, clone.fd);
	attach_tc(ASIDE, BPF_TC_EGRESS, egress.fd);
	r = bprof(f, "-j -b %u,%u --per path_clone -e %s -- " SEND, egress.id, clone.id,
		  exact_event());
	assert_status(r, 0);
	assert_counted(r, clone.id, PACKETS);
	assert_counted(r, egress.id, PACKETS);
	outer = real(event_of(row_of(r, clone.id), exact_event()), "per_run.mean");
	inner = real(event_of(row_of(r, egress.id), exact_event()), "per_run.mean");
	total = real(total_of(r->json, exact_event()), "cost");
	printf("# outer %f, inner %f, total %f\n", outer, inner, total);
	assert_true(inner > PATH_TC_INSNS && outer > inner);
	assert_near(total, outer);
	assert_near(cost_of(per_row(r->json, clone.id), exact_event()), outer - inner);
}

/* Checks the text for users, and which options are refused. */
static void test_path_text(void **state)
{
	struct fixture *f = *state;
	struct path p = attach_path(f, XDP_FLAGS_DRV_MODE);
	struct target other;
	struct run *r;

	r = bprof(f, "--name 'path_*' --per path_xdp -e time -- " SEND);
	assert_status(r, 0);
	assert_contains(r->out, "per run of path_xdp (300 runs)");
	assert_contains(r->out, "xdp native");
	assert_contains(r->out, "tc ingress");
	assert_contains(r->out, "cgroup_inet_ingress");
	assert_contains(r->out, "TOTAL");
	r = bprof(f, "--name 'path_*' --per %u -e time -j -o " SAVED " -- " SEND, p.xdp.id);
	assert_status(r, 0);
	r = bprof(f, "report " SAVED " --per path_tc -x ';' --header");
	assert_status(r, 0);
	assert_contains(r->out, ";per_runs;per_cost\n");
	assert_contains(r->out, ";;TOTAL;");
	r = bprof(f, "report " SAVED " --per path_none");
	assert_int_equal(r->status, 8);
	assert_contains(r->err, "--per path_none: no measured program has this id or name");
	r = bprof(f, "--name 'path_*' --per nothing -e time -- true");
	assert_int_equal(r->status, 8);
	assert_contains(r->err, "--per nothing: no measured program has this id or name");
	other = load_target(f, "path", "path_xdp");
	r = bprof(f, "--name 'path_*' --per path_xdp -e time -- true");
	assert_int_equal(r->status, 2);
	assert_contains(r->err, "several of the programs have this name");
	r = bprof(f, "-b %u,%u,%u --per %u -e time -j --method fentry,run_stats -I 100 -- " SEND,
		  p.xdp.id, p.tc.id, other.id, p.xdp.id);
	assert_status(r, 0);
	assert_near(real(per_row(r->json, other.id), "runs"), 0);
}

/* ---- bprof trace --join ---- */

#define JOIN_SEND "drive send " TX "," ASIDE " 300"
/* place of the UDP source port in the packet's bytes, as hexadecimal digits */
#define PORT_AT (2 * 34)

/* Attaches the same programs to a second device, too. */
static struct path attach_two(struct fixture *f, __u32 xdp_flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = xdp_flags);
	struct path p = attach_path(f, xdp_flags);
	int fd = bpf_link_create(p.xdp.fd, if_nametoindex("kt3"), BPF_XDP, &opts);

	assert_true(fd >= 0);
	f->fd[f->fd_cnt++] = fd;
	attach_tc("kt3", BPF_TC_INGRESS, p.tc.fd);
	set_address("kt3");
	return p;
}

/* The records of one packet. */
struct group {
	json_t *record[5];
	int cnt;
};

/*
 * Returns the packets in the output, in which "unjoined" records have no packet. The caller frees
 * the array.
 */
static struct group *groups_of(const struct run *r, int *cnt, int unjoined)
{
	struct group *g = calloc(3 * PACKETS, sizeof(*g));
	const char *text = r->out;
	json_error_t error;
	json_t *line;

	assert_status(r, 0);
	*cnt = 0;
	while (*text == '{' && (line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error))) {
		json_t *id = json_object_get(line, "packet_id");
		int i = json_integer_value(id) - 1;

		text += error.position;
		text += strspn(text, "\n");
		if (json_object_get(line, "summary")) {
			assert_int_equal(num(line, "summary.packets"), *cnt);
			assert_int_equal(num(line, "summary.unjoined"), unjoined);
			assert_int_equal(num(line, "summary.lost"), 0);
		}
		if (!json_object_get(line, "why") || (!id && unjoined-- > 0))
			continue;
		if (!id)
			fail_test("not joined: %s", json_dumps(line, 0));
		/* The records of a packet are adjacent. */
		assert_true(i == *cnt || i == *cnt - 1);
		*cnt = i + 1;
		assert_true(g[i].cnt < 5);
		g[i].record[g[i].cnt++] = line;
	}
	return g;
}

static const char *port_of(json_t *record)
{
	static char port[2][5];
	static int i;
	const char *data = str(record, "packet.data");

	i = !i;
	assert_true(strlen(data) >= PORT_AT + 4);
	return strncpy(port[i], data + PORT_AT, 4);
}

/* The return value of each program decides whether the packet reached the next program. */
static void assert_group(const struct group *g, const struct path *p)
{
	const struct target *const *t = targets_of(p);
	json_int_t device = num(json_array_get(json_object_get(g->record[0], "args"), 0), "value");

	for (int i = 0; i < g->cnt; i++)
		assert_int_equal(num(g->record[i], "id"), t[i]->id);
	if (g->cnt == 1)
		assert_int_equal(num(g->record[0], "retval"), XDP_DROP);
	else if (g->cnt == 2)
		assert_int_equal(num(g->record[1], "retval"), 2); /* TC_ACT_SHOT */
	else
		assert_int_equal(g->cnt, 4);
	for (int i = 0; i < g->cnt; i++) {
		json_t *arg = json_array_get(json_object_get(g->record[i], "args"), 0);

		assert_int_equal(num(arg, "value"), device);
	}
	if (g->cnt > 1)
		assert_string_equal(port_of(g->record[0]), port_of(g->record[1]));
}

static void check_join(struct fixture *f, __u32 xdp_flags)
{
	struct path p = attach_two(f, xdp_flags);
	struct path_seen s;
	int cnt, runs = 0;
	struct group *g;
	struct run *r;

	r = bprof(f,
		  "trace -j --name 'path_*' --join --every 1 --limit 100000 --snap 64 -e %s "
		  "--arg 'ctx->ingress_ifindex' -- " JOIN_SEND,
		  exact_event());
	g = groups_of(r, &cnt, 0);
	s = seen(&p);
	assert_int_equal(cnt, 2 * PACKETS);
	assert_int_equal(s.xdp, 2 * PACKETS);
	for (int i = 0; i < cnt; i++) {
		assert_group(&g[i], &p);
		runs += g[i].cnt;
	}
	assert_int_equal(runs, s.xdp + s.tc + s.cgroup + s.filter);
	printf("# %d packets, %d runs\n", cnt, runs);
	free(g);
}

/*
 * Without the XDP program, a packet begins at tc. tc drops some packets, and later packets reuse
 * their memory.
 */
static void test_join_tc(void **state)
{
	struct fixture *f = *state;
	struct path p = attach_two(f, XDP_FLAGS_DRV_MODE);
	const struct target *const *t = targets_of(&p);
	int cnt, dropped = 0;
	struct group *g;
	struct run *r;

	r = bprof(f, "trace -j -b %u,%u,%u --join --every 1 --limit 100000 -e time -- " JOIN_SEND,
		  p.tc.id, p.cgroup.id, p.filter.id);
	g = groups_of(r, &cnt, 0);
	assert_int_equal(cnt, 2 * PASSED);
	for (int i = 0; i < cnt; i++) {
		bool drop = num(g[i].record[0], "retval") == 2; /* TC_ACT_SHOT */

		dropped += drop;
		assert_int_equal(g[i].cnt, drop ? 1 : 3);
		for (int k = 0; k < g[i].cnt; k++)
			assert_int_equal(num(g[i].record[k], "id"), t[k + 1]->id);
	}
	assert_int_equal(dropped, 2 * PASSED / PATH_TC_DROPS);
	free(g);
}

static void test_join_native(void **state)
{
	check_join(*state, XDP_FLAGS_DRV_MODE);
}

static void test_join_generic(void **state)
{
	check_join(*state, XDP_FLAGS_SKB_MODE);
}

/* Opens a packet socket that gets all packets of RX, with the filter. */
static void attach_tap(struct fixture *f, const struct target *filter)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_ALL),
				 .sll_ifindex = if_nametoindex(RX)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	f->fd[f->fd_cnt++] = fd;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &filter->fd, sizeof(int)), 0);
	assert_int_equal(bind(fd, (void *)&at, sizeof(at)), 0);
}

/*
 * The filter of a packet socket runs before tc, while the packet may still have the socket that sent it:
 * that is no other packet.
 */
static void test_join_tap(void **state)
{
	struct fixture *f = *state;
	struct target tap = load_target(f, "keys", "filter");
	struct path p = attach_path(f, XDP_FLAGS_SKB_MODE);
	const struct target *const way[] = {&p.xdp, &tap, &p.tc, &p.cgroup, &p.filter};
	struct group *g;
	struct run *r;
	int cnt;

	attach_tap(f, &tap);
	r = bprof(f, "trace -j -b %u,%u,%u,%u,%u --join --every 1 --limit 100000 -e time -- " SEND,
		  p.xdp.id, p.tc.id, p.cgroup.id, p.filter.id, tap.id);
	g = groups_of(r, &cnt, 0);
	assert_int_equal(cnt, PACKETS);
	for (int i = 0; i < cnt; i++) {
		assert_true(g[i].cnt == 1 || g[i].cnt == 3 || g[i].cnt == 5);
		for (int k = 0; k < g[i].cnt; k++)
			assert_int_equal(num(g[i].record[k], "id"), way[k]->id);
	}
	free(g);
}

/*
 * One socket sends on two devices in turn, and a packet may get the memory of the previous one. Such a
 * run has no packet, because it may be on a device below the other one.
 */
static void test_join_sent(void **state)
{
	struct fixture *f = *state;
	struct target one = load_target(f, "keys", "tc_device");
	struct target other = load_target(f, "keys", "tc_device");
	__u32 last_id = 0;
	json_int_t last = 0;
	int joined = 0, unjoined = 0;
	json_error_t error;
	const char *text;
	struct run *r;
	json_t *line;

	attach_tc(TX, BPF_TC_EGRESS, one.fd);
	attach_tc(ASIDE, BPF_TC_EGRESS, other.fd);
	r = bprof(f, "trace -j -b %u,%u --join --every 1 --limit 100000 -e time -- " JOIN_SEND,
		  one.id, other.id);
	assert_status(r, 0);
	for (text = r->out; *text == '{'; text += strspn(text, "\n")) {
		line = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
		assert_non_null(line);
		text += error.position;
		if (!json_object_get(line, "why"))
			continue;
		if (!json_object_get(line, "packet_id")) {
			unjoined++;
			continue;
		}
		if (num(line, "packet_id") == last)
			fail_test("packet %lld: programs %u and %lld", (long long)last, last_id,
				  (long long)num(line, "id"));
		last = num(line, "packet_id");
		last_id = num(line, "id");
		joined++;
	}
	printf("# %d packets, %d unjoined runs\n", joined, unjoined);
	assert_int_equal(joined + unjoined, 2 * PACKETS);
	assert_true(joined >= PACKETS);
}

/* The whole path of a packet is recorded if a condition is true for one of its runs. */
static void test_join_condition(void **state)
{
	struct fixture *f = *state;
	struct path p = attach_path(f, XDP_FLAGS_DRV_MODE);
	struct group *g;
	struct run *r;
	int cnt;

	r = bprof(f, "trace -j --name 'path_*' --join --retval TC_ACT_SHOT -e time -- " SEND);
	g = groups_of(r, &cnt, 0);
	assert_int_equal(cnt, PASSED / PATH_TC_DROPS);
	for (int i = 0; i < cnt; i++) {
		assert_int_equal(g[i].cnt, 2);
		assert_int_equal(num(g[i].record[0], "id"), p.xdp.id);
		assert_int_equal(json_array_size(json_object_get(g[i].record[0], "why")), 0);
		assert_int_equal(num(g[i].record[1], "id"), p.tc.id);
		assert_int_equal(json_array_size(json_object_get(g[i].record[1], "why")), 1);
	}
	free(g);
	r = bprof(f, "trace -j --name 'path_*' --join --every 10 --limit 7 -e time -- " SEND);
	g = groups_of(r, &cnt, 0);
	printf("# %d of %d packets\n", cnt, PACKETS / 10);
	assert_true(cnt > 0 && cnt <= PACKETS / 10);
	free(g);
}

/*
 * Returns the number after a word in a line of text, without separators; 0 if the line does not
 * have the word.
 */
static long long number_after(const char *line, const char *word)
{
	const char *s = strstr(line, word);
	long long n = 0;

	for (s = s ? s + strlen(word) : ""; *s == ' '; s++)
		;
	for (; strchr("0123456789,", *s) && *s; s++)
		if (*s != ',')
			n = 10 * n + *s - '0';
	return n;
}

/* The line above the records of a packet has their sum. */
static void test_join_text(void **state)
{
	static const char *const programs[] = {
		"XDP_PASS", "XDP_DROP", "TC_ACT_OK", "TC_ACT_SHOT", " 65535 ", "path_cgroup  1 ",
	};
	struct fixture *f = *state;
	long long sums = 0, costs = 0;
	struct run *r;
	int cnt = 0;

	attach_path(f, XDP_FLAGS_DRV_MODE);
	r = bprof(f, "trace --name 'path_*' --join --every 1 -e %s -- " SEND, exact_event());
	assert_status(r, 0);
	assert_contains(r->out, "PACKET");
	assert_contains(r->out, "; 300 packets, and 0 records that are not joined\n");
	for (char *line = strtok(r->out, "\n"); line; line = strtok(NULL, "\n")) {
		cnt += strstr(line, "= ") && strstr(line, " program");
		sums += number_after(line, "= 4 programs") + number_after(line, "= 2 programs") +
			number_after(line, "= 1 program ");
		for (size_t i = 0; strstr(line, "  path_") && i < 6; i++)
			if (strstr(line, programs[i])) {
				costs += number_after(line, programs[i]);
				break;
			}
	}
	printf("# %d packets, %lld instructions\n", cnt, sums);
	assert_int_equal(cnt, PACKETS);
	assert_true(sums > PACKETS * PATH_XDP_INSNS);
	assert_int_equal(sums, costs);
}

/* Checks which combinations --join refuses, and programs without packets. */
static void test_join_refusals(void **state)
{
	static const char *const refused[][2] = {
		{"--func '*'", "leave out --func and --calls"},
		{"-C 0", "leave out -C"},
		{"--arg ctx --arg ctx --arg ctx --arg ctx",
		 "with --join of socket filters, at most 3 can be given"},
	};
	struct fixture *f = *state;
	struct run *r;

	load_path(f);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		r = bprof(f, "trace --name 'path_*' --join --every 1 -e time %s -- true",
			  refused[i][0]);
		assert_int_equal(r->status, 2);
		assert_contains(r->err, refused[i][1]);
	}
	r = bprof(f,
		  "trace --name path_xdp --join --every 1 --arg ctx --arg ctx --arg ctx --arg ctx "
		  "--arg ctx -e time -- true");
	assert_int_equal(r->status, 2);
	assert_contains(r->err, "with --join, at most 4 can be given");
	load_target(f, "trace", "raw_tp_rename");
	r = bprof(f, "trace --name raw_tp_rename --join --every 1 -e time -- true");
	assert_int_equal(r->status, 4);
	assert_contains(r->err, "--join: programs of its type run for no packet");
}

KTEST_GROUP(path, "costs per run of a program", NULL, ON(EXACT, FROM(6.1)),
	    KTEST_WITH(setup_path, teardown_path, test_native, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_generic),
	    KTEST_WITH(setup_path, teardown_path, test_inside, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_path_text),
	    KTEST_WITH(setup_path, teardown_path, test_join_native, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_join_generic, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_join_tc, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_join_tap, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_join_sent, ALSO_X86),
	    KTEST_WITH(setup_path, teardown_path, test_join_condition),
	    KTEST_WITH(setup_path, teardown_path, test_join_text),
	    KTEST_WITH(setup_path, teardown_path, test_join_refusals));
