/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Targets: the functions to measure, selected from the loaded programs.
 */
#ifndef BPROF_TARGET_H
#define BPROF_TARGET_H

#include <stdbool.h>

#include "base/id_map.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "btf/tail_calls.h"
#include "options/idlist.h"
#include "target/extension.h"
#include "target/prog_arrays.h"
#include "target/risks.h"

/* The ways of selecting programs. */
enum selector_kind {
	SELECT_ID,
	SELECT_NAME,
	SELECT_TAG,
	SELECT_PINNED,
	SELECT_TYPE,
	SELECT_ALL,
	SELECT_STRUCT_OPS,
	SELECT_OWNER, /* programs that a process, a unit or a cgroup holds */
	SELECT_PROG,  /* a program that bprof has already opened */
};

/* A selector: one way to select programs. Owns its members. */
struct selector {
	enum selector_kind kind;
	/* the user's argument: a glob, a tag's prefix, a path or a list; NULL: none */
	char *arg;
	struct idlist ids; /* SELECT_ID: the program ids */
	int *type;	   /* SELECT_TYPE: the types (enum bpf_prog_type) */
	int type_cnt;
	struct prog *prog; /* SELECT_PROG: the program (a reference) */
	/* SELECT_PINNED, SELECT_STRUCT_OPS: the ids of the programs (selector_list__read()) */
	struct id_map found;
	/*
	 * the selector chose a program that all kinds of selectors checked before it also chose;
	 * selector_list__warn_unmatched() warns if it is not set
	 */
	bool matched;
};

/* A program is chosen if, for each kind of selector in the list, one of that kind matches. */
struct selector_list {
	struct selector *v;
	int cnt;
	/* the programs that the owners hold (selector_list__read_owned()); NULL: no owners */
	struct owned *owned;
	/* matching programs may be loaded later, so print no warning if no program matches now */
	bool awaiting;
	/* bprof's own programs can be targets, too: the self-test measures programs of its own */
	bool own;
	/*
	 * a program is chosen if one selector of any kind matches: for bench, the kinds are only
	 * different ways to name programs
	 */
	bool any_kind;
};

struct backend;
struct bpf_fn;
struct option_row;
struct owned;
struct parse_error;

struct counts;

/* When a followed program was loaded and unloaded, and how many of its runs the probe missed. */
struct target_life {
	/* CLOCK_MONOTONIC when the program was ready to run; 0: it was loaded before the session */
	__u64 loaded_ns;
	__u64 attached_ns; /* CLOCK_MONOTONIC when the probe was attached */
	__u64 ended_ns;	   /* CLOCK_MONOTONIC when it was seen to be unloaded; 0: it was not */
	/* Number of runs that the kernel counted, but the probe did not. */
	__s64 unseen;
	bool unseen_known;
	__s64 unseen_before; /* unseen runs from before the session, which are not lost runs */
	/* how often its probe was detached, to find out whether the program is unloaded */
	__u32 detach_cnt;
	__u64 seen_runs; /* the program's runs (session__count_runs()) at the last tick */
	/* session time when seen_runs last changed, or when the program was last checked */
	__u64 seen_ns;
	/* how many checks since its last run have found it still loaded */
	__u32 found_loaded;
	bool orphan; /* the probe is detached so that it does not keep the program loaded */
};

/* The counts read last. They still are right while counter_ops.mark() gives the same mark. */
struct target_reading {
	struct counts *rows; /* NULL: none */
	__u64 mark;
	bool hists; /* the rows have distributions */
};

/* The properties of a target's trampoline on which its probe's bias and overhead depend. */
struct target_shape {
	bool known;
	bool sub; /* true for a subprogram, false for a program's entry function */
	int args; /* number of arguments that the trampoline saves */
	enum tail_calls tail_calls; /* whether the trampoline passes on the tail call count */
	bool kernel;		    /* the function is a kernel function; sub is set, too */
};

/* The most targets whose calls of kernel functions are measured. */
#define CALLERS_MAX 255
/*
 * The most maps (with --by site, places) with a row of their own in the calls of one function. This
 * counts the calls of all callers together.
 */
#define CALL_MAPS_MAX 48

