/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines that the self-test must show if programs cannot be probed, or if nothing is measured.
 */
#ifndef BPROF_TEST_SELFTEST_LINES_H
#define BPROF_TEST_SELFTEST_LINES_H

#include "tests/unit/shown_line.h"

/* clang-format off */
static const struct shown_line shown_lines[] = {
	{"selftest/not_counted_once", "txt", "XDP, test run: never on a counter"},
	{"selftest/not_counted_once", "txt", "raw_tp, test run  0 (2)    4  100 (4.0)  1,000 (5.4)  exact"},
	{"selftest/not_counted_once", "json", " \"quote\": \"bprof 0.1.0 self-test: Linux 6.12.9 x86_64, Model 7, libbpf 1.5, clock tsc; CPU 2 of 0-3 (cpu_core): 8 counters, cycles: empty 2, +1000: 610; instructions exact in 4 of 4 contexts, xdp not counted; probe 812.2 ns, 2,434 cycles, 1,433 instructions; CPUs 4-11 (cpu_atom): nothing measured\","},
	{"selftest/nothing", "json", " \"verdict\": \"not_judged\","},
	{"selftest/nothing", "json", " \"ok\": false,"},
	{"selftest/nothing", "json", " \"quote\": \"bprof 0.1.0 self-test: Linux 6.12.9 x86_64, Model 7, libbpf 1.5, clock tsc; nothing measured\","},
	{"selftest/nothing", "json", "     \"reason\": \"cannot be probed, no permission\","},
	{"selftest/nothing", "json", "     \"events\": []"},
	{"selftest/nothing", "txt", "No context was measured: cannot be probed, no permission."},
	{"selftest/nothing", "txt", "bprof 0.1.0 self-test: Linux 6.12.9 x86_64, Model 7, libbpf 1.5, clock tsc; nothing measured"},
	{"selftest/unprobed", "json", "   \"no_probe\": \"cannot be probed, the kernel is locked down\","},
	{"selftest/unprobed", "json", " \"verdict\": \"not_judged\","},
	{"selftest/unprobed", "txt", "CPU 1, time of a run in ns:"},
	{"selftest/unprobed", "txt", "CONTEXT            EMPTY  +100  +1000"},
	{"selftest/unprobed", "txt", "XDP, test run       50.2  33.3  333.3"},
	{"selftest/unprobed", "txt", "raw_tp, test run    51.2  33.3  333.3"},
	{"selftest/exact_and_wrong", "json", " \"schema\": 1,"},
	{"selftest/exact_and_wrong", "json", " \"tool\": \"bprof\","},
	{"selftest/exact_and_wrong", "json", " \"version\": \"0.1.0\","},
	{"selftest/exact_and_wrong", "json", " \"kernel\": \"6.12.9\","},
	{"selftest/exact_and_wrong", "json", " \"arch\": \"x86_64\","},
	{"selftest/exact_and_wrong", "json", " \"cpu_model\": \"Model 7\","},
	{"selftest/exact_and_wrong", "json", " \"libbpf\": \"1.5\","},
	{"selftest/exact_and_wrong", "json", " \"clock_source\": \"tsc\","},
	{"selftest/exact_and_wrong", "json", " \"clock_step_ns\": 21,"},
	{"selftest/exact_and_wrong", "json", " \"ok\": false,"},
	{"selftest/exact_and_wrong", "json", " \"verdict\": \"wrong\","},
	{"selftest/exact_and_wrong", "json", " \"cpu_kinds\": ["},
	{"selftest/exact_and_wrong", "json", "   \"kind\": \"cpu_core\","},
	{"selftest/exact_and_wrong", "json", "   \"cpus\": \"0-3\","},
	{"selftest/exact_and_wrong", "json", "   \"cpu\": 2,"},
	{"selftest/exact_and_wrong", "json", "   \"counters\": 8,"},
	{"selftest/exact_and_wrong", "json", "   \"probe_cost\": ["},
	{"selftest/exact_and_wrong", "json", "     \"name\": \"time\","},
	{"selftest/exact_and_wrong", "json", "     \"unit\": \"ns\","},
	{"selftest/exact_and_wrong", "json", "     \"without\": 100,"},
	{"selftest/exact_and_wrong", "json", "     \"added\": 812.25"},
	{"selftest/exact_and_wrong", "json", "   \"contexts\": ["},
	{"selftest/exact_and_wrong", "json", "     \"how\": \"BPF_PROG_TEST_RUN of XDP programs, with migration disabled\","},
	{"selftest/exact_and_wrong", "json", "     \"attached\": false,"},
	{"selftest/exact_and_wrong", "json", "     \"method\": \"fentry\","},
	{"selftest/exact_and_wrong", "json", "     \"driven\": 6000,"},
	{"selftest/exact_and_wrong", "json", "     \"runs\": 6000,"},
	{"selftest/exact_and_wrong", "json", "     \"lost\": 0,"},
	{"selftest/exact_and_wrong", "json", "     \"events\": ["},
	{"selftest/exact_and_wrong", "json", "       \"empty\": {"},
	{"selftest/exact_and_wrong", "json", "        \"mean\": 2.5,"},
	{"selftest/exact_and_wrong", "json", "        \"stddev\": 2,"},
	{"selftest/exact_and_wrong", "json", "        \"p50\": 2,"},
	{"selftest/exact_and_wrong", "json", "        \"p99\": 6"},
	{"selftest/exact_and_wrong", "json", "       \"plus_100\": {"},
	{"selftest/exact_and_wrong", "json", "       \"plus_1000\": {"},
	{"selftest/exact_and_wrong", "json", "       \"off\": 0"},
	{"selftest/exact_and_wrong", "json", "     \"reason\": \"has no context\","},
};
/* clang-format on */

#endif
