/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of retval.bpf.c that tests need. */
#ifndef PROGS_RETVAL_H
#define PROGS_RETVAL_H

#define RETVAL_INSNS 500
#define RETVAL_MANY 12

#endif
