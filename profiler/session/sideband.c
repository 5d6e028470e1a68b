// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads perf's side-band records. Owns the perf event and the ring buffer of each CPU, and the
 * error messages for events that the kernel refuses. Must not know the contents of records
 * (sideband_queue.c) or what records are used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "base/kept_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "host/affinity.h"
#include "host/cpus.h"
#include "kernel/perf_event.h"
#include "session/sideband.h"

/*
 * Size of each CPU's buffer. The records of one load or unload have about 150 bytes if the program
 * has no subprograms. So a buffer has room for more than 1000 loads between two reads.
 */
#define BUF_SZ (256 << 10)

struct cpu_buf {
	int cpu;
	struct perf_buffer *pb;
	__u64 enabled_ns; /* enabled time of the CPU's event when is_dead() last checked it */
};

struct sideband {
	struct sideband_queue *queue;
	struct cpu_buf *buf;
	int buf_cnt;
	struct kept_file online; /* which CPUs are online */
	int map_fd; /* libbpf's perf_buffer needs this map, but no program writes to it */
	int epoll_fd;
	int page_cnt; /* pages of each buffer */
	bool comm;    /* also record the command names of processes */
};

static void fill_sideband_attr(struct perf_event_attr *attr, bool comm)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.watermark = true,
		.wakeup_watermark = 1,
	};
	sideband_queue__set_attr(attr);
	attr->comm = comm;
}

static enum bpf_perf_event_ret add_record(void *ctx, int cpu, struct perf_event_header *rec)
{
	struct sideband *s = ctx;

	sideband_queue__add(s->queue, rec);
	return LIBBPF_PERF_EVENT_CONT;
}

int sideband__try(int cpu)
{
	struct perf_event_attr attr;
	int fd;

	fill_sideband_attr(&attr, true);
	fd = perf_event__open(&attr, -1, cpu, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/*
 * Checks whether the event of the side-band records can be opened on the CPU. Returns 0, -ENODEV if
 * the CPU is offline, or another -errno (reported).
 */
static int check_cpu_event(int cpu)
{
	int err = sideband__try(cpu);

	switch (err) {
	case 0:
	case -ENODEV:
		return err;
	case -EACCES:
	case -EPERM:
		return log_err(err, "recording loads of programs needs perf events on all CPUs, "
				    "which are refused: it needs CAP_SYS_ADMIN; run as root");
	case -EINVAL:
	case -E2BIG:
		return log_err(err,
			       "this kernel does not record loads of programs: it needs Linux 5.1");
	case -ENOSYS:
		return log_err(err,
			       "this kernel has no perf events, which record loads of programs");
	}
	return log_err(err, "recording loads of programs on CPU %d: perf_event_open: %s", cpu,
		       strerror(-err));
}

/*
 * Opens a CPU's buffer. Without CAP_IPC_LOCK, the kernel limits the size of buffers
 * (perf_event_mlock_kb). If the kernel refuses the size, tries smaller buffers, which may lose more
 * records.
 */
static int open_perf_buffer(struct sideband *s, int cpu, struct perf_buffer **out)
{
	int key = 0;
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = 1, .cpus = &cpu, .map_keys = &key);
	struct perf_event_attr attr;
	int err;

	fill_sideband_attr(&attr, s->comm);
	for (;;) {
		*out = perf_buffer__new_raw(s->map_fd, s->page_cnt, &attr, add_record, s, &opts);
		err = *out ? 0 : -errno;
		if (err != -EPERM || s->page_cnt == 1)
			break;
		s->page_cnt /= 2;
	}
	if (!err || err == -ENODEV)
		return err;
	return log_err(err, "recording loads of programs on CPU %d: %s", cpu, strerror(-err));
}

/*
 * Opens a CPU's buffer and adds it to s. Does nothing if the CPU is offline. Returns 0 or -errno
 * (reported).
 */
static int open_cpu(struct sideband *s, int cpu)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct perf_buffer *pb;
	struct cpu_buf *buf;
	int err;

	err = check_cpu_event(cpu) ?: open_perf_buffer(s, cpu, &pb);
	if (err)
		return err == -ENODEV ? 0 : err;
	buf = array__add(&s->buf, &s->buf_cnt, sizeof(*buf));
	if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, perf_buffer__buffer_fd(pb, 0), &ev)) {
		err = -errno;
		s->buf_cnt--;
		perf_buffer__free(pb);
		return log_err(err, "recording loads of programs on CPU %d: %s", cpu,
			       strerror(-err));
	}
	*buf = (struct cpu_buf){.cpu = cpu, .pb = pb};
	return 0;
}

static bool has_cpu(const struct sideband *s, int cpu)
{
	for (int i = 0; i < s->buf_cnt; i++)
		if (s->buf[i].cpu == cpu)
			return true;
	return false;
}

/*
 * Opens the buffers of those CPUs that have no buffer. Returns 1 if there were such CPUs, 0 if not,
 * or -errno (reported).
 */
static int open_cpus(struct sideband *s, const struct cpus *cpus)
{
	int opened = 0, err = 0;

	for (int i = 0; i < cpus->cnt && !err; i++) {
		if (has_cpu(s, cpus->id[i]))
			continue;
		err = open_cpu(s, cpus->id[i]);
		opened = 1;
	}
	return err ?: opened;
}

