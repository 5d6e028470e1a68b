/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads whatever the kernel accepts of an object that others wrote, and makes it run as far as
 * that is possible without knowing it.
 */
#ifndef KTEST_OBJECTS_H
#define KTEST_OBJECTS_H

struct objects;

/* Returns NULL if there is no memory. Is never freed: the programs stay until the process ends. */
struct objects *objects__new(void);

/*
 * Loads the programs of an object, also those that libbpf would not load by default, but none that
 * its source says is refused; if the kernel refuses one of them, each alone. Attaches those that
 * trace, and iterators. Prints a line "ID TYPE NAME PATH" for each program that was loaded. Returns
 * their number.
 */
int objects__load(struct objects *o, const char *path);

/* Starts a thread that runs the programs until the process ends. Returns 0 or -errno. */
int objects__drive(struct objects *o);

#endif
