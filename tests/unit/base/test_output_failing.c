// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the file of -o when the kernel refuses: each call fails in turn. The file has the old or the
 * new document, every error has one message, and no temporary file is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "base/util.h"
#include "tests/unit/base/failing_calls.h"

static char dir[] = "/tmp/bprof-failing-XXXXXX";
static int messages;
static char message[256];

static void count_message(void *arg, enum log_level level, const char *text)
{
	messages++;
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log_sink counting = {.write = count_message, .max = LOG_LEVEL_ERROR};

/* ---- files ---- */

struct scene {
	const char *path; /* the argument of -o */
	unsigned int flags;
	bool exists, direct;	/* there is an old file; it is written to, not replaced */
	void (*prepare)(void);	/* changes the owner of "out", or adds a link; or NULL */
	const char *old, *both; /* the content before, and after "new" was written */
};

static void put_old(void)
{
	FILE *f = fopen("out", "we");

	assert_non_null(f);
	fputs("old", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod("out", 0644), 0);
}

static void put_other_owner(void)
{
	if (!geteuid())
		assert_int_equal(chown("out", 65534, 65533), 0);
}

static void put_second_name(void)
{
	assert_int_equal(link("out", "name"), 0);
}

static void put_link(void)
{
	assert_int_equal(symlink("out", "link"), 0);
}

static const struct scene scenes[] = {
	{"out", 0, false, false, NULL, "", "new"},
	{"out", 0, true, false, NULL, "old", "new"},
	{"out", 0, true, false, put_other_owner, "old", "new"},
	{"link", 0, true, false, put_link, "old", "new"},
	{"name", 0, true, true, put_second_name, "old", "new"},
	{"out", OUTPUT_APPEND, true, true, NULL, "old", "oldnew"},
	{"out", OUTPUT_PRIVATE, true, false, NULL, "old", "new"},
	{"name", OUTPUT_PRIVATE, true, true, put_second_name, "old", "new"},
	{"out", OUTPUT_PRIVATE | OUTPUT_APPEND, true, true, NULL, "old", "oldnew"},
	{"out", OUTPUT_KEEP_OLD, true, false, NULL, "old", "new"},
	{"out", OUTPUT_KEEP_OLD, false, false, NULL, "", "new"},
};

/* Removes all files. Returns the number of files that are neither "out" nor made by the scene or its flags. */
static int remove_files(void)
{
	DIR *d = opendir(".");
	struct dirent *e;
	int strange = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		strange += strcmp(e->d_name, "out") && strcmp(e->d_name, "out.old") &&
			   strcmp(e->d_name, "name") && strcmp(e->d_name, "link") &&
			   strcmp(e->d_name, "name.old");
		unlink(e->d_name);
	}
	closedir(d);
	return strange;
}

/* Returns the number of open descriptors. */
static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int cnt = 0;

	assert_non_null(d);
	while (readdir(d))
		cnt++;
	closedir(d);
	return cnt;
}

static int write_new(const struct scene *s)
{
	struct output o;
	int err = output__check(s->path) ?: output__open(s->path, s->flags, &o);

	if (err)
		return err;
	fputs("new", o.file);
	return output__close(&o, output__commit(&o, 0));
}

static void check_file(const struct scene *s, int err)
{
	char *text = NULL, *old = NULL;
	struct stat st;

	/* If the old file could not be put back, a second message says where it is. */
	assert_in_range(messages, err ? 1 : 0, err ? 2 : 0);
	/* If a link cannot be examined, the error is EACCES, as it may be another user's. */
	if (err && (err != -EACCES || s->prepare != put_link))
		assert_int_equal(err, -EIO);
	if (stat("out", &st)) {
		/* if there is no file "out", the old file is still there under another name */
		assert_true(err && (!s->exists || !read_file("out.old", &old)));
	} else {
		assert_int_equal(read_file("out", &text), 0);
		if (!err || !s->direct)
			assert_true(!strcmp(text, s->both) || (err && !strcmp(text, s->old)));
		if (!err && s->flags & OUTPUT_PRIVATE)
			assert_int_equal(st.st_mode & 077, 0);
	}
	if (old)
		assert_string_equal(old, s->old);
	free(text);
	free(old);
}

