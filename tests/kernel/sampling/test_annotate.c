// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof record and annotate: samples fall on the code that takes the time (marked by comments
 * in tests/progs/loops.bpf.c), and every sample is accounted for. The tests sample with cpu-clock,
 * because the emulated PMU does not sample accurately. The group needs the deterministic VM (one
 * vCPU, -icount), in which an interrupt can come at any instruction. In other VMs, interrupts come
 * only between the blocks of code that the emulator translates.
 */
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define FILE_NAME "/tmp/ktest.record.json"
#define PERIOD_NS 20011

/*
 * In a VM with -icount, all runs take the same time. So samples may keep step with the runs of a short
 * program, and always hit the same few instructions. To avoid this, the tests add up the samples of
 * several periods.
 */
static const int periods[] = {PERIOD_NS, 21313};
#define PERIOD_CNT ((int)(sizeof(periods) / sizeof(periods[0])))

/* Records a program in N runs, for tests that look at a recording in several formats. */
static void record(struct fixture *f, struct target t, int runs)
{
	unlink(FILE_NAME); /* another test may have left the file with another mode */
	assert_status(
		bprof(f, "record -o " FILE_NAME " -b %u -e cpu-clock -c %d -- drive testrun %u:%d",
		      t.id, PERIOD_NS, t.id, runs),
		0);
}

static struct run *annotate(struct fixture *f, const char *options)
{
	struct run *r = bprof(f, "annotate %s -i " FILE_NAME, options);

	assert_status(r, 0);
	return r;
}

/* Returns the array's first element whose field `key` has this value, or NULL. */
static json_t *find(json_t *array, const char *key, const char *value)
{
	json_t *v;

	for (size_t i = 0; (v = json_array_get(array, i)); i++)
		if (!strcmp(str(v, key), value))
			return v;
	return NULL;
}

static json_t *func_of(json_t *prog, const char *name)
{
	json_t *f = find(json_object_get(prog, "functions"), "name", name);

	if (!f)
		fail_test("no function %s", name);
	return f;
}

/* Returns the number in the field, or 0 if there is none. */
static json_int_t opt_num(json_t *obj, const char *key)
{
	return json_object_get(obj, key) ? num(obj, key) : 0;
}

/* Counts the samples ("samples" or "calls") on those lines of a program whose source text matches glob. */
static json_int_t samples_on(json_t *prog, const char *key, const char *glob)
{
	json_t *func, *line, *funcs = json_object_get(prog, "functions");
	json_int_t sum = 0;

	for (size_t i = 0; (func = json_array_get(funcs, i)); i++)
		for (size_t k = 0; (line = json_array_get(json_object_get(func, "lines"), k)); k++)
			if (!fnmatch(glob, str(line, "text"), 0))
				sum += opt_num(line, key);
	return sum;
}

/* Checks that each sample is counted in exactly one place of the report. */
static void assert_all_placed(const struct run *r, int period_ns)
{
	json_t *progs = json_object_get(r->json, "programs"), *prog, *func, *line, *insn;
	json_int_t taken = num(r->json, "samples.taken"), all = 0;

	assert_status(r, 0);
	for (size_t i = 0; (prog = json_array_get(progs, i)); i++) {
		json_int_t in_prog = 0;

		for (size_t k = 0; (func = json_array_get(json_object_get(prog, "functions"), k));
		     k++) {
			json_t *lines = json_object_get(func, "lines");
			json_int_t in_func = 0, in_insns = 0;

			for (size_t n = 0; (line = json_array_get(lines, n)); n++) {
				json_t *insns = json_object_get(line, "insns");

				in_func += num(line, "samples");
				for (size_t m = 0; (insn = json_array_get(insns, m)); m++)
					if (json_object_get(insn, "offset"))
						in_insns += num(insn, "samples");
			}
			assert_int_equal(in_func, num(func, "samples"));
			assert_int_equal(in_insns, in_func);
			in_prog += in_func;
		}
		assert_int_equal(in_prog, num(prog, "samples"));
		all += in_prog;
	}
	assert_int_equal(all, num(r->json, "samples.in_targets"));
	assert_true(all <= taken);
	assert_int_equal(num(r->json, "samples.weight"), taken * period_ns);
}

static void assert_adds_up(const struct run *r)
{
	assert_all_placed(r, PERIOD_NS);
}

