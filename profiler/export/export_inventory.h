/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out the memory, maps and attachments of the programs that bprof export measures. */
#ifndef BPROF_EXPORT_INVENTORY_H
#define BPROF_EXPORT_INVENTORY_H

struct holder_source;
struct inventory;
struct target_list;

/*
 * Returns an inventory of the loaded targets, which the caller frees. Leaves out facts that cannot be
 * read. With "unheld", also searches all programs for programs that nothing holds.
 */
struct inventory *export_inventory__load(const struct target_list *targets,
					 struct holder_source *unheld);

#endif
