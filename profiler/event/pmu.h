/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A PMU as sysfs describes it: its type, the bits that each term sets, its named events, its CPUs
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}). Reads files below a
 * given root, opens no event, prints nothing. Does not trust the contents of sysfs.
 */
#ifndef BPROF_PMU_H
#define BPROF_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "kernel/cpus.h"

struct reason;

#define PMU_CONFIG_CNT 4 /* config, config1, config2, config3 */

/* A file in format/: where a term's value goes in perf_event_attr. */
struct pmu_format {
	char *name;
	char *text; /* as in the file: "config:0-7,32-35" */
	int word;   /* index of the config word */
	__u64 mask; /* its bits, lowest first; 0: text is invalid */
};

/* A file in events/, with the files that belong to it. */
struct pmu_event {
	char *terms;   /* "event=0x3c,umask=0x1" */
	char *unit;    /* NULL: none */
	double scale;  /* 1 if there is none */
	bool snapshot; /* a momentary value: two readings have no meaningful difference */
};

struct pmu {
	char *name;
	char *path;		   /* its directory */
	__u32 type;		   /* perf_event_attr.type */
	struct pmu_format *format; /* sorted by name */
	int format_cnt;
	char **event; /* sorted names of its events */
	int event_cnt;
	struct cpus cpus; /* the only CPUs on which it counts; empty: any */
};

/*
 * Reads the PMU called name. Returns 0, or -errno with *reason. -ENOENT: no such PMU; -EINVAL:
 * invalid contents of sysfs; -ENOMEM. The caller frees *out with pmu__free().
 */
int pmu__new(const char *sysfs, const char *name, struct pmu **out, struct reason *reason);
void pmu__free(struct pmu *pmu); /* NULL is fine */

/* Returns the format called name (not terminated), or NULL. */
const struct pmu_format *pmu__find_format(const struct pmu *pmu, const char *name, size_t len);
/* Returns the element of pmu->event equal to name (not terminated), or NULL. */
const char *pmu__find_event(const struct pmu *pmu, const char *name, size_t len);
/*
 * Reads one event of pmu->event. Errors as for pmu__new(); the caller frees *out's contents with
 * pmu_event__free().
 */
int pmu__read_event(const struct pmu *pmu, const char *name, struct pmu_event *out,
		    struct reason *reason);
void pmu_event__free(struct pmu_event *ev);

/* Parses the text of a format file into word and mask. Returns 0 or -EINVAL. */
int pmu_format__parse(const char *text, int *word, __u64 *mask);
/* Returns the largest value that fits into the bits. */
__u64 pmu_format__max(const struct pmu_format *f);
/*
 * Sets the format's bits of config[PMU_CONFIG_CNT] to value. Returns 0, or -ERANGE: it does not
 * fit.
 */
int pmu_format__set(const struct pmu_format *f, __u64 value, __u64 *config);

/*
 * Lists the names of all PMUs in ascending order. Returns 0 or -errno. The caller frees them with
 * pmu__free_names().
 */
int pmu__list_names(const char *sysfs, char ***names, int *cnt);
/* The same for the PMUs that have an event of that name. */
int pmu__list_with_event(const char *sysfs, const char *event, char ***names, int *cnt);
void pmu__free_names(char **names, int cnt);

/* Returns why bprof can count no event of this PMU ("tracepoints …"), or NULL. */
const char *pmu__refused(const char *name);

#endif
