/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile in the format of pprof (github.com/google/pprof), built piece by piece. Strings are
 * copied. Unprintable characters in them are escaped, because pprof's tools print the strings to a
 * terminal.
 */
#ifndef BPROF_PPROF_H
#define BPROF_PPROF_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <linux/types.h>

struct pprof;

struct pprof *pprof__new(void);
void pprof__free(struct pprof *p); /* p may be NULL */

void pprof__set_time(struct pprof *p, const struct timespec *start, __u64 duration_ns);
/* Says that a sample was taken about every "period" occurrences of an event. */
void pprof__set_period(struct pprof *p, const char *event, const char *unit, __u64 period);
void pprof__add_comment(struct pprof *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds a type of value, such as "cycles" with the unit "count". Each sample has a value of each
 * type. preferred: pprof's tools show this type first.
 */
void pprof__add_type(struct pprof *p, const char *type, const char *unit, bool preferred);

/*
 * These functions return the number of the added element, which identifies it in calls that add other
 * elements. Mappings get made-up addresses: the real address of a program means nothing on another machine.
 */
/* Adds a program of sz bytes. build_id identifies its code. */
__u64 pprof__add_mapping(struct pprof *p, const char *name, const char *build_id, __u64 sz);
/*
 * Adds a function. If the function was added before, only returns its number. file is "" if it is
 * not known.
 */
__u64 pprof__add_function(struct pprof *p, const char *name, const char *file);
/* Adds a place: an offset in a mapping, and a line of a function. line is 0 if it is not known. */
__u64 pprof__add_location(struct pprof *p, __u64 mapping, __u64 offset, __u64 function, __u32 line);

/*
 * Adds a sample. path has the cnt locations of its call path, the called function first. values has
 * a value for each type, in the order in which the types were added.
 */
void pprof__add_sample(struct pprof *p, const __u64 *path, int cnt, const __s64 *values);
/* Labels the sample that was added last. */
void pprof__add_label(struct pprof *p, const char *key, const char *value);

/*
 * Writes the profile to out, compressed, as in a file. Equal profiles give equal bytes. The caller
 * checks the errors of out.
 */
void pprof__write(const struct pprof *p, FILE *out);

#endif
