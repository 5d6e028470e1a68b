// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xdp_hot with 5,000 instructions. 10 % of them are more than the noise of a real machine.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(5000, XDP_PASS)
