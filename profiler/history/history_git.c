// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs git. Owns git's command lines and the parsing of its output. Must not know what the notes
 * contain.
 *
 * Input and output of git are temporary files. So nothing can block, however long the input and
 * output are.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "history/history_git.h"

extern char **environ;

/* ---- running git ---- */

static int spawn_git(char *const *argv, int in, int out, int messages, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO)
		      ?: posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO)
		      ?: posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO)
		      ?: posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/*
 * Returns the last line of git's messages, without '\n', or NULL if there is no message. The last line
 * has the reason why git failed. The caller frees the line.
 */
static char *last_message(FILE *messages)
{
	char *line = NULL, *last = NULL;
	size_t sz = 0;

	rewind(messages);
	while (getline(&line, &sz, messages) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line)
			continue;
		free(last);
		last = xstrdup(line);
	}
	free(line);
	return last;
}

static int report_status(char *const *argv, int status, FILE *messages)
{
	char *text = last_message(messages);

	if (status && text)
		log_err(-EIO, "git %s: %s", argv[1], text);
	else if (WIFSIGNALED(status))
		log_err(-EIO, "git %s: killed by signal %d", argv[1], WTERMSIG(status));
	else if (status)
		log_err(-EIO, "git %s: ended with status %d", argv[1], WEXITSTATUS(status));
	else if (text)
		log_warn("git %s: %s", argv[1], text);
	free(text);
	return status ? -EIO : 0;
}

/*
 * Returns true if posix_spawn() has succeeded although there is no git. In this case, POSIX gives the
 * child the status 127. This check is for QEMU's user mode: its vfork() is a fork(), so that the
 * child cannot pass the error to its parent.
 */
static bool exec_failed(int status, FILE *messages)
{
	struct stat st;

	return WIFEXITED(status) && WEXITSTATUS(status) == 127 && !fstat(fileno(messages), &st) &&
	       !st.st_size;
}

/*
 * Runs git with "in" (NULL: nothing) as its input. git writes its output to the empty file "out",
 * which the caller then reads from its beginning. quiet: if there is no git, or if git fails,
 * returns -ENOENT without a message.
 */
static int run_git(char *const *argv, FILE *in, FILE *out, bool quiet)
{
	FILE *messages = tmpfile();
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC), status = 0, err = 0;
	pid_t pid;

	/*
	 * Check the result of fflush(): if the file system is full, git would get only a part of
	 * its input, and store a part of a note.
	 */
	if (!messages || none < 0 || (in && (fflush(in) || lseek(fileno(in), 0, SEEK_SET) < 0))) {
		err = log_err(-errno, "git: a temporary file: %s", strerror(errno));
		goto out;
	}
	err = -spawn_git(argv, in ? fileno(in) : none, fileno(out), fileno(messages), &pid);
	while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!err && exec_failed(status, messages))
		err = -ENOENT;
	if (err) {
		if (!quiet || (err != -ENOENT && err != -EACCES))
			log_err(err, "git: %s", strerror(-err));
		else
			err = -ENOENT;
		goto out;
	}
	rewind(out);
	if (!quiet)
		err = report_status(argv, status, messages);
	else if (status)
		err = -ENOENT;
out:
	close_fd(&none);
	if (messages)
		fclose(messages);
	return err;
}

/* Runs git. Sets *line to the first line of its output, which the caller frees. */
static int run_for_line(char *const *argv, bool quiet, char **line)
{
	FILE *out = tmpfile();
	size_t sz = 0;
	int err;

	*line = NULL;
	if (!out)
		return log_err(-errno, "git: a temporary file: %s", strerror(errno));
	err = run_git(argv, NULL, out, quiet);
	if (!err && getline(line, &sz, out) < 0) {
		/* Without memory, getline() fails without setting a flag of the stream. */
		if (!feof(out))
			err = log_err(-errno, "git %s: %s", argv[1], strerror(errno));
		else
			err = quiet ? -ENOENT : log_err(-EIO, "git %s: no output", argv[1]);
	}
	if (!err)
		(*line)[strcspn(*line, "\n")] = '\0';
	if (err) {
		free(*line);
		*line = NULL;
	}
	fclose(out);
	return err;
}

