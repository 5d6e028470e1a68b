// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the attr map: waiting for its lock, objects that other programs have pinned in its place,
 * and entries of dead leaders.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/system/interval_user.h"
#include "tests/kernel/system/leaders.h"

#define USER "system --attr-map " ATTR_MAP " -j -e " EVENT
#define EVENT "minor-faults"
#define KEY_SIZE 136 /* key size of perf 6.12 */
#define ENTRIES 16   /* number of entries, as in perf's maps */
#define NOBODY 65534
#define FIFO "/tmp/ktest.fifo"

/* An event that no VM supports. */
#define NOT_SUPPORTED "branch-misses"

struct entry {
	__u32 link_id, diff_map_id;
};

static int setup_map(void **state)
{
	if (mkdir(PIN_DIR, 0700)) {
		perror(PIN_DIR);
		return -1;
	}
	return setup(state);
}

static int keep(struct fixture *f, int fd)
{
	assert_true(fd >= 0);
	f->fd[f->fd_cnt++] = fd;
	return fd;
}

static __u32 map_id(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* ---- the lock ---- */

/* Lets bprof create the map, then takes the map's lock. */
static int hold_lock(struct fixture *f)
{
	int fd;

	assert_status(bprof(f, USER " -a -- true"), 0);
	fd = keep(f, attr_map_open(ATTR_MAP));
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

/*
 * bprof waits for the lock without a limit. The test holds the lock for longer than bprof takes to
 * start.
 */
static void test_lock_is_waited_for(void **state)
{
	struct fixture *f = *state;
	int fd = hold_lock(f);
	struct child *c = bprof_start(f, USER " --lock-timeout 60000 -a -I 20");

	usleep(500000);
	leaders__await(0);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	child_line(c);
	leaders__await(1);
	user_end(f, c);
}

static void test_lock_timeout(void **state)
{
	static const int timeouts[] = {200, 0};
	struct fixture *f = *state;
	char holder[64];

	hold_lock(f);
	snprintf(holder, sizeof(holder), "process %d (ktest)", getpid());
	for (int i = 0; i < 2; i++) {
		struct run *r = bprof(f, USER " --lock-timeout %d -a -- true", timeouts[i]);

		assert_status(r, 1);
		assert_string_equal(r->out, "");
		assert_contains(r->err, holder);
		assert_contains(r->err, "--lock-timeout");
		assert_ptr_equal(strchr(r->err, '\n'), r->err + strlen(r->err) - 1);
	}
	leaders__await(0);
}

/* When another process keeps the lock, bprof reports the repeats that were complete before. */
static void test_lock_is_lost_between_repeats(void **state)
{
	struct fixture *f = *state;
	struct child *c;
	struct run *r;
	int fd, go;

	assert_int_equal(mkfifo(FIFO, 0600), 0);
	c = bprof_start(f, USER " --lock-timeout 100 -r 3 -- cat " FIFO);
	go = open(FIFO, O_WRONLY); /* opens when the first repeat's command reads the FIFO */
	assert_true(go >= 0);
	fd = keep(f, attr_map_open(ATTR_MAP));
	assert_int_equal(flock(fd, LOCK_EX), 0);
	close(go);
	r = child_wait(f, c);
	unlink(FIFO);
	assert_status(r, 1);
	assert_contains(r->err, "--lock-timeout");
	assert_int_equal(json_array_size(json_object_get(r->json, "system")), 1);
	assert_string_equal(str(json_array_get(json_object_get(r->json, "system"), 0), "scope"),
			    "command");
}

/* ---- objects pinned in the map's place ---- */

static const struct {
	const char *name;
	enum bpf_map_type type;
	__u32 key_sz, value_sz;
} foreign[] = {
	{"array", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct entry)},
	{"lru_hash", BPF_MAP_TYPE_LRU_HASH, KEY_SIZE, sizeof(struct entry)},
	{"key_too_small", BPF_MAP_TYPE_HASH, 56, sizeof(struct entry)},
	{"value", BPF_MAP_TYPE_HASH, KEY_SIZE, 16},
};

static void assert_refused(struct fixture *f, const char *path, const char *part)
{
	struct run *r = bprof(f, "system --attr-map %s -j -e " EVENT " -a -- true", path);

	assert_status(r, 1);
	assert_contains(r->err, path);
	assert_contains(r->err, part);
	assert_ptr_equal(strchr(r->err, '\n'), r->err + strlen(r->err) - 1);
}

static void test_foreign_maps(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		int fd = keep(f, bpf_map_create(foreign[i].type, "theirs", foreign[i].key_sz,
						foreign[i].value_sz, 4, NULL));
		char id[32];

		assert_int_equal(bpf_obj_pin(fd, ATTR_MAP), 0);
		snprintf(id, sizeof(id), "id %u", map_id(fd));
		assert_refused(f, ATTR_MAP, id);
		assert_int_equal(map_id(keep(f, attr_map_open(ATTR_MAP))), map_id(fd));
		assert_int_equal(count_elements(fd), foreign[i].type == BPF_MAP_TYPE_ARRAY ? 4 : 0);
		assert_int_equal(unlink(ATTR_MAP), 0);
	}
}