/*
 * Checks that the samples and the reported lost samples add up to one per period of the elapsed
 * time.
 */
static void assert_complete(const struct run *r)
{
	double due = (double)num(r->json, "samples.enabled_ns") / PERIOD_NS;
	json_int_t accounted = num(r->json, "samples.taken") + num(r->json, "samples.lost");

	if (fabs(accounted - due) > 2)
		fail_test("%lld of %.1f samples are accounted for", (long long)accounted, due);
	assert_true(real(r->json, "samples.cost_ns") > 100);
	assert_true(real(r->json, "samples.cost_ns") < PERIOD_NS);
}

static void test_hot_loop(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	json_int_t hot = 0, all = 0, entry = 0;
	json_t *prog = NULL;
	struct run *r;

	for (int i = 0; i < PERIOD_CNT; i++) {
		r = bprof(f, "annotate -j -b %u -e cpu-clock -c %d -- drive testrun %u:25000", t.id,
			  periods[i], t.id);
		assert_all_placed(r, periods[i]);
		if (periods[i] == PERIOD_NS)
			assert_complete(r);
		prog = row_of(r, t.id);
		all += num(prog, "samples");
		hot += samples_on(prog, "samples", "* hot [*]/*");
		entry += num(func_of(prog, "xdp_hot_loop"), "samples");
	}
	printf("# %lld of %lld samples on the hot loop\n", (long long)hot, (long long)all);
	assert_true(all > 2000);
	assert_true(hot >= all * .95);
	/* the function with the most samples is first */
	assert_string_equal(str(json_array_get(json_object_get(prog, "functions"), 0), "name"),
			    "mix");
	assert_true(entry < all * .05);
}

/*
 * The program spends nearly all of its time in a helper. The line that calls the helper has these
 * samples, and the program's samples add up to the time in the kernel's statistics.
 */
static void test_helper(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_helper");
	json_int_t own, calls, dear;
	double found, stats;
	struct run *r;
	json_t *prog;

	record(f, t, 1000);
	r = annotate(f, "-j");
	assert_adds_up(r);
	assert_complete(r);
	prog = row_of(r, t.id);
	own = num(prog, "samples");
	calls = num(prog, "calls");
	dear = samples_on(prog, "calls", "* helper [*]/*");
	found = (double)(own + calls) * PERIOD_NS / num(r->json, "elapsed_ns");
	stats = real(prog, "cpu_share");
	printf("# %lld own samples, %lld in calls, %lld of them on the helper's line; %.4f of a "
	       "CPU "
	       "in the samples, %.4f in the statistics; a sample takes %.0f ns\n",
	       (long long)own, (long long)calls, (long long)dear, found, stats,
	       real(r->json, "samples.cost_ns"));
	/* many enough for the shares below; on newer kernels, the helper takes less time */
	assert_true(calls > 500);
	assert_true(dear >= calls * .98);
	assert_true(own < calls * .2);
	assert_int_equal(num(prog, "runs"), 1000);
	assert_int_equal(calls, num(r->json, "samples.in_calls"));
	assert_true(fabs(found / stats - 1) < .1);
	assert_null(json_object_get(prog, "advice"));
	r = annotate(f, "--lines");
	assert_contains(r->out, "IN CALLS");
	assert_contains(r->out, "1,000 runs took ");
	assert_contains(r->out, " in its own code, ");
}

