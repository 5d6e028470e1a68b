// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which capabilities, users, groups and descriptors bprof has while it measures, and which
 * COMMAND gets. The test reads them from the kernel's /proc/PID/status.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/const.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define REPORT "/tmp/ktest-report"
#define COPY "/dev/shm/bprof"
#define READ _BITULL(CAP_BPF)
#define LIST (READ | _BITULL(CAP_SYS_ADMIN))
#define OPEN (LIST | _BITULL(CAP_PERFMON) | _BITULL(CAP_SYSLOG))
#define SHOW (OPEN | _BITULL(CAP_SYS_PTRACE) | _BITULL(CAP_DAC_READ_SEARCH))
#define FILES (_BITULL(CAP_DAC_OVERRIDE) | _BITULL(CAP_CHOWN) | _BITULL(CAP_FOWNER))
#define KILL _BITULL(CAP_KILL)
#define MEASURING "cat /proc/$PPID/status"

/* ---- /proc/PID/status ---- */

/* Returns a number from a status file: the n-th number after the field's name. */
static unsigned long long field(const char *status, const char *name, int base, int n)
{
	char line[32];
	const char *p;

	snprintf(line, sizeof(line), "\n%s:\t", name);
	p = strstr(status, line);
	if (!p)
		fail_test("no %s in: %s", name, status);
	for (p += strlen(line); n; n--)
		p += strcspn(p, "\t") + 1;
	return strtoull(p, NULL, base);
}

static unsigned long long caps(const char *status, const char *name)
{
	return field(status, name, 16, 0);
}

static void assert_caps(const char *status, unsigned long long want)
{
	static const char *const sets[] = {"CapPrm", "CapEff", "CapBnd"};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (caps(status, sets[i]) != want)
			fail_test("%s is %llx, not %llx: %s", sets[i], caps(status, sets[i]), want,
				  status);
	assert_int_equal(caps(status, "CapInh"), 0);
	assert_int_equal(caps(status, "CapAmb"), 0);
	assert_int_equal(field(status, "NoNewPrivs", 10, 0), 1);
}

static char *status_of(pid_t pid)
{
	static char text[4096];
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	close(fd);
	text[n] = '\0';
	return text;
}

/* Also removes the attr map, which bprof system leaves pinned for other bperf users. */
static int teardown_map(void **state)
{
	unlink("/sys/fs/bpf/perf_attr_map");
	return teardown(state);
}

#define WITH_MAP(...) KTEST_WITH(setup, teardown_map, __VA_ARGS__)

/* ---- bprof while it measures ---- */

static void stop(struct fixture *f, struct child *c)
{
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
}

/* Waits until bprof has dropped the privileges that it does not need. */
static void await_limits(const struct child *c)
{
	const unsigned long long all = caps(status_of(1), "CapEff");

	for (int i = 0; i < 6000; i++) {
		if (caps(status_of(child_pid(c)), "CapEff") != all)
			return;
		usleep(10000);
	}
	fail_test("nothing is given up: %s", status_of(child_pid(c)));
}

/* These commands measure until a signal comes. */
static void test_modes(void **state)
{
	static const struct {
		const char *args;
		unsigned long long caps;
		bool quiet; /* the command writes nothing while it measures */
	} modes[] = {
		{"stat --name xdp_pass -j -I 100 -e time", LIST},
		{"stat --name xdp_pass -j -I 100 -e time --follow", OPEN},
		{"stat --name xdp_pass -j -I 100 -e time --method run_stats", LIST},
		{"stat --name xdp_pass -j -I 100 -e time --keep-privileges", 0},
		{"system -a -j -I 100 -e cpu-clock", LIST},
		{"top --batch -I 100ms --idle --name xdp_pass -e time", SHOW},
		{"watch", OPEN, true},
		{"trace --name xdp_pass --every 1 -e time", LIST, true},
		{"stat --name xdp_pass -o " REPORT " -e time", LIST | FILES, true},
		{"stat --name xdp_pass -e time --timeout 60000", LIST, true},
	};
	struct fixture *f = *state;

	load_target(f, "xdp", "xdp_pass");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct child *c = bprof_start(f, "%s", modes[i].args);
		const char *status;

		if (modes[i].quiet)
			await_limits(c);
		else
			child_line(c);
		status = status_of(child_pid(c));
		if (modes[i].caps)
			assert_caps(status, modes[i].caps);
		else
			assert_int_equal(caps(status, "CapEff"), caps(status_of(1), "CapEff"));
		stop(f, c);
	}
}

