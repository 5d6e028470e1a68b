// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * More rounds than a probe has frames for. See tail_nest.h.
 */
#define ROUNDS 20
#include "tail_nest.h"
