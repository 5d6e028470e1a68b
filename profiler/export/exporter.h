/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An exporter: series of all programs, shown as metrics over HTTP or in a file.
 */
#ifndef BPROF_EXPORTER_H
#define BPROF_EXPORTER_H

#include <stdio.h>

#include "export/http_server.h"
#include "export/series.h"

struct exporter;
struct inventory;
struct report;

struct exporter_opts {
	const char *version; /* version of bprof */
	__u64 min_age_ns;    /* after a look(), requests get its counts for this time */
	/*
	 * Reads all counts once. Sets *out to the report on the time since the last call, and *from
	 * to the beginning of this time. The exporter frees *out. Returns 0 or -errno (reported).
	 */
	int (*look)(void *arg, struct report **out, struct timespec *from);
	/*
	 * Returns the inventory of the programs, which the exporter frees. Called when look() has
	 * found a new program, and every INVENTORY_NS.
	 */
	struct inventory *(*take_inventory)(void *arg);
	void *arg;
};

/* Opens an exporter. Takes ownership of the bounds in *series. */
struct exporter *exporter__open(const struct exporter_opts *opts, const struct series_opts *series);
void exporter__close(struct exporter *e); /* accepts NULL */

/* Serves the metrics on this address. Returns 0 or -errno (reported). */
int exporter__listen(struct exporter *e, const struct http_address *address);
/* The server of exporter__listen(), or NULL. */
struct http_server *exporter__server(const struct exporter *e);

/* Reads the counts now. Returns 0 or -errno (reported). */
int exporter__look(struct exporter *e);

/* Writes the metrics of the last exporter__look() to out, in Prometheus text. */
void exporter__write(struct exporter *e, FILE *out);

#endif
