// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Drops privileges. Owns the table of the privileges that measuring programs needs.
 */
#include <errno.h>
#include <linux/const.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "kernel/privileges.h"

/*
 * CAP_SYS_ADMIN: ids of BPF programs, maps and links. CAP_PERFMON: perf events, and programs that read
 * the kernel's memory. CAP_SYSLOG: addresses of kernel symbols.
 */
#define OPEN \
	(_BITULL(CAP_SYS_ADMIN) | _BITULL(CAP_BPF) | _BITULL(CAP_PERFMON) | _BITULL(CAP_SYSLOG))

static const __u64 needed[PRIVILEGES_CNT] = {
	/* With kernel.unprivileged_bpf_disabled, bpf() without CAP_BPF fails for open maps, too. */
	[PRIVILEGES_READ] = _BITULL(CAP_BPF),
	[PRIVILEGES_LIST] = _BITULL(CAP_BPF) | _BITULL(CAP_SYS_ADMIN),
	[PRIVILEGES_OPEN] = OPEN,
	/* The two other capabilities show the open files of other users' processes. */
	[PRIVILEGES_SHOW] = OPEN | _BITULL(CAP_SYS_PTRACE) | _BITULL(CAP_DAC_READ_SEARCH),
};

static __u64 caps_of(const struct privileges_use *use)
{
	__u64 caps = needed[use->mode];

	/* -o may replace another user's file by a new one with the same owner and mode. */
	if (use->files)
		caps |= _BITULL(CAP_DAC_OVERRIDE) | _BITULL(CAP_CHOWN) | _BITULL(CAP_FOWNER);
	if (use->signals)
		caps |= _BITULL(CAP_KILL);
	/* Before Linux 5.8, CAP_SYS_ADMIN had the role of CAP_BPF. */
	if (!CAP_IS_SUPPORTED(CAP_BPF))
		caps |= _BITULL(CAP_SYS_ADMIN);
	return caps;
}

static bool is_set(cap_t caps, cap_value_t cap, cap_flag_t set)
{
	cap_flag_value_t value;

	return !cap_get_flag(caps, cap, set, &value) && value == CAP_SET;
}

/* Removes all capabilities but "keep" from the bounding set, unless CAP_SETPCAP is missing. */
static int drop_bounding(cap_t have, __u64 keep)
{
	if (!is_set(have, CAP_SETPCAP, CAP_EFFECTIVE))
		return 0;
	for (cap_value_t cap = 0; CAP_IS_SUPPORTED(cap); cap++)
		if (!(keep & _BITULL(cap)) && cap_drop_bound(cap))
			return -errno;
	return 0;
}

/* Sets the flags in "kept" for the capabilities that are in "keep" and that the process has. */
static int select_kept(cap_t have, __u64 keep, cap_t kept)
{
	for (cap_value_t cap = 0; CAP_IS_SUPPORTED(cap); cap++)
		if (keep & _BITULL(cap) && is_set(have, cap, CAP_PERMITTED) &&
		    (cap_set_flag(kept, CAP_PERMITTED, 1, &cap, CAP_SET) ||
		     cap_set_flag(kept, CAP_EFFECTIVE, 1, &cap, CAP_SET)))
			return -errno;
	return 0;
}

int privileges__drop(const struct privileges_use *use)
{
	cap_t have = cap_get_proc(), kept = cap_init();
	__u64 keep = caps_of(use);
	int err = have && kept ? select_kept(have, keep, kept) ?: drop_bounding(have, keep)
			       : -errno;
	/*
	 * The kernel empties the ambient set, too: it is a part of the inheritable set, which is
	 * empty in "kept".
	 */
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || cap_set_proc(kept)))
		err = -errno;
	cap_free(have);
	cap_free(kept);
	return err;
}

int privileges__drop_inherited(void)
{
	cap_t caps = cap_get_proc();
	int err = !caps || cap_clear_flag(caps, CAP_INHERITABLE) || cap_set_proc(caps) ? -errno : 0;

	cap_free(caps);
	return err;
}
