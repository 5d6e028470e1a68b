// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof export: its counters while programs run, are loaded again and are unloaded; its file;
 * its privileges; and clients that misbehave.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"
#include "tests/progs/retval.h"

#define PORT 9797
#define EXPORT "export --sample 1 --min-age 0 "
#define SCRAPE_SZ (1 << 20)
#define OPENMETRICS "Accept: application/openmetrics-text;version=1.0.0\r\n"
#define TX "kt0"
#define RX "kt1"

static int setup_veth(void **state)
{
	if (!load_module("veth") || setup(state))
		return -1;
	return veth__create(TX, RX);
}

static int teardown_veth(void **state)
{
	veth__delete(TX);
	return teardown(state);
}

/* ---- a client ---- */

/* Connects; waits until bprof listens. */
static int dial(void)
{
	const struct sockaddr_in a = {.sin_family = AF_INET,
				      .sin_port = htons(PORT),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd;

	while (!hangs()) {
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_true(fd >= 0);
		if (!connect(fd, (const struct sockaddr *)&a, sizeof(a)))
			return fd;
		close(fd);
		usleep(10000);
	}
	fail_test("cannot connect: %s", strerror(errno));
	return -1;
}

/* Returns the answer of bprof. It is valid until the next call. */
static const char *ask(const char *path, const char *headers)
{
	static char text[SCRAPE_SZ];
	char request[512];
	int fd = dial(), len = snprintf(request, sizeof(request),
					"GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, headers);
	size_t sz = 0;
	ssize_t n;

	assert_int_equal(send(fd, request, len, MSG_NOSIGNAL), len);
	while ((n = recv(fd, text + sz, sizeof(text) - 1 - sz, 0)) > 0)
		sz += n;
	if (n < 0)
		fail_test("no answer: %s", strerror(errno));
	close(fd);
	text[sz] = '\0';
	assert_contains(text, "HTTP/1.1 200 ");
	return strstr(text, "\r\n\r\n") + 4;
}

static const char *scrape(void)
{
	const char *text = ask("/metrics", OPENMETRICS);

	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	return text;
}

/*
 * Returns the value of the only sample with this name and with all of these labels (name="value",
 * separated by commas), or NaN if there is none.
 */
static double sample(const char *text, const char *name, const char *labels)
{
	double value = NAN;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		char copy[1024], all[256], *label, *state;
		bool matches = true;

		line += *line == '\n';
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		snprintf(all, sizeof(all), "%s", labels);
		if (strncmp(copy, name, strlen(name)) || !strchr("{ ", copy[strlen(name)]))
			continue;
		for (label = strtok_r(all, ",", &state); label; label = strtok_r(NULL, ",", &state))
			matches &= strstr(copy, label) != NULL;
		if (!matches)
			continue;
		if (!isnan(value))
			fail_test("%s{%s} is there twice: %s", name, labels, text);
		value = strtod(strrchr(copy, ' '), NULL);
	}
	return value;
}

static double runs_of(const char *text, const char *name)
{
	char label[64];

	snprintf(label, sizeof(label), "name=\"%s\"", name);
	return sample(text, "bprof_program_runs_total", label);
}

/*
 * Scrapes until the text has the runs of this program or, if "there" is false, until it does not have them.
 * Returns the last text.
 */
static const char *await(const char *name, bool there)
{
	while (!hangs()) {
		const char *text = scrape();

		if (isnan(runs_of(text, name)) != there)
			return text;
		usleep(10000);
	}
	fail_test("program %s %s", name, there ? "does not appear" : "does not go");
	return NULL;
}

/* Waits until bprof measures the program with this id. */
static void await_id(__u32 id)
{
	char label[32];

	snprintf(label, sizeof(label), "id=\"%u\"", id);
	AWAIT(!isnan(sample(scrape(), "bprof_program_info", label)));
}

static void end(struct fixture *f, struct child *c)
{
	struct run *r;

	child_signal(c, SIGTERM);
	r = child_wait(f, c);
	assert_status(r, 0);
}

/* Attaches a program to an interface, so that its probe stays attached and sees all runs. */
static void hold(struct fixture *f, struct target t, const char *interface)
{
	struct bpf_link *link = bpf_program__attach_xdp(t.prog, if_nametoindex(interface));

	assert_non_null(link);
	keep_link(f, link);
}

static void unload_held(struct fixture *f, struct target t)
{
	bpf_link__destroy(f->link[--f->link_cnt]);
	unload(f, t);
}

/* ---- counters ---- */

/*
 * Each run is counted once, whether scrapes follow one another at once or come late. Only
 * bprof_program_info has the label id.
 */
static void test_counts(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "metadata", "xdp_metadata");
	struct child *c = bprof_start(f, EXPORT "--name xdp_metadata -e time");
	const char *text;
	char labels[128];

	text = await("xdp_metadata", true);
	for (int i = 1; i <= 5; i++) {
		drive(t, 100 * i);
		text = scrape();
		assert_true(runs_of(text, "xdp_metadata") == 100 * i * (i + 1) / 2);
	}
	assert_true(runs_of(scrape(), "xdp_metadata") == 1500);
	snprintf(labels, sizeof(labels),
		 "version=\"1.2-rc3\",id=\"%u\",type=\"xdp\",method=\"fentry\"", t.id);
	text = scrape();
	assert_true(sample(text, "bprof_program_info", labels) == 1);
	assert_true(isnan(sample(text, "bprof_program_runs_total", "id=")));
	assert_true(sample(text, "bprof_program_cpu_seconds_total", "name=\"xdp_metadata\"") > 0);
	assert_true(sample(text, "bprof_program_run_time_seconds_count", "") <= 1500);
	assert_true(sample(text, "bprof_export_looks_total", "") >= 8);
	assert_contains(ask("/-/healthy", ""), "healthy");
	assert_contains(ask("/metrics", ""), "# TYPE bprof_program_runs_total counter\n");
	end(f, c);
}

