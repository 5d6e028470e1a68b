// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the file of -o is replaced: only by a complete document, at once, and with the same
 * owner and mode; and which files are written directly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/util.h"
#include "tests/unit/capture.h"

static char dir[] = "/tmp/bprof-output-XXXXXX";

/* Which call of rename() from now on fails: 1: the next one; 0: none. */
static int failing_rename;
static bool later_fail; /* all later calls fail, too */

static bool no_links; /* link() fails, as in a file system without hard links */

/* Replaces the C library's function. */
int rename(const char *from, const char *to)
{
	int (*real)(const char *from, const char *to) = dlsym(RTLD_NEXT, "rename");

	if (!failing_rename || (failing_rename > 1 && failing_rename--))
		return real(from, to);
	failing_rename = later_fail;
	errno = EIO;
	return -1;
}

/* Replaces the C library's function. */
int link(const char *from, const char *to)
{
	int (*real)(const char *from, const char *to) = dlsym(RTLD_NEXT, "link");

	errno = EPERM;
	return no_links ? -1 : real(from, to);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *name, const char *want)
{
	char *text;

	assert_int_equal(read_file(name, &text), 0);
	assert_string_equal(text, want);
	free(text);
}

static unsigned int mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

static int file_cnt(void)
{
	DIR *d = opendir(".");
	int cnt = 0;

	assert_non_null(d);
	while (readdir(d))
		cnt++;
	closedir(d);
	return cnt - 2;
}

/* Writes a document, completes it as if writing it had returned err, and closes the output. */
static int write_text(const char *path, unsigned int flags, const char *text, int err)
{
	struct output o;
	int open_err = output__open(path, flags, &o);

	if (open_err)
		return open_err;
	fputs(text, o.file);
	return output__close(&o, output__commit(&o, err));
}

static void test_replaces(void **state)
{
	struct output o;

	umask(027);
	assert_int_equal(write_text("out", 0, "new", 0), 0);
	assert_text("out", "new");
	assert_int_equal(mode_of("out"), 0640);
	chmod("out", 0604);
	assert_int_equal(output__open("out", 0, &o), 0);
	fputs("first ", o.file);
	fflush(o.file);
	assert_text("out", "new"); /* the old text, until the document is complete */
	assert_int_equal(output__commit(&o, 0), 0);
	assert_text("out", "first ");
	fputs("second", o.file); /* the reports of -I follow in the same file */
	assert_int_equal(output__commit(&o, 0), 0);
	assert_text("out", "first second");
	assert_int_equal(output__close(&o, 0), 0);
	assert_int_equal(mode_of("out"), 0604);
	assert_int_equal(file_cnt(), 1);
}

static void test_keeps_the_file_on_failure(void **state)
{
	struct capture log;
	struct output o;
	char *text;

	put("out", "old");
	assert_int_equal(output__check("out"), 0);
	assert_int_equal(output__open("out", 0, &o), 0);
	fputs("half", o.file);
	assert_int_equal(output__close(&o, -EIO), -EIO);
	assert_text("out", "old");
	capture__begin(&log, stderr);
	assert_int_equal(write_text("out", 0, "half", -ENOSPC), -ENOSPC);
	text = capture__end(&log);
	assert_string_equal(text, "bprof: out: cannot be written: No space left on device\n");
	free(text);
	assert_text("out", "old");
	assert_int_equal(file_cnt(), 1);
}

/* Tests the modes of new files, and of old files that others could read. */
static void test_modes(void **state)
{
	static const struct {
		unsigned int flags, old, mode;
	} cases[] = {
		{0, 0, 0666},
		{OUTPUT_APPEND, 0, 0666},
		{OUTPUT_PRIVATE, 0, 0600},
		{OUTPUT_PRIVATE | OUTPUT_APPEND, 0, 0600},
		{0, 0751, 0751},
		{OUTPUT_PRIVATE, 0777, 0700},
		{OUTPUT_PRIVATE | OUTPUT_APPEND, 0777, 0700},
	};

	umask(0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unlink("out");
		if (cases[i].old) {
			put("out", "");
			chmod("out", cases[i].old);
		}
		assert_int_equal(write_text("out", cases[i].flags, "new", 0), 0);
		assert_int_equal(mode_of("out"), cases[i].mode);
	}
	umask(022);
}

