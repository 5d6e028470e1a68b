// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program of 5,000 instructions. 10 % more of them exceed the noise of a real machine.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(5000, XDP_PASS)
