// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses addresses to listen on. Names of hosts are not looked up, except "localhost".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/parse_error.h"
#include "export/http_server.h"

static int set_ipv4(struct http_address *a, const char *host, __u16 port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	a->len = sizeof(*in);
	return inet_pton(AF_INET, host, &in->sin_addr) == 1 ? 0 : -EINVAL;
}

static int set_ipv6(struct http_address *a, const char *host, __u16 port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->addr;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	a->len = sizeof(*in6);
	return inet_pton(AF_INET6, host, &in6->sin6_addr) == 1 ? 0 : -EINVAL;
}

static int set_host(struct http_address *a, const char *host, __u16 port)
{
	size_t len = strlen(host);
	char inner[64];

	a->all = !len;
	if (a->all)
		return set_ipv6(a, "::", port);
	if (!strcmp(host, "localhost"))
		return set_ipv4(a, "127.0.0.1", port);
	if (host[0] != '[')
		return set_ipv4(a, host, port);
	if (host[len - 1] != ']' || len > sizeof(inner))
		return -EINVAL;
	memcpy(inner, host + 1, len - 2);
	inner[len - 2] = '\0';
	return set_ipv6(a, inner, port);
}

int http_address__parse(const char *arg, struct http_address *out, struct parse_error *err)
{
	const char *colon = strrchr(arg, ':');
	size_t host_len = colon ? (size_t)(colon - arg) : strlen(arg);
	char host[64];
	__u64 port;

	memset(out, 0, sizeof(*out));
	if (!colon)
		return parse_error__set(err, 0, host_len ?: 1,
					"the port is missing; write 127.0.0.1:9797 or [::1]:9797");
	if (parse_u64(colon + 1, 65535, &port))
		return parse_error__set(err, host_len + 1, strlen(colon + 1) ?: 1,
					"a port is a number from 0 to 65535");
	if (host_len < sizeof(host)) {
		memcpy(host, arg, host_len);
		host[host_len] = '\0';
	}
	if (host_len >= sizeof(host) || set_host(out, host, port))
		return parse_error__set(err, 0, host_len,
					"not an address; write 127.0.0.1:9797, [::1]:9797 or "
					"localhost:9797");
	return 0;
}
