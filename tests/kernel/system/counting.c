// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Helpers for the tests of `bprof system`: workloads, a running bprof, and its report. Owns the
 * order in which workloads, cgroups and processes are released at the end of a test.
 */
#include <errno.h>
#include <fts.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "tests/kernel/drive/switches.h"
#include "tests/kernel/system/counting.h"

#define CGROUP "ktest"
#define ATTR_MAP "/sys/fs/bpf/perf_attr_map"

int setup_system(void **state)
{
	return setup(state);
}

/*
 * Removes the cgroup; retries while the kernel returns EBUSY, until the last killed task has been
 * freed.
 */
static bool remove_dir(const char *path)
{
	while (rmdir(path)) {
		if (errno != EBUSY || hangs())
			return false;
		usleep(1000);
	}
	return true;
}

static int remove_cgroups(const char *root)
{
	char path[64], *const roots[] = {path, NULL};
	int err = 0;
	FTSENT *e;
	FTS *fts;

	snprintf(path, sizeof(path), "%s/" CGROUP, root);
	if (access(path, F_OK))
		return 0;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_DP && !remove_dir(e->fts_path)) {
			fprintf(stderr, "%s: %s\n", e->fts_path, strerror(errno));
			err = -1;
		}
	if (fts)
		fts_close(fts);
	return err;
}

int teardown_system(void **state)
{
	struct fixture *f = *state;
	int err;

	for (int i = 0; i < f->workload_cnt; i++)
		workload__free(f->workload[i]);
	f->workload_cnt = 0;
	err = remove_cgroups(CGROUP_ROOT) | remove_cgroups(CGROUP_V1_ROOT);
	unlink(ATTR_MAP); /* bprof and perf leave the pinned map behind */
	return teardown(state) | err;
}

static struct workload *keep(struct fixture *f, struct workload *w)
{
	assert_true(f->workload_cnt < MAX_WORKLOADS);
	return f->workload[f->workload_cnt++] = w;
}

struct workload *start_workload(struct fixture *f)
{
	return keep(f, workload__start());
}

struct workload *prepare_workload(struct fixture *f, char *command, size_t sz)
{
	return keep(f, workload__prepare(command, sz));
}

void make_cgroup(const char *root, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (mkdir(path, 0755))
		fail_test("%s: %s", path, strerror(errno));
}

void move_to_cgroup(const char *root, const char *name, pid_t pid)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", root, name);
	snprintf(text, sizeof(text), "%d", pid);
	write_file(path, text);
}

struct child *count_start(struct fixture *f, const char *args, ...)
{
	char line[MAX_TEXT], fd[16], c;
	struct child *child;
	int ready[2];
	va_list ap;

	va_start(ap, args);
	vsnprintf(line, sizeof(line), args, ap);
	va_end(ap);
	assert_int_equal(pipe(ready), 0);
	snprintf(fd, sizeof(fd), "%d", ready[1]);
	setenv(READY_FD_ENV, fd, 1);
	child = bprof_start(f, "system -j %s -- drive ready", line);
	close(ready[1]);
	/* End of file means that bprof has ended; its output says why. */
	if (!hang__await_input(ready[0]) || read(ready[0], &c, 1) != 1) {
		struct run *r = child_wait(f, child);

		fail_test("%s: status %d: %s", line, r->status, r->err);
	}
	close(ready[0]);
	return child;
}

struct run *count_end(struct fixture *f, struct child *c)
{
	struct run *r;

	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	return r;
}

static json_t *find_scope(const struct run *r, const char *kind, json_int_t id, const char *name)
{
	json_t *rows = json_object_get(r->json, "system"), *row, *found = NULL;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (strcmp(str(row, "scope"), kind) ||
		    (name ? strcmp(str(row, "name"), name) : num(row, "id") != id))
			continue;
		if (found)
			fail_test("%s %lld has two rows: %s", kind, (long long)id, r->out);
		found = row;
	}
	if (!found)
		fail_test("%s %s%lld has no row: %s%s", kind, name ?: "", (long long)id, r->out,
			  r->err);
	return found;
}

json_t *scope_by_id(const struct run *r, const char *kind, json_int_t id)
{
	return find_scope(r, kind, id, NULL);
}

json_t *scope_by_name(const struct run *r, const char *kind, const char *name)
{
	return find_scope(r, kind, 0, name);
}

double total_of(json_t *row, const char *event)
{
	json_t *ev = event_of(row, event);

	assert_string_equal(str(ev, "status"), "ok");
	return real(ev, "total");
}

double sum_of_scope(const char *lines, const char *kind, json_int_t id, const char *event)
{
	json_error_t error;
	json_t *report;
	double sum = 0;

	while (*lines == '{' && (report = json_loads(lines, JSON_DISABLE_EOF_CHECK, &error))) {
		struct run r = {.json = report, .out = (char *)lines, .err = ""};

		sum += total_of(scope_by_id(&r, kind, id), event);
		json_decref(report);
		lines += error.position;
		lines += strspn(lines, "\n");
	}
	if (*lines)
		fail_test("not a report: %s", lines);
	return sum;
}

bool has_bperf(void)
{
	return !kernel_is("5.10");
}

bool follows_moves(void)
{
	char line[256], name[128];
	FILE *f = fopen("/proc/kallsyms", "r");
	bool found = false;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %127s", name) == 1 && !strcmp(name, "runqueues");
	fclose(f);
	return found || !has_bperf();
}

const char *method_option(const char *method)
{
	if (!strcmp(method, "perf_event"))
		return "--method perf_event";
	return has_bperf() ? "--method bperf" : "";
}

const char *scope_event(void)
{
	return arch_is("aarch64") ? "instructions:u" : "msr/tsc/";
}

void check_near(const struct run *r, const char *what, double number, double wanted, double slack,
		int line)
{
	if (getenv("KTEST_VERBOSE"))
		printf("# line %d, %s: %.0f, wanted %.0f: %+.0f\n", line, what, number, wanted,
		       number - wanted);
	if (fabs(number - wanted) <= slack)
		return;
	fail_test("line %d: %s: %.0f, wanted %.0f: %+.0f\nstdout: %s\nstderr: %s", line, what,
		  number, wanted, number - wanted, r->out, r->err);
}

void check_count(const struct run *r, const char *what, double count, double plain, int line)
{
	/*
	 * Allow for the freeing of a process's memory at exit, which the process's own perf events
	 * do not count, but bperf does (measured: the difference grows with the memory). On arm64
	 * the event does not count the kernel, so the difference is small.
	 */
	double slack = arch_is("aarch64") ? .001 * plain + 20000 : .02 * plain + 1e6;

	check_near(r, what, count, plain, slack, line);
}
