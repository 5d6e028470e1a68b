// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Few enough rounds for a probe to have a frame for each. See tail_nest.h.
 */
#define ROUNDS 5
#include "tail_nest.h"
