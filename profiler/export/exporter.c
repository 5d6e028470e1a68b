// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides when the counts are read. Keeps the written documents until the counts are read again, so
 * that many clients cost no more than one client. Must not know how counts are read, or how HTTP
 * works.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "export/accept.h"
#include "export/exporter.h"
#include "export/inventory.h"
#include "export/metrics.h"
#include "report/report.h"

/* If no program is new, the memory of maps and the attachments of programs are read at this interval. */
#define INVENTORY_NS 60000000000ULL

struct exporter {
	struct exporter_opts opts;
	struct series *series;
	struct http_server *server;
	struct report *last; /* the last report; NULL: there is none yet */
	__u64 last_ns;	     /* time at which it was made */
	struct inventory *inventory;
	__u64 inventory_ns; /* time at which it was made */
	struct metrics_self self;
	/* The documents that were made from the last report. [0]: plain, [1]: compressed. */
	struct http_body *body[METRICS_FORMAT_CNT][2];
};

static void drop_bodies(struct exporter *e)
{
	for (int i = 0; i < METRICS_FORMAT_CNT; i++)
		for (int k = 0; k < 2; k++) {
			http_body__put(e->body[i][k]);
			e->body[i][k] = NULL;
		}
}

static __u64 read_own_memory(void)
{
	unsigned long long pages = 0;
	char *text;

	if (read_file("/proc/self/statm", &text))
		return 0;
	if (sscanf(text, "%*u %llu", &pages) != 1)
		pages = 0;
	free(text);
	return pages * sysconf(_SC_PAGESIZE);
}

static __u64 timeval_ns(const struct timeval *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_usec * 1000ULL;
}

static bool is_inventory_old(const struct exporter *e, __u64 now)
{
	if (!e->inventory || now - e->inventory_ns >= INVENTORY_NS)
		return true;
	for (int i = 0; i < e->series->instance_cnt; i++)
		if (!e->series->instance[i].ended &&
		    !inventory__find(e->inventory, e->series->instance[i].id))
			return true;
	return false;
}

int exporter__look(struct exporter *e)
{
	__u64 begin = now_ns();
	struct report *report;
	struct timespec from;
	int err;

	err = e->opts.look(e->opts.arg, &report, &from);
	if (err)
		return err;
	drop_bodies(e);
	report__free(e->last);
	e->last = report;
	e->last_ns = begin;
	e->self.looks++;
	series__add(e->series, report, &from, begin);
	if (e->opts.take_inventory && is_inventory_old(e, begin)) {
		inventory__free(e->inventory);
		e->inventory = e->opts.take_inventory(e->opts.arg);
		e->inventory_ns = begin;
	}
	e->self.look_ns += now_ns() - begin;
	return 0;
}

/* ---- documents ---- */

static void render_metrics(struct exporter *e, enum metrics_format format, char **text, size_t *sz)
{
	FILE *out = text__open(text, sz);
	struct rusage usage;

	if (!getrusage(RUSAGE_SELF, &usage))
		e->self.cpu_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
	e->self.memory = read_own_memory();
	e->self.requests = e->server ? http_server__requests(e->server) : 0;
	e->self.last = e->last;
	e->self.inventory = e->inventory;
	metrics__write(e->series, &e->self, format, out);
	fclose(out);
}

/* Compresses *text, and replaces it. */
static void compress_text(char **text, size_t *sz)
{
	z_stream z = {.next_in = (Bytef *)*text, .avail_in = *sz};
	char *packed;

	/* With these arguments, the only error is a lack of memory. */
	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16 /* gzip */, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		out_of_memory();
	z.avail_out = deflateBound(&z, *sz);
	packed = xmalloc(z.avail_out);
	z.next_out = (Bytef *)packed;
	deflate(&z, Z_FINISH); /* there is room for the whole result */
	deflateEnd(&z);
	free(*text);
	*text = packed;
	*sz = z.total_out;
}

/* ---- pages ---- */

static int get_metrics(void *arg, const struct http_request *request, struct http_body **body)
{
	enum metrics_format format = accept__choose_format(request->accept);
	bool gzip = accept__has_gzip(request->accept_encoding);
	struct exporter *e = arg;
	bool fresh = e->last && now_ns() - e->last_ns < e->opts.min_age_ns;
	int err = fresh ? 0 : exporter__look(e);
	char *text;
	size_t sz;

	if (err)
		return err;
	if (!e->body[format][gzip]) {
		render_metrics(e, format, &text, &sz);
		if (gzip)
			compress_text(&text, &sz);
		e->body[format][gzip] =
			http_body__new(metrics_types[format], gzip ? "gzip" : NULL, text, sz);
	}
	*body = http_body__get(e->body[format][gzip]);
	return 0;
}

static int get_text(const char *type, const char *content, struct http_body **body)
{
	*body = http_body__new(type, NULL, xstrdup(content), strlen(content));
	return 0;
}

static int get_index(void *arg, const struct http_request *request, struct http_body **body)
{
	return get_text("text/html; charset=utf-8",
			"<!DOCTYPE html>\n<html lang=\"en\">\n<title>bprof export</title>\n"
			"<h1>bprof export</h1>\n<p><a href=\"/metrics\">Metrics</a> of the BPF "
			"programs of this machine</p>\n</html>\n",
			body);
}

static int get_healthy(void *arg, const struct http_request *request, struct http_body **body)
{
	return get_text("text/plain; charset=utf-8", "healthy\n", body);
}

static const struct http_page pages[] = {
	{"/metrics", get_metrics},
	{"/", get_index},
	{"/-/healthy", get_healthy},
	{},
};

/* ---- opening ---- */

struct exporter *exporter__open(const struct exporter_opts *opts, const struct series_opts *series)
{
	struct exporter *e = xcalloc(1, sizeof(*e));

	e->series = series__new(series);
	e->opts = *opts;
	e->self.version = opts->version;
	clock_gettime(CLOCK_REALTIME, &e->self.started);
	return e;
}

void exporter__close(struct exporter *e)
{
	if (!e)
		return;
	http_server__close(e->server);
	drop_bodies(e);
	series__free(e->series);
	report__free(e->last);
	inventory__free(e->inventory);
	free(e);
}

int exporter__listen(struct exporter *e, const struct http_address *address)
{
	return http_server__open(address, pages, e, &e->server);
}

struct http_server *exporter__server(const struct exporter *e)
{
	return e->server;
}

void exporter__write(struct exporter *e, FILE *out)
{
	char *text;
	size_t sz;

	render_metrics(e, METRICS_PROMETHEUS, &text, &sz);
	fwrite(text, 1, sz, out);
	free(text);
}
