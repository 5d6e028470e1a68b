/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out what the programs that bprof export measures have: memory, maps, attachments.
 */
#ifndef BPROF_EXPORT_INVENTORY_H
#define BPROF_EXPORT_INVENTORY_H

#include "base/util.h"

struct inventory;
struct target_list;

/*
 * Sets *out to an inventory of the loaded targets, which the caller frees. What cannot be read is
 * missing. Returns 0 or -ENOMEM (reported).
 */
int __must_check export_inventory__load(const struct target_list *targets, struct inventory **out);

#endif
