/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of bprof watch at other widths than 80.
 */
#ifndef BPROF_TEST_WATCH_LINES_H
#define BPROF_TEST_WATCH_LINES_H

#include "tests/unit/shown_line.h"

/* clang-format off */
static const struct shown_line shown_lines[] = {
	{"watch_100", "txt", "TIME                     EVENT       ID  TYPE          NAME             XLATED   JITED  BY"},
	{"watch_100", "txt", "2026-01-01T12:00:00.250  load        42  xdp           xdp_lb               96      80  loader[7]"},
	{"watch_100", "txt", "2026-01-01T12:00:00.250  load    123456  raw_tr\342\200\246point  xdp_fir\342\200\246ress_v2  123,456      80  system\342\200\246kd[7]"},
	{"watch_200", "txt", "TIME                     EVENT       ID  TYPE            NAME                      TAG               XLATED   JITED  BY                      FUNCTIONS"},
	{"watch_200", "txt", "2026-01-01T12:00:00.250  load        42  xdp             xdp_lb                    0011223344556677      96      80  loader[7]               xdp_lb, parse"},
	{"watch_200", "txt", "2026-01-01T12:00:00.250  load    123456  raw_tracepoint  xdp_firewall_ingress_v2   0011223344556677  123,456      80  systemd-networkd[7]     balance, parse_ipv4_options, parse_ipv6, drop"},
};
/* clang-format on */

#endif
