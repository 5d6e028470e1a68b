// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A longer one, whose cost stands out of what a machine's noise is. */
#include "hot.h"

DEFINE_HOT_OBJECT(5000, XDP_PASS)
