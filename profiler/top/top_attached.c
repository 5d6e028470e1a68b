// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Texts that say where the programs of bprof top are attached. Decides when the attachments are
 * read again; must not know what the list looks like.
 */
#include "base/util.h"
#include "btf/prog.h"
#include "target/target.h"
#include "top/top_attached.h"

/* The maximum age of the texts; NEW_AGE_NS: if a program was loaded after they were made. */
#define MAX_AGE_NS (60 * 1000 * NSEC_PER_MSEC)
#define NEW_AGE_NS (5 * 1000 * NSEC_PER_MSEC)

const char *top_attached__find(void *arg, __u32 id)
{
	struct top_attached *a = arg;
	__u64 now = now_ns(), max_age;
	unsigned int sources = 0;

	if (id > a->newest)
		a->newest = id;
	max_age = a->newest > a->loaded ? NEW_AGE_NS : MAX_AGE_NS;
	if (a->targets && (!a->loaded_ns || now - a->loaded_ns >= max_age)) {
		attachments__free(&a->all);
		for (int i = 0; i < a->targets->cnt; i++)
			sources |= attachments__sources(a->targets->v[i].prog->info.type);
		/* Not ATTACH_PERF: searching the open files of all processes takes too long. */
		attachments__load(&a->all, sources & ~ATTACH_PERF);
		a->loaded_ns = now;
		a->loaded = a->newest;
	}
	return attachments__describe(&a->all, id, a->text, sizeof(a->text));
}