static void test_foreign_program(void **state)
{
	struct fixture *f = *state;
	struct target t = load_raw(f);

	assert_int_equal(bpf_obj_pin(t.fd, ATTR_MAP), 0);
	assert_refused(f, ATTR_MAP, "the object pinned there is not a map");
}

/*
 * If root runs bprof, it ignores a map that an unprivileged user owns. If root names that map with
 * an option, bprof fails.
 */
static void test_map_of_nobody(void **state)
{
	static const char default_path[] = "/sys/fs/bpf/perf_attr_map";
	const char *const paths[] = {ATTR_MAP, default_path};
	struct fixture *f = *state;
	int fd = keep(f, bpf_map_create(BPF_MAP_TYPE_HASH, "perf_attr_map", KEY_SIZE,
					sizeof(struct entry), ENTRIES, NULL));
	struct run *r;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(bpf_obj_pin(fd, paths[i]), 0);
		assert_int_equal(chown(paths[i], NOBODY, NOBODY), 0);
	}
	assert_refused(f, ATTR_MAP, "belongs to user 65534");
	r = bprof(f, "system -j -e " EVENT " -a -- true");
	assert_status(r, 0);
	assert_contains(r->err, "belongs to user 65534");
	assert_string_equal(str(scope_row(r->json, "system", 0), "method"), "perf_event");
	assert_int_equal(count_elements(fd), 0);
	assert_int_equal(unlink(default_path), 0);
}

static void test_no_place(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "/tmp/attr_map", "bpffs");
	assert_true(access("/tmp/attr_map", F_OK));
	assert_refused(f, PIN_DIR "/none/attr_map", "No such file or directory");
}

/*
 * bprof must mount bpffs if it is not mounted. The test unmounts bpffs in a mount namespace of its
 * own.
 */
static void test_bpffs_is_mounted(void **state)
{
	struct fixture *f = *state;
	struct run *r = command(f, "unshare -m sh -c 'umount /sys/fs/bpf && "
				   "bprof system -j -e " EVENT " -a -o - -- "
				   "test -e /sys/fs/bpf/perf_attr_map'");

	assert_status(r, 0);
	assert_string_equal(str(scope_row(r->json, "system", 0), "method"), "bperf");
}

/* ---- entries of the attr map ---- */

static int load_raw_tp(struct fixture *f, const char *name, const char *tp)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int prog =
		keep(f, bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, name, "GPL", insns, 2, NULL));

	return keep(f, bpf_raw_tracepoint_open(tp, prog));
}

