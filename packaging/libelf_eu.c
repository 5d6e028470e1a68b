// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libelf.a of elfutils 0.192 (Debian 13) calls functions for search trees that it does not contain. This
 * file has them. The originals take a lock; these need none, because bprof's threads share no ELF file.
 */
#include <search.h>
#include <stddef.h>

/* elfutils passes a struct search_tree, whose first member is the root. */
void eu_search_tree_init(void **root);
void eu_search_tree_fini(void **root, void (*free_node)(void *node));
void *eu_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));
void *eu_tdelete(const void *key, void **root, int (*compare)(const void *, const void *));

void eu_search_tree_init(void **root)
{
	*root = NULL;
}

void eu_search_tree_fini(void **root, void (*free_node)(void *node))
{
	tdestroy(*root, free_node);
	*root = NULL;
}

void *eu_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return tsearch(key, root, compare);
}

void *eu_tdelete(const void *key, void **root, int (*compare)(const void *, const void *))
{
	return tdelete(key, root, compare);
}
