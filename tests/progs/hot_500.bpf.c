// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xdp_hot with 500 instructions. The other versions are compared with it.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(500, XDP_PASS)
