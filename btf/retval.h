/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of programs' return values, as in the kernel's headers. Prints nothing, and does not access
 * the kernel. The names of types are those of libbpf and reports: "xdp", "sched_cls".
 */
#ifndef BPROF_RETVAL_H
#define BPROF_RETVAL_H

#include <stddef.h>
#include <linux/types.h>

/*
 * Returns the name of a value, such as "XDP_DROP". Returns NULL if the value has no name in that
 * program type.
 */
const char *retval__name(const char *type, __u32 value);

#define RETVAL_SZ 32
/*
 * Writes the name, or the number ("-1", "7") if there is no name, into buf of RETVAL_SZ bytes.
 * Returns buf.
 */
const char *retval__format(const char *type, __u32 value, char *buf);

/*
 * Parses a name of that type, ignoring case, or a number: decimal or 0x…, which may be negative.
 * type NULL: the names of all types are allowed. Returns 0, or -EINVAL if the text is neither a
 * name nor a number, or if the number does not fit into 32 bits.
 */
int retval__parse(const char *type, const char *text, __u32 *value);

/*
 * Writes a list of the type's names, such as "XDP_ABORTED, XDP_DROP, …", into buf, cut to sz bytes.
 * Writes "" if the type has no names. Returns buf.
 */
const char *retval__list(const char *type, char *buf, size_t sz);

#endif
