// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens an object file in a child process first. Users may give any file, and libbpf 1.1 follows
 * the offsets in a damaged file without checking them. Such a file crashes the child, not bprof.
 * Owns the child; must not know what is done with the object afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/util.h"
#include "object/object_load.h"

/* The time limit for opening a file in the child, in seconds. */
#define OPEN_LIMIT 60

void bench_load__touch(const char *path)
{
	struct bench_load l = {.path = path};
	struct btf *btf = btf__parse_elf(path, NULL);

	bench_load__register_sections();
	bench_load__leave_out_broken(&l);
	bench_skips__free(l.skip, l.skip_cnt);
	free(l.image);
	if (!libbpf_get_error(btf))
		btf__free(btf);
}

/* Runs in the child. Exits with status 0 if touch() returns. */
static void __attribute__((noreturn))
run_child(const struct bench_load *l, void (*touch)(const char *path))
{
	/* The child must not run a signal handler of the caller. */
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
	const struct rlimit no_core = {};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	log__set_sink(NULL);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(OPEN_LIMIT);
	touch(l->path);
	_exit(0);
}

int bench_load__check_open(const struct bench_load *l, void (*touch)(const char *path))
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return bench_load__err(l, -errno, "cannot start a process to open it in: %s",
				       strerror(errno));
	if (!pid)
		run_child(l, touch);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return bench_load__err(l, -errno, "waiting for a process: %s",
					       strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return bench_load__err(l, -EINVAL,
				       "the object file is damaged: libbpf did not finish opening "
				       "it in %d s; compile it again",
				       OPEN_LIMIT);
	return bench_load__err(
		l, -EINVAL, "the object file is damaged: libbpf crashes on it; compile it again");
}
