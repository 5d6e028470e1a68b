// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Owns the form of a function's label. Must not know who shows or reads labels. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/bpf_fn.h"
#include "btf/func_label.h"
#include "btf/line_table.h"

/* A longer file name loses its beginning. */
#define MAX_FILE 64

static int compare_types(const void *a, const void *b)
{
	const struct bpf_fn *x = *(struct bpf_fn *const *)a, *y = *(struct bpf_fn *const *)b;

	return (x->type_id > y->type_id) - (x->type_id < y->type_id) ?: (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	const struct bpf_fn *x = *(struct bpf_fn *const *)a, *y = *(struct bpf_fn *const *)b;

	return strcmp(x->name, y->name) ?: (x > y) - (x < y);
}

static int compare_places(const void *a, const void *b)
{
	const struct bpf_fn *x = *(struct bpf_fn *const *)a, *y = *(struct bpf_fn *const *)b;

	return strcmp(x->own_label, y->own_label) ?: (x > y) - (x < y);
}

/*
 * Writes the last part of a path to buf, which has MAX_FILE + 1 bytes. Replaces the characters that names of
 * functions must not contain, because labels are written to terminals, and scripts split them at spaces.
 */
static void copy_file(const char *path, char *buf)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	size_t len = strlen(file);

	snprintf(buf, MAX_FILE + 1, "%s", len > MAX_FILE ? file + len - MAX_FILE : file);
	for (; *buf; buf++)
		if (*buf <= ' ' || *buf >= 0x7f || strchr(LABEL_SEPARATORS, *buf))
			*buf = '_';
}

/* Labels a function with the line of its first instruction, or only with its name if the line is unknown. */
static void set_place(struct bpf_fn *fn, const struct bpf_line *lines, __u32 cnt)
{
	__u32 at = COUNT_BELOW(lines, cnt, insn_off, fn->insn_off);
	char file[MAX_FILE + 1];

	free(fn->own_label);
	if (at < cnt && lines[at].insn_off == fn->insn_off && *lines[at].file) {
		copy_file(lines[at].file, file);
		fn->own_label = text__format("%s@%s:%u", fn->name, file, lines[at].line);
	} else {
		fn->own_label = xstrdup(fn->name);
	}
}

/* Appends "#K" to the labels of functions at the same place, or of functions without a place. */
static void number_labels(struct bpf_fn **fn, __u32 cnt)
{
	char *place = xstrdup(fn[0]->own_label);

	for (__u32 i = 0; i < cnt; i++) {
		free(fn[i]->own_label);
		fn[i]->own_label = text__format("%s#%u", place, i + 1);
	}
	free(place);
}

/* Labels functions of the same name. */
static void label_group(struct bpf_fn **fn, __u32 cnt, const struct bpf_line *lines, __u32 line_cnt)
{
	__u32 same;

	for (__u32 i = 0; i < cnt; i++)
		set_place(fn[i], lines, line_cnt);
	qsort(fn, cnt, sizeof(*fn), compare_places);
	for (__u32 i = 0; i < cnt; i += same) {
		const char *place = fn[i]->own_label;

		for (same = 1; i + same < cnt && !strcmp(fn[i + same]->own_label, place); same++)
			;
		if (same > 1 || !strcmp(place, fn[i]->name))
			number_labels(&fn[i], same);
	}
	for (__u32 i = 0; i < cnt; i++)
		fn[i]->label = fn[i]->own_label;
}

bool func_label__set(struct bpf_fn *fn, __u32 cnt, const struct bpf_line *lines, __u32 line_cnt)
{
	struct bpf_fn **sorted = xcalloc(cnt, sizeof(*sorted));
	bool has_namesakes = false;
	__u32 same;

	for (__u32 i = 0; i < cnt; i++) {
		sorted[i] = &fn[i];
		fn[i].label = fn[i].name;
	}
	qsort(sorted, cnt, sizeof(*sorted), compare_types);
	for (__u32 i = 0; i < cnt; i++)
		sorted[i]->first = i && sorted[i]->type_id == sorted[i - 1]->type_id
					   ? sorted[i - 1]->first
					   : sorted[i] - fn;
	qsort(sorted, cnt, sizeof(*sorted), compare_names);
	for (__u32 i = 0; i < cnt; i += same) {
		/* The entry function is the first of its group, and keeps its name as its label. */
		bool entry = sorted[i] == fn;

		for (same = 1; i + same < cnt && !strcmp(sorted[i]->name, sorted[i + same]->name);
		     same++)
			;
		if (same == 1)
			continue;
		has_namesakes = true;
		label_group(&sorted[i + entry], same - entry, lines, line_cnt);
	}
	free(sorted);
	return has_namesakes;
}

bool func_label__matches(const char *label, const char *glob)
{
	size_t len = strcspn(label, LABEL_SEPARATORS);
	char *name;
	bool is;

	if (!strcmp(label, glob) || !fnmatch(glob, label, 0))
		return true;
	if (!label[len])
		return false;
	name = xstrndup(label, len);
	is = name && !fnmatch(glob, name, 0);
	free(name);
	return is;
}

bool func_label__is_moved(const char *a, const char *b)
{
	const char *line_a = strrchr(a, ':'), *line_b = strrchr(b, ':');

	/*
	 * Require an '@', so that the ':' belongs to FILE:LINE and not to the name: in other
	 * languages than C, names may contain ':'.
	 */
	if (!line_a || !line_b || !strchr(a, '@') || line_a - a != line_b - b ||
	    strncmp(a, b, line_a - a))
		return false;
	return !strcmp(line_a + strcspn(line_a, "#"), line_b + strcspn(line_b, "#"));
}
