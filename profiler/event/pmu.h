/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A PMU as sysfs describes it: its type, the bits that each term sets, its named events, its CPUs
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}). Reads files of sysfs
 * below a root that the caller gives, and does not trust the files' contents. Opens no event and
 * prints nothing.
 */
#ifndef BPROF_PMU_H
#define BPROF_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "host/cpus.h"

struct reason;

#define PMU_CONFIG_CNT 4
extern const char *const pmu_config_names[PMU_CONFIG_CNT]; /* "config", "config1", … */

/* A file in format/: the bits of perf_event_attr that a term's value sets. */
struct pmu_format {
	char *name;
	char *text; /* the contents of the file: "config:0-7,32-35" */
	int word;   /* index of the config word: 0 for config, 1 for config1, … */
	/*
	 * The bits of the word that a value sets. The value's lowest bit goes into the lowest of
	 * these bits. 0 if text is invalid.
	 */
	__u64 mask;
};

/* A file in events/, with its .unit, .scale and .snapshot files. */
struct pmu_event {
	char *terms;  /* the contents of the file: "event=0x3c,umask=0x1" */
	char *unit;   /* NULL if there is no .unit file */
	double scale; /* 1 if there is no .scale file */
	/* the value is momentary: the difference between two readings has no meaning */
	bool snapshot;
};

struct pmu {
	char *name;
	char *path;		   /* the PMU's directory in sysfs */
	__u32 type;		   /* the type in perf_event_attr */
	struct pmu_format *format; /* sorted by name */
	int format_cnt;
	char **event; /* the names of the PMU's events, sorted */
	int event_cnt;
	struct cpus cpus; /* the CPUs on which the PMU counts; empty: all CPUs */
};

/*
 * Reads the PMU called name. Returns 0, or an error with *reason: -ENOENT if there is no such PMU,
 * -EINVAL if sysfs has invalid contents. The caller frees *out with pmu__free().
 */
int pmu__new(const char *sysfs, const char *name, struct pmu **out, struct reason *reason);
void pmu__free(struct pmu *pmu); /* pmu may be NULL */

/* Returns the format called name, or NULL. name need not be NUL-terminated. */
const struct pmu_format *pmu__find_format(const struct pmu *pmu, const char *name, size_t len);
/* Returns the element of pmu->event that equals name, or NULL. name need not be NUL-terminated. */
const char *pmu__find_event(const struct pmu *pmu, const char *name, size_t len);
/*
 * Reads one event of pmu->event. Returns the same errors as pmu__new(). The caller frees the
 * contents of *out with pmu_event__free().
 */
int pmu__read_event(const struct pmu *pmu, const char *name, struct pmu_event *out,
		    struct reason *reason);
void pmu_event__free(struct pmu_event *ev);

/* Parses the text of a format file into word and mask. Returns 0 or -EINVAL. */
int pmu_format__parse(const char *text, int *word, __u64 *mask);
/* Returns the largest value that fits into the format's bits. */
__u64 pmu_format__max(const struct pmu_format *f);
/*
 * Sets the format's bits in config[PMU_CONFIG_CNT] to value. Returns 0, or -ERANGE if value does
 * not fit.
 */
int pmu_format__set(const struct pmu_format *f, __u64 value, __u64 *config);

/*
 * Lists the names of all PMUs in ascending order. Returns 0 or -errno. The caller frees the names
 * with pmu__free_names().
 */
int pmu__list_names(const char *sysfs, char ***names, int *cnt);
/* Like pmu__list_names(), but lists only the PMUs that have the event. */
int pmu__list_with_event(const char *sysfs, const char *event, char ***names, int *cnt);
void pmu__free_names(char **names, int cnt);

/* Returns the reason why bprof accepts no event of this PMU ("bprof cannot count kprobes"), or NULL. */
const char *pmu__refused(const char *name);

#endif