static __u32 link_id(int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* Returns the only entry of the attr map. */
static struct entry only_entry(int map_fd, char *key)
{
	struct entry e;

	assert_int_equal(count_elements(map_fd), 1);
	assert_int_equal(bpf_map_get_next_key(map_fd, NULL, key), 0);
	assert_int_equal(bpf_map_lookup_elem(map_fd, key, &e), 0);
	return e;
}

/* Checks that a bperf user counts, and that its leader is in the attr map. */
static void assert_leader_is_entered(struct fixture *f, int map_fd)
{
	struct child *c = user_start(f, "-e " EVENT " -a");

	leaders__await(1);
	leaders__assert_entered(map_fd);
	assert_status(command(f, "true"), 0); /* any command causes page faults */
	assert_true(scope_total(user_end(f, c), "system", 0, EVENT) > 0);
	leaders__await(0);
}

static void test_stale_entries(void **state)
{
	struct fixture *f = *state;
	struct child *c = user_start(f, "-e " EVENT " -a");
	int map_fd = keep(f, attr_map_open(ATTR_MAP));
	char key[512];
	struct entry e = only_entry(map_fd, key);

	user_end(f, c);
	leaders__await(0);
	/*
	 * Invalid entries, which bprof must replace: the id of a dead leader; the value with which
	 * perf marks a dead leader; a link on another tracepoint; and a link of a program that is
	 * no leader, as if a link's id had been reused.
	 */
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			e = (struct entry){~0U, ~0U};
		else if (i == 2)
			e.link_id = link_id(load_raw_tp(f, "theirs", "sched_wakeup"));
		else if (i == 3)
			e.link_id = link_id(load_raw_tp(f, "theirs", "sched_switch"));
		assert_int_equal(bpf_map_update_elem(map_fd, key, &e, BPF_NOEXIST), 0);
		assert_leader_is_entered(f, map_fd);
		assert_int_equal(count_elements(map_fd), 0);
	}
}

/*
 * In a pid namespace, bprof counts tasks with perf events, also if the user has given --attr-map.
 */
static void test_pid_namespace(void **state)
{
	struct fixture *f = *state;
	struct run *r = command(f, "unshare -pf bprof " USER " -o - -- true");

	assert_status(r, 0);
	assert_contains(r->err, "bprof runs in a pid namespace");
	assert_string_equal(str(json_array_get(json_object_get(r->json, "system"), 0), "method"),
			    "perf_event");
}

/* If bprof cannot map BPF maps into its memory, it counts with perf events. */
static void test_unmappable_tables(void **state)
{
	static const char *const what[] = {"object: Cannot allocate memory",
					   "tables: Cannot allocate memory"};
	struct fixture *f = *state;
	struct child *other = NULL;

	/* First bprof cannot make a leader. Then it cannot use the leader of another bperf user. */
	for (int i = 0; i < 2; i++) {
		struct run *r = command(f, "drive unmapped bprof " USER " -a -o - -- true");

		assert_status(r, 0);
		assert_string_equal(str(scope_row(r->json, "system", 0), "method"), "perf_event");
		assert_contains(r->err, what[i]);
		if (!i)
			other = user_start(f, "-e " EVENT " -a");
	}
	user_end(f, other);
	leaders__await(0);
}

/*
 * The attr map names a leader whose map of readings does not exist, so no follower can use this
 * leader. bprof does not change the entry and starts no second leader; it counts with perf events.
 */
static void test_leader_without_readings(void **state)
{
	struct fixture *f = *state;
	struct child *c = user_start(f, "-e " EVENT " -a");
	int map_fd = keep(f, attr_map_open(ATTR_MAP));
	struct entry e, was;
	char key[512];
	struct run *r;

	only_entry(map_fd, key);
	user_end(f, c);
	leaders__await(0);
	was = (struct entry){link_id(load_raw_tp(f, "on_switch", "sched_switch")), ~0U};
	assert_int_equal(bpf_map_update_elem(map_fd, key, &was, BPF_ANY), 0);
	r = bprof(f, USER " -a -- true");
	assert_status(r, 0);
	assert_string_equal(str(scope_row(r->json, "system", 0), "method"), "perf_event");
	assert_contains(r->err, "cannot attach to perf's leader");
	e = only_entry(map_fd, key);
	assert_memory_equal(&e, &was, sizeof(e));
}

/* The attr map has 16 entries. perf never removes entries of dead leaders, but bprof does. */
static void test_full_of_dead(void **state)
{
	struct fixture *f = *state;
	char key[KEY_SIZE] = {};
	struct entry e = {~0U, ~0U};
	int map_fd = keep(f, bpf_map_create(BPF_MAP_TYPE_HASH, "perf_attr_map", KEY_SIZE, sizeof(e),
					    ENTRIES, NULL));

	assert_int_equal(bpf_obj_pin(map_fd, ATTR_MAP), 0);
	for (int i = 0; i < ENTRIES; i++) {
		key[0] = 100 + i;
		assert_int_equal(bpf_map_update_elem(map_fd, key, &e, BPF_ANY), 0);
	}
	assert_leader_is_entered(f, map_fd);
	assert_int_equal(count_elements(map_fd), 0);
}

