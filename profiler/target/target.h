/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Targets: the functions to be measured, selected from the loaded programs.
 */
#ifndef BPROF_TARGET_H
#define BPROF_TARGET_H

#include <stdbool.h>

#include "target/extension.h"
#include "base/id_map.h"
#include "base/idlist.h"
#include "btf/prog.h"
#include "target/prog_arrays.h"
#include "btf/reason.h"
#include "btf/tail_calls.h"

/* One way of selecting programs. */
enum selector_kind {
	SELECT_ID,
	SELECT_NAME,
	SELECT_TAG,
	SELECT_PINNED,
	SELECT_TYPE,
	SELECT_ALL,
	SELECT_PROG, /* one that is open already */
};

/* Owns what it points to. */
struct selector {
	enum selector_kind kind;
	/* As given: a glob, a tag or its beginning, a path; NULL: SELECT_ALL, or ids given as numbers. */
	char *arg;
	struct idlist ids; /* SELECT_ID */
	int *type;	   /* SELECT_TYPE: enum bpf_prog_type */
	int type_cnt;
	struct prog *prog; /* SELECT_PROG: a reference */
	char *func; /* a glob of functions in these programs; NULL: what all selectors share */
};

struct selector_list {
	struct selector *v;
	int cnt;
	bool awaiting; /* what they choose may come later: it is no mistake if nothing matches */
};

struct backend;
struct parse_error;

struct counts;

/* What is known of a program that is followed. */
struct target_life {
	__u64 loaded_ns;   /* CLOCK_MONOTONIC, once it was ready to run; 0: before the session */
	__u64 attached_ns; /* CLOCK_MONOTONIC */
	__u64 ended_ns;	   /* the session's time when it was found gone; 0: it is there */
	/* Runs that the kernel had counted and the probe had not, as far as could be seen. */
	__s64 unseen;
	bool unseen_known;
	__s64 unseen_before; /* of these, those that are no loss: before the session */
	__u32 detach_cnt;    /* times it was detached, to see whether it is unloaded */
	__u64 seen_runs;     /* session__count_runs() at the last look, */
	__u64 seen_ns;	     /* which were first seen then, or found idle: the session's time */
};

/* What a target's trampoline is like, which the cost of its probe depends on. */
struct target_shape {
	bool known;
	bool sub; /* of a subprogram; else of a program's entry function */
	int args; /* that it saves */
#define SHAPE_MAX_ARGS 5
	enum tail_calls tail_calls; /* it passes on the count of tail calls */
};

struct target {
	__u32 id;
	struct prog *prog;	 /* a reference; holding it keeps the program loaded */
	const char *func;	 /* the function's full name; owned by prog, "" without BTF */
	__u32 func_btf_id;	 /* its BTF_KIND_FUNC in the program's BTF */
	bool subprog;		 /* func is not the program's entry function */
	bool by_func;		 /* only selected by its function's name, not as the program */
	bool caller_cost_varies; /* its probe's cost for callers may differ from calibration */
	int depth;     /* how far below the outermost target of its program it is called */
	char *callers; /* owned: the functions that call it, where they are several; else NULL */
	struct target_shape shape; /* shape__find() fills it in */
	/* func's own, and those of what it calls */
	enum tail_calls tail_calls;
	const struct extension *extends; /* NULL: is no extension; the target list's */
	bool with_extensions;		 /* selected so that its extensions are targets too */
	/* Why it cannot be probed; REASON_NONE: it can, or is not known to be refused. */
	struct reason no_probe;
	struct backend *backend; /* that measures it; the session's */
	void *priv;		 /* the backend's own */
	struct target_life life;
	struct counts *frozen; /* owned by the session: what it had counted at its end; else NULL */
};

/* What was asked for and cannot be measured at all. */
struct skipped {
	__u32 id;
	char *name;
	struct reason reason;
};