/*
 * With --sum, all copies of a program have one series, also while copies come and go. A metric says
 * how many copies there are.
 */
static void test_sum(void **state)
{
	struct fixture *f = *state;
	struct target t[20];
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_ver*' --sum name -e time");
	double runs = 0, before = 0, programs = 0;
	const char *text = NULL;

	for (int i = 0; i < 20; i++)
		t[i] = load_target(f, i % 2 ? "version_1" : "version_2", "xdp_version");
	while (programs != 20 && !hangs())
		programs = sample(scrape(), "bprof_program_sum_programs", "name=\"xdp_version\"");
	for (int i = 0; i < 20; i++) {
		drive(t[i], 10 * i + 1);
		runs += 10 * i + 1;
		text = scrape();
		assert_true(runs_of(text, "xdp_version") >= before);
		before = runs_of(text, "xdp_version");
	}
	assert_true(before == runs);
	assert_contains(text, "\nbprof_program_runs_total{name=\"xdp_version\"} ");
	assert_null(strstr(text, "tag="));
	assert_null(strstr(text, "bprof_program_info{"));
	assert_true(sample(text, "bprof_program_run_time_seconds_count", "name=") == runs);
	drive(t[0], 5);
	for (int i = 0; i < 10; i++)
		unload(f, t[i]);
	t[0] = load_target(f, "version_3", "xdp_version");
	while (programs != 11 && !hangs()) {
		text = scrape();
		assert_true(runs_of(text, "xdp_version") >= before);
		before = runs_of(text, "xdp_version");
		programs = sample(text, "bprof_program_sum_programs", "name=");
	}
	drive(t[0], 100);
	assert_true(runs_of(scrape(), "xdp_version") == runs + 105);
	end(f, c);
}

