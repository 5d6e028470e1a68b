// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions that libelf.a of elfutils 0.192 (Debian 13) calls and does not have: search trees with a
 * lock. Owns nothing else. The lock is left out: no two threads use the same ELF file here.
 */
#include <search.h>
#include <stddef.h>

/* The tree begins with its root. */
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
