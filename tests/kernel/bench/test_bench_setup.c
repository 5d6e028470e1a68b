// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how bprof bench sets up maps, globals and prog arrays, checks return values, and formats
 * its output.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/bench/bench_case.h"

#define INPUT PROGS_DIR "/bench_input.bpf.o"
#define HOT_500 PROGS_DIR "/hot_500.bpf.o"
#define HOT_501 PROGS_DIR "/hot_501.bpf.o"
#define TAIL PROGS_DIR "/tailcall.bpf.o"
#define XDP PROGS_DIR "/xdp.bpf.o"

/* ---- set-up ---- */

#define MAPS                                                                                      \
	"--map bench_hash=/tmp/bench/h --map array=/tmp/bench/a --map percpu=/tmp/bench/c --map " \
	"prefixes=/tmp/bench/p"
#define OWN_PIN "/sys/fs/bpf/bench_hash" /* the pin path that the object requests */

static void write_maps(void)
{
	write_text("/tmp/bench/h", "[{\"key\":7,\"value\":3}]");
	write_text("/tmp/bench/a", "[{\"key\":2,\"value\":4}]");
	write_text("/tmp/bench/c", "[{\"key\":0,\"value\":5}]");
	write_text("/tmp/bench/p", "[{\"key\":{\"len\":16,\"address\":[10,1,0,0]},\"value\":6}]");
}

static void test_maps(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_maps();
	r = bench(f, INPUT " --prog xdp_maps " MAPS " --global plus=100000 --expect-retval 103456");
	assert_status(r, 0);
	assert_int_equal(num(case_row(r, "xdp_maps", NULL), "retval"), 103456);
	r = bench(f, INPUT " --prog xdp_maps --map array=/tmp/bench/a");
	assert_status(r, 0);
	assert_int_equal(num(case_row(r, "xdp_maps", NULL), "retval"), 400);
}

/*
 * If another map is already pinned at the path that the object requests, bench neither uses nor
 * changes that map.
 */
static void test_own_pins(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	struct fixture *f = *state;
	__u32 key = 7, value = 9;
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "bench_hash", 4, 4, 8, &opts);
	struct run *r;

	assert_true(fd >= 0);
	assert_int_equal(bpf_map_update_elem(fd, &key, &value, BPF_ANY), 0);
	assert_int_equal(bpf_obj_pin(fd, OWN_PIN), 0);
	write_maps();
	r = bench(f, INPUT " --prog xdp_maps --map bench_hash=/tmp/bench/h");
	unlink(OWN_PIN);
	assert_int_equal(bpf_map_lookup_elem(fd, &key, &value), 0);
	close(fd);
	assert_status(r, 0);
	assert_int_equal(num(case_row(r, "xdp_maps", NULL), "retval"), 3000);
	assert_int_equal(value, 9);
	/*
	 * If no map is pinned at the path that the object requests, bench also leaves no pin there.
	 */
	assert_status(bench(f, INPUT " --prog xdp_maps"), 0);
	assert_int_not_equal(access(OWN_PIN, F_OK), 0);
}

static __u64 pinned_count(void)
{
	int fd = bpf_obj_get(PIN_DIR "/seen");
	__u32 key = 0;
	__u64 cnt;

	if (fd < 0)
		fail_test(PIN_DIR "/seen is not pinned");
	assert_int_equal(bpf_map_lookup_elem(fd, &key, &cnt), 0);
	close(fd);
	return cnt;
}

/*
 * Runs bench, which creates the pin of the map "seen". On arm64, if the map's address is a multiple
 * of 64 KiB, each program that uses the map is an instruction shorter than usual, and bench does not call
 * its counts exact. In that case, removes the pin and tries again. The test keeps the map open, so the next
 * map has another address.
 */
static void create_pin(struct fixture *f)
{
	for (int tries = 0; tries < 8; tries++) {
		int fd;

		assert_status(bench(f, XDP " --prog xdp_seen --pin-maps " PIN_DIR), 0);
		fd = bpf_obj_get(PIN_DIR "/seen");
		assert_true(fd >= 0);
		f->fd[f->fd_cnt++] = fd;
		if (is_full_length_with(f, "xdp", "xdp_seen", "seen", fd))
			return;
		assert_int_equal(unlink(PIN_DIR "/seen"), 0);
	}
	fail_test("no map at a common address");
}