/* The series of a program have the program's first holder as a label. */
static void test_owner_label(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--owner ktest --label owner -e time");
	const char *text = await("xdp_alu_100", true);

	assert_contains(text, "function=\"xdp_alu_100\",owner=\"ktest\"} ");
	drive(t, 3);
	assert_true(sample(scrape(), "bprof_program_runs_total", "owner=\"ktest\"") == 3);
	end(f, c);
	assert_int_equal(bprof(f, "export --sum name --label owner")->status, 2);
}

/* When a program is loaded again, its counters continue, and never decrease. */
static void test_reloads(void **state)
{
	struct fixture *f = *state;
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_ver*' -e time");
	double total = 0, before = 0;
	const char *text;

	for (int i = 0; i < 30; i++) {
		struct target t = load_target(f, "version_1", "xdp_version");
		double now;

		hold(f, t, TX); /* no packets arrive there */
		await_id(t.id);
		drive(t, 100 + i);
		total += 100 + i;
		text = scrape();
		now = runs_of(text, "xdp_version");
		assert_true(now >= before);
		assert_true(sample(text, "bprof_program_attachments", "kind=\"xdp\"") == 1);
		before = now;
		if (i % 3) /* otherwise bprof notices the unload only at the next load */
			drive(t, 10);
		total += i % 3 ? 10 : 0;
		unload_held(f, t);
		now = runs_of(scrape(), "xdp_version");
		assert_true(now >= before);
		before = now;
	}
	printf("# %g runs of %g\n", runs_of(scrape(), "xdp_version"), total);
	assert_true(runs_of(scrape(), "xdp_version") == total);
	end(f, c);
}

/* When a program has been unloaded for the grace time, its series end. Other series go on. */
static void test_unload(void **state)
{
	struct fixture *f = *state;
	struct target gone = load_target(f, "version_1", "xdp_version");
	struct target stays = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--type xdp --grace 500 -e time");
	const char *text;

	await("xdp_version", true);
	drive(gone, 100);
	drive(stays, 100);
	assert_true(runs_of(scrape(), "xdp_version") == 100);
	unload(f, gone);
	text = await("xdp_version", false);
	assert_true(runs_of(text, "xdp_alu_100") == 100);
	assert_null(strstr(text, "xdp_version"));
	gone = load_target(f, "version_1", "xdp_version");
	await_id(gone.id);
	assert_true(runs_of(scrape(), "xdp_version") == 0);
	end(f, c);
}

/*
 * Scrapes until the program is unloaded. In each scrape, bprof checks which programs only probes
 * keep loaded.
 */
static void await_unload(__u32 id)
{
	while (prog_id__is_loaded(id)) {
		if (hangs())
			fail_test("bprof keeps program %u loaded", id);
		scrape();
		usleep(10000);
	}
}

/*
 * A program has not run for many scrapes. While a process holds the program, bprof keeps its probe attached.
 * When no process holds the program any more, bprof soon notices this and detaches the probe, so the kernel
 * unloads the program.
 */
static void test_idle_unload(void **state)
{
	struct fixture *f = *state;
	struct target idle = load_target(f, "version_1", "xdp_version");
	struct target pinned = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--type xdp -e time");
	const char *pin = "/sys/fs/bpf/export_pinned";
	const char *text;

	assert_int_equal(bpf_obj_pin(bpf_program__fd(pinned.prog), pin), 0);
	await_id(idle.id);
	await_id(pinned.id);
	unload(f, pinned);
	for (int i = 0; i < 100; i++)
		scrape();
	assert_true(prog_id__is_loaded(pinned.id));
	drive(idle, 5);
	text = scrape();
	/*
	 * If bprof had detached its probe, it would have missed these runs and counted them in a
	 * later check.
	 */
	assert_true(sample(text, "bprof_program_run_time_seconds_count", "name=\"xdp_version\"") ==
		    5);
	unload(f, idle);
	await_unload(idle.id);
	assert_int_equal(unlink(pin), 0);
	await_unload(pinned.id);
	end(f, c);
}

