// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A longer program, whose cost exceeds a machine's noise.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(5000, XDP_PASS)
