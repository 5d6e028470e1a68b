// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The part of tests/hostile.py that runs in the VM: for each string in the directory "hostile",
 * makes a task, a file, a cgroup and a network device with that name, and loads an object that was
 * made with it. Then runs the commands in hostile/commands, and bprof top in a terminal. Keeps the
 * outputs in $OUT; tests/hostile.py reads them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/cmd/terminal.h"
#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/harness.h"

#define MAX_STRINGS 100
#define NAMES "hostile/names/"
#define CGROUPS "/sys/fs/cgroup/hostile/"
#define PINS "/sys/fs/bpf/hostile/"

static struct {
	pid_t pid;
	__u32 id; /* id of the program "evil" of this string */
} owners[MAX_STRINGS];
static int owner_cnt;

/* Keeps the kernel's answers to a hostile name, for the test on the host. */
static void note(int i, const char *what, int err)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/refused.%s.%d", getenv("OUT"), what, i);
	file = fopen(path, "w");
	fprintf(file, "%s\n", strerror(err));
	fclose(file);
}

static char *read_name(int i)
{
	static char name[NAME_MAX + 1];
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "hostile/%d.name", i);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	name[fread(name, 1, NAME_MAX, file)] = '\0';
	fclose(file);
	return name;
}

static void attach_device(int i, const char *name, struct bpf_object *obj)
{
	char device[IFNAMSIZ], peer[IFNAMSIZ];
	int err;

	snprintf(device, sizeof(device), "%s", name);
	snprintf(peer, sizeof(peer), "peer%d", i);
	err = veth__create(device, peer);
	if (!err && bpf_link_create(bpf_program__fd(bpf_object__find_program_by_name(obj, "evil")),
				    if_nametoindex(device), BPF_XDP, NULL) < 0)
		err = -errno;
	if (err)
		note(i, "device", -err);
}

static void attach_cgroup(int i, const char *name, struct bpf_object *obj)
{
	char path[PATH_MAX];
	int fd, prog = bpf_program__fd(bpf_object__find_program_by_name(obj, "evil_skb"));

	snprintf(path, sizeof(path), CGROUPS "%s", name);
	if (mkdir(path, 0755)) {
		note(i, "cgroup", errno);
		return;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY);
	if (bpf_link_create(prog, fd, BPF_CGROUP_INET_EGRESS, NULL) < 0)
		note(i, "cgroup", errno);
	close(fd);
}

static void attach_file(int i, const char *name, struct bpf_object *obj)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(obj, "evil_uprobe");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), NAMES "%s.so", name);
	if (!bpf_program__attach_uprobe(prog, false, -1, path, 0))
		note(i, "file", errno);
}

static void pin(int i, const char *name, struct bpf_object *obj)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PINS "%s", name);
	if (bpf_obj_pin(bpf_program__fd(bpf_object__find_program_by_name(obj, "evil")), path))
		note(i, "pin", errno);
}

/*
 * Makes everything that has the string as name, tells the test the id of its program, and keeps it
 * in use.
 */
static void own(int i, const char *name, int ready)
{
	char path[64];
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct bpf_object *obj;

	prctl(PR_SET_NAME, name);
	snprintf(path, sizeof(path), "hostile/%d.bpf.o", i);
	obj = bpf_object__open_file(path, NULL);
	if (!obj || bpf_object__load(obj))
		_exit(1);
	attach_device(i, name, obj);
	attach_cgroup(i, name, obj);
	attach_file(i, name, obj);
	pin(i, name, obj);
	bpf_obj_get_info_by_fd(bpf_program__fd(bpf_object__find_program_by_name(obj, "evil")),
			       &info, &len);
	if (write(ready, &info.id, sizeof(info.id)) == sizeof(info.id))
		pause();
	_exit(1);
}

/* Sets the lists of ids and processes for hostile/commands, as words. */
static void set_lists(void)
{
	char ids[MAX_STRINGS * 12] = "", pids[MAX_STRINGS * 12] = "";

	for (int i = 0; i < owner_cnt; i++) {
		snprintf(ids + strlen(ids), 12, "%u ", owners[i].id);
		snprintf(pids + strlen(pids), 12, "%d ", owners[i].pid);
	}
	setenv("ids", ids, 1);
	setenv("pids", pids, 1);
}

static int make_world(void **state)
{
	const char *name;
	int ready[2];

	if (!load_module("veth") ||
	    system("mkdir -p /usr/lib/locale && cp -r hostile/C.utf8 /usr/lib/locale") ||
	    mkdir(CGROUPS, 0755) || mkdir(PINS, 0700) || pipe2(ready, O_CLOEXEC))
		return -1;
	for (; (name = read_name(owner_cnt)); owner_cnt++) {
		assert_true(owner_cnt < MAX_STRINGS);
		owners[owner_cnt].pid = fork();
		if (!owners[owner_cnt].pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			own(owner_cnt, name, ready[1]);
		}
		if (read(ready[0], &owners[owner_cnt].id, sizeof(__u32)) != sizeof(__u32))
			return -1;
	}
	set_lists();
	return 0;
}

static int teardown_world(void **state)
{
	for (int i = 0; i < owner_cnt; i++) {
		kill(owners[i].pid, SIGKILL);
		waitpid(owners[i].pid, NULL, 0);
	}
	return teardown(state);
}

static void test_commands(void **state)
{
	assert_int_equal(system("sh hostile/commands"), 0);
}

/* Sends the terminal's output from now on to the next of the files top.screen.N. */
static void keep_next(struct terminal *t)
{
	static int cnt;
	char path[PATH_MAX];

	if (t->log)
		fclose(t->log);
	snprintf(path, sizeof(path), "%s/top.screen.%d", getenv("OUT"), cnt++);
	t->log = fopen(path, "w");
	assert_non_null(t->log);
}

/*
 * Shows a page about the program at the cursor, waits until the page has both texts, and keeps it.
 */
static void show_page(struct terminal *t, const char *key, const char *first, const char *last)
{
	terminal__type(t, key);
	terminal__await(t, first);
	terminal__await(t, last);
	keep_next(t);
	terminal__type(t, "\033");
	terminal__await_gone(t, last);
	terminal__await(t, "TOTAL");
}

/* bprof top has pages about each program: who holds it, and its code. */
static void test_top(void **state)
{
	struct fixture *f = *state;
	struct terminal t;

	terminal__open(&t, 60, 200, "top --name evil --idle --sort id -e time -I 100ms");
	keep_next(&t);
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0"); /* as in test_top.c */
	terminal__await(&t, "TOTAL  all BPF programs");
	terminal__await(&t, "evil");
	for (int i = 0; i < owner_cnt; i++) {
		struct child *c = command_start(f, "drive testrun %u:1000000000", owners[i].id);

		show_page(&t, "\r", "attached", "metadata");
		show_page(&t, "a", "code of program", "of the program");
		child_signal(c, SIGKILL);
		child_wait(f, c);
		terminal__type(&t, "j");
	}
	terminal__type(&t, "q");
	assert_int_equal(terminal__end(&t), 0);
	fclose(t.log);
}

KTEST_GROUP(hostile, "hostile names, for tests/hostile.py", make_world, ON(ON_DEMAND),
	    KTEST(test_commands), KTEST_WITH(setup, teardown_world, test_top));
