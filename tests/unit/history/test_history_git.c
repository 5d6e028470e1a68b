// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the messages and results of bprof history when git fails, ends early or prints something wrong. A script
 * stands in for git. Also tests calls of bprof itself that fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/log.h"
#include "history/history_git.h"
#include "tests/unit/base/failing_calls.h"
#include "tests/unit/history/made_history.h"

/* The number of waits that a signal interrupts. */
static int interrupted_waits;

REPLACE(FILE *, NULL, tmpfile, (void), ())
REPLACE(int, EOF, fputs, (const char *text, FILE *f), (text, f))
REPLACE(int, -1, flock, (int fd, int operation), (fd, operation))
REPLACE(off_t, -1, lseek, (int fd, off_t off, int whence), (fd, off, whence))
REPLACE(FILE *, NULL, fmemopen, (void *mem, size_t sz, const char *mode), (mem, sz, mode))
REPLACE(int, EIO, posix_spawnp,
	(pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
	 const posix_spawnattr_t *attr, char *const *argv, char *const *envp),
	(pid, file, actions, attr, argv, envp))

pid_t waitpid(pid_t pid, int *status, int options)
{
	typeof(waitpid) *real = (typeof(waitpid) *)dlsym(RTLD_NEXT, "waitpid");

	if (!interrupted_waits)
		return real(pid, status, options);
	interrupted_waits--;
	errno = EINTR;
	return -1;
}

static char dir[] = "/tmp/bprof-git-XXXXXX", old_dir[PATH_MAX];

/* The messages that were logged. The buffer is static, because allocations may fail here. */
static char messages[4096];

static void keep_message(void *arg, enum log_level level, const char *message)
{
	size_t len = strlen(messages);

	snprintf(messages + len, sizeof(messages) - len, "%s\n", message);
}

static const struct log_sink sink = {.write = keep_message, .max = LOG_LEVEL_INFO};

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Makes git a script with these cases of its first argument. NULL: there is no git. */
static void make_git(const char *cases)
{
	char script[1024];

	messages[0] = '\0';
	if (!cases) {
		unlink("git");
		return;
	}
	snprintf(script, sizeof(script), "#!/bin/sh\ncase $1 in\n%s\nesac\n", cases);
	write_file("git", script);
	assert_int_equal(chmod("git", 0755), 0);
}