/*
 * Only for a target that is a kernel function. The target stands for the calls of this function by
 * one function of a program, either with one map or, with --by site, at one place. If address is 0,
 * it stands for all of that caller's calls that have no target of their own.
 */
struct called {
	/* id of the function's BTF_KIND_FUNC, in vmlinux or a module; 0: no kernel function */
	__u32 btf_id;
	__u32 module;	    /* id of the module's BTF; 0: the function is in the BTF of vmlinux */
	__s32 imm;	    /* imm of the instructions that call the function */
	__u32 caller_index; /* func_index of the target that calls the function */
	__u32 caller;	    /* caller_number of the target that calls the function */
	/*
	 * The number of this target, from 1, among the targets that are the same function. These
	 * targets share a probe, and each has a piece of the probe's counts (struct bprof_pieces).
	 */
	int piece;
	int map_param; /* which parameter of the function is a map, counted from 1; 0: none */
	/* address of the map in the kernel; with --by site, of the instruction after the call */
	__u64 address;
	char *map;	   /* owned; the map's name */
	char map_type[32]; /* such as "hash" */
	char *site;	   /* owned; with --by site: such as "lb.bpf.c:41" */
	/*
	 * No known instruction makes such a call, so the target has a row only if there was a call:
	 * a helper or an interrupt may call the function with a map that has no target.
	 */
	bool unforeseen;
	char *label; /* owned; target.func */
	/*
	 * About how often other callers have called the function so far, and the CPU time that the
	 * probe added to these calls.
	 */
	__u64 others;
	double others_ns;
};

struct target {
	__u32 id;
	struct prog *prog; /* a reference, which keeps the program loaded */
	const char *func;  /* label of the function, owned by prog; "" without BTF */
	__u32 func_index;  /* index in prog->funcs, unique for each function of a program */
	__u32 func_btf_id; /* id of the function's BTF_KIND_FUNC in the program's BTF */
	bool subprog;	   /* func is not the program's entry function */
	bool blinded;	   /* prog__is_blinded() */
	/* it was selected only by a glob of functions */
	bool by_func;
	/* by_func is set, and the glob has wildcards: the user did not name the function */
	bool by_wildcard;
	/*
	 * The cost that the target's probe adds to its callers may differ from the calibrated
	 * overhead.
	 */
	bool caller_cost_varies;
	/* The target's probe leaves out the runs that bprof causes by its own system calls. */
	bool others_only;
	struct called called;
	/* with --calls: 1 to CALLERS_MAX; 0: no call by this target is measured */
	__u32 caller_number;
	int depth; /* number of targets of the same program on the call path to this target */
	/* names of the functions that call func, if there are several; else NULL; owned */
	char *callers;
	/*
	 * func_index of the root of its call tree: the program's entry function, or a function that
	 * runs without being called, such as the callback of a timer. Set only if several functions
	 * of the program are targets.
	 */
	__u32 root_index;
	/*
	 * The target may also run outside of its root's runs: another root calls it, too, or the
	 * kernel withholds which functions call it.
	 */
	bool runs_elsewhere;
	/* the version that the program's metadata gives, or NULL; owned; read only with --follow */
	char *version_name;
	struct target_shape shape; /* set by shape__find() */
	/* whether func, or a function that it calls, makes tail calls */
	enum tail_calls tail_calls;
	/* the extension that this target is, owned by the target list; NULL: none */
	const struct extension *extends;
	bool with_extensions; /* the extensions of the program are selected too */
	/* Why no probe can be attached. REASON_NONE: one can be, or this is not known yet. */
	struct reason no_probe;
	struct backend *backend; /* the backend that measures the target; owned by the session */
	void *priv;		 /* the backend's own data for this target */
	/* CPU time that the first loading and attaching of its probe took */
	__u64 open_ns;
	struct target_life life;
	/* the last counts of an unloaded program, else NULL; owned by the session */
	struct counts *frozen;
	struct target_reading last; /* owned by the session */
	/* --by: session times at which the parts were last seen to have run; NULL: not known */
	__u64 *part_ran_ns;
};

