/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reason of a failure: a code, the errno and a text. Most codes say why a target cannot be
 * probed. One table has, for each code, its name in reports, its sentence and its remedy. Prints
 * nothing, and does not access the kernel.
 */
#ifndef BPROF_REASON_H
#define BPROF_REASON_H

#include <stdbool.h>
#include <stddef.h>

enum reason_code {
	REASON_NONE = 0,
	REASON_NO_SUCH_PROG, /* no program has this id, or the program has been unloaded */
	REASON_NO_BTF,	     /* loaded without BTF */
	REASON_NO_FUNC_INFO, /* has BTF, but no func_info: its loader dropped it */
	REASON_BAD_BTF,	     /* has BTF that cannot be read */
	REASON_NO_SUCH_FUNC, /* no function of that name in the program */
	REASON_NOT_JITED,    /* interpreted: no trampoline can be attached */
	/* is a tracing program; this kernel does not allow tracing such programs */
	REASON_TRACING_PROG,
	REASON_SHORT_LIVED, /* unloaded before it could be probed */
	REASON_TOO_MANY,    /* --max-versions programs are followed already */
	/* is an extension (freplace), and none was loaded when the measurement began */
	REASON_LATE_EXT,
	REASON_EXT_PROG,	/* is an extension (freplace) that cannot be probed */
	REASON_BAD_PIN,		/* not a pinned program or link */
	REASON_OWN_PROG,	/* is one of bprof's own programs */
	REASON_LOCKDOWN,	/* the kernel is in lockdown mode */
	REASON_NO_PERM,		/* a capability is missing; detail names it */
	REASON_NO_TRAMPOLINE,	/* this kernel or architecture has no BPF trampoline */
	REASON_NOT_COMPILED,	/* the JIT is off now, or fails, for example for lack of memory */
	REASON_TOO_MANY_LINKS,	/* as many links as the kernel allows are attached already */
	REASON_FREPLACED,	/* an extension (freplace) replaces the function */
	REASON_UNSUPPORTED_SIG, /* unsupported signature: struct arguments, too many arguments */
	REASON_VERIFIER,	/* the verifier rejects the probe; detail has its message */
	REASON_TAIL_CALL_RISK,	/* on this kernel, a probe can make tail calls loop endlessly */
	REASON_THROW,	    /* bpf_throw() may unwind through it; a probe would crash this kernel */
	REASON_HIDDEN_ARGS, /* a probe would overwrite arguments that its BTF does not declare */
	REASON_SAME_BTF_ID, /* the kernel would probe another function instead; detail names it */
	REASON_UNTESTED_ARCH, /* no kernel test of bprof runs on this architecture */
	REASON_KERNEL_BUG,    /* loading a probe for it would crash this kernel */
	REASON_CODE_HIDDEN,   /* the kernel does not show the addresses of its code */
	REASON_NO_FDS,	      /* bprof has no file descriptors left */
	REASON_MEMORY,	      /* the limit of the memory for counts is reached */
	REASON_METHOD,	      /* the requested method cannot measure the target; detail says why */
	REASON_KEY,    /* its runs have no such key (--by); detail names the key and says why */
	REASON_CALL,   /* is a function of the kernel that cannot be probed; detail says why */
	REASON_SYSTEM, /* a system call failed; detail says which call and why */
	/* an error that is not about a target; detail is the whole message */
	REASON_OTHER,
	REASON_CNT
};

struct reason_spec {
	const char *name;   /* its name in JSON, such as "no_btf" */
	const char *text;   /* describes the target, such as "has no BTF (compiled without -g)" */
	const char *remedy; /* what the user can do, such as "compile it with clang -g"; or NULL */
	bool run_stats;	    /* the method run_stats can still measure the program as a whole */
};

struct reason {
	enum reason_code code;
	char detail[400]; /* completes the table's text; may be "", except with REASON_OTHER */
	int err;	  /* a positive errno; 0: none */
};

const struct reason_spec *reason__spec(enum reason_code code);

/*
 * Sets *r to a code with a detail in printf-style format; fmt NULL: no detail. err is an errno,
 * positive or negative. Returns -errno, which allows "return reason__set(r, REASON_NO_BTF, ENODATA,
 * NULL)".
 */
int reason__set(struct reason *r, enum reason_code code, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Sets *r to REASON_OTHER with a sentence in printf-style format; NULL: the sentence is strerror().
 * Returns -errno, which allows "return reason__fail(r, err, "cannot lock it: %s", strerror(-err))".
 */
#define reason__fail(r, err, ...) reason__set(r, REASON_OTHER, err, __VA_ARGS__)

/*
 * Sets *r to the reason why BPF_PROG_LOAD refused an fentry/fexit program. err is the errno (either
 * sign), log is the verifier log (may be NULL or ""). Almost every refusal is -EINVAL, and only the
 * log says why (kernel/bpf/verifier.c, bpf_check_attach_target()). Under lockdown, EPERM looks like
 * a missing capability: a caller that detects lockdown turns REASON_NO_PERM into REASON_LOCKDOWN.
 */
void reason__from_verifier(struct reason *r, int err, const char *log);
/* Sets *r to the reason why the kernel loaded a program but refused to attach it. */
void reason__from_attach(struct reason *r, int err);

/* Writes "has no BTF (compiled without -g): detail" into buf; returns buf. */
const char *reason__describe(const struct reason *r, char *buf, size_t sz);
/* Like reason__describe(), with "; " and the remedy appended if there is one. */
const char *reason__advise(const struct reason *r, char *buf, size_t sz);

#endif
