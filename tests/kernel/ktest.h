/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The groups of tests: each function runs one group and returns the number of failed tests.
 */
#ifndef KTEST_KTEST_H
#define KTEST_KTEST_H

int run_types(void);
int run_targets(void);
int run_scale(void);
int run_scale_exact(void);
int run_foreign(void);
int run_probes(void);
int run_refusals(void);
int run_nesting(void);
int run_recursion(void);
int run_signals(void);
int run_cpus(void);
int run_traffic(void);
int run_output(void);
int run_commands(void);
int run_relations(void);
int run_exact(void);
int run_net(void);
int run_contexts(void);
int run_contexts_tree(void);
int run_tree(void);
int run_extensions(void);
int run_thinning(void);
int run_multiplex(void);
int run_retval(void);
int run_retval_traffic(void);
int run_preempt(void);
int run_interrupt(void);
int run_gate(void);
int run_system_crash(void);
int run_system_users(void);
int run_system_map(void);
int run_system_limits(void);
int run_old(void);
int run_verifier(void);
int run_system_accuracy(void);
int run_system_options(void);
int run_system_smp(void);
int run_system_cost(void);
int run_perf(void);
int run_perf_map(void);
int run_bench(void);
int run_bench_loads(void);
int run_bench_exact(void);
int run_bench_real(void);
int run_bench_run(void);
int run_bench_setup(void);
int run_bench_objects(void);
int run_bench_suite(void);
int run_bench_use(void);
int run_list(void);
int run_list_perf(void);
int run_top(void);
int run_watch(void);
int run_watch_cpus(void);
int run_follow(void);
int run_follow_exact(void);
int run_export(void);
int run_export_exact(void);
int run_trace(void);
int run_trace_exact(void);
int run_annotate(void);
int run_samples(void);
int run_lib(void);
int run_lockdown(void);
int run_lockdown_exact(void);

#endif
