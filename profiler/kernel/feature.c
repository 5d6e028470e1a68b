// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The features of this machine and of this process that files and single system calls show.
 * Features that only an attached probe shows are in feature_fentry.c. Prints nothing, keeps no
 * state.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <bpf/bpf.h>
#include <linux/mount.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/reason.h"
#include "kernel/feature.h"

/* USER_NS_INIT_INO of include/uapi/linux/nsfs.h, which in older kernels has no name. */
#define INIT_USERNS_INO 0xEFFFFFFDU

static int read_below(const char *root, const char *path, char **out)
{
	char full[4096];

	*out = NULL;
	if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) >= sizeof(full))
		return -ENAMETOOLONG;
	return read_file(full, out);
}

static const char *const lockdown_names[LOCKDOWN_CNT] = {
	[LOCKDOWN_UNKNOWN] = "unknown",
	[LOCKDOWN_NONE] = "none",
	[LOCKDOWN_INTEGRITY] = "integrity",
	[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

const char *lockdown__name(enum lockdown level)
{
	return lockdown_names[level];
}

enum lockdown lockdown__parse(const char *text)
{
	const char *open = text ? strchr(text, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return LOCKDOWN_UNKNOWN;
	for (int i = LOCKDOWN_NONE; i < LOCKDOWN_CNT; i++)
		if (strlen(lockdown_names[i]) == (size_t)(close - open - 1) &&
		    !strncmp(open + 1, lockdown_names[i], close - open - 1))
			return i;
	return LOCKDOWN_UNKNOWN;
}

/*
 * Mounts securityfs at no path, and returns the mount's descriptor or -errno.
 *
 * Uses syscall() because glibc has these functions only since 2.36. The kernel has the system calls
 * since 5.2.
 */
static int mount_securityfs(void)
{
	int fs_fd = syscall(SYS_fsopen, "securityfs", FSOPEN_CLOEXEC);
	int mnt_fd = -1;

	if (fs_fd < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mnt_fd = syscall(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	if (mnt_fd < 0)
		mnt_fd = -errno;
	close(fs_fd);
	return mnt_fd;
}

static enum lockdown read_detached_lockdown(void)
{
	int mnt_fd = mount_securityfs();
	enum lockdown level = LOCKDOWN_UNKNOWN;
	char text[128];
	ssize_t n;
	int fd;

	if (mnt_fd < 0)
		return level;
	fd = openat(mnt_fd, "lockdown", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		level = lockdown__parse(text);
		close(fd);
	} else if (errno == ENOENT) {
		/* without this file in securityfs, the kernel has no lockdown module */
		level = LOCKDOWN_NONE;
	}
	close(mnt_fd);
	return level;
}

enum lockdown features__lockdown(const char *root)
{
	enum lockdown level;
	char *text;

	if (read_below(root, "/sys/kernel/security/lockdown", &text))
		return *root ? LOCKDOWN_UNKNOWN : read_detached_lockdown();
	level = lockdown__parse(text);
	free(text);
	return level;
}

static const struct {
	cap_value_t value;
	const char *name;
} caps[BPROF_CAP_CNT] = {
	[BPROF_CAP_SYS_ADMIN] = {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
	[BPROF_CAP_BPF] = {CAP_BPF, "CAP_BPF"},
	[BPROF_CAP_PERFMON] = {CAP_PERFMON, "CAP_PERFMON"},
};

unsigned int features__caps(void)
{
	cap_t proc = cap_get_proc();
	unsigned int have = 0;

	/*
	 * The capabilities are not known: do not report a missing one. The kernel refuses what it
	 * must refuse.
	 */
	if (!proc)
		return (1U << BPROF_CAP_CNT) - 1;
	for (int i = 0; i < BPROF_CAP_CNT; i++) {
		cap_flag_value_t on = CAP_CLEAR;

		if (!cap_get_flag(proc, caps[i].value, CAP_EFFECTIVE, &on) && on == CAP_SET)
			have |= 1U << i;
	}
	cap_free(proc);
	if (have & 1U << BPROF_CAP_SYS_ADMIN)
		have |= 1U << BPROF_CAP_BPF | 1U << BPROF_CAP_PERFMON;
	return have;
}

const char *features__missing_caps(unsigned int need, char *buf, size_t sz)
{
	unsigned int missing = need & ~features__caps();
	size_t len = 0;

	if (sz)
		buf[0] = '\0';
	for (int i = 0; i < BPROF_CAP_CNT && len < sz; i++)
		if (missing & 1U << i)
			len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "", caps[i].name);
	return buf;
}

bool features__in_init_userns(void)
{
	struct stat st;

	/* without user namespaces or without /proc, assume the initial namespace */
	return stat("/proc/self/ns/user", &st) || st.st_ino == INIT_USERNS_INO;
}

bool features__kernel_before(int major, int minor)
{
	int have_major = 0, have_minor = 0;
	struct utsname uts;

	if (uname(&uts) || sscanf(uts.release, "%d.%d", &have_major, &have_minor) != 2)
		return false;
	return have_major < major || (have_major == major && have_minor < minor);
}

bool features__is_untested(const char *release)
{
	int major, minor, tested_major, tested_minor;

	if (sscanf(release, "%d.%d", &major, &minor) != 2 ||
	    sscanf(NEWEST_TESTED_KERNEL, "%d.%d", &tested_major, &tested_minor) != 2)
		return false;
	return major > tested_major || (major == tested_major && minor > tested_minor);
}

/* Before Linux 5.11, BPF memory counted towards RLIMIT_MEMLOCK, and too much gave EPERM. */
static bool hits_memlock(void)
{
	struct rlimit lim;

	return features__kernel_before(5, 11) && !getrlimit(RLIMIT_MEMLOCK, &lim) &&
	       lim.rlim_cur != RLIM_INFINITY;
}

/*
 * LOCKDOWN_BPF_READ_KERNEL belongs to the level confidentiality (include/linux/security.h). The
 * level integrity restricts only one thing in BPF: bpf_probe_write_user().
 */
void lockdown__explain(enum lockdown level, struct reason *r)
{
	static const char *const texts[LOCKDOWN_CNT] = {
		[LOCKDOWN_UNKNOWN] =
			"a security module, a sandbox (seccomp) or kernel lockdown refuses it",
		[LOCKDOWN_NONE] = "a security module or a sandbox (seccomp) refuses it",
		[LOCKDOWN_INTEGRITY] = "a security module or a sandbox (seccomp) refuses it; the "
				       "kernel's lockdown "
				       "level 'integrity' does not",
	};

	if (level == LOCKDOWN_CONFIDENTIALITY)
		reason__set(r, REASON_LOCKDOWN, EPERM, "%s", lockdown__name(level));
	else
		reason__set(r, REASON_SYSTEM, EPERM, "EPERM though no capability is missing: %s",
			    texts[level]);
}

void features__explain_perm(struct reason *r)
{
	char missing[96];

	if (r->code != REASON_NO_PERM)
		return;
	features__missing_caps((1U << BPROF_CAP_CNT) - 1, missing, sizeof(missing));
	if (*missing)
		reason__set(r, REASON_NO_PERM, EPERM, "%s", missing);
	else if (!features__in_init_userns())
		reason__set(r, REASON_NO_PERM, EPERM,
			    "capabilities in a user namespace do not count; those of the host are "
			    "needed");
	else if (hits_memlock())
		reason__set(r, REASON_SYSTEM, EPERM,
			    "RLIMIT_MEMLOCK is too low for this kernel; raise 'ulimit -l'");
	else
		lockdown__explain(features__lockdown(""), r);
}

int features__try_read_kernel(struct reason *reason)
{
	/* One type is enough: all types of tracing programs may call the same helpers. */
	const struct bpf_insn insns[] = {
		{BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10},
		{BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, .imm = -8},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, .imm = 8},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3},
		{BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0},
		{BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bprof_read", "Dual BSD/GPL", insns,
			       ARRAY_SIZE(insns), NULL);
	int err = errno;

	if (fd >= 0)
		return close(fd);
	if (features__lockdown("") == LOCKDOWN_CONFIDENTIALITY)
		return reason__set(reason, REASON_LOCKDOWN, EPERM,
				   "the kernel is locked down for confidentiality, so that BPF "
				   "programs may not read its memory");
	return reason__set(reason, REASON_SYSTEM, err,
			   "the kernel does not let BPF programs read its memory: %s",
			   strerror(err));
}

/* Returns the value of a sysctl, from 0 to 2, or -errno. */
static int read_jit(const char *root, const char *path)
{
	char *text;
	__u64 v;
	int err;

	err = read_below(root, path, &text);
	if (err)
		return err;
	err = parse_u64(text, 2, &v);
	free(text);
	return err ? err : (int)v;
}

int features__jit_enable(const char *root)
{
	return read_jit(root, "/proc/sys/net/core/bpf_jit_enable");
}

int features__jit_harden(const char *root)
{
	return read_jit(root, "/proc/sys/net/core/bpf_jit_harden");
}

bool features__has_no_jit(void)
{
	return features__jit_enable("") == -ENOENT;
}

int features__perf_event_paranoid(const char *root, int *level)
{
	char *text, *end;
	int err;

	err = read_below(root, "/proc/sys/kernel/perf_event_paranoid", &text);
	if (err)
		return err;
	*level = strtol(text, &end, 10);
	if (end == text || *end)
		err = -EINVAL;
	free(text);
	return err;
}

bool features__has_vmlinux_btf(const char *root)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s/sys/kernel/btf/vmlinux", root);
	return !access(full, R_OK);
}

char *features__clocksource(const char *root)
{
	char *text;

	if (read_below(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		       &text))
		return NULL;
	return text;
}

/*
 * Returns the value of the line "key<white space>: value" in cpuinfo, or NULL if there is no such
 * line. The value has *len bytes and is not NUL-terminated.
 */
static const char *find_cpuinfo(const char *cpuinfo, const char *key, size_t *len)
{
	const char *line = cpuinfo;
	size_t key_len = strlen(key);

	while (*line) {
		const char *end = strchrnul(line, '\n');
		const char *p = line + key_len;

		if (!strncmp(line, key, key_len)) {
			p += strspn(p, " \t");
			if (*p == ':') {
				p++;
				p += strspn(p, " \t");
				*len = end > p ? end - p : 0;
				return *len ? p : NULL;
			}
		}
		line = *end ? end + 1 : end;
	}
	return NULL;
}

char *cpu_model__parse(const char *cpuinfo)
{
	const char *name, *part;
	size_t name_len, part_len;

	name = find_cpuinfo(cpuinfo, "model name", &name_len);
	if (name)
		return xstrndup(name, name_len);
	/* arm64 shows numbers instead of a name (arch/arm64/kernel/cpuinfo.c) */
	name = find_cpuinfo(cpuinfo, "CPU implementer", &name_len);
	part = find_cpuinfo(cpuinfo, "CPU part", &part_len);
	if (!name || !part)
		return xstrdup("");
	return text__format("implementer %.*s part %.*s", (int)name_len, name, (int)part_len, part);
}

int features__host(const char *root, struct host_info *host)
{
	struct utsname uts;
	char *cpuinfo;
	int err;

	memset(host, 0, sizeof(*host));
	if (uname(&uts))
		return -errno;
	err = read_below(root, "/proc/cpuinfo", &cpuinfo);
	if (err && err != -ENOENT && err != -EACCES)
		return err;
	host->kernel = xstrdup(uts.release);
	host->arch = xstrdup(uts.machine);
	host->cpu_model = cpu_model__parse(cpuinfo ?: "");
	free(cpuinfo);
	return 0;
}

void host_info__free(struct host_info *host)
{
	free(host->kernel);
	free(host->arch);
	free(host->cpu_model);
	memset(host, 0, sizeof(*host));
}

bool features__has_cmpxchg(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .src_reg = BPF_REG_0,
		 .off = -8,
		 .imm = BPF_CMPXCHG},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "bprof_cmpxchg", "Dual BSD/GPL", insns,
			       ARRAY_SIZE(insns), NULL);

	if (fd < 0)
		/* other errors appear again, with a reason, when the features are used */
		return errno == EPERM || errno == EACCES;
	close(fd);
	return true;
}

int features__try_run_stats(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
