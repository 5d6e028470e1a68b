// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Many programs, and many processes (crowd.h). Links no code of bprof. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/kernel/drive/crowd.h"

/* A sleeping process needs a few hundred bytes of its stack. */
#define STACK_SZ 4096

/*
 * Loads the first cnt programs of an object, or all programs if it has fewer. Returns how many it
 * has loaded, which is not 0, or -errno.
 */
static int load_object(const char *path, int cnt, __u32 *ids)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	int n = 0;

	if (!obj)
		return -errno;
	bpf_object__for_each_program (prog, obj)
		bpf_program__set_autoload(prog, n++ < cnt);
	if (bpf_object__load(obj))
		return -errno;
	n = 0;
	bpf_object__for_each_program (prog, obj) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		if (n == cnt)
			break;
		if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
			return -errno;
		ids[n++] = info.id;
	}
	return n ?: -ENOENT;
}

int crowd__load(const char *path, int cnt, __u32 *ids)
{
	struct rlimit before, many;
	int loaded = 0;

	/*
	 * Each program needs a descriptor. Restore the limit afterwards, because commands inherit
	 * it.
	 */
	if (getrlimit(RLIMIT_NOFILE, &before))
		return -errno;
	many = before;
	many.rlim_cur += 2 * cnt;
	if (many.rlim_max < many.rlim_cur)
		many.rlim_max = many.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &many))
		return -errno;
	for (int n = 0; loaded >= 0 && n < cnt; n += loaded)
		loaded = load_object(path, cnt - n, ids + n);
	if (setrlimit(RLIMIT_NOFILE, &before))
		return -errno;
	return loaded < 0 ? loaded : 0;
}

static int sleep_until_killed(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (true)
		pause();
	return 0;
}

int crowd__start(int cnt, int *pids)
{
	char *stacks = mmap(NULL, (size_t)cnt * STACK_SZ, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stacks == MAP_FAILED)
		return -errno;
	for (int i = 0; i < cnt; i++) {
		pids[i] = clone(sleep_until_killed, stacks + (size_t)(i + 1) * STACK_SZ,
				CLONE_VM | SIGCHLD, NULL);
		if (pids[i] < 0)
			return -errno;
	}
	return 0;
}

void crowd__kill(const int *pids, int cnt)
{
	for (int i = 0; i < cnt; i++)
		kill(pids[i], SIGKILL);
	for (int i = 0; i < cnt; i++)
		waitpid(pids[i], NULL, 0);
}

char *crowd__list(const __u32 *numbers, int cnt)
{
	char *list = malloc(cnt * sizeof("4294967295,") + 1);
	size_t len = 0;

	for (int i = 0; list && i < cnt; i++)
		len += sprintf(list + len, "%s%u", i ? "," : "", numbers[i]);
	return list;
}
