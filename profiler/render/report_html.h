/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of an HTML page that reports and annotations share.
 */
#ifndef BPROF_REPORT_HTML_H
#define BPROF_REPORT_HTML_H

#include "html/html.h"
#include "report/report.h"

/* Writes a list of facts: the command, when and for how long it ran, and on which machine. */
void report__write_facts(const struct report *r, struct html *h);

#endif
