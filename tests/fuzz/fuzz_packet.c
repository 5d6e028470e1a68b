// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the inputs of bprof bench: captures (--pcap), packets and contexts (--data-in, --ctx-in,
 * "hex:…" in a suite). "make fuzz" runs it.
 *
 * Input: a byte that chooses the source, then the content of the file or the digits after "hex:".
 */
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "bench/bench_input.h"
#include "tests/fuzz/world.h"

#define PATH "/in/file.pcap"

static unsigned long sum_up(struct test_input t)
{
	unsigned long sum = 0;

	for (__u32 n = 0; n < t.data_sz; n++)
		sum += ((const __u8 *)t.data)[n];
	for (__u32 n = 0; n < t.ctx_sz; n++)
		sum += ((const __u8 *)t.ctx)[n];
	return sum;
}

/* Reads all bytes of the cases, so that the sanitizer sees a size that is wrong. */
static void check_input(const struct bench_input *in)
{
	unsigned long sum = 0;

	require(in->cnt <= BENCH_MAX_CASES);
	for (int i = 0; i < in->cnt; i++)
		for (int k = 0; k < in->v[i].packet_cnt; k++) {
			sum += sum_up(bench_input__at(in, i, k, BPF_PROG_TYPE_XDP));
			sum += sum_up(bench_input__at(in, i, k, BPF_PROG_TYPE_SCHED_CLS));
		}
	require(sum <= ~0UL);
}

static int read_pcap(struct bench_input *in, const char *text)
{
	return bench_input__add_pcap(in, NULL, PATH, false);
}

static int read_cycle(struct bench_input *in, const char *text)
{
	return bench_input__add_pcap(in, "name", PATH, true);
}

static int read_file(struct bench_input *in, const char *text)
{
	return bench_input__add_file(in, PATH) ?: bench_input__add_packet(in, "again", PATH);
}

static int read_ctx(struct bench_input *in, const char *text)
{
	bench_input__set_default(in);
	return bench_input__set_ctx(in, PATH);
}

static int read_hex(struct bench_input *in, const char *text)
{
	char *hex;
	int err;

	require(asprintf(&hex, "hex:%s", text) > 0);
	err = bench_input__add_packet(in, "case", hex);
	free(hex);
	return err;
}

static int read_step(struct bench_input *in, const char *text)
{
	struct bench_setting *setting = bench_input__add_setting(in, 0);
	struct bench_step *step = calloc(1, sizeof(*step));

	require(setting && step);
	setting->before = step;
	setting->before_cnt = 1;
	return bench_step__add_pcap(step, PATH) ?: bench_step__add_packet(step, NULL);
}

static int (*const readers[])(struct bench_input *in, const char *text) = {
	read_pcap, read_cycle, read_file, read_ctx, read_hex, read_step};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bench_input input = {};
	struct bytes in = {data, sz};
	unsigned int which = bytes__u8(&in) % (sizeof(readers) / sizeof(readers[0]));
	struct bytes rest = in;
	char *text = bytes__text(&rest);

	world__clear();
	world__set_file(PATH, in.at, in.sz);
	readers[which](&input, text);
	check_input(&input);
	bench_input__free(&input);
	free(text);
	return 0;
}