/* A program or function that was requested but cannot be measured by any backend. */
struct skipped {
	__u32 id;
	char *name;
	struct reason reason;
	/* how many further programs were skipped for this reason and are not in the list */
	__u64 more;
	__u32 func_index; /* of a subprogram or a calling function, as in struct target; else 0 */
	bool by_wildcard; /* as in struct target */
	bool called;	  /* a kernel function that the function with func_index calls */
	bool reported;	  /* target_list__report_skipped() has reported it */
};

struct target_list {
	struct target *v; /* the targets of a program are adjacent */
	int cnt;
	/*
	 * first maps a program's id to the index of the program's first target in v. by_btf maps a
	 * BTF's id to the index of a target with this BTF.
	 */
	struct id_map first, by_btf;
	const char *func; /* --func, or NULL; borrowed */
	/* while selecting: only programs that these selectors choose are added */
	const struct selector_list *selectors;
	/* while selecting: add the extensions of programs that were chosen by name */
	bool adds_extensions;
	bool func_matched; /* at least one program has a function that matches func */
	bool own;	   /* selector_list.own */
	struct skipped *skip;
	int skip_cnt;
	/* all prog arrays of the kernel, read before the selection */
	struct prog_arrays prog_arrays;
	bool has_ext; /* at least one extension is loaded, whether selected or not */
	struct extensions extensions; /* all extensions of the kernel; read only if has_ext */
	struct risks risks;
};

/* Returns true if system calls of any process, also bprof's own, run programs of this type. */
bool target__is_on_syscalls(const struct target *t);
/* Returns true if the target is a function of the kernel that a program calls. */
static inline bool target__is_called(const struct target *t)
{
	return t->called.btf_id;
}

/* Returns true if a and b are the same kernel function. */
static inline bool called__is_same(const struct called *a, const struct called *b)
{
	return a->btf_id == b->btf_id && a->module == b->module;
}

/* Returns the target's function in the program; NULL without BTF, and for a kernel function. */
const struct bpf_fn *target__fn(const struct target *t);
/* Returns the size in bytes of the integer that the target returns; 0: it returns no integer. */
__u32 target__ret_sz(const struct target *t);

/* Parses an argument and appends the selector. Returns 0, or -EINVAL with *err (not reported). */
int selector_list__add(struct selector_list *list, enum selector_kind kind, const char *arg,
		       struct parse_error *err);
/*
 * Appends a selector from an option. It is the function add() of the option's row
 * (options/options.h). The row's member is the offset of a struct selector_list, and the row's min
 * is the kind of selector.
 */
int selector_list__add_option(void *list, const struct option_row *row, const char *arg);
/* Calls selector_list__add() and reports an error with the name of the option. */
int selector_list__report_add(struct selector_list *list, enum selector_kind kind,
			      const struct option_row *row, const char *arg);
/* Appends a selector of the program with this id. */
void selector_list__add_id(struct selector_list *list, __u32 id);
/*
 * Appends a selector of the program that fd refers to. The caller keeps fd. Returns 0; -EBADF;
 * -EINVAL if fd is not a program; or another -errno. Reports nothing.
 */
int selector_list__add_fd(struct selector_list *list, int fd);
void selector_list__free(struct selector_list *list);

/*
 * Finds the programs that the owners (SELECT_OWNER) hold now, if there are owners. Before the first
 * call, the owners hold nothing.
 */
void selector_list__read_owned(const struct selector_list *list);
/* Returns true if the process is an owner or a descendant of one. */
bool selector_list__is_owner(const struct selector_list *list, int pid);

/* Returns 0 if arg is a tag or a prefix of one, or -EINVAL with *err. */
int tag__check(const char *arg, struct parse_error *err);

/*
 * Returns true if the selector may choose a program that is loaded later. The caller must then
 * compare the selector with every new program (selector__matches()).
 */
bool selector__may_match_new(const struct selector *s);
/*
 * Returns true if the selector chooses this program. Only for selectors by name, tag or type, or of all
 * programs. May load the program's functions to get its full name.
 */
bool selector__matches(const struct selector *s, struct prog *p);

/*
 * Finds the ids of the programs that the pins, struct_ops maps and owners in the list choose now.
 * Before the first call, they choose none. Warns about missing struct_ops maps and, if warn_pins is
 * set, about missing pins. Returns 0 or -errno (reported).
 */
