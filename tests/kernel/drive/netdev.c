// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a veth pair with rtnetlink requests, and sends packets on it through a packet socket. Owns
 * no state. Does not know BPF.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <linux/veth.h>
#include <net/if.h>

#include "tests/kernel/drive/hang.h"
#include "tests/kernel/drive/netdev.h"

#define NSEC_PER_SEC 1000000000ULL
#define MAX_DEVICES 16
#define OPER_UP 6 /* IF_OPER_UP of linux/if.h, which conflicts with net/if.h */

struct link_info {
	int ifindex;
	int peer; /* ifindex of the veth peer; 0 for other devices */
	bool up;  /* the operational state of the device is IF_OPER_UP */
	struct rtnl_link_stats64 stats;
};

/*
 * A device on which packets are sent. Stores the counters of the device and of its peer before
 * sending. Later counters minus these show how many packets arrived or were dropped.
 */
struct sender {
	struct link_info before, peer_before;
};

size_t packet__build(void *buf, size_t sz, __u32 n)
{
	struct {
		struct ethhdr eth;
		struct iphdr ip;
		struct udphdr udp;
		char payload[22];
	} __attribute__((packed)) p = {
		.eth = {.h_dest = {2, 0, 0, 0, 0, 1},
			.h_source = {2, 0, 0, 0, 0, 2},
			.h_proto = htons(ETH_P_IP)},
		.ip = {.version = 4,
		       .ihl = 5,
		       .ttl = 64,
		       .protocol = IPPROTO_UDP,
		       .saddr = htonl(0xc6336401 + n % 200), /* 198.51.100.1 to .200, RFC 5737 */
		       .daddr = htonl(0xc0000201)},	     /* 192.0.2.1, RFC 5737 */
		.udp = {.source = htons(1024 + n % 32768), .dest = htons(9)},
	};
	__u16 *word = (__u16 *)((char *)&p + offsetof(typeof(p), ip));
	__u32 sum = 0;

	p.ip.tot_len = htons(sizeof(p) - sizeof(p.eth));
	p.udp.len = htons(sizeof(p.udp) + sizeof(p.payload));
	for (size_t i = 0; i < sizeof(p.ip) / 2; i++)
		sum += word[i];
	sum = (sum & 0xffff) + (sum >> 16);
	p.ip.check = ~(sum + (sum >> 16));
	if (sz > sizeof(p))
		sz = sizeof(p);
	memcpy(buf, &p, sz);
	return sz;
}

struct rtattr *netlink__add(struct netlink *req, int type, const void *data, size_t len)
{
	struct rtattr *attr = (void *)((char *)req + NLMSG_ALIGN(req->hdr.nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(attr), data, len);
	req->hdr.nlmsg_len = NLMSG_ALIGN(req->hdr.nlmsg_len) + RTA_ALIGN(attr->rta_len);
	return attr;
}

void netlink__end(struct netlink *req, struct rtattr *attr)
{
	attr->rta_len = (char *)req + req->hdr.nlmsg_len - (char *)attr;
}

void netlink__init(struct netlink *req, int type, int flags, const void *header, size_t len)
{
	memset(req, 0, sizeof(*req));
	memcpy(req->body, header, len);
	req->hdr.nlmsg_len = NLMSG_LENGTH(len);
	req->hdr.nlmsg_type = type;
	req->hdr.nlmsg_flags = NLM_F_REQUEST | flags;
}

/*
 * Sends the request and receives the answer (an acknowledgement or a message) into buf. Returns 0
 * or -errno.
 */
static int ask(struct netlink *req, void *buf, size_t sz)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nlmsghdr *answer = buf;
	int fd, err = 0;
	ssize_t len;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	if (sendto(fd, req, req->hdr.nlmsg_len, 0, (void *)&kernel, sizeof(kernel)) < 0 ||
	    (len = recv(fd, buf, sz, 0)) < 0)
		err = -errno;
	else if (!NLMSG_OK(answer, (size_t)len))
		err = -EBADMSG;
	else if (answer->nlmsg_type == NLMSG_ERROR)
		err = ((struct nlmsgerr *)NLMSG_DATA(answer))->error;
	close(fd);
	return err;
}

int netlink__request(struct netlink *req)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));

	req->hdr.nlmsg_flags |= NLM_F_ACK;
	return ask(req, buf, sizeof(buf));
}

