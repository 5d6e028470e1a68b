// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of reasons and the mapping from the kernel's errors to reasons. Must not know
 * which target is probed or how: it gets only an errno and a log.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "btf/reason.h"

/*
 * Each text continues "program 42: …", and each remedy is an instruction. run_stats is false if the
 * kernel does not measure the run time of such a program, or measures something else. (For example,
 * the kernel enters an extension by a jump, so it adds the extension's run time to the run time of
 * the extended program.)
 */
static const struct reason_spec specs[REASON_CNT] = {
	[REASON_NONE] = {"none", "can be profiled", NULL, true},
	[REASON_NO_SUCH_PROG] = {"no_such_prog", "is not loaded (any more)",
				 "run 'bprof list' to see which programs are", false},
	[REASON_NO_BTF] = {"no_btf", "has no BTF (compiled without -g, or the kernel refused it)",
			   "compile it with clang -g and load it with its .BTF section", true},
	[REASON_NO_FUNC_INFO] = {"no_func_info", "has BTF but no func_info (its loader dropped it)",
				 "load it with its .BTF.ext section, as libbpf does", true},
	[REASON_BAD_BTF] = {"bad_btf", "has BTF that cannot be read",
			    "compare with 'bpftool btf dump prog id ID', or build it again", true},
	[REASON_NO_SUCH_FUNC] = {"no_such_func", "has no function of that name",
				 "if the compiler inlined it, mark it __noinline and reload",
				 false},
	[REASON_NOT_JITED] = {"not_jited", "is interpreted, not JITed",
			      "set sysctl net.core.bpf_jit_enable=1 and load it again", true},
	[REASON_TRACING_PROG] =
		{"tracing_prog",
		 "is a tracing program, and this kernel does not allow tracing those",
		 "Linux 6.8 and newer allow it, one level deep", true},
	[REASON_SHORT_LIVED] = {"short_lived",
				"was unloaded again before a probe could be attached", NULL, false},
	[REASON_TOO_MANY] = {"too_many", "was loaded after as many programs as may be followed",
			     "allow more with --max-versions", false},
	[REASON_LATE_EXT] =
		{"late_ext",
		 "is an extension (freplace), and none was loaded when the measurement began",
		 "start bprof while one is loaded; it then measures later ones too", false},
	[REASON_EXT_PROG] = {"ext_prog", "is an extension (freplace) that cannot be probed",
			     "measure the program that it extends", false},
	[REASON_BAD_PIN] = {"bad_pin", "is not a pinned program or link", NULL, false},
	[REASON_OWN_PROG] = {"own_prog", "is one of bprof's own programs", NULL, false},
	[REASON_LOCKDOWN] = {"lockdown", "cannot be probed, the kernel is locked down",
			     "boot without lockdown= and Secure Boot, or measure it in a VM", true},
	[REASON_NO_PERM] = {"no_perm", "cannot be probed, no permission",
			    "run as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN", true},
	[REASON_NO_TRAMPOLINE] = {"no_trampoline",
				  "cannot be probed, this kernel has no BPF trampoline",
				  "x86-64 has it from Linux 5.5 on, arm64 from 6.0 on", true},
	[REASON_NOT_COMPILED] =
		{"not_compiled",
		 "cannot be probed, the kernel does not compile the probe to machine code",
		 "set sysctl net.core.bpf_jit_enable=1; if it is, executable memory may be used "
		 "up: "
		 "unload BPF programs or kernel modules",
		 true},
	[REASON_TOO_MANY_LINKS] = {"too_many_links",
				   "has no room for more fentry/fexit links (the kernel allows "
				   "38, or as many as fit in a page of code)",
				   "stop another tracer of it; 'bpftool link' lists them", true},
	[REASON_FREPLACED] = {"freplaced", "is replaced by an extension (freplace)",
			      "measure the extension instead; 'bpftool link' shows it", true},
	[REASON_UNSUPPORTED_SIG] = {"unsupported_signature",
				    "has a signature that a trampoline cannot carry",
				    "pass structs by pointer and return a scalar", true},
	[REASON_VERIFIER] = {"verifier", "is refused by the verifier", NULL, true},
	[REASON_TAIL_CALL_RISK] =
		{"tail_call_risk",
		 "makes tail calls in a subprogram, where a probe can make this kernel loop",
		 "measure the whole program, or use Linux 6.7 or newer", false},
	[REASON_THROW] = {"throw",
			  "may be left by bpf_throw(), which crashes the kernel if it is probed",
			  "measure the whole program, whose cost includes it", false},
	[REASON_HIDDEN_ARGS] =
		{"hidden_args",
		 "takes arguments that its BTF does not declare, and a probe would overwrite them",
		 "declare its parameters, or measure the whole program", false},
	[REASON_SAME_BTF_ID] =
		{"same_btf_id",
		 "cannot be probed, the kernel takes the function with the same BTF id instead",
		 "give it another name, or other names to its parameters", false},
	[REASON_UNTESTED_ARCH] = {"untested_arch",
				  "is not measured, as bprof was never tested on this architecture",
				  "use x86-64, arm64 or riscv64", false},
	[REASON_KERNEL_BUG] = {"kernel_bug", "is not probed because that would crash this kernel",
			       "'bprof doctor' shows which kernels do not have this bug", true},
	[REASON_CODE_HIDDEN] = {"code_hidden",
				"cannot be sampled, the kernel hides the addresses of its code",
				"run as root (CAP_SYSLOG), with sysctl kernel.kptr_restrict 0 or 1",
				false},
	[REASON_NO_FDS] = {"no_fds", "cannot be probed, out of file descriptors",
			   "raise 'ulimit -n', or measure fewer programs at once", true},
	[REASON_MEMORY] = {"memory",
			   "cannot be probed, the counts of all probes would take too much memory",
			   "measure fewer programs at once, or raise --max-memory", true},
	[REASON_METHOD] = {"method", "cannot be measured by the requested method",
			   "leave out --method, or give another", false},
	[REASON_KEY] = {"key", "has runs that cannot be divided so", NULL, false},
	[REASON_CALL] = {"call", "is called, but not measured by itself", NULL, false},
	[REASON_SYSTEM] = {"system", "cannot be probed, a system call failed", NULL, true},
	[REASON_OTHER] = {"other", "", NULL, false},
};

