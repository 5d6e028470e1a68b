/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A report of one program, for fuzzers that need one that is always the same.
 */
#ifndef BPROF_FUZZ_SMALL_REPORT_H
#define BPROF_FUZZ_SMALL_REPORT_H

static const char small_report[] =
	"{\"schema\":1,\"tool\":\"bprof\",\"version\":\"0.1.0\",\"command\":[\"bprof\"],\"host\":"
	"{\"kernel\":\"6.12.90\",\"arch\":\"x86_64\",\"cpus\":2,\"jit\":true},\"started\":"
	"\"2026-01-01T00:00:00Z\",\"elapsed_ns\":1000000,\"calibrated\":true,\"programs\":[{\"id\":"
	"42,\"name\":\"xdp_lb\",\"func\":\"xdp_lb\",\"type\":\"xdp\",\"tag\":\"d4f8542f2b42fac5\","
	"\"method\":\"fentry\",\"runs\":100,\"measured\":100,\"lost\":{\"entry\":0,\"read\":0,"
	"\"overflow\":0,\"recursion\":0},\"events\":[{\"name\":"
	"\"instructions\",\"unit\":\"\",\"status\":\"ok\",\"total\":9900,\"measured\":100,"
	"\"per_run\":{\"mean\":99,\"stddev\":0.3,\"min\":99,\"p50\":99,\"max\":120}}]}],"
	"\"skipped\":[]}\n";
#endif
