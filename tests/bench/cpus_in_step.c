// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A plugin for QEMU. The CPUs of a virtual machine execute their instructions in step, 1 ns for each, as on
 * a machine whose CPUs work at the same time. (With -icount, which scripts/vm uses for exact times, QEMU
 * executes one CPU after the other.)
 *
 * Each CPU has a clock, which counts the CPU's instructions. A CPU waits for CPUs whose clocks are behind. The
 * clock of an idle CPU stands still. When the CPU continues, its clock is set to that of the others. While
 * all CPUs are idle, the guest waits for a timer, and time passes as on the host.
 *
 * QEMU's clock, and so the guest's time, is the clock of the CPU that is the farthest behind. For this, the
 * plugin is also preloaded, and replaces clock_gettime().
 *
 * The declarations are from QEMU's include/qemu/qemu-plugin.h, version 1, which Debian does not package.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#define VISIBLE __attribute__((visibility("default")))

struct qemu_plugin_tb;

/* QEMU's description of itself and its virtual machine. */
struct qemu_info_t {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	int cpus, max_cpus;
};

typedef void (*cpu_cb)(uint64_t id, unsigned int cpu);
typedef void (*exec_cb)(unsigned int cpu, void *arg);

/* QEMU's functions. The callbacks do not access registers (QEMU_PLUGIN_CB_NO_REGS is 0). */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, exec_cb cb, int flags,
					  void *arg);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, cpu_cb cb);
void qemu_plugin_register_vcpu_idle_cb(uint64_t id, cpu_cb cb);
void qemu_plugin_register_vcpu_resume_cb(uint64_t id, cpu_cb cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);

/* QEMU looks up these two symbols. */
VISIBLE extern int qemu_plugin_version;
VISIBLE int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = 1;

#define MAX_CPUS 16
/* A CPU may be this far ahead of the others. */
#define STEP_NS 4000
/*
 * A waiting CPU continues after this time: it may hold a lock of QEMU for which the CPU that is
 * behind waits.
 */
#define PATIENCE_NS 10000000

static struct cpu {
	_Atomic uint64_t clock_ns;
	uint64_t limit_ns; /* at this time of its clock, the CPU waits for the others */
	bool running;
} cpus[MAX_CPUS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* the time when the last CPU became idle, on its clock and in real time; 0: the plugin has not been started */
static uint64_t all_idle_ns, idle_since_ns;

static int get_time(clockid_t clock, struct timespec *ts)
{
	return syscall(SYS_clock_gettime, clock, ts);
}

static uint64_t real_ns(clockid_t clock)
{
	struct timespec ts;

	get_time(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct timespec from_ns(uint64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/*
 * Returns the clock of the running CPU that is the farthest behind. If all CPUs are idle, returns the time
 * when the last one became idle, plus the real time since then. Call it with the lock.
 */
static uint64_t now(void)
{
	uint64_t min = UINT64_MAX;

	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i].running && cpus[i].clock_ns < min)
			min = cpus[i].clock_ns;
	return min != UINT64_MAX ? min : all_idle_ns + real_ns(CLOCK_MONOTONIC) - idle_since_ns;
}

VISIBLE int clock_gettime(clockid_t clock, struct timespec *ts)
{
	static uint64_t last_ns;

	if (clock != CLOCK_MONOTONIC || !idle_since_ns)
		return get_time(clock, ts);
	pthread_mutex_lock(&lock);
	if (now() > last_ns)
		last_ns = now();
	*ts = from_ns(last_ns);
	pthread_mutex_unlock(&lock);
	return 0;
}

static void wait_for_others(struct cpu *c)
{
	struct timespec until = from_ns(real_ns(CLOCK_REALTIME) + PATIENCE_NS);

	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&changed);
	while (c->running && now() + STEP_NS < c->clock_ns)
		if (pthread_cond_timedwait(&changed, &lock, &until))
			break;
	c->limit_ns = c->clock_ns + STEP_NS / 2;
	pthread_mutex_unlock(&lock);
}

static void on_block(unsigned int cpu, void *insns)
{
	struct cpu *c = &cpus[cpu];

	c->clock_ns += (uintptr_t)insns;
	if (c->clock_ns > c->limit_ns)
		wait_for_others(c);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0,
					     (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void on_resume(uint64_t id, unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];

	pthread_mutex_lock(&lock);
	if (!c->running) {
		if (c->clock_ns < now())
			c->clock_ns = now();
		c->limit_ns = c->clock_ns;
		c->running = true;
	}
	pthread_mutex_unlock(&lock);
}

static void on_idle(uint64_t id, unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];

	pthread_mutex_lock(&lock);
	all_idle_ns = c->clock_ns;
	idle_since_ns = real_ns(CLOCK_MONOTONIC);
	c->running = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	if (info->max_cpus > MAX_CPUS) {
		fprintf(stderr, "cpus_in_step: %d CPUs: give at most %d\n", info->max_cpus,
			MAX_CPUS);
		return -1;
	}
	all_idle_ns = idle_since_ns = real_ns(CLOCK_MONOTONIC);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_init_cb(id, on_resume);
	qemu_plugin_register_vcpu_idle_cb(id, on_idle);
	qemu_plugin_register_vcpu_resume_cb(id, on_resume);
	return 0;
}