/* A file that is given by a descriptor is not replaced, as other processes may write to it, too. */
static void test_descriptors(void **state)
{
	static const char *const dirs[] = {"/proc/self/fd", "/dev/fd"};
	struct stat before, after;
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		int fd = open("out", O_RDWR | O_CREAT | O_CLOEXEC, 0666);

		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &before), 0);
		snprintf(path, sizeof(path), "%s/%d", dirs[i], fd);
		assert_int_equal(write_text(path, 0, "new", 0), 0);
		assert_text("out", "new");
		assert_int_equal(stat("out", &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		close(fd);
		unlink("out");
	}
}

/* If standard input is closed, the file gets descriptor 0, which must work like any other. */
static void test_closed_input(void **state)
{
	static const struct {
		const char *path;
		unsigned int flags;
	} cases[] = {
		{"out", 0},
		{"out", OUTPUT_PRIVATE},
		{"out", OUTPUT_APPEND},
		{NULL, OUTPUT_STDERR},
	};
	int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);

	assert_true(input >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output o;

		unlink("out");
		close(STDIN_FILENO);
		assert_int_equal(output__open(cases[i].path, cases[i].flags, &o), 0);
		assert_int_equal(fileno(o.file), STDIN_FILENO);
		/* a file that is replaced is there only when it is complete */
		assert_int_equal(file_cnt(), cases[i].path != NULL);
		assert_int_equal(access("out", F_OK), o.flags & OUTPUT_APPEND ? 0 : -1);
		fputs(cases[i].path ? "new" : "", o.file);
		assert_int_equal(output__close(&o, output__commit(&o, 0)), 0);
		if (cases[i].path)
			assert_text("out", "new");
		dup2(input, STDIN_FILENO);
	}
	close(input);
}

static void test_append(void **state)
{
	struct output o;

	assert_int_equal(output__open("out", OUTPUT_APPEND, &o), 0);
	assert_false(o.continues);
	fputs("1", o.file);
	assert_int_equal(output__close(&o, output__commit(&o, 0)), 0);
	assert_int_equal(output__open("out", OUTPUT_APPEND, &o), 0);
	assert_true(o.continues);
	fputs(" two", o.file);
	assert_int_equal(output__close(&o, output__commit(&o, 0)), 0);
	assert_text("out", "1 two");
}

/* A symbolic link is kept, and so are the other hard links of a file. */
static void test_links(void **state)
{
	struct stat st;

	put("target", "old");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(write_text("link", 0, "new", 0), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_text("target", "new");
	assert_int_equal(link("target", "name"), 0);
	assert_int_equal(write_text("name", 0, "newer", 0), 0);
	assert_text("target", "newer");
	unlink("target");
	unlink("name");
	assert_int_equal(write_text("link", 0, "again", 0), 0);
	assert_text("target", "again");
}

static void test_owner(void **state)
{
	static const unsigned int owners[][2] = {{65534, 65533}, {65534, 0}, {0, 65533}};
	struct stat st;

	if (geteuid()) /* the owner of a file can be changed only by root */
		return;
	put("out", "old");
	for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
		assert_int_equal(chown("out", owners[i][0], owners[i][1]), 0);
		assert_int_equal(write_text("out", 0, "new", 0), 0);
		assert_int_equal(stat("out", &st), 0);
		assert_int_equal(st.st_uid, owners[i][0]);
		assert_int_equal(st.st_gid, owners[i][1]);
	}
}

/* A private file never belongs to another user, who could read it. */
static void test_private_owner(void **state)
{
	struct capture log;
	struct stat st;
	char *message;

	if (geteuid())
		return;
	put("out", "old");
	assert_int_equal(chown("out", 65534, 65533), 0);
	assert_int_equal(chmod("out", 0600), 0);
	assert_int_equal(write_text("out", OUTPUT_PRIVATE, "new", 0), 0);
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* A file with two hard links is not replaced, so it would keep its owner: it is refused. */
	assert_int_equal(link("out", "name"), 0);
	assert_int_equal(chown("out", 65534, 65533), 0);
	capture__begin(&log, stderr);
	assert_int_equal(write_text("name", OUTPUT_PRIVATE, "newer", 0), -EACCES);
	message = capture__end(&log);
	assert_string_equal(message,
			    "bprof: name: cannot be written: it belongs to another user, who could "
			    "read it; give another file\n");
	free(message);
	assert_text("out", "new");
}

static void check_refused(const char *path, int err, const char *want)
{
	struct capture log;
	char *text;

	capture__begin(&log, stderr);
	assert_int_equal(output__check(path), err);
	text = capture__end(&log);
	assert_string_equal(text, want);
	free(text);
}

