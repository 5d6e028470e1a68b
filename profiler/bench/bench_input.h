/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The input of bprof bench: cases, each a packet or several in turn, with a context or without.
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
	char *name; /* NULL: the one packet of our own, where none was given */
	struct bench_packet *packet;
	int packet_cnt; /* at least one; several take turns */
};

struct bench_input {
	struct bench_case *v;
	int cnt;
	void *ctx; /* of every case; NULL: none was given */
	__u32 ctx_sz;
};

/* --data-in: a case of one packet, by the file's name. 0 or -errno (reported). */
int bench_input__add_file(struct bench_input *in, const char *path);
/* --pcap: each of its packets a case; cycle: one case of all. 0 or -errno (reported). */
int bench_input__add_pcap(struct bench_input *in, const char *path, bool cycle);
/* --ctx-in. 0 or -errno (reported). */
int bench_input__set_ctx(struct bench_input *in, const char *path);
/*
 * Where there is no case: a UDP packet of 64 bytes over IPv4, from 10.0.0.1:1024 to 10.0.0.2:53.
 * 0 or -ENOMEM (reported).
 */
int bench_input__set_default(struct bench_input *in);
void bench_input__free(struct bench_input *in);

/* One packet of a case, as input of a run. */
struct test_input bench_input__at(const struct bench_input *in, int which, int packet);

#endif