/*
 * Two bprofs that follow the same program, export and stat --follow, do not keep it loaded because
 * of each other's probes.
 */
static void test_two_followers(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "version_1", "xdp_version");
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_ver*' -e time");
	struct child *other = bprof_start(f, "stat --follow --name 'xdp_ver*' -j -I 100 -e time");
	bool attached = false;

	await_id(t.id);
	while (!attached) {
		json_t *doc = json_loads(child_line(other), 0, NULL);

		attached = json_array_size(json_object_get(doc, "programs")) > 0;
		json_decref(doc);
	}
	drive(t, 10);
	assert_true(runs_of(scrape(), "xdp_version") == 10);
	assert_true(prog_id__is_loaded(t.id));
	unload(f, t);
	await_unload(t.id);
	end(f, other);
	end(f, c);
}

/*
 * bprof forgets programs that were unloaded. Counters never go back, and all runs of the other programs
 * are counted.
 */
static void test_many_unloads(void **state)
{
	struct fixture *f = *state;
	struct target stays = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--type xdp -v --grace 1 -e time");
	struct run *r;

	hold(f, stays, TX); /* no packets arrive there */
	await("xdp_alu_100", true);
	for (int i = 0; i < 30; i++) {
		struct target t = load_target(f, "version_1", "xdp_version");

		await_id(t.id);
		drive(stays, 10);
		unload(f, t);
		assert_true(runs_of(scrape(), "xdp_alu_100") == 10 * (i + 1));
	}
	await("xdp_version", false);
	drive(stays, 1000);
	assert_true(runs_of(scrape(), "xdp_alu_100") == 1300);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "forgetting unloaded programs");
}

/*
 * Programs are unloaded before they can be measured. bprof writes one message for each name, and
 * counts all of these programs in a counter, but not among the loaded programs that it skips.
 */
static void test_short_lived(void **state)
{
	struct fixture *f = *state;
	struct target stays = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_*' -e time");
	double gone = 0;
	const char *text, *message;
	struct run *r;
	int messages = 0;

	await_id(stays.id);
	for (int round = 0; gone < 20; round++) {
		child_signal(c, SIGSTOP); /* so that bprof comes too late */
		for (int i = 0; i < 10; i++)
			unload(f, load_target(f, "version_1", "xdp_version"));
		child_signal(c, SIGCONT);
		if (round == 100)
			fail_test("%g programs were short-lived", gone);
		text = scrape();
		assert_true(sample(text, "bprof_short_lived_programs_total", "") >= gone);
		gone = sample(text, "bprof_short_lived_programs_total", "");
		assert_true(isnan(sample(text, "bprof_skipped_programs", "")));
	}
	printf("# %g programs were short-lived\n", gone);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	for (message = r->err; (message = strstr(message, "was unloaded again")); message++)
		messages++;
	assert_int_equal(messages, 1);
}

static void test_limit(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "version_1", "xdp_version");
	struct target b = load_target(f, "alu", "xdp_alu_100");
	struct child *c =
		bprof_start(f, EXPORT "--prog-id %u,%u --max-programs 1 -e time", a.id, b.id);
	const char *text;
	struct run *r;

	await("xdp_version", true);
	drive(a, 30);
	drive(b, 12);
	text = scrape();
	assert_true(runs_of(text, "xdp_version") == 30);
	assert_true(runs_of(text, "other") == 12);
	assert_true(sample(text, "bprof_export_programs_beyond_limit", "") == 1);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "more than 1 programs (--max-programs): 1 of them");
}

