/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of bprof watch -j, sorted by program.
 */
#ifndef KTEST_WATCH_STORY_H
#define KTEST_WATCH_STORY_H

#include <stdbool.h>
#include <jansson.h>
#include <linux/types.h>

#define MAX_PROGS 2000

struct run;

/* The loads and unloads of one program that bprof watch has shown. */
struct watch_seen {
	__u32 id;
	int there, loads, unloads, missed;
	bool in_order;
	json_int_t pid;
	char comm[16];
};

struct watch_story {
	struct watch_seen prog[MAX_PROGS];
	int cnt;
	json_int_t lost;
};

/* Reads the output, in which every line is one JSON object. The result is valid until the next call. */
struct watch_story *watch_story__read(const struct run *r);
/* Returns what bprof has shown of a program. If it has shown nothing, adds an empty element. */
struct watch_seen *watch_story__seen(struct watch_story *s, __u32 id);

#endif
