/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BTF of types that a map's keys and values may have, for the tests of json_encode and map_file.
 */
#ifndef BPROF_MAP_TYPES_H
#define BPROF_MAP_TYPES_H

#include <stdlib.h>
#include <bpf/btf.h>
#include <linux/btf.h>

/* The bytes of a number. */
#define W2(n) (__u8)(n), (__u8)((n) >> 8)
#define W4(n) (__u8)(n), (__u8)((n) >> 8), (__u8)((n) >> 16), (__u8)((n) >> 24)
#define W8(n)                                                                                 \
	(__u8)(n), (__u8)((n) >> 8), (__u8)((n) >> 16), (__u8)((n) >> 24), (__u8)((n) >> 32), \
		(__u8)((n) >> 40), (__u8)((n) >> 48), (__u8)((n) >> 56)

/* The ids of the types. The types are added in this order. */
enum {
	T_INT = 1, /* int */
	T_U8,
	T_S8,
	T_CHAR,
	T_U16,
	T_U32,
	T_U64,
	T_U128,
	T_BOOL,
	T_FLOAT,
	T_DOUBLE,
	T_CONST_U32,
	T_U32_ALIAS, /* typedef const __u32 u32_t */
	T_ENUM,	     /* enum action { DENY, ALLOW = 5, NEGATIVE = -1 } */
	T_ENUM64,    /* enum wide { WIDE = 1 << 40 } */
	T_PTR,
	T_CHARS,  /* char[8] */
	T_U16S,	  /* __u16[3] */
	T_MATRIX, /* __u16[2][3] */
	T_UNION,  /* union { __u32 word; __u8 byte; } */
	T_INNER,  /* struct { __u16 x; __u16 y; } */
	T_STRUCT,
	T_OLD_BITS,   /* an int that is 3 bits wide and begins at bit 4 of its 4 bytes */
	T_LOOP,	      /* struct loop, which contains itself as an unnamed member */
	T_OUTSIDE,    /* struct outside, with a field beyond its end */
	T_FLAG_ARRAY, /* bool[2] */
	T_BITS,	      /* struct bits: bit fields of all kinds, see below */
	T_NO_BITS,    /* an int that is 0 bits wide */
	T_TINY,	      /* struct { __u8 b; } */
	T_TINY_ARRAY, /* struct tiny[2] */
	T_EMPTY,      /* struct {} */
	T_SECTION,    /* .data, which is no type of a value */
	T_NESTED,     /* nine structs, each of which is an unnamed member of the one before */
	T_LAST = T_NESTED + 8, /* the ninth, with a field "leaf" */
};

/*
 * This struct, with the offset of each member, and the size at the end:
 *
 * struct rule {
 *	u32_t id;			0
 *	enum action action;		4
 *	union { __u32 word; __u8 byte; };	8
 *	struct { __u16 x; __u16 y; };	12
 *	char name[8];			16
 *	int low : 3, high : 7;		24
 *	bool on;			28
 *	struct { __u16 x; __u16 y; } in;	32
 *	__u16 ports[3];			36
 * };					44
 */
#define T_STRUCT_SZ 44

static inline void add_structs(struct btf *btf)
{
	btf__add_union(btf, "", 4);
	btf__add_field(btf, "word", T_U32, 0, 0);
	btf__add_field(btf, "byte", T_U8, 0, 0);
	btf__add_struct(btf, "", 4);
	btf__add_field(btf, "x", T_U16, 0, 0);
	btf__add_field(btf, "y", T_U16, 16, 0);

	btf__add_struct(btf, "rule", T_STRUCT_SZ);
	btf__add_field(btf, "id", T_U32_ALIAS, 0, 0);
	btf__add_field(btf, "action", T_ENUM, 4 * 8, 0);
	btf__add_field(btf, "", T_UNION, 8 * 8, 0);
	btf__add_field(btf, "", T_INNER, 12 * 8, 0);
	btf__add_field(btf, "name", T_CHARS, 16 * 8, 0);
	btf__add_field(btf, "low", T_INT, 24 * 8, 3);
	btf__add_field(btf, "high", T_U32, 24 * 8 + 3, 7);
	btf__add_field(btf, "on", T_BOOL, 28 * 8, 0);
	btf__add_field(btf, "in", T_INNER, 32 * 8, 0);
	btf__add_field(btf, "ports", T_U16S, 36 * 8, 0);
}

