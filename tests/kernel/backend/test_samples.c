// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof stat --method samples: its estimates agree with the kernel's own statistics
 * (run_stats) within the stated error, even for programs that cannot be probed. The tests sample on
 * cpu-clock, because the emulated PMU does not sample faithfully.
 *
 * The group needs the deterministic VM (one vCPU, -icount). There, interrupts come at any
 * instruction, but each time the test runs, they come at the same instructions.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define METHOD "--method samples -F 47000"
#define PERIOD_NS (1000000000 / 47000)

static struct bpf_prog_info info_of(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info;
}

/*
 * Returns the mean time per run in the kernel's statistics. The statistics contain only the runs
 * that bprof measured, because the kernel updates them only while bprof runs.
 */
static double exact_ns(const struct bpf_prog_info *from, const struct bpf_prog_info *to)
{
	assert_true(to->run_cnt > from->run_cnt);
	return (double)(to->run_time_ns - from->run_time_ns) / (to->run_cnt - from->run_cnt);
}

/* Returns the largest relative error that rounding can cause in a printed number. */
static double relative_rounding(double printed)
{
	return rounding(printed) / printed;
}

/*
 * Checks that a number and its standard deviation are those that follow from this number of
 * samples.
 */
static void assert_deviation(double v, double stddev, json_int_t samples)
{
	double rounded = relative_rounding(v) + relative_rounding(stddev);

	assert_true(fabs(stddev / v * sqrt(samples) - 1) <= rounded);
}

/*
 * Checks the mean against the kernel's statistics. It may differ by six times the stated standard
 * deviation, which chance alone exceeds once in 500 million measurements, plus 1 % because the
 * kernel's clock also measures some code around the program.
 */
static void assert_agrees(json_t *ev, double exact)
{
	double mean = real(ev, "per_run.mean"), stddev = real(ev, "mean_stddev");
	json_int_t samples = num(ev, "samples");

	printf("# %lld samples: %.0f +- %.0f ns, run_stats: %.0f ns\n", (long long)samples, mean,
	       stddev, exact);
	assert_deviation(mean, stddev, samples);
	assert_deviation(real(ev, "total"), real(ev, "total_stddev"), samples);
	if (fabs(mean - exact) > 6 * stddev + .01 * exact)
		fail_test("it is off by %.0f ns", mean - exact);
}

/* Returns the number of samples in targets and in what they call. */
static json_int_t in_targets(json_t *sampling)
{
	json_t *calls = json_object_get(sampling, "in_calls");

	return num(sampling, "in_targets") + json_integer_value(calls);
}

/*
 * Checks that the total of each program is its number of samples times the period, that each sample
 * in a target belongs to one program, and that each expected sample was either taken or reported as
 * lost.
 */
static void assert_adds_up(const struct run *r, const char *event)
{
	json_t *progs = json_object_get(r->json, "programs"), *prog;
	json_t *sampling =
		json_array_get(json_object_get(json_object_get(r->json, "sampling"), "events"), 0);
	json_int_t sum = 0;
	double due;

	assert_status(r, 0);
	for (size_t i = 0; (prog = json_array_get(progs, i)); i++) {
		json_t *ev = event_of(prog, event);

		assert_string_equal(str(prog, "method"), "samples");
		sum += num(ev, "samples");
		if (num(ev, "samples") * PERIOD_NS != num(ev, "total"))
			fail_test("%lld samples are %lld ns", (long long)num(ev, "samples"),
				  (long long)num(ev, "total"));
	}
	assert_string_equal(str(sampling, "event"), "cpu-clock");
	assert_int_equal(sum, in_targets(sampling));
	assert_true(num(sampling, "taken") >= sum);
	due = (double)num(sampling, "enabled_ns") / PERIOD_NS;
	if (fabs(num(sampling, "taken") + num(sampling, "lost") - due) > 2)
		fail_test("%lld samples of %.1f", (long long)num(sampling, "taken"), due);
	assert_true(num(sampling, "lost") < 10);
	assert_true(real(sampling, "cost_ns") > 100);
	assert_true(real(sampling, "cost_ns") < PERIOD_NS);
}

