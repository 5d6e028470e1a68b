// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how bprof bench loads objects that leave something to their loader, and how it handles
 * programs that cannot be loaded or run. Also tests limits on the verifier's figures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/bench/bench_case.h"

#define STRANGER PROGS_DIR "/stranger.bpf.o"
#define CONFIG "--kconfig /tmp/bench/config "
#define HOT_500 PROGS_DIR "/hot_500.bpf.o"
#define HOT_501 PROGS_DIR "/hot_501.bpf.o"
#define MAX_OBJECT (1 << 20)

static void write_config(void)
{
	write_text("/tmp/bench/config", "# CONFIG_NONE is not set\nCONFIG_HZ=250\n");
}

static json_int_t retval_of(const struct run *r, const char *prog)
{
	return num(case_row(r, prog, NULL), "retval");
}

/* Like assert_refused(), but notes on the object may precede the error. */
static void assert_fails(const struct run *r, const char *part)
{
	assert_int_equal(r->status, 1);
	assert_string_equal(r->out, "");
	assert_contains(r->err, part);
}

static void test_sizes(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_config();
	r = bench(f, STRANGER " " CONFIG "--prog xdp_unsized");
	assert_status(r, 0);
	assert_contains(r->err, "map unsized: the object leaves its size to its loader; it gets 1 "
				"entry; --map-size unsized=N sets another size");
	assert_int_equal(retval_of(r, "xdp_unsized"), 1);
	r = bench(f, STRANGER " " CONFIG "--prog xdp_unsized --map-size unsized=7");
	assert_status(r, 0);
	assert_int_equal(retval_of(r, "xdp_unsized"), 7);
	assert_fails(bench(f, STRANGER " " CONFIG "--map-size nothing=7"),
		     "--map-size: no map 'nothing'");
	assert_fails(bench(f, STRANGER " " CONFIG "--inner-map unsized=inner"),
		     "map unsized is not a map of maps");
	assert_fails(bench(f, STRANGER " " CONFIG "--map-size unsized=4294967295"),
		     "map unsized (array, key 4, value 8 bytes, max_entries 4294967295): cannot be "
		     "created: ");
}

/* Constants in .rodata, including structs, are set before the verifier sees them. */
static void test_constants(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_config();
	r = bench(f, STRANGER " " CONFIG
			      "--prog xdp_unsized --map-size unsized=3 --global factor=5 --global "
			      "'settings={\"port\":[1,2],\"last\":9}'");
	assert_status(r, 0);
	assert_int_equal(retval_of(r, "xdp_unsized"), 9015);
}

static void test_inner_maps(void **state)
{
	static const char *const good[] = {"--inner-map outer=inner",
					   "--inner-map outer=hash,8,4,1"};
	struct fixture *f = *state;
	struct run *r;

	write_config();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		r = bench(f, STRANGER " " CONFIG "--prog xdp_outer %s", good[i]);
		assert_status(r, 0);
		assert_int_equal(retval_of(r, "xdp_outer"), 0);
	}
}

static void test_types(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_config();
	assert_fails(bench(f, STRANGER " " CONFIG "--prog xdp_unknown --map-size unsized=1"),
		     "give one with --type xdp_unknown=TYPE");
	r = bench(f, STRANGER " " CONFIG "--prog xdp_unknown --type 'xdp_un*=xdp'");
	assert_status(r, 0);
	assert_int_equal(retval_of(r, "xdp_unknown"), 1);
	assert_fails(bench(f, STRANGER " " CONFIG "--type nothing=xdp --map-size unsized=1"),
		     "--type: no program 'nothing'");
}

static void test_config(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_config();
	r = bench(f, STRANGER " " CONFIG "--prog xdp_config");
	assert_status(r, 0);
	assert_int_equal(retval_of(r, "xdp_config"), 250);
	/* In the VM, the kernel's configuration is where libbpf searches for it. */
	assert_status(bench(f, STRANGER " --prog xdp_config"), 0);
	assert_status(command(f, "mv /boot /no-boot"), 0);
	r = bench(f, STRANGER " --prog xdp_config --map-size unsized=1");
	assert_status(command(f, "mv /no-boot /boot"), 0);
	assert_int_equal(r->status, 1);
	assert_contains(r->err, "give the kernel's configuration with --kconfig FILE");
}

