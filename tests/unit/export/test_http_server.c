// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the HTTP server over real sockets: pages, methods, negotiation, and clients that do not
 * behave. The server and its clients take turns in one thread.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "export/accept.h"
#include "export/exporter.h"
#include "tests/unit/report_models.h"

/* What prometheus 2.42 sends. */
#define PROMETHEUS                                                                    \
	"Accept: application/openmetrics-text;version=1.0.0,"                         \
	"application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;" \
	"q=0.5,*/*;q=0.1\r\n"
#define GET(path, headers) "GET " path " HTTP/1.1\r\nHost: x\r\n" headers "\r\n"

struct fixture {
	struct exporter *e;
	struct http_server *server;
	int looks;
	int look_err;
};

static int look(void *arg, struct report **out, struct timespec *from)
{
	struct fixture *f = arg;

	*from = (struct timespec){};
	*out = NULL;
	if (f->look_err)
		return f->look_err;
	*out = make_two_programs(f->looks++);
	return 0;
}

static int setup_on(void **state, const char *where, __u64 min_age_ns)
{
	static struct fixture f;
	const struct exporter_opts o = {
		.version = "1", .min_age_ns = min_age_ns, .look = look, .arg = &f};
	struct series_opts series = {.max_progs = 10, .grace_ns = 1000000000};
	struct http_address address;

	f = (struct fixture){};
	assert_int_equal(http_address__parse(where, &address, NULL), 0);
	series_bounds__set_default(&series);
	f.e = exporter__open(&o, &series);
	assert_int_equal(exporter__listen(f.e, &address), 0);
	f.server = exporter__server(f.e);
	*state = &f;
	return 0;
}

static int setup(void **state)
{
	return setup_on(state, "127.0.0.1:0", 0);
}

static int setup_ipv6(void **state)
{
	return setup_on(state, "[::1]:0", 0);
}

static int setup_min_age(void **state)
{
	return setup_on(state, "127.0.0.1:0", 3600000000000);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	exporter__close(f->e);
	return 0;
}

static int dial(const struct fixture *f)
{
	char name[HTTP_ADDRESS_SZ];
	struct http_address a;
	int fd;

	assert_int_equal(http_address__parse(http_server__address(f->server, name), &a, NULL), 0);
	fd = socket(a.addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_true(fd >= 0);
	if (connect(fd, (struct sockaddr *)&a.addr, a.len))
		assert_int_equal(errno, EINPROGRESS);
	return fd;
}

/* Lets the server work until it waits for clients, or until the client's socket is readable. */
static void serve(const struct fixture *f, int client)
{
	struct pollfd fds[] = {{.fd = http_server__fd(f->server), .events = POLLIN},
			       {.fd = client, .events = POLLIN}};

	while (poll(fds, 2, 10000) > 0 && !fds[1].revents)
		http_server__process(f->server);
	assert_true(fds[1].revents);
}

static void send_all(const struct fixture *f, int fd, const char *data, size_t sz)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	while (sz) {
		ssize_t n = send(fd, data, sz, MSG_NOSIGNAL);

		if (n > 0) {
			data += n;
			sz -= n;
			continue;
		}
		if (errno != EAGAIN)
			return; /* the server has ended the connection */
		http_server__process(f->server);
		poll(&p, 1, 10);
	}
}

/* Sends the request and returns the answer, until the server closes the connection. */
static char *ask_raw(const struct fixture *f, const char *request, size_t *sz)
{
	char *text = calloc(1, 1 << 20);
	int fd = dial(f);
	ssize_t n;

	*sz = 0;
	assert_non_null(text);
	send_all(f, fd, request, strlen(request));
	do {
		serve(f, fd);
		n = recv(fd, text + *sz, (1 << 20) - 1 - *sz, 0);
		*sz += n > 0 ? n : 0;
	} while (n > 0);
	close(fd);
	return text;
}

static char *ask(const struct fixture *f, const char *request)
{
	size_t sz;

	return ask_raw(f, request, &sz);
}

static void assert_answer(const struct fixture *f, const char *request, const char *status,
			  const char *part)
{
	char *text = ask(f, request);

	assert_int_equal(strncmp(text, "HTTP/1.1 ", 9), 0);
	assert_int_equal(strncmp(text + 9, status, 3), 0);
	assert_non_null(strstr(text, part));
	free(text);
}

