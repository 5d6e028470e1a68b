// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The attr map. Owns the path at which the map is pinned, its lock and its entries. Must not know
 * what a leader does.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <bpf/bpf.h>
#include <linux/magic.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "kernel/perf_event.h"
#include "system/attr_key.h"
#include "system/attr_map.h"

/* Number of entries of a map that bprof creates. A map that perf creates has only 16 entries. */
#define ATTR_MAP_ENTRIES 4096

/*
 * Returns sizeof(struct perf_event_attr) in the running kernel, which is the size of the keys that
 * perf of the same version uses. To find out the size, passes an attr that is too large to
 * perf_event_open(): the kernel stores its own size in attr.size (kernel/events/core.c,
 * perf_copy_attr()).
 */
static __u32 kernel_attr_size(void)
{
	struct {
		struct perf_event_attr attr;
		char unknown[ATTR_KEY_MAX];
	} probe = {.attr.size = sizeof(probe)};
	int fd;

	memset(probe.unknown, 0xff, sizeof(probe.unknown));
	fd = perf_event__open(&probe.attr, 0, -1, -1, 0);
	close_fd(&fd);
	return probe.attr.size < sizeof(probe) ? probe.attr.size : sizeof(struct perf_event_attr);
}

static int mount_bpffs(const char *path, struct reason *reason)
{
	struct statfs fs;

	if (strcmp(path, ATTR_MAP_DEFAULT) || statfs("/sys/fs/bpf", &fs) ||
	    fs.f_type == BPF_FS_MAGIC)
		return 0;
	if (!mount("bpf", "/sys/fs/bpf", "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
		return 0;
	return reason__fail(reason, -errno,
			    "no bpffs is mounted at /sys/fs/bpf, and it cannot be mounted: %s; "
			    "mount it, or give --attr-map a path in another",
			    strerror(errno));
}

static int make_map(struct attr_map *m, const char *path, __u32 key_sz)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int err;

	m->fd = bpf_map_create(BPF_MAP_TYPE_HASH, "perf_attr_map", key_sz,
			       sizeof(struct attr_entry), ATTR_MAP_ENTRIES, &opts);
	if (m->fd < 0)
		return -errno;
	if (!bpf_obj_pin(m->fd, path))
		return 0;
	err = -errno;
	close(m->fd);
	m->fd = -1;
	return err;
}

static int get_or_make(struct attr_map *m, const char *path, __u32 key_sz)
{
	/* Retry if another process creates the map between bpf_obj_get() and make_map(). */
	for (int tries = 0; tries < 3; tries++) {
		int err;

		m->fd = bpf_obj_get(path);
		if (m->fd >= 0)
			return 0;
		if (errno != ENOENT)
			return -errno;
		err = make_map(m, path, key_sz ?: kernel_attr_size());
		if (err != -EEXIST)
			return err;
	}
	return -EEXIST;
}

/* Sets m->key_sz. Refuses a pinned object that is not an attr map, because another tool uses it. */
static int check_map(struct attr_map *m, const char *path, struct reason *reason)
{
	struct bpf_map_info info = {};
	__u32 sz = sizeof(info);

	/* Check the descriptor's type first: bpf_obj_get_info_by_fd() accepts programs, too. */
	if (!bpf_fd__is(m->fd, "bpf-map") || bpf_obj_get_info_by_fd(m->fd, &info, &sz))
		return reason__fail(
			reason, -EINVAL,
			"%s: the object pinned there is not a map; give another --attr-map", path);
	m->key_sz = info.key_size;
	if (info.type == BPF_MAP_TYPE_HASH && info.value_size == sizeof(struct attr_entry) &&
	    info.key_size >= ATTR_KEY_MIN && info.key_size <= ATTR_KEY_MAX)
		return 0;
	return reason__fail(
		reason, -EINVAL,
		"%s: the map pinned there (id %u, type %u, key %u bytes, value %u bytes) is not a "
		"map of leaders of perf events (a hash map with values of 8 bytes); give another "
		"--attr-map, or remove it if nobody needs it",
		path, info.id, info.type, info.key_size, info.value_size);
}

/*
 * Refuses a map whose owner is neither root nor us. Another user could hold the lock forever, or
 * replace entries and so make counts wrong.
 */
static int check_owner(const char *path, struct reason *reason)
{
	struct stat st;

	if (stat(path, &st))
		return reason__fail(reason, -EACCES, "%s: cannot get the owner of the map: %s",
				    path, strerror(errno));
	if (st.st_uid == 0 || st.st_uid == geteuid())
		return 0;
	return reason__fail(
		reason, -EACCES,
		"%s: the map belongs to user %u, who could make counts wrong; remove it "
		"if nobody needs it, or give another --attr-map",
		path, st.st_uid);
}

/* Returns true if the directory of path is in a bpffs, or if this cannot be found out. */
static bool is_in_bpffs(const char *path)
{
	char dir[PATH_MAX];
	struct statfs fs;
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	return statfs(slash ? dir : ".", &fs) || fs.f_type == BPF_FS_MAGIC;
}

int attr_map__open(struct attr_map *m, const char *path, __u32 key_sz, struct reason *reason)
{
	int err;

	*m = (struct attr_map){.fd = -1};
	err = mount_bpffs(path, reason);
	if (err)
		return err;
	err = get_or_make(m, path, key_sz);
	if (err && !is_in_bpffs(path))
		return reason__fail(
			reason, -EINVAL,
			"%s: is not in a bpffs; give --attr-map a path in one, such as /sys/fs/bpf",
			path);
	if (err)
		return reason__fail(reason, err, "%s: cannot be opened or made: %s", path,
				    strerror(-err));
	err = check_map(m, path, reason) ?: check_owner(path, reason);
	if (err)
		attr_map__close(m);
	return err;
}

void attr_map__close(struct attr_map *m)
{
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct attr_map){.fd = -1};
}