static int fail_online(int err)
{
	return log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
}

static int open_online(struct sideband *s)
{
	int err = kept_file__open(CPUS_ONLINE, &s->online);

	return err ? fail_online(err) : 0;
}

static int read_online(const struct sideband *s, struct cpus *online)
{
	char list[4096];
	int err = kept_file__read(&s->online, list, sizeof(list));

	*online = (struct cpus){};
	err = err ?: cpus__parse(list, online, NULL);
	return err ? fail_online(err) : 0;
}

static int create_map(struct sideband *s)
{
	s->map_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bprof_sideband", sizeof(int),
				   sizeof(int), 1, NULL);
	if (s->map_fd == -EPERM)
		return log_err(s->map_fd,
			       "creating a map is refused: it needs CAP_BPF; run as root");
	return s->map_fd < 0 ? log_err(s->map_fd, "creating a map: %s", strerror(-s->map_fd)) : 0;
}

int sideband__open(bool comm, struct sideband **out)
{
	struct sideband *s = xcalloc(1, sizeof(*s));
	struct cpus online = {};
	int err;

	*out = NULL;
	s->map_fd = s->epoll_fd = -1;
	s->online = KEPT_FILE_NONE;
	s->comm = comm;
	s->page_cnt = BUF_SZ / sysconf(_SC_PAGESIZE);
	s->queue = sideband_queue__new();
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0) {
		err = log_err(-errno, "epoll_create1: %s", strerror(errno));
		goto out;
	}
	/*
	 * Check the event before the other steps, because the error of this check explains best
	 * what is missing.
	 */
	err = check_cpu_event(0);
	err = err == -ENODEV ? 0 : err;
	err = err ?: create_map(s) ?: open_online(s) ?: read_online(s, &online);
	if (!err)
		err = open_cpus(s, &online);
	err = err > 0 ? 0 : err;
out:
	cpus__free(&online);
	if (err)
		sideband__close(s);
	else
		*out = s;
	return err;
}

void sideband__close(struct sideband *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->buf_cnt; i++)
		perf_buffer__free(s->buf[i].pb);
	free(s->buf);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->map_fd >= 0)
		close(s->map_fd);
	kept_file__close(&s->online);
	sideband_queue__free(s->queue);
	free(s);
}

int sideband__epoll_fd(const struct sideband *s)
{
	return s->epoll_fd;
}

int sideband__read(struct sideband *s)
{
	for (int i = 0; i < s->buf_cnt; i++) {
		int err = perf_buffer__consume(s->buf[i].pb);

		if (err < 0)
			return log_err(err, "reading the records of CPU %d: %s", s->buf[i].cpu,
				       strerror(-err));
	}
	return 0;
}

bool sideband__has_load(const struct sideband *s, __u32 id)
{
	return sideband_queue__has_load(s->queue, id);
}

int sideband__process(struct sideband *s, sideband_fn fn, void *arg)
{
	/*
	 * The buffers are read one after the other, so only some of the records that are written
	 * meanwhile will be read. So report only records up to this time.
	 */
	__u64 until_ns = now_ns();

	return sideband__read(s) ?: sideband_queue__flush(s->queue, until_ns, fn, arg);
}

/*
 * Makes the kernel write a record on each CPU: binds this thread to the CPU, and sets the thread's
 * name to its present value.
 */
static int write_records(const struct affinity *allowed, void *arg)
{
	const struct sideband *s = arg;
	char comm[16] = "";

	if (prctl(PR_GET_NAME, comm))
		return -errno;
	for (int i = 0; i < s->buf_cnt; i++)
		if (!affinity__bind(s->buf[i].cpu))
			prctl(PR_SET_NAME, comm);
	return 0;
}

int sideband__finish(struct sideband *s, sideband_fn fn, void *arg)
{
	/*
	 * first empty the buffers, so that they have room for the records that write_records()
	 * causes
	 */
	int err = sideband__read(s);

	if (err)
		return err;
	affinity__run(write_records, s);
	return sideband__read(s) ?: sideband_queue__flush(s->queue, ~0ULL, fn, arg);
}

/*
 * Returns true if the CPU's event has stopped and will not count again. This happens when the CPU
 * goes offline, even if it comes online again at once (kernel/events/core.c:
 * perf_event_exit_cpu()). The enabled time of such an event no longer grows.
 */
static bool is_dead(struct cpu_buf *buf)
{
	struct {
		__u64 value, enabled_ns;
	} now;
	bool dead;

	if (read(perf_buffer__buffer_fd(buf->pb, 0), &now, sizeof(now)) != sizeof(now))
		return true;
	dead = now.enabled_ns == buf->enabled_ns;
	buf->enabled_ns = now.enabled_ns;
	return dead;
}

int sideband__follow_cpus(struct sideband *s)
{
	struct cpus online = {};
	int err, cnt = 0;

	err = sideband__read(s) ?: read_online(s, &online);
	if (err)
		return err;
	for (int i = 0; i < s->buf_cnt; i++) {
		if (cpus__has(&online, s->buf[i].cpu) && !is_dead(&s->buf[i]))
			s->buf[cnt++] = s->buf[i];
		else
			perf_buffer__free(s->buf[i].pb);
	}
	s->buf_cnt = cnt;
	err = open_cpus(s, &online);
	cpus__free(&online);
	return err;
}
