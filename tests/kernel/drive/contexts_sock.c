// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches programs to the hooks of sockets and cgroups, and makes the calls and connections that
 * run them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <bpf/bpf.h>

#include "tests/kernel/drive/contexts_hooks.h"

int attach_cgroup(struct use *u)
{
	return use__keep(u, bpf_link_create(u->prog_fd, u->cgroup, u->hook->type, NULL));
}

int udp__open(int opt, int prog_fd)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	struct timeval wait = {.tv_sec = 30};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1, err = 0;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    (opt == SO_ATTACH_REUSEPORT_EBPF &&
	     setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on))) ||
	    (opt && setsockopt(fd, SOL_SOCKET, opt, &prog_fd, sizeof(prog_fd))) ||
	    bind(fd, (void *)&addr, sizeof(addr)))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

int attach_socket(struct use *u)
{
	u->sock[0] = udp__open(u->hook->type, u->prog_fd);
	return u->sock[0];
}

static int tcp__listen(struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	if (fd >= 0 && !bind(fd, (void *)addr, len) && !listen(fd, 8) &&
	    !getsockname(fd, (void *)addr, &len))
		return fd;
	if (fd >= 0)
		close(fd);
	return -errno;
}

static int tcp__connect(int listener, const struct sockaddr_in *addr, int pair[2])
{
	pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pair[0] < 0 || connect(pair[0], (void *)addr, sizeof(*addr)))
		return -errno;
	pair[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return pair[1] < 0 ? -errno : 0;
}

int tcp__pair(int pair[2])
{
	struct sockaddr_in addr;
	int listener = tcp__listen(&addr), err;

	if (listener < 0)
		return listener;
	err = tcp__connect(listener, &addr, pair);
	close(listener);
	return err;
}

int drive_connect(struct use *u, int cnt)
{
	struct sockaddr_in addr;
	int listener = tcp__listen(&addr), pair[2], err;

	err = use__keep(u, listener);
	for (int i = 0; i < cnt && err >= 0; i++) {
		/*
		 * With this option, close() resets the connection, so that no socket stays in
		 * TIME_WAIT.
		 */
		struct linger reset = {.l_onoff = 1};

		err = tcp__connect(listener, &addr, pair);
		if (!err)
			setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(pair[0]);
		close(pair[1]);
	}
	return err;
}

int drive_socket(struct use *u, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return -errno;
		close(fd);
	}
	return 0;
}

int drive_sockopt(struct use *u, int cnt)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), value = 1;
	socklen_t len = sizeof(value);
	int err = use__keep(u, fd);

	for (int i = 0; i < cnt && err >= 0; i++)
		if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value)) ||
		    getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, &len))
			err = -errno;
	return err;
}

int drive_read(struct use *u, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		int fd = open(u->hook->where, O_RDONLY | O_CLOEXEC);
		char buf[64];

		if (fd < 0 || read(fd, buf, sizeof(buf)) < 0)
			return -errno;
		close(fd);
	}
	return 0;
}

/* Sends cnt times on the first socket of a pair, and receives on the second one. */
static int transfer(const int pair[2], int cnt)
{
	char buf[512] = {};

	for (int i = 0; i < cnt; i++)
		if (write(pair[0], buf, sizeof(buf)) != sizeof(buf) ||
		    recv(pair[1], buf, sizeof(buf), MSG_WAITALL) != sizeof(buf))
			return -errno;
	return 0;
}

/* Copies one word of list to out. The words are separated by spaces; index 0 is the first one. */
static void word_of(const char *list, int index, char *out, size_t sz)
{
	while (index-- && (list = strchr(list, ' ')))
		list++;
	snprintf(out, sz, "%.*s", list ? (int)strcspn(list, " ") : 0, list ?: "");
}

int drive_transfer(struct use *u, int cnt)
{
	int pair[2] = {-1, -1}, err = tcp__pair(pair);
	char control[16];

	word_of(u->hook->where, u->index, control, sizeof(control));
	if (!err && setsockopt(pair[0], IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)))
		err = -errno;
	if (!err)
		err = transfer(pair, cnt);
	close(pair[0]);
	close(pair[1]);
	return err;
}

int attach_sockmap(struct use *u)
{
	int map = bpf_map_create(BPF_MAP_TYPE_SOCKMAP, NULL, sizeof(__u32), sizeof(__u32), 1, NULL);
	int err = use__keep(u, map), end = u->hook->type == BPF_SK_MSG_VERDICT ? 0 : 1;
	__u32 key = 0;

	if (err)
		return err;
	if (bpf_prog_attach(u->prog_fd, map, u->hook->type, 0))
		return -errno;
	err = tcp__pair(u->sock);
	if (err)
		return err;
	use__keep(u, u->sock[0]);
	use__keep(u, u->sock[1]);
	return bpf_map_update_elem(map, &key, &u->sock[end], BPF_ANY) ? -errno : 0;
}

int drive_sockmap(struct use *u, int cnt)
{
	return transfer(u->sock, cnt);
}
