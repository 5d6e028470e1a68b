// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * drive runs BPF programs an exact number of times. The tests, the demonstration and the benchmarks
 * use it as the load that bprof measures. Links no code of bprof.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>

#include "tests/kernel/drive/contexts.h"
#include "tests/kernel/drive/counters.h"
#include "tests/kernel/drive/crowd.h"
#include "tests/kernel/drive/frames.h"
#include "tests/kernel/drive/netdev.h"
#include "tests/kernel/drive/objects.h"
#include "tests/kernel/drive/pace.h"
#include "tests/kernel/drive/probe.h"
#include "tests/kernel/drive/progdump.h"
#include "tests/kernel/drive/pty.h"
#include "tests/kernel/drive/switches.h"
#include "tests/kernel/drive/testrun.h"
#include "tests/kernel/drive/worker.h"

#define NOBODY 65534
#define MAX_OBJECTS 16
#define MAX_SETS 16
#define MAX_IDS 16

struct command {
	const char *name, *args, *help;
	int (*run)(int argc, char **argv);
};

extern char **environ;

static int fail(int err, const char *what)
{
	fprintf(stderr, "drive: %s: %s\n", what, strerror(-err));
	return 1;
}

/* Parses a decimal count; fails if any other text follows. */
static int parse_count(const char *s, __u64 *out)
{
	char *end;

	errno = 0;
	*out = strtoull(s, &end, 10);
	return *s < '0' || *s > '9' || *end || errno ? -EINVAL : 0;
}

/*
 * Runs the command argv and waits. Returns its exit status, 128 + signal, or 127 if it cannot be
 * run.
 */
