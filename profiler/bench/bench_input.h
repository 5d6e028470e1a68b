/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The input of bprof bench: input cases of one or more packets each, and an optional context.
 */
#ifndef BPROF_BENCH_INPUT_H
#define BPROF_BENCH_INPUT_H

#include <stdbool.h>

#include "kernel/test_run.h"

#define BENCH_MAX_CASES 256

struct bench_packet {
	void *data;
	__u32 sz;
};

struct bench_case {
	char *name; /* name of the case; NULL: the default case */
	struct bench_packet *packet;
	int packet_cnt; /* at least 1; the runs cycle through the packets */
};

struct bench_input {
	struct bench_case *v;
	int cnt;
	void *ctx; /* context for all cases; NULL: none */
	__u32 ctx_sz;
};

/*
 * Adds a case for --data-in. It has one packet and is named after the file. Returns 0 or -errno
 * (reported).
 */
int bench_input__add_file(struct bench_input *in, const char *path);
/*
 * Adds cases for --pcap: one for each packet of the capture or, with cycle, one with all packets.
 * Returns 0 or -errno (reported).
 */
int bench_input__add_pcap(struct bench_input *in, const char *path, bool cycle);
/*
 * Sets the context of all cases to the contents of the file (--ctx-in). Returns 0 or -errno
 * (reported).
 */
int bench_input__set_ctx(struct bench_input *in, const char *path);
/*
 * Adds the default case if no other case was given: a UDP packet of 64 bytes over IPv4, from
 * 10.0.0.1:1024 to 10.0.0.2:53. Returns 0 or -ENOMEM (reported).
 */
int bench_input__set_default(struct bench_input *in);
void bench_input__free(struct bench_input *in);

/* Returns one packet of a case as the input of a test run. The result borrows the case's memory. */
struct test_input bench_input__at(const struct bench_input *in, int which, int packet);

#endif
