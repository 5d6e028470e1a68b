/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a veth pair and sends packets on it. Knows rtnetlink and packet sockets, but not BPF.
 */
#ifndef KTEST_NETDEV_H
#define KTEST_NETDEV_H

#include <stddef.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>

/*
 * Builds a 64 byte Ethernet frame: UDP over IPv4, with a source port that depends on n. Writes at
 * most sz bytes to buf and returns the number of bytes written.
 */
size_t packet__build(void *buf, size_t sz, __u32 n);

/* A request to rtnetlink: nlmsghdr, the header of the request's type, then attributes. */
struct netlink {
	struct nlmsghdr hdr;
	char body[1024];
};

void netlink__init(struct netlink *req, int type, int flags, const void *header, size_t len);
/*
 * Adds an attribute. If netlink__end() ends it, the attributes that were added in between are
 * nested in it.
 */
struct rtattr *netlink__add(struct netlink *req, int type, const void *data, size_t len);
void netlink__end(struct netlink *req, struct rtattr *attr);
/* Sends the request and waits for the acknowledgement. Returns 0 or -errno. */
int netlink__request(struct netlink *req);

/* Sets the device up. Returns 0 or -errno. */
int netdev__set_up(const char *name);

/*
 * Creates the veth pair a, b in this network namespace and sets both devices up. Returns when
 * both can send. IPv6 is off, so that the devices send no packets of their own. Returns 0 or
 * -errno.
 */
int veth__create(const char *a, const char *b);
/* Like veth__create(); each device has this many receive queues. */
int veth__create_queues(const char *a, const char *b, __u32 queues);
/* Like veth__create(), for another kind of paired device, such as "netkit". */
int pair__create(const char *kind, const char *a, const char *b);
/* Deletes a device and its veth peer. Returns 0 or -errno. */
int veth__delete(const char *name);

/*
 * Sends cnt packets on each device in names (a list "a,b"), alternating between the devices, at
 * `rate` packets per second and device (0: as fast as possible). For a veth, waits until each
 * packet has passed the peer's XDP program or was dropped before it. If dropped is not NULL, sets
 * *dropped to the number of dropped packets. Returns 0 or -errno; -ETIMEDOUT if the test hangs
 * before the peer has received the packets.
 */
int packets__send(const char *names, __u64 cnt, __u64 rate, __u64 *dropped);

/*
 * Like packets__send(), but the packets have these lengths, from PACKET_MIN to PACKET_MAX bytes with
 * the Ethernet header. Returns 0 or -errno.
 */
#define PACKET_MIN 64
#define PACKET_MAX 1500
int packets__send_lengths(const char *name, const __u16 *lengths, int cnt);

#endif
