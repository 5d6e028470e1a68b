// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the requests to bprof export, through sockets. "make fuzz" runs it.
 *
 * Input: a byte that says how much of the request is sent at first, then the request.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "export/exporter.h"
#include "report/report.h"
#include "tests/fuzz/small_report.h"
#include "tests/fuzz/world.h"

static struct exporter *exporter;
static struct sockaddr_in address = {.sin_family = AF_INET};

static int look(void *arg, struct report **out, struct timespec *from)
{
	struct report_error err;
	FILE *in = fmemopen((void *)small_report, sizeof(small_report) - 1, "r");

	require(in && !report__read_all(in, out, &err));
	fclose(in);
	*from = (struct timespec){1767225600};
	return 0;
}

static void stop(void)
{
	exporter__close(exporter);
}

static void start(void)
{
	const struct exporter_opts opts = {.version = "1", .min_age_ns = ~0ULL / 2, .look = look};
	struct series_opts series = {.max_progs = 10};
	char text[HTTP_ADDRESS_SZ];
	struct http_address a;

	world_net = true;
	require(!http_address__parse("127.0.0.1:0", &a, NULL));
	series_bounds__set_default(&series);
	exporter = exporter__open(&opts, &series);
	require(!exporter__look(exporter) && !exporter__listen(exporter, &a));
	http_server__address(exporter__server(exporter), text);
	address.sin_port = htons(atoi(strchr(text, ':') + 1));
	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	atexit(stop);
}

/* Lets the server work. Returns true when the connection has ended. */
static bool has_ended(int fd)
{
	char answer[4096];
	ssize_t n;

	http_server__process(exporter__server(exporter));
	do {
		n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
	} while (n > 0);
	return !n || errno != EAGAIN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	const struct linger reset = {.l_onoff = 1};
	struct bytes in = {data, sz};
	size_t first;
	int fd;

	if (!exporter)
		start();
	first = in.sz ? bytes__u8(&in) % (in.sz + 1) : 0;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	require(fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)));
	send(fd, in.at, first, MSG_NOSIGNAL | MSG_DONTWAIT);
	has_ended(fd);
	send(fd, in.at + first, in.sz - first, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 8 && !has_ended(fd); i++)
		;
	/* so that no port stays in use after the connection */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
	http_server__process(exporter__server(exporter));
	return 0;
}