static void test_pages(void **state)
{
	struct fixture *f = *state;
	char *text;

	assert_answer(f, GET("/metrics", ""), "200",
		      "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	assert_answer(f, GET("/metrics", ""), "200", "\nbprof_program_runs_total{name=\"xdp_lb\",");
	assert_answer(f, GET("/metrics?x=1", ""), "200",
		      "\n# TYPE bprof_program_runs_total counter\n");
	assert_answer(f, GET("/metrics", PROMETHEUS), "200",
		      "\r\nContent-Type: application/openmetrics-text; version=1.0.0; "
		      "charset=utf-8\r\n");
	assert_answer(f, GET("/metrics", PROMETHEUS), "200", "\n# EOF\n");
	assert_answer(f, GET("/", ""), "200", "href=\"/metrics\"");
	assert_answer(f, GET("/-/healthy", ""), "200", "\r\n\r\nhealthy\n");
	assert_answer(f, GET("/metrics/", ""), "404", "Not Found");
	assert_answer(f, GET("/etc/passwd", ""), "404", "Not Found");
	assert_answer(f, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "405",
		      "\r\nAllow: GET, HEAD\r\n");
	assert_answer(f, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", "405", "Method Not Allowed");
	text = ask(f, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_non_null(strstr(text, "\r\nContent-Length: "));
	assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");
	free(text);
	assert_int_equal(f->looks, 6);
}

static void test_gzip(void **state)
{
	struct fixture *f = *state;
	static char plain[1 << 20];
	z_stream z = {.next_out = (Bytef *)plain, .avail_out = sizeof(plain) - 1};
	size_t sz;
	char *text = ask_raw(f, GET("/metrics", "Accept-Encoding: gzip\r\n"), &sz);
	char *body = strstr(text, "\r\n\r\n") + 4;

	assert_non_null(strstr(text, "\r\nContent-Encoding: gzip\r\n"));
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = (Bytef *)body;
	z.avail_in = text + sz - body;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	assert_non_null(strstr(plain, "\nbprof_program_runs_total{name=\"xdp_lb\","));
	free(text);
	assert_answer(f, GET("/metrics", "Accept-Encoding: gzip;q=0, br\r\n"), "200",
		      "\nbprof_program_runs_total{name=\"xdp_lb\",");
}

/* Requests that come within --min-age of each other get the same numbers. */
static void test_min_age(void **state)
{
	struct fixture *f = *state;
	char *first = ask(f, GET("/metrics", "")), *second = ask(f, GET("/metrics", ""));

	assert_string_equal(strstr(first, "\r\n\r\n"), strstr(second, "\r\n\r\n"));
	assert_answer(f, GET("/metrics", PROMETHEUS), "200", "\n# EOF\n");
	assert_int_equal(f->looks, 1);
	free(first);
	free(second);
}

static void test_look_fails(void **state)
{
	struct fixture *f = *state;

	f->look_err = -ENOMEM;
	assert_answer(f, GET("/metrics", ""), "500", "Internal Server Error");
	f->look_err = 0;
	assert_answer(f, GET("/metrics", ""), "200", "bprof_export_looks_total 1\n");
}

static void test_ipv6(void **state)
{
	assert_answer(*state, GET("/-/healthy", ""), "200", "healthy");
}

/* A bad request gets a status, or just the end of the connection. */
static void assert_refused(const struct fixture *f, const char *request)
{
	char *text = ask(f, request);

	assert_true(!*text || !strncmp(text, "HTTP/1.1 4", 10));
	free(text);
}

static void test_bad_requests(void **state)
{
	struct fixture *f = *state;
	static char request[1 << 20];

	memset(request, 'a', sizeof(request) - 1);
	memcpy(request, "GET /", 5);
	assert_refused(f, request);
	memcpy(request, "GET /metrics HTTP/1.1\r\nHost: x\r\nX: ", 35);
	assert_refused(f, request);
	assert_refused(f, "nonsense\r\n\r\n");
	assert_refused(f, "\r\n\r\n\r\n\x01\x02\r\n\r\n");
	assert_answer(f, GET("/-/healthy", ""), "200", "healthy");
}

/*
 * Clients that send half a request keep nobody out: there are more of them than the server accepts,
 * and it still answers. The limit of open files must allow for both ends of the connections.
 */
static void test_crowd(void **state)
{
	enum { CNT = 1500 };
	struct fixture *f = *state;
	static int fd[CNT];
	struct rlimit limit;

	raise_fd_limit(&limit);
	for (int i = 0; i < CNT; i++) {
		fd[i] = dial(f);
		if (i % 3)
			send_all(f, fd[i], "GET /metr", 9);
	}
	assert_answer(f, GET("/-/healthy", ""), "200", "healthy");
	for (int i = 0; i < CNT; i++)
		close(fd[i]);
	assert_answer(f, GET("/metrics", ""), "200", "bprof_build_info");
}

/* ---- parsing ---- */

static void test_addresses(void **state)
{
	static const char *const good[] = {"127.0.0.1:9797", "[::1]:9797",    "localhost:1",
					   ":9797",	     "0.0.0.0:65535", "[fe80::1]:0"};
	static const struct {
		const char *arg;
		size_t pos;
	} bad[] = {{"", 0},
		   {"9797", 0},
		   {"127.0.0.1", 0},
		   {"127.0.0.1:", 10},
		   {"127.0.0.1:x", 10},
		   {"127.0.0.1:65536", 10},
		   {"host:80", 0},
		   {"::1:80", 0},
		   {"[::1:80", 0},
		   {"[]:80", 0}};
	struct http_address a;
	struct parse_error err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(http_address__parse(good[i], &a, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(http_address__parse(bad[i].arg, &a, &err), -EINVAL);
		assert_int_equal(err.pos, bad[i].pos);
	}
}

static void test_accept(void **state)
{
	static const struct {
		const char *accept;
		bool openmetrics;
	} rows[] = {
		{NULL, false},
		{"", false},
		{"*/*", false},
		{"text/html,application/xhtml+xml,*/*;q=0.8", false},
		{"application/openmetrics-text", true},
		{"Application/OpenMetrics-Text ; Version=\"1.0.0\" ; charset=utf-8", true},
		{"application/openmetrics-text;version=0.0.1", false},
		{"application/openmetrics-text;version=2.0.0,text/plain", false},
		{"application/openmetrics-text;q=0", false},
		{"application/openmetrics-text;q=0.1,text/plain;q=0.2", false},
		{"text/plain;q=0.2,application/openmetrics-text;q=0.3", true},
		{"text/plain,application/openmetrics-text", true},
		{"text/plain;q=0,text/*;q=1,application/openmetrics-text;q=0.5", true},
		{"text/*;q=0.9,application/openmetrics-text;q=0.5", false},
		{"*/*;q=0.1,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5",
		 true},
		{"x/y;a=\",application/openmetrics-text\"", false},
		{"application/openmetrics-text;q=2", false},
		{"application/openmetrics-text;q=x", false},
		{",,;;=,application/openmetrics-text;;q=1;", true},
		{"application/openmetrics-textapplication/openmetrics-textapplication/"
		 "openmetrics-text",
		 false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(accept__choose_format(rows[i].accept),
				 rows[i].openmetrics ? METRICS_OPENMETRICS : METRICS_PROMETHEUS);
	assert_true(accept__has_gzip("gzip"));
	assert_true(accept__has_gzip("br;q=1, x-gzip;q=0.5"));
	assert_true(accept__has_gzip("*"));
	assert_false(accept__has_gzip("*, gzip;q=0"));
	assert_false(accept__has_gzip("br, deflate"));
	assert_false(accept__has_gzip(NULL));
}

#define SERVER_TEST(fn, up) cmocka_unit_test_setup_teardown(fn, up, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(test_pages, setup),
		SERVER_TEST(test_gzip, setup),
		SERVER_TEST(test_min_age, setup_min_age),
		SERVER_TEST(test_look_fails, setup),
		SERVER_TEST(test_ipv6, setup_ipv6),
		SERVER_TEST(test_bad_requests, setup),
		SERVER_TEST(test_crowd, setup),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_accept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
