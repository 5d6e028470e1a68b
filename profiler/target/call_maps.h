/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The maps that programs may pass to kernel functions (--calls), and the addresses of these maps in
 * the kernel.
 */
#ifndef BPROF_CALL_MAPS_H
#define BPROF_CALL_MAPS_H

#include <linux/types.h>
#include <stdbool.h>

struct called;
struct prog;

/* A map of a program. */
struct call_map {
	__u32 prog_id, id;
	/* "NAME"; or "NAME#2" and so on, if another map of the program has the same name; owned */
	char *name;
	char type[32];
	bool wanted;   /* set by the caller: call_maps__locate() shall find the address */
	__u64 address; /* address in the kernel; 0: not known */
};

/* The caller frees it with call_maps__free(). */
struct call_maps {
	struct call_map *v;
	int cnt;
};

/* Adds those maps of a program that can be read, unless this program was the last one added. */
void call_maps__add_prog(struct call_maps *maps, struct prog *p);
/* Returns the index of the map with that id of that program, or -1. */
int call_maps__find(const struct call_maps *maps, __u32 prog_id, __u32 id);
/* Finds the addresses of the wanted maps. Prints a warning if that is impossible. */
void call_maps__locate(struct call_maps *maps);
void call_maps__free(struct call_maps *maps);

/* Copies the map to *called, which owns its copy of the name. */
void call_map__copy(const struct call_map *map, struct called *called);

#endif
