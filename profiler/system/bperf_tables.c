// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tables of a leader. Owns allocating, sharing and freeing sets. Must not know events or
 * programs.
 *
 * A set is a counter. The events of a task are counted in the task's set, and in all sets that
 * follow it in a chain (set.next). Two bperf users that count the same process share a set if they
 * should see the same counts. If the process already has children when the second user begins, the
 * users should see different counts: those of the second user must not include the earlier
 * children. So the process moves to a new set for the second user, with set.next = the first user's
 * set. The process and its later children then count for both users, and its earlier children only
 * for the first user.
 *
 * A change consists of steps that each write one map element, or one word of one CPU's counters. If
 * a user dies between two steps, the next user that takes the lock completes or removes the change.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "base/util.h"
#include "system/bperf_tables.h"

struct key {
	__u64 key;
	struct bperf_member member;
};

struct bperf_tables_state {
	struct key *key;
	int key_cnt;
	bool owned[BPERF_SETS];
};

static const struct {
	const char *name;
	size_t value_sz;
} maps[] = {
	{".bss", sizeof(struct bperf_config)}, /* the map's name begins with the program's name */
	{"bprof_readings", sizeof(struct bperf_readings)},
	{"bprof_sets", sizeof(struct bperf_cpu)},
	{"bprof_keys", sizeof(struct bperf_member)},
	{"bprof_owners", sizeof(__u32)},
};
enum { MAP_CONFIG, MAP_READINGS, MAP_SETS, MAP_KEYS, MAP_OWNERS, MAP_CNT };

static struct bperf_set *set_at(const struct bperf_tables *t, __u32 set, int cpu)
{
	return &((struct bperf_cpu *)t->sets.mem)[cpu].set[set];
}

struct bperf_config *bperf_tables__config(const struct bperf_tables *t)
{
	return t->config.mem;
}

__u32 bperf_tables__kinds(const struct bperf_tables *t)
{
	return bperf_tables__config(t)->kinds;
}

static bool has_name(const char *map, const char *name)
{
	const char *dot = strchr(map, '.');

	return !strcmp(*name == '.' && dot ? dot : map, name);
}

/*
 * If fd is one of the tables, stores it in fds. Returns 0, -ENOENT if it is another map, -EPROTO if
 * the size of its values is wrong, or another -errno.
 */
static int store_map(int fd, int *fds)
{
	struct bpf_map_info info = {};
	__u32 sz = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &sz))
		return -errno;
	for (int i = 0; i < MAP_CNT; i++) {
		if (!has_name(info.name, maps[i].name))
			continue;
		if (info.value_size != maps[i].value_sz)
			return i == MAP_CONFIG ? -ENOENT : -EPROTO;
		fds[i] = fd;
		return 0;
	}
	return -ENOENT;
}

static int find_maps(int prog_fd, int *fds)
{
	__u32 ids[16] = {}, sz;
	struct bpf_prog_info info = {.map_ids = (__u64)(unsigned long)ids,
				     .nr_map_ids = ARRAY_SIZE(ids)};
	int found = 0;

	sz = sizeof(info);
	if (bpf_obj_get_info_by_fd(prog_fd, &info, &sz))
		return -errno;
	for (__u32 i = 0; i < info.nr_map_ids && i < ARRAY_SIZE(ids); i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);
		int err = fd < 0 ? -errno : store_map(fd, fds);

		if (err && fd >= 0)
			close(fd);
		if (err && err != -ENOENT)
			return err;
		found += !err;
	}
	return found == MAP_CNT ? 0 : found ? -EPROTO : -ENOENT;
}

int bperf_tables__open(struct bperf_tables *t, int prog_fd, int cpu_limit)
{
	int fds[MAP_CNT] = {-1, -1, -1, -1, -1};
	int err = find_maps(prog_fd, fds);

	*t = BPERF_TABLES_NONE;
	t->cpu_limit = cpu_limit;
	t->keys_fd = fds[MAP_KEYS];
	t->owners_fd = fds[MAP_OWNERS];
	t->readings_fd = fds[MAP_READINGS];
	t->config.fd = fds[MAP_CONFIG];
	t->sets.fd = fds[MAP_SETS];
	err = err ?: cpus__possible(&t->possible);
	if (err)
		return err;
	t->readings = xcalloc(t->possible.cnt, sizeof(*t->readings));
	t->total = xcalloc(t->possible.cnt, sizeof(*t->total));
	return mapped_array__map(&t->config, t->config.fd, sizeof(struct bperf_config), 1)
		       ?: mapped_array__map(&t->sets, t->sets.fd, sizeof(struct bperf_cpu),
					    cpu_limit);
}

