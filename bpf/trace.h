/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof trace: what the probe (probe_trace.bpf.h) and user space share.
 */
#ifndef BPROF_TRACE_H
#define BPROF_TRACE_H

#include <linux/types.h>

#include "probe.h"

#define BPROF_TRACE_RETVALS 8
#define BPROF_TRACE_STACK_SZ (32 * sizeof(__u64))
#define BPROF_TRACE_SNAP_MAX 16384

/* What a target's first argument is. */
enum bprof_packet_kind { BPROF_NO_PACKET, BPROF_XDP_BUFF, BPROF_SK_BUFF };

/* Where things are in the kernel's structs, in bytes, as its BTF says. */
struct bprof_packet_offsets {
	__u32 xdp_data;
	__u32 xdp_data_end;
	__u32 xdp_hard_start;
	__u32 xdp_frame_sz;
	__u32 xdp_flags; /* since Linux 5.18; 0: a packet is in one piece */
	__u32 info_sz;	 /* struct skb_shared_info, aligned: it ends the frame */
	__u32 info_frags_sz;
	__u32 skb_data;
	__u32 skb_len;
	__u32 skb_data_len;
};

/*
 * The probe's constant "bprof_trace": a run is recorded if any of this is true of it. A slot's bound
 * is beyond +-2^62 where there is none.
 */
struct bprof_trace_config {
	__u32 slots;		  /* those with a condition, a bit for each */
	__u32 retvals;		  /* some target has such a condition */
	__u64 every;		  /* one run in so many; 0: none */
	__s64 over[BPROF_SLOTS];  /* net cost > over */
	__s64 under[BPROF_SLOTS]; /* net cost < under */
	__u64 limit;		  /* records of a target on a CPU in a second */
	__u64 stack_sz;		  /* BPROF_TRACE_STACK_SZ, or 0 */
	__u64 snap;		  /* bytes of the packet */
	struct bprof_packet_offsets at;
};

#define BPROF_TRACE_NO_BOUND (1LL << 62)

/* Which conditions were true: a bit for each slot, and these. */
#define BPROF_WHY_RETVAL (1U << 30)
#define BPROF_WHY_EVERY (1U << 31)

struct bprof_record {
	__u64 ns; /* CLOCK_MONOTONIC, after the run */
	__u64 pid_tgid;
	char comm[16];
	__u32 target; /* its index */
	__u32 retval;
	__u32 why;
	__u32 failed; /* slots that could not be read, a bit for each */
	__u32 packet_sz;
	__u32 snapped; /* of that, bytes that are in data */
	__u32 in_parts; /* 1: there is more of the packet than the first, linear part, which data is of */
	__u32 stack_sz; /* of bprof_trace_config.stack_sz, bytes that are filled */
	__s64 net[BPROF_SLOTS];
	__u8 data[]; /* the stack, then the packet */
};

/*
 * Of a target on a CPU, behind its struct bprof_cpu_stat, where there are no distributions. One
 * writer, as there.
 */
struct bprof_trace_cpu {
	/* user space */
	__u64 armed;
	__u32 target;
	__u32 packet;			   /* enum bprof_packet_kind */
	__u64 ret_at;			   /* from ctx to the return value */
	__u64 retval[BPROF_TRACE_RETVALS]; /* ~0: none, for those have 32 bits */
	/* exit */
	__u64 countdown;
	__u64 second;  /* when the one began that the limit is for; ns */
	__u64 used;    /* of the limit */
	__u64 matched; /* = records + held + lost */
	__u64 records;
	__u64 held; /* back, by the limit */
	__u64 lost; /* there was no room in the ring buffer, or no ring buffer */
	__u64 scratch;
	struct bprof_record record;
};

#endif
