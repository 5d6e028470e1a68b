// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The HTTP server, on libmicrohttpd. Owns the limits for clients. Must not know what the pages are.
 *
 * Each connection serves one request, so the age of a connection is the time that its request has
 * taken. A client that is slower than its limit, in sending or in reading, loses its connection. So
 * clients that hold connections cannot keep others out for long.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "export/http_server.h"

#define MAX_CONNECTIONS 512
/*
 * Memory for the request line and headers of a connection's request, and for the headers of its
 * answer.
 */
#define CONNECTION_SZ (16 << 10)
/*
 * The maximum time for a request and its answer, and the maximum time if at least half of
 * MAX_CONNECTIONS are open.
 */
#define TIME_LIMIT_NS (10000 * NSEC_PER_MSEC)
#define CROWDED_LIMIT_NS (250 * NSEC_PER_MSEC)
/* While there are connections, their age is checked at this interval. */
#define CHECK_NS (100 * NSEC_PER_MSEC)
/* Maximum number of connections that wait until they are accepted. The kernel has its own limit, too. */
#define BACKLOG 4096

/* A connection. All connections are in a list, the oldest first. */
struct connection {
	struct connection *prev, *next;
	int fd;
	__u64 since_ns;
	bool ended;
};

struct http_server {
	const struct http_page *pages;
	void *arg;
	int listen_fd, epoll_fd, timer_fd;
	struct MHD_Daemon *daemon;
	struct connection *oldest, *newest;
	int connection_cnt;
	__u64 requests;
};

/* ---- bodies ---- */

struct http_body {
	struct MHD_Response *response; /* MHD counts the clients to which it is sent */
	int refs;
};

/* Adds a header unless value is NULL. */
static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
	if (value && MHD_add_response_header(r, name, value) != MHD_YES)
		out_of_memory();
}

struct http_body *http_body__new(const char *type, const char *encoding, char *text, size_t sz)
{
	struct http_body *body = xcalloc(1, sizeof(*body));
	struct MHD_Response *r = MHD_create_response_from_buffer(sz, text, MHD_RESPMEM_MUST_FREE);

	if (!r)
		out_of_memory();
	body->response = r;
	body->refs = 1;
	add_header(r, "Content-Type", type);
	add_header(r, "Content-Encoding", encoding);
	add_header(r, "Vary", "Accept, Accept-Encoding");
	add_header(r, "Connection", "close");
	return body;
}

struct http_body *http_body__get(struct http_body *body)
{
	body->refs++;
	return body;
}

void http_body__put(struct http_body *body)
{
	if (!body || --body->refs)
		return;
	MHD_destroy_response(body->response);
	free(body);
}

/* ---- requests ---- */

static enum MHD_Result answer(struct http_server *s, struct MHD_Connection *connection,
			      unsigned int status, struct http_body *body)
{
	enum MHD_Result ret;

	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		add_header(body->response, "Allow", "GET, HEAD");
	ret = MHD_queue_response(connection, status, body->response);
	http_body__put(body);
	s->requests++;
	return ret;
}

static enum MHD_Result answer_error(struct http_server *s, struct MHD_Connection *connection,
				    unsigned int status)
{
	const char *phrase = MHD_get_reason_phrase_for(status);
	char *text = xmalloc(strlen(phrase) + 2);

	strcat(strcpy(text, phrase), "\n");
	return answer(s, connection, status,
		      http_body__new("text/plain; charset=utf-8", NULL, text, strlen(text)));
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/*
 * MHD calls this when it has the headers, and again when it has the entire request. A GET or HEAD
 * request has no content. For HEAD, MHD itself leaves out the body of the answer.
 */
static enum MHD_Result handle_request(void *arg, struct MHD_Connection *connection, const char *url,
				      const char *method, const char *version, const char *upload,
				      size_t *upload_sz, void **state)
{
	struct http_server *s = arg;
	const struct http_request request = {.accept = header_of(connection, "Accept"),
					     .accept_encoding =
						     header_of(connection, "Accept-Encoding")};
	struct http_body *body = NULL;

	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_error(s, connection, MHD_HTTP_METHOD_NOT_ALLOWED);
	if (!*state) {
		*state = s;
		return MHD_YES;
	}
	if (*upload_sz) {
		*upload_sz = 0; /* ignored */
		return MHD_YES;
	}
	for (const struct http_page *p = s->pages; p->path; p++) {
		if (strcmp(p->path, url))
			continue;
		if (p->get(s->arg, &request, &body))
			return answer_error(s, connection, MHD_HTTP_INTERNAL_SERVER_ERROR);
		return answer(s, connection, MHD_HTTP_OK, body);
	}
	return answer_error(s, connection, MHD_HTTP_NOT_FOUND);
}

/* ---- connections ---- */

static void unlink_connection(struct http_server *s, struct connection *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		s->oldest = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		s->newest = c->prev;
	s->connection_cnt--;
}

static void note_connection(void *arg, struct MHD_Connection *connection, void **socket_state,
			    enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c = *socket_state;
	struct http_server *s = arg;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (c)
			unlink_connection(s, c);
		free(c);
		return;
	}
	c = xcalloc(1, sizeof(*c));
	*socket_state = c;
	c->fd = info->connect_fd;
	c->since_ns = now_ns();
	c->prev = s->newest;
	if (c->prev)
		c->prev->next = c;
	else
		s->oldest = c;
	s->newest = c;
	s->connection_cnt++;
}

/*
 * Ends connections that are too slow. MHD closes these connections when it notices that they have
 * ended. The kernel discards data that it has not sent yet.
 */
