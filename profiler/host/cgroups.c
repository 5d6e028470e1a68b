// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds and selects the cgroups whose tasks perf events can count. Owns the search for the place
 * where cgroups are mounted, and the syntax of cgroup lists; opens no events, and must not know
 * what is measured in cgroups.
 *
 * A cgroup's id is the inode number of its directory (64 bits since Linux 5.5, commit
 * 40430452fd5d), which is also the content of its file handle. The root of each hierarchy has id 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <locale.h>
#include <mntent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parse_error.h"
#include "base/text.h"
#include "base/util.h"
#include "host/cgroups.h"

#define ROOT_ID 1
/* an item that contains one of these characters is a regular expression, as in perf */
#define REGEX_CHARS "{}[]()|*+?^$"
/* type of a kernfs file handle, which has the 8 bytes of the id (include/linux/exportfs.h) */
#define FILEID_KERNFS 0xfe

static int compare_cgroup_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int cgroups__walk(const char *path, cgroup_visit_fn visit, void *arg)
{
	size_t len = strlen(path);
	char *copy = xstrdup(path), *roots[] = {copy, NULL};
	FTSENT *entry;
	int ret = 0;
	FTS *fts;

	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, compare_cgroup_names);
	if (!fts) {
		ret = -errno;
		goto out;
	}
	while (!ret && (errno = 0, entry = fts_read(fts))) {
		const char *name = entry->fts_path + len;

		if (entry->fts_info == FTS_D)
			ret = visit(name + strspn(name, "/"), entry, arg);
	}
	if (!ret && errno)
		ret = -errno;
	fts_close(fts);
out:
	free(copy);
	return ret;
}

static int is_inode(const char *name, const FTSENT *entry, void *arg)
{
	return entry->fts_statp->st_ino == *(ino_t *)arg ? 1 + entry->fts_level : 0;
}

/*
 * Returns the depth of a directory below the hierarchy's root, or -1 if it is unknown. In a cgroup
 * namespace, a path does not show the directories above the namespace's root. So this function
 * opens the real root by its file handle (this needs CAP_DAC_READ_SEARCH), and searches below the
 * root for the directory's inode number.
 */
static int find_depth(const char *path)
{
	struct {
		struct file_handle head;
		__u64 id;
	} handle = {{.handle_bytes = sizeof(handle.id), .handle_type = FILEID_KERNFS}, ROOT_ID};
	int dir = -1, root = -1, ret = 0;
	char root_path[64];
	struct stat st;

	if (stat(path, &st))
		return -1;
	if (st.st_ino == ROOT_ID)
		return 0;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		root = open_by_handle_at(dir, &handle.head, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0) {
		snprintf(root_path, sizeof(root_path), "/proc/self/fd/%d/.", root);
		ret = cgroups__walk(root_path, is_inode, &st.st_ino);
		close(root);
	}
	if (dir >= 0)
		close(dir);
	return ret > 0 ? ret - 1 : -1;
}

int cgroups__root(const char *mounts, struct cgroups_root *root)
{
	FILE *f = setmntent(mounts, "re");
	char buf[4096];
	struct mntent m;

	memset(root, 0, sizeof(*root));
	if (!f)
		return -errno;
	while (!root->v1 && getmntent_r(f, &m, buf, sizeof(buf))) {
		bool v1 = !strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event");

		if (!v1 && (root->path || strcmp(m.mnt_type, "cgroup2")))
			continue;
		free(root->path);
		root->path = xstrdup(m.mnt_dir);
		root->v1 = v1;
	}
	endmntent(f);
	if (!root->path)
		return -ENOENT;
	root->level = find_depth(root->path);
	return 0;
}

void cgroups__free_root(struct cgroups_root *root)
{
	free(root->path);
	memset(root, 0, sizeof(*root));
}

/* The state of parsing one list. */
struct selection {
	const struct cgroups_root *root;
	struct cgroup_list *list;
	const regex_t *regex; /* the current item's regular expression; NULL: the item is a path */
	int matches;
};

