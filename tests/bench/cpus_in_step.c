// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A plugin for QEMU: lets the CPUs of a virtual machine go on in step, and measures how long something
 * takes on a machine whose CPUs really work at the same time, and execute an instruction in 1 ns each.
 * With -icount, which scripts/vm uses for exact times, QEMU executes one CPU after the other.
 *
 * Each CPU has a clock: the number of its instructions. A CPU waits for those that are behind it. While
 * it is idle its clock stands still; afterwards it shows what the clocks of the others show. While all
 * are idle, real time passes: the guest waits for a timer. The guest's timers show real time, too, so
 * that timer interrupts come many times as often between the instructions as on real CPUs.
 *
 * The guest executes the instruction "hint #42" where the measured time begins, and "hint #43" where it
 * ends. The argument out=FILE names the file for the times, in ms, one per line.
 *
 * The interface is that of QEMU's include/qemu/qemu-plugin.h, version 1, which Debian does not package.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef void (*cpu_cb)(uint64_t id, unsigned int cpu);
typedef void (*exec_cb)(unsigned int cpu, void *arg);

/* QEMU's functions. The callbacks do not access registers (QEMU_PLUGIN_CB_NO_REGS is 0). */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, exec_cb cb, int flags,
					  void *arg);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags,
					    void *arg);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, cpu_cb cb);
void qemu_plugin_register_vcpu_idle_cb(uint64_t id, cpu_cb cb);
void qemu_plugin_register_vcpu_resume_cb(uint64_t id, cpu_cb cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

/* What QEMU looks for. */
VISIBLE extern int qemu_plugin_version;
VISIBLE int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = 1;

#define MAX_CPUS 16
/* How far a CPU may be ahead of the others. */
#define STEP_NS 4000
/* The CPU that is behind may itself wait for this one, in QEMU. */
#define PATIENCE_NS 10000000

/* arm64: HINT #42 and #43, which do nothing */
#define BEGIN_INSN 0xd503255f
#define END_INSN 0xd503257f

static struct cpu {
	_Atomic uint64_t clock_ns;
	uint64_t limit_ns; /* it waits for the others when its clock shows this */
	bool running;
} cpus[MAX_CPUS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* when the last CPU became idle: on its clock, and in real time */
static uint64_t all_idle_ns, idle_since_ns;
static uint64_t begin_ns;
static FILE *out;

static uint64_t real_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Returns the clock of the running CPU that is the farthest behind, or UINT64_MAX if all are idle. */
static uint64_t slowest(void)
{
	uint64_t min = UINT64_MAX;

	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i].running && cpus[i].clock_ns < min)
			min = cpus[i].clock_ns;
	return min;
}

static void wait_for_others(struct cpu *c)
{
	uint64_t until = real_ns(CLOCK_REALTIME) + PATIENCE_NS;
	struct timespec ts = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};

	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&changed);
	while (c->running && slowest() + STEP_NS < c->clock_ns)
		if (pthread_cond_timedwait(&changed, &lock, &ts))
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

static void on_begin(unsigned int cpu, void *unused)
{
	begin_ns = cpus[cpu].clock_ns;
}

static void on_end(unsigned int cpu, void *unused)
{
	fprintf(out, "%.1f\n", (cpus[cpu].clock_ns - begin_ns) / 1e6);
	fflush(out);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t cnt = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < cnt; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t op;

		memcpy(&op, qemu_plugin_insn_data(insn), sizeof(op));
		if (op == BEGIN_INSN || op == END_INSN)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, op == BEGIN_INSN ? on_begin : on_end, 0, NULL);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, (void *)(uintptr_t)cnt);
}

static void on_resume(uint64_t id, unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];
	uint64_t now;

	pthread_mutex_lock(&lock);
	if (!c->running) {
		now = slowest();
		if (now == UINT64_MAX)
			now = all_idle_ns + real_ns(CLOCK_MONOTONIC) - idle_since_ns;
		if (c->clock_ns < now)
			c->clock_ns = now;
		c->limit_ns = c->clock_ns;
		c->running = true;
	}
	pthread_mutex_unlock(&lock);
}

static void on_idle(uint64_t id, unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];

	pthread_mutex_lock(&lock);
	c->running = false;
	if (slowest() == UINT64_MAX) {
		all_idle_ns = c->clock_ns;
		idle_since_ns = real_ns(CLOCK_MONOTONIC);
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	static const char name[] = "out=";

	if (argc != 1 || strncmp(argv[0], name, strlen(name)) ||
	    !(out = fopen(argv[0] + strlen(name), "we"))) {
		fprintf(stderr, "cpus_in_step: needs out=FILE, a file that can be written\n");
		return 1;
	}
	idle_since_ns = real_ns(CLOCK_MONOTONIC);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_init_cb(id, on_resume);
	qemu_plugin_register_vcpu_idle_cb(id, on_idle);
	qemu_plugin_register_vcpu_resume_cb(id, on_resume);
	return 0;
}
