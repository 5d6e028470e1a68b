// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the walk over the open files of processes. Must not know what is searched. Prints nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "host/open_files.h"

/* The kinds of files in the links of /proc/PID/fd. The name of BPF links changed in Linux 5.8. */
static const struct {
	const char *name;
	enum open_file_kind kind;
} file_types[] = {
	{"anon_inode:bpf-prog", OPEN_PROG},
	{"anon_inode:bpf_link", OPEN_LINK},
	{"anon_inode:bpf-link", OPEN_LINK},
	{"anon_inode:[perf_event]", OPEN_PERF_EVENT},
};

__u64 open_file__number(int pid, int fd, const char *key)
{
	char path[64], *text = NULL;
	const char *at;
	__u64 value = 0;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	else
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (read_file(path, &text))
		return 0;
	at = strstr(text, key);
	if (at)
		value = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return value;
}

static void visit_process(int pid, open_file_fn fn, void *arg, int *refused)
{
	char path[64], target[64];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir) {
		*refused += errno == EACCES || errno == EPERM;
		return;
	}
	while ((e = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

		if (n < 0)
			continue;
		target[n] = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(file_types); i++)
			if (!strcmp(target, file_types[i].name))
				fn(pid, atoi(e->d_name), file_types[i].kind, arg);
	}
	closedir(dir);
}

void open_files__walk(open_file_fn fn, void *arg, int *refused)
{
	/* /proc may be of another pid namespace, where bprof's id is not getpid(). */
	char self[32] = "";
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);
	int own = n < 0 ? getpid() : atoi(self);
	DIR *proc = opendir("/proc");
	struct dirent *e;

	if (!proc)
		return;
	while ((e = readdir(proc))) {
		int pid = atoi(e->d_name);

		if (pid > 0 && pid != own)
			visit_process(pid, fn, arg, refused);
	}
	closedir(proc);
}