static const char *skip_detail(const struct run *r, const char *name)
{
	json_t *skips = json_object_get(r->json, "skipped"), *skip;

	for (size_t i = 0; (skip = json_array_get(skips, i)); i++)
		if (!strcmp(str(skip, "name"), name))
			return str(skip, "detail");
	fail_test("%s was not skipped: %s", name, r->out);
	return NULL;
}

/* A program that cannot be loaded only loses its own row. */
static void test_partly(void **state)
{
	struct fixture *f = *state;
	struct run *r;
	json_t *row;

	write_config();
	r = bench(f, STRANGER " " CONFIG);
	assert_int_equal(r->status, 1);
	assert_contains(r->err, "program xdp_refused: cannot be loaded: Permission denied; the "
				"verifier's last lines:");
	assert_contains(skip_detail(r, "xdp_refused"), "the verifier's last line: R1 ");
	assert_runs(case_row(r, "xdp_unsized", NULL), BLOCKS * RUNS);
	assert_runs(case_row(r, "xdp_config", NULL), BLOCKS * RUNS);
	row = case_row(r, "probe_sleep", NULL);
	assert_string_equal(str(row, "method"), "verifier");
	assert_int_equal(num(row, "size.verified_insns"), 2);
	assert_true(has_note(row, "programs of type kprobe cannot be test-run"));
	/* Without the program that the kernel refuses, nothing fails. */
	assert_status(bench(f, STRANGER " " CONFIG "--prog 'xdp_[uc]*' --type xdp"), 0);
}

/* If no program can be run, the verifier's figures are compared. */
static void test_figures(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	r = bench(f, STRANGER " --prog probe_sleep");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	r = bench(f, STRANGER " " STRANGER " --prog probe_sleep");
	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
}

static void test_limits(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	assert_status(bench(f, HOT_500 " " HOT_501 " --fail-on 'verified_insns>0'"), 3);
	assert_status(bench(f, HOT_500 " " HOT_501 " --fail-on 'verified_insns>5%%'"), 0);
	assert_status(bench(f, HOT_501 " " HOT_500 " --fail-on 'xlated_bytes>0'"), 0);
	assert_status(bench(f, HOT_500 " " HOT_501 " --fail-on 'xdp_hot/xlated_bytes>7'"), 3);
	r = bench(f, HOT_500 " " HOT_500 " --blocks 8 --fail-on 'verification_ns>100s'");
	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
}

static void test_block_time(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, HOT_500 " --block-time 1ns");

	assert_int_equal(r->status, 1);
	assert_contains(r->err, "(--block-time); use a longer --block-time");
}

/* Reads a whole object. The caller frees *data. */
static size_t read_object(const char *path, char **data)
{
	FILE *in = fopen(path, "re");
	size_t sz;

	*data = malloc(MAX_OBJECT);
	assert_true(*data && in);
	sz = fread(*data, 1, MAX_OBJECT, in);
	fclose(in);
	assert_true(sz > 1000 && sz < MAX_OBJECT);
	return sz;
}

/* A file that is no BPF object for this machine is refused. The message says what the file is. */
static void test_no_objects(void **state)
{
	static const char *const bad[][2] = {
		{"/tmp/bench/none.o", "/tmp/bench/none.o: No such file or directory"},
		{"/tmp/bench", "/tmp/bench: Is a directory"},
		{"/tmp/bench/config", "/tmp/bench/config: not an ELF file; give an object file"},
		{"/proc/self/exe", "/proc/self/exe: an ELF file, but not a BPF object"},
		{"/tmp/bench/head.o", "/tmp/bench/head.o: an ELF file, but not a BPF object"},
		{"/tmp/bench/other.o", "/tmp/bench/other.o: compiled for the other byte order"},
	};
	struct fixture *f = *state;
	char *data;
	size_t sz = read_object(STRANGER, &data);

	write_config();
	write_bytes("/tmp/bench/head.o", data, 20);
	data[5] = 3 - data[5]; /* EI_DATA: 1 or 2 */
	write_bytes("/tmp/bench/other.o", data, sz);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_fails(bench(f, "%s", bad[i][0]), bad[i][1]);
	free(data);
}

/* Returns why a program was not measured, or NULL if it was. */
static const char *why_not(const struct run *r, const char *prog)
{
	json_t *skipped = json_object_get(r->json, "skipped"), *row;
	size_t i;

	json_array_foreach(skipped, i,
			   row) if (!strcmp(str(row, "name"), prog)) return str(row, "detail");
	return NULL;
}

