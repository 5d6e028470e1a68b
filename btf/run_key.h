/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The keys by which the runs of a program can be divided (--by): the names of the keys, and which
 * program types have which keys. Prints nothing, and does not access the kernel.
 */
#ifndef BPROF_RUN_KEY_H
#define BPROF_RUN_KEY_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

struct prog;
struct reason;

/*
 * The names of all keys, in the order of enum run_key and in the form that option tables have for
 * choices.
 */
#define RUN_KEY_CHOICES "retval|cpu|ifindex|queue|cgroup|comm|pid"

enum run_key {
	BY_NOTHING, /* runs are not divided */
	BY_RETVAL,  /* the value that a program returns */
	BY_CPU,
	BY_IFINDEX, /* the network device that a packet is on */
	BY_QUEUE,   /* the receive queue of a packet */
	BY_CGROUP,  /* the cgroup of the task or the socket */
	BY_COMM,    /* the name of the task */
	BY_PID,	    /* the process */
	RUN_KEY_CNT
};

/*
 * A key's name in --by and in JSON, its column header in tables, and its label in exports (Prometheus,
 * pprof).
 */
struct run_key_spec {
	const char *name, *header, *label;
};

/* Returns the row of a key, or NULL for BY_NOTHING. */
const struct run_key_spec *run_key__spec(enum run_key key);
/* Returns the key with that name, or BY_NOTHING. name may be NULL. */
enum run_key run_key__find(const char *name);

/* Where the probe finds the key of a run. */
enum key_source {
	KEY_FROM_NOTHING, /* the probe reads no key, or there is no key */
	KEY_FROM_TASK,	  /* the current task */
	KEY_FROM_XDP,	  /* struct xdp_buff, the first argument */
	KEY_FROM_SKB,	  /* struct sk_buff, the first argument */
};

/* Returns true for the keys that the probe reads by the instructions of probe/key_read.h. */
bool run_key__is_read(enum run_key key);
/* Returns where the probe finds the key in the runs of a program of that type. */
enum key_source run_key__source(enum run_key key, enum bpf_prog_type type);
/*
 * Returns 0 if the runs of a function of a program can be divided by the key, else -EOPNOTSUPP with
 * *reason. func_btf_id: the function's id in the program's BTF; entry: true for the program's entry
 * function.
 */
int run_key__check(enum run_key key, const struct prog *p, __u32 func_btf_id, bool entry,
		   struct reason *reason);

#endif
