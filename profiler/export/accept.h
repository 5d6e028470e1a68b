/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Content negotiation: chooses the format of a document from the request's headers. Pure.
 */
#ifndef BPROF_ACCEPT_H
#define BPROF_ACCEPT_H

#include <stdbool.h>

#include "export/openmetrics.h"

/*
 * Chooses by the header Accept (NULL: the request has none). Returns METRICS_OPENMETRICS only if the
 * header names OpenMetrics and does not prefer plain text. If neither format is acceptable, chooses
 * plain text, like Prometheus' own exporters.
 */
enum metrics_format accept__choose_format(const char *accept);

/* Returns true if the header Accept-Encoding (NULL: the request has none) allows gzip. */
bool accept__has_gzip(const char *accept_encoding);

#endif
