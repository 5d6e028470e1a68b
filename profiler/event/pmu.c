// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads PMUs from sysfs. Owns the layout of /sys/bus/event_source/devices/<pmu>/ and the format of
 * its files. Does not know the syntax of -e; opens no event.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "event/pmu.h"

/*
 * PMUs that bprof refuses: their events need more than numbers in perf_event_attr, or have another
 * syntax.
 */
static const struct {
	const char *name, *why;
} refused_pmus[] = {
	{"breakpoint", "bprof cannot count breakpoints"},
	{"kprobe", "bprof cannot count kprobes"},
	{"tracepoint", "give the tracepoint's name, such as sched:sched_switch"},
	{"uprobe", "bprof cannot count uprobes"},
};

const char *pmu__refused(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused_pmus); i++) {
		if (!strcmp(name, refused_pmus[i].name))
			return refused_pmus[i].why;
	}
	return NULL;
}

/* Returns true if a name from the command line or sysfs is safe as a component of a path. */
static bool is_sysfs_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Returns false for files in events/ such as "name.unit", which belong to the event "name". */
static bool is_event_name(const char *name)
{
	static const char *const suffixes[] = {".unit", ".scale", ".snapshot", ".per-pkg"};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(name + len - n, suffixes[i]))
			return false;
	}
	return is_sysfs_name(name);
}

static int is_event_file(const struct dirent *d)
{
	return is_event_name(d->d_name);
}

void pmu__free_names(char **names, int cnt)
{
	for (int i = 0; i < cnt; i++)
		free(names[i]);
	free(names);
}

/* Lists the names in a directory that filter() accepts, sorted. Returns 0 or -errno. */
static int list_dir(const char *path, int (*filter)(const struct dirent *), char ***names, int *cnt)
{
	struct dirent **entry = NULL;
	int n = scandir(path, &entry, filter, alphasort);

	*names = NULL;
	*cnt = 0;
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		char **name = array__add(names, cnt, sizeof(**names));

		*name = xstrdup(entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return 0;
}

int pmu__list_names(const char *sysfs, char ***names, int *cnt)
{
	return list_dir(sysfs, is_visible, names, cnt);
}

static bool pmu_has_event(const char *sysfs, const char *pmu, const char *event)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s/events/%s", sysfs, pmu, event) >= PATH_MAX)
		return false;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

int pmu__list_with_event(const char *sysfs, const char *event, char ***names, int *cnt)
{
	int err = list_dir(sysfs, is_visible, names, cnt);
	int kept = 0;

	if (err)
		return err;
	for (int i = 0; i < *cnt; i++) {
		if (is_event_name(event) && pmu_has_event(sysfs, (*names)[i], event))
			(*names)[kept++] = (*names)[i];
		else
			free((*names)[i]);
	}
	*cnt = kept;
	return 0;
}

/*
 * Parses a range of bits ("0-7", "32") at *s into *mask and moves *s behind the range. Returns 0 or
 * -EINVAL.
 */
static int parse_bits(const char **s, __u64 *mask)
{
	unsigned long first, last;
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	first = last = strtoul(*s, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		last = strtoul(end + 1, &end, 10);
	}
	if (last > 63 || first > last)
		return -EINVAL;
	*s = end;
	*mask = (~0ULL >> (63 - last)) & (~0ULL << first);
	return 0;
}

const char *const pmu_config_names[PMU_CONFIG_CNT] = {"config", "config1", "config2", "config3"};

int pmu_format__parse(const char *text, int *word, __u64 *mask)
{
	size_t len = strcspn(text, ":");
	const char *s = text + len;
	__u64 bits;

	*mask = 0;
	for (*word = 0; *word < PMU_CONFIG_CNT; (*word)++) {
		if (strlen(pmu_config_names[*word]) == len &&
		    !memcmp(pmu_config_names[*word], text, len))
			break;
	}
	if (*word == PMU_CONFIG_CNT || !*s)
		return -EINVAL;
	do {
		s++;
		/* Refuse a format that names a bit twice. */
		if (parse_bits(&s, &bits) || (*mask & bits)) {
			*mask = 0;
			return -EINVAL;
		}
		*mask |= bits;
	} while (*s == ',');
	if (*s)
		*mask = 0;
	return *s ? -EINVAL : 0;
}

__u64 pmu_format__max(const struct pmu_format *f)
{
	int bits = __builtin_popcountll(f->mask);

	return bits ? ~0ULL >> (64 - bits) : 0;
}

int pmu_format__set(const struct pmu_format *f, __u64 value, __u64 *config)
{
	if (value > pmu_format__max(f))
		return -ERANGE;
	config[f->word] &= ~f->mask;
	for (__u64 rest = f->mask; rest; rest &= rest - 1) {
		if (value & 1)
			config[f->word] |= rest & -rest;
		value >>= 1;
	}
	return 0;
}

const struct pmu_format *pmu__find_format(const struct pmu *pmu, const char *name, size_t len)
{
	for (int i = 0; i < pmu->format_cnt; i++) {
		if (strlen(pmu->format[i].name) == len && !memcmp(pmu->format[i].name, name, len))
			return &pmu->format[i];
	}
	return NULL;
}

const char *pmu__find_event(const struct pmu *pmu, const char *name, size_t len)
{
	for (int i = 0; i < pmu->event_cnt; i++) {
		if (strlen(pmu->event[i]) == len && !memcmp(pmu->event[i], name, len))
			return pmu->event[i];
	}
	return NULL;
}

/* Reads the file <pmu>/<dir><name><suffix>. Returns 0 or -errno. */
static int read_pmu_file(const struct pmu *pmu, const char *dir, const char *name,
			 const char *suffix, char **out)
{
	char *path;
	int err;

	*out = NULL;
	path = text__format("%s/%s%s%s", pmu->path, dir, name, suffix);
	err = read_file(path, out);
	free(path);
	return err;
}

/* Returns true if an error of opening a file means that there is no file with that name. */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ENAMETOOLONG;
}