#define RUN_FOR_LINE(quiet, line, ...) \
	run_for_line((char *[]){"git", __VA_ARGS__, NULL}, quiet, line)

/* ---- commits ---- */

int history_git__find_commit(const char *rev, char **hash, struct timespec *date)
{
	char *line, *peeled = text__format("%s^{commit}", rev), *end;
	int err;

	*hash = NULL;
	/* Users can configure git to show signatures, in lines before the line of the format. */
	err = RUN_FOR_LINE(true, &line, "show", "-s", "--no-show-signature", "--format=%H %ct",
			   "--end-of-options", peeled);
	free(peeled);
	if (err)
		return err;
	date->tv_sec = strtoll(line + strcspn(line, " "), &end, 10);
	date->tv_nsec = 0;
	line[strcspn(line, " ")] = '\0';
	*hash = line;
	return 0;
}

/* ---- notes ---- */

/*
 * Locks the repository against other bprof processes: if two git processes add notes at the same
 * time, one note may be lost. Returns a descriptor to close, or -errno (reported).
 */
static int lock_repository(void)
{
	char *dir;
	int fd, err = RUN_FOR_LINE(false, &dir, "rev-parse", "--git-common-dir");

	if (err)
		return err;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX)) {
		err = log_err(-errno, "%s: cannot be locked: %s", dir, strerror(errno));
		close_fd(&fd);
	}
	free(dir);
	return err ?: fd;
}

int history_git__append(const char *hash, const char *line)
{
	char *const argv[] = {"git",	    "notes", "--ref=" HISTORY_NOTES_REF,
			      "append",	    "-F",    "-",
			      (char *)hash, NULL};
	FILE *in = tmpfile(), *out = tmpfile();
	int lock = -1, err = 0;

	if (!in || !out || fputs(line, in) < 0)
		err = log_err(-errno, "git: a temporary file: %s", strerror(errno));
	if (!err)
		lock = lock_repository();
	err = err ?: lock < 0 ? lock : run_git(argv, in, out, false);
	close_fd(&lock);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return err;
}

/* A commit that has a note, with the index of the note's first entry. */
struct note {
	char blob[80], commit[80];
	int first, cnt; /* the note's entries in the history */
	bool ends_bad;	/* its last line could not be read */
	/* number in git rev-list --reverse HEAD; -1: HEAD does not include the commit */
	int rank;
};

struct notes {
	struct note *v;
	int cnt;
};

static int list_notes(struct notes *notes, FILE *in)
{
	char *const argv[] = {"git", "notes", "--ref=" HISTORY_NOTES_REF, "list", NULL};
	FILE *out = tmpfile();
	struct note n = {.rank = -1};
	int err = out ? run_git(argv, NULL, out, false) : log_err(-errno, "%s", strerror(errno));

	while (!err && fscanf(out, "%79s %79s", n.blob, n.commit) == 2) {
		*(struct note *)array__add(&notes->v, &notes->cnt, sizeof(n)) = n;
		fprintf(in, "%s\n", n.blob);
	}
	if (out)
		fclose(out);
	return err;
}

