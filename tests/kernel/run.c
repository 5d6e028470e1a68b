// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs bprof as a child process: starts it in a shell, collects its output, and waits for its end.
 * If the test hangs, kills the child and fails the test. Does not know BPF.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/drive/hang.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/run.h"

/* child__poll() calls hangs() at least this often, in case SIGALRM came just before its poll(). */
#define LOOK_MS 1000

extern char **environ;

struct stream {
	int fd; /* -1 after the end of file was read */
	char *text;
	size_t len;
};

struct child {
	pid_t pid;   /* 0 after the child was reaped */
	pid_t group; /* the child's process group, for killing its descendants, too */
	int pidfd;
	int status;
	struct stream out, err;
	size_t line_pos; /* offset in out at which the next line begins */
	char *line;
	char command[MAX_TEXT];
};

static void stream__open(struct stream *s, int fd)
{
	s->fd = fd;
	s->text = calloc(1, 1);
	assert_non_null(s->text);
}

static void stream__close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Reads the available output; closes the stream at the end of file. */
static void stream__read(struct stream *s)
{
	char buf[65536];
	ssize_t n = read(s->fd, buf, sizeof(buf));

	if (n <= 0) {
		stream__close(s);
		return;
	}
	s->text = realloc(s->text, s->len + n + 1);
	assert_non_null(s->text);
	memcpy(s->text + s->len, buf, n);
	s->len += n;
	s->text[s->len] = '\0';
}

static void child__reap(struct child *c)
{
	waitpid(c->pid, &c->status, 0);
	c->pid = 0;
	close(c->pidfd);
}

static void child__kill(struct child *c)
{
	if (c->group)
		kill(-c->group, SIGKILL);
	if (c->pid)
		child__reap(c);
}

void child__free(struct child *c)
{
	if (!c)
		return;
	child__kill(c);
	stream__close(&c->out);
	stream__close(&c->err);
	free(c->out.text);
	free(c->err.text);
	free(c->line);
	free(c);
}

static struct child *start(struct fixture *f, const char *line)
{
	char *argv[] = {"sh", "-c", NULL, NULL};
	struct child *c = calloc(1, sizeof(*c));
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int out[2], err[2];

	assert_non_null(c);
	c->out.fd = c->err.fd = -1;
	assert_true(f->child_cnt < MAX_KEPT);
	f->child[f->child_cnt++] = c;
	snprintf(c->command, sizeof(c->command), "exec %s", line);
	argv[2] = c->command;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	assert_int_equal(posix_spawnp(&c->pid, argv[0], &actions, &attr, argv, environ), 0);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	c->group = c->pid;
	c->pidfd = syscall(SYS_pidfd_open, c->pid, 0);
	assert_true(c->pidfd >= 0);
	close(out[1]);
	close(err[1]);
	stream__open(&c->out, out[0]);
	stream__open(&c->err, err[0]);
	return c;
}

/*
 * Waits until the child writes or ends; fails the test if it hangs. Returns true when the child
 * has ended and all of its output is read. Does not wait for processes that the child left running,
 * although they may hold the pipes open.
 */
static bool child__poll(struct child *c)
{
	struct pollfd fds[] = {
		{c->out.fd, POLLIN, 0}, {c->err.fd, POLLIN, 0}, {c->pidfd, POLLIN, 0}};

	while (poll(fds, 3, LOOK_MS) <= 0) {
		if (!hangs())
			continue;
		child__kill(c);
		fail_test("hangs: %s\nstdout: %s\nstderr: %s", c->command, c->out.text,
			  c->err.text);
	}
	if (fds[0].revents)
		stream__read(&c->out);
	if (fds[1].revents)
		stream__read(&c->err);
	if (fds[0].revents || fds[1].revents)
		return false;
	child__reap(c);
	stream__close(&c->out);
	stream__close(&c->err);
	return true;
}

/*
 * Returns the place in bprof's arguments at which a COMMAND begins, if the report would go to stderr because
 * of the COMMAND. Returns NULL if there is no COMMAND, if there is -o, and for record, which writes a file.
 */
