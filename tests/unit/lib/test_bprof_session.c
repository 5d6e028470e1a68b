// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the parts of the public interface's sessions that need no kernel: options structs of older
 * and newer callers, what is refused and why, where messages go, and that the caller's process is
 * not changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "lib/bprof.h"
#include "lib/bprof_priv.h"

static struct bprof_session *make_session(const struct bprof_session_opts *o)
{
	struct bprof_error error;
	struct bprof_session *s;

	if (bprof_session_new(o, &s, &error))
		fail_msg("%s", error.text);
	assert_int_equal(bprof_session_error(s)->err, 0);
	return s;
}

static void assert_refused(const struct bprof_session_opts *o, int err, const char *text)
{
	struct bprof_error error = {};
	struct bprof_session *s = (struct bprof_session *)o;

	assert_int_equal(bprof_session_new(o, &s, &error), err);
	assert_null(s);
	assert_int_equal(error.err, err);
	assert_string_equal(error.code, "argument");
	if (!strstr(error.text, text))
		fail_msg("'%s' is not in '%s'", text, error.text);
	/* the caller may pass NULL instead of a struct for the error */
	assert_int_equal(bprof_session_new(o, &s, NULL), err);
}

/* A caller's struct that is longer than the library's. */
struct later_opts {
	struct bprof_session_opts known;
	uint64_t later[2];
};

static void test_size(void **state)
{
	struct later_opts o = {.known = {.size = sizeof(o), .events = "time"}};

	bprof_session_free(make_session(NULL));
	bprof_session_free(make_session(&o.known));
	o.later[1] = 1;
	assert_refused(&o.known, -E2BIG, "byte");
	o.later[1] = 0;
	o.known.size = BPROF_OPTS_SZ(session, log_level) - 1;
	assert_refused(&o.known, -EINVAL, "sizeof()");
	o.known.size = 0;
	assert_refused(&o.known, -EINVAL, "the size is 0");
	o.known.size = 4097; /* not initialized: nothing beyond o may be read */
	assert_refused(&o.known, -EINVAL, "the size is 4097");
	o.known.size = sizeof(o.known);
	o.known.flags = 1ULL << 40;
	assert_refused(&o.known, -E2BIG, "0x10000000000");
}

/* If a caller's struct is older and shorter, the members that it lacks are set to zero. */
static void test_older_opts(void **state)
{
	struct {
		size_t size;
		uint64_t value, later;
	} to;
	struct {
		size_t size;
		uint64_t value, not_part;
	} from = {2 * sizeof(uint64_t), 7, 9};

	memset(&to, 0xff, sizeof(to));
	assert_int_equal(bprof_opts__copy(&to, sizeof(to), 2 * sizeof(uint64_t), &from, NULL), 0);
	assert_int_equal(to.value, 7);
	assert_int_equal(to.later, 0);
}

/* Callers that were compiled with version 0.1 pass structs of these sizes. */
static void test_first_sizes(void **state)
{
	const size_t word = sizeof(uint64_t);

	assert_int_equal(BPROF_OPTS_SZ(session, log_level), 11 * word);
	assert_int_equal(BPROF_OPTS_SZ(render, new_name), 5 * word);
	assert_int_equal(BPROF_OPTS_SZ(compare, rules), 3 * word);
}