pid_t attr_map__lock_holder(const char *line, dev_t dev, ino_t ino)
{
	unsigned int major, minor;
	unsigned long long inode;
	int pid;

	/*
	 * The line of a process that waits for the lock does not match, because it has "->" before
	 * FLOCK (fs/locks.c, lock_get_status()).
	 */
	if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%llu", &pid, &major, &minor, &inode) != 4 ||
	    inode != ino || makedev(major, minor) != dev || pid < 0)
		return 0;
	return pid;
}

/*
 * Describes in buf the process that holds the lock. The lock belongs to the inode, which all BPF
 * maps share, so the process may have locked another map.
 */
static void name_holder(int fd, char *buf, size_t sz)
{
	char line[256], comm[64] = "", path[64];
	FILE *locks = fopen("/proc/locks", "re"), *f;
	struct stat st;
	pid_t pid = 0;

	snprintf(buf, sz, "another process");
	if (!locks || fstat(fd, &st))
		goto out;
	while (!pid && fgets(line, sizeof(line), locks))
		pid = attr_map__lock_holder(line, st.st_dev, st.st_ino);
	if (!pid)
		goto out;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(comm, sizeof(comm), f))
		comm[strcspn(comm, "\n")] = '\0';
	if (f)
		fclose(f);
	for (char *c = comm; *c; c++)
		*c = *c < ' ' || *c > '~' ? '?' : *c;
	snprintf(buf, sz, "process %d%s%s%s", pid, *comm ? " (" : "", comm, *comm ? ")" : "");
out:
	if (locks)
		fclose(locks);
}