static void end_slow(struct http_server *s)
{
	const struct linger reset = {.l_onoff = 1};
	__u64 limit = s->connection_cnt < MAX_CONNECTIONS / 2 ? TIME_LIMIT_NS : CROWDED_LIMIT_NS;
	__u64 now = now_ns();

	for (struct connection *c = s->oldest; c && now - c->since_ns > limit; c = c->next) {
		if (c->ended)
			continue;
		c->ended = true;
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		shutdown(c->fd, SHUT_RDWR);
	}
}

/* ---- opening and processing ---- */

static void log_mhd(void *arg, const char *fmt, va_list args)
{
	char text[256];

	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	log_info("HTTP: %s", text);
}

static const char *format_address(const struct sockaddr_storage *addr, char *buf)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	bool is_ipv4 = addr->ss_family == AF_INET;
	char host[INET6_ADDRSTRLEN] = "";

	inet_ntop(addr->ss_family, is_ipv4 ? (const void *)&in->sin_addr : &in6->sin6_addr, host,
		  sizeof(host));
	snprintf(buf, HTTP_ADDRESS_SZ, is_ipv4 ? "%s:%u" : "[%s]:%u", host,
		 ntohs(is_ipv4 ? in->sin_port : in6->sin6_port));
	return buf;
}

const char *http_server__address(const struct http_server *s, char *buf)
{
	struct sockaddr_storage addr = {.ss_family = AF_INET};
	socklen_t len = sizeof(addr);

	getsockname(s->listen_fd, (struct sockaddr *)&addr, &len);
	return format_address(&addr, buf);
}

static int new_socket(int family)
{
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/*
 * Opens a socket for all addresses. If the kernel has no IPv6, changes *a to all addresses of IPv4,
 * and opens a socket for these.
 */
static int open_for_all(struct http_address *a)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;
	int fd = new_socket(AF_INET6), no = 0;

	if (fd < 0 && errno == EAFNOSUPPORT) {
		*in = (struct sockaddr_in){AF_INET, ((struct sockaddr_in6 *)&a->addr)->sin6_port};
		a->len = sizeof(*in);
		return new_socket(AF_INET);
	}
	if (fd >= 0) /* accept IPv4, too, even if net.ipv6.bindv6only is set */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	return fd;
}

static int open_socket(struct http_server *s, const struct http_address *address)
{
	struct http_address a = *address;
	char name[HTTP_ADDRESS_SZ];
	int yes = 1;

	s->listen_fd = a.all ? open_for_all(&a) : new_socket(a.addr.ss_family);
	if (s->listen_fd < 0)
		return log_err(-errno, "cannot open a socket: %s", strerror(errno));
	setsockopt(s->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(s->listen_fd, (const struct sockaddr *)&a.addr, a.len) ||
	    listen(s->listen_fd, BACKLOG))
		return log_err(-errno,
			       "cannot listen on %s: %s; choose another address with --listen",
			       format_address(&a.addr, name), strerror(errno));
	return 0;
}

static int watch_fd(const struct http_server *s, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int open_daemon(struct http_server *s)
{
	const union MHD_DaemonInfo *info;

	errno = 0;
	s->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle_request, s,
		MHD_OPTION_EXTERNAL_LOGGER, log_mhd, NULL, MHD_OPTION_LISTEN_SOCKET, s->listen_fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CONNECTIONS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_SZ,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)(TIME_LIMIT_NS / 1000000000),
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
	if (!s->daemon)
		return -(errno ?: EINVAL);
	info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return info ? watch_fd(s, info->epoll_fd) : -EINVAL;
}

int http_server__open(const struct http_address *address, const struct http_page *pages, void *arg,
		      struct http_server **out)
{
	struct http_server *s = xcalloc(1, sizeof(*s));
	int err;

	*out = NULL;
	s->pages = pages;
	s->arg = arg;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	err = open_socket(s, address);
	if (!err) {
		err = s->epoll_fd < 0 || s->timer_fd < 0 ? -errno : watch_fd(s, s->timer_fd);
		err = err ?: open_daemon(s);
		if (err)
			log_err(err, "cannot start the HTTP server: %s", strerror(-err));
	}
	if (err)
		http_server__close(s);
	else
		*out = s;
	return err;
}

void http_server__close(struct http_server *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon); /* closes the socket */
	else
		close_fd(&s->listen_fd);
	close_fd(&s->timer_fd);
	close_fd(&s->epoll_fd);
	free(s);
}

int http_server__fd(const struct http_server *s)
{
	return s->epoll_fd;
}

__u64 http_server__requests(const struct http_server *s)
{
	return s->requests;
}

void http_server__process(struct http_server *s)
{
	struct itimerspec next = {};
	MHD_UNSIGNED_LONG_LONG timeout;
	__u64 expirations;
	int before = s->connection_cnt;
	bool work_left;

	if (read(s->timer_fd, &expirations, sizeof(expirations)) < 0)
		expirations = 0; /* the timer has not expired; another descriptor is readable */
	/* Serve waiting requests before ending slow ones: bprof may have caused the delay. */
	MHD_run(s->daemon);
	end_slow(s);
	/*
	 * At its limit of connections, MHD stops listening. When a connection has ended in a run of
	 * MHD, MHD listens again only in the next run, so run MHD again at once.
	 */
	work_left = s->connection_cnt < before ||
		    (MHD_get_timeout(s->daemon, &timeout) == MHD_YES && !timeout);
	next.it_value.tv_nsec = work_left ? 1 : s->oldest ? CHECK_NS : 0; /* 0: never */
	timerfd_settime(s->timer_fd, 0, &next, NULL);
}
