// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The program of later_wq.bpf.c for kernels whose kfuncs have implicit arguments. */
#define IMPLICIT_AUX
#include "later_wq.bpf.c"
