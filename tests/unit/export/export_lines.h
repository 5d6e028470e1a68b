/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics that the golden files do not have.
 */
#ifndef BPROF_TEST_EXPORT_LINES_H
#define BPROF_TEST_EXPORT_LINES_H

#include "tests/unit/shown_line.h"

/* clang-format off */
static const struct shown_line shown_lines[] = {
	{"export_hist", "om", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"20.0\"} 0"},
	{"export_hist", "om", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"2000.0\"} 199998"},
	{"export_hist", "om", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"+Inf\"} 200000"},
	{"export_hist", "om", "bprof_program_event_per_run_sum{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\"} 1.98e+07"},
	{"export_hist", "om", "bprof_program_run_time_seconds_bucket{name=\"xdp_firewall_in\",tag=\"d4f8542f2b42fac5\",function=\"xdp_firewall_ingress\",le=\"0.001\"} 231934"},
	{"export_cells", "om", "bprof_program_info{tag=\"d4f8542f2b42fac5\",id=\"61\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_cells", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"parse_ipv6\"} 1000"},
	{"export_cells", "om", "bprof_program_runs_total{tag=\"d4f8542f2b42fac5\"} 5"},
	{"export_cells", "om", "bprof_program_cpu_seconds_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"parse_ipv6\"} 8.426e-05"},
	{"export_namesakes", "om", "bprof_program_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"helper@a.c:7\",id=\"42\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_namesakes", "om", "bprof_program_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"same_line@same_line.h:5#2\",id=\"42\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_namesakes", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"helper@a.c:7\"} 1000"},
	{"export_by_retval", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"other\"} 8036"},
	{"export_by_retval", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"XDP_DROP\"} 2000"},
	{"export_by_retval", "om", "bprof_program_event_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"other\",event=\"instructions\"} 1.5874470798403195e+06"},
	{"export_by_retval", "om", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"-1\",event=\"instructions\",le=\"+Inf\"} 2"},
	{"export_by_retval", "om", "bprof_program_info{name=\"old\",tag=\"d4f8542f2b42fac5\",id=\"57\",type=\"xdp\",method=\"run_stats\"} 1"},
	{"export_huge", "om", "bprof_program_runs_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\"} 18446744073709551615"},
	{"export_huge", "om", "bprof_program_event_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\",event=\"cycles\"} 1e+25"},
	{"export_huge", "om", "bprof_program_event_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\",event=\"instructions\"} 1.8446744073709556e+19"},
	{"export_hist", "prom", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"20\"} 0"},
	{"export_hist", "prom", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"2000\"} 199998"},
	{"export_hist", "prom", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\",le=\"+Inf\"} 200000"},
	{"export_hist", "prom", "bprof_program_event_per_run_sum{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"instructions\"} 1.98e+07"},
	{"export_hist", "prom", "bprof_program_run_time_seconds_bucket{name=\"xdp_firewall_in\",tag=\"d4f8542f2b42fac5\",function=\"xdp_firewall_ingress\",le=\"0.001\"} 231934"},
	{"export_cells", "prom", "bprof_program_info{tag=\"d4f8542f2b42fac5\",id=\"61\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_cells", "prom", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"parse_ipv6\"} 1000"},
	{"export_cells", "prom", "bprof_program_runs_total{tag=\"d4f8542f2b42fac5\"} 5"},
	{"export_cells", "prom", "bprof_program_cpu_seconds_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"parse_ipv6\"} 8.426e-05"},
	{"export_namesakes", "prom", "bprof_program_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"helper@a.c:7\",id=\"42\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_namesakes", "prom", "bprof_program_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"same_line@same_line.h:5#2\",id=\"42\",type=\"xdp\",method=\"fentry\"} 1"},
	{"export_namesakes", "prom", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"helper@a.c:7\"} 1000"},
	{"export_thinned", "prom", "bprof_probe_added_ratio 0.0381384"},
	{"export_by_retval", "prom", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"other\"} 8036"},
	{"export_by_retval", "prom", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"XDP_DROP\"} 2000"},
	{"export_by_retval", "prom", "bprof_program_event_per_run_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",returns=\"-1\",event=\"instructions\",le=\"+Inf\"} 2"},
	{"export_by_retval", "prom", "bprof_program_info{name=\"old\",tag=\"d4f8542f2b42fac5\",id=\"57\",type=\"xdp\",method=\"run_stats\"} 1"},
	{"export_huge", "prom", "bprof_program_runs_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\"} 18446744073709551615"},
	{"export_huge", "prom", "bprof_program_event_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\",event=\"cycles\"} 1e+25"},
	{"export_huge", "prom", "bprof_program_event_total{name=\"busy\",tag=\"d4f8542f2b42fac5\",function=\"busy\",event=\"instructions\"} 1.8446744073709556e+19"},
	{"export_cells", "om", "bprof_program_run_time_seconds_bucket{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"parse_ipv6\",le=\"0.016777215\"} 0"},
	{"export_thinned", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\"} 160002"},
	{"export_thinned", "om", "bprof_program_event_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"cycles\"} 2.42003025e+07"},
	{"export_thinned", "om", "bprof_program_event_per_run_count{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",event=\"cycles\"} 10000"},
	{"export_inventory", "om", "bprof_program_runs_total{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\"} 20"},
	{"export_inventory", "om", "bprof_program_memory_bytes{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\"} 8192"},
	{"export_inventory", "om", "bprof_program_memory_bytes{name=\"tc_mark\",tag=\"d4f8542f2b42fac5\",function=\"tc_mark\"} 8192"},
	{"export_inventory", "om", "bprof_program_map_memory_bytes{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",map=\"flows\",map_type=\"hash\"} 2000000"},
	{"export_inventory", "om", "bprof_program_map_max_entries{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",map=\"stats\",map_type=\"percpu_array\"} 2"},
	{"export_inventory", "om", "bprof_program_map_memory_bytes{name=\"tc_mark\",tag=\"d4f8542f2b42fac5\",function=\"tc_mark\",map=\"map_15\",map_type=\"array\"} 10"},
	{"export_inventory", "om", "bprof_program_map_memory_bytes{name=\"tc_mark\",tag=\"d4f8542f2b42fac5\",function=\"tc_mark\",map=\"other\"} 40"},
	{"export_inventory", "om", "bprof_program_map_max_entries{name=\"tc_mark\",tag=\"d4f8542f2b42fac5\",function=\"tc_mark\",map=\"other\"} 4"},
	{"export_inventory", "om", "bprof_program_map_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",map=\"stats\",map_id=\"142\"} 1"},
	{"export_inventory", "om", "bprof_program_map_info{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",map=\"stats\",map_id=\"143\"} 1"},
	{"export_inventory", "om", "bprof_program_map_info{name=\"tc_mark\",tag=\"d4f8542f2b42fac5\",function=\"tc_mark\",map=\"map_15\",map_id=\"215\"} 1"},
	{"export_inventory", "om", "bprof_program_attachments{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",kind=\"xdp\"} 3"},
	{"export_inventory", "om", "bprof_program_attachments{name=\"xdp_lb\",tag=\"d4f8542f2b42fac5\",function=\"xdp_lb\",kind=\"tcx\"} 1"},
	{"export_inventory", "om", "bprof_unheld_programs 3"},
	{"export_inventory", "om", "bprof_unheld_memory_bytes 12288"},
	{"export_inventory", "om", "bprof_unheld_unknown_programs 2"},
	{"export_inventory", "om", "bprof_jit_memory_bytes{of=\"kernel\"} 900"},
	{"export_inventory", "om", "bprof_jit_limit_bytes 1000"},
};
/* clang-format on */

#endif
