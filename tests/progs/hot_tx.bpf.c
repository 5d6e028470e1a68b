// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Like hot_500, but with another verdict and one instruction fewer.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(499, XDP_TX)