/* If there are few samples, shares would be noise. Without samples, there are no shares. */
static void test_few_samples(void **state)
{
	static const char few[] = "too few samples for shares; sample for longer (--timeout)";
	static const char none[] =
		"no samples: the kernel counted no run of it; let it run meanwhile";
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;

	record(f, t, 200);
	r = annotate(f, "--lines");
	assert_contains(r->out, few);
	assert_contains(r->out, "200 runs took ");
	assert_contains(r->out, "mix: ");
	assert_contains(r->out, " of the program's ");
	assert_null(strstr(r->out, "SHARE"));
	r = annotate(f, "-j");
	assert_adds_up(r);
	assert_contains(str(row_of(r, t.id), "advice"), few);
	assert_true(real(row_of(r, t.id), "share_stddev") > .01);
	assert_status(bprof(f, "record -o " FILE_NAME " -b %u -e cpu-clock -- true", t.id), 0);
	r = annotate(f, "");
	assert_contains(r->out, none);
	assert_string_equal(r->err, "");
	assert_contains(annotate(f, "--html")->out, none);
	r = annotate(f, "--folded");
	assert_string_equal(r->out, "");
	assert_contains(r->err, "none of the samples is in the targets");
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/*
 * If a loop runs three times as long as another one, it gets three times the samples. The number of
 * samples, 20,000, is large enough to show this.
 */
static void test_two_loops(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_two_loops");
	json_int_t all, of_long, of_short;
	double ratio;
	struct run *r;
	json_t *prog;

	record(f, t, 3400);
	assert_int_equal(mode_of(FILE_NAME), 0600);
	unload(f, t); /* annotating the recording does not need the program */
	r = annotate(f, "-j");
	assert_adds_up(r);
	assert_complete(r);
	prog = row_of(r, t.id);
	all = num(prog, "samples");
	of_long = samples_on(prog, "samples", "* long [*]/*");
	of_short = samples_on(prog, "samples", "* short [*]/*");
	ratio = (double)of_long / of_short;
	printf("# %lld samples: %lld and %lld on the loops, 1 : %.3f\n", (long long)all,
	       (long long)of_long, (long long)of_short, ratio);
	assert_true(all >= 20000);
	assert_true(of_long + of_short >= all * .95);
	assert_true(fabs(ratio / 3 - 1) <= .03);
	/* The samples of each function include those of its loop. */
	assert_true(num(func_of(prog, "long_loop"), "samples") >= of_long);
	assert_true(num(func_of(prog, "short_loop"), "samples") >= of_short);
	assert_non_null(func_of(prog, "xdp_two_loops"));
}

/*
 * Samples are assigned by address. So functions with the same name and BTF id are distinguished,
 * even functions that the kernel cannot probe.
 */
static void test_namesakes(void **state)
{
	static const char a[] = "helper@namesakes_a.c:7", b[] = "helper@namesakes_b.c:7";
	struct fixture *f = *state;
	struct target t = load_target(f, "namesakes", "namesakes");
	json_int_t of_a = 0, of_b = 0;
	struct run *r;
	json_t *prog;

	for (int i = 0; i < PERIOD_CNT; i++) {
		r = bprof(f,
			  "annotate -j -b %u --func helper -e cpu-clock -c %d -- drive testrun "
			  "%u:10000",
			  t.id, periods[i], t.id);
		assert_all_placed(r, periods[i]);
		prog = row_of(r, t.id);
		of_a += num(func_of(prog, a), "samples");
		of_b += num(func_of(prog, b), "samples");
	}
	/*
	 * The two functions take 100 and 1,000 instructions, and a run 1/14 of a period: too few
	 * samples for exact shares, which test_two_loops() checks.
	 */
	printf("# %lld and %lld samples\n", (long long)of_a, (long long)of_b);
	assert_true(of_a > 0);
	assert_true(of_a < of_b);
	r = bprof(f, "annotate -j -b %u --func %s -e cpu-clock -c %d -- drive testrun %u:20000",
		  t.id, b, PERIOD_NS, t.id);
	assert_adds_up(r);
	prog = row_of(r, t.id);
	assert_int_equal(json_array_size(json_object_get(prog, "functions")), 1);
	assert_true(num(func_of(prog, b), "samples") > 0);
}

/* Records one function of a program. Samples in its other functions are outside of the targets. */
static void test_functions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_two_loops");
	struct target other = load_target(f, "loops", "xdp_hot_loop");
	json_t *progs;
	struct run *r;

	r = bprof(f,
		  "annotate -j -b %u:short_loop,%u -e cpu-clock -c %d -- drive testrun %u:200 "
		  "%u:2000",
		  t.id, other.id, PERIOD_NS, t.id, other.id);
	assert_adds_up(r);
	progs = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(progs), 2);
	assert_int_equal(json_array_size(json_object_get(row_of(r, t.id), "functions")), 1);
	assert_true(num(row_of(r, t.id), "samples") > 200);
	assert_int_equal(samples_on(row_of(r, t.id), "samples", "* long [*]/*"), 0);
	assert_true(num(r->json, "samples.taken") - num(r->json, "samples.in_targets") > 700);
	assert_true(samples_on(row_of(r, other.id), "samples", "* hot [*]/*") > 20);
}

/*
 * record keeps an existing file until the recording is complete; only its owner can read the
 * recording.
 */
