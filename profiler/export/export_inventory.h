/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out what the programs that bprof export measures have: memory, maps, attachments.
 */
#ifndef BPROF_EXPORT_INVENTORY_H
#define BPROF_EXPORT_INVENTORY_H

struct holder_source;
struct inventory;
struct target_list;

/*
 * Returns an inventory of the loaded targets, which the caller frees. What cannot be read is missing. With
 * "unheld", also searches all programs for those that nothing holds.
 */
struct inventory *export_inventory__load(const struct target_list *targets,
					 struct holder_source *unheld);

#endif
