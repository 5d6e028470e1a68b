/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small HTTP server in the caller's own loop, without threads. Clients need not be trusted: the
 * number of connections, the size of a request, and the time for a request and its answer are
 * limited.
 */
#ifndef BPROF_HTTP_SERVER_H
#define BPROF_HTTP_SERVER_H

#include <stddef.h>
#include <sys/socket.h>

#include "base/util.h"

struct http_body;
struct http_server;
struct parse_error;

/* An address to listen on. */
struct http_address {
	struct sockaddr_storage addr;
	socklen_t len;
	bool all; /* all addresses of the machine, of IPv4, too; addr is in6addr_any */
};

/* Parses "ADDRESS:PORT", "[IPV6]:PORT", "localhost:PORT" or ":PORT" (all addresses). */
int http_address__parse(const char *arg, struct http_address *out, struct parse_error *err);

/* The headers of a request that pages may use. NULL: the request does not have the header. */
struct http_request {
	const char *accept, *accept_encoding;
};

struct http_page {
	const char *path; /* NULL ends the table */
	/*
	 * Sets *body to a reference that the caller drops. Returns 0, or -errno: the client gets
	 * the status 500.
	 */
	int (*get)(void *arg, const struct http_request *request, struct http_body **body);
};

/*
 * A document that the server may send to several clients, also at the same time. Takes ownership of
 * text, which was allocated by malloc(). encoding: "gzip" or NULL.
 */
struct http_body *http_body__new(const char *type, const char *encoding, char *text, size_t sz);
struct http_body *http_body__get(struct http_body *body); /* takes another reference */
void http_body__put(struct http_body *body);		  /* drops a reference; accepts NULL */

/* Begins to listen on the address. pages and arg must outlive *out. Returns 0 or -errno (reported). */
int http_server__open(const struct http_address *address, const struct http_page *pages, void *arg,
		      struct http_server **out);
void http_server__close(struct http_server *s); /* accepts NULL */

/* Returns a descriptor to poll: it is readable when http_server__process() has something to do. */
int http_server__fd(const struct http_server *s);
/* Takes connections, reads requests, and writes answers, without waiting for clients. */
void http_server__process(struct http_server *s);
/* Returns the number of requests that were answered. */
__u64 http_server__requests(const struct http_server *s);
/* Writes the address with its port, such as "127.0.0.1:9797", to buf. Returns buf. */
#define HTTP_ADDRESS_SZ 64
const char *http_server__address(const struct http_server *s, char *buf);

#endif