static int read_link(int ifindex, struct link_info *out)
{
	/* A link with all its attributes takes some 1500 bytes. */
	char buf[16384] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *hdr = (void *)buf;
	struct ifinfomsg *link = NLMSG_DATA(hdr);
	struct ifinfomsg which = {.ifi_index = ifindex};
	struct netlink req;
	int len, err;

	memset(out, 0, sizeof(*out));
	netlink__init(&req, RTM_GETLINK, 0, &which, sizeof(which));
	err = ask(&req, buf, sizeof(buf));
	if (err)
		return err;
	if (hdr->nlmsg_type != RTM_NEWLINK)
		return -EBADMSG;
	out->ifindex = ifindex;
	len = IFLA_PAYLOAD(hdr);
	for (struct rtattr *a = IFLA_RTA(link); RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == IFLA_LINK)
			memcpy(&out->peer, RTA_DATA(a), sizeof(out->peer));
		else if (a->rta_type == IFLA_OPERSTATE)
			out->up = *(__u8 *)RTA_DATA(a) == OPER_UP;
		else if (a->rta_type == IFLA_STATS64)
			memcpy(&out->stats, RTA_DATA(a),
			       RTA_PAYLOAD(a) < sizeof(out->stats) ? RTA_PAYLOAD(a)
								   : sizeof(out->stats));
	}
	return 0;
}