/* Each packet is counted as one run, even if packets arrive while bprof reads the counts. */
static void test_traffic(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "version_1", "xdp_version");
	struct child *c, *traffic;
	double before, now = 0, packets;

	hold(f, t, RX);
	c = bprof_start(f, "export --min-age 0 --name 'xdp_ver*' -e time");
	before = runs_of(await("xdp_version", true), "xdp_version");
	traffic = command_start(f, "drive send " TX " 2000 2000");
	for (int i = 0; i < 20; i++) {
		double last = now;

		now = runs_of(scrape(), "xdp_version");
		assert_true(now >= last);
		usleep(50000);
	}
	assert_status(child_wait(f, traffic), 0);
	packets = runs_of(scrape(), "xdp_version") - before;
	printf("# 2000 packets, and %g runs\n", packets);
	/* 2000 packets, and those that the kernel itself sends */
	assert_true(packets >= 2000 && packets <= 2020);
	end(f, c);
}

/*
 * The maps of a program are those that the test has made, with the numbers that the kernel reports.
 */
static void test_maps(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "version_1", "xdp_version");
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_ver*' -e time");
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char label[64];
	const char *text;

	assert_int_equal(
		bpf_obj_get_info_by_fd(bpf_object__find_map_fd_by_name(t.obj, "seen"), &info, &len),
		0);
	await_id(t.id);
	text = scrape();
	assert_true(sample(text, "bprof_program_memory_bytes", "name=\"xdp_version\"") >= 4096);
	assert_true(sample(text, "bprof_program_map_memory_bytes", "map=\"seen\"") >= 8);
	assert_true(sample(text, "bprof_program_map_max_entries", "map=\"seen\"") ==
		    info.max_entries);
	snprintf(label, sizeof(label), "map=\"seen\",map_id=\"%u\"", info.id);
	assert_true(sample(text, "bprof_program_map_info", label) == 1);
	assert_null(strstr(text, "bprof_program_attachments{"));
	end(f, c);
}

/* ---- the file ---- */

static char *read_all(const char *path)
{
	char *text = calloc(1, SCRAPE_SZ);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_non_null(text);
	assert_true(fd >= 0);
	n = read(fd, text, SCRAPE_SZ - 1);
	assert_true(n >= 0);
	close(fd);
	return text;
}

/* A reader of the file always finds all metrics, and each time newer ones. */
static void test_file(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, "export -o export.prom -I 100 --name 'xdp_alu*' -e time");
	double looks = 0;

	AWAIT(!access("export.prom", R_OK));
	drive(t, 77);
	while (looks < 10) {
		char *text = read_all("export.prom");
		double now = sample(text, "bprof_export_looks_total", "");

		assert_memory_equal(text, "# HELP bprof_program_info ", 26);
		assert_false(isnan(sample(text, "process_resident_memory_bytes", "")));
		assert_true(now >= looks);
		looks = now;
		if (hangs())
			fail_test("the file does not change");
		if (looks > 5)
			assert_true(runs_of(text, "xdp_alu_100") == 77);
		free(text);
		usleep(1000);
	}
	end(f, c);
	assert_int_equal(unlink("export.prom"), 0);
}

/* The kernel counts the runs of all programs. A second exporter has probes on one of them. */
static void test_methods(void **state)
{
	struct fixture *f = *state;
	struct target all = load_target(f, "alu", "xdp_alu_0");
	struct target one = load_target(f, "alu", "xdp_alu_100");
	struct child *kernel = bprof_start(f, "export --method run_stats --min-age 0"), *probes;
	const char *text = await("xdp_alu_100", true);
	char *chosen;

	assert_true(sample(text, "bprof_program_info", "name=\"xdp_alu_0\",method=\"run_stats\"") ==
		    1);
	drive(all, 300);
	drive(one, 200);
	probes = bprof_start(f,
			     "export -o chosen.prom -I 100 --sample 1 --name xdp_alu_100 -e time");
	AWAIT(!access("chosen.prom", R_OK));
	drive(all, 30);
	drive(one, 20);
	text = scrape();
	assert_true(runs_of(text, "xdp_alu_0") == 330);
	assert_true(runs_of(text, "xdp_alu_100") == 220);
	assert_true(sample(text, "bprof_program_cpu_seconds_total", "name=\"xdp_alu_0\"") > 0);
	assert_true(isnan(
		sample(text, "bprof_program_run_time_seconds_count", "name=\"xdp_alu_100\"")));
	assert_true(isnan(sample(text, "bprof_program_info", "method=\"fentry\"")));
	end(f, probes);
	end(f, kernel);
	chosen = read_all("chosen.prom");
	assert_true(runs_of(chosen, "xdp_alu_100") == 20);
	assert_true(sample(chosen, "bprof_program_info", "method=\"fentry\"") == 1);
	assert_true(sample(chosen, "bprof_program_run_time_seconds_count", "") == 20);
	free(chosen);
	assert_int_equal(unlink("chosen.prom"), 0);
}