static int spawn_wait(char **argv)
{
	int err, status;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (err) {
		fail(-err, argv[0]);
		return 127;
	}
	/* Leave SIGINT to the command; the BPF programs stay loaded until the command has ended. */
	signal(SIGINT, SIG_IGN);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(-errno, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int drive_testrun(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *colon = strchr(argv[i], ':');
		__u64 id, cnt = 1;
		int err;

		if (colon)
			*colon++ = '\0';
		if (parse_count(argv[i], &id) || (colon && parse_count(colon, &cnt)))
			return fail(-EINVAL, argv[i]);
		err = testrun__id(id, cnt);
		if (err)
			return fail(err, argv[i]);
	}
	return 0;
}

static int drive_slope(int argc, char **argv)
{
	double slope;
	__u64 id;
	int err;

	if (argc < 2 || parse_count(argv[1], &id))
		return fail(-EINVAL, "slope");
	err = testrun__slope(id, &slope);
	if (err)
		return fail(err, "slope");
	printf("%.2f\n", slope);
	return 0;
}

static int drive_time(int argc, char **argv)
{
	__u64 id, cnt;
	__u32 ns;
	int err;

	if (argc < 3 || parse_count(argv[1], &id) || parse_count(argv[2], &cnt))
		return fail(-EINVAL, "time");
	err = testrun__time(id, cnt, &ns);
	if (err)
		return fail(err, "time");
	printf("%u\n", ns);
	return 0;
}

static int drive_pace(int argc, char **argv)
{
	__u64 v[4];
	struct pace pace;
	int err = argc == 5 ? 0 : -EINVAL;

	for (int i = 0; !err && i < 4; i++)
		err = parse_count(argv[i + 1], &v[i]);
	err = err ?: pace__run(v[0], v[1], v[2] * 1000, v[3] * 1000000, &pace);
	if (err)
		return fail(err, "pace");
	printf("%llu %llu %llu\n", (unsigned long long)pace.runs,
	       (unsigned long long)pace.elapsed_ns, (unsigned long long)pace.cpu_ns);
	return 0;
}

static int drive_disturb(int argc, char **argv)
{
	__u64 ns;

	if (argc < 2 || parse_count(argv[1], &ns))
		return fail(-EINVAL, "disturb");
	return fail(pace__disturb(ns), "disturb");
}

static int drive_dump(int argc, char **argv)
{
	__u64 id;
	int err;

	if (argc < 3 || parse_count(argv[1], &id))
		return fail(-EINVAL, "dump");
	err = progdump__write(id, argv[2]);
	return err ? fail(err, argv[2]) : 0;
}

static int drive_getsid(int argc, char **argv)
{
	__u64 cnt;

	if (argc < 2 || parse_count(argv[1], &cnt))
		return fail(-EINVAL, "getsid");
	for (__u64 i = 0; i < cnt; i++)
		if (getsid(getpid()) < 0)
			return fail(-errno, "getsid");
	return 0;
}

/* Parses an ascending list such as "1,5,20". Returns the number of elements or -EINVAL. */
static int parse_users(const char *list, int *users)
{
	int cnt = 0;

	for (;;) {
		unsigned long n;
		char *end;

		errno = 0;
		n = strtoul(list, &end, 10);
		if (*list < '0' || *list > '9' || errno || n > INT_MAX || cnt == MAX_SETS ||
		    n <= (cnt ? (unsigned long)users[cnt - 1] : 0))
			return -EINVAL;
		users[cnt++] = n;
		if (!*end)
			return cnt;
		if (*end != ',')
			return -EINVAL;
		list = end + 1;
	}
}

static int drive_switches(int argc, char **argv)
{
	struct switches_effort effort = {.pairs = 6, .tries = 20, .rounds = 1000};
	double cost[1 + MAX_SETS];
	int users[MAX_SETS] = {}, cnt = 0, err;

	for (; argc > 1 && (!strcmp(argv[1], "fork") || !strcmp(argv[1], "quick"));
	     argc--, argv++) {
		if (!strcmp(argv[1], "fork"))
			effort.fork = true;
		else
			effort.pairs = 3, effort.tries = 4, effort.rounds = 500;
	}
	if (argc > 1)
		cnt = argc > 2 ? parse_users(argv[1], users) : -EINVAL;
	if (cnt < 0)
		return fail(cnt, "switches");
	err = switches__measure(&effort, users, cnt, argv + 2, cost);
	if (!cnt && !err)
		printf("%.1f\n", cost[0]);
	for (int i = 0; i < cnt && !isnan(cost[1 + i]); i++)
		printf("%d %.1f %.1f %.1f\n", users[i], cost[0], cost[1 + i],
		       cost[1 + i] - cost[0]);
	return err ? fail(err, "switches") : 0;
}

static int drive_ready(int argc, char **argv)
{
	return fail(switches__ready(), READY_FD_ENV);
}

static int drive_worker(int argc, char **argv)
{
	__u64 self;

	if (argc < 3 || parse_count(argv[1], &self) || self >= WORKERS)
		return fail(-EINVAL, "worker");
	return fail(worker__serve(self, argv[2]), "worker");
}

static int drive_counters(int argc, char **argv)
{
	printf("%d\n", free_counters());
	return 0;
}

/*
 * Returns a connected TCP socket: setting a congestion control calls its init only on a connected
 * socket.
 */
static int connect_self(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(addr);

	if (listener < 0 || fd < 0 || bind(listener, (void *)&addr, sizeof(addr)) ||
	    listen(listener, 1) || getsockname(listener, (void *)&addr, &len) ||
	    connect(fd, (void *)&addr, len))
		return -errno;
	return fd; /* the listener stays open and keeps the connection alive */
}

static int drive_tcpcc(int argc, char **argv)
{
	static const char other[] = "reno";
	__u64 cnt;
	int fd;

	if (argc < 3 || parse_count(argv[2], &cnt))
		return fail(-EINVAL, "tcpcc");
	fd = connect_self();
	if (fd < 0)
		return fail(fd, "connect");
	for (__u64 i = 0; i < cnt; i++)
		/*
		 * Setting the algorithm that is already in use has no effect: alternate between
		 * two.
		 */
		if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, other, strlen(other)) ||
		    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, argv[1], strlen(argv[1])))
			return fail(-errno, argv[1]);
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, other, strlen(other)))
		return fail(-errno, other);
	close(fd);
	return 0;
}