/*
 * The first bench creates the pins. Later benches use the pinned maps again, and both versions of a
 * comparison use the same maps.
 */
static void test_pin_maps(void **state)
{
	struct fixture *f = *state;
	__u64 once;

	create_pin(f);
	once = pinned_count();
	assert_true(once > BLOCKS * RUNS);
	assert_status(bench(f, XDP " --prog xdp_seen --pin-maps " PIN_DIR), 0);
	assert_int_equal(pinned_count(), 2 * once);
	assert_status(bench(f, XDP " " XDP " --prog xdp_seen --pin-maps " PIN_DIR), 0);
	assert_int_equal(pinned_count(), 4 * once);
	assert_refused(bench(f, XDP " --prog xdp_seen --pin-maps /tmp"), 1, "bpf filesystem");
	assert_refused(bench(f, INPUT " --pin-maps " PIN_DIR "/seen"), 1, PIN_DIR "/seen");
}

/*
 * Copies the object "from" to "to". Replaces each text "old" by "new", which must have the same
 * length.
 */
static void copy_renamed(const char *from, const char *to, const char *old, const char *new)
{
	static char data[1 << 20];
	FILE *in = fopen(from, "re");
	size_t sz, len = strlen(old);

	assert_non_null(in);
	sz = fread(data, 1, sizeof(data), in);
	fclose(in);
	assert_true(sz > len && sz < sizeof(data) && len == strlen(new));
	for (size_t i = 0; i + len <= sz; i++)
		if (!memcmp(data + i, old, len))
			memcpy(data + i, new, len);
	write_bytes(to, data, sz);
}

/* The name of a map comes from the object, and must not lead out of the directory. */
static void test_pin_outside(void **state)
{
	struct fixture *f = *state;

	create_pin(f);
	copy_renamed(INPUT, "/tmp/bench/evil.bpf.o", "bench_hash", "../foreign");
	assert_refused(bench(f, "/tmp/bench/evil.bpf.o --prog xdp_maps --pin-maps " PIN_DIR), 1,
		       "--pin-maps: map '../foreign': a name with '/' cannot be pinned");
	assert_int_not_equal(access(PIN_DIR "/../foreign", F_OK), 0);
}

/* --prog takes globs. Programs that match but cannot be run are left out. */
static void test_prog_glob(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, XDP " --prog 'xdp_p?ss' --prog '*_seen'");

	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 2);
	case_row(r, "xdp_pass", NULL);
	case_row(r, "xdp_seen", NULL);
	assert_refused(bench(f, XDP " --prog 'tc_*'"), 1, "--prog: no program 'tc_*'");
}

static void test_prog_array(void **state)
{
	struct fixture *f = *state;
	struct run *r;
	json_int_t without;

	r = bench(f, TAIL " --prog tail_root --expect-retval XDP_ABORTED");
	assert_status(r, 0);
	without = min_cost(case_row(r, "tail_root", NULL));
	r = bench(f,
		  TAIL " --prog tail_root --prog-array jumps:0=tail_leaf --expect-retval XDP_DROP");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_runs(case_row(r, "tail_root", NULL), BLOCKS * RUNS);
	assert_true(min_cost(case_row(r, "tail_root", NULL)) > without);
	assert_true(has_note(case_row(r, "tail_root", NULL), "tail call"));
	assert_refused(bench(f, TAIL " --prog-array jumps:1=tail_leaf"), 1, "no index 1");
	assert_refused(bench(f, TAIL " --prog-array rounds:0=tail_leaf"), 1, "not prog_array");
	assert_refused(bench(f, TAIL " --prog-array jumps:0=nowhere"), 1, "nowhere");
}

/*
 * Objects with prog arrays stay open for all blocks, so that bench needs more descriptors with each
 * block. It raises its limit.
 */
static void test_fd_limit(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit;
	rlim_t before;
	struct run *r;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	r = bench(f, TAIL " --blocks 20");
	limit.rlim_cur = before;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_status(r, 0);
}

/* ---- expected return values ---- */

