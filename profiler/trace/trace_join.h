/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Joins the records of one packet (bprof trace --join). Needs a record of each run, and puts the runs in
 * order of time. A run belongs to the packet whose memory it has, as long as that can be no other packet:
 * the kernel uses the same memory again for the next one. What can be either is not joined.
 */
#ifndef BPROF_TRACE_JOIN_H
#define BPROF_TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/trace_probe.h"

/* How a run's packet is known. */
struct join_key {
	__u64 head;    /* address of the packet's memory; 0: it could not be read */
	__u64 skb;     /* address of the kernel's struct sk_buff; 0: an XDP program has none */
	__u64 sk;      /* the socket to which the packet belongs; 0: none */
	__u32 ifindex; /* the device on which it has arrived; 0: it is sent from here */
	/* The run's place on the path, which a packet does not go back; -1: it is all of the path. */
	int order;
};

struct join_run {
	int cpu;
	__u64 begin_ns, number; /* when the run began; its place among those that began together */
	struct join_key key;
	size_t sz; /* of the record */
	struct bprof_record *r;
};

/* Runs that are written together. */
struct trace_packet {
	__u64 number; /* 0: it is one run that is not joined */
	struct join_run *run;
	int cnt;
};

struct trace_join_opts {
	__u64 every; /* write one packet in so many; 0: only those that meet a condition */
	__u64 limit; /* the most packets that are written per second */
	size_t memory; /* the most that the runs of packets take, in bytes; then the oldest are not joined */
	/* Called for each packet that is written, in order of time. Returns 0 or -errno. */
	int (*take)(void *arg, const struct trace_packet *p);
	void *arg;
};

struct trace_join_counts {
	__u64 matched; /* runs that met a condition */
	__u64 packets; /* that were written */
	__u64 records; /* that were written, with those that were not joined */
	__u64 unjoined;
	__u64 held; /* records of packets above the limit */
};

/* A packet takes less than that from one program to the next one. */
#define TRACE_JOIN_GAP_NS 1000000000ULL

struct trace_join;

struct trace_join *trace_join__new(const struct trace_join_opts *o);
void trace_join__free(struct trace_join *j); /* j may be NULL */

/* Adds a run. Copies the record, of sz bytes. */
void trace_join__add(struct trace_join *j, int cpu, const struct bprof_record *r, size_t sz,
		     const struct join_key *key, __u64 begin_ns);
/* Says that records before that time are missing. They may belong to any packet of then. */
void trace_join__lose(struct trace_join *j, __u64 ns);
/*
 * Joins all runs that began before that time, and writes the packets that have ended. No such run may be
 * added afterwards; if one is, it counts as missing. Returns 0, or what take() returned.
 */
int trace_join__advance(struct trace_join *j, __u64 until_ns);
/* Does that for all runs. */
int trace_join__end(struct trace_join *j);

struct trace_join_counts trace_join__counts(const struct trace_join *j);

#endif