static const char *find_command(const char *args)
{
	const char *command = strstr(args, " -- "), *output = strstr(args, " -o");

	return (output && output < command) || !strncmp(args, "record ", 7) ? NULL : command;
}

static struct child *start_bprof(struct fixture *f, const char *args, va_list ap)
{
	char text[MAX_TEXT], line[MAX_TEXT + 16];
	const char *command;
	int len;

	vsnprintf(text, sizeof(text), args, ap);
	command = find_command(text);
	len = command ? command - text : (int)strlen(text);
	snprintf(line, sizeof(line), "bprof %.*s%s%s", len, text, command ? " -o -" : "",
		 text + len);
	return start(f, line);
}

struct child *bprof_start(struct fixture *f, const char *args, ...)
{
	struct child *c;
	va_list ap;

	va_start(ap, args);
	c = start_bprof(f, args, ap);
	va_end(ap);
	return c;
}

struct child *command_start(struct fixture *f, const char *line, ...)
{
	char text[MAX_TEXT];
	va_list ap;

	va_start(ap, line);
	vsnprintf(text, sizeof(text), line, ap);
	va_end(ap);
	return start(f, text);
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

const char *child_line(struct child *c)
{
	char *end;

	while (!(end = strchr(c->out.text + c->line_pos, '\n')))
		if (child__poll(c))
			fail_test("ended without another line: %s\nstderr: %s", c->command,
				  c->err.text);
	free(c->line);
	c->line = strndup(c->out.text + c->line_pos, end - c->out.text - c->line_pos);
	c->line_pos = end + 1 - c->out.text;
	return c->line;
}

void child_signal(struct child *c, int sig)
{
	assert_int_equal(kill(c->pid, sig), 0);
}

/*
 * Checks the rules that hold for every report. For example, each run is either measured, thinned
 * out, counted only by the kernel, or lost.
 */
static void check_report(json_t *report, const char *out)
{
	json_t *rows = json_object_get(report, "programs"), *row;

	assert_int_equal(num(report, "schema"), 1);
	assert_string_equal(str(report, "tool"), "bprof");
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		const char *key;
		json_t *lost;
		json_int_t sum = num(row, "measured") + num(row, "sampled_out") +
				 json_integer_value(json_object_get(row, "unprobed"));

		assert_true(*str(row, "type") && *str(row, "tag") && *str(row, "method"));
		json_object_foreach(json_object_get(row, "lost"), key, lost)
			sum += json_integer_value(lost);
		if (num(row, "runs") != sum)
			fail_test("runs are not measured + lost: %s", out);
	}
	assert_true(json_is_array(json_object_get(report, "skipped")));
}

struct run *child_wait(struct fixture *f, struct child *c)
{
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	assert_true(f->run_cnt < MAX_KEPT);
	f->run[f->run_cnt++] = r;
	while (!child__poll(c))
		;
	r->status = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
	r->out = c->out.text;
	r->err = c->err.text;
	c->out.text = c->err.text = NULL;
	if (r->out[0] == '{')
		r->json = json_loads(r->out, JSON_DISABLE_EOF_CHECK, NULL);
	if (r->json && json_object_get(r->json, "elapsed_ns") &&
	    !json_object_get(r->json, "annotate"))
		check_report(r->json, r->out);
	return r;
}

struct run *bprof(struct fixture *f, const char *args, ...)
{
	struct child *c;
	va_list ap;

	va_start(ap, args);
	c = start_bprof(f, args, ap);
	va_end(ap);
	return child_wait(f, c);
}

struct run *command(struct fixture *f, const char *line, ...)
{
	char text[MAX_TEXT];
	va_list ap;

	va_start(ap, line);
	vsnprintf(text, sizeof(text), line, ap);
	va_end(ap);
	return child_wait(f, start(f, text));
}

void run__free(struct run *r)
{
	if (!r)
		return;
	json_decref(r->json);
	free(r->out);
	free(r->err);
	free(r);
}
