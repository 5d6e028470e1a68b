// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Perf events that take samples. Owns their descriptors, one for each CPU. Must not know the
 * purpose of the samples or the program that receives them.
 *
 * Each event has a ring buffer of one page. The samples do not go to this buffer, because the BPF
 * program consumes them. So the buffer contains only the records that the kernel writes when it
 * throttles the event (perf_log_throttle()), and the size of these records shows how often it has
 * throttled the event.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/util.h"
#include "host/affinity.h"
#include "kernel/perf_event.h"
#include "sampling/sample_events.h"

/*
 * The shortest period of the events cpu-clock and task-clock: perf_swevent_start_hrtimer() rounds
 * shorter periods up to it.
 */
#define CLOCK_MIN_PERIOD_NS 10000
#define MAX_PRECISE 3
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
/*
 * Close to the 4000 of perf record, but a prime. A period of 250 us would keep step with programs
 * that timers start, and all samples of such a program would hit the same instructions.
 */
#define DEFAULT_FREQ 3989

/*
 * The records that the kernel adds to the ring buffer each time it throttles the event:
 * PERF_RECORD_THROTTLE, and then PERF_RECORD_UNTHROTTLE.
 */
struct throttle_records {
	struct {
		struct perf_event_header header;
		__u64 time, id, stream_id;
	} on, off;
};

struct sample_events {
	struct event_list own; /* has the default event; empty if the caller gave an event */
	struct sample_spec spec;
	struct cpus cpus;
	int *fd;
	/*
	 * pages[i] is the ring buffer of the event on CPU cpus.id[i]. NULL: it could not be mapped,
	 * so throttling is not noticed.
	 */
	void **pages;
	size_t pages_sz;
};

static bool is_clock(const struct event *ev)
{
	return ev->type == PERF_TYPE_SOFTWARE &&
	       (ev->config == PERF_COUNT_SW_CPU_CLOCK || ev->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Opens the event on one CPU. Returns a descriptor or -errno. */
static int open_on_cpu(const struct sample_spec *spec, int cpu)
{
	const struct event *ev = spec->event;
	struct perf_event_attr attr;
	int fd = event__to_attr(ev, &attr);
	int precise = ev->precise_max ? MAX_PRECISE : ev->precise_ip;

	if (fd)
		return fd;
	attr.disabled = 1;
	attr.freq = spec->freq != 0;
	if (spec->freq)
		attr.sample_freq = spec->freq;
	else
		attr.sample_period = spec->period;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!ev->machines_given)
		perf_event__leave_guests_out(&attr);
	do {
		attr.precise_ip = precise;
		attr.sample_type = spec->calls.find && precise ? PERF_SAMPLE_CALLCHAIN : 0;
		fd = perf_event__open_host(attr, -1, cpu, -1, 0);
	} while (fd < 0 && fd != -ENODEV && ev->precise_max && precise--);
	return fd;
}

/* Returns the kernel's limit of samples per second and CPU, or 0 if it is not known. */
static __u64 max_freq(void)
{
	char *text = NULL;
	__u64 max = 0;

	if (!read_file(MAX_RATE, &text) && parse_u64(text, 1ULL << 40, &max))
		max = 0;
	free(text);
	return max;
}

static __u64 allowed_freq(__u64 freq)
{
	__u64 max = max_freq();

	return max && max < freq ? max : freq;
}

__u64 sample_events__default_freq(void)
{
	return allowed_freq(DEFAULT_FREQ);
}

static int refuse_sampling(const struct sample_spec *spec, int err, struct reason *reason)
{
	__u64 max = err == -EINVAL && spec->freq ? max_freq() : 0;
	struct event_state refused = {};

	if (max && spec->freq > max)
		return reason__fail(reason, err,
				    "-F %llu: this kernel takes at most %llu samples a second "
				    "(kernel.perf_event_max_sample_rate)",
				    spec->freq, max);
	perf_event__explain(err, &refused);
	return reason__fail(reason, err, "it cannot be sampled: %s", refused.detail);
}

/*
 * Sets e->spec.event to the first default event that this machine can sample, or to the last
 * default event if the machine can sample none.
 */
static int choose_event(struct sample_events *e, struct reason *reason)
{
	static const char *const names[] = {"cycles:P", "instructions", "cpu-clock"};
	struct parse_error perr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd, err;

		event_list__free(&e->own);
		err = event_list__parse(&e->own, names[i], EVENT_SYSFS, &perr);
		if (err)
			return reason__fail(reason, err, "no event to sample by: %s",
					    err == -EINVAL ? perr.text : strerror(-err));
		e->spec.event = e->own.v;
		if (i == ARRAY_SIZE(names) - 1)
			break;
		fd = open_on_cpu(&e->spec, e->cpus.id[0]);
		if (fd >= 0) {
			close(fd);
			break;
		}
	}
	return 0;
}

