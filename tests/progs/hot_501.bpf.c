// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Like hot_500, with one more instruction.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(501, XDP_PASS)
