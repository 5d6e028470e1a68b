// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds out whether a program can be probed: attaches the smallest possible fentry/fexit pair, or
 * fsession, to the program and detaches it again. Knows nothing of measuring. Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "bpf/empty.skel.h"
#include "bpf/tryfentry.h"
#include "bpf/tryfentry.skel.h"
#include "bpf/trytail.h"
#include "bpf/trytail.skel.h"
#include "btf/fsession.h"
#include "btf/reason.h"
#include "kernel/feature.h"
#include "kernel/jited.h"
#include "kernel/kernel_bugs.h"
#include "kernel/text_lock.h"

#define LOG_SZ (64 * 1024)

/* The state of one attempt. Members that do not exist yet are NULL. */
struct attempt {
	/* try an fsession: only bprof_try_exit is loaded and attached, as an fsession */
	bool fsession;
	struct tryfentry_bpf *skel;
	struct bpf_link *entry, *exit;
	char *log;
};

static void attempt__end(struct attempt *a)
{
	if (a->entry || a->exit) {
		int lock = text_lock__take();

		/* detach the exit probe first: no exit probe may run without its entry probe */
		bpf_link__destroy(a->exit);
		bpf_link__destroy(a->entry);
		text_lock__release(lock);
	}
	tryfentry_bpf__destroy(a->skel);
	free(a->log);
}

static int explain_refusal(struct reason *r, int err, const char *log)
{
	reason__from_verifier(r, -err, log);
	features__explain_perm(r);
	return err;
}

/*
 * Explains an error of bpf_program__set_attach_target(). libbpf opens the program's BTF by the
 * BTF's id, and looks up the function in it.
 */
static int explain_target(struct reason *r, int err, const char *func)
{
	switch (err) {
	case -EPERM:
		return explain_refusal(r, err, NULL);
	case -ENOENT:
		return reason__set(r, REASON_NO_SUCH_FUNC, ENOENT, "%s", func);
	case -EINVAL:
		return reason__set(r, REASON_NO_BTF, EINVAL, NULL);
	}
	return reason__set(r, REASON_SYSTEM, -err, "finding %s: %s", func, strerror(-err));
}

static int attempt__load(struct attempt *a, int prog_fd, const char *func, struct reason *reason)
{
	struct bpf_program *progs[2];
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);
	int err = 0;

	if (!bpf_obj_get_info_by_fd(prog_fd, &info, &sz) &&
	    kernel_bugs__check_type(info.type, reason))
		return -EOPNOTSUPP;
	a->log = xcalloc(1, LOG_SZ);
	a->skel = tryfentry_bpf__open();
	if (!a->skel)
		return reason__set(reason, REASON_SYSTEM, errno, "%s", strerror(errno));
	progs[0] = a->skel->progs.bprof_try_entry;
	progs[1] = a->skel->progs.bprof_try_exit;
	for (size_t i = 0; i < ARRAY_SIZE(progs); i++) {
		err = bpf_program__set_attach_target(progs[i], prog_fd, func);
		if (err)
			return explain_target(reason, err, func);
		/* one buffer is enough, because loading stops at the first refused program */
		bpf_program__set_log_buf(progs[i], a->log, LOG_SZ);
	}
	if (a->fsession) {
		/* libbpf also accepts attach types that it does not know */
		bpf_program__set_expected_attach_type(progs[1], ATTACH_TYPE_FSESSION);
		err = bpf_program__set_autoload(progs[0], false);
	}
	err = err ?: tryfentry_bpf__load(a->skel);
	if (err)
		return explain_refusal(reason, err, a->log);
	return jited__check_object(a->skel->obj, reason);
}

static int attempt__attach(struct attempt *a, struct reason *reason)
{
	int lock = text_lock__take(), err = 0;

	if (!a->fsession && !(a->entry = bpf_program__attach(a->skel->progs.bprof_try_entry)))
		err = -errno;
	if (!err && !(a->exit = bpf_program__attach(a->skel->progs.bprof_try_exit)))
		err = -errno;
	text_lock__release(lock);
	if (err) {
		reason__from_attach(reason, err);
		features__explain_perm(reason);
	}
	return err;
}

static int run_once(int prog_fd, struct reason *reason)
{
	char packet[64] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = 1);

	if (bpf_prog_test_run_opts(prog_fd, &run))
		return reason__set(reason, REASON_SYSTEM, errno, "BPF_PROG_TEST_RUN: %s",
				   strerror(errno));
	return 0;
}

/*
 * Runs the empty program once. Checks that both probes ran or, for an fsession, that its program
 * ran twice.
 */
