/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of bprof watch.
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
	{"watch_80", "txt", "TIME                     EVENT       ID  TYPE       NAME            BY"},
	{"watch_80", "txt", "2026-01-01T12:00:00.250  load        42  xdp        xdp_lb          loader[7]"},
	{"watch_80", "txt", "    xdp_lb, parse"},
	{"watch_80", "txt", "2026-01-01T12:00:00.250  load    123456  raw_\342\200\246oint  xdp_fir\342\200\246ess_v2  system\342\200\246kd[7]"},
	{"watch_80", "txt", "    balance, parse_ipv4_options, parse_ipv6, drop"},
	{"watch_80", "txt", "    xdp_lb, parse (missed; found by listing all programs)"},
	{"watch", "timeline", "{\"ph\":\"i\",\"name\":\"bprof\",\"cat\":\"bpf\",\"pid\":0,\"tid\":0,\"ts\":0,\"s\":\"g\",\"args\":{\"version\":\"0.1.0\",\"monotonic_ns\":1000}}"},
	{"watch", "timeline", ",{\"ph\":\"i\",\"name\":\"loaded xdp_lb\",\"cat\":\"bpf\",\"pid\":0,\"tid\":0,\"ts\":0,\"s\":\"g\",\"args\":{\"id\":42,\"type\":\"xdp\",\"name\":\"xdp_lb\",\"tag\":\"0011223344556677\",\"xlated_bytes\":96,\"jited_bytes\":80,\"functions\":[\"xdp_lb\",\"parse\"]}}"},
	{"watch", "timeline", ",{\"ph\":\"M\",\"name\":\"process_name\",\"cat\":\"bpf\",\"pid\":7,\"tid\":7,\"args\":{\"name\":\"loader\"}}"},
	{"watch", "timeline", ",{\"ph\":\"i\",\"name\":\"load xdp_lb\",\"cat\":\"bpf\",\"pid\":7,\"tid\":7,\"ts\":0.234,\"s\":\"t\",\"args\":{\"cpu\":2,\"id\":42,\"type\":\"xdp\",\"name\":\"xdp_lb\",\"tag\":\"0011223344556677\",\"xlated_bytes\":96,\"jited_bytes\":80,\"functions\":[\"xdp_lb\",\"parse\"],\"pid\":7,\"comm\":\"loader\"}}"},
	{"watch", "timeline", ",{\"ph\":\"i\",\"name\":\"unload \\u001B\\uFFFD\\\"\",\"cat\":\"bpf\",\"pid\":7,\"tid\":7,\"ts\":7.234,\"s\":\"t\",\"args\":{\"cpu\":2,\"id\":42,\"type\":\"xdp\",\"name\":\"\\u001B\\uFFFD\\\"\",\"tag\":\"0011223344556677\",\"xlated_bytes\":96,\"jited_bytes\":80,\"functions\":[\"xdp_lb\",\"parse\"],\"pid\":7,\"comm\":\"loader\"}}"},
	{"watch", "timeline", ",{\"ph\":\"i\",\"name\":\"lost records\",\"cat\":\"bpf\",\"pid\":0,\"tid\":0,\"ts\":8,\"s\":\"g\",\"args\":{\"cpu\":0,\"lost\":5}}"},
};
/* clang-format on */

#endif