/* Checks which combinations of options are refused. 'bprof stat' refuses the same ones. */
static void test_bad_combinations(void **state)
{
	static const struct {
		struct bprof_session_opts o;
		const char *text; /* part of the error; NULL: the options are accepted */
	} cases[] = {
		{{.flags = BPROF_SESSION_BUCKETS | BPROF_SESSION_NO_HIST}, "choose one"},
		{{.methods = "run_stats", .flags = BPROF_SESSION_BUCKETS}, "need probes"},
		{{.methods = "samples,run_stats", .thin_period = 2}, "need probes"},
		{{.methods = "samples", .thin_share = 0.01}, "need probes"},
		{{.methods = "samples", .thin_period = 1, .sample_hz = 100}, NULL},
		{{.methods = "run_stats,fentry", .thin_period = 2}, NULL},
		{{.sample_hz = 100}, "sample_hz: "},
		{{.methods = "fentry", .sample_hz = 100}, "sample_hz: "},
		{{.methods = "run_stats", .by = "retval"}, "need probes"},
		{{.by = "tag"}, "by: only \"retval\" is possible"},
		{{.by = "retval", .thin_period = 2}, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bprof_session_opts o = cases[i].o;

		o.size = sizeof(o);
		if (cases[i].text)
			assert_refused(&o, -EINVAL, cases[i].text);
		else
			bprof_session_free(make_session(&o));
	}
}

static void test_bad_options(void **state)
{
	struct bprof_session_opts o = {.size = sizeof(o)};
	struct bprof_error error;
	struct bprof_session *s;

	o.methods = "fentry,nonsense";
	assert_refused(&o, -EINVAL, "methods: ");
	o.methods = NULL;
	o.thin_share = 0.01;
	o.flags = BPROF_SESSION_RAW;
	assert_refused(&o, -EINVAL, "thin_share: ");
	o.flags = 0;
	o.thin_share = 2;
	assert_refused(&o, -EINVAL, "thin_share: ");
	o.thin_share = 0;
	o.sample_hz = 1ULL << 40;
	assert_refused(&o, -EINVAL, "sample_hz");
	o.sample_hz = 0;
	o.cpus = "0-x";
	assert_refused(&o, -EINVAL, "cpus: no list of CPUs");
	o.cpus = NULL;
	o.events = "time,frobnicate";
	assert_int_equal(bprof_session_new(&o, &s, &error), -EINVAL);
	assert_int_equal(error.pos, strlen("time,"));
	assert_int_equal(error.len, strlen("frobnicate"));
}

static void assert_error(const struct bprof_session *s, int err, const char *code, const char *text)
{
	const struct bprof_error *e = bprof_session_error(s);

	assert_int_equal(e->err, err);
	assert_string_equal(e->code, code);
	assert_null(strchr(e->text, '\n'));
	if (!strstr(e->text, text))
		fail_msg("'%s' is not in '%s'", text, e->text);
}

static void test_order(void **state)
{
	struct bprof_session *s = make_session(NULL);
	struct bprof_snapshot *snapshot = (struct bprof_snapshot *)s;
	struct bprof_report *report = (struct bprof_report *)s;

	assert_int_equal(bprof_session_open(s), -EINVAL);
	assert_error(s, -EINVAL, "argument", "no target");
	assert_int_equal(bprof_session_start(s), -EINVAL);
	assert_error(s, -EINVAL, "argument", "not open");
	assert_int_equal(bprof_session_stop(s), -EINVAL);
	assert_int_equal(bprof_session_adjust(s), -EINVAL);
	assert_error(s, -EINVAL, "argument", "not running");
	assert_int_equal(bprof_session_read(s, &snapshot), -EINVAL);
	assert_null(snapshot);
	assert_int_equal(bprof_session_report(s, NULL, NULL, &report), -EINVAL);
	assert_null(report);
	assert_error(s, -EINVAL, "argument", "not started");
	bprof_session_free(s);
	bprof_session_free(NULL);
	bprof_snapshot_free(NULL);
}

static void test_targets(void **state)
{
	struct bprof_session *s = make_session(NULL);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(bprof_session_add_tag(s, "xyz", NULL), -EINVAL);
	assert_error(s, -EINVAL, "argument", "hexadecimal");
	assert_int_equal(bprof_session_add_type(s, "xdp,nonsense", NULL), -EINVAL);
	assert_error(s, -EINVAL, "argument", "no such program type");
	assert_int_equal(bprof_session_add_name(s, "", NULL), -EINVAL);
	assert_int_equal(bprof_session_add_fd(s, -1, NULL), -EBADF);
	assert_error(s, -EBADF, "argument", "descriptor -1: ");
	assert_true(bprof_session_add_fd(s, fd, NULL) < 0);
	assert_int_equal(bprof_session_add_events(s, "cycles,{time"), -EINVAL);
	assert_error(s, -EINVAL, "argument", "events: ");
	assert_int_equal(bprof_session_add_name(s, "xdp_*", "parse_*"), 0);
	assert_int_equal(bprof_session_add_id(s, 42, NULL), 0);
	assert_int_equal(bprof_session_add_pinned(s, "/sys/fs/bpf/x", "*"), 0);
	assert_int_equal(bprof_session_add_all(s, NULL), 0);
	/* calls that succeed do not reset the last error */
	assert_error(s, -EINVAL, "argument", "events: ");
	close(fd);
	bprof_session_free(s);
}

/* ---- where messages go ---- */

/*
 * A thread's session, and the messages that its callback received. Each thread measures a different
 * program id, and no program has these ids.
 */
struct speaker {
	uint32_t id;
	char name[32]; /* text such as "program 4294967290" */
	int messages, foreign;
	enum bprof_log_level highest;
};

static void listen(void *arg, enum bprof_log_level level, const char *text)
{
	struct speaker *sp = arg;

	if (strstr(text, "program 42949672"))
		sp->foreign += !strstr(text, sp->name);
	sp->messages++;
	sp->highest = level > sp->highest ? level : sp->highest;
}

/* Opens sessions for a program that does not exist. Returns what went wrong, or NULL. */
static void *speak(void *arg)
{
	struct speaker *sp = arg;
	const struct bprof_session_opts o = {
		.size = sizeof(o), .events = "time", .log = listen, .log_arg = sp};

	for (int i = 0; i < 20; i++) {
		struct bprof_session *s;
		const struct bprof_error *e;
		bool right;

		if (bprof_session_new(&o, &s, NULL) || bprof_session_add_id(s, sp->id, NULL))
			return "no session";
		right = bprof_session_open(s) < 0;
		e = bprof_session_error(s);
		right &= e->err < 0 && strstr(e->text, sp->name) && strcmp(e->code, "argument");
		bprof_session_free(s);
		if (!right)
			return "open: no error, or another's";
	}
	return NULL;
}

/* Two threads work at the same time, each with its own session and callback. */
static void test_threads(void **state)
{
	struct speaker sp[2];
	pthread_t thread[2];
	void *wrong;

	for (int i = 0; i < 2; i++) {
		sp[i] = (struct speaker){.id = 4294967290 + i, .highest = BPROF_LOG_ERROR};
		snprintf(sp[i].name, sizeof(sp[i].name), "program %u", sp[i].id);
		assert_int_equal(pthread_create(&thread[i], NULL, speak, &sp[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		if (wrong)
			fail_msg("%s", (char *)wrong);
		assert_int_equal(sp[i].foreign, 0);
		assert_true(sp[i].messages >= 20);
		assert_int_equal(sp[i].highest, BPROF_LOG_WARN);
	}
}

/* ---- state of the process ---- */

static int own_print(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

static void test_process_unchanged(void **state)
{
	locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0), locale_before = uselocale(own);
	libbpf_print_fn_t print_before = libbpf_set_print(own_print);
	struct speaker sp = {.id = 4294967290, .name = "program 4294967290"};
	struct rlimit limits[2];
	cpu_set_t cpus[2];
	sigset_t mask[2];

	getrlimit(RLIMIT_NOFILE, &limits[0]);
	sched_getaffinity(0, sizeof(cpus[0]), &cpus[0]);
	pthread_sigmask(SIG_SETMASK, NULL, &mask[0]);
	assert_null(speak(&sp));
	getrlimit(RLIMIT_NOFILE, &limits[1]);
	sched_getaffinity(0, sizeof(cpus[1]), &cpus[1]);
	pthread_sigmask(SIG_SETMASK, NULL, &mask[1]);
	assert_memory_equal(&limits[0], &limits[1], sizeof(limits[0]));
	assert_true(CPU_EQUAL(&cpus[0], &cpus[1]));
	for (int i = 1; i < SIGRTMAX; i++)
		assert_int_equal(sigismember(&mask[0], i), sigismember(&mask[1], i));
	assert_ptr_equal(uselocale((locale_t)0), own);
	assert_null(log__sink());
	assert_ptr_equal(libbpf_set_print(print_before), own_print);
	uselocale(locale_before);
	freelocale(own);
}

static void test_version(void **state)
{
	const char *version = bprof_version();
	int major, minor, end = 0;

	/* builds between releases have longer versions, such as 0.1.0-3-g0123abc */
	if (sscanf(version, "%d.%d.%*d%n", &major, &minor, &end) == 2 && !version[end]) {
		assert_int_equal(major, LIBBPROF_MAJOR);
		assert_int_equal(minor, LIBBPROF_MINOR);
	}
	assert_true(*version);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_older_opts),
		cmocka_unit_test(test_first_sizes),
		cmocka_unit_test(test_bad_combinations),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_process_unchanged),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