static void test_no_btf(void **state)
{
	struct fixture *f = *state;
	struct target t = load_bare(f, "bare", load_target(f, "samples", "hop_leaf"));
	struct bpf_prog_info before = info_of(t.fd), after;
	struct run *r;
	double share;
	json_t *row;

	r = bprof(f, "-j -b %u -e time " METHOD " -- drive testrun %u:5000", t.id, t.id);
	after = info_of(t.fd);
	assert_adds_up(r, "time");
	row = row_of(r, t.id);
	assert_int_equal(num(row, "runs"), 5000);
	assert_true(num(event_of(row, "time"), "samples") > 10000);
	assert_agrees(event_of(row, "time"), exact_ns(&before, &after));
	share = real(row, "cpu_share");
	assert_true(
		fabs(share * num(r->json, "elapsed_ns") - num(event_of(row, "time"), "total")) <=
		rounding(share) * num(r->json, "elapsed_ns"));
	/*
	 * Without --method samples, the program is measured by run_stats, and a note suggests
	 * samples.
	 */
	r = bprof(f, "-j -b %u -e cpu-clock -- drive testrun %u:10", t.id, t.id);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_contains(r->err, "--method samples estimates them");
	r = bprof(f,
		  "-j -b %u -e cpu-clock --method fentry,samples -F 47000 -- "
		  "drive testrun %u:100",
		  t.id, t.id);
	assert_string_equal(str(row_of(r, t.id), "method"), "samples");
	assert_contains(r->err, "measured by samples instead");
}

/*
 * Tests a program with BTF that is so short that most runs get no sample. A large part of the time
 * in the kernel's statistics is then spent outside of the program. The test subtracts this part,
 * which is the time of an empty program.
 */
static void test_no_probe(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "samples", "uneven_short"), empty = load_raw(f);
	struct bpf_prog_info before = info_of(t.fd), empty_before = info_of(empty.fd);
	struct bpf_prog_info after, empty_after;
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e time " METHOD " -- drive testrun %u:100000 %u:100000", t.id,
		  empty.id, t.id, empty.id);
	after = info_of(t.fd);
	empty_after = info_of(empty.fd);
	assert_adds_up(r, "time");
	assert_true(num(event_of(row_of(r, t.id), "time"), "samples") > 10000);
	assert_agrees(event_of(row_of(r, t.id), "time"),
		      exact_ns(&before, &after) - exact_ns(&empty_before, &empty_after));
	/* Without probes, the calls of functions are not counted. */
	t = load_target(f, "loops", "xdp_hot_loop");
	r = bprof(f, "-j -b %u:mix -e time " METHOD " -- true", t.id);
	assert_status(r, 4);
	assert_string_equal(skip_reason(r, t.id), "method");
	assert_contains(r->err, "samples cannot count a function's calls");
}

static void assert_note(const struct run *r, __u32 id, const char *text)
{
	json_t *notes = json_object_get(row_of(r, id), "notes"), *note;

	for (size_t i = 0; (note = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(note), text))
			return;
	fail_test("no note \"%s\" on %u: %s", text, id, r->out);
}

/*
 * Checks the cost of hop_leaf, which hop_root jumps to: it must agree with the kernel's statistics
 * of hop_root.
 */
static void check_leaf(struct fixture *f, struct bpf_object *obj)
{
	struct target root = program_of(obj, "hop_root"), leaf = program_of(obj, "hop_leaf");
	struct bpf_prog_info before = info_of(root.fd), after;
	struct run *r;
	json_t *row;

	r = bprof(f, "-j -b %u,%u -e time " METHOD " -- drive testrun %u:5000", leaf.id, root.id,
		  root.id);
	after = info_of(root.fd);
	assert_adds_up(r, "time");
	/* The kernel counts no runs of a program that is entered by a tail call. */
	assert_int_equal(info_of(leaf.fd).run_cnt, 0);
	row = row_of(r, leaf.id);
	assert_int_equal(num(row, "runs"), 5000);
	assert_true(num(event_of(row, "time"), "samples") > 10000);
	assert_agrees(event_of(row, "time"), exact_ns(&before, &after));
	assert_note(r, leaf.id, "hop_root");
	/*
	 * The samples of hop_root do not include those of the program that it jumps to.
	 */
	row = row_of(r, root.id);
	assert_int_equal(num(row, "runs"), 5000);
	assert_true(num(event_of(row, "time"), "samples") < 100);
	assert_null(json_object_get(row, "notes"));
}

/* Samples in a helper count for the program that calls it. */
static void test_calls(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_helper");
	struct bpf_prog_info before = info_of(t.fd), after;
	struct run *r;
	json_t *ev;

	r = bprof(f, "-j -b %u -e time " METHOD " -- drive testrun %u:5000", t.id, t.id);
	after = info_of(t.fd);
	assert_adds_up(r, "time");
	ev = event_of(row_of(r, t.id), "time");
	assert_true(num(ev, "samples") > 2000); /* Linux 7.3 computes checksums faster */
	assert_agrees(ev, exact_ns(&before, &after));
}

