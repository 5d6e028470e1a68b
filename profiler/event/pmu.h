/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A PMU as sysfs describes it: its type, the bits that each term sets, its named events, its CPUs
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}). Reads files below a
 * given root, opens no event, prints nothing. What sysfs says is not trusted.
 */
#ifndef BPROF_PMU_H
#define BPROF_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "kernel/cpus.h"

struct reason;

#define PMU_CONFIG_CNT 4 /* config, config1, config2, config3 */

/* One file in format/: where in perf_event_attr a term's value goes. */
struct pmu_format {
	char *name;
	char *text; /* as the kernel says it: "config:0-7,32-35" */
	int word;   /* index of the config… it is in */
	__u64 mask; /* its bits, a value's lowest to the lowest; 0: text makes no sense */
};

/* One file in events/, with the files beside it. */
struct pmu_event {
	char *terms;   /* "event=0x3c,umask=0x1" */
	char *unit;    /* NULL: none */
	double scale;  /* 1 where none is given */
	bool snapshot; /* a momentary value: two readings have no meaningful difference */
};

struct pmu {
	char *name;
	char *path;		   /* its directory */
	__u32 type;		   /* perf_event_attr.type */
	struct pmu_format *format; /* by name */
	int format_cnt;
	char **event; /* names of its events, by name */
	int event_cnt;
	struct cpus cpus; /* the only CPUs it counts on; empty: any */
};

/*
 * Reads the PMU of that name. 0; -errno with *reason. -ENOENT: there is none; -EINVAL: sysfs makes no
 * sense; -ENOMEM. The caller frees *out with pmu__free().
 */
int pmu__new(const char *sysfs, const char *name, struct pmu **out, struct reason *reason);
void pmu__free(struct pmu *pmu); /* NULL is fine */

/* The format of that name (not terminated); NULL: none. */
const struct pmu_format *pmu__find_format(const struct pmu *pmu, const char *name, size_t len);
/* The name in pmu->event equal to that one (not terminated); NULL: none. */
const char *pmu__find_event(const struct pmu *pmu, const char *name, size_t len);
/* Reads one of pmu->event. As pmu__new(); the caller empties *out with pmu_event__free(). */
int pmu__read_event(const struct pmu *pmu, const char *name, struct pmu_event *out,
		    struct reason *reason);
void pmu_event__free(struct pmu_event *ev);

/* Parses the text of a format file into word and mask. 0 or -EINVAL. */
int pmu_format__parse(const char *text, int *word, __u64 *mask);
/* The largest value whose bits fit. */
__u64 pmu_format__max(const struct pmu_format *f);
/*
 * Puts value into its bits of config[PMU_CONFIG_CNT], replacing what was there. 0, -ERANGE: does
 * not fit.
 */
int pmu_format__set(const struct pmu_format *f, __u64 value, __u64 *config);

/* The names of all PMUs, ascending. 0, -errno. The caller frees them with pmu__free_names(). */
int pmu__list_names(const char *sysfs, char ***names, int *cnt);
/* Those of the PMUs that have an event of that name. */
int pmu__list_with_event(const char *sysfs, const char *event, char ***names, int *cnt);
void pmu__free_names(char **names, int cnt);

/* Why no event of this PMU can be counted by bprof ("tracepoints …"); NULL: it may. */
const char *pmu__refused(const char *name);

#endif
