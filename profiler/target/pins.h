/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the programs that are pinned in bpf filesystems, directly or by a link.
 */
#ifndef BPROF_PINS_H
#define BPROF_PINS_H

struct namespaces;
struct prog;

/* Receives pinned objects. found() and failed() get arg. err is an errno, positive or negative. */
struct pin_visitor {
	void (*found)(void *arg, const char *path, struct prog *prog); /* takes ownership of prog */
	void (*failed)(void *arg, const char *path, int err, const char *why);
	void *arg;
};

/*
 * Visits the program or link pinned at path or, if path is a directory, all programs and links
 * pinned there.
 */
void pins__visit(const struct pin_visitor *visitor, const char *path);
/* Visits, once each, the programs and links in the bpf filesystems that any process has mounted. */
void pins__visit_mounts(const struct pin_visitor *visitor, const struct namespaces *n);

#endif