static void test_methods_refused(void **state)
{
	struct run *r = bprof(*state, "export --method run_stats --sample 4");

	assert_status(r, 2);
	assert_contains(r->err, "need probes, which --method leaves out");
	r = bprof(*state, "export --method samples");
	assert_status(r, 2);
	assert_contains(r->err, "'bprof stat --method samples' can");
}

/* ---- privileges ---- */

/* Programs that are loaded later are measured without further capabilities. */
static void test_privileges(void **state)
{
	struct fixture *f = *state;
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_ver*' -e time");
	struct target t;
	char path[64], *text;

	scrape();
	snprintf(path, sizeof(path), "/proc/%d/status", child_pid(c));
	text = read_all(path);
	/* CAP_SYS_ADMIN, and from Linux 5.8 on CAP_PERFMON and CAP_BPF; CAP_SYSLOG */
	assert_contains(text, "\nCapPrm:\t000000c400200000\nCapEff:\t000000c400200000\n");
	assert_contains(text, "\nNoNewPrivs:\t1\n");
	free(text);
	t = load_target(f, "version_1", "xdp_version");
	await_id(t.id);
	assert_true(sample(scrape(), "bprof_program_info", "method=\"fentry\"") == 1);
	end(f, c);
}

/* ---- clients that do not behave ---- */

#define CROWD 10000