/* Types that no compiler makes, and rare ones. */
static inline void add_odd_types(struct btf *btf)
{
	int id;

	btf__add_struct(btf, "bits", 4);
	btf__add_field(btf, "nine", T_U32, 0, 9);
	btf__add_field(btf, "sign", T_INT, 9, 1);
	btf__add_field(btf, "old", T_OLD_BITS, 16, 5);
	btf__add_field(btf, "", T_U8, 24, 0);
	btf__add_field(btf, "edge", T_U32, 32, 3);
	btf__add_field(btf, "past", T_U32, 33, 3);
	btf__add_field(btf, "huge", T_U128, 0, 129);
	btf__add_field(btf, "choice", T_ENUM, 0, 128);
	btf__add_field(btf, "choices", T_ENUM, 0, 129);
	btf__add_field(btf, "half", T_FLOAT, 0, 16);
	btf__add_field(btf, "text", T_CHARS, 1 << 20, 0);
	id = btf__add_int(btf, "none", 4, 0);
	*(__u32 *)((struct btf_type *)btf__type_by_id(btf, id) + 1) = 0;
	btf__add_struct(btf, "tiny", 1);
	btf__add_field(btf, "b", T_U8, 0, 0);
	btf__add_array(btf, T_INT, T_TINY, 2);
	btf__add_struct(btf, "empty", 0);
	btf__add_datasec(btf, ".data", 4);
	for (id = T_NESTED; id < T_LAST; id++) {
		btf__add_struct(btf, "nested", 4);
		btf__add_field(btf, "", id + 1, 0, 0);
	}
	btf__add_struct(btf, "last", 4);
	btf__add_field(btf, "leaf", T_U32, 0, 0);
}

/* Returns the BTF, which the caller frees with btf__free(). */
static inline struct btf *map_types__new(void)
{
	struct btf *btf = btf__new_empty();
	struct btf_type *t;
	int id;

	if (!btf)
		abort();
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_int(btf, "__u8", 1, 0);
	btf__add_int(btf, "__s8", 1, BTF_INT_SIGNED);
	btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	btf__add_int(btf, "__u16", 2, 0);
	btf__add_int(btf, "__u32", 4, 0);
	btf__add_int(btf, "__u64", 8, 0);
	btf__add_int(btf, "__u128", 16, 0);
	btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	btf__add_float(btf, "float", 4);
	btf__add_float(btf, "double", 8);
	btf__add_const(btf, T_U32);
	btf__add_typedef(btf, "u32_t", T_CONST_U32);
	btf__add_enum(btf, "action", 4);
	btf__add_enum_value(btf, "DENY", 0);
	btf__add_enum_value(btf, "ALLOW", 5);
	btf__add_enum_value(btf, "NEGATIVE", -1);
	btf__add_enum64(btf, "wide", 8, false);
	btf__add_enum64_value(btf, "WIDE", 1ULL << 40);
	btf__add_ptr(btf, T_INT);
	btf__add_array(btf, T_INT, T_CHAR, 8);
	btf__add_array(btf, T_INT, T_U16, 3);
	btf__add_array(btf, T_INT, T_U16S, 2);
	add_structs(btf);
	id = btf__add_int(btf, "old", 4, BTF_INT_SIGNED);
	t = (struct btf_type *)btf__type_by_id(btf, id);
	*(__u32 *)(t + 1) = BTF_INT_SIGNED << 24 | 4 << 16 | 3;
	btf__add_struct(btf, "loop", 4);
	btf__add_field(btf, "", T_LOOP, 0, 0);
	btf__add_field(btf, "list", T_U16S, 0, 0);
	btf__add_struct(btf, "outside", 4);
	btf__add_field(btf, "far", T_U32, 1 << 20, 0);
	btf__add_array(btf, T_INT, T_BOOL, 2);
	add_odd_types(btf);
	if (btf__type_cnt(btf) != T_LAST + 1)
		abort();
	return btf;
}

#endif