void bperf_tables__close(struct bperf_tables *t)
{
	bperf_tables__end(t);
	mapped_array__close(&t->config);
	mapped_array__close(&t->sets);
	if (t->keys_fd >= 0)
		close(t->keys_fd);
	if (t->owners_fd >= 0)
		close(t->owners_fd);
	if (t->readings_fd >= 0)
		close(t->readings_fd);
	cpus__free(&t->possible);
	free(t->readings);
	free(t->total);
	*t = BPERF_TABLES_NONE;
}

/* ---- reading ---- */

/*
 * Reads all elements of a hash map. *keys and *values are malloc'ed. They may include a few
 * elements that the kernel has just removed. Returns the number of elements, or -errno.
 */
static int read_hash(int fd, size_t key_sz, size_t value_sz, void **keys, void **values)
{
	/* room for more elements than the map can have */
	__u32 batch, cnt = 0, room = BPERF_KEYS + 4096;
	void *from = NULL;

	*keys = xmalloc(room * key_sz);
	*values = xmalloc(room * value_sz);
	for (;;) {
		__u32 n = room - cnt;
		int err = bpf_map_lookup_batch(fd, from, &batch, (char *)*keys + cnt * key_sz,
					       (char *)*values + cnt * value_sz, &n, NULL);

		err = err ? -errno : 0;
		if (err && err != -ENOENT)
			return err;
		cnt += n;
		/* elements that were removed and added meanwhile may be there twice */
		if (err || cnt == room)
			return cnt;
		from = &batch;
	}
}

static int read_keys(struct bperf_tables *t)
{
	struct bperf_tables_state *st = t->state;
	struct bperf_member *member = NULL;
	__u64 *key = NULL;
	int cnt = read_hash(t->keys_fd, sizeof(*key), sizeof(*member), (void **)&key,
			    (void **)&member);

	for (int i = 0; i < cnt; i++)
		*(struct key *)array__add(&st->key, &st->key_cnt, sizeof(*st->key)) =
			(struct key){key[i], member[i]};
	free(key);
	free(member);
	return cnt < 0 ? cnt : 0;
}

static bool is_alive(__u32 user)
{
	int fd = bpf_map_get_fd_by_id(user);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ENOENT;
}

static int compare_users(const void *a, const void *b)
{
	const struct bperf_owner *x = a, *y = b;

	return x->user < y->user ? -1 : x->user > y->user;
}

static int read_owners(struct bperf_tables *t, bool check_users)
{
	struct bperf_owner *owners = NULL;
	void *values = NULL;
	bool alive = true;
	int cnt =
		read_hash(t->owners_fd, sizeof(*owners), sizeof(__u32), (void **)&owners, &values);

	if (cnt > 0)
		qsort(owners, cnt, sizeof(*owners), compare_users);
	for (int i = 0; i < cnt; i++) {
		const struct bperf_owner *o = &owners[i];

		if (check_users && (!i || o[-1].user != o->user))
			alive = is_alive(o->user);
		if (!alive)
			bpf_map_delete_elem(t->owners_fd, o);
		else if (o->set < BPERF_SETS)
			t->state->owned[o->set] = true;
	}
	free(owners);
	free(values);
	return cnt < 0 ? cnt : 0;
}

/* ---- cleaning up ---- */

/*
 * Follows the chain of sets from `set` on. Returns the first set in the chain that a bperf user
 * reads, or 0 if there is none.
 */
static __u32 find_owned(const struct bperf_tables *t, __u32 set, int cpu)
{
	for (int i = 0; set && set < BPERF_SETS && i < BPERF_CHAIN; i++) {
		if (t->state->owned[set])
			return set;
		set = set_at(t, set, cpu)->next;
	}
	return 0;
}

