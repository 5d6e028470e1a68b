/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of outputs of a history that have no golden file.
 */
#ifndef BPROF_TEST_HISTORY_LINES_H
#define BPROF_TEST_HISTORY_LINES_H

#include "tests/unit/shown_line.h"

/* clang-format off */
static const struct shown_line shown_lines[] = {
	{"history/show_60", "txt", "0123\342\200\24689ab  2026-01-02    499"},
	{"history/show_60", "txt", "----\342\200\246----                     +6 (+1.2%)"},
	{"history/show_60", "txt", "x\\x1b[2J<b>&\"\\x0a|`, [a \"b\".pcap#1]: time, p50"},
	{"history/show_60", "txt", "2 changes in 22 commits on 6.12.57 aarch64"},
	{"history/show_60", "txt", "COMMIT     DATE        VALUE  CHANGE"},
	{"history/check", "md", "### :grey_question: bprof: inconclusive: 1 inconclusive, 2 same"},
	{"history/check", "md", "| VERDICT | PROGRAM | CASE | EVENT | STAT | ON | COMMIT | BASE | NEW | CHANGE | 95% INTERVAL | COMMITS | RAW P | P | LIMIT |"},
	{"history/check", "md", "| :grey_question: inconclusive | `` x\\x1b[2J<b>&\"\\x0a\\x7c`, `` | `a \"b\".pcap#1` | `time` | p50 | `6.12.90 aarch64` | `c24` | 230.5 ns | 232.6 ns | +2.1 ns (+0.9%) | - | 1, 1 | - | - | `>2%` |"},
	{"history/check", "xml", " <testsuite name=\"bprof\" tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"0\">"},
	{"history/check", "xml", "  <testcase classname=\"x\\x1b[2J&lt;b&gt;&amp;&quot;\\x0a|`, [a &quot;b&quot;.pcap#1]\" name=\"time p50\">"},
	{"history/check", "xml", "   <error type=\"inconclusive\" message=\"too few commits before it for a test: at least two are needed\"/>"},
	{"history/check", "html", "<title>c24 compared with the commits before</title>"},
	{"history/check", "html", "<p class=\"verdict warn\">inconclusive: 1 inconclusive, 2 same</p>"},
	{"history/check", "html", "<dt>New</dt><dd>c24</dd>"},
	{"history/check", "txt", "inconclusive: 1 inconclusive, 2 same"},
	{"history/check", "txt", "VERDICT       PROGRAM               CASE          EVENT         STAT  ON                  COMMIT      BASE       NEW           CHANGE  95% INTERVAL  COMMITS  RAW P      P  LIMIT"},
	{"history/check", "txt", "inconclusive  x\\x1b[2J<b>&\"\\x0a|`,  a \"b\".pcap#1  time          p50   6.12.90 aarch64     c24     230.5 ns  232.6 ns  +2.1 ns (+0.9%)             -     1, 1      -      -    >2%"},
	{"history/check", "txt", "same          xdp_lb                              instructions  min   6.12.57 x86_64 lab  c24          700       700         0 (0.0%)             -     1, 1  exact  exact     >0"},
	{"history/check", "txt", "x\\x1b[2J<b>&\"\\x0a|`, [a \"b\".pcap#1] time p50: too few commits before it for a test: at least two are needed"},
	{"history/export", "bench", "commit: c2"},
	{"history/export", "bench", "commit-date: 2026-01-02"},
	{"history/export", "bench", "Unit min-instructions/op assume=exact"},
	{"history/export", "bench", "BenchmarkXdp_lb\t8000\t700 instructions/op\t700 min-instructions/op"},
	{"history/export", "bench", "cost: net"},
	{"history/export", "bench", "goarch: arm64"},
	{"history/export", "github", "  \"name\": \"xdp_lb (6.12.57 x86_64 lab): instructions min\","},
	{"history/export", "github", "  \"name\": \"x\\\\x1b[2J<b>&\\\"\\\\x0a|`, [a \\\"b\\\".pcap#1] (6.12.90 aarch64): time p50\","},
	{"history/export", "github", "  \"unit\": \"instructions\","},
	{"history/export", "github", "  \"unit\": \"ns\","},
	{"history/export", "github", "  \"value\": 232.588358,"},
	{"history/export", "github", "  \"range\": \"\\u00B1 2.5\","},
	{"history/export", "github", "  \"extra\": \"kernel 6.12.57, architecture x86_64, CPU Cortex-A72, JIT on, events instructions, calibration yes (net), machine lab\""},
	{"history/export", "github", "  \"extra\": \"kernel 6.12.90, architecture aarch64, CPU Cortex-A72, JIT on, events instructions,time, calibration yes (net)\""},
	{"history/show", "series.json", " \"schema\": 1,"},
	{"history/show", "series.json", " \"schema\": 1,"},
	{"history/show", "series.json", " \"tool\": \"bprof\","},
	{"history/show", "series.json", " \"commits\": 24,"},
	{"history/show", "series.json", " \"unreadable\": 0,"},
	{"history/show", "series.json", " \"series\": ["},
	{"history/show", "series.json", "   \"program\": \"xdp_lb\","},
	{"history/show", "series.json", "   \"type\": \"xdp\","},
	{"history/show", "series.json", "   \"event\": \"instructions\","},
	{"history/show", "series.json", "   \"unit\": \"\","},
	{"history/show", "series.json", "   \"stat\": \"min\","},
	{"history/show", "series.json", "   \"exact\": true,"},
	{"history/show", "series.json", "   \"method\": \"fentry\","},
	{"history/show", "series.json", "   \"environment\": \"kernel 6.12.57, architecture aarch64, CPU Cortex-A72, JIT on, events instructions,time, calibration yes (net)\","},
	{"history/show", "series.json", "   \"points\": ["},
	{"history/show", "series.json", "     \"commit\": \"0123456789abcdef0123456789abcdef01234567\","},
	{"history/show", "series.json", "     \"date\": \"2026-01-02T00:00:00Z\","},
	{"history/show", "series.json", "     \"value\": 499"},
	{"history/show", "series.json", "     \"retval_changed\": true"},
	{"history/show", "series.json", "   \"changes\": ["},
	{"history/show", "series.json", "     \"before\": 499,"},
	{"history/show", "series.json", "     \"after\": 505,"},
	{"history/show", "series.json", "     \"change\": 6,"},
	{"history/show", "series.json", "     \"share\": 0.012024"},
	{"history/show", "series.json", "   \"case\": \"a \\\"b\\\".pcap#1\","},
	{"history/show", "series.json", "     \"low\": 197.173957,"},
	{"history/show", "series.json", "     \"high\": 202.173957"},
	{"history/show", "series.json", "     \"p\": 0.001"},
};
/* clang-format on */

#endif
