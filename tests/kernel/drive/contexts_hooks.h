/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between contexts.c, which has the table of hooks, and the files that attach
 * programs and drive hooks: contexts_net.c (devices and packets), contexts_sock.c (sockets and
 * cgroups), contexts_trace.c (tracing).
 */
#ifndef KTEST_CONTEXTS_HOOKS_H
#define KTEST_CONTEXTS_HOOKS_H

#include "tests/kernel/drive/contexts.h"

#define MAX_USE_FDS 16

/* One program that is attached to a hook. */
struct use {
	const struct hook *hook;
	int prog_fd;
	int index;	     /* the program's position in ids of context__use() */
	int fd[MAX_USE_FDS]; /* links, events and sockets; they are closed at the end */
	int fd_cnt;
	int cgroup;  /* the process's cgroup; -1 if the hook needs none */
	int sock[2]; /* for drive() */
	int link;    /* for drive() */
};

enum { NEEDS_NET = 1, NEEDS_VETH = 2, NEEDS_NETKIT = 4, NEEDS_CGROUP = 8 };

struct hook {
	int (*attach)(struct use *u);
	int (*drive)(struct use *u, int cnt);
	void (*detach)(struct use *u); /* removes attachments that outlive u->fd; or NULL */
	unsigned int needs;
	int type;	   /* enum bpf_attach_type, unless attach() defines another meaning */
	const char *where; /* name of a device, a function, ... for attach() or drive() */
};

/* The two devices of the pair: packets go from TX to RX. */
#define TX "ctx0"
#define RX "ctx1"

/*
 * Stores fd in u->fd, so that it is closed after the hook was used. Returns 0, -E2BIG, or -errno if
 * fd is negative.
 */
int use__keep(struct use *u, int fd);

/* Functions of contexts_net.c. */
int attach_device(struct use *u); /* hook->type is the attach type, hook->where is the device */
int attach_generic_xdp(struct use *u);
int attach_clsact(struct use *u);      /* hook->type is an enum bpf_tc_attach_point */
int attach_both_clsact(struct use *u); /* attaches the program to egress of TX and ingress of RX */
void detach_both_clsact(struct use *u);
int attach_cpumap(struct use *u);
int attach_netns(struct use *u);
int attach_netfilter(struct use *u);
int attach_action(struct use *u); /* attaches the program as an action on ingress of a device */
int attach_route(struct use *u);  /* hook->type is LWT_BPF_..., hook->where is the destination */
void detach_clsact(struct use *u);
int drive_udp(struct use *u, int cnt);
int drive_pair(struct use *u, int cnt);
int drive_redirected(struct use *u, int cnt);
int drive_route(struct use *u, int cnt);

/* Functions of contexts_sock.c. */
int attach_cgroup(struct use *u);
/* Attaches the program to the receiver of drive_udp(); hook->type is SO_ATTACH_... */
int attach_socket(struct use *u);
/* hook->type is the attach type. It also selects the socket that is put in the map. */
int attach_sockmap(struct use *u);
int drive_sockmap(struct use *u, int cnt);
int drive_connect(struct use *u, int cnt);
int drive_socket(struct use *u, int cnt);
int drive_sockopt(struct use *u, int cnt);
int drive_read(struct use *u, int cnt); /* opens and reads the file hook->where */
/* hook->where lists the congestion controls, one for each program, separated by spaces: "a b". */
int drive_transfer(struct use *u, int cnt);
/*
 * Opens a UDP socket that is bound to a free port of the loopback device. If opt is not 0, attaches
 * the program to the socket with this option. Returns the descriptor or -errno.
 */
int udp__open(int opt, int prog_fd);
/* Connects a pair of TCP sockets on the loopback device. */
int tcp__pair(int pair[2]);

/* Functions of contexts_trace.c. */
int attach_raw_tp(struct use *u); /* hook->where is the name of the tracepoint */
int attach_mixed_raw_tp(struct use *u);
int attach_tracing(struct use *u);
int attach_iter(struct use *u);
/* hook->where is the function; hook->type is 1 for a return probe, or 0. */
int attach_probe(struct use *u);
int attach_breakpoint(struct use *u); /* hook->where is the function */
void detach_breakpoint(struct use *u);
int attach_uprobe(struct use *u);
int attach_tracepoint(struct use *u); /* hook->where is a path below events/ of tracefs */
int attach_clock(struct use *u);
int attach_counter(struct use *u);
/* hook->where is the function; hook->type is BPF_F_KPROBE_MULTI_RETURN or 0. */
int attach_probes(struct use *u);
int attach_nothing(struct use *u);
int drive_getsid(struct use *u, int cnt);
int drive_rename(struct use *u, int cnt);
int drive_iter(struct use *u, int cnt);
int drive_uprobe(struct use *u, int cnt);
int drive_spin(struct use *u, int cnt);
int drive_sleep(struct use *u, int cnt);
int drive_test_run(struct use *u, int cnt);
int drive_other_test_run(struct use *u, int cnt);

#endif