/* Reads the text of one note. git prints the note's size before the text. */
static int read_note(struct history *h, struct note *n, FILE *all)
{
	char name[64], *text;
	FILE *in;
	size_t size;
	int err = -EIO;

	if (fscanf(all, "%*s blob %zu", &size) != 1 || getc(all) != '\n')
		return log_err(err, "git cat-file: unexpected output");
	n->first = h->cnt;
	h->ends_bad = false;
	if (!size) /* 'git notes add --allow-empty' */
		return 0;
	text = xmalloc(size);
	if (fread(text, 1, size, all) != size) {
		free(text);
		return log_err(err, "git cat-file: unexpected output");
	}
	in = fmemopen(text, size, "r");
	snprintf(name, sizeof(name), "note on %.12s", n->commit);
	err = in ? history__read(h, in, name) : -errno;
	n->cnt = h->cnt - n->first;
	n->ends_bad = h->ends_bad;
	if (in)
		fclose(in);
	free(text);
	return err ? log_err(err, "%s: %s", name, strerror(-err)) : 0;
}

/* ---- the order of commits ---- */

static int compare_commits(const void *a, const void *b)
{
	return strcmp(((const struct note *)a)->commit, ((const struct note *)b)->commit);
}

static int compare_ranks(const void *a, const void *b)
{
	return ((const struct note *)a)->rank - ((const struct note *)b)->rank;
}

/*
 * Sets the ranks of the notes. Lists all commits up to HEAD. The dates of the entries do not show
 * the order, because the user may have given them.
 */
static int rank_notes(struct notes *notes)
{
	char *const argv[] = {"git", "rev-list", "--topo-order", "--reverse", "HEAD", NULL};
	struct note key, *found;
	FILE *out = tmpfile();
	int err, rank = 0;

	err = out ? run_git(argv, NULL, out, false) : log_err(-errno, "%s", strerror(errno));
	if (notes->cnt)
		qsort(notes->v, notes->cnt, sizeof(*notes->v), compare_commits);
	while (!err && fscanf(out, "%79s", key.commit) == 1) {
		found = bsearch(&key, notes->v, notes->cnt, sizeof(key), compare_commits);
		if (found)
			found->rank = rank;
		rank++;
	}
	if (out)
		fclose(out);
	return err;
}

static void report_others(int cnt)
{
	char *shallow;

	if (RUN_FOR_LINE(true, &shallow, "rev-parse", "--is-shallow-repository"))
		shallow = NULL;
	if (shallow && !strcmp(shallow, "true"))
		log_warn("notes on %d commits are left out, because this clone is shallow: it does "
			 "not have all commits before HEAD; run 'git fetch --unshallow'",
			 cnt);
	else
		log_info("notes on %d commits are left out, because they are not before HEAD", cnt);
	free(shallow);
}

/* Puts the entries into the order of their commits, and drops the entries of other branches. */
static void order_entries(struct history *h, struct notes *notes)
{
	struct history_entry *v = xcalloc(h->cnt + 1, sizeof(*v));
	int cnt = 0, others = 0;

	if (notes->cnt)
		qsort(notes->v, notes->cnt, sizeof(*notes->v), compare_ranks);
	for (int i = 0; i < notes->cnt; i++) {
		const struct note *n = &notes->v[i];

		others += n->rank < 0;
		for (int k = n->first; k < n->first + n->cnt; k++) {
			if (n->rank < 0)
				history_entry__free(&h->v[k]);
			else
				v[cnt++] = h->v[k];
		}
	}
	if (others)
		report_others(others);
	if (notes->cnt)
		h->ends_bad = notes->v[notes->cnt - 1].ends_bad;
	free(h->v);
	h->v = v;
	h->cnt = cnt;
}

int history_git__read(struct history *h)
{
	char *const argv[] = {"git", "cat-file", "--batch", NULL};
	FILE *in = tmpfile(), *out = tmpfile();
	struct notes notes = {};
	int err = in && out ? list_notes(&notes, in) : log_err(-errno, "%s", strerror(errno));

	err = err ?: run_git(argv, in, out, false);
	for (int i = 0; !err && i < notes.cnt; i++)
		err = read_note(h, &notes.v[i], out);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	if (!err && h->cnt) {
		err = rank_notes(&notes);
		if (!err)
			order_entries(h, &notes);
	}
	free(notes.v);
	return err;
}
