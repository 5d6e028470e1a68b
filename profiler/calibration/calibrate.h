/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calibration: measures what the probe counts for an empty program. The empty program gets the same
 * probe as targets.
 */
#ifndef BPROF_CALIBRATE_H
#define BPROF_CALIBRATE_H

#include "calibration/calibration.h"

/*
 * Finds the shape of each target (struct target_shape). The shapes determine which built-in
 * programs are measured (calibration->empties). possible: contexts (BPROF_CONTEXT_..., bits) that
 * may affect the bias. Returns the contexts that the probe must distinguish at first.
 */
__u32 calibrate__prepare(struct calibration *c, __u32 possible);
/*
 * Attaches the probe, with the targets' options, to the built-in functions that have the shapes of
 * the targets. Runs these functions on a CPU of each kind and in each context, and fills c.
 * c->probes must be open, and their template loaded. On failure the numbers stay raw, and one
 * message says so: this function or, later, calibration__warn() logs it.
 */
void calibrate(struct calibration *c);
/*
 * Call this when the probe of a target was attached. If calibration failed, warns that numbers are
 * raw.
 */
void calibration__warn(struct calibration *c);

#endif
