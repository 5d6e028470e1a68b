// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends frames through a packet socket, and makes a tun device. Does not know what is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "tests/kernel/drive/frames.h"
#include "tests/kernel/drive/netdev.h"

#define TUN "tun0"
#define TCX_EGRESS 47 /* an attach type that this libbpf may not define yet */

int frames__send(const char *device, const char *hex, __u64 cnt)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(device)};
	char frame[64] = {}, digits[3] = {};
	int fd, err = 0;

	if (!to.sll_ifindex || strlen(hex) > 2 * sizeof(frame))
		return -EINVAL;
	for (size_t i = 0; hex[2 * i] && hex[2 * i + 1]; i++) {
		memcpy(digits, hex + 2 * i, 2);
		frame[i] = strtoul(digits, NULL, 16);
	}
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	for (__u64 i = 0; i < cnt && !err; i++)
		/* ENOBUFS: the program dropped the frame. */
		if (sendto(fd, frame, sizeof(frame), 0, (void *)&to, sizeof(to)) < 0 &&
		    errno != ENOBUFS)
			err = -errno;
	close(fd);
	return err;
}

static int make_tun(void)
{
	struct ifreq req = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = TUN};
	/* keep it open, because the device needs it */
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, TUNSETIFF, &req))
		return -errno;
	return netdev__set_up(TUN);
}

int tun__attach(__u32 prog_id)
{
	int prog = bpf_prog_get_fd_by_id(prog_id), err;

	if (prog < 0 || unshare(CLONE_NEWNET))
		return -errno;
	err = make_tun();
	if (err)
		return err;
	return bpf_link_create(prog, if_nametoindex(TUN), TCX_EGRESS, NULL) < 0 ? -errno : 0;
}