/* Turns off IPv6, so that the interface does not send neighbour discovery packets. */
static int silence_ipv6(const char *name)
{
	char path[PATH_MAX];
	int fd, err = 0;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (write(fd, "1", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

int netdev__set_up(const char *name)
{
	struct ifinfomsg link = {
		.ifi_index = if_nametoindex(name), .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct netlink req;

	netlink__init(&req, RTM_NEWLINK, 0, &link, sizeof(link));
	return netlink__request(&req);
}

/*
 * Waits until the device has its carrier and can send. A device that is set up before its peer gets
 * its carrier later, from a workqueue (net/core/link_watch.c). Until then noop_enqueue() of
 * net/sched/sch_generic.c drops its packets; no error and no counter shows that.
 */
static int await_carrier(const char *name)
{
	struct timespec pause = {.tv_nsec = 1000000};
	int ifindex = if_nametoindex(name), err;
	struct link_info now;

	while (!(err = read_link(ifindex, &now)) && !now.up) {
		if (hangs())
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return err;
}

/* Adds the number of queues, unless it is 0: the kernel's default. */
static void add_queues(struct netlink *req, __u32 queues)
{
	if (!queues)
		return;
	netlink__add(req, IFLA_NUM_RX_QUEUES, &queues, sizeof(queues));
	netlink__add(req, IFLA_NUM_TX_QUEUES, &queues, sizeof(queues));
}

static int create_pair(const char *kind, const char *a, const char *b, __u32 queues)
{
	static const struct ifinfomsg any = {};
	struct rtattr *info, *data, *peer;
	struct netlink req;
	int err;

	netlink__init(&req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &any, sizeof(any));
	netlink__add(&req, IFLA_IFNAME, a, strlen(a) + 1);
	add_queues(&req, queues);
	info = netlink__add(&req, IFLA_LINKINFO, NULL, 0);
	netlink__add(&req, IFLA_INFO_KIND, kind, strlen(kind));
	data = netlink__add(&req, IFLA_INFO_DATA, NULL, 0);
	peer = netlink__add(&req, VETH_INFO_PEER /* equal to IFLA_NETKIT_PEER_INFO */, &any,
			    sizeof(any));
	netlink__add(&req, IFLA_IFNAME, b, strlen(b) + 1);
	add_queues(&req, queues);
	netlink__end(&req, peer);
	netlink__end(&req, data);
	netlink__end(&req, info);
	err = netlink__request(&req);
	if (err)
		return err;
	err = silence_ipv6(a);
	if (!err)
		err = silence_ipv6(b);
	if (!err)
		err = netdev__set_up(a);
	if (!err)
		err = netdev__set_up(b);
	if (!err)
		err = await_carrier(a);
	if (!err)
		err = await_carrier(b);
	if (err)
		veth__delete(a);
	return err;
}

int pair__create(const char *kind, const char *a, const char *b)
{
	return create_pair(kind, a, b, 0);
}

int veth__create_queues(const char *a, const char *b, __u32 queues)
{
	return create_pair("veth", a, b, queues);
}

int veth__create(const char *a, const char *b)
{
	return pair__create("veth", a, b);
}

int veth__delete(const char *name)
{
	struct ifinfomsg link = {.ifi_index = if_nametoindex(name)};
	struct netlink req;

	netlink__init(&req, RTM_DELLINK, 0, &link, sizeof(link));
	return link.ifi_index ? netlink__request(&req) : -ENODEV;
}

/*
 * Waits until all packets that were sent since s was set up have arrived at the peer or were
 * dropped. Polls, because devices send no notifications about their counters.
 */
static int await_arrival(const struct sender *s, __u64 cnt, __u64 *dropped)
{
	struct timespec pause = {.tv_nsec = 1000000};
	struct link_info now, peer;
	int err;

	while (!(err = read_link(s->before.ifindex, &now)) &&
	       !(err = read_link(s->before.peer, &peer))) {
		__u64 lost = now.stats.tx_dropped - s->before.stats.tx_dropped;

		if (peer.stats.rx_packets - s->peer_before.stats.rx_packets + lost >= cnt) {
			*dropped += lost;
			return 0;
		}
		if (hangs())
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return err;
}

static int open_senders(const char *names, struct sender *s)
{
	char *list = strdup(names), *save = NULL;
	int cnt = 0, err = list ? 0 : -ENOMEM;

	for (char *name = list ? strtok_r(list, ",", &save) : NULL; name && !err;
	     name = strtok_r(NULL, ",", &save)) {
		int ifindex = if_nametoindex(name);

		if (!ifindex || cnt == MAX_DEVICES)
			err = ifindex ? -E2BIG : -ENODEV;
		else
			err = read_link(ifindex, &s[cnt].before);
		if (!err && s[cnt].before.peer)
			err = read_link(s[cnt].before.peer, &s[cnt].peer_before);
		cnt++;
	}
	free(list);
	return err ? err : cnt ? cnt : -ENODEV;
}

/*
 * len: length of the frame, which ends with zeroes; 0: the length of a packet from packet__build()
 */
static int send_one(int fd, int ifindex, __u32 n, size_t len)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = ifindex, .sll_halen = ETH_ALEN};
	char frame[PACKET_MAX] = {};
	size_t built = packet__build(frame, sizeof(frame), n);

	/* ENOBUFS: the device dropped the packet and counted it. */
	if (sendto(fd, frame, len ?: built, 0, (void *)&to, sizeof(to)) < 0 && errno != ENOBUFS)
		return -errno;
	return 0;
}

/* If lengths is NULL, all packets have the usual length. */
static int send_packets(const char *names, __u64 cnt, __u64 rate, const __u16 *lengths,
			__u64 *dropped)
{
	struct sender s[MAX_DEVICES] = {};
	struct timespec start;
	__u64 lost = 0;
	int fd, dev_cnt, err = 0;

	dev_cnt = open_senders(names, s);
	if (dev_cnt < 0)
		return dev_cnt;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (__u64 i = 0; i < cnt && !err; i++) {
		if (rate) {
			__u64 ns = start.tv_nsec + i * NSEC_PER_SEC / rate;
			struct timespec at = {.tv_sec = start.tv_sec + ns / NSEC_PER_SEC,
					      .tv_nsec = ns % NSEC_PER_SEC};

			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		}
		for (int d = 0; d < dev_cnt && !err; d++)
			err = send_one(fd, s[d].before.ifindex, i, lengths ? lengths[i] : 0);
	}
	for (int d = 0; d < dev_cnt && !err; d++)
		if (s[d].before.peer)
			err = await_arrival(&s[d], cnt, &lost);
	close(fd);
	if (dropped)
		*dropped = lost;
	return err;
}

int packets__send(const char *names, __u64 cnt, __u64 rate, __u64 *dropped)
{
	return send_packets(names, cnt, rate, NULL, dropped);
}

int packets__send_lengths(const char *name, const __u16 *lengths, int cnt)
{
	for (int i = 0; i < cnt; i++)
		if (lengths[i] < PACKET_MIN || lengths[i] > PACKET_MAX)
			return -EINVAL;
	return send_packets(name, cnt, 0, lengths, NULL);
}
