/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Content negotiation: chooses the format of a document from the request's headers. Pure.
 */
#ifndef BPROF_ACCEPT_H
#define BPROF_ACCEPT_H

#include <stdbool.h>

#include "export/openmetrics.h"

/*
 * Chooses by the header Accept (NULL: there is none). Returns METRICS_OPENMETRICS only if the header
 * names it, and does not prefer plain text. Like Prometheus' own exporters, answers in plain text if
 * neither format is acceptable.
 */
enum metrics_format accept__choose_format(const char *accept);

/* Returns true if the header Accept-Encoding (NULL: there is none) allows gzip. */
bool accept__has_gzip(const char *accept_encoding);

#endif
