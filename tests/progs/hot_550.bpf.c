// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Like hot_500, with 10 % more instructions.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(550, XDP_PASS)
