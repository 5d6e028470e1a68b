/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof doctor --self-test.
 */
#ifndef BPROF_DOCTOR_SELF_TEST_H
#define BPROF_DOCTOR_SELF_TEST_H

#include "base/exit_status.h"

struct event_list;
struct output_opts;

/*
 * Runs the self-test and prints its result. If events is empty, adds the default events to it.
 * Returns the exit status.
 */
enum exit_status doctor__self_test(struct event_list *events, const struct output_opts *o);

#endif
