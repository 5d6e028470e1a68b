/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads the programs of a foreign object that the kernel accepts, and makes them run if that is
 * possible without knowing them.
 */
#ifndef KTEST_OBJECTS_H
#define KTEST_OBJECTS_H

struct objects;

/*
 * Returns NULL if there is no memory. The result is never freed: the programs stay loaded until the
 * process ends.
 */
struct objects *objects__new(void);

/*
 * Loads the programs of an object, including programs that libbpf would not load by default. Leaves
 * out programs that the kernel refuses according to their source. If the kernel refuses one of the
 * others, loads each program alone. Attaches tracing programs, iterators, and programs for sockets
 * of cgroups. Prints a line "ID TYPE NAME PATH" for each loaded program. Returns the number of
 * loaded programs.
 */
int objects__load(struct objects *o, const char *path);

/* Starts a thread that runs the programs until the process ends. Returns 0 or -errno. */
int objects__drive(struct objects *o);

#endif
