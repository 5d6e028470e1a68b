// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A version of xdp_version with 300 instructions of work.
 */
#include "version.h"

DEFINE_VERSION(300)