/* Sets *reason: a file or directory of the PMU cannot be read. Returns -EINVAL. */
static int cannot_read(const struct pmu *pmu, const char *name, int err, struct reason *reason)
{
	return reason__fail(reason, -EINVAL, "sysfs: %.64s of PMU '%.64s' cannot be read: %s", name,
			    pmu->name, strerror(-err));
}

static int read_type(struct pmu *pmu, struct reason *reason)
{
	char *text;
	__u64 type;
	int err = read_pmu_file(pmu, "", "type", "", &text);

	if (err)
		return reason__fail(reason, -EINVAL, "sysfs has no type for PMU '%.64s': %s",
				    pmu->name, strerror(-err));
	/* The kernel allocates types with idr_alloc(), so they are positive ints. */
	err = parse_u64(text, INT_MAX, &type);
	if (err)
		err = reason__fail(reason, -EINVAL,
				   "sysfs: the type of PMU '%.64s' is '%.32s', not a number",
				   pmu->name, text);
	else
		pmu->type = type;
	free(text);
	return err;
}

static int read_formats(struct pmu *pmu, struct reason *reason)
{
	char path[PATH_MAX], **names;
	int cnt, err;

	if (snprintf(path, sizeof(path), "%s/format", pmu->path) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = list_dir(path, is_visible, &names, &cnt);
	if (is_absent(err)) /* the PMU has no formats */
		return 0;
	if (err)
		return cannot_read(pmu, "format", err, reason);
	for (int i = 0; i < cnt; i++) {
		struct pmu_format *f = array__add(&pmu->format, &pmu->format_cnt, sizeof(*f));

		f->name = names[i];
		names[i] = NULL;
		err = read_pmu_file(pmu, "format/", f->name, "", &f->text);
		/*
		 * A format that cannot be read or parsed is an error only when an event uses the
		 * format.
		 */
		if (err)
			f->text = xstrdup("unreadable");
		(void)pmu_format__parse(f->text, &f->word, &f->mask);
	}
	pmu__free_names(names, cnt);
	return 0;
}

static int read_event_names(struct pmu *pmu, struct reason *reason)
{
	char path[PATH_MAX];
	int err;

	if (snprintf(path, sizeof(path), "%s/events", pmu->path) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = list_dir(path, is_event_file, &pmu->event, &pmu->event_cnt);
	return !err || is_absent(err) ? 0 : cannot_read(pmu, "events", err, reason);
}

/*
 * Reads the CPUs on which the PMU counts. The file is called "cpus" for a core PMU that exists only
 * on some CPUs (arm big.LITTLE, Intel hybrid), and "cpumask" for other PMUs.
 */
static int read_cpus(struct pmu *pmu, struct reason *reason)
{
	static const char *const files[] = {"cpumask", "cpus"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *text;
		int err = read_pmu_file(pmu, "", files[i], "", &text);

		if (is_absent(err))
			continue;
		if (err)
			return cannot_read(pmu, files[i], err, reason);
		err = cpus__parse(text, &pmu->cpus, NULL);
		if (err == -EINVAL)
			reason__fail(reason, err,
				     "sysfs: %s of PMU '%.64s' is '%.32s', not a list of CPUs",
				     files[i], pmu->name, text);
		free(text);
		return err;
	}
	return 0;
}

int pmu__new(const char *sysfs, const char *name, struct pmu **out, struct reason *reason)
{
	struct pmu *pmu;
	struct stat st;
	int err;

	*out = NULL;
	reason__set(reason, REASON_NONE, 0, NULL);
	if (!is_sysfs_name(name))
		return reason__fail(reason, -ENOENT, NULL);
	pmu = xcalloc(1, sizeof(*pmu));
	pmu->name = xstrdup(name);
	pmu->path = text__format("%s/%s", sysfs, name);
	err = stat(pmu->path, &st) ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOENT;
	if (err)
		err = is_absent(err) ? -ENOENT : cannot_read(pmu, "the directory", err, reason);
	err = err ?: read_type(pmu, reason);
	err = err ?: read_formats(pmu, reason);
	err = err ?: read_event_names(pmu, reason);
	err = err ?: read_cpus(pmu, reason);
	if (err) {
		if (!reason->err)
			reason__fail(reason, err, NULL);
		pmu__free(pmu);
		pmu = NULL;
	}
	*out = pmu;
	return err;
}

void pmu__free(struct pmu *pmu)
{
	if (!pmu)
		return;
	for (int i = 0; i < pmu->format_cnt; i++) {
		free(pmu->format[i].name);
		free(pmu->format[i].text);
	}
	free(pmu->format);
	pmu__free_names(pmu->event, pmu->event_cnt);
	cpus__free(&pmu->cpus);
	free(pmu->name);
	free(pmu->path);
	free(pmu);
}

/* Parses the contents of a .scale file. Returns 0 or -EINVAL. */
static int parse_scale(const char *text, double *scale)
{
	char *end;

	*scale = strtod(text, &end);
	return end != text && !*end && isfinite(*scale) && *scale > 0 ? 0 : -EINVAL;
}

/*
 * Reads a file of an event, such as "name.unit". may_lack: the file need not exist; *text is then
 * NULL. Returns 0, or the same errors as pmu__new().
 */
static int read_event_file(const struct pmu *pmu, const char *name, const char *suffix,
			   bool may_lack, char **text, struct reason *reason)
{
	int err = read_pmu_file(pmu, "events/", name, suffix, text);

	if (!err || (may_lack && is_absent(err)))
		return 0;
	return reason__fail(reason, -EINVAL,
			    "sysfs: event '%.64s%s' of PMU '%.64s' cannot be read: %s", name,
			    suffix, pmu->name, strerror(-err));
}

int pmu__read_event(const struct pmu *pmu, const char *name, struct pmu_event *out,
		    struct reason *reason)
{
	char *scale = NULL, *snapshot = NULL;
	int err;

	*out = (struct pmu_event){.scale = 1};
	err = read_event_file(pmu, name, "", false, &out->terms, reason)
		      ?: read_event_file(pmu, name, ".unit", true, &out->unit, reason)
		      ?: read_event_file(pmu, name, ".scale", true, &scale, reason)
		      ?: read_event_file(pmu, name, ".snapshot", true, &snapshot, reason);
	if (!err && scale && parse_scale(scale, &out->scale))
		err = reason__fail(reason, -EINVAL,
				   "sysfs: the scale of %.64s/%.64s/ is '%.32s', not a positive "
				   "number",
				   pmu->name, name, scale);
	out->snapshot = snapshot;
	free(scale);
	free(snapshot);
	if (err)
		pmu_event__free(out);
	return err;
}

void pmu_event__free(struct pmu_event *ev)
{
	free(ev->terms);
	free(ev->unit);
	*ev = (struct pmu_event){.scale = 1};
}