/* Returns the slot of a key, or NULL if keys of this kind have none. */
static __u64 *find_slot(const struct bperf_tables *t, __u64 key)
{
	if (bperf_key__kind(key) != BPERF_PROCESS)
		return NULL;
	return &bperf_tables__config(t)->slot[(__u32)key % BPERF_SLOTS];
}

/*
 * Makes the BPF programs look up the key in the map and not in its slot. If the slot belongs to
 * another key, they do this anyway.
 */
static void forget_slot(const struct bperf_tables *t, __u64 key)
{
	__u64 *slot = find_slot(t, key), old;

	if (!slot)
		return;
	old = __atomic_load_n(slot, __ATOMIC_RELAXED);
	if (!old || old >> 32 == (__u32)key)
		__atomic_store_n(slot, BPERF_SLOT_UNKNOWN, __ATOMIC_SEQ_CST);
}

/*
 * Stores the set of the key in its slot, where the BPF programs look first. Call it after the key
 * has been changed in the map.
 */
static void fill_key_slot(const struct bperf_tables *t, const struct key *k)
{
	__u64 *slot = find_slot(t, k->key);

	/*
	 * The slot of an exiting process stays BPERF_SLOT_UNKNOWN. So the BPF programs find the
	 * process's key in the map, and remove it.
	 */
	if (slot && !k->member.dying)
		__atomic_store_n(slot, bperf_slot((__u32)k->key, k->member.set), __ATOMIC_RELEASE);
}

/*
 * Changes the set of a key in the map. This overwrites the entire element: if a BPF program sets
 * the dying flag of the key's task between the two system calls, the flag is lost. Then the key
 * stays until the next check for dead tasks.
 */
static void set_member(struct bperf_tables *t, struct key *k, __u32 set)
{
	forget_slot(t, k->key);
	if (!bpf_map_lookup_elem(t->keys_fd, &k->key, &k->member)) {
		k->member.set = set;
		if (!bpf_map_update_elem(t->keys_fd, &k->key, &k->member, BPF_EXIST))
			fill_key_slot(t, k);
	}
	k->member.set = set;
}

static void sweep_keys(struct bperf_tables *t, bool check_tasks)
{
	struct bperf_tables_state *st = t->state;
	int cnt = 0;

	for (int i = 0; i < st->key_cnt; i++) {
		struct key *k = &st->key[i];
		__u32 set = find_owned(t, k->member.set, 0);
		bool check = check_tasks && bperf_key__kind(k->key) != BPERF_CGROUP;

		if (!set || (check && kill((__u32)k->key, 0) && errno == ESRCH)) {
			forget_slot(t, k->key);
			bpf_map_delete_elem(t->keys_fd, &k->key);
			/*
			 * bprof_on_fork() may have added the key just before it was deleted, and
			 * filled the slot just after that
			 */
			forget_slot(t, k->key);
			continue;
		}
		if (set != k->member.set)
			set_member(t, k, set);
		else if (find_slot(t, k->key) && !*find_slot(t, k->key))
			forget_slot(t, k->key); /* a fork added the key during set_config() */
		st->key[cnt++] = *k;
	}
	st->key_cnt = cnt;
}

static void sweep_sets(struct bperf_tables *t)
{
	for (__u32 set = 1; set < BPERF_SETS; set++)
		for (int cpu = 0; t->state->owned[set] && cpu < t->cpu_limit; cpu++) {
			__u32 *next = &set_at(t, set, cpu)->next;
			__u32 owned = find_owned(t, *next, cpu);

			if (owned != *next)
				__atomic_store_n(next, owned, __ATOMIC_RELAXED);
		}
}

/*
 * Stores which kinds of keys exist, and the levels of the counted cgroups. The BPF programs look up
 * only keys of these kinds and levels.
 */