static void test_expected(void **state)
{
	static const struct {
		const char *options;
		int status;
		const char *part; /* a part of the line on stderr */
	} cases[] = {
		{"--expect-retval XDP_PASS", 0, NULL},
		{"--expect-retval xdp_pass", 0,
		 NULL}, /* names of return codes are case-insensitive */
		{"--expect-retval 2", 0, NULL},
		{"--expect-retval 0x2", 0, NULL},
		{"--expect-retval 'xdp_*=XDP_PASS'", 0, NULL},
		{"--expect-retval 'xdp_pass/a=2' --expect-retval '*/b=2'", 0, NULL},
		{"--expect-retval XDP_TX --expect-retval xdp_pass=XDP_PASS", 0, NULL},
		{"--expect-retval XDP_PASS --expect-retval '*/b=XDP_TX'", 1,
		 "xdp_pass [b]: returned"},
		{"--expect-retval TC_ACT_OK", 1, "whose values are: XDP_ABORTED"},
		{"--expect-retval nowhere=2", 1, "nowhere=2"},
		{"--expect-retval xdp_pass/nowhere=2", 1, "xdp_pass/nowhere=2"},
		{"--expect-retval 2x", 2, "2x"},
		{"--expect-retval =2", 2, "=2"},
		{"--expect-retval xdp_pass=", 2, "xdp_pass="},
	};
	struct fixture *f = *state;

	write_text("/tmp/bench/a", "60 bytes are a packet, and it does not matter which they are.");
	write_text("/tmp/bench/b", "60 bytes are a packet, and it does not matter which they are.");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r;

		print_message("# %s\n", cases[i].options);
		r = bench(f,
			  XDP " --prog xdp_pass --data-in /tmp/bench/a --data-in /tmp/bench/b %s",
			  cases[i].options);
		if (cases[i].part)
			assert_one_line(r, cases[i].status, cases[i].part);
		else
			assert_status(r, 0);
	}
}

/* ---- output formats ---- */

/* Compares a report with itself. */
static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	assert_status(bench(f, HOT_500 " -o /tmp/bench/exact.json"), 0);
	r = bprof(f, "diff -j /tmp/bench/exact.json /tmp/bench/exact.json");
	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	assert_status(
		bprof(f, "bench " HOT_500 " -j -e %s --blocks 3 --repeat 20 -o /tmp/bench/few.json",
		      exact_event()),
		0);
	assert_status(bprof(f, "diff /tmp/bench/few.json /tmp/bench/few.json"), 5);
	assert_status(
		bprof(f, "bench " HOT_500 " -j -e %s --blocks 6 --repeat 20 -o /tmp/bench/six.json",
		      exact_event()),
		0);
	assert_status(bprof(f, "diff /tmp/bench/six.json /tmp/bench/six.json"), 0);
}

static int count(const char *text, const char *part)
{
	int cnt = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		cnt++;
	return cnt;
}

/* Runs bench with an output format other than JSON. */
static struct run *bench_as(struct fixture *f, const char *args)
{
	return bprof(f, "bench --exact -e %s --blocks %d --repeat %d %s", exact_event(), BLOCKS,
		     RUNS, args);
}

static void test_benchfmt(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench_as(f, HOT_500 " --benchfmt");
	char line[64];

	assert_status(r, 0);
	assert_int_equal(count(r->out, "\nBenchmark"), 3 * BLOCKS);
	assert_int_equal(count(r->out, "version:"), 0);
	r = bench_as(f, HOT_500 " " HOT_501 " --benchfmt -o /tmp/bench/out");
	assert_status(r, 0);
	assert_string_equal(r->out, "");
	r = command(f, "cat /tmp/bench/out");
	snprintf(line, sizeof(line), "\nBenchmarkXdp_hot\t%d\t", RUNS);
	assert_int_equal(count(r->out, line), 2 * BLOCKS);
	assert_int_equal(count(r->out, "\nversion: old\n"), 1);
	assert_int_equal(count(r->out, "\nversion: new\n"), 1);
	/* Check the minimum, because a timer interrupt may affect the mean. */
	assert_int_equal(count(r->out, "\t499 min-"), BLOCKS);
	assert_int_equal(count(r->out, "\t500 min-"), BLOCKS);
}

static void test_markdown(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench_as(f, HOT_500 " " HOT_501 " --markdown");

	assert_status(r, 3);
	assert_int_equal(strncmp(r->out, "### ", 4), 0);
	assert_contains(strchr(r->out, '\n'), "worse | `xdp_hot`");
	assert_int_equal(count(r->out, "<details>"), count(r->out, "</details>"));
}

