// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The programs of foreign objects (objects.h). Links no code of bprof. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tests/kernel/drive/objects.h"
#include "tests/kernel/drive/testrun.h"

#define MAX_PROGS 2048
#define RUNS 5
#define PAUSE_US 10000
#define REFUSED_TAG "comment:test_expect_failure" /* __failure of the kernel's bpf_misc.h */

struct objects {
	int fd[MAX_PROGS];
	int iter[MAX_PROGS]; /* the link of program n if the program is an iterator, or -1 */
	int cnt;
	int cgroup;
};

/*
 * Attaches a program if its type can only observe, or can only affect sockets of the root cgroup.
 */
static struct bpf_link *attach(const struct objects *o, const struct bpf_program *prog)
{
	switch (bpf_program__type(prog)) {
	case BPF_PROG_TYPE_TRACING:
		if (bpf_program__expected_attach_type(prog) == BPF_MODIFY_RETURN)
			return NULL;
		return bpf_program__attach(prog);
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_KPROBE:
		return bpf_program__attach(prog);
	case BPF_PROG_TYPE_CGROUP_SOCK:
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
	case BPF_PROG_TYPE_CGROUP_SOCKOPT:
	case BPF_PROG_TYPE_SOCK_OPS:
		return bpf_program__attach_cgroup(prog, o->cgroup);
	default:
		return NULL;
	}
}

static void add_prog(struct objects *o, const struct bpf_program *prog, const char *path)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);
	struct bpf_link *link;

	if (o->cnt == MAX_PROGS || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &sz))
		return;
	printf("%u %u %s %s\n", info.id, info.type, bpf_program__name(prog), path);
	link = attach(o, prog);
	o->fd[o->cnt] = bpf_program__fd(prog);
	o->iter[o->cnt++] = link && bpf_program__expected_attach_type(prog) == BPF_TRACE_ITER
				    ? bpf_link__fd(link)
				    : -1;
}

/*
 * Returns true if the source says that the kernel refuses the program, because it tests the
 * verifier.
 */
static bool is_refused(const struct btf *btf, const char *prog)
{
	__u32 cnt = btf ? btf__type_cnt(btf) : 0;

	for (__u32 id = 1; id < cnt; id++) {
		const struct btf_type *tag = btf__type_by_id(btf, id), *func;

		if (!btf_is_decl_tag(tag) ||
		    strcmp(btf__str_by_offset(btf, tag->name_off), REFUSED_TAG))
			continue;
		func = btf__type_by_id(btf, tag->type);
		if (func && !strcmp(btf__str_by_offset(btf, func->name_off), prog))
			return true;
	}
	return false;
}

/*
 * Loads the object with the n-th program that the kernel may accept or, if n < 0, with all such
 * programs. Sets *cnt to the number of such programs. Returns false if nothing was loaded.
 */
static bool load(struct objects *o, const char *path, int n, int *cnt)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;

	*cnt = 0;
	if (!obj)
		return false;
	bpf_object__for_each_program (prog, obj) {
		bool refused = is_refused(bpf_object__btf(obj), bpf_program__name(prog));

		bpf_program__set_autoload(prog, !refused && (n < 0 || *cnt == n));
		*cnt += !refused;
	}
	if (!*cnt || bpf_object__load(obj)) {
		bpf_object__close(obj);
		return false;
	}
	bpf_object__for_each_program (prog, obj)
		if (bpf_program__autoload(prog))
			add_prog(o, prog, path);
	return true;
}

int objects__load(struct objects *o, const char *path)
{
	int before = o->cnt, cnt;

	if (!load(o, path, -1, &cnt) && cnt > 1)
		for (int n = cnt; n--;)
			load(o, path, n, &cnt);
	fflush(stdout);
	return o->cnt - before;
}

struct objects *objects__new(void)
{
	struct objects *o = calloc(1, sizeof(*o));

	if (o)
		o->cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	return o;
}

/* Makes system calls that programs trace or decide on, and ignores their results. */
static void act(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
	socklen_t len = sizeof(addr), on_len = sizeof(on);
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	close(open("/dev/null", O_RDONLY));
	getsid(0);
	getpgid(0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, &on_len);
	bind(fd, (void *)&addr, sizeof(addr));
	getsockname(fd, (void *)&addr, &len);
	connect(fd, (void *)&addr, sizeof(addr));
	getpeername(fd, (void *)&addr, &len);
	send(fd, &on, sizeof(on), MSG_DONTWAIT);
	recv(fd, &on, sizeof(on), MSG_DONTWAIT);
	close(fd);
}

static void read_iter(int link_fd)
{
	char buf[4096];
	int fd = bpf_iter_create(link_fd);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void *run(void *arg)
{
	struct objects *o = arg;

	for (;;) {
		for (int i = 0; i < o->cnt; i++)
			if (o->iter[i] >= 0)
				read_iter(o->iter[i]);
			else
				/* ignore errors, because some programs cannot be test-run */
				testrun__fd(o->fd[i], RUNS);
		act();
		usleep(PAUSE_US);
	}
	return NULL;
}

int objects__drive(struct objects *o)
{
	pthread_t thread;

	return -pthread_create(&thread, NULL, run, o);
}