static void check_foreign_link(const char *path, unsigned int flags, const char *want)
{
	struct capture log;
	char *message;

	capture__begin(&log, stderr);
	assert_int_equal(write_text(path, flags, "new", 0), -EACCES);
	message = capture__end(&log);
	assert_string_equal(message, want);
	free(message);
}

/* In a directory that everybody can write to, links of other users are not followed. */
static void test_foreign_link(void **state)
{
	static const char file[] =
		"bprof: link: cannot be written: link is another user's symbolic "
		"link in a directory that everybody can write to; give another "
		"file\n";

	if (geteuid())
		return;
	put("target", "old");
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(lchown("link", 65534, 65533), 0);
	/* in a private directory, only its owner can have placed the link, so it is followed */
	assert_int_equal(write_text("link", 0, "old", 0), 0);
	assert_int_equal(chmod(".", 0777), 0);
	check_foreign_link("link", 0, file);
	check_foreign_link("link", OUTPUT_APPEND, file);
	check_foreign_link("link", OUTPUT_PRIVATE, file);
	check_refused("link", -EACCES, file);
	assert_text("target", "old");
	/* nor are links to directories */
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(symlink(".", "link"), 0);
	assert_int_equal(lchown("link", 65534, 65533), 0);
	check_foreign_link("link/target", 0,
			   "bprof: link/target: cannot be written: link is another user's symbolic "
			   "link in a directory that everybody can write to; give another file\n");
	assert_text("target", "old");
	/* however short their names are */
	assert_int_equal(symlink(".", "l"), 0);
	assert_int_equal(lchown("l", 65534, 65533), 0);
	check_foreign_link("l/target", 0,
			   "bprof: l/target: cannot be written: l is another user's symbolic "
			   "link in a directory that everybody can write to; give another file\n");
	/* a link of the same user is followed */
	assert_int_equal(lchown("link", 0, 0), 0);
	assert_int_equal(write_text("link/target", 0, "new", 0), 0);
	assert_text("target", "new");
	assert_int_equal(chmod(".", 0700), 0);
}

/*
 * The stream writes the whole blocks of a long text at once, so the flush at the end has nothing to
 * write, and cannot fail.
 */
static void test_long_text(void **state)
{
	static const char message[] = "bprof: /dev/full: cannot be written: "
				      "No space left on device\n";
	char text[8 * 4096 + 1];
	struct capture log;
	char *shown;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	capture__begin(&log, stderr);
	assert_int_equal(write_text("/dev/full", 0, text, 0), -ENOSPC);
	shown = capture__end(&log);
	assert_string_equal(shown, message);
	free(shown);
}

