// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program of 500 instructions, the base of comparisons.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(500, XDP_PASS)