static void test_file(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;

	write_file(FILE_NAME, "what was there, and is longer than nothing");
	assert_int_equal(chmod(FILE_NAME, 0644), 0);
	assert_status(bprof(f, "record -o " FILE_NAME " -b 999999 -- true"), 8);
	assert_contains(command(f, "cat " FILE_NAME)->out, "what was there");
	r = bprof(f, "record -o " FILE_NAME " -b %u -- true", t.id);
	assert_status(r, 0);
	assert_string_equal(r->out, "");
	assert_int_equal(mode_of(FILE_NAME), 0600);
	assert_contains(command(f, "cat " FILE_NAME ".old")->out, "what was there");
	unlink(FILE_NAME ".old");
	assert_status(bprof(f, "annotate -i " FILE_NAME), 0);
	r = command(f, "sh -c 'bprof annotate -i - <" FILE_NAME "'");
	assert_contains(r->out, "xdp_hot_loop");
	r = command(f, "drive nobody none bprof annotate -i " FILE_NAME);
	assert_status(r, 7);
	assert_contains(r->err, FILE_NAME ": Permission denied\n");
	/* another user only needs permission to read the file */
	assert_int_equal(chmod(FILE_NAME, 0644), 0);
	r = command(f, "drive nobody none bprof annotate -i " FILE_NAME);
	assert_status(r, 0);
	assert_contains(r->out, "xdp_hot_loop");
	/*
	 * annotate reads the whole recording before it writes, so input and output can be one file
	 */
	assert_status(bprof(f, "annotate -i " FILE_NAME " -o " FILE_NAME), 0);
	assert_contains(command(f, "cat " FILE_NAME)->out, "xdp_hot_loop");
	unlink(FILE_NAME);
}

static void assert_only_func(const struct run *r, struct target t, const char *name)
{
	json_t *prog = row_of(r, t.id);

	func_of(prog, name);
	assert_int_equal(json_array_size(json_object_get(prog, "functions")), 1);
}

/*
 * A function that is selected in one program is not selected in another program with the same
 * function.
 */
static void test_functions_of_each(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_two_loops");
	struct target twin = load_target(f, "loops", "xdp_two_loops");
	struct target other = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;

	r = bprof(f, "annotate -j -b %u:short_loop,%u:long_loop,%u:xdp_hot_loop -- true", t.id,
		  twin.id, other.id);
	assert_status(r, 0);
	assert_only_func(r, t, "short_loop");
	assert_only_func(r, twin, "long_loop");
	assert_only_func(r, other, "xdp_hot_loop");
	/* selecting the program selects all of its functions */
	r = bprof(f, "annotate -j -b %u:short_loop,%u -- true", t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(row_of(r, t.id), "functions")), 3);
}

static void test_no_btf(void **state)
{
	struct fixture *f = *state;
	struct target t = load_bare(f, "no_btf", load_target(f, "samples", "hop_leaf"));
	struct run *r;
	json_t *prog;

	record(f, t, 1000);
	r = annotate(f, "-j");
	assert_adds_up(r);
	prog = row_of(r, t.id);
	assert_string_equal(str(func_of(prog, "no_btf"), "name"), "no_btf");
	printf("# %lld samples without BTF\n", (long long)num(prog, "samples"));
	assert_true(num(prog, "samples") > 2000);
	r = annotate(f, "");
	assert_contains(r->out, "note: no BTF");
	assert_contains(r->out, "(no source line)");
}

/*
 * Before Linux 7.2, the kernel delivers no samples while this target runs. bprof reports this, and
 * the number of missing samples.
 */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "tp_loop");
	struct run *r;

	assert_non_null(try_attach(f, t));
	r = bprof(f, "annotate -j -b %u -e cpu-clock -c %d -- drive getsid 1000", t.id, PERIOD_NS);
	assert_adds_up(r);
	assert_complete(r);
	/* The 1,000 runs of 90 us each take about 4,500 periods. */
	if (kernel_is("7")) {
		print_message("# %lld samples, %lld lost\n", num(row_of(r, t.id), "samples"),
			      num(r->json, "samples.lost"));
		assert_true(num(row_of(r, t.id), "samples") > 3000);
		/*
		 * A few samples are lost because interrupts are off for longer than the period.
		 * They are too few for a note.
		 */
		assert_true(num(r->json, "samples.lost") < 30);
		assert_null(json_object_get(row_of(r, t.id), "notes"));
		return;
	}
	assert_true(num(r->json, "samples.lost") > 3000);
	assert_true(num(row_of(r, t.id), "samples") < 100);
	r = bprof(f, "annotate -b %u -e cpu-clock -c %d -- drive getsid 100", t.id, PERIOD_NS);
	assert_contains(r->out,
			"note: while a tracepoint program runs, this kernel may drop samples");
	assert_contains(r->out, "samples were due but not taken");
}

