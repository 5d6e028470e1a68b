/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A veth pair and packets on it. Knows rtnetlink and packet sockets, nothing of BPF.
 */
#ifndef KTEST_NETDEV_H
#define KTEST_NETDEV_H

#include <stddef.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>

/* A 64 byte Ethernet frame: UDP over IPv4, source port by n. Writes at most sz bytes to buf,
 * returns how many. */
size_t packet__build(void *buf, size_t sz, __u32 n);

/* A request to rtnetlink: a header of its type, then attributes. */
struct netlink {
	struct nlmsghdr hdr;
	char body[1024];
};

void netlink__init(struct netlink *req, int type, int flags, const void *header, size_t len);
/* Adds an attribute. What is added after it lies in it, up to netlink__end(). */
struct rtattr *netlink__add(struct netlink *req, int type, const void *data, size_t len);
void netlink__end(struct netlink *req, struct rtattr *attr);
/* Sends it and waits for the acknowledgement. 0 or -errno. */
int netlink__request(struct netlink *req);

/* Sets the device up. 0 or -errno. */
int netdev__set_up(const char *name);

/* Creates the veth pair a, b in this network namespace and sets both up. Neither talks by itself
 * (no IPv6 there). 0 or -errno. */
int veth__create(const char *a, const char *b);
/* The same of another kind of device that comes in pairs: "netkit". */
int pair__create(const char *kind, const char *a, const char *b);
/* Deletes a device, and with it its veth peer. 0 or -errno. */
int veth__delete(const char *name);

/*
 * Sends cnt packets on each of the devices (a list "a,b"), by turns, rate of them per second on
 * each (0: as fast as it goes). For a veth, returns when its peer has dealt with all of them: each
 * has been through the peer's XDP program or was dropped before. *dropped, if not NULL, is how
 * many were. 0 or -errno; -ETIMEDOUT when the peer has not taken them within 30 s.
 */
int packets__send(const char *names, __u64 cnt, __u64 rate, __u64 *dropped);

#endif