/*
 * Samples in a probe on the program do not count, although the program's frame is on the stack. The
 * probe takes nearly all of the time that the kernel's statistics show for this program.
 */
static void test_probed(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct bpf_prog_info before = info_of(t.fd), after;
	double mean, exact;
	struct run *r;

	r = bprof(f,
		  "-j -b %u -e time " METHOD
		  " -- bprof -b %u -e time,cpu-clock -o /dev/null -- drive testrun %u:50000",
		  t.id, t.id, t.id);
	after = info_of(t.fd);
	assert_status(r, 0);
	mean = real(event_of(row_of(r, t.id), "time"), "per_run.mean");
	exact = exact_ns(&before, &after);
	printf("# %.0f ns, run_stats: %.0f ns\n", mean, exact);
	if (mean > .1 * exact)
		fail_test("it includes the probe");
}

static void set_prog(struct bpf_object *obj, const char *map, const char *prog)
{
	int fd = bpf_object__find_map_fd_by_name(obj, map);
	struct target to = program_of(obj, prog);

	assert_int_equal(bpf_map_update_elem(fd, &(__u32){0}, &to.fd, BPF_ANY), 0);
}

static void test_tail_call(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/samples.bpf.o");
	struct target leaf;
	struct run *r;

	assert_non_null(obj);
	leaf = program_of(obj, "hop_leaf");
	set_prog(obj, "jumps", "hop_leaf");
	check_leaf(f, obj);
	set_prog(obj, "more", "hop_leaf");
	set_prog(obj, "jumps", "hop_middle");
	check_leaf(f, obj);
	/*
	 * A probe on hop_leaf sees no runs, because hop_leaf is only entered by tail calls. A note
	 * suggests samples.
	 */
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", leaf.id,
		  program_of(obj, "hop_root").id);
	assert_int_equal(num(row_of(r, leaf.id), "runs"), 0);
	assert_note(r, leaf.id, "--method samples");
}

/*
 * Tests an extension. The kernel enters an extension by a jump, so it counts no runs of the
 * extension. The extension runs as often as the function that it replaces.
 */
static void test_extension(void **state)
{
	static const char path[] = PROGS_DIR "/samples_ext.bpf.o";
	struct fixture *f = *state;
	struct target root = load_target(f, "samples_ext", "ext_root"), ext;
	struct bpf_prog_info before = info_of(root.fd), after;
	struct bpf_object *obj = open_object(f, path);
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "ext_slot");
	struct bpf_link *link;
	struct run *r;
	json_t *row;

	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "ext_root"), false);
	assert_int_equal(bpf_program__set_attach_target(prog, root.fd, "slot"), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	ext = program_of(obj, "ext_slot");
	link = bpf_program__attach_freplace(prog, 0, NULL);
	assert_non_null(link);
	keep_link(f, link);
	r = bprof(f, "-j -b %u -e time " METHOD " -- drive testrun %u:5000", ext.id, root.id);
	after = info_of(root.fd);
	assert_adds_up(r, "time");
	if (kernel_is("5.10"))
		skip_test("extensions", "links do not say what is extended");
	row = row_of(r, ext.id);
	assert_int_equal(num(row, "runs"), 5000);
	assert_agrees(event_of(row, "time"), exact_ns(&before, &after));
	assert_note(r, ext.id, "ext_root");
}

/* Tests events that cannot be sampled, and a target in which no sample was taken. */
static void test_not_counted(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	json_t *row, *ev;
	struct run *r;

	r = bprof(f, "-j -b %u -e cpu-clock,%s " METHOD " -- drive testrun %u:1", t.id,
		  arch_is("x86_64") ? machine_event() : "context-switches:H", t.id);
	assert_status(r, 0);
	row = row_of(r, t.id);
	assert_int_equal(json_array_size(json_object_get(row, "events")), 2);
	if (arch_is("x86_64")) {
		ev = event_of(row, machine_event());
		assert_string_equal(str(ev, "status"), "not_counted");
		assert_contains(str(ev, "detail"), "cannot be sampled");
	}
	ev = event_of(row, "cpu-clock");
	assert_int_equal(num(ev, "samples"), 0);
	assert_int_equal(num(ev, "measured"), 1);
	assert_int_equal(num(ev, "total"), 0);
	assert_null(json_object_get(ev, "mean_stddev"));
	assert_null(json_object_get(row, "cpu_share"));
}