static int check_sample_event(const struct sample_spec *spec, struct reason *reason)
{
	const struct event *ev = spec->event;

	if (ev->kind == EVENT_TIME)
		return reason__fail(
			reason, -EINVAL,
			"bprof's own clock cannot be sampled; -e cpu-clock samples by time");
	if (is_clock(ev) && !spec->freq && spec->period < CLOCK_MIN_PERIOD_NS)
		return reason__fail(reason, -EINVAL, "-c %llu: the minimum period is %d ns",
				    spec->period, CLOCK_MIN_PERIOD_NS);
	return 0;
}

/*
 * Opens the event on each CPU in e->cpus. Removes the CPUs on which it cannot be opened, such as
 * offline CPUs, from e->cpus. Fails if no CPU is left.
 */
static int open_all(struct sample_events *e, struct reason *reason)
{
	const struct event *ev = e->spec.event;
	int cnt = 0, last = -ENODEV;

	for (int i = 0; i < e->cpus.cnt; i++) {
		int cpu = e->cpus.id[i], fd = -ENODEV;

		if (!ev->cpumask.cnt || cpus__has(&ev->cpumask, cpu))
			fd = open_on_cpu(&e->spec, cpu);
		if (fd == -EMFILE || fd == -ENFILE)
			return reason__fail(
				reason, fd,
				"out of file descriptors on CPU %d; raise 'ulimit -n' or "
				"sample fewer CPUs (-C)",
				cpu);
		if (fd < 0) {
			last = fd == -ENODEV ? last : fd;
			continue;
		}
		e->fd[cnt] = fd;
		e->cpus.id[cnt++] = cpu;
	}
	e->cpus.cnt = cnt;
	return cnt ? 0 : refuse_sampling(&e->spec, last, reason);
}

int sample_events__open(const struct sample_spec *spec, const struct cpus *cpus,
			struct sample_events **out, struct reason *reason)
{
	struct sample_events *e = xcalloc(1, sizeof(*e));
	int err;

	*out = NULL;
	e->spec = *spec;
	e->fd = xmalloc((cpus->cnt + 1) * sizeof(*e->fd));
	e->pages = xcalloc(cpus->cnt + 1, sizeof(*e->pages));
	cpus__dup(cpus, &e->cpus);
	for (int i = 0; i < cpus->cnt; i++)
		e->fd[i] = -1;
	err = (spec->event ? 0 : choose_event(e, reason)) ?:
	      check_sample_event(&e->spec, reason) ?: open_all(e, reason);
	if (err)
		goto out;
	e->pages_sz = 2 * sysconf(_SC_PAGESIZE);
	for (int i = 0; i < e->cpus.cnt; i++) {
		void *mem = mmap(NULL, e->pages_sz, PROT_READ, MAP_SHARED, e->fd[i], 0);

		if (mem != MAP_FAILED)
			e->pages[i] = mem;
		else
			log_info("CPU %d: cannot find out whether samples are throttled: %s",
				 e->cpus.id[i], strerror(errno));
	}
	*out = e;
	e = NULL;
out:
	sample_events__close(e);
	return err;
}

void sample_events__close(struct sample_events *e)
{
	if (!e)
		return;
	for (int i = 0; i < e->cpus.cnt; i++) {
		if (e->pages && e->pages[i])
			munmap(e->pages[i], e->pages_sz);
		if (e->fd && e->fd[i] >= 0)
			close(e->fd[i]);
	}
	free(e->fd);
	free(e->pages);
	cpus__free(&e->cpus);
	event_list__free(&e->own);
	free(e);
}

const char *sample_events__name(const struct sample_events *e)
{
	return e->spec.event->name;
}

const struct cpus *sample_events__cpus(const struct sample_events *e)
{
	return &e->cpus;
}

/*
 * The kernel drops the samples of excluded code, but the count of a software clock contains the time
 * of this code (perf_swevent_hrtimer(), cpu_clock_event_update()).
 */
bool sample_events__counts_excluded(const struct sample_events *e)
{
	const struct event *ev = e->spec.event;

	return is_clock(ev) && (ev->exclude_user || ev->exclude_kernel || ev->exclude_idle);
}

int sample_events__attach(struct sample_events *e, int prog_fd)
{
	for (int i = 0; i < e->cpus.cnt; i++)
		if (ioctl(e->fd[i], PERF_EVENT_IOC_SET_BPF, prog_fd))
			return -errno;
	return 0;
}

