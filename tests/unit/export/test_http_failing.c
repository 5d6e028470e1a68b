// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the start of the HTTP server with each of its calls failing: it says why it cannot start,
 * and leaves no descriptor open.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "export/http_server.h"
#include "tests/unit/base/failing_calls.h"
#include "tests/unit/capture.h"
#include "tests/unit/open_fds.h"

static bool no_ipv6;
static int v6only; /* the value of IPV6_V6ONLY that was set; -1: none was set */

int socket(int domain, int type, int protocol)
{
	typeof(socket) *real = (typeof(socket) *)dlsym(RTLD_NEXT, "socket");

	if (call_fails())
		return -1;
	errno = EAFNOSUPPORT;
	return no_ipv6 && domain == AF_INET6 ? -1 : real(domain, type, protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	typeof(setsockopt) *real = (typeof(setsockopt) *)dlsym(RTLD_NEXT, "setsockopt");

	if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY)
		v6only = *(const int *)value;
	return real(fd, level, name, value, len);
}

REPLACE(int, -1, bind, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len))
REPLACE(int, -1, listen, (int fd, int backlog), (fd, backlog))
REPLACE(int, -1, epoll_create1, (int flags), (flags))
REPLACE(int, -1, epoll_ctl, (int fd, int op, int of, struct epoll_event *event),
	(fd, op, of, event))
REPLACE(int, -1, timerfd_create, (int clock, int flags), (clock, flags))

static const struct http_page pages[] = {{}};

static int open_and_close(void)
{
	struct http_address address;
	struct http_server *s;
	int err;

	assert_int_equal(http_address__parse("127.0.0.1:0", &address, NULL), 0);
	err = http_server__open(&address, pages, NULL, &s);
	assert_true(!err == !!s);
	http_server__close(s);
	return err;
}

static void test_calls(void **state)
{
	int fds = count_fds(), failed = 0;

	for (int n = 0; n < 100; n++) {
		struct capture c;
		char *text;
		int err;

		capture__begin(&c, stderr);
		call_failed = false;
		calls_left = n;
		err = open_and_close();
		calls_left = -1;
		text = capture__end(&c);
		assert_int_equal(count_fds(), fds);
		/* MHD ignores the failure of some calls. */
		if (err) {
			assert_true(call_failed);
			assert_true(strstr(text, "cannot open a socket: ") ||
				    strstr(text, "cannot listen on 127.0.0.1:0: ") ||
				    strstr(text, "cannot start the HTTP server: "));
			failed++;
		}
		free(text);
		if (!call_failed) {
			assert_true(!err && failed >= 6);
			return;
		}
	}
	fail_msg("more calls than expected");
}

/* ":0" means all addresses: those of IPv6 and IPv4, or only of IPv4 if the kernel has no IPv6. */
static void test_all_addresses(void **state)
{
	struct http_address address;
	char text[HTTP_ADDRESS_SZ];
	struct http_server *s;

	assert_int_equal(http_address__parse(":0", &address, NULL), 0);
	no_ipv6 = true;
	assert_int_equal(http_server__open(&address, pages, NULL, &s), 0);
	assert_int_equal(strncmp(http_server__address(s, text), "0.0.0.0:", 8), 0);
	http_server__close(s);
	no_ipv6 = false;
	v6only = -1;
	/* A machine for tests may have no IPv6. */
	assert_int_equal(http_server__open(&address, pages, NULL, &s), 0);
	if (!strncmp(http_server__address(s, text), "[::]:", 5))
		assert_int_equal(v6only, 0);
	http_server__close(s);
	assert_int_equal(http_address__parse("[::]:0", &address, NULL), 0);
	assert_false(address.all);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_all_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
