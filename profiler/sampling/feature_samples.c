// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests whether sampling works on this machine. Loads the BPF program that counts samples, with a
 * range of addresses that no code uses. Prints nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "btf/prog_code.h"
#include "btf/reason.h"
#include "kernel/feature.h"
#include "sampling/sampling.h"

/* Tests whether the kernel shows the addresses of a program's JITed code. Returns 0 or -errno. */
static int try_code(int prog_fd, struct reason *reason)
{
	int fd = fcntl(prog_fd, F_DUPFD_CLOEXEC, 0), err = fd < 0 ? -errno : 0;
	struct prog_code code = {};
	struct prog *p = NULL;

	err = err ?: prog__open_fd(fd, &p);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "%s", strerror(-err));
	err = prog__read_code(p, &code, reason);
	prog_code__free(&code);
	prog__close(p);
	return err;
}

int features__try_samples(char *event, size_t sz, struct reason *reason)
{
	const struct sample_spec spec = {.freq = sample_events__default_freq()};
	struct ip_ranges ranges = {};
	struct sampling *s = NULL;
	struct cpus online = {};
	int err = cpus__online(&online) ?: ip_ranges__add(&ranges, 1UL << 12, 1);

	if (err) {
		reason__set(reason, REASON_SYSTEM, -err, "%s", strerror(-err));
		goto out;
	}
	err = sampling__open(&spec, &online, &s, reason);
	if (err) {
		reason->code = err == -EPERM || err == -EACCES ? REASON_NO_PERM : REASON_SYSTEM;
		goto out;
	}
	snprintf(event, sz, "%s", sampling__event(s));
	err = sampling__attach(s, &ranges, reason)
		      ?: try_code(ip_sampler__prog_fd(sampling__sampler(s)), reason);
out:
	sampling__close(s);
	ip_ranges__free(&ranges);
	cpus__free(&online);
	return err;
}
