/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof doctor --helpers.
 */
#ifndef BPROF_DOCTOR_HELPERS_H
#define BPROF_DOCTOR_HELPERS_H

#include "base/exit_status.h"

struct event_list;
struct output_opts;

/*
 * Measures the costs of helpers, and prints them. If events is empty, adds the default events to
 * it. Returns the exit status.
 */
enum exit_status doctor__helpers(struct event_list *events, const struct output_opts *o);

#endif
