/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof trace: the types that the probe (probe_trace.bpf.h) and user space share.
 */
#ifndef BPROF_TRACE_H
#define BPROF_TRACE_H

#include <linux/types.h>

#include "probe.h"

/* BPROF_SLOTS of the probes that trace. Other probes do not read the trace state. */
#define BPROF_TRACE_SLOTS (BPROF_MAX_EVENTS + 1)
#define BPROF_TRACE_RETVALS 8
#define BPROF_TRACE_STACK_SZ (32 * sizeof(__u64))
#define BPROF_TRACE_SNAP_MAX 16384

/* The type of the packet to which a target's first argument points. */
enum bprof_packet_kind { BPROF_NO_PACKET, BPROF_XDP_BUFF, BPROF_SK_BUFF };

/* Byte offsets of members of kernel structs, taken from the kernel's BTF. */
struct bprof_packet_offsets {
	__u32 xdp_data;
	__u32 xdp_data_end;
	__u32 xdp_hard_start;
	__u32 xdp_frame_sz;
	__u32 xdp_flags; /* offset of flags; 0 before Linux 5.18, where packets have no fragments */
	/* aligned size of struct skb_shared_info, which is at the end of the frame */
	__u32 info_sz;
	__u32 info_frags_sz;
	__u32 skb_data;
	__u32 skb_len;
	__u32 skb_data_len;
	__u32 xdp_rxq; /* in struct xdp_buff; rxq_dev is in struct xdp_rxq_info */
	__u32 rxq_dev;
	__u32 skb_dev;
	__u32 dev_type;
	__u32 skb_vlan; /* offset of vlan_proto; vlan_tci comes directly after it */
	/*
	 * Before Linux 6.2 (354259fa73e2), a bit shows whether the tag is valid. The mask is 0 if
	 * the kernel has no such bit: then a tag is valid if it is not 0.
	 */
	__u32 skb_vlan_present;
	__u32 skb_vlan_mask;
};

/*
 * Arguments of the target (--arg). For each target, user space makes a list of reads of the kernel's
 * memory. The first read of an argument starts from the address of the arguments that the target's
 * trampoline has saved. Each further read starts from the pointer that the previous read got.
 */
#define BPROF_TRACE_ARGS 16  /* a power of two */
#define BPROF_TRACE_READS 64 /* for all arguments together; a power of two */
#define BPROF_ARG_SZ 16	     /* room for a value in a record */

struct bprof_arg_read {
	__u32 offset;
	__u8 size; /* 1 to BPROF_ARG_SZ bytes */
	__u8 arg;  /* index of the argument */
	__u8 kind;
#define BPROF_READ_POINTER 0
#define BPROF_READ_VALUE 1
#define BPROF_READ_MINUS 2  /* subtract the value from the argument's value, which is read next */
#define BPROF_READ_CGROUP 3 /* the value is the id of the task's cgroup */
	__u8 pad;
};

/*
 * How the probe handles a value of up to 8 bytes. It shifts the value to the left and then to the right,
 * which extracts a bit field, and extends the sign of a signed value. Then it compares the value.
 */
struct bprof_arg_spec {
	__u8 left, right;
	__u8 when; /* when the condition is true: a mask of the bits below; 0: no condition */
#define BPROF_ARG_LESS 1
#define BPROF_ARG_EQUAL 2
#define BPROF_ARG_GREATER 4
#define BPROF_ARG_HAS_BITS 8 /* the value and the operand have a bit in common */
	__u8 pad;
	__u32 mask;  /* the argument's bit */
	__u64 sign;  /* the highest bit of a signed value; else 0 */
	__u64 order; /* bit 63 of a signed value; else 0 */
	__u64 operand;
};

/*
 * The probe's constant "bprof_trace": a run is recorded if any of these conditions is true. If a
 * slot has no upper bound, its "over" is BPROF_TRACE_NO_BOUND. If it has no lower bound, its
 * "under" is -BPROF_TRACE_NO_BOUND.
 */
struct bprof_trace_config {
	__u32 slots;   /* mask of the slots that have a fixed bound */
	__u32 retvals; /* 1 if some target has a condition on its return value */
	/* one run in "every" is recorded; 0: no such condition */
	__u64 every;
	__s64 over[BPROF_TRACE_SLOTS];	/* record if net > over */
	__s64 under[BPROF_TRACE_SLOTS]; /* record if net < under */
	/*
	 * follows: the slot whose upper bound (bprof_trace_cpu.over) is a percentile of the runs so far.
	 * words_off: the offset of the words of this slot's distribution from struct bprof_trace_cpu, in
	 * bytes; 0: there is no such slot.
	 */
	__u32 follows, words_off;
	__u64 limit;			/* maximum number of records per target, CPU and second */
	__u64 stack_sz;			/* BPROF_TRACE_STACK_SZ if stacks are recorded, else 0 */
	__u64 snap;			/* maximum number of bytes of the packet to record */
	struct bprof_packet_offsets at; /* all 0: packets are not read */
	/* The number of rows of struct bprof_shares that are used; 0: targets are not nested. */
	__u32 rows;
	/*
	 * args: the number of arguments in a record; arg_conds: 1 if any of these arguments has a
	 * condition
	 */
	__u32 args, arg_conds;
	__u32 cgroups; /* 1 if there is a BPROF_READ_CGROUP: only user space reads this */
};

