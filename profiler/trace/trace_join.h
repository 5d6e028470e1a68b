/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Joins the records of one packet (bprof trace --join). Needs a record of each run, and sorts the
 * runs by time. Runs with the same packet memory belong to the same packet, unless the memory may
 * hold another packet by then: the kernel uses the same memory again for later packets. A run that
 * may belong to either of two packets is not joined.
 */
#ifndef BPROF_TRACE_JOIN_H
#define BPROF_TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/trace_probe.h"

/* Identifies the packet of a run. */
struct join_key {
	__u64 head; /* address of the packet's memory; 0: it could not be read */
	__u64 skb;  /* address of the kernel's struct sk_buff; 0: an XDP program has none */
	__u64 sk;   /* the socket to which the packet belongs; 0: none */
	/* the device on which the packet has arrived; 0: it is sent from this machine */
	__u32 ifindex;
	/* addresses of the device on which the run was, and of its network namespace; 0: not known */
	__u64 dev, net;
	bool dropped; /* after the run, only runs at the same place can belong to the packet */
	/*
	 * The place of the run's program on the packet's way through the kernel. The places of a
	 * packet's runs never decrease. -1: no other run belongs to the same packet.
	 */
	int order;
};

struct join_run {
	int cpu;
	/* when the run began, and its number among the runs that began at the same time */
	__u64 begin_ns, number;
	struct join_key key;
	size_t sz; /* of the record */
	struct bprof_record *r;
};

/* Runs that are written together. */
struct trace_packet {
	__u64 number; /* 0: a single run that is not joined */
	struct join_run *run;
	int cnt;
};

struct trace_join_opts {
	/* write one packet in this many; 0: only those with a run that meets a condition */
	__u64 every;
	__u64 limit;   /* the most packets that are written per second */
	size_t memory; /* in bytes; if the runs of packets take more, the oldest are not joined */
	/* Called for each packet that is written, in order of time. Returns 0 or -errno. */
	int (*take)(void *arg, const struct trace_packet *p);
	void *arg;
};

struct trace_join_counts {
	__u64 matched; /* runs for which a condition was true */
	__u64 packets; /* packets that were written */
	__u64 records; /* records that were written, including those that were not joined */
	__u64 unjoined;
	__u64 held; /* records that were not written because of the limit */
};

/* A packet takes less time than this from one program to the next. */
#define TRACE_JOIN_GAP_NS 1000000000ULL

struct trace_join;

struct trace_join *trace_join__new(const struct trace_join_opts *o);
void trace_join__free(struct trace_join *j); /* j may be NULL */

/* Adds a run. Copies the record, of sz bytes. */
void trace_join__add(struct trace_join *j, int cpu, const struct bprof_record *r, size_t sz,
		     const struct join_key *key, __u64 begin_ns);
/* Notes that records before this time are missing. They may belong to any packet of that time. */
void trace_join__lose(struct trace_join *j, __u64 ns);
/*
 * Joins all runs that began before this time, and writes the packets that have ended. Afterwards,
 * do not add a run that began before this time: it would count as missing. Returns 0, or what
 * take() returned.
 */
int trace_join__advance(struct trace_join *j, __u64 until_ns);
/* Joins all runs, and writes all packets. */
int trace_join__end(struct trace_join *j);

struct trace_join_counts trace_join__counts(const struct trace_join *j);

#endif
