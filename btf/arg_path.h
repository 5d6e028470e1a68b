/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves an expression for an argument (arg_expr.h) by BTF: finds where in memory the value is, and
 * what type it has. Does not access the kernel.
 */
#ifndef BPROF_ARG_PATH_H
#define BPROF_ARG_PATH_H

#include <stdbool.h>
#include <linux/types.h>

struct arg_expr;
struct btf;
struct reason;

/* The maximum number of pointers that an expression may follow after the argument itself. */
#define ARG_DEREFS_MAX 4
#define ARG_READS_MAX (ARG_DEREFS_MAX + 3) /* one more for ctx, two more for its members */
#define ARG_TEXT_SZ 16

/*
 * Offsets of reads, one after the other. Each read but the last gets a pointer, from which the next
 * offset counts.
 */
struct arg_reads {
	__u32 offset[ARG_READS_MAX];
	int cnt;
};

enum arg_kind { ARG_INTEGER, ARG_BOOL, ARG_ENUM, ARG_POINTER, ARG_TEXT };

struct arg_path {
	struct arg_reads at;
	struct arg_reads minus; /* a value of 8 bytes that is subtracted; cnt 0: nothing is */
	enum arg_kind kind;
	__u32 size;	 /* bytes to read: 1 to 8, or up to ARG_TEXT_SZ for text */
	__u32 bit, bits; /* the value's bits in these bytes, from the lowest bit on */
	bool is_signed;
	const struct btf *btf; /* ARG_ENUM: the BTF that has the type; owned by the caller */
	__u32 type_id;
};

/* An argument or a part of it, to which the steps of an expression lead. */
struct arg_place {
	const struct btf *btf;
	__u32 type_id; /* 0: an unsigned number of 64 bits */
	bool points;   /* the place has a pointer to that type */
	struct arg_reads at;
	__u32 offset;	 /* offset of the place from the last pointer in at */
	__u32 bit, bits; /* first bit and size of a bit field; bits 0: the place is no bit field */
	__u32 words; /* the number of elements of an array of 32-bit words that has no type; else 0 */
	int derefs;
	const struct arg_context
		*context; /* not NULL: the place points to what the program sees as this context */
	/* These members describe the program. They are the same for all places. */
	const struct btf *vmlinux;
	__u32 prog_type;
};

/*
 * Makes *place the context of a program: the pointer at that offset from the saved arguments. Finds
 * the context's type by the program type only. Needs place->vmlinux and place->prog_type. Returns
 * false if no context is known for programs of that type.
 */
bool arg_place__set_context(struct arg_place *place, __u32 offset);

/*
 * Follows the steps of an expression from the one with index "first" on. If a struct is in the program's
 * BTF and in the kernel's BTF, looks up its members in both. Returns 0, or -ENOENT or -EINVAL with
 * *reason, which lists members that the struct has.
 */
int arg_place__resolve(const struct arg_place *place, const struct arg_expr *e, int first,
		       struct arg_path *path, struct reason *reason);

/*
 * Sets *value to the number with which the expression's value is compared. Returns 0, or -EINVAL with
 * *reason if the operand is neither a number nor a constant of the path's enum, or if the value cannot
 * be compared.
 */
int arg_path__operand(const struct arg_path *path, const struct arg_expr *e, __u64 *value,
		      struct reason *reason);

/* Returns the name of an enum's or a bool's value, or NULL. */
const char *arg_path__value_name(const struct arg_path *path, __u64 value);
#define ARG_VALUE_SZ (4 * ARG_TEXT_SZ + 64)
/* Writes a value, of ARG_TEXT_SZ bytes, as text that is safe to print. Returns buf, of ARG_VALUE_SZ bytes. */
const char *arg_path__format(const struct arg_path *path, const void *value, char *buf);

#endif