/*
 * Messages of bpf_check_attach_target(), check_attach_btf_id() (kernel/bpf/verifier.c) and
 * btf_distill_func_proto() (kernel/bpf/btf.c), from Linux 5.10 to 7.2. The table has only parts of
 * the messages because names and numbers stand between the parts, and because the wording changes
 * ("FENTRY/FEXIT program can only…" has become "Tracing program can only…").
 */
static const struct {
	const char *part;
	enum reason_code code;
	bool keep; /* The log's line becomes the detail, because it says more than the reason. */
} refusals[] = {
	{"can only be attached to another program annotated with BTF", REASON_NO_BTF, false},
	{"Can attach to only JITed progs", REASON_NOT_JITED, false},
	{"Cannot recursively attach", REASON_TRACING_PROG, false},
	{"Cannot nest tracing program attach", REASON_TRACING_PROG, true},
	{"Cannot extend fentry/fexit", REASON_EXT_PROG, true},
	{"Cannot replace ", REASON_EXT_PROG, true},
	{"Subprog ", REASON_NO_SUCH_FUNC, true},
	{"Tracing programs must provide btf_id", REASON_BAD_BTF, true},
	{"attach_btf_id ", REASON_BAD_BTF, true},
	{"arguments. Too many.", REASON_UNSUPPORTED_SIG, true},
	{" with variable args is unsupported", REASON_UNSUPPORTED_SIG, true},
	{" has malformed void argument", REASON_UNSUPPORTED_SIG, true},
	/* after a type, such as in "The function … return type STRUCT is unsupported." */
	{" is unsupported.", REASON_UNSUPPORTED_SIG, true},
	{" byte return value is not supported", REASON_UNSUPPORTED_SIG, true},
	{"JIT does not support ", REASON_NO_TRAMPOLINE, true},
	{"requires BPF JIT compiler", REASON_NOT_COMPILED, false},
};

/* Reasons by errno, if the log has none of the messages in refusals[]. */
static const struct {
	int err;
	bool silent; /* the row applies only if the log is empty, apart from statistics */
	enum reason_code code;
	const char *detail; /* detail if the log is empty; otherwise the log's line is the detail */
} errnos[] = {
	{EPERM, false, REASON_NO_PERM,
	 "CAP_BPF and CAP_PERFMON are needed, or a security policy forbids it"},
	{EACCES, true, REASON_NO_PERM, "a security policy forbids it"},
	/* An extension replaces the function (bpf_trampoline_link_prog(), tr->extension_prog). */
	{EBUSY, false, REASON_FREPLACED, ""},
	/*
	 * BPF_MAX_TRAMP_LINKS is reached (bpf_trampoline_link_prog()), or the trampoline's code is
	 * larger than a page (x86-64 with Linux 7.2: if there are more than 36 links). If the log
	 * has a line, E2BIG has another cause: "BPF program is too large".
	 */
	{E2BIG, true, REASON_TOO_MANY_LINKS, ""},
	/*
	 * The verifier has accepted the program, but it was not JITed (bpf_prog_select_runtime()).
	 * The interpreter cannot run it instead: the kernel has no interpreter, or the program
	 * calls kfuncs.
	 */
	{KERNEL_ENOTSUPP, false, REASON_NOT_COMPILED, ""},
	{EOPNOTSUPP, false, REASON_NO_TRAMPOLINE, ""},
	{EMFILE, false, REASON_NO_FDS, ""},
	{ENFILE, false, REASON_NO_FDS, ""},
	/* The kernel does not know this program type, or the verifier has written no message. */
	{EINVAL, true, REASON_VERIFIER, "EINVAL without a message in its log"},
};

