// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program of 500 instructions, with which the other versions are compared.
 */
#include "hot.h"

DEFINE_HOT_OBJECT(500, XDP_PASS)
