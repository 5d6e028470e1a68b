// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The checks of bprof doctor for a kernel in lockdown. In lockdown, BPF programs must not read the
 * kernel's memory. Owns the list of what commands then cannot do. Each command itself reports what
 * is missing in its result.
 */

#include "base/util.h"
#include "btf/reason.h"
#include "doctor/doctor_print.h"
#include "kernel/feature.h"

static const struct {
	enum check_status status;
	const char *text;
} limits[] = {
	{CHECK_OK, "stat, top, export, record, annotate, watch, list: work"},
	{CHECK_NOTE, "trace: works without packets: no LENGTH, no --snap, no --pcap"},
	{CHECK_NOTE, "bench: works; on arm64 and riscv64, it cannot know that numbers are exact"},
	{CHECK_NOTE, "system: works with perf events of its own, and does not share counters"},
	{CHECK_NOTE, "--follow: works; programs that do not run are detached for a moment"},
};

void doctor__add_lockdown(struct doctor *d)
{
	struct reason reason;

	/* If fentry does not work, its check has reported why; these limits do not matter. */
	if (!d->fentry || !features__try_read_kernel(&reason) || reason.code != REASON_LOCKDOWN)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct check *c = array__add(&d->v, &d->cnt, sizeof(*c));

		c->name = "lockdown";
		check__set(c, limits[i].status, NULL, "%s", limits[i].text);
	}
}