static int next_fd(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

/* ---- commits ---- */

static void test_find_commit(void **state)
{
	static const struct {
		const char *git;
		int err;
		const char *hash;
		long long date;
	} cases[] = {
		{"show) echo abc 123; echo def 456;;", 0, "abc", 123},
		{"show) printf 'abc 123';;", 0, "abc", 123},
		{"show) echo 'warning: slow' >&2; echo abc 123;;", 0, "abc", 123},
		{"show) [ \"$3\" = --no-show-signature ] || echo Good signature; echo abc 123;;", 0,
		 "abc", 123},
		/* The caller reports that there is no such commit. */
		{"show) echo 'fatal: bad revision' >&2; exit 128;;", -ENOENT, NULL, 0},
		{"show) ;;", -ENOENT, NULL, 0},
		{"show) kill -9 $$;;", -ENOENT, NULL, 0},
		{NULL, -ENOENT, NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timespec date = {};
		char *hash;

		make_git(cases[i].git);
		assert_int_equal(history_git__find_commit("v1", &hash, &date), cases[i].err);
		assert_string_equal(messages, "");
		if (cases[i].hash)
			assert_string_equal(hash, cases[i].hash);
		else
			assert_null(hash);
		assert_int_equal(date.tv_sec, cases[i].date);
		free(hash);
	}
}

/* Git is given the name of a commit as one word that is no option. */
static void test_rev(void **state)
{
	struct timespec date;
	char *hash;

	make_git("show) echo \"$6\" 7;;");
	assert_int_equal(history_git__find_commit("--help", &hash, &date), 0);
	assert_string_equal(hash, "--help^{commit}");
	free(hash);
}

/* ---- adding a note ---- */

#define REPOSITORY "rev-parse) echo .;;\n"

static void test_append(void **state)
{
	static const struct {
		const char *git;
		int err;
		const char *messages;
	} cases[] = {
		{REPOSITORY "notes) cat > input;;", 0, ""},
		{REPOSITORY "notes) printf '\\n\\nwarning: x\\n\\n' >&2;;", 0,
		 "git notes: warning: x\n"},
		{REPOSITORY "notes) printf 'first\\n\\nfatal: last\\n\\n' >&2; exit 1;;", -EIO,
		 "git notes: fatal: last\n"},
		{REPOSITORY "notes) echo >&2; exit 3;;", -EIO, "git notes: ended with status 3\n"},
		{REPOSITORY "notes) kill -9 $$;;", -EIO, "git notes: killed by signal 9\n"},
		{REPOSITORY "notes) echo why >&2; kill -9 $$;;", -EIO, "git notes: why\n"},
		{"rev-parse) exit 2;;", -EIO, "git rev-parse: ended with status 2\n"},
		{"rev-parse) ;;", -EIO, "git rev-parse: no output\n"},
		{"rev-parse) echo why >&2; exit 127;;", -EIO, "git rev-parse: why\n"},
		/* some C libraries' posix_spawn() ends the child with status 127 if there is no git */
		{"rev-parse) exit 127;;", -ENOENT, "git: No such file or directory\n"},
		{"rev-parse) echo none;;", -ENOENT,
		 "none: cannot be locked: No such file or directory\n"},
		{NULL, -ENOENT, "git: No such file or directory\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = next_fd();

		make_git(cases[i].git);
		assert_int_equal(history_git__append("abc", "the note\n"), cases[i].err);
		assert_string_equal(messages, cases[i].messages);
		assert_int_equal(next_fd(), fd);
	}
}

/* Returns what git has read last. */
static const char *input(void)
{
	static char text[64];
	FILE *f = fopen("input", "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void test_interrupted(void **state)
{
	make_git(REPOSITORY "notes) sleep 0.1; cat > input;;");
	write_file("input", "");
	interrupted_waits = 3;
	assert_int_equal(history_git__append("abc", "the note\n"), 0);
	assert_int_equal(interrupted_waits, 0);
	assert_string_equal(input(), "the note\n");
}

/* ---- reading notes ---- */

/* Two notes, and a third one on a commit that is not before HEAD. */
#define LIST "notes) echo b1 c1; echo b2 c2; echo b3 c3;;\n"
#define TEXTS                                                                                \
	"cat-file) for n in $(cat); do f=${n#b}; echo $n blob $(wc -c < $f); cat $f; echo; " \
	"done;;\n"
#define COMMITS "rev-list) echo c2; echo c0; echo c1;;\n"

/* Writes the texts of the notes on c1, c2 and c3 to the files 1, 2 and 3. */
static void write_notes(void)
{
	struct history h = {};

	for (int i = 0; i < 3; i++) {
		char name[16];
		FILE *f;

		add_count(&h, i + 1, 100);
		snprintf(name, sizeof(name), "%d", i + 1);
		f = fopen(name, "w");
		assert_non_null(f);
		history_entry__print(&h.v[i], f);
		assert_int_equal(fclose(f), 0);
	}
	history__free(&h);
}

static void test_read(void **state)
{
	struct history h = {};

	make_git(LIST TEXTS COMMITS);
	assert_int_equal(history_git__read(&h), 0);
	assert_int_equal(h.cnt, 2);
	assert_string_equal(h.v[0].commit, "c2");
	assert_string_equal(h.v[1].commit, "c1");
	assert_string_equal(messages,
			    "notes on 1 commits are left out, because they are not before HEAD\n");
	history__free(&h);
}

/* The newest entry is unknown if the note on the newest commit is bad, whichever note git lists last. */
static void test_bad_note(void **state)
{
	static const char text[] = "notes) echo b1 c1; echo b2 c2;;\n"
				   "cat-file) %s; %s;;\n"
				   "rev-list) echo %s; echo %s;;\n";
	static const char good[] = "printf \"b blob $(wc -c < 1)\\n\"; cat 1; echo",
			  bad[] = "printf 'b blob 5\\nbad!\\n\\n'";

	for (int i = 0; i < 4; i++) {
		bool first_is_bad = i & 1, first_is_newest = i & 2;
		struct history h = {};
		char git[512];

		snprintf(git, sizeof(git), text, first_is_bad ? bad : good,
			 first_is_bad ? good : bad, first_is_newest ? "c2" : "c1",
			 first_is_newest ? "c1" : "c2");
		make_git(git);
		assert_int_equal(history_git__read(&h), 0);
		assert_int_equal(h.cnt, 1);
		assert_int_equal(h.ends_bad, first_is_bad == first_is_newest);
		history__free(&h);
	}
}

/* A shallow clone lacks commits before HEAD, and with them the older reports. */
static void test_shallow(void **state)
{
	struct history h = {};

	make_git(LIST TEXTS "rev-list) echo c2;;\nrev-parse) echo true;;");
	assert_int_equal(history_git__read(&h), 0);
	assert_int_equal(h.cnt, 1);
	assert_string_equal(messages, "notes on 2 commits are left out, because this clone is "
				      "shallow: it does not have all commits before HEAD; run 'git "
				      "fetch --unshallow'\n");
	history__free(&h);
}

static void test_odd_notes(void **state)
{
	static const struct {
		const char *git;
		int err, cnt;
		const char *messages;
	} cases[] = {
		/* no notes */
		{"notes) ;;\ncat-file) ;;", 0, 0, ""},
		{"notes) echo word;;\ncat-file) ;;", 0, 0, ""},
		{"notes) echo b1 c1;;\ncat-file) printf 'b1 blob 0\\n\\n';;", 0, 0, ""},
		/* an empty note before another one */
		{"notes) echo b0 c0; echo b1 c1;;\ncat-file) printf 'b0 blob 0\\n\\n'; echo b1 "
		 "blob "
		 "$(wc -c < 1); cat 1;;\n" COMMITS,
		 0, 1, ""},
		{"notes) echo 'fatal: broken' >&2; exit 1;;", -EIO, 0,
		 "git notes: fatal: broken\n"},
		{LIST "cat-file) exit 1;;", -EIO, 0, "git cat-file: ended with status 1\n"},
		{LIST "cat-file) ;;", -EIO, 0, "git cat-file: unexpected output\n"},
		{LIST "cat-file) echo b1 missing;;", -EIO, 0, "git cat-file: unexpected output\n"},
		{LIST "cat-file) printf 'b1 blob 5x';;", -EIO, 0,
		 "git cat-file: unexpected output\n"},
		/* the last note is cut off, so nothing that follows it is missing */
		{"notes) echo b1 c1;;\ncat-file) printf 'b1 blob 5\\nab';;", -EIO, 0,
		 "git cat-file: unexpected output\n"},
		{LIST TEXTS "rev-list) echo 'fatal: no HEAD' >&2; exit 128;;", -EIO, 3,
		 "git rev-list: fatal: no HEAD\n"},
		{LIST TEXTS "rev-list) ;;", 0, 0,
		 "notes on 3 commits are left out, because they are not before HEAD\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct history h = {};
		int fd = next_fd();

		make_git(cases[i].git);
		assert_int_equal(history_git__read(&h), cases[i].err);
		assert_string_equal(messages, cases[i].messages);
		assert_int_equal(h.cnt, cases[i].cnt);
		assert_int_equal(next_fd(), fd);
		history__free(&h);
	}
}

/* ---- when a call fails ---- */

/* An error that is not that of a missing commit is reported. */
static void assert_reported(int err)
{
	if (err)
		assert_int_equal(err, -EIO);
	assert_true(!err || *messages);
	messages[0] = '\0';
}

static void find_once(void)
{
	struct timespec date;
	char *hash;
	int err = history_git__find_commit("v1", &hash, &date);

	assert_reported(err);
	assert_true(err || !strcmp(hash, "abc"));
	free(hash);
}

static void append_once(void)
{
	int err;

	unlink("input");
	err = history_git__append("abc", "the note\n");
	assert_reported(err);
	/* Git gets the whole note or nothing. */
	if (!access("input", F_OK))
		assert_string_equal(input(), "the note\n");
	else
		assert_int_not_equal(err, 0);
}

static void read_once(void)
{
	struct history h = {};
	int err = history_git__read(&h);

	assert_reported(err);
	assert_true(err || h.cnt == 2);
	history__free(&h);
}

static void (*const once[])(void) = {find_once, append_once, read_once};
#define WHOLE_GIT                                                   \
	"show) echo abc 123;;\nrev-parse) echo .;;\n" TEXTS COMMITS \
	"notes) case $3 in append) cat > input;; *) echo b1 c1; echo b2 c2; echo b3 c3;; esac;;"

static void test_failing_calls(void **state)
{
	make_git(WHOLE_GIT);
	for (size_t i = 0; i < ARRAY_SIZE(once); i++) {
		int n = 0, fd = next_fd();

		do {
			call_failed = false;
			calls_left = n++;
			once[i]();
			calls_left = -1;
		} while (call_failed);
		assert_true(n > 8);
		assert_int_equal(next_fd(), fd);
	}
}

/* ---- the scratch directory ---- */

static int set_up(void **state)
{
	char path[4096];

	if (!getcwd(old_dir, sizeof(old_dir)) || !mkdtemp(dir) || chdir(dir))
		return -1;
	/* The programs that the scripts run; git itself may be in the same place. */
	snprintf(path, sizeof(path), "%s:%s/bin", dir, dir);
	if (system("mkdir bin && for p in sh cat wc sleep; do ln -s \"$(command -v $p)\" bin/; "
		   "done"))
		return -1;
	setenv("PATH", path, 1);
	write_notes();
	log__set_sink(&sink);
	return 0;
}

static int tear_down(void **state)
{
	log__set_sink(NULL);
	setenv("PATH", "/usr/bin:/bin", 1);
	return system("rm -r \"$PWD\"") || chdir(old_dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_commit),   cmocka_unit_test(test_rev),
		cmocka_unit_test(test_append),	      cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_read),	      cmocka_unit_test(test_odd_notes),
		cmocka_unit_test(test_failing_calls), cmocka_unit_test(test_bad_note),
		cmocka_unit_test(test_shallow),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
