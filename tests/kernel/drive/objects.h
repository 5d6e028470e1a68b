/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads whatever the kernel accepts of an object that others wrote, and makes it run as far as
 * that is possible without knowing it.
 */
#ifndef KTEST_OBJECTS_H
#define KTEST_OBJECTS_H

struct objects;

/*
 * Loads each program of the object alone, also those that libbpf would not load by default, and
 * attaches those that trace, and iterators. Prints a line "ID TYPE NAME" for each program that was
 * loaded. Sets *out, which is never freed: the programs stay until the process ends. Returns their
 * number, or -errno if the object cannot be opened.
 */
int objects__load(const char *path, struct objects **out);

/* Starts a thread that runs the programs until the process ends. Returns 0 or -errno. */
int objects__drive(struct objects *o);

#endif