/*
 * While COMMAND runs, bprof has only these capabilities. With -r, bprof drops the others only in
 * the last run.
 */
static void test_with_command(void **state)
{
	static const struct {
		const char *args;
		unsigned long long caps;
	} modes[] = {
		{"stat -o " REPORT " --name xdp_pass -e time", LIST | FILES | KILL},
		{"record -o " REPORT " --name xdp_pass -e cpu-clock", READ | FILES | KILL},
		{"system -o " REPORT " -e task-clock", LIST | FILES | KILL},
		{"trace -o " REPORT " --name xdp_pass --every 1 -e time", LIST | FILES | KILL},
		{"watch -o " REPORT, OPEN | FILES | KILL},
	};
	struct fixture *f = *state;
	struct run *r;
	char *second;

	load_target(f, "xdp", "xdp_pass");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		r = command(f, "bprof %s -- sh -c '" MEASURING "; true'", modes[i].args);
		assert_status(r, 0);
		assert_caps(r->out, modes[i].caps);
	}
	r = command(f, "bprof stat -r 2 -o " REPORT " --name xdp_pass -e time -- sh -c '" MEASURING
		       "; true'");
	assert_status(r, 0);
	assert_int_equal(caps(r->out, "CapEff"), caps(status_of(1), "CapEff"));
	second = strstr(r->out + 5, "Name:\t");
	assert_non_null(second);
	assert_caps(second, LIST | FILES | KILL);
}

/* ---- COMMAND ---- */

/*
 * If root runs bprof, COMMAND runs as root with all of root's capabilities. Its descriptors are
 * those of a command without bprof.
 */
static void test_root(void **state)
{
	struct fixture *f = *state;
	struct run *r, *alone;

	load_target(f, "xdp", "xdp_pass");
	r = command(f, "bprof -o " REPORT " --name xdp_pass -e time -- cat /proc/self/status");
	assert_status(r, 0);
	assert_int_equal(caps(r->out, "CapEff"), caps(status_of(1), "CapEff"));
	assert_int_equal(caps(r->out, "CapBnd"), caps(status_of(1), "CapBnd"));
	assert_int_equal(field(r->out, "NoNewPrivs", 10, 0), 0);
	alone = command(f, "ls /proc/self/fd");
	r = command(f, "bprof -o " REPORT " --name xdp_pass -e time -- ls /proc/self/fd");
	assert_string_equal(r->out, alone->out);
	r = command(f, "bprof system -o " REPORT " -e task-clock -- ls /proc/self/fd");
	assert_string_equal(r->out, alone->out);
	r = command(f, "bprof watch -o " REPORT " -- ls /proc/self/fd");
	assert_string_equal(r->out, alone->out);
}

static void assert_user(const char *status, unsigned int uid, unsigned int gid, const char *groups)
{
	for (int i = 0; i < 4; i++) {
		assert_int_equal(field(status, "Uid", 10, i), uid);
		assert_int_equal(field(status, "Gid", 10, i), gid);
	}
	assert_contains(status, groups);
	assert_int_equal(caps(status, "CapPrm") | caps(status, "CapEff"), 0);
	assert_int_equal(caps(status, "CapInh") | caps(status, "CapAmb"), 0);
	assert_int_equal(field(status, "NoNewPrivs", 10, 0), 0);
}

#define STAT "bprof -o " REPORT " --name xdp_pass -e time "
#define SHOW_USER "-- sh -c 'cat /proc/self/status; echo $HOME $USER $LOGNAME; ls /proc/self/fd'"

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void test_sudo(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	load_target(f, "xdp", "xdp_pass");
	/* No account has this number. */
	r = command(f, "env SUDO_UID=1234 SUDO_GID=1235 USER=root " STAT SHOW_USER);
	assert_status(r, 0);
	assert_user(r->out, 1234, 1235, "\nGroups:\t1235 \n");
	assert_contains(r->out, "\n\n0\n1\n2\n3\n");
	put_file("/etc/passwd", "root:x:0:0::/:/bin/sh\nann:x:1000:1001::/tmp:/bin/sh\n");
	put_file("/etc/group", "root:x:0:\nann:x:1001:\nwheel:x:10:joe,ann\nanna:x:11:anna\n");
	r = command(f, "env SUDO_UID=1000 SUDO_GID=1001 " STAT SHOW_USER);
	assert_status(r, 0);
	assert_user(r->out, 1000, 1001, "\nGroups:\t10 1001 \n");
	assert_contains(r->out, "\n/tmp ann ann\n0\n1\n2\n3\n");
	/* The whole command is counted. At the timeout, it is ended. */
	r = command(f, "env SUDO_UID=1000 " STAT "--timeout 100 -- sleep 1000");
	assert_status(r, 0);
	r = command(f, "env SUDO_UID=1000 " STAT "-r 2 -- cat /proc/self/status");
	assert_user(strstr(r->out + 5, "Name:\t"), 1000, 1001, "\nGroups:\t10 1001 \n");
}