static void try_scene(const struct scene *s, bool all)
{
	int fds = count_fds();

	call_failed = true;
	for (int n = 0; call_failed; n++) {
		int err;

		if (s->exists)
			put_old();
		if (s->prepare)
			s->prepare();
		messages = 0;
		calls_left = n;
		all_fail = all;
		call_failed = false;
		err = write_new(s);
		calls_left = -1;
		check_file(s, err);
		assert_int_equal(remove_files(), 0);
		assert_int_equal(count_fds(), fds);
		if (!call_failed)
			assert_int_equal(err, 0);
		assert_in_range(n, 0, 100);
	}
}

static void test_each_call(void **state)
{
	umask(022);
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		try_scene(&scenes[i], false);
		try_scene(&scenes[i], true);
	}
}

static void test_stderr(void **state)
{
	struct output o;

	for (int n = 0; n < 2; n++) {
		messages = 0;
		calls_left = n;
		all_fail = false;
		assert_int_equal(output__open(NULL, OUTPUT_STDERR, &o), -EIO);
		assert_int_equal(messages, 1);
		assert_string_equal(message,
				    "standard error: cannot be written: Input/output error");
		assert_null(o.file);
	}
	/* if no document was completed, closing prints a message about the lost output */
	assert_int_equal(output__open(NULL, OUTPUT_STDERR, &o), 0);
	messages = 0;
	calls_left = 0;
	assert_int_equal(output__close(&o, 0), -EIO);
	assert_int_equal(messages, 1);
	assert_int_equal(output__close(&o, 0), 0);
	assert_int_equal(output__close(&o, -EINVAL), -EINVAL);
}

/* ---- pipes ---- */

static void ignore_signal(int sig)
{
}

/* Writes to a pipe without a reader, with that action for SIGPIPE. Returns the number of messages. */
static int write_to_no_reader(void (*action)(int))
{
	struct sigaction act = {.sa_handler = action}, old;
	const struct timespec none = {};
	char path[32];
	struct output o;
	sigset_t set;
	int fds[2], err;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	assert_int_equal(sigaction(SIGPIPE, &act, &old), 0);
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[1]);
	messages = 0;
	assert_int_equal(output__open(path, 0, &o), 0);
	close(fds[0]);
	fputs("new", o.file);
	err = output__commit(&o, 0);
	assert_int_equal(err, -EPIPE);
	assert_int_equal(output__close(&o, err), -EPIPE);
	close(fds[1]);
	sigtimedwait(&set, NULL, &none);
	sigaction(SIGPIPE, &old, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return messages;
}

/* If SIGPIPE is about to end bprof, bprof prints no message. */
static void test_no_reader(void **state)
{
	assert_int_equal(write_to_no_reader(SIG_DFL), 0);
	assert_int_equal(write_to_no_reader(SIG_IGN), 1);
	assert_non_null(strstr(message, "cannot be written: Broken pipe"));
	assert_int_equal(write_to_no_reader(ignore_signal), 1);
}

/* An error that a function reports without errno is an error, too. */
static void test_no_errno(void **state)
{
	struct output o;

	messages = 0;
	assert_int_equal(output__open("out", 0, &o), 0);
	assert_int_equal(fgetc(o.file), EOF); /* sets the error: the file cannot be read */
	assert_true(ferror(o.file));
	assert_int_equal(output__commit(&o, 0), -EIO);
	assert_int_equal(output__close(&o, -EIO), -EIO);
	assert_int_equal(messages, 1);
	assert_int_equal(remove_files(), 0);
}

static int setup(void **state)
{
	*state = (void *)log__set_sink(&counting);
	return !mkdtemp(dir) || chdir(dir);
}

static int teardown(void **state)
{
	log__set_sink(*state);
	return chdir("/") || rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_call),
		cmocka_unit_test(test_stderr),
		cmocka_unit_test(test_no_reader),
		cmocka_unit_test(test_no_errno),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