/* Sends packets over the loopback device, or on an inherited socket. */
static int drive_packets(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t sz = sizeof(to);
	int receiver, fd;
	__u64 cnt;

	if (argc < 2 || parse_count(argv[1], &cnt))
		return fail(-EINVAL, "packets");
	receiver = argc > 2 ? -1 : socket(AF_INET, SOCK_DGRAM, 0);
	fd = argc > 2 ? atoi(argv[2]) : socket(AF_INET, SOCK_DGRAM, 0);
	if (argc <= 2 && (bind(receiver, (struct sockaddr *)&to, sz) ||
			  getsockname(receiver, (struct sockaddr *)&to, &sz) ||
			  connect(fd, (struct sockaddr *)&to, sz)))
		return fail(-errno, "loopback");
	for (__u64 i = 0; i < cnt; i++)
		if (send(fd, "x", 1, 0) != 1)
			return fail(-errno, "send");
	return 0;
}

static int drive_send(int argc, char **argv)
{
	__u64 cnt, rate = 0, dropped;
	int err;

	if (argc < 3 || parse_count(argv[2], &cnt) || (argc > 3 && parse_count(argv[3], &rate)))
		return fail(-EINVAL, "send");
	err = packets__send(argv[1], cnt, rate, &dropped);
	if (err)
		return fail(err, argv[1]);
	if (dropped)
		fprintf(stderr, "drive: %llu packets dropped by the device\n", dropped);
	return 0;
}

static int drive_frame(int argc, char **argv)
{
	__u64 cnt = 1;
	int err;

	if (argc < 3 || (argc > 3 && parse_count(argv[3], &cnt)))
		return fail(-EINVAL, "frame");
	err = frames__send(argv[1], argv[2], cnt);
	return err ? fail(err, argv[1]) : 0;
}

static int drive_lengths(int argc, char **argv)
{
	__u16 lengths[64];
	__u64 length;
	int err;

	if (argc < 3 || argc - 2 > 64)
		return fail(-EINVAL, "lengths");
	for (int i = 2; i < argc; i++) {
		if (parse_count(argv[i], &length) || length > PACKET_MAX)
			return fail(-EINVAL, argv[i]);
		lengths[i - 2] = length;
	}
	err = packets__send_lengths(argv[1], lengths, argc - 2);
	return err ? fail(err, argv[1]) : 0;
}

static int drive_context(int argc, char **argv)
{
	const struct context *c = argc > 2 ? context__find(argv[1]) : NULL;
	__u32 ids[MAX_IDS];
	const char *step;
	__u64 cnt, id;
	int err;

	if (!c || argc - 3 > MAX_IDS || parse_count(argv[2], &cnt) || cnt > INT_MAX)
		return fail(-EINVAL, "context");
	for (int i = 3; i < argc; i++) {
		if (parse_count(argv[i], &id))
			return fail(-EINVAL, argv[i]);
		ids[i - 3] = id;
	}
	err = context__use(c, ids, argc - 3, cnt, &step);
	return err ? fail(err, step) : 0;
}

static int run_command(void *arg)
{
	return spawn_wait(arg);
}

static int drive_attached(int argc, char **argv)
{
	const struct context *c = argc > 3 ? context__find(argv[1]) : NULL;
	const char *step;
	__u64 id;
	int err;

	if (!c || parse_count(argv[2], &id))
		return fail(-EINVAL, "attached");
	err = context__attach(c, id, run_command, argv + 3, &step);
	return err < 0 ? fail(err, step) : err;
}

/* Says on stdout that the program is attached, and waits for SIGINT. */
static int wait_for_interrupt(void *arg)
{
	sigset_t set;
	int sig;

	(void)arg;
	puts("attached");
	fflush(stdout);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	return -sigwait(&set, &sig);
}