/* Beginnings of the statistics lines that follow the message (print_verification_stats()). */
static const char *const stats_lines[] = {
	"processed ",	    "verification time ", "stack depth ",
	"insns processed ", "mark_precise: ",	  "-- END PROG LOAD LOG --",
};

const struct reason_spec *reason__spec(enum reason_code code)
{
	return &specs[(unsigned int)code < REASON_CNT ? code : REASON_SYSTEM];
}

int reason__set(struct reason *r, enum reason_code code, int err, const char *fmt, ...)
{
	va_list args;

	r->code = code;
	r->err = abs(err);
	r->detail[0] = '\0';
	if (fmt) {
		va_start(args, fmt);
		vsnprintf(r->detail, sizeof(r->detail), fmt, args);
		va_end(args);
	} else if (code == REASON_OTHER) {
		snprintf(r->detail, sizeof(r->detail), "%s", strerror(r->err));
	}
	return -r->err;
}

static bool is_stats_line(const char *line, size_t len)
{
	for (size_t i = 0; i < sizeof(stats_lines) / sizeof(stats_lines[0]); i++) {
		size_t n = strlen(stats_lines[i]);

		if (len >= n && !memcmp(line, stats_lines[i], n))
			return true;
	}
	return false;
}

/*
 * Cuts off statistics that follow a message without a newline ("Target program bound device
 * mismatch").
 */
static void cut_stats(char *line)
{
	char *p = strstr(line, " insns (limit ");

	while (p && p > line && isdigit((unsigned char)p[-1]))
		p--;
	if (p && p - line >= 10 && !memcmp(p - 10, "processed ", 10))
		p[-10] = '\0';
}

/*
 * Copies the log's last line that is not statistics to buf, truncated to sz bytes. Copies "" if
 * there is no such line.
 */
static void last_line(const char *log, char *buf, size_t sz)
{
	size_t end = log ? strlen(log) : 0;

	buf[0] = '\0';
	while (end) {
		size_t start, next;

		for (start = end; start && log[start - 1] != '\n';)
			start--;
		next = start ? start - 1 : 0;
		while (start < end && isspace((unsigned char)log[start]))
			start++;
		while (start < end && isspace((unsigned char)log[end - 1]))
			end--;
		if (start < end && !is_stats_line(log + start, end - start)) {
			size_t n = end - start < sz - 1 ? end - start : sz - 1;

			/*
			 * Replace control characters, because the line is written to terminals and
			 * JSON.
			 */
			for (size_t i = 0; i < n; i++)
				buf[i] = iscntrl((unsigned char)log[start + i]) ? ' '
										: log[start + i];
			buf[n] = '\0';
			cut_stats(buf);
			return;
		}
		end = next;
	}
}

void reason__from_verifier(struct reason *r, int err, const char *log)
{
	char line[sizeof(r->detail)];

	if (err < 0)
		err = -err;
	last_line(log, line, sizeof(line));

	for (size_t i = 0; line[0] && i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (!strstr(line, refusals[i].part))
			continue;
		reason__set(r, refusals[i].code, err, "%s", refusals[i].keep ? line : "");
		return;
	}
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (errnos[i].err != err || (errnos[i].silent && line[0]))
			continue;
		reason__set(r, errnos[i].code, err, "%s", line[0] ? line : errnos[i].detail);
		return;
	}
	if (line[0])
		reason__set(r, REASON_VERIFIER, err, "%s", line);
	else
		reason__set(r, REASON_SYSTEM, err, "%s", strerror(err));
}

void reason__from_attach(struct reason *r, int err)
{
	/* arch_prepare_bpf_trampoline() */
	if (abs(err) == KERNEL_ENOTSUPP)
		reason__set(r, REASON_NO_TRAMPOLINE, err, NULL);
	else
		reason__from_verifier(r, err, NULL);
}

const char *reason__describe(const struct reason *r, char *buf, size_t sz)
{
	const char *text = reason__spec(r->code)->text;

	snprintf(buf, sz, "%s%s%s", text, *text && r->detail[0] ? ": " : "", r->detail);
	return buf;
}

const char *reason__advise(const struct reason *r, char *buf, size_t sz)
{
	const char *remedy = reason__spec(r->code)->remedy;
	size_t len = strlen(reason__describe(r, buf, sz));

	if (remedy)
		snprintf(buf + len, sz - len, "; %s", remedy);
	return buf;
}
