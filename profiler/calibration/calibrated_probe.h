/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens probes that subtract the biases of a calibration.
 */
#ifndef BPROF_CALIBRATED_PROBE_H
#define BPROF_CALIBRATED_PROBE_H

#include "calibration/calibration.h"
#include "probe/probe_template.h"

/*
 * Finds the shape of a target, and opens and attaches its probe, which subtracts the biases. Returns 0,
 * or -errno with *reason.
 */
int calibration__open_probe(struct calibration *c, struct target *t, struct reason *reason);
/*
 * Opens and attaches a built-in function as a target of its own. func: NULL for the entry function.
 * The caller closes the target with calibrate__close_empty(), also after an error.
 */
int calibrate__open_empty(struct calibration *c, enum empty prog, const char *func,
			  struct target *t, struct reason *reason);
/*
 * Opens and attaches KERNEL_FUNC, which the target "caller" calls, as a target of its own. The caller
 * closes this target with calibrate__close_empty(), too.
 */
int calibrate__open_kernel(struct calibration *c, const struct target *caller, struct target *t,
			   struct reason *reason);
void calibrate__close_empty(struct target *t);

#endif