/* Opens a connection without waiting until it is established. */
static int dial_async(const char *text)
{
	const struct sockaddr_in a = {.sin_family = AF_INET,
				      .sin_port = htons(PORT),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int small = 1024, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (!connect(fd, (const struct sockaddr *)&a, sizeof(a)) && *text)
		send(fd, text, strlen(text), MSG_NOSIGNAL);
	return fd;
}

static double memory_of(const struct child *c)
{
	char path[64], *text;
	double kb;

	snprintf(path, sizeof(path), "/proc/%d/status", child_pid(c));
	text = read_all(path);
	assert_non_null(strstr(text, "VmHWM:"));
	kb = strtod(strstr(text, "VmHWM:") + 6, NULL);
	free(text);
	return kb * 1024;
}

/*
 * Clients connect and send nothing, half a request, a request without reading the answer, or
 * headers without end. Meanwhile, bprof answers a client that behaves well, and bprof's memory
 * stays bounded.
 */
static void test_hostile(void **state)
{
	static const char *const texts[] = {"", "GET /metr",
					    "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", NULL};
	static char headers[20000];
	static int fd[CROWD];
	struct fixture *f = *state;
	const struct rlimit limit = {CROWD + 1000, CROWD + 1000};
	struct rlimit old;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_alu*' -e time");
	double memory;

	memset(headers, 'a', sizeof(headers) - 1);
	memcpy(headers, "GET / HTTP/1.1\r\nX: ", 19);
	getrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	await("xdp_alu_100", true);
	memory = memory_of(c);
	for (int i = 0; i < CROWD; i++) {
		fd[i] = dial_async(texts[i % 4] ?: headers);
		if (i % 1000 == 500)
			assert_false(isnan(runs_of(scrape(), "xdp_alu_100")));
	}
	drive(t, 50);
	assert_true(runs_of(scrape(), "xdp_alu_100") == 50);
	for (int i = 0; i < CROWD; i++)
		close(fd[i]);
	assert_true(runs_of(scrape(), "xdp_alu_100") == 50);
	printf("# memory %g MB, before %g MB\n", memory_of(c) / 1e6, memory / 1e6);
	assert_true(memory_of(c) - memory < 32e6);
	setrlimit(RLIMIT_NOFILE, &old);
	end(f, c);
}

/* ---- exact counts (-icount) ---- */

/*
 * Runs of a program of 100 instructions are in the bucket with the bound 100, and not in the bucket with the
 * bound 99.
 */
static void test_exact(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_100");
	struct child *c = bprof_start(f, EXPORT "--name 'xdp_alu*' -e %s --buckets 99,100,101",
				      exact_event());
	const char *text;
	double measured;

	await_id(t.id);
	drive(t, 1000);
	text = scrape();
	measured = sample(text, "bprof_program_event_per_run_count", "");
	printf("# %g of 1000 runs measured\n", measured);
	assert_true(measured > 100);
	assert_true(sample(text, "bprof_program_event_per_run_bucket", "le=\"99.0\"") == 0);
	/* A few runs contain an interrupt. */
	assert_true(sample(text, "bprof_program_event_per_run_bucket", "le=\"100.0\"") >
		    0.99 * measured);
	assert_true(sample(text, "bprof_program_event_total", "") >= 100000);
	assert_true(runs_of(text, "xdp_alu_100") == 1000);
	end(f, c);
}

/*
 * A program drops and sends packets in turn, at different costs. Each return value has series with its own
 * cost. The series of all return values add up to all runs.
 */
static void test_by_retval(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_two");
	struct child *c = bprof_start(
		f, EXPORT "--name xdp_two -e %s --by retval --buckets 5,500,600", exact_event());
	double drop, tx;
	const char *text;

	await_id(t.id);
	drive(t, 1000);
	text = scrape();
	drop = sample(text, "bprof_program_runs_total", "returns=\"XDP_DROP\"");
	tx = sample(text, "bprof_program_runs_total", "returns=\"XDP_TX\"");
	assert_true(drop == 500 && tx == 500);
	assert_true(sample(text, "bprof_program_runs_total", "returns=\"other\"") == 0);
	drop = sample(text, "bprof_program_event_total", "returns=\"XDP_DROP\"");
	tx = sample(text, "bprof_program_event_total", "returns=\"XDP_TX\"");
	printf("# 500 runs each: %g and %g instructions\n", drop, tx);
	/* A few runs contain an interrupt. */
	assert_true(fabs(tx - drop - 500 * RETVAL_INSNS) < 0.05 * 500 * RETVAL_INSNS);
	assert_true(sample(text, "bprof_program_event_per_run_bucket",
			   "returns=\"XDP_DROP\",le=\"500.0\"") >= 495);
	assert_true(sample(text, "bprof_program_event_per_run_bucket",
			   "returns=\"XDP_TX\",le=\"500.0\"") == 0);
	end(f, c);
}

/*
 * There are twelve values (RETVAL_MANY). Eight have series of their own. Thinned runs, whose values
 * are not known, are in "other".
 */
static void test_values(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "retval", "xdp_many");
	struct child *c =
		bprof_start(f, "export --min-age 0 --name xdp_many -e %s --by retval --sample 5",
			    exact_event());
	double runs = 0, measured = 0, v;
	int values = 0;
	const char *text;

	await_id(t.id);
	drive(t, 3000);
	text = scrape();
	for (int i = -1; i < 20; i++) {
		static const char *const names[] = {"XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX",
						    "XDP_REDIRECT"};
		char label[64];

		if (i >= 0 && i < 5)
			snprintf(label, sizeof(label), "returns=\"%s\"", names[i]);
		else if (i >= 0)
			snprintf(label, sizeof(label), "returns=\"%d\"", i);
		else
			snprintf(label, sizeof(label), "returns=\"other\"");
		v = sample(text, "bprof_program_runs_total", label);
		if (isnan(v))
			continue;
		values++;
		runs += v;
		v = sample(text, "bprof_program_event_per_run_count", label);
		measured += isnan(v) ? 0 : v;
	}
	assert_int_equal(values, 9);
	assert_true(runs == 3000);
	assert_true(measured == 600);
	assert_true(sample(text, "bprof_program_info", "name=\"xdp_many\"") == 1);
	end(f, c);
}