/* The last bperf user of a leader removes the leader's entry, and the entries of dead leaders. */
static void test_last_user_cleans_up(void **state)
{
	struct fixture *f = *state;
	struct child *first = user_start(f, "-e " EVENT " -a"), *killed, *second;
	int map_fd = keep(f, attr_map_open(ATTR_MAP));

	killed = user_start(f, "-e major-faults -a");
	second = user_start(f, "-e " EVENT ",context-switches -a");
	child_signal(killed, SIGKILL);
	child_wait(f, killed);
	leaders__await(2);
	assert_int_equal(count_elements(map_fd), 3);
	user_end(f, second);
	assert_int_equal(count_elements(map_fd), 1);
	leaders__assert_entered(map_fd);
	user_end(f, first);
	assert_int_equal(count_elements(map_fd), 0);
}

/* bperf users share the leaders of a group, also if the kernel refuses one of its events. */
static void test_group_with_refused(void **state)
{
	static const char *const groups[] = {
		"{" EVENT "," NOT_SUPPORTED "}",
		"{" NOT_SUPPORTED "," EVENT "}",
		"{" EVENT "," NOT_SUPPORTED ",major-faults}",
	};
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		struct child *first = user_start(f, "-e '%s' -a", groups[i]), *second;
		int leaders = i == 2 ? 2 : 1;
		struct run *r;

		leaders__await(leaders);
		second = user_start(f, "-e '%s' -a", groups[i]);
		leaders__await(leaders);
		r = user_end(f, second);
		assert_string_equal(
			str(event_of(scope_row(r->json, "system", 0), NOT_SUPPORTED), "status"),
			"not_supported");
		user_end(f, first);
		leaders__await(0);
	}
}

/*
 * If the attr map is full of entries of existing leaders, bperf users do not share a leader: each
 * bperf user starts its own.
 */
static void test_full_of_living(void **state)
{
	struct fixture *f = *state;
	char key[KEY_SIZE] = {};
	struct entry e = {};
	int map_fd = keep(f, bpf_map_create(BPF_MAP_TYPE_HASH, "perf_attr_map", KEY_SIZE, sizeof(e),
					    ENTRIES, NULL));
	struct child *other;
	struct leaders l;
	struct run *r;

	assert_int_equal(bpf_obj_pin(map_fd, ATTR_MAP), 0);
	other = user_start(f, "-e major-faults -a");
	leaders__open(&l);
	assert_int_equal(l.cnt, 1);
	e.link_id = l.link_id[0];
	leaders__close(&l);
	for (int i = 0; i < ENTRIES - 1; i++) {
		key[0] = 100 + i;
		assert_int_equal(bpf_map_update_elem(map_fd, key, &e, BPF_ANY), 0);
	}
	r = bprof(f, USER " -a -- true");
	assert_status(r, 0);
	assert_true(scope_total(r, "system", 0, EVENT) > 0);
	assert_int_equal(count_elements(map_fd), ENTRIES);
	user_end(f, other);
	assert_int_equal(count_elements(map_fd), 0);
}

#define MAP_TEST(...) KTEST_WITH(setup_map, teardown, __VA_ARGS__)

KTEST_GROUP(system_map, "the attr map: its lock, and entries that others leave", NULL, ON(SMP4),
	    MAP_TEST(test_lock_is_waited_for), MAP_TEST(test_lock_timeout),
	    MAP_TEST(test_foreign_maps), MAP_TEST(test_foreign_program),
	    MAP_TEST(test_map_of_nobody), MAP_TEST(test_lock_is_lost_between_repeats),
	    MAP_TEST(test_no_place), MAP_TEST(test_bpffs_is_mounted), MAP_TEST(test_stale_entries),
	    MAP_TEST(test_full_of_dead), MAP_TEST(test_full_of_living),
	    MAP_TEST(test_unmappable_tables), MAP_TEST(test_leader_without_readings),
	    MAP_TEST(test_last_user_cleans_up), MAP_TEST(test_group_with_refused),
	    MAP_TEST(test_pid_namespace));