static int count_skips(const struct run *r, const char *prog)
{
	json_t *skipped = json_object_get(r->json, "skipped"), *row;
	int cnt = 0;
	size_t i;

	json_array_foreach(skipped, i, row) cnt += !strcmp(str(row, "name"), prog);
	return cnt;
}

/*
 * bprof knows the types of sections that the linked libbpf may not know. The report says once why a
 * program that libbpf cannot relocate was not measured, and once why a program whose section is
 * unknown was not. The other programs are measured.
 */
static void test_newer(void **state)
{
	static const char *const arena[] = {"uses_arena", "calls_arena"};
	/* bprof is linked with the same version */
	const char *version = libbpf_version_string() + 1;
	struct fixture *f = *state;
	char text[64];
	struct run *r = bench(f, PROGS_DIR "/newer.bpf.o");

	assert_status(r, 0);
	assert_runs(case_row(r, "plain", NULL), BLOCKS * RUNS);
	assert_runs(case_row(r, "tcx", NULL), BLOCKS * RUNS);
	snprintf(text, sizeof(text), "libbpf %s, which bprof is linked with", version);
	for (size_t i = 0; i < 2; i++) {
		assert_contains(why_not(r, arena[i]), text);
		assert_contains(why_not(r, arena[i]), "variables in an arena need libbpf 1.4");
		assert_int_equal(count_skips(r, arena[i]), 1);
	}
	assert_contains(why_not(r, "unknown"), text);
	assert_contains(why_not(r, "unknown"), "give one with --type unknown=TYPE");
	/* With --type, bench also measures the program whose section is unknown. */
	r = bench(f, PROGS_DIR "/newer.bpf.o --type unknown=sched_cls --prog unknown --prog plain");
	assert_status(r, 0);
	assert_runs(case_row(r, "unknown", NULL), BLOCKS * RUNS);
}

/* If nothing in an object can be measured, there is a report, but the bench fails. */
static void test_nothing(void **state)
{
	struct fixture *f = *state;
	struct run *r = bench(f, PROGS_DIR "/newer.bpf.o --prog uses_arena");

	assert_one_line(r, 4, "bench: nothing could be measured; the report has the reasons");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 0);
	assert_int_equal(count_skips(r, "uses_arena"), 1);
	/*
	 * If a program that the user named, or a whole version, cannot be measured, the bench
	 * fails.
	 */
	r = bench(f, PROGS_DIR "/newer.bpf.o --prog uses_arena --prog plain");
	assert_one_line(r, 1, "newer.bpf.o: program uses_arena: libbpf");
	assert_runs(case_row(r, "plain", NULL), BLOCKS * RUNS);
	r = bprof(f, "bench " PROGS_DIR "/newer.bpf.o " PROGS_DIR "/newer.bpf.o --prog uses_arena");
	assert_int_equal(r->status, 1);
	assert_contains(r->err, "newer.bpf.o: program uses_arena: libbpf");
}

/*
 * Bits of a real object are flipped, or its end is cut off. bprof reports this, or works in spite
 * of it.
 */
static void test_damaged(void **state)
{
	struct fixture *f = *state;
	char *data;
	size_t sz = read_object(STRANGER, &data);
	struct run *r;

	srand(2);
	for (int i = 0; i < 40; i++) {
		size_t at = 64 + rand() % (sz - 64);

		data[at] ^= 1 << rand() % 8;
		write_bytes("/tmp/bench/damaged.o", data, i % 4 ? sz : at);
		/* The damage accumulates. */
		r = bench(f, "/tmp/bench/damaged.o --kconfig /dev/null --blocks 1 --repeat 2");
		if (r->status != 0 && r->status != 1 && r->status != 4)
			fail_test("flip %d at %zu: status %d: %s", i, at, r->status, r->err);
		assert_true(r->status == 0 || *r->err);
	}
	free(data);
}

#define BENCH_TEST(...) KTEST_WITH(setup_bench, teardown_bench, __VA_ARGS__)

KTEST_GROUP(bench_objects, "objects that leave something to their loader, limits on sizes", NULL,
	    ON(EXACT), BENCH_TEST(test_sizes), BENCH_TEST(test_constants),
	    BENCH_TEST(test_inner_maps), BENCH_TEST(test_types), BENCH_TEST(test_config),
	    BENCH_TEST(test_partly), BENCH_TEST(test_figures), BENCH_TEST(test_limits, LONG),
	    BENCH_TEST(test_block_time), BENCH_TEST(test_damaged, LONG),
	    BENCH_TEST(test_no_objects), BENCH_TEST(test_newer), BENCH_TEST(test_nothing));