/* Between intervals or repeats, no sample is missing, and no sample is counted twice. */
static void test_intervals(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_two_loops");
	json_int_t sum = 0, sampled = 0;
	struct run *r;
	json_t *report, *blocks;
	json_error_t error;

	r = bprof(f, "-j -b %u -e time " METHOD " -I 50 -- drive testrun %u:2000", t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 2000);
	for (const char *line = r->out; *line; line = strchr(line, '\n') + 1) {
		struct run one = {.out = r->out, .err = r->err};

		report = json_loads(line, JSON_DISABLE_EOF_CHECK, &error);
		assert_non_null(report);
		one.json = report;
		sum += num(event_of(row_of(&one, t.id), "time"), "samples");
		sampled = in_targets(json_array_get(
			json_object_get(json_object_get(report, "sampling"), "events"), 0));
		json_decref(report);
	}
	assert_true(sum > 5000);
	assert_int_equal(sum, sampled);

	r = bprof(f, "-j -b %u -e time " METHOD " -r 3 -- drive testrun %u:500", t.id, t.id);
	assert_adds_up(r, "time");
	assert_int_equal(num(row_of(r, t.id), "runs"), 1500);
	blocks = json_object_get(event_of(row_of(r, t.id), "time"), "blocks");
	assert_int_equal(json_array_size(blocks), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(num(json_array_get(blocks, i), "measured"), 500);
}

static void test_refused(void **state)
{
	static const struct {
		const char *args, *text;
		int status;
	} cases[] = {
		{"--method sample", "--method sample: give fentry, run_stats or samples", 2},
		{"--method samples,samples", "--method samples,samples: give", 2},
		{"--method ''", "--method : give", 2},
		{"-F 1000", "-F: only --method samples", 2},
		{"--method samples --hist", "--max-overhead and --by need probes", 2},
		{"--method samples --sample 16", "--max-overhead and --by need probes", 2},
		{"--method samples -F 0", "--freq 0: give a whole number", 2},
		{"-e cpu-clock --method samples -F 999999", "this kernel takes at most", 4},
	};
	static const char restrict_path[] = "/proc/sys/kernel/kptr_restrict";
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r, *doctor;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bprof(f, "-j -b %u %s -- true", t.id, cases[i].args);
		assert_status(r, cases[i].status);
		assert_contains(r->err, cases[i].text);
	}
	write_file(restrict_path, "2");
	r = bprof(f, "-j -b %u -e cpu-clock --method samples -- true", t.id);
	doctor = bprof(f, "doctor");
	write_file(restrict_path, "0");
	assert_contains(doctor->out, "code cannot be sampled, the kernel hides the addresses");
	assert_status(r, 4);
	assert_string_equal(skip_reason(r, t.id), "code_hidden");
	assert_contains(r->err, "the kernel hides the addresses of its code");
	r = command(f, "drive nobody none bprof -b %u -e cpu-clock --method samples -- true", t.id);
	assert_status(r, 7);
	assert_contains(r->err, "opening programs by id needs CAP_SYS_ADMIN");
}

static void assert_lost_too_many(const struct run *r, struct target t)
{
	json_t *ev = event_of(row_of(r, t.id), "cpu-clock");

	assert_status(r, 0);
	assert_string_equal(str(ev, "status"), "not_counted");
	assert_string_equal(str(ev, "detail"), "too many samples were lost; take fewer (-F)");
	assert_null(json_object_get(ev, "total"));
}

/*
 * There is no mean if the kernel took too few of the samples that were due: because it limits their
 * rate, or because it takes none while a program on a tracepoint of system calls runs.
 */
static void test_lost(void **state)
{
	static const char rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct fixture *f = *state;
	struct target xdp = load_target(f, "loops", "xdp_hot_loop"), tp;
	struct run *r;

	r = bprof(f,
		  "-j -b %u -e cpu-clock " METHOD " -- sh -c 'before=$(cat %s); echo 1000 >%s; "
		  "drive testrun %u:3000; echo $before >%s'",
		  xdp.id, rate, rate, xdp.id, rate);
	assert_lost_too_many(r, xdp);
	if (kernel_is("7"))
		return; /* takes samples in such a program */
	tp = load_target(f, "loops", "tp_loop");
	assert_non_null(try_attach(f, tp));
	r = bprof(f, "-j -b %u -e cpu-clock " METHOD " -- drive getsid 100", tp.id);
	assert_lost_too_many(r, tp);
}

KTEST_GROUP(samples, "bprof stat --method samples", NULL, ON(EXACT), KTEST(test_no_btf, ALSO_X86),
	    KTEST(test_no_probe), KTEST(test_tail_call), KTEST(test_not_counted),
	    KTEST(test_intervals), KTEST(test_refused), KTEST(test_extension), KTEST(test_calls),
	    KTEST(test_lost, ALSO_X86), KTEST(test_probed, ALSO_X86));