int sample_events__enable(struct sample_events *e, bool on)
{
	for (int i = 0; i < e->cpus.cnt; i++)
		if (ioctl(e->fd[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return log_err(-errno, "event %s on CPU %d: %s", sample_events__name(e),
				       e->cpus.id[i], strerror(errno));
	return 0;
}

int sample_events__read(const struct sample_events *e, int i, struct sample_count *out)
{
	__u64 values[3];
	ssize_t n = read(e->fd[i], values, sizeof(values));

	memset(out, 0, sizeof(*out));
	if (n != sizeof(values))
		return log_err(n < 0 ? -errno : -EIO, "event %s on CPU %d cannot be read: %s",
			       sample_events__name(e), e->cpus.id[i],
			       n < 0 ? strerror(errno) : "it is in error");
	out->value = values[0];
	out->enabled_ns = values[1];
	out->running_ns = values[2];
	if (e->pages[i]) {
		const volatile struct perf_event_mmap_page *page = e->pages[i];
		__u64 bytes = page->data_head;

		out->throttled = (bytes + sizeof(struct throttle_records) - 1) /
				 sizeof(struct throttle_records);
	}
	return 0;
}

/* ---- measuring the overhead of a sample ---- */

#define COST_FREQ 40000
#define COST_MIN_PAIRS 50
#define COST_MAX_PAIRS 200
#define COST_MAX_ERROR .1 /* of the cost */
/*
 * Much shorter than the time for which the kernel lets a task run, so that most of the loops contain
 * no other task even if the machine is busy.
 */
#define COST_LOOP_NS 500000

/* Returns how long a loop takes, measured with that clock. */
static __u64 time_loop(unsigned long n, __u64 (*clock)(void))
{
	__u64 start = clock();

	for (volatile unsigned long i = 0; i < n; i++)
		;
	return clock() - start;
}

/* Arguments and result of measure_on_cpu(). */
struct cost_run {
	const struct sample_events *e;
	int prog_fd;
	__u64 (*taken)(void *arg, int cpu);
	void *arg;
	double cost;
};

/*
 * Takes the median, not the cost in the shortest loops. Loops that contain other tasks are outliers,
 * which do not change the median. And a CPU is faster at moments when its other hardware thread is
 * idle: the shortest loops may be from moments of different speed.
 */
double sample_cost__settle(double *v, int cnt)
{
	int off = ceil(sqrt(cnt) / 2), mid = cnt / 2;

	if (cnt < COST_MIN_PAIRS)
		return NAN;
	qsort(v, cnt, sizeof(*v), compare_doubles);
	/* The true median is between these two with a probability of about 68 %. */
	if (v[mid] > 0 && v[mid + off] - v[mid - off] <= 2 * COST_MAX_ERROR * v[mid])
		return v[mid];
	return NAN;
}

/*
 * Runs a loop in turns without and with the event, until the median of the differences is certain.
 * Sets run->cost to the overhead of a sample in ns, unless the event took too few samples or the
 * differences vary too much. Returns 0 or -errno.
 */
static int measure_cost(struct cost_run *run, int fd, int cpu)
{
	double costs[COST_MAX_PAIRS];
	unsigned long n = 1000;
	int cnt = 0;

	/*
	 * Find a number of rounds for which a loop is long enough. Use the CPU time here, because
	 * other tasks may run meanwhile. The measurements below must not use it, because the kernel
	 * may leave interrupts out of it. Two loops in succession must be long enough, because a
	 * single loop may be long only because the CPU was slow at that moment.
	 */
	while (time_loop(n, thread_cpu_ns) < COST_LOOP_NS ||
	       time_loop(n, thread_cpu_ns) < COST_LOOP_NS)
		n *= 2;
	for (int i = 0; i < COST_MAX_PAIRS && isnan(run->cost); i++) {
		__u64 before = run->taken(run->arg, cpu), samples;
		double without = time_loop(n, now_ns), with;

		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
		with = time_loop(n, now_ns);
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			return -errno;
		samples = run->taken(run->arg, cpu) - before;
		if (samples)
			costs[cnt++] = (with - without) / samples;
		run->cost = sample_cost__settle(costs, cnt);
	}
	return 0;
}

static int measure_on_cpu(const struct affinity *allowed, void *arg)
{
	struct cost_run *run = arg;
	/* a copy; it shares its strings with the original */
	struct event ev = *run->e->spec.event;
	struct sample_spec spec = {
		.event = &ev, .freq = allowed_freq(COST_FREQ), .calls = run->e->spec.calls};
	int cpu = affinity__bind_any(allowed, &run->e->cpus), fd, err;

	if (cpu < 0)
		return cpu;
	/* The loop runs in user space, so the event must sample user space, too. */
	ev.exclude_user = ev.exclude_kernel = false;
	fd = open_on_cpu(&spec, cpu);
	if (fd < 0)
		return fd;
	err = ioctl(fd, PERF_EVENT_IOC_SET_BPF, run->prog_fd) ? -errno : measure_cost(run, fd, cpu);
	close(fd);
	return err;
}

double sample_events__cost(const struct sample_events *e, int prog_fd,
			   __u64 (*taken)(void *arg, int cpu), void *arg)
{
	struct cost_run run = {e, prog_fd, taken, arg, NAN};
	int err = affinity__run(measure_on_cpu, &run);

	if (err)
		log_warn("event %s: what a sample costs is not known: %s", sample_events__name(e),
			 strerror(-err));
	return run.cost;
}
