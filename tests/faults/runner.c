// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs bprof once: its environment, its end, and its outputs (campaign.h). Must not know verdicts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/faults/campaign.h"

/* A command hangs if it sleeps for SLEEP_LIMIT seconds in a row, or takes CPU_LIMIT seconds of CPU time. */
#define SLEEP_LIMIT 20
#define BUSY_TICKS 10 /* a process that takes less in a second only polls: it counts as sleeping */
#define CPU_LIMIT 120

void die(const char *what)
{
	fprintf(stderr, "campaign: %s: %s\n", what, strerror(errno));
	exit(125);
}

char *path_of(const char *name)
{
	static char path[4][256];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", opts.dir, name);
	return path[next];
}

char *read_all(const char *path, size_t *sz)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len;
	FILE *to;
	int c;

	if (!f)
		return NULL;
	to = open_memstream(&text, &len);
	while ((c = getc(f)) != EOF)
		putc(c, to);
	fclose(f);
	fclose(to);
	if (sz)
		*sz = len;
	return text;
}

static void write_all(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
}

/* Returns the word with $NAME replaced by the environment variable NAME. */
static char *expand(const char *word)
{
	char *out = NULL;
	size_t sz;
	FILE *f = open_memstream(&out, &sz);

	while (*word) {
		char name[32];
		int len = 0;

		if (*word == '$' && sscanf(word + 1, "%31[A-Z]%n", name, &len) == 1) {
			fputs(getenv(name) ?: "", f);
			word += len + 1;
		} else {
			putc(*word++, f);
		}
	}
	fclose(f);
	return out;
}

static void exec_line(const struct line *line)
{
	struct rlimit cpu = {CPU_LIMIT, CPU_LIMIT}, core = {};
	char *args = strdup(line->args), *rest = args, *word, *argv[64] = {(char *)opts.bprof};
	int argc = 1;

	while ((word = strsep(&rest, " ")) && argc < 63)
		argv[argc++] = expand(word);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(open(path_of("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
	dup2(open(path_of("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
	execv(opts.bprof, argv);
	_exit(126);
}

/* Returns true if the process sleeps. Sets *ticks to the CPU time that it has used. */
static bool is_asleep(pid_t pid, unsigned long *ticks)
{
	unsigned long user = 0, kernel = 0;
	char path[64], state = 'Z', *text, *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = read_all(path, NULL);
	end = text ? strrchr(text, ')') : NULL;
	if (end)
		sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
		       &user, &kernel);
	free(text);
	*ticks = user + kernel;
	return state == 'S' || state == 'D' || state == 'T';
}

/* Waits for the process. Kills it and returns false if it makes no progress. */
static bool wait_for(pid_t pid, int *status)
{
	struct pollfd fd = {syscall(SYS_pidfd_open, pid, 0), POLLIN};
	unsigned long before = 0, now;
	int asleep = 0;

	while (!poll(&fd, 1, 1000) && asleep < SLEEP_LIMIT) {
		asleep = is_asleep(pid, &now) && now - before < BUSY_TICKS ? asleep + 1 : 0;
		before = now;
	}
	close(fd.fd);
	if (asleep >= SLEEP_LIMIT)
		kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return asleep < SLEEP_LIMIT && !(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU);
}

static void set_number(const char *name, int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", n);
	setenv(name, text, 1);
}

bool run_line(const struct line *line, int n, struct output *o)
{
	bool ended;
	pid_t pid;

	set_number("FAULT_AT", n);
	write_all(getenv("OUT"), AS_IT_WAS);
	unlink(path_of("log"));
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		exec_line(line);
	ended = wait_for(pid, &o->status);
	o->out = read_all(path_of("stdout"), NULL);
	o->err = read_all(path_of("stderr"), NULL);
	o->file = read_all(getenv("OUT"), NULL);
	o->log = read_all(path_of("log"), NULL);
	return ended;
}

const char *sweep(void)
{
	static char found[256];
	DIR *dir = opendir(getenv("SCRATCH"));
	struct dirent *e;

	found[0] = '\0';
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' && (!e->d_name[1] || e->d_name[1] == '.'))
			continue;
		if (strcmp(e->d_name, "out") && strcmp(e->d_name, "out.old") &&
		    strcmp(e->d_name, "out.history"))
			snprintf(found, sizeof(found), "%s", e->d_name);
		unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return found;
}