/* Runs a program as a task with this name. */
static void run_as(const char *name, int runs)
{
	char command[128];

	snprintf(command, sizeof(command), "ln -sf $(command -v drive) /tmp/%s; /tmp/%s getsid %d",
		 name, name, runs);
	assert_int_equal(system(command), 0);
}

/* Returns the sum of all samples of this name. */
static double sum_of_samples(const char *text, const char *name)
{
	double sum = 0;

	for (const char *line = strstr(text, name); line; line = strstr(line + 1, name))
		if (line[-1] == '\n' && line[strlen(name)] == '{')
			sum += strtod(strrchr(strndupa(line, strcspn(line, "\n")), ' '), NULL);
	return sum;
}

#define TASK_RUNS "bprof_program_runs_total"

/*
 * 40 tasks run first, more than a probe has parts for. A task that then costs much gets a part and, one
 * interval later, a series with all its further runs. Until then, "other" has them: no run is counted
 * twice, and the runs of the tasks whose series end are not counted again.
 */
static void test_latecomer(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "keys", "tp_task");
	struct child *c;
	double first, other, late = NAN;
	const char *text;
	int unseen = 0;

	assert_non_null(try_attach(f, t));
	c = bprof_start(f, EXPORT "-b %u -e %s --by comm", t.id, exact_event());
	await_id(t.id);
	for (int i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "early_%d", i);
		run_as(name, 100);
	}
	text = scrape();
	assert_true(sum_of_samples(text, TASK_RUNS) == 4000);
	first = sample(text, TASK_RUNS, "comm=\"other\"");
	if (!(first > 0))
		fail_test("%g runs of other: %s", first, text);
	while (isnan(late) && !hangs()) {
		run_as("late", 1000);
		unseen++;
		text = scrape();
		late = sample(text, TASK_RUNS, "comm=\"late\"");
		other = sample(text, TASK_RUNS, "comm=\"other\"");
		assert_true(other + (isnan(late) ? 0 : late) == first + 1000 * unseen);
	}
	printf("# late has a series after %d intervals\n", unseen);
	assert_true(late == 1000);
	run_as("late", 777);
	text = scrape();
	assert_true(sample(text, TASK_RUNS, "comm=\"late\"") == 1777);
	assert_true(sample(text, TASK_RUNS, "comm=\"other\"") == other);
	end(f, c);
}

#define VETH_TEST(...) KTEST_WITH(setup_veth, teardown_veth, __VA_ARGS__)

KTEST_GROUP(export, "metrics of programs over HTTP and in a file", NULL, ON(SMP4),
	    KTEST(test_counts), KTEST(test_sum), KTEST(test_owner_label), VETH_TEST(test_reloads),
	    KTEST(test_idle_unload), KTEST(test_two_followers), KTEST(test_unload),
	    VETH_TEST(test_many_unloads, LONG), KTEST(test_maps), KTEST(test_short_lived),
	    KTEST(test_limit), VETH_TEST(test_traffic), KTEST(test_file), KTEST(test_methods),
	    KTEST(test_methods_refused, ONCE), KTEST(test_privileges), KTEST(test_hostile, LONG));

/* --by retval needs Linux 5.12 (test_retval.c). */
KTEST_GROUP(export_exact, "what these metrics say", NULL, ON(EXACT, CPUS512), KTEST(test_exact),
	    KTEST(test_by_retval, FROM(6.1)), KTEST(test_values, FROM(6.1)),
	    KTEST(test_latecomer, FROM(6.1)));