static void add_found(struct selection *s, const char *name, const char *path,
		      const struct stat *st, int depth)
{
	struct cgroup *cg;

	for (int i = 0; i < s->list->cnt; i++)
		if (s->list->v[i].path && s->list->v[i].id == st->st_ino)
			return;
	cg = array__add(&s->list->v, &s->list->cnt, sizeof(*cg));
	cg->name = xstrdup(*name ? name : "/");
	cg->path = xstrdup(path);
	cg->id = st->st_ino;
	cg->level = s->root->level < 0 ? -1 : s->root->level + depth;
}

static void add_missing(struct selection *s, const char *item, int err)
{
	struct cgroup *cg = array__add(&s->list->v, &s->list->cnt, sizeof(*cg));

	cg->name = xstrdup(item);
	cg->level = -1;
	cg->err = err;
	cg->regex = s->regex;
}

static int match_one(const char *name, const FTSENT *entry, void *arg)
{
	struct selection *s = arg;

	if (regexec(s->regex, name, 0, NULL, 0))
		return 0;
	s->matches++;
	add_found(s, name, entry->fts_path, entry->fts_statp, entry->fts_level);
	return 0;
}

/* Matches bytes, not the locale's characters: else a name that is not UTF-8 would never match. */
static int select_regex(struct selection *s, const char *item, size_t pos, struct parse_error *err)
{
	/* glibc returns a static object for the C locale: nothing is allocated */
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	regex_t regex;
	char why[128];
	int ret = regcomp(&regex, item, REG_EXTENDED | REG_NOSUB);

	if (ret) {
		regerror(ret, &regex, why, sizeof(why));
		ret = parse_error__set(err, pos, strlen(item), "bad regular expression: %s", why);
		goto out;
	}
	s->regex = &regex;
	s->matches = 0;
	ret = cgroups__walk(s->root->path, match_one, s);
	if (!ret && !s->matches)
		add_missing(s, item, -ENOENT);
	s->regex = NULL;
	regfree(&regex);
out:
	uselocale(before);
	return ret;
}

/* Removes redundant slashes from a path. Sets *depth to the number of names in the path. */
static int normalize(char *path, size_t pos, int *depth, struct parse_error *err)
{
	char *from = path, *to = path;

	*depth = 0;
	for (;;) {
		size_t n;

		from += strspn(from, "/");
		n = strcspn(from, "/");
		if (!n)
			break;
		if (from[0] == '.' && (n == 1 || (n == 2 && from[1] == '.')))
			return parse_error__set(err, pos + (from - path), n,
						"a cgroup's path cannot contain . or ..; write it "
						"starting at the root of all cgroups");
		if ((*depth)++)
			*to++ = '/';
		memmove(to, from, n);
		to += n;
		from += n;
	}
	*to = '\0';
	return 0;
}

static int select_path(struct selection *s, const char *item, size_t pos, struct parse_error *err)
{
	char *name = xstrdup(item), *path = NULL;
	int ret, depth;
	struct stat st;

	ret = normalize(name, pos, &depth, err);
	if (ret)
		goto out;
	path = text__format("%s%s%s", s->root->path, *name ? "/" : "", name);
	if (stat(path, &st))
		add_missing(s, item, errno == ENOTDIR ? -ENOENT : -errno);
	else if (!S_ISDIR(st.st_mode))
		add_missing(s, item, -ENOENT);
	else
		add_found(s, name, path, &st, depth);
out:
	free(path);
	free(name);
	return ret;
}

int cgroups__select(const struct cgroups_root *root, const char *arg, struct cgroup_list *list,
		    struct parse_error *err)
{
	struct selection s = {.root = root, .list = list};
	size_t pos = 0, n;
	int ret;

	do {
		char *item;

		n = strcspn(arg + pos, ",");
		item = xstrndup(arg + pos, n);
		ret = strpbrk(item, REGEX_CHARS) ? select_regex(&s, item, pos, err)
						 : select_path(&s, item, pos, err);
		free(item);
		pos += n + 1;
	} while (!ret && arg[pos - 1]);
	return ret;
}

void cgroup_list__free(struct cgroup_list *list)
{
	for (int i = 0; i < list->cnt; i++) {
		free(list->v[i].name);
		free(list->v[i].path);
	}
	free(list->v);
	memset(list, 0, sizeof(*list));
}