int attr_map__lock(struct attr_map *m, __u64 timeout_ns, struct reason *reason)
{
	__u64 end = now_ns() + timeout_ns;
	struct timespec pause = {.tv_nsec = 500000};
	char holder[128];

	while (flock(m->fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return reason__fail(reason, -errno, "cannot lock the map of leaders: %s",
					    strerror(errno));
		if (now_ns() >= end) {
			name_holder(m->fd, holder, sizeof(holder));
			return reason__fail(
				reason, -ETIMEDOUT,
				"the map of leaders has been locked by %s for %.10g ms; "
				"end it, or wait longer with --lock-timeout",
				holder, timeout_ns / 1e6);
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 10000000)
			pause.tv_nsec *= 2;
	}
	m->locked = true;
	return 0;
}

void attr_map__unlock(struct attr_map *m)
{
	if (m->locked)
		flock(m->fd, LOCK_UN);
	m->locked = false;
}

/*
 * Returns 0 if it is the link of a leader, -ENOENT if it is another link or its program is gone, or
 * another -errno.
 */
static int check_link(int fd)
{
	struct bpf_link_info info = {};
	struct bpf_prog_info prog = {};
	__u32 sz = sizeof(info), prog_sz = sizeof(prog);
	int prog_fd, err = 0;
	char name[16] = "";

	info.raw_tracepoint.tp_name = (__u64)(unsigned long)name;
	info.raw_tracepoint.tp_name_len = sizeof(name);
	if (bpf_obj_get_info_by_fd(fd, &info, &sz))
		return -errno;
	if (info.type != BPF_LINK_TYPE_RAW_TRACEPOINT || strcmp(name, "sched_switch"))
		return -ENOENT;
	prog_fd = bpf_prog_get_fd_by_id(info.prog_id);
	if (prog_fd < 0)
		return -errno;
	/* perf checks the same name before it attaches a follower. */
	if (bpf_obj_get_info_by_fd(prog_fd, &prog, &prog_sz))
		err = -errno;
	else if (strcmp(prog.name, "on_switch"))
		err = -ENOENT;
	close(prog_fd);
	return err;
}

/*
 * Opens the link of the live leader in the entry with this key. Returns a descriptor; -ENOENT if
 * the entry or the leader does not exist; or another -errno if it is not known whether the leader
 * exists.
 */
static int open_entry(const struct attr_map *m, const void *key, struct attr_entry *e)
{
	int fd, err;

	if (bpf_map_lookup_elem(m->fd, key, e))
		return -errno;
	fd = bpf_link_get_fd_by_id(e->link_id);
	if (fd < 0)
		return -errno;
	err = check_link(fd); /* the id may have been reused for another link */
	if (err)
		close(fd);
	return err ?: fd;
}

/*
 * Finds the first key in the map for which want() returns 1. Returns 0; -ENOENT if there is no such
 * key; or another -errno, which may come from want().
 */
static int find_wanted_key(const struct attr_map *m, void *key,
			   int (*want)(const struct attr_map *m, const void *key,
				       const struct perf_event_attr *attr),
			   const struct perf_event_attr *attr)
{
	char last[ATTR_KEY_MAX];
	void *from = NULL;

	while (!bpf_map_get_next_key(m->fd, from, key)) {
		int wanted = want(m, key, attr);

		if (wanted)
			return wanted < 0 ? wanted : 0;
		memcpy(last, key, m->key_sz);
		from = last;
	}
	return -errno;
}

/* Returns 1 if the entry's leader no longer exists, 0 if the leader exists, or -errno. */
static int is_dead_entry(const struct attr_map *m, const void *key,
			 const struct perf_event_attr *attr)
{
	struct attr_entry e;
	int fd = open_entry(m, key, &e);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT ? 1 : fd < 0 ? fd : 0;
}

static int is_live_match(const struct attr_map *m, const void *key,
			 const struct perf_event_attr *attr)
{
	int dead = attr_key__matches(key, m->key_sz, attr) ? is_dead_entry(m, key, attr) : 1;

	return dead < 0 ? dead : !dead;
}

int attr_map__find(const struct attr_map *m, const struct perf_event_attr *attr,
		   struct attr_entry *e, int *link_fd)
{
	char key[ATTR_KEY_MAX];
	int err;

	/*
	 * First look up the key that perf would write, and then search for any key that means the
	 * same event.
	 */
	*link_fd = attr_key__make(attr, key, m->key_sz) ? -ENOENT : open_entry(m, key, e);
	if (*link_fd == -ENOENT) {
		err = find_wanted_key(m, key, is_live_match, attr);
		*link_fd = err ?: open_entry(m, key, e);
	}
	err = *link_fd < 0 ? *link_fd : 0;
	if (err)
		*link_fd = -1;
	return err;
}

int attr_map__put(const struct attr_map *m, const struct perf_event_attr *attr,
		  const struct attr_entry *e)
{
	char key[ATTR_KEY_MAX], dead[ATTR_KEY_MAX];
	int err = attr_key__make(attr, key, m->key_sz);

	if (err)
		return err;
	while (bpf_map_update_elem(m->fd, key, e, BPF_ANY)) {
		if (errno != E2BIG)
			return -errno;
		if (find_wanted_key(m, dead, is_dead_entry, NULL) ||
		    bpf_map_delete_elem(m->fd, dead))
			return -E2BIG;
	}
	return 0;
}

void attr_map__sweep(const struct attr_map *m)
{
	char dead[ATTR_KEY_MAX];

	while (!find_wanted_key(m, dead, is_dead_entry, NULL) && !bpf_map_delete_elem(m->fd, dead))
		;
}
