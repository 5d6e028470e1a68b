// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Like hot_5000, with 10 % more instructions.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(5500, XDP_PASS)
