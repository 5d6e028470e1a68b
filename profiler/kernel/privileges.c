// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Drops privileges. Owns the list of those that measuring programs needs.
 */
#include <errno.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "kernel/privileges.h"

/* Keeps the capabilities that the process has and that are in the list. */
static int keep(cap_t have, cap_t kept, bool keep_files)
{
	static const cap_value_t list[] = {CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON, CAP_SYSLOG,
					   CAP_DAC_OVERRIDE};
	size_t cnt = ARRAY_SIZE(list) - !keep_files;
	cap_flag_value_t set;

	for (size_t i = 0; i < cnt; i++) {
		/* An old kernel does not know all of them. */
		if (cap_get_flag(have, list[i], CAP_PERMITTED, &set) || set != CAP_SET)
			continue;
		if (cap_set_flag(kept, CAP_PERMITTED, 1, &list[i], CAP_SET) ||
		    cap_set_flag(kept, CAP_EFFECTIVE, 1, &list[i], CAP_SET))
			return -errno;
	}
	return 0;
}

int privileges__drop(bool keep_files)
{
	cap_t have = cap_get_proc(), kept = cap_init();
	int err = have && kept ? keep(have, kept, keep_files) : -errno;

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err && cap_set_proc(kept))
		err = -errno;
	cap_free(have);
	cap_free(kept);
	return err;
}