/* Returns the length of the tag name at text, just after '<' or "</". */
static size_t name_len(const char *text)
{
	return strcspn(text, " />");
}

static bool is_entity(const char *text, size_t len)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (len == strlen(entities[i]) && !strncmp(text, entities[i], len))
			return true;
	return false;
}

/* Checks that elements are nested and closed, and that all '<' and '&' in text are escaped. */
static void assert_xml(const char *text)
{
	const char *open[16], *p = strchr(text, '\n');
	int depth = 0;

	assert_int_equal(strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39), 0);
	for (; (p = strpbrk(p, "<&")); p++) {
		size_t len = strcspn(p, *p == '<' ? ">" : ";");

		if (*p == '&') {
			if (!is_entity(p, len + 1))
				fail_test("a bare '&': %s", p);
			continue;
		}
		if (memchr(p + 1, '<', len - 1) || !p[len])
			fail_test("a bare '<': %s", p);
		if (p[1] == '/') {
			assert_true(depth > 0);
			depth--;
			assert_int_equal(name_len(p + 2), name_len(open[depth]));
			assert_memory_equal(p + 2, open[depth], name_len(p + 2));
		} else if (p[len - 1] != '/') {
			assert_true(depth < 16);
			open[depth++] = p + 1;
		}
	}
	assert_int_equal(depth, 0);
}

static void test_junit(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_text("/tmp/bench/a&b<",
		   "60 bytes are a packet, and it does not matter which they are.");
	r = bench_as(f, HOT_500 " " HOT_501 " --junit --data-in '/tmp/bench/a&b<'");
	assert_status(r, 3);
	assert_xml(r->out);
	assert_int_equal(count(r->out, "<testcase "), 3);
	assert_int_equal(count(r->out, "<failure "), 1);
}

static void test_csv(void **state)
{
	struct fixture *f = *state;
	struct run *comma = bench_as(f, HOT_500 " -x ,"), *tab = bench_as(f, HOT_500 " -x '\\t'");

	assert_status(comma, 0);
	assert_status(tab, 0);
	assert_int_equal(count(comma->out, "\n"), 3);
	assert_true(count(comma->out, ",") > 30);
	assert_int_equal(count(tab->out, "\t"), count(comma->out, ","));
	assert_refused(bench_as(f, HOT_500 " " HOT_501 " -x ,"), 2, "-x");
}

/* --append keeps the earlier content of the file. */
static void test_append(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_text("/tmp/bench/out", "before\n");
	assert_status(bench_as(f, HOT_500 " -o /tmp/bench/out --append"), 0);
	assert_status(bench_as(f, HOT_500 " " HOT_501 " --markdown -o /tmp/bench/out --append"), 3);
	assert_status(bench_as(f, HOT_500 " " HOT_501 " --benchfmt -o /tmp/bench/out --append"), 0);
	r = command(f, "cat /tmp/bench/out");
	assert_int_equal(strncmp(r->out, "before\n", 7), 0);
	assert_int_equal(count(r->out, "blocks, net of"), 1);
	assert_int_equal(count(r->out, "\n### "), 1);
	assert_int_equal(count(r->out, "\nversion: new\n"), 1);
	assert_refused(bench_as(f, HOT_500 " " HOT_501 " --save-new /nowhere/new.json"), 1,
		       "/nowhere/new.json");
	assert_refused(bench_as(f, HOT_500 " -o /nowhere/out"), 1, "/nowhere/out");
}

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

KTEST_GROUP(bench_setup, "set-up, checks and outputs of bprof bench", NULL, ON(EXACT),
	    BENCH_TEST(test_maps), BENCH_TEST(test_own_pins), BENCH_TEST(test_pin_maps),
	    BENCH_TEST(test_pin_outside), BENCH_TEST(test_prog_array), BENCH_TEST(test_fd_limit),
	    BENCH_TEST(test_prog_glob, LONG), BENCH_TEST(test_expected),
	    BENCH_TEST(test_round_trip), BENCH_TEST(test_benchfmt), BENCH_TEST(test_markdown),
	    BENCH_TEST(test_junit), BENCH_TEST(test_csv), BENCH_TEST(test_append, LONG));