static void test_devices(void **state)
{
	struct capture log;
	struct stat st;
	char text[8] = "", *message;
	int fd;

	assert_int_equal(write_text("/dev/null", 0, "text", 0), 0);
	assert_int_equal(write_text("/dev/null", OUTPUT_PRIVATE, "text", 0), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	capture__begin(&log, stderr);
	assert_int_equal(write_text("/dev/full", 0, "text", 0), -ENOSPC);
	message = capture__end(&log);
	assert_string_equal(message,
			    "bprof: /dev/full: cannot be written: No space left on device\n");
	free(message);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_true(output__is_stream("fifo") && output__is_stream("-") && output__is_stream(NULL));
	assert_false(output__is_stream("out"));
	assert_int_equal(write_text("fifo", 0, "text", 0), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	close(fd);
}

static void test_old_file(void **state)
{
	const unsigned int flags = OUTPUT_PRIVATE | OUTPUT_KEEP_OLD;

	umask(022);
	assert_int_equal(write_text("out", flags, "1", 0), 0);
	assert_int_equal(mode_of("out"), 0600);
	assert_int_equal(file_cnt(), 1);
	chmod("out", 0644);
	assert_int_equal(write_text("out", flags, "2", 0), 0);
	assert_int_equal(mode_of("out"), 0600);
	assert_text("out.old", "1");
	assert_int_equal(write_text("out", flags, "3", 0), 0);
	assert_text("out.old", "2");
	assert_text("out", "3");
	/* in a file system without hard links */
	no_links = true;
	assert_int_equal(write_text("out", flags, "5", 0), 0);
	no_links = false;
	assert_text("out.old", "3");
	assert_text("out", "5");
	assert_int_equal(file_cnt(), 2);
	/* A file with two hard links is written directly, and gets a private mode, too. */
	assert_int_equal(link("out", "name"), 0);
	chmod("out", 0644);
	assert_int_equal(write_text("name", flags, "4", 0), 0);
	assert_text("out", "4");
	assert_int_equal(mode_of("out"), 0600);
}

/* If the new file cannot be put in its place, the old one is there, under its name. */
static void test_no_rename(void **state)
{
	put("out", "1");
	for (int i = 0; i < 6; i++) {
		struct capture c;
		char *text;

		/* With hard links, the old file stays even if all later calls of rename() fail. */
		no_links = i >= 4;
		later_fail = i >= 2 && !no_links;
		failing_rename = 1 + i % 2;
		capture__begin(&c, stderr);
		assert_int_equal(write_text("out", OUTPUT_KEEP_OLD, "2", 0), -EIO);
		text = capture__end(&c);
		assert_int_equal(failing_rename, later_fail);
		failing_rename = no_links = later_fail = false;
		/* one message: the end of its line is the end of the text */
		assert_string_equal(strstr(text, ": Input/output error"), ": Input/output error\n");
		free(text);
		assert_text("out", "1");
		assert_int_equal(file_cnt(), 1);
	}
	/* "out.old" was there before and is not bprof's copy of "out": bprof keeps it */
	remove("out");
	put("out.old", "0");
	failing_rename = 1;
	assert_int_equal(write_text("out", OUTPUT_KEEP_OLD, "2", 0), -EIO);
	assert_text("out.old", "0");
	assert_int_equal(file_cnt(), 1);
}

/*
 * If rename() also fails to put back the old file, which has only one name, a message says where
 * that file is.
 */
static void test_no_rename_back(void **state)
{
	struct capture c;
	char *text;

	put("out", "1");
	no_links = true;
	failing_rename = 2;
	later_fail = true;
	capture__begin(&c, stderr);
	assert_int_equal(write_text("out", OUTPUT_KEEP_OLD, "2", 0), -EIO);
	text = capture__end(&c);
	no_links = later_fail = false;
	failing_rename = 0;
	assert_non_null(strstr(text, "/out: the file that was there is now "));
	assert_non_null(strstr(text, "/out.old\n"));
	free(text);
	assert_text("out.old", "1");
	assert_int_equal(file_cnt(), 1);
}

static void test_check(void **state)
{
	assert_int_equal(output__check(NULL), 0);
	assert_int_equal(output__check("-"), 0);
	assert_int_equal(output__check("/dev/full"), 0);
	assert_int_equal(output__check("out"), 0);
	assert_int_equal(file_cnt(), 0);
	check_refused("/no/such/file", -ENOENT,
		      "bprof: /no/such/file: cannot be written: No such file or directory\n");
	check_refused(".", -EISDIR, "bprof: .: cannot be written: Is a directory\n");
}

static void test_standard(void **state)
{
	static const struct {
		const char *path;
		unsigned int flags;
		const char *out, *err;
	} cases[] = {
		{NULL, 0, "text", ""},
		{"-", 0, "text", ""},
		{NULL, OUTPUT_STDERR, "", "text"},
		{"-", OUTPUT_STDERR, "text", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct capture out, err;
		char *got_out, *got_err;

		capture__begin(&out, stdout);
		capture__begin(&err, stderr);
		write_text(cases[i].path, cases[i].flags, "text", 0);
		got_err = capture__end(&err);
		got_out = capture__end(&out);
		assert_string_equal(got_out, cases[i].out);
		assert_string_equal(got_err, cases[i].err);
		free(got_out);
		free(got_err);
	}
}

static int setup(void **state)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return !mkdtemp(dir) || chdir(dir) ? -1 : 0;
}

static int teardown(void **state)
{
	DIR *d = opendir(".");
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlink(e->d_name);
	closedir(d);
	return chdir("/") || rmdir(dir);
}

#define FILE_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_replaces),      FILE_TEST(test_keeps_the_file_on_failure),
		FILE_TEST(test_append),	       FILE_TEST(test_links),
		FILE_TEST(test_owner),	       FILE_TEST(test_long_text),
		FILE_TEST(test_devices),       FILE_TEST(test_old_file),
		FILE_TEST(test_check),	       FILE_TEST(test_standard),
		FILE_TEST(test_private_owner), FILE_TEST(test_foreign_link),
		FILE_TEST(test_no_rename),     FILE_TEST(test_no_rename_back),
		FILE_TEST(test_modes),	       FILE_TEST(test_descriptors),
		FILE_TEST(test_closed_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
