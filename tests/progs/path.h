/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of path.bpf.c that tests need. */
#ifndef PROGS_PATH_H
#define PROGS_PATH_H

/* The programs drop one packet in this many. */
#define PATH_XDP_DROPS 3
#define PATH_TC_DROPS 5
/* The numbers of additions in the programs. */
#define PATH_XDP_INSNS 100
#define PATH_TC_INSNS 200
#define PATH_CGROUP_INSNS 300
#define PATH_FILTER_INSNS 400

/* The contents of .bss: how often each program ran, and the device to which path_clone sends copies. */
struct path_seen {
	unsigned long long xdp, tc, cgroup, filter, clone, egress;
	unsigned long long to;
};

#endif