int __must_check selector_list__read(const struct selector_list *list, bool warn_pins);
bool selector_list__has(const struct selector_list *list, enum selector_kind kind);
/* Returns true if the selectors that choose by id choose this id: see struct selector_list. */
bool selector_list__has_id(const struct selector_list *list, __u32 id);
/*
 * Returns true if the list chooses this program. any_name: selectors by name are ignored, for an
 * extension of a program that is chosen by name. May load the program's functions to get its full
 * name.
 */
bool selector_list__selects(const struct selector_list *list, struct prog *p, bool any_name);
/*
 * Warns about selectors that chose no program. Warns about a later kind of selector only if the
 * earlier kinds chose programs. Call it after all programs were compared.
 */
void selector_list__warn_unmatched(const struct selector_list *list);

/*
 * Returns true if the selectors by name, tag and type choose the program: for each of these kinds,
 * one selector must match or the list must have none. A type of -1 or a name of NULL is unknown and
 * matches no selector.
 */
bool selector_list__matches(const struct selector_list *list, const char *name, const char *tag,
			    int type);
/*
 * Returns true if selector_list__matches() may be true for a program of unknown type and, if name
 * is NULL, unknown name.
 */
bool selector_list__may_match(const struct selector_list *list, const char *name, const char *tag);

/*
 * Opens every program that the selectors choose, each once. Adds the program's entry function or,
 * if func is not NULL, the program's functions that match the glob func. Warns about programs that
 * the user named and that cannot be opened, and adds them to out->skip. Also selects the extensions
 * of programs that are selected by name, and sorts the targets with target_list__sort(). Returns 0
 * or -errno (reported).
 */
int target_list__select(const struct selector_list *selectors, const char *func,
			struct target_list *out);
void target_list__free(struct target_list *targets);
/* Removes the targets for which keep[] is false. The others keep their order. */
void target_list__keep(struct target_list *targets, const bool *keep);

/* Returns the program's next target after prev (NULL: the first), or NULL. */
struct target *target_list__next(const struct target_list *targets, __u32 id,
				 const struct target *prev);
/* Appends a copy of t. Returns the copy. */
struct target *target_list__append(struct target_list *targets, const struct target *t);

/*
 * Sets *ids to the ids of the programs that the owners hold, in ascending order. Returns their
 * number, which is 0 if there are no owners.
 */
int selector_list__owned_ids(const struct selector_list *list, const __u32 **ids);

/*
 * Selects functions of a program that has just been loaded. If the selectors choose the program,
 * adds targets to *out: the entry function or, if targets->func is not NULL, the functions that
 * match this glob. Otherwise leaves *out empty. Reuses the BTF and test results of the existing
 * targets. Returns 0, -ENOENT if the program has already been unloaded, or another -errno
 * (reported).
 */
int target_list__select_new(const struct selector_list *selectors, __u32 id,
			    struct target_list *targets, struct target_list *out);

/*
 * Moves a target to the list of skipped programs. The caller must call
 * target_list__report_skipped() later, which prints the warning.
 */
void target_list__skip(struct target_list *targets, int index, const struct reason *reason);
/*
 * Adds a program that is not a target to the list of skipped programs, as target_list__skip() does.
 * If no program was found, id is 0 and name is the user's argument.
 */
void target_list__skip_prog(struct target_list *targets, __u32 id, const char *name,
			    const struct reason *reason);
/*
 * Warns about the skipped programs and functions about which it has not warned yet. Prints one
 * message for each reason; if messages of LOG_LEVEL_INFO are printed, one for each program or
 * function.
 */
void target_list__report_skipped(struct target_list *targets);
/*
 * Returns true if a selected program, or a function that the user named, is not measured. A
 * function that a wildcard matched may be skipped if another function of its program is measured.
 */
bool target_list__has_failed(const struct target_list *targets);
/*
 * Returns why a list has no target, for the exit status: -EPERM: privileges are missing; -ESRCH: no
 * program is selected, or the named programs do not exist; -ENODATA: the selected programs cannot
 * be measured.
 */
int target_list__why_none(const struct target_list *targets);
/* Moves the skipped programs of another list to this one. */
void target_list__move_skipped(struct target_list *targets, struct target_list *from);

#endif