static int drive_left(int argc, char **argv)
{
	const struct context *c = argc == 3 ? context__find(argv[1]) : NULL;
	const char *step;
	sigset_t set;
	__u64 id;
	int err;

	if (!c || parse_count(argv[2], &id))
		return fail(-EINVAL, "left");
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	err = context__leave(c, id, wait_for_interrupt, NULL, &step);
	if (err < 0)
		puts(step); /* for a reader that waits for this line */
	return err < 0 ? fail(err, step) : err;
}

static int drive_tun(int argc, char **argv)
{
	char *modprobe[] = {"modprobe", "-q", "tun", NULL};
	__u64 id;
	int err;

	if (argc < 3 || parse_count(argv[1], &id))
		return fail(-EINVAL, "tun");
	spawn_wait(modprobe); /* fails if tun is built in */
	err = tun__attach(id);
	return err ? fail(err, "tun") : run_command(argv + 2);
}

static int drive_probe(int argc, char **argv)
{
	const char *step;
	__u64 id;
	int err;

	if (argc < 4 || parse_count(argv[1], &id))
		return fail(-EINVAL, "probe");
	err = probe__attach(id, argv[2], &step);
	return err ? fail(err, step) : run_command(argv + 3);
}

/* Keeps the capabilities in list (such as "cap_bpf,cap_perfmon") over setuid() and exec. */
static int keep_caps(const char *list)
{
	char text[256];
	cap_t caps;
	int err = 0;

	snprintf(text, sizeof(text), "%s=eip", list);
	caps = cap_from_text(text);
	if (!caps || cap_set_proc(caps))
		err = -errno;
	for (cap_value_t cap = 0; !err && cap < cap_max_bits(); cap++) {
		cap_flag_value_t set;

		if (!cap_get_flag(caps, cap, CAP_INHERITABLE, &set) && set &&
		    cap_set_ambient(cap, CAP_SET))
			err = -errno;
	}
	cap_free(caps);
	return err;
}

static int drive_nobody(int argc, char **argv)
{
	int err;

	if (argc < 3)
		return fail(-EINVAL, "nobody");
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return fail(-errno, "setuid");
	err = strcmp(argv[1], "none") ? keep_caps(argv[1]) : 0;
	if (err)
		return fail(err, argv[1]);
	execvp(argv[2], argv + 2);
	return fail(-errno, argv[2]);
}

/* Installs a filter that refuses shared memory mappings, such as those of BPF maps. */
static int refuse_shared_memory(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(insns) / sizeof(insns[0]), insns};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ? -errno : 0;
}

static int drive_unmapped(int argc, char **argv)
{
	int err = argc < 2 ? -EINVAL : refuse_shared_memory();

	if (err)
		return fail(err, "unmapped");
	execvp(argv[1], argv + 1);
	return fail(-errno, argv[1]);
}

static int drive_childless(int argc, char **argv)
{
	if (argc < 2)
		return fail(-EINVAL, "childless");
	signal(SIGCHLD, SIG_IGN);
	execvp(argv[1], argv + 1);
	return fail(-errno, argv[1]);
}

static int drive_terminal(int argc, char **argv)
{
	__u64 rows, cols;
	int status;

	if (argc < 4 || parse_count(argv[1], &rows) || parse_count(argv[2], &cols))
		return fail(-EINVAL, "terminal");
	status = pty__run(rows, cols, argv + 3);
	return status < 0 ? fail(status, "terminal") : status;
}

/* Appends value to the list in the environment variable `name`. */
static void append_env(const char *name, const char *value)
{
	const char *old = getenv(name);
	char list[1024];

	snprintf(list, sizeof(list), "%s%s%s", old ? old : "", old ? "," : "", value);
	setenv(name, list, 1);
}

static int attach_to_veth(struct bpf_program *prog, int n)
{
	char tx[IFNAMSIZ], rx[IFNAMSIZ];
	struct bpf_link *link;
	int err;

	snprintf(tx, sizeof(tx), "tx%d", n);
	snprintf(rx, sizeof(rx), "rx%d", n);
	err = veth__create(tx, rx);
	if (err)
		return fail(err, "cannot create a veth pair");
	link = bpf_program__attach_xdp(prog, if_nametoindex(rx));
	if (!link)
		return fail(-errno, rx);
	append_env("IF_TX", tx);
	return 0;
}