static int attempt__run(struct attempt *a, int prog_fd, struct reason *reason)
{
	__u64 fired[TRYFENTRY_CNT] = {0};
	int err = run_once(prog_fd, reason);

	if (err)
		return err;
	for (__u32 key = 0; key < TRYFENTRY_CNT; key++)
		if (bpf_map_lookup_elem(bpf_map__fd(a->skel->maps.bprof_try), &key, &fired[key]))
			return reason__set(reason, REASON_SYSTEM, errno, "reading a map: %s",
					   strerror(errno));
	if (fired[TRYFENTRY_ENTRY] != (a->fsession ? 0 : 1) ||
	    fired[TRYFENTRY_EXIT] != 1ULL + a->fsession)
		return reason__set(reason, REASON_SYSTEM, EIO,
				   "probes were attached, but entry fired %llu and exit %llu times "
				   "for one run",
				   fired[TRYFENTRY_ENTRY], fired[TRYFENTRY_EXIT]);
	return 0;
}

int features__try_fentry_on(int prog_fd, const char *func, bool attach, struct reason *reason)
{
	struct attempt a = {0};
	int err;

	reason__set(reason, REASON_NONE, 0, NULL);
	err = attempt__load(&a, prog_fd, func, reason);
	if (!err && attach)
		err = attempt__attach(&a, reason);
	attempt__end(&a);
	return err;
}

static int load_empty(struct empty_bpf **empty)
{
	*empty = empty_bpf__open_and_load();
	return *empty ? 0 : -errno;
}

static int try_on_empty(bool fsession, struct reason *reason)
{
	struct attempt a = {.fsession = fsession};
	struct empty_bpf *empty;
	int err, fd;

	reason__set(reason, REASON_NONE, 0, NULL);
	err = load_empty(&empty);
	if (err)
		return explain_refusal(reason, err, NULL);
	fd = bpf_program__fd(empty->progs.bprof_empty);
	err = attempt__load(&a, fd, "bprof_empty", reason);
	jited__correct(reason);
	if (!err)
		err = attempt__attach(&a, reason);
	if (!err)
		err = attempt__run(&a, fd, reason);
	attempt__end(&a);
	empty_bpf__destroy(empty);
	return err;
}

int features__try_fentry(struct reason *reason)
{
	return try_on_empty(false, reason);
}

int features__try_fsession(struct reason *reason)
{
	return try_on_empty(true, reason);
}

/*
 * Runs the tail-calling program once, with the probes on its subprogram, and checks the number of
 * rounds.
 */
static int run_tail_calls(struct trytail_bpf *tail, int prog_fd, struct reason *reason)
{
	__u32 key = 0;
	__u64 rounds;
	int err;

	if (bpf_map_update_elem(bpf_map__fd(tail->maps.bprof_hops), &key, &prog_fd, BPF_ANY))
		return reason__set(reason, REASON_SYSTEM, errno, "filling a prog array: %s",
				   strerror(errno));
	err = run_once(prog_fd, reason);
	if (err)
		return err;
	if (bpf_map_lookup_elem(bpf_map__fd(tail->maps.bprof_rounds), &key, &rounds))
		return reason__set(reason, REASON_SYSTEM, errno, "reading a map: %s",
				   strerror(errno));
	/*
	 * If the kernel counts the tail calls, it stops the program after at most
	 * TRYTAIL_KERNEL_END rounds. If there were more rounds, the program has stopped itself.
	 */
	return rounds <= TRYTAIL_KERNEL_END
		       ? 0
		       : reason__set(reason, REASON_TAIL_CALL_RISK, ELOOP, NULL);
}

int features__try_tail_calls(struct reason *reason)
{
	struct trytail_bpf *tail = trytail_bpf__open_and_load();
	struct attempt a = {0};
	int err, fd;

	reason__set(reason, REASON_NONE, 0, NULL);
	if (!tail)
		return explain_refusal(reason, -errno, NULL);
	fd = bpf_program__fd(tail->progs.bprof_hopper);
	err = attempt__load(&a, fd, "bprof_hop", reason) ?:
	      attempt__attach(&a, reason) ?:
	      run_tail_calls(tail, fd, reason);
	attempt__end(&a);
	/* Break the cycle of the program and its prog array: the kernel then frees both at once. */
	bpf_map_delete_elem(bpf_map__fd(tail->maps.bprof_hops), &(__u32){0});
	trytail_bpf__destroy(tail);
	return err;
}

int features__jits(bool *jits)
{
	struct bpf_prog_info info = {0};
	__u32 sz = sizeof(info);
	struct empty_bpf *empty;
	int err;

	err = load_empty(&empty);
	if (err)
		return err;
	if (bpf_obj_get_info_by_fd(bpf_program__fd(empty->progs.bprof_empty), &info, &sz))
		err = -errno;
	else
		*jits = info.jited_prog_len;
	empty_bpf__destroy(empty);
	return err;
}
