/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of programs' return values, as in the kernel's headers. Pure.
 *
 * A type is named as in libbpf and reports: "xdp", "sched_cls".
 */
#ifndef BPROF_RETVAL_H
#define BPROF_RETVAL_H

#include <stddef.h>
#include <linux/types.h>

/*
 * Returns the name of a value, as "XDP_DROP"; NULL if programs of that type return no such value or
 * its values have no names.
 */
const char *retval__name(const char *type, __u32 value);

#define RETVAL_SZ 32
/*
 * Writes the name into buf of RETVAL_SZ bytes, or the number if there is no name: "-1", "7".
 * Returns buf.
 */
const char *retval__format(const char *type, __u32 value, char *buf);

/*
 * Parses a name of that type, ignoring case, or a number: decimal or 0x…, which may be negative.
 * type NULL: the names of all types are allowed. Returns 0, or -EINVAL: neither, or more than 32
 * bits.
 */
int retval__parse(const char *type, const char *text, __u32 *value);

/*
 * Lists the names for people: "XDP_ABORTED, XDP_DROP, …"; "" if the type has none; cut off at sz.
 * Returns buf.
 */
const char *retval__list(const char *type, char *buf, size_t sz);

#endif