static void test_user(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	load_target(f, "xdp", "xdp_pass");
	put_file("/etc/passwd", "root:x:0:0::/:/bin/sh\nann:x:1000:1001::/tmp:/bin/sh\n");
	r = command(f, STAT "--user ann " SHOW_USER);
	assert_user(r->out, 1000, 1001, "");
	r = command(f, STAT "--user 1000 " SHOW_USER);
	assert_user(r->out, 1000, 1001, "");
	/* --user has priority over the user who called sudo. */
	r = command(f, "env SUDO_UID=1000 " STAT "--user root -- cat /proc/self/status");
	assert_int_equal(caps(r->out, "CapEff"), caps(status_of(1), "CapEff"));
	r = command(f, STAT "--user nosuch -- true");
	assert_status(r, 2);
	assert_contains(r->err, "--user nosuch: there is no such user");
	r = command(f, STAT "--user ann --timeout 100");
	assert_status(r, 2);
	assert_contains(r->err, "--user: it needs a COMMAND");
	/* A user who is not root may not choose the user of COMMAND. */
	r = command(f, "drive nobody cap_sys_admin,cap_bpf,cap_perfmon,cap_syslog bprof --name "
		       "xdp_pass -e time "
		       "--user ann -- true");
	assert_status(r, 7);
	assert_contains(r->err, "true: cannot be run as user ann: Operation not permitted");
}

/* ---- other ways to have capabilities ---- */

static void copy_bprof(mode_t mode)
{
	assert_int_equal(system("cp $(which bprof) " COPY), 0);
	assert_int_equal(chmod(COPY, mode), 0);
}

static void set_file_caps(const char *text)
{
	cap_t file = cap_from_text(text);

	assert_non_null(file);
	assert_int_equal(cap_set_file(COPY, file), 0);
	cap_free(file);
}

/*
 * bprof gets the capabilities of its service (ambient) or of its file. COMMAND does not get them.
 */
static void test_capabilities(void **state)
{
	static const char *const bprofs[] = {"cap_sys_admin,cap_bpf,cap_perfmon,cap_syslog bprof",
					     "none " COPY};
	struct fixture *f = *state;

	load_target(f, "xdp", "xdp_pass");
	copy_bprof(0755);
	set_file_caps("cap_sys_admin,cap_bpf,cap_perfmon,cap_syslog=ep");
	for (int i = 0; i < 2; i++) {
		struct run *r =
			command(f,
				"drive nobody %s --name xdp_pass -e time -o - -- sh -c '" MEASURING
				" >&2; cat /proc/self/status >&2'",
				bprofs[i]);
		const char *own = strstr(r->err, "Name:\t"), *commands;

		assert_status(r, 0);
		commands = own ? strstr(own + 5, "Name:\t") : NULL;
		assert_non_null(commands);
		assert_int_equal(caps(own, "CapEff"), LIST);
		assert_int_equal(caps(own, "CapPrm"), LIST);
		assert_user(commands, 65534, 65534, "");
	}
	assert_int_equal(unlink(COPY), 0);
}

/*
 * A set-user-ID bprof does nothing. If root runs it, the bit has no effect, and bprof works as
 * usual.
 */
static void test_setuid(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	copy_bprof(04755);
	r = command(f, "drive nobody none " COPY " list -o /dev/shm/stolen");
	assert_status(r, 1);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "bprof: bprof is set-user-ID or set-group-ID, which it is not made "
				"for; remove these modes (chmod ug-s) and use sudo\n");
	assert_int_equal(access("/dev/shm/stolen", F_OK), -1);
	assert_status(command(f, COPY " list"), 0);
	copy_bprof(02755);
	assert_status(command(f, "drive nobody none " COPY " list"), 1);
	assert_int_equal(unlink(COPY), 0);
}

KTEST_GROUP(privileges, "what bprof and COMMAND hold", NULL, ON(SMP4), WITH_MAP(test_modes),
	    WITH_MAP(test_with_command), WITH_MAP(test_root), KTEST(test_sudo), KTEST(test_user),
	    KTEST(test_capabilities), KTEST(test_setuid));
