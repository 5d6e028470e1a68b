// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The programs of foreign objects (objects.h). Links no code of bprof. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/kernel/drive/objects.h"
#include "tests/kernel/drive/testrun.h"

#define MAX_PROGS 512
#define RUNS 20
#define PAUSE_US 2000

struct objects {
	int fd[MAX_PROGS];
	int cnt;
};

/* Returns true if the program only looks on, so that it can be attached without harm. */
static bool only_traces(const struct bpf_program *prog)
{
	switch (bpf_program__type(prog)) {
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_KPROBE:
		return true;
	case BPF_PROG_TYPE_TRACING:
		return bpf_program__expected_attach_type(prog) != BPF_MODIFY_RETURN;
	default:
		return false;
	}
}

static void add_prog(struct objects *o, const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	if (o->cnt == MAX_PROGS || bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &sz))
		return;
	o->fd[o->cnt++] = bpf_program__fd(prog);
	printf("%u %u %s\n", info.id, info.type, bpf_program__name(prog));
	if (only_traces(prog))
		bpf_program__attach(prog);
}

/* Loads program n of the object alone. Returns false if it has no program n. */
static bool load_nth(struct objects *o, const char *path, int n)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog, *found = NULL;
	int i = 0;

	if (!obj)
		return false;
	bpf_object__for_each_program (prog, obj) {
		bpf_program__set_autoload(prog, i == n);
		if (i++ == n)
			found = prog;
	}
	if (found && !bpf_object__load(obj))
		add_prog(o, found);
	else
		bpf_object__close(obj);
	return found;
}

int objects__load(const char *path, struct objects **out)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	int n = 0;

	if (!obj)
		return -errno;
	bpf_object__close(obj);
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	while (load_nth(*out, path, n))
		n++;
	fflush(stdout);
	return (*out)->cnt;
}

static void *run(void *arg)
{
	struct objects *o = arg;

	for (;;) {
		for (int i = 0; i < o->cnt; i++)
			testrun__fd(o->fd[i], RUNS); /* not all can be test-run */
		close(open("/dev/null", O_RDONLY));
		getsid(0);
		usleep(PAUSE_US);
	}
	return NULL;
}

int objects__drive(struct objects *o)
{
	pthread_t thread;

	return -pthread_create(&thread, NULL, run, o);
}
