/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The input of bprof bench: input cases of one or more packets each, an optional context, and the
 * runs that precede the measured ones.
 */
#ifndef BPROF_BENCH_INPUT_H
#define BPROF_BENCH_INPUT_H

#include <stdbool.h>

#include "kernel/test_run.h"

#define BENCH_MAX_CASES 256

struct bench_packet {
	void *data;
	__u32 sz;
	/*
	 * For a packet of a capture that has a VLAN tag: the packet without the tag, sz - 4 bytes.
	 * NULL: the packet has no tag, or comes from another source. The kernel removes the tag
	 * before programs with a struct __sk_buff see a packet (skb_vlan_untag()).
	 */
	void *untagged;
};

/*
 * Runs that bench makes before the measured runs. They are not measured. They build up the state
 * that the measured runs find in maps, such as the entry of a connection.
 */
struct bench_step {
	char *prog; /* name of the program to run; NULL: the program that is measured */
	struct bench_packet *packet;
	int packet_cnt;
	void *ctx; /* NULL: the context of all cases */
	__u32 ctx_sz;
	__u64 repeat; /* how often to run all packets, in their order */
};

/* The parts of a case other than packets. The cases of one capture share them. */
struct bench_setting {
	void *ctx; /* NULL: the context of all cases */
	__u32 ctx_sz;
	struct bench_step *before; /* in the order of the runs */
	int before_cnt;
};

struct bench_case {
	char *name; /* name of the case; NULL: the default case */
	struct bench_packet *packet;
	int packet_cnt;			     /* at least 1; the runs cycle through the packets */
	bool captured;			     /* its packets come from a capture */
	const struct bench_setting *setting; /* borrowed; NULL: none */
};

struct bench_input {
	struct bench_case *v;
	int cnt;
	struct bench_setting **setting; /* owned, also the structs */
	int setting_cnt;
	void *ctx; /* context for all cases; NULL: none */
	__u32 ctx_sz;
};

/* Adds a case for --data-in: one packet, named after the file. Returns 0 or -errno (reported). */
int bench_input__add_file(struct bench_input *in, const char *path);
/*
 * Adds cases for --pcap. Without cycle, each packet of the capture becomes a case, called NAME#1,
 * NAME#2, ... With cycle, all packets become one case, called NAME. name NULL: the name of the
 * file. Returns 0 or -errno (reported).
 */
int bench_input__add_pcap(struct bench_input *in, const char *name, const char *path, bool cycle);
/*
 * Sets the context of all cases to the contents of the file (--ctx-in). Returns 0 or -errno
 * (reported).
 */
int bench_input__set_ctx(struct bench_input *in, const char *path);
/*
 * Adds the default case if no other case was given: a UDP packet of 64 bytes over IPv4, from
 * 10.0.0.1:1024 to 10.0.0.2:53.
 */
void bench_input__set_default(struct bench_input *in);
/*
 * Adds a case called name with one packet: the contents of a file, the bytes of "hex:…", or the
 * packet of the default case if packet is NULL. Returns 0 or -errno (reported).
 */
int bench_input__add_packet(struct bench_input *in, const char *name, const char *packet);
/* Adds a setting for the cases from index "first" on. The caller fills it in. */
struct bench_setting *bench_input__add_setting(struct bench_input *in, int first);
/*
 * Reads a file or the bytes of "hex:…". what: the word for the data in messages, "packet" or "ctx".
 * The caller frees *data. Returns 0 or -errno (reported).
 */
int bench_input__read(const char *what, const char *source, void **data, __u32 *sz);
/* Add packets to a step, from the same sources as the functions above. Return 0 or -errno (reported). */
int bench_step__add_packet(struct bench_step *step, const char *packet);
int bench_step__add_pcap(struct bench_step *step, const char *path);
/* Returns the number of packets of a case that have a VLAN tag (802.1Q or 802.1ad). */
int bench_case__count_tagged(const struct bench_case *c);
void bench_input__free(struct bench_input *in);

/*
 * Returns one packet of a case as the input of a test run of a program of this type
 * (BPF_PROG_TYPE_…). The result borrows the case's memory.
 */
struct test_input bench_input__at(const struct bench_input *in, int which, int packet, __u32 type);
/* Returns one packet of a step as the input of a test run, like bench_input__at(). */
struct test_input bench_step__at(const struct bench_input *in, const struct bench_step *step,
				 int packet, __u32 type);

#endif