/*
 * Loads a program. spec is FILE[:PROGRAM]; without PROGRAM, loads the file's first program. n is
 * the position of spec in the command line, from 0, and gives the veth pair its name.
 */
static int load_object(char *spec, int n, bool veth)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	char *prog_name = strchr(spec, ':');
	struct bpf_program *prog, *p;
	struct bpf_object *obj;
	char var[128], id[16];

	if (prog_name)
		*prog_name++ = '\0';
	obj = bpf_object__open_file(spec, NULL);
	if (!obj)
		return fail(-errno, spec);
	prog = prog_name ? bpf_object__find_program_by_name(obj, prog_name)
			 : bpf_object__next_program(obj, NULL);
	if (!prog)
		return fail(-ENOENT, prog_name ? prog_name : spec);
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, p == prog);
	if (bpf_object__load(obj) || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return fail(-errno, spec);
	snprintf(var, sizeof(var), "PROG_ID_%s", bpf_program__name(prog));
	snprintf(id, sizeof(id), "%u", info.id);
	setenv(var, id, 1);
	append_env("PROG_IDS", id);
	return veth ? attach_to_veth(prog, n) : 0;
}

static int drive_run(int argc, char **argv)
{
	static const struct option options[] = {
		{"veth", no_argument, NULL, 'v'}, {"obj", required_argument, NULL, 'o'}, {}};
	char *modprobe[] = {"modprobe", "-q", "veth", NULL};
	char *objects[MAX_OBJECTS];
	int opt, object_cnt = 0;
	bool veth = false;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (opt == 'v')
			veth = true;
		else if (opt == 'o' && object_cnt < MAX_OBJECTS)
			objects[object_cnt++] = optarg;
		else
			return fail(-EINVAL, "run");
	}
	if (optind == argc)
		return fail(-EINVAL, "run: no command");
	if (veth) {
		/*
		 * Ignore errors of modprobe, because veth may be built into the kernel. If veth is
		 * missing, creating the pair will fail.
		 */
		if (access("/sys/module/veth", F_OK))
			spawn_wait(modprobe);
		if (unshare(CLONE_NEWNET))
			return fail(-errno, "cannot make a network namespace");
	}
	unsetenv("PROG_IDS");
	unsetenv("IF_TX");
	for (int i = 0; i < object_cnt; i++) {
		int err = load_object(objects[i], i, veth);

		if (err)
			return err;
	}
	return spawn_wait(argv + optind);
}

/* Runs a command with a limit of open files, and without CAP_SYS_RESOURCE, by which it could raise the limit. */
static int drive_files(int argc, char **argv)
{
	struct rlimit lim;
	__u64 max;

	if (argc < 3 || parse_count(argv[1], &max))
		return fail(-EINVAL, "files");
	lim.rlim_cur = lim.rlim_max = max;
	if (setrlimit(RLIMIT_NOFILE, &lim) || prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE))
		return fail(-errno, "files");
	execvp(argv[2], argv + 2);
	return fail(-errno, argv[2]);
}

/* Runs a command. In the command, replaces the argument "word" by a list of numbers. */
static int run_with_list(char **argv, const char *word, const __u32 *numbers, int cnt)
{
	char *list = crowd__list(numbers, cnt);

	for (int i = 0; list && argv[i]; i++)
		if (!strcmp(argv[i], word))
			argv[i] = list;
	return list ? spawn_wait(argv) : fail(-ENOMEM, word);
}

static int drive_programs(int argc, char **argv)
{
	__u32 *ids;
	__u64 cnt;
	int err;

	if (argc < 4 || parse_count(argv[1], &cnt) || !cnt || cnt > INT_MAX)
		return fail(-EINVAL, "programs");
	ids = calloc(cnt, sizeof(*ids));
	err = ids ? crowd__load(argv[2], cnt, ids) : -ENOMEM;
	return err ? fail(err, argv[2]) : run_with_list(argv + 3, "IDS", ids, cnt);
}

