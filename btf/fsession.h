/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fsession: a tracing program that runs at a function's entry and at its return (Linux 7.0).
 */
#ifndef BPROF_FSESSION_H
#define BPROF_FSESSION_H

/* BPF_TRACE_FSESSION of include/uapi/linux/bpf.h, which may be missing in the build's headers. */
#define ATTACH_TYPE_FSESSION 58

/* The name of bprof's programs of this type. */
#define FSESSION_PROBE "bprof_fsession"

#endif
