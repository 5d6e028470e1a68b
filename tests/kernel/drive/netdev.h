/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A veth pair and packets on it. Knows rtnetlink and packet sockets, nothing of BPF.
 */
#ifndef KTEST_NETDEV_H
#define KTEST_NETDEV_H

#include <stddef.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>

/*
 * Builds a 64 byte Ethernet frame: UDP over IPv4, with a source port that depends on n. Writes at
 * most sz bytes to buf and returns how many.
 */
size_t packet__build(void *buf, size_t sz, __u32 n);

/* A request to rtnetlink: a header of its type, followed by attributes. */
struct netlink {
	struct nlmsghdr hdr;
	char body[1024];
};

void netlink__init(struct netlink *req, int type, int flags, const void *header, size_t len);
/* Adds an attribute. Attributes added after it are nested in it, up to netlink__end(). */
struct rtattr *netlink__add(struct netlink *req, int type, const void *data, size_t len);
void netlink__end(struct netlink *req, struct rtattr *attr);
/* Sends the request and waits for the acknowledgement. Returns 0 or -errno. */
int netlink__request(struct netlink *req);

/* Sets the device up. Returns 0 or -errno. */
int netdev__set_up(const char *name);

/*
 * Creates the veth pair a, b in this network namespace and sets both up. Neither sends by itself
 * (IPv6 is off). Returns 0 or -errno.
 */
int veth__create(const char *a, const char *b);
/* Like veth__create(), for another kind of device that comes in pairs: "netkit". */
int pair__create(const char *kind, const char *a, const char *b);
/* Deletes a device, and with it its veth peer. Returns 0 or -errno. */
int veth__delete(const char *name);

/*
 * Sends cnt packets on each of the devices (a list "a,b") by turns, rate of them per second on each
 * (0: as fast as possible). For a veth, returns when each packet has been through the peer's XDP
 * program or was dropped before; *dropped, if not NULL, is the number dropped. Returns 0 or -errno;
 * -ETIMEDOUT if the peer has not taken them within 30 s.
 */
int packets__send(const char *names, __u64 cnt, __u64 rate, __u64 *dropped);

#endif