static int drive_processes(int argc, char **argv)
{
	__u64 cnt;
	int *pids, err;

	if (argc < 3 || parse_count(argv[1], &cnt) || !cnt || cnt > INT_MAX)
		return fail(-EINVAL, "processes");
	pids = calloc(cnt, sizeof(*pids));
	err = pids ? crowd__start(cnt, pids) : -ENOMEM;
	return err ? fail(err, "processes")
		   : run_with_list(argv + 2, "PIDS", (const __u32 *)pids, cnt);
}

/* Prints how many grace periods of RCU have begun. The program in the object FILE reads this number. */
static int drive_grace(int argc, char **argv)
{
	__u64 periods = 0;
	/* the kernel copies the context back */
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &periods, .ctx_size_in = sizeof(periods));
	struct bpf_object *obj = argc == 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	int err = obj ? bpf_object__load(obj) : -EINVAL;

	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(bpf_object__next_program(obj, NULL)),
					     &opts);
	err = err ?: (int)opts.retval;
	bpf_object__close(obj);
	if (err)
		return fail(err, "grace");
	printf("%llu\n", (unsigned long long)periods);
	return 0;
}

static int drive_objects(int argc, char **argv)
{
	struct objects *o = objects__new();
	int cnt = 0, err, i;

	if (!o)
		return fail(-ENOMEM, "objects");
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		cnt += objects__load(o, argv[i]);
	if (i + 1 >= argc)
		return fail(-EINVAL, "objects");
	err = cnt ? objects__drive(o) : 0;
	if (err)
		return fail(err, "objects");
	return cnt ? spawn_wait(argv + i + 1) : 0;
}