static void set_config(struct bperf_tables *t)
{
	struct bperf_config *c = bperf_tables__config(t);
	__u32 kinds = 0, levels = 0, before = bperf_tables__kinds(t);
	__u8 next = BPERF_LEVELS;

	for (int i = 0; i < t->state->key_cnt; i++) {
		const struct key *k = &t->state->key[i];
		enum bperf_kind kind = bperf_key__kind(k->key);

		if (kind == BPERF_CGROUP)
			levels |= 1U << k->member.level % BPERF_LEVELS;
		kinds |= 1 << kind;
	}
	/* The highest level comes first. */
	__atomic_store_n(&c->next_level[BPERF_LEVELS], next, __ATOMIC_RELAXED);
	for (int i = BPERF_LEVELS - 1; i >= 0; i--) {
		next = levels & 1U << i ? i : next;
		__atomic_store_n(&c->next_level[i], next, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&c->kinds, kinds, __ATOMIC_RELEASE);
	if (before & ~kinds & 1 << BPERF_PROCESS)
		memset(c->slot, 0, sizeof(c->slot));
}

int bperf_tables__begin(struct bperf_tables *t, unsigned int checks)
{
	int err;

	t->state = xcalloc(1, sizeof(*t->state));
	err = read_owners(t, checks & BPERF_CHECK_USERS) ?: read_keys(t);
	if (err) {
		bperf_tables__end(t);
		return err;
	}
	sweep_keys(t, checks & BPERF_CHECK_TASKS);
	sweep_sets(t);
	set_config(t);
	return 0;
}

void bperf_tables__end(struct bperf_tables *t)
{
	if (!t->state)
		return;
	free(t->state->key);
	free(t->state);
	t->state = NULL;
}

/* ---- bperf users ---- */

/* Returns true if the user has joined this set. */
static bool reads_set(const struct bperf_tables *t, __u32 user, __u32 set)
{
	struct bperf_owner owner = {.set = set, .user = user};
	__u32 one;

	return !bpf_map_lookup_elem(t->owners_fd, &owner, &one);
}

/*
 * Returns the key with its present set, or NULL if the tables do not have it. Reads the key again,
 * because it may have changed since bperf_tables__begin(): if two events of the user have the same
 * leader, bperf_tables__join() may have been called for the other event, or bprof_on_fork() may
 * have added the key.
 */
static struct key *find_table_key(struct bperf_tables *t, __u32 user, __u64 key)
{
	struct bperf_tables_state *st = t->state;
	struct bperf_member now;
	struct key *k = NULL;

	for (int i = 0; !k && i < st->key_cnt; i++)
		if (st->key[i].key == key)
			k = &st->key[i];
	if (bpf_map_lookup_elem(t->keys_fd, &key, &now) || now.set >= BPERF_SETS)
		return k;
	/*
	 * If no user reads the set now.set, bprof_on_fork() copied it from the parent process after
	 * the set's last user had left: ignore it.
	 */
	if (!st->owned[now.set] && !reads_set(t, user, now.set))
		return k;
	st->owned[now.set] = true;
	if (!k)
		k = array__add(&st->key, &st->key_cnt, sizeof(*k));
	*k = (struct key){key, now};
	return k;
}

/* Returns true if the set counts another key than k. */
static bool counts_another_key(const struct bperf_tables *t, __u32 set, const struct key *k)
{
	for (int i = 0; i < t->state->key_cnt; i++) {
		__u32 s = t->state->key[i].member.set;

		if (&t->state->key[i] == k)
			continue;
		for (int n = 0; s && n < BPERF_CHAIN; n++, s = set_at(t, s, 0)->next)
			if (s == set)
				return true;
	}
	return false;
}

/*
 * Allocates a free set. Its counts are also added to the set `next`, unless next is 0. Returns 0 if
 * no set is free. Sets are allocated in rotation, so that a freed set is not used again soon: BPF
 * programs may still be writing to it when it is freed.
 */
static __u32 allocate_set(struct bperf_tables *t, __u32 next)
{
	struct bperf_config *c = bperf_tables__config(t);
	int length = 0;

	for (__u32 at = next; at && length < BPERF_CHAIN; length++)
		at = set_at(t, at, 0)->next;
	if (length == BPERF_CHAIN)
		return 0;
	for (__u32 i = 0; i < BPERF_SETS; i++) {
		__u32 set = (c->next_set + i) % BPERF_SETS;

		if (!set || t->state->owned[set])
			continue;
		for (int cpu = 0; cpu < t->cpu_limit; cpu++)
			__atomic_store_n(&set_at(t, set, cpu)->next, next, __ATOMIC_RELAXED);
		c->next_set = set + 1;
		t->state->owned[set] = true;
		return set;
	}
	return 0;
}

static int add_table_key(struct bperf_tables *t, __u64 key, const struct bperf_member *member)
{
	struct key *k = array__add(&t->state->key, &t->state->key_cnt, sizeof(*k));

	*k = (struct key){key, *member};
	forget_slot(t, key);
	/*
	 * BPF_ANY, because a BPF program may have added the key in the meantime, if the task is a
	 * child of a counted task.
	 */
	if (bpf_map_update_elem(t->keys_fd, &key, member, BPF_ANY))
		return -errno;
	fill_key_slot(t, k);
	set_config(t);
	return 0;
}

int bperf_tables__join(struct bperf_tables *t, __u32 user, enum bperf_kind kind, __u64 id,
		       __u32 level, __u32 *set)
{
	__u64 key = bperf_key(kind, id);
	struct key *k = find_table_key(t, user, key);
	struct bperf_member member = {.set = k ? k->member.set : 0};
	bool inherited = kind == BPERF_PROCESS || kind == BPERF_THREAD;
	struct bperf_owner owner = {.user = user};
	__u32 one = 1;
	int err;

	if (kind == BPERF_CGROUP)
		/* level is not set for a task: there, it shares its memory with the dying flag */
		member.level = level;
	if (!k || (inherited && counts_another_key(t, member.set, k)))
		member.set = allocate_set(t, member.set);
	if (!member.set)
		return -ENOSPC;
	owner.set = member.set;
	err = bpf_map_update_elem(t->owners_fd, &owner, &one, BPF_ANY) ? -errno : 0;
	if (!err && !k)
		err = add_table_key(t, key, &member);
	else if (!err && k->member.set != member.set)
		set_member(t, k, member.set);
	*set = member.set;
	return err;
}

void bperf_tables__leave(struct bperf_tables *t, __u32 user, __u32 set)
{
	struct bperf_owner owner = {.set = set, .user = user};

	bpf_map_delete_elem(t->owners_fd, &owner);
}

bool bperf_tables__has_moved(const struct bperf_tables *t, int cpu)
{
	const struct bperf_cpu *cpus = t->sets.mem;

	return __atomic_load_n(&cpus[cpu].moved.task, __ATOMIC_RELAXED);
}

int bperf_tables__fetch(const struct bperf_tables *t)
{
	int busy = t->possible.cnt;
	__u32 zero = 0;

	for (int i = 0; i < t->possible.cnt; i++)
		t->total[i].enabled = BPERF_BUSY;
	/*
	 * The leader is busy on a CPU only for a moment: read each CPU's total when the leader is
	 * not busy there.
	 */
	while (busy) {
		if (bpf_map_lookup_elem(t->readings_fd, &zero, t->readings))
			return -errno;
		for (int i = 0; i < t->possible.cnt; i++) {
			const struct bperf_count *total = &t->readings[i].total;

			if (t->total[i].enabled < BPERF_BUSY || total->enabled >= BPERF_BUSY)
				continue;
			t->total[i] = *total;
			busy--;
		}
	}
	return 0;
}

static const struct bperf_count *total_at(const struct bperf_tables *t, int cpu)
{
	static const struct bperf_count none;

	for (int i = cpu < t->possible.cnt ? cpu : t->possible.cnt - 1; i >= 0; i--)
		if (t->possible.id[i] == cpu)
			return &t->total[i];
	return &none;
}

struct reading bperf_tables__read(const struct bperf_tables *t, __u32 set, int cpu)
{
	const struct bperf_count *c = set ? &set_at(t, set, cpu)->count : total_at(t, cpu);

	return (struct reading){
		.counter = __atomic_load_n(&c->counter, __ATOMIC_RELAXED),
		.enabled_ns = __atomic_load_n(&c->enabled, __ATOMIC_RELAXED),
		.running_ns = __atomic_load_n(&c->running, __ATOMIC_RELAXED),
	};
}