struct target_list {
	struct target *v; /* the targets of one program follow one another */
	int cnt;
	struct id_map first, by_btf; /* places in v, by program id and BTF id: target_index.c */
	const char *func;	     /* --func, or NULL; not owned */
	bool func_matched;	     /* some program has such a function */
	struct skipped *skip;
	int skip_cnt;
	struct prog_arrays prog_arrays; /* the kernel's, before anything was selected */
	bool has_ext;			/* an extension was met, selected or not */
	struct extensions extensions;	/* the kernel's, if so */
	/* May subprograms be probed that make tail calls? Tried when the first one is asked for. */
	bool tail_risk_tried;
	struct reason tail_risk;
};

/*
 * Parses a selector's argument and appends the selector. 0, -EINVAL with *err, or -ENOMEM. Reports
 * nothing.
 */
int selector_list__add(struct selector_list *list, enum selector_kind kind, const char *arg,
		       struct parse_error *err);
/* Appends a selector of the program with that id. 0 or -ENOMEM (reported). */
int selector_list__add_id(struct selector_list *list, __u32 id);
/*
 * Appends a selector of the program behind fd, which stays the caller's. 0; -EBADF; -EINVAL: it is no
 * program's; or another -errno. Reports nothing.
 */
int selector_list__add_fd(struct selector_list *list, int fd);
/* The selector that was added last chooses these functions of its programs. 0 or -ENOMEM. */
int selector_list__set_func(struct selector_list *list, const char *glob);
void selector_list__free(struct selector_list *list);

/* Is it a tag, or its beginning? 0 or -EINVAL with *err. */
int tag__check(const char *arg, struct parse_error *err);

/*
 * Does a selector that looks at every program (name, tag, type, all) choose this one? May load the
 * program's functions, for its full name.
 */
bool selector__matches(const struct selector *s, struct prog *p);

/* Returns true if one of the selectors of that kind chooses the program, or if there is none. */
bool selector_list__kind_matches(const struct selector_list *list, enum selector_kind kind,
				 struct prog *p);

/*
 * Does any selector choose a program of which no more is known than this? One by type does not.
 */
bool selector_list__chooses(const struct selector_list *list, const char *name, const char *tag);

/*
 * Is this a program that the selectors by name, tag and type leave in? Of each kind that there is one
 * has to match; type: -1 where it is not known, which no type matches.
 */
bool selector_list__matches(const struct selector_list *list, const char *name, const char *tag,
			    int type);
/* The same without the selectors by type. */
bool selector_list__matches_but_type(const struct selector_list *list, const char *name,
				     const char *tag);

/*
 * Opens every program that a selector chooses, each once: its entry function, or those that match
 * func, unless that is NULL. A program that is named and cannot be had
 * becomes a row of out->skip and a warning. The extensions of programs selected by name
 * are selected too, and any extension follows the program that it extends. 0, or -errno where no
 * program can be looked at (reported).
 */
int target_list__select(const struct selector_list *selectors, const char *func,
			struct target_list *out);
void target_list__free(struct target_list *targets);

/* The first target of a program (prev NULL), or the one after prev; NULL: there is none. */
struct target *target_list__next(const struct target_list *targets, __u32 id,
				 const struct target *prev);
/* Appends a copy of t: it, or NULL (out of memory, reported). */
struct target *target_list__append(struct target_list *targets, const struct target *t);

/*
 * The same of one program that has just been loaded, if a selector that looks at every program chooses
 * it: its functions by targets->func; else *out is empty. What the targets that there are have found
 * out is used. 0; -ENOENT: it is gone already; or -errno (reported).
 */
int target_list__select_new(const struct selector_list *selectors, __u32 id,
			    struct target_list *targets, struct target_list *out);

/* Takes a target out of the list, into the skipped ones, for the reason given; reports it. */
int target_list__skip(struct target_list *targets, int index, const struct reason *reason);
/*
 * Notes that a program could not be measured, which is no target (yet); reports it. id 0: there is no
 * program, and name says what was given instead. 0 or -ENOMEM (reported).
 */
int target_list__skip_prog(struct target_list *targets, __u32 id, const char *name,
			   const struct reason *reason);
/* Moves what was skipped in another list to this one. 0 or -ENOMEM (reported). */
int target_list__take_skipped(struct target_list *targets, struct target_list *from);

#endif