static const struct command commands[] = {
	{"testrun", "ID[:N]…",
	 "run programs N times each by BPF_PROG_TEST_RUN, one after the other", drive_testrun},
	{"slope", "ID",
	 "print the instructions per test run of a program (exact on an exact machine)",
	 drive_slope},
	{"time", "ID N", "run a program N times; prints the mean nanoseconds per run", drive_time},
	{"pace", "ID N PERIOD MS",
	 "for MS milliseconds, run a program N times every PERIOD microseconds (0: without a "
	 "pause); "
	 "prints the runs, the elapsed ns, and the ns of CPU time",
	 drive_pace},
	{"disturb", "NS", "compute for a random time after each random pause, NS on average",
	 drive_disturb},
	{"dump", "ID FILE",
	 "write the kernel's information about a program, as an input for tests/fuzz", drive_dump},
	{"getsid", "N", "call getsid(2) with a process id N times", drive_getsid},
	{"tcpcc", "NAME N", "choose TCP congestion control NAME N times on a connected socket",
	 drive_tcpcc},
	{"send", "IF[,IF…] N [RATE]", "send N UDP packets on each interface and see them arrive",
	 drive_send},
	{"packets", "N [FD]", "send N packets over loopback, or on a socket that it has inherited",
	 drive_packets},
	{"lengths", "IF LENGTH…",
	 "send one packet of each of these lengths on a veth, and see them arrive", drive_lengths},
	{"context", "HOOK N ID…",
	 "attach each of the programs to HOOK, one after the other, and make it run N times there "
	 "in the way its users do (tests/kernel/drive/contexts.c has the hooks)",
	 drive_context},
	{"attached", "HOOK ID COMMAND…", "run a command while the program is attached to a hook",
	 drive_attached},
	{"left", "HOOK ID",
	 "attach the program to a hook, close its descriptor, print a line, and wait for SIGINT",
	 drive_left},
	{"frame", "IF HEX [N]",
	 "send N frames (default: 1) of these hexadecimal digits and zeroes, 64 bytes, on a device",
	 drive_frame},
	{"tun", "ID COMMAND…",
	 "run a command while the tc program is attached to egress of a tun device, tun0",
	 drive_tun},
	{"probe", "ID FUNCTION COMMAND…",
	 "run a command while fentry and fexit are attached to the program's function, even if "
	 "that "
	 "crashes the kernel",
	 drive_probe},
	{"switches", "[fork] [quick] [USERS[,USERS…] COMMAND…]",
	 "print the instructions per context switch of a ping-pong; for each USERS a line: USERS, "
	 "without users, with that many COMMANDs running, and the difference; in COMMAND, PIDS is "
	 "replaced by the two processes, and it must run \"drive ready\"; with fork, the first "
	 "process "
	 "forks a child that stays before each COMMAND; quick measures with the effort of the "
	 "tests",
	 drive_switches},
	{"counters", "", "print how many counters of CPU 0's PMU are free", drive_counters},
	{"ready", "", "report to drive switches that this user counts, and wait", drive_ready},
	{"worker", "NUMBER PIPES",
	 "run a worker of tests/kernel/system/workload.h; PIPES are descriptors", drive_worker},
	{"nobody", "CAP,…|none COMMAND…",
	 "run COMMAND as an ordinary user with only those capabilities", drive_nobody},
	{"unmapped", "COMMAND…", "run COMMAND, which cannot map any BPF map", drive_unmapped},
	{"files", "N COMMAND…", "run COMMAND, which cannot open more than N files", drive_files},
	{"programs", "N FILE COMMAND…",
	 "run COMMAND while N programs are loaded, the object FILE as often as needed; in COMMAND, "
	 "IDS "
	 "is replaced by their ids",
	 drive_programs},
	{"grace", "FILE", "print how many grace periods of RCU have begun", drive_grace},
	{"objects", "FILE… -- COMMAND…",
	 "run COMMAND while all programs of the files that the kernel accepts are loaded, and run "
	 "as far as test runs and attaching make them run; prints them first",
	 drive_objects},
	{"processes", "N COMMAND…",
	 "run COMMAND while N processes sleep; in COMMAND, PIDS is replaced by their ids",
	 drive_processes},
	{"childless", "COMMAND…",
	 "run COMMAND with SIGCHLD ignored, so that the kernel keeps no exit status of its "
	 "children",
	 drive_childless},
	{"terminal", "ROWS COLS COMMAND…",
	 "run COMMAND in a terminal of this size, and copy what it writes there to standard output",
	 drive_terminal},
	{"run", "[--veth] --obj FILE[:PROGRAM]… -- COMMAND…",
	 "run COMMAND while the programs are loaded; $PROG_IDS and $PROG_ID_<name> are their ids; "
	 "with --veth each is an XDP program on its own veth pair and $IF_TX lists the sending "
	 "ends",
	 drive_run},
};

static int usage(FILE *out, int status)
{
	fprintf(out, "usage: drive [-C CPU] COMMAND ARGUMENTS, where COMMAND is one of\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %s %s\n      %s\n", commands[i].name, commands[i].args,
			commands[i].help);
	return status;
}

static int pin_to_cpu(const char *cpu)
{
	cpu_set_t set;
	__u64 id;

	if (parse_count(cpu, &id) || id >= CPU_SETSIZE)
		return fail(-EINVAL, cpu);
	CPU_ZERO(&set);
	CPU_SET(id, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? fail(-errno, "sched_setaffinity") : 0;
}

int main(int argc, char **argv)
{
	int opt;

	/*
	 * Silence libbpf, which warns of sections that only libxdp reads; fail() reports real
	 * errors.
	 */
	libbpf_set_print(NULL);
	while ((opt = getopt(argc, argv, "+hC:")) != -1) {
		if (opt == 'h')
			return usage(stdout, 0);
		if (opt != 'C')
			return usage(stderr, 2);
		if (pin_to_cpu(optarg))
			return 1;
	}
	if (optind == argc)
		return usage(stderr, 2);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[optind], commands[i].name))
			return commands[i].run(argc - optind, argv + optind);
	return usage(stderr, 2);
}