/* Samples that the event's modifiers exclude are not lost. */
static void test_excluded(void **state)
{
	static const char *const events[] = {"cpu-clock:k", "task-clock:k", "cpu-clock:I"};
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct run *r = bprof(f,
				      "annotate -j -b %u -e %s -c %d -- sh -c 'drive testrun "
				      "%u:1000; sleep .1; seq 10000 >/dev/null'",
				      t.id, events[i], PERIOD_NS, t.id);

		assert_status(r, 0);
		assert_int_equal(num(r->json, "samples.lost"), 0);
		assert_true(num(row_of(r, t.id), "samples") > 100);
	}
}

static char *read_line(const char *path)
{
	static char line[64];
	FILE *in = fopen(path, "r");

	if (!in || !fgets(line, sizeof(line), in))
		fail_test("%s cannot be read", path);
	fclose(in);
	return line;
}

static void test_throttled(void **state)
{
	static const char rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	char *before = strdup(read_line(rate));
	struct run *r, *lower, *refused;

	write_file(rate, "1000");
	r = bprof(f, "annotate -j -b %u -e cpu-clock -c %d -- drive testrun %u:10000", t.id,
		  PERIOD_NS, t.id);
	refused = bprof(f, "annotate -b %u -e cpu-clock -F 4000 -- true", t.id);
	lower = bprof(f, "annotate -b %u -e cpu-clock -- drive testrun %u:1000", t.id, t.id);
	write_file(rate, before);
	free(before);
	assert_adds_up(r);
	assert_true(num(r->json, "samples.throttled") > 3);
	assert_status(refused, 1);
	assert_contains(refused->err, "-F 4000: this kernel takes at most 1000 samples a second");
	/* The default frequency, and the measurement of what a sample costs, adapt to the limit. */
	assert_status(lower, 0);
	assert_null(strstr(lower->err, "what a sample costs is not known"));
}

/*
 * The owner releases the target during sampling. bprof holds a reference until the end, and reports
 * the target.
 */
static void test_target_goes(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct child *c = bprof_start(f, "annotate -j -b %u -e cpu-clock -c %d", t.id, PERIOD_NS);
	struct run *r;

	sleep(1);
	drive(t, 5000);
	unload(f, t);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_adds_up(r);
	assert_true(samples_on(row_of(r, t.id), "samples", "* hot [*]/*") > 50);
}

/*
 * The kernel allocates at most 4 MiB to return a program's BPF instructions. This is enough for
 * 524,288 instructions. A larger program must not prevent the recording of other programs.
 */
static void test_large_program(void **state)
{
	const __u32 cnt = 524400;
	struct bpf_insn *insns = calloc(cnt, sizeof(*insns));
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;
	int fd;

	assert_non_null(insns);
	for (__u32 i = 0; i < cnt; i++)
		insns[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
	insns[cnt - 1].code = BPF_JMP | BPF_EXIT;
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "large", "GPL", insns, cnt, NULL);
	free(insns);
	assert_true(fd >= 0);
	r = bprof(f, "annotate --all -j -e cpu-clock -c %d -- drive testrun %u:10000", PERIOD_NS,
		  t.id);
	close(fd);
	assert_adds_up(r);
	assert_contains(r->out, "the kernel cannot return its 524400 BPF instructions at once");
	assert_true(samples_on(row_of(r, t.id), "samples", "* hot [*]/*") > 50);
}

KTEST_GROUP(annotate, "bprof record and annotate", NULL, ON(EXACT), KTEST(test_hot_loop),
	    KTEST(test_two_loops), KTEST(test_helper), KTEST(test_few_samples),
	    KTEST(test_functions), KTEST(test_namesakes), KTEST(test_functions_of_each),
	    KTEST(test_file), KTEST(test_no_btf), KTEST(test_lost), KTEST(test_excluded),
	    KTEST(test_throttled), KTEST(test_target_goes), KTEST(test_large_program, LONG));