#define BPROF_TRACE_NO_BOUND (1LL << 62)

/*
 * Bits of bprof_record.why: bit i is set if the condition of slot i is true. The bits below are for
 * the conditions that have no slot.
 */
#define BPROF_WHY_ARG (1U << 29)
#define BPROF_WHY_RETVAL (1U << 30)
#define BPROF_WHY_EVERY (1U << 31)

struct bprof_record {
	__u64 ns; /* time of CLOCK_MONOTONIC after the run */
	__u64 pid_tgid;
	char comm[16];
	__u32 target; /* index of the target */
	__u32 retval;
	__u32 why;
	__u32 failed; /* mask of the slots that could not be read */
	__u32 packet_sz;
	__u32 snapped; /* number of bytes of the packet in data */
	/* 1 if the packet continues after its linear part; data is only from the linear part */
	__u32 in_parts;
	/* size of the recorded stack; data has room for bprof_trace_config.stack_sz */
	__u32 stack_sz;
	/* The VLAN tag that the kernel keeps beside the packet. Both members are 0 if there is no tag. */
	__u16 vlan_proto; /* in network byte order */
	__u16 vlan_tci;
	__u32 dev_type; /* type of the packet's device (ARPHRD_...) */
	/* masks: the arguments that could be read; the arguments whose condition is true */
	__u32 args, args_true;
	__s64 net[BPROF_TRACE_SLOTS];
	/* BPROF_ARG_SZ bytes for each argument, then the stack, then the packet */
	__u8 data[];
};

/*
 * The state of tracing one target on one CPU. It is at the end of the target's struct
 * bprof_cpu_stat, in place of the distributions. Each field has one writer, as in struct
 * bprof_cpu_stat. If a bound is a percentile, the BPROF_HIST_BUCKETS words of the slot's
 * distribution come after the record's data.
 */
struct bprof_trace_cpu {
	/* These fields are written by user space. */
	__u64 armed;
	__u32 target;
	__u32 packet;			   /* enum bprof_packet_kind */
	__u64 retval[BPROF_TRACE_RETVALS]; /* return values to record (32 bits); ~0: unused */
	__s64 over;			   /* the bound of the slot that follows a percentile */
	__u64 row;			   /* the target's row of struct bprof_shares */
	__u64 read_cnt;
	struct bprof_arg_read read[BPROF_TRACE_READS];
	struct bprof_arg_spec arg[BPROF_TRACE_ARGS];
	/* The exit probe writes all fields from here on. */
	__u64 countdown;
	__u64 second;  /* start of the second to which the limit currently applies, in ns */
	__u64 used;    /* records in the current second */
	__u64 matched; /* runs that met a condition: records + held + lost */
	__u64 records;
	__u64 held; /* runs dropped because of the limit */
	__u64 lost; /* runs dropped because the ring buffer was full or missing */
	__u64 scratch;
	/*
	 * While the probe reads arguments: the address of the next read (later the address of the
	 * packet); whether a read has failed; the number to subtract; and the value.
	 */
	__u64 arg_at, arg_failed, arg_minus, arg_value[2 * BPROF_ARG_SZ / sizeof(__u64)];
	/*
	 * With shares: the number of measured runs whose outermost target this is, and the costs of
	 * the runs that met a condition.
	 */
	__u64 outermost;
	__s64 net[BPROF_TRACE_SLOTS];
	/*
	 * bprof_event_sum.self at the end of the previous call: the increase since then is the cost
	 * of a call
	 */
	__s64 self[BPROF_TRACE_SLOTS];
	struct bprof_record record;
};

/*
 * Shares. If targets are nested, the probe records only runs of the outermost target. It adds up what
 * each function cost in the runs that met a condition, so that user space can tell in which functions
 * these runs differ from all runs. Each target has a row.
 */
#define BPROF_SHARES 64
/* The row of the calls for which there is no target (struct bprof_pieces). Nobody reads it. */
#define BPROF_NO_SHARE (BPROF_SHARES - 1)

/* A function's self cost, and how often it was called. The exit probes write all members. */
struct bprof_share {
	__u64 number; /* number of the run (bprof_run.number); values of another run count as 0 */
	__u64 calls;
	__s64 self[BPROF_TRACE_SLOTS];
	/* the sums over the runs that met a condition */
	struct bprof_matching {
		__u64 calls;
		__s64 self[BPROF_TRACE_SLOTS];
	} matching;
};

/*
 * A CPU's element of the map "bprof_runs", with shares. Each element for a run has rows of its own, so
 * that the rows of runs that interrupt one another do not mix.
 */
struct bprof_shares {
	struct bprof_cpu_runs runs;
	struct bprof_share row[BPROF_RUNS][BPROF_SHARES];
};

#endif
