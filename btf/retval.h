/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs return, by the names that the kernel's headers have for it. Pure.
 *
 * A type is named as libbpf and reports do: "xdp", "sched_cls".
 */
#ifndef BPROF_RETVAL_H
#define BPROF_RETVAL_H

#include <stddef.h>
#include <linux/types.h>

/* "XDP_DROP"; NULL: a program of that type returns no such value, or its values have no names. */
const char *retval__name(const char *type, __u32 value);

#define RETVAL_SZ 32
/* The name, or where there is none the number: "-1", "7". Returns buf, of RETVAL_SZ bytes. */
const char *retval__format(const char *type, __u32 value, char *buf);

/*
 * A name of that type's, in upper or lower case, or a number: decimal or 0x…, which may be negative.
 * type NULL: any type's names will do. 0, or -EINVAL: neither, or not within 32 bits.
 */
int retval__parse(const char *type, const char *text, __u32 *value);

/*
 * The names that there are, for people: "XDP_ABORTED, XDP_DROP, …"; "" where the type has none; cut
 * off at sz. Returns buf.
 */
const char *retval__list(const char *type, char *buf, size_t sz);

#endif
