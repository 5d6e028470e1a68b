// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the records that bprof trace reads from its ring buffers, and their output in all formats.
 * "make fuzz" runs it.
 *
 * Input: two bytes of flags (format, options); then records, each as in struct bprof_record, after
 * two bytes for its size beyond that of the struct.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "session/session.h"
#include "tests/fuzz/world.h"
#include "trace/trace_output.h"
#include "trace/trace_symbols.h"

#define STACK 1
#define BYTES 2
#define NO_NET 4
#define SUBPROG 8
#define KSYMS 16
#define NO_PACKETS 32

static struct event events[] = {
	{.name = "cycles", .base = "cycles", .kind = EVENT_PERF, .unit = "", .scale = 1},
	{.name = "time", .base = "time", .kind = EVENT_TIME, .unit = "ns", .scale = 1}};
static struct event_list event_list = {.v = events, .cnt = 2};
static struct event_fds fds = {.event_cnt = 2};
static struct prog progs[] = {{.fd = -1, .info = {.name = "xdp_lb", .type = BPF_PROG_TYPE_XDP}},
			      {.fd = -1, .info = {.name = "on_switch", .type = BPF_PROG_TYPE_LSM}}};
static struct trace_bound bounds[] = {{.spec = "cycles>10", .index = 0, .limit = 10},
				      {.spec = "time<1ms", .index = 1, .under = true, .limit = 9}};
static bool net;

static bool is_net(const void *state)
{
	return net;
}

static int take(void *arg, int cpu, const struct bprof_record *r, size_t sz)
{
	return trace_output__record(arg, cpu, r);
}

static void lose(void *arg, int cpu, __u64 cnt)
{
	require(!trace_output__lost(arg, cpu, cnt));
}

static void take_records(struct trace_probe *probe, struct bytes *in)
{
	while (in->sz) {
		size_t sz = bytes__u8(in) << 8;
		int cpu = in->sz % 256;
		void *record;

		sz = (sz | bytes__u8(in)) % 2048;
		if (cpu % 16)
			sz += sizeof(struct bprof_record);
		record = malloc(sz);
		require(record);
		bytes__copy(in, record, sz);
		trace_probe__take(probe, cpu, record, sz);
		require(!probe->err);
		free(record);
	}
}

static void run(struct trace_output *o, struct trace_probe *probe, struct bytes *in)
{
	const struct trace_summary sum = {.elapsed_ns = 1, .invocations = 7, .measured = 7};
	char *text = NULL;
	size_t sz;

	o->out = open_memstream(&text, &sz);
	trace_output__prepare(o);
	require(!trace_output__begin(o));
	take_records(probe, in);
	require(!trace_output__held(o, 3) && !trace_output__end(o, &sum));
	fclose(o->out);
	require(strlen(text) == sz);
	free_harmless(text);
	trace_output__free(o);
}

static struct trace_symbols *read_symbols(void)
{
	struct trace_symbols *s;
	int ksyms_err;

	world__set_text("/proc/kallsyms", "ffff800000001000 T do_\033[1m\n"
					  "ffff800000002000 t bpf_prog_1_xdp_bprof_exit [bpf]\n");
	s = trace_symbols__open(&ksyms_err);
	require(!ksyms_err);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	static const struct trace_format *const formats[] = {&trace_text, &trace_json,
							     &trace_timeline};
	static const struct counter_ops ops = {.method = "fentry", .is_net = is_net};
	struct bytes in = {data, sz};
	unsigned int format = bytes__u8(&in) % 3, flags = bytes__u8(&in);
	struct session s = {.env = {.events = &event_list, .fds = &fds, .cpu_limit = 256},
			    .backend = {{.ops = &ops}}};
	struct target target[] = {{42, &progs[0], "xdp_lb", .backend = &s.backend[0]},
				  {57, &progs[1], "sub", .backend = &s.backend[0]}};
	struct trace_conds conds = {.bound = bounds, .bound_cnt = 2};
	struct trace_probe probe = {.conds = &conds, .limit = 1000, .take = take, .lost = lose};
	struct trace_output o = {.name = "trace", .format = formats[format], .s = &s};

	fds.state[1].slot = BPROF_CLOCK_SLOT;
	net = !(flags & NO_NET);
	target[1].subprog = flags & SUBPROG;
	s.targets = (struct target_list){.v = target, .cnt = 2};
	s.env.targets = &s.targets;
	probe.env = &s.env;
	probe.arg = &o;
	probe.config.at.skb_len = !(flags & NO_PACKETS);
	probe.config.stack_sz = flags & STACK ? BPROF_TRACE_STACK_SZ : 0;
	o.probe = &probe;
	o.bytes = flags & BYTES;
	o.screen.width = flags & 128 ? 80 : 0;
	o.symbols = flags & KSYMS ? read_symbols() : NULL;
	run(&o, &probe, &in);
	free(probe.copy);
	trace_symbols__close(o.symbols);
	return 0;
}
