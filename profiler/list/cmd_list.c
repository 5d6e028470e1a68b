// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof list: shows the loaded programs, where they are attached, and by which method each can be
 * measured. Decides which programs are listed in which order; must not know events. Attaches
 * nothing to the listed programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>

#include "backend/counter.h"
#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "host/holders.h"
#include "host/namespaces.h"
#include "kernel/feature.h"
#include "kernel/iter_run.h"
#include "kernel/kernel_bugs.h"
#include "list/cmd_list.h"
#include "run/command.h"
#include "run/order_opts.h"
#include "run/output_opts.h"
#include "run/target_opts.h"
#include "target/attachments.h"
#include "target/pins.h"
#include "target/target.h"

struct list_opts {
	struct output_opts output;
	bool perf;
	bool own;
	bool unheld;
	struct order_opts order;
	struct selector_list selectors; /* if it is empty, all programs match */
};

static const struct option_row rows[] = {
	{.name = "perf",
	 .type = OPTION_FLAG,
	 .member = offsetof(struct list_opts, perf),
	 .help = "list only attachments to perf events and tracepoints, with the processes that "
		 "hold them"},
	{.name = "unheld",
	 .type = OPTION_FLAG,
	 .member = offsetof(struct list_opts, unheld),
	 .help = "list only programs that nothing holds, as far as bprof can see: no process, "
		 "pin, map, other program or attachment"},
	{.name = "own",
	 .type = OPTION_FLAG,
	 .member = offsetof(struct list_opts, own),
	 .help = "also list the programs of bprof itself"},
	{0},
};

const struct command_spec list_spec = {
	.name = "list",
	.brief = "show the loaded programs and whether they can be measured",
	.synopsis = "[OPTIONS] [ID|NAME|PATH...]",
	.operand = ARG_PROG_NAME,
	.summary = "Shows the loaded BPF programs, where they are attached, and whether they can "
		   "be measured. ID, NAME and PATH are short for --prog-id, --name and "
		   "--pinned. " SELECTORS_RULE,
	.tables = {{"Programs", selector_rows, offsetof(struct list_opts, selectors)},
		   {"Programs", rows},
		   {"Programs", order_rows, offsetof(struct list_opts, order)},
		   {"Output", output_rows, offsetof(struct list_opts, output)}},
	.documents = DOC_OTHER | DOC_TABLE,
	.exit_status =
		"0 done, also if no program matches; 1 failed, 2 wrong usage, 7 not allowed.",
	.notes = "METHOD is how 'bprof stat' measures the program: fentry (events of each run), "
		 "or run_stats (mean time only) with the reason why fentry cannot be used.\n"
		 "An extension (freplace; libxdp attaches several XDP programs this way) is "
		 "shown, indented, below the program that it extends; --name lists it with that "
		 "program.\n"
		 "HELD BY is the first process that has the program open (or a link to it, or a "
		 "perf event that runs it), and how many more there are. If there is no such "
		 "process and the program is not attached, it is what else holds the program: a "
		 "pin, a map, another program or a network namespace. 'unheld': bprof found none "
		 "of these. 'not known': bprof could not search everywhere; --format json has "
		 "the reason (unheld_unknown).\n"
		 "Unheld programs may be leaks, such as a program of a removed cgroup that still "
		 "has sockets. bprof cannot see descriptors that are being passed over a socket "
		 "or are registered in an io_uring, perf events that only an mmap() keeps open, "
		 "bpf filesystems that are mounted nowhere, and network namespaces that only "
		 "descriptors or sockets keep. Programs that sockets, routes or timers may hold "
		 "are 'not known', because the kernel does not report these holders.\n"
		 "-v also shows where each program or a link to it is pinned, its memory in "
		 "bytes, its maps with their memory, and its metadata: constant global variables "
		 "called bpf_metadata_NAME, such as a version.\n"
		 "--active, and --sort runs/s or cpu%, count the runs of all programs for half a "
		 "second.\n"
		 "--perf: a line for each perf event or tracepoint that a program is attached "
		 "to, with the processes that have its link or the event open. 'no process': it "
		 "is pinned, or held by a process in another pid namespace.",
};

/*
 * Opens the program, reads its functions, and adds it to the list if it matches or is an extension.
 * place_extensions() later removes the extensions that do not belong to the list. If the functions
 * cannot be read, the item's reason says why.
 */
static int add_listed_prog(__u32 id, void *arg)
{
	struct list *l = arg;
	struct reason reason;
	struct listed *item;
	struct prog *p;
	bool is_ext;
	int err;

	if (!selector_list__has_id(&l->opts->selectors, id))
		return 0;
	err = prog__open_id(id, &p);
	if (err == -ENOENT)
		return 0; /* the program was unloaded after its id was read */
	if (err)
		return err;
	/* The previous program is probably of the same object: if so, reuse its BTF. */
	if (l->cnt)
		prog__load_funcs_like(p, l->v[l->cnt - 1].prog);
	prog__load_funcs(p, &reason);
	is_ext = p->info.type == BPF_PROG_TYPE_EXT;
	/*
	 * When a bprof process ends, the kernel frees the programs of that process only after a
	 * grace period. Until then they have ids.
	 */
	if ((!l->opts->own && prog__is_own(p)) ||
	    !selector_list__selects(&l->opts->selectors, p, is_ext)) {
		prog__close(p);
		return 0;
	}
	item = array__add(&l->v, &l->cnt, sizeof(*item));
	item->prog = p;
	item->reason = reason;
	l->has_ext |= is_ext;
	return 0;
}

/* Finds the program that an extension extends. Prefers a program that is listed. */
static void find_extended(const struct list *l, struct listed *item)
{
	const struct extensions *all = &l->extensions;

	for (int i = 0; i < all->cnt && !item->nested; i++) {
		int place = 0;

		if (all->v[i].prog_id != item->prog->info.id)
			continue;
		while (place < l->cnt && l->v[place].prog->info.id != all->v[i].target_id)
			place++;
		item->nested = place < l->cnt;
		if (item->nested || !item->extends)
			item->extends = &all->v[i];
		if (item->nested)
			item->place = place;
	}
}

static int compare_list_places(const void *a_ptr, const void *b_ptr)
{
	const struct listed *a = a_ptr, *b = b_ptr;

	if (a->place != b->place)
		return a->place - b->place;
	if (a->nested != b->nested)
		return a->nested - b->nested;
	if (a->nested && a->extends != b->extends)
		return a->extends < b->extends ? -1 : 1;
	return a->prog->info.id < b->prog->info.id ? -1 : 1;
}

/*
 * Moves each extension below the program that it extends. Removes extensions that neither extend a
 * listed program nor match --name themselves.
 */
static void place_extensions(struct list *l)
{
	int cnt = 0;

	for (int i = 0; i < l->cnt; i++)
		l->v[i].place = i;
	for (int i = 0; i < l->cnt; i++)
		find_extended(l, &l->v[i]);
	for (int i = 0; i < l->cnt; i++) {
		struct listed *item = &l->v[i];

		if (item->nested || selector_list__selects(&l->opts->selectors, item->prog, false))
			l->v[cnt++] = *item;
		else
			prog__close(item->prog);
	}
	l->cnt = cnt;
	if (cnt)
		qsort(l->v, cnt, sizeof(*l->v), compare_list_places);
}

/*
 * Sets item->reason to the first reason that applies. Reasons that the user can hardly change come
 * first.
 */
static void find_first_reason(const struct list *l, struct listed *item)
{
	const struct prog *p = item->prog;

	if (prog__is_own(item->prog))
		reason__set(&item->reason, REASON_OWN_PROG, 0, NULL);
	else if (!prog__is_jited(p))
		reason__set(&item->reason, REASON_NOT_JITED, 0, NULL);
	else if (item->reason.code == REASON_NONE &&
		 kernel_bugs__check_type(p->info.type, &item->reason))
		return;
	else if (item->reason.code == REASON_NONE && l->machine.code != REASON_NONE)
		item->reason = l->machine;
	/*
	 * Whether a tracing program or an extension can be probed depends on the function that it
	 * is attached to, and on the kernel: ask the verifier.
	 */
	else if (item->reason.code == REASON_NONE &&
		 (p->info.type == BPF_PROG_TYPE_TRACING || p->info.type == BPF_PROG_TYPE_EXT))
		features__try_fentry_on(p->fd, p->funcs->fn[0].name, false, &item->reason);
}

static __s64 to_ns(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000LL + ts->tv_nsec;
}

/*
 * --perf: removes the programs that are attached neither to a perf event nor to a tracepoint.
 * --unheld: removes the programs that something holds, and those whose holders are not known.
 */
static void remove_unwanted(struct list *l)
{
	int cnt = 0;

	for (int i = 0; i < l->cnt; i++) {
		__u32 id = l->v[i].prog->info.id;
		const struct hold *hold = holds__of(&l->holds, id);
		const struct attachment *at = NULL;
		bool fits_perf = !l->opts->perf;

		while ((at = attachments__next(&l->attachments, id, at)))
			fits_perf |= attachment__is_perf(at);
		if (fits_perf && (!l->opts->unheld || (hold && hold->state == HOLD_UNHELD)))
			l->v[cnt++] = l->v[i];
		else
			prog__close(l->v[i].prog);
	}
	l->cnt = cnt;
}

/* Finds out what holds the programs. Returns 0 or -errno (reported). */
static int load_holds(struct list *l)
{
	int err;

	if (!l->cnt)
		return 0;
	holders__load(&l->holders, iter_run__explain);
	if (l->holders.refused)
		log_warn("some holders of programs may be missing: reading the open files of %d "
			 "processes needs CAP_SYS_PTRACE; run as root",
			 l->holders.refused);
	err = holds__load(&l->holds, &l->attachments, &l->holders);
	return err ? log_err(err, "cannot find out what holds the programs: %s", strerror(-err))
		   : 0;
}

static void add_listed_pin(void *list, const char *path, struct prog *prog)
{
	struct list *l = list;

	for (int i = 0; i < l->cnt; i++)
		if (l->v[i].prog->info.id == prog->info.id) {
			struct listed *item = &l->v[i];
			char **pin = array__add(&item->pins, &item->pin_cnt, sizeof(*pin));

			*pin = text__dup(path);
		}
	prog__close(prog);
}

static void log_unread_pin(void *list, const char *path, int err, const char *why)
{
	log_info("pins below %s are not known: %s", path, why);
}

/*
 * Reads what only -v and JSON show: the maps and pins of the programs, and the JIT's memory.
 * Returns 0 or -errno (reported).
 */
static int load_details(struct list *l)
{
	const struct pin_visitor v = {add_listed_pin, log_unread_pin, l};
	struct namespaces n;
	int err = 0;

	for (int i = 0; !err && i < l->cnt; i++)
		err = prog_maps__load(&l->v[i].maps, l->v[i].prog);
	if (err)
		return log_err(err, "cannot read the maps of the programs: %s", strerror(-err));
	namespaces__load(&n);
	pins__visit_mounts(&v, &n);
	namespaces__free(&n);
	jit_memory__read(&l->jit);
	return 0;
}

/*
 * Finds the methods that work on this machine. A lack of memory or descriptors does not mean that a
 * method does not work.
 */
static void try_methods(struct list *l)
{
	for (int i = 0; i < BACKEND_CNT; i++) {
		const struct counter_ops *ops = backend_ops[i];
		int err = ops->try ? ops->try() : 0;

		l->usable[i] = !err;
		if (is_shortage(err))
			log_warn("whether method %s works is not known: %s", ops->method,
				 strerror(-err));
	}
}

static int list__load(struct list *l)
{
	struct timespec now, since_boot;
	unsigned int sources;
	int err;

	err = selector_list__read(&l->opts->selectors, true);
	if (err)
		return err;
	err = prog__for_each_id(add_listed_prog, l);
	if (err == -EPERM)
		return log_err(err, "the ids of loaded programs can be read with CAP_SYS_ADMIN "
				    "only; run as root");
	if (err)
		return log_err(err, "cannot read the loaded programs: %s", strerror(-err));
	err = l->has_ext ? extensions__load(&l->extensions) : 0;
	if (err)
		log_info("cannot find out which programs the extensions extend: %s",
			 strerror(-err));
	if (l->has_ext)
		place_extensions(l);
	selector_list__warn_unmatched(&l->opts->selectors);
	/*
	 * features__try_fentry() loads programs. Call it after reading the ids, so that the list
	 * does not have these programs.
	 */
	if (l->cnt)
		features__try_fentry(&l->machine);
	sources = l->opts->perf ? ATTACH_PERF : 0;
	for (int i = 0; i < l->cnt; i++) {
		sources |= attachments__sources(l->v[i].prog->info.type);
		find_first_reason(l, &l->v[i]);
	}
	attachments__load(&l->attachments, sources);
	err = load_holds(l);
	if (err)
		return err;
	remove_unwanted(l);
	l->with_maps = l->opts->output.verbose || output_opts__is_json(&l->opts->output);
	err = l->with_maps ? load_details(l) : 0;
	if (err)
		return err;
	try_methods(l);
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &since_boot);
	l->boot_ns = to_ns(&now) - to_ns(&since_boot);
	return 0;
}

void listed__free(struct listed *item)
{
	prog_maps__free(&item->maps);
	for (int i = 0; i < item->pin_cnt; i++)
		free(item->pins[i]);
	free(item->pins);
	prog__close(item->prog);
}

static void list__free(struct list *l)
{
	for (int i = 0; i < l->cnt; i++)
		listed__free(&l->v[i]);
	free(l->v);
	attachments__free(&l->attachments);
	holders__free(&l->holders);
	holds__free(&l->holds);
	extensions__free(&l->extensions);
}

static bool may_measure(const struct counter_ops *ops, const struct listed *item)
{
	struct reason why;

	if (ops->caps & BACKEND_PROBES)
		return item->reason.code == REASON_NONE;
	return !ops->check || !ops->check(item->prog, &item->reason, &why);
}

const char *listed__method(const struct list *l, const struct listed *item)
{
	const struct method_list m = method_list__or_default(&(struct method_list){});

	for (int i = 0; i < m.cnt; i++)
		if (l->usable[m.v[i]] && may_measure(backend_ops[m.v[i]], item))
			return backend_ops[m.v[i]]->method;
	return NULL;
}

const char *list__format_loaded(const struct list *l, const struct prog *p, bool utc, char *buf,
				size_t sz)
{
	time_t t = (l->boot_ns + (__s64)p->info.load_time) / 1000000000;
	struct tm tm;

	utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm);
	strftime(buf, sz, utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S", &tm);
	return buf;
}

static int write_list(const struct list *l, const struct output_opts *o)
{
	const bool is_csv = output_opts__is_csv(o);
	struct csv_style style = {};
	struct output out;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	if (is_csv)
		style = output_opts__csv(o, &out);
	if (output_opts__is_json(o))
		list__print_json(l, output_opts__layout(o), out.file);
	else if (l->opts->perf)
		list__print_perf(l, is_csv ? &style : NULL, out.file);
	else if (is_csv)
		list__print_csv(l, &style, out.file);
	else
		list__print_text(l, out.file);
	return output__close(&out, output__commit(&out, 0));
}

static int add_operand(void *options, const char *arg)
{
	struct list_opts *o = options;

	return selector_list__add_operand(&o->selectors, "list", arg);
}

int cmd_list(int argc, char **argv)
{
	struct list_opts o = {0};
	struct list l = {.opts = &o};
	struct rlimit before;
	int err, status;

	err = options__parse_mixed(&list_spec, &o, argc, argv, add_operand);
	err = err ?: output_opts__apply(&o.output, NULL)
			     ?: order_opts__check(&o.order, list_order__column);
	if (err) {
		status = exit_status__of_options(err);
		goto out;
	}
	raise_fd_limit(&before);
	err = list__load(&l) ?: list__order(&l, &o.order) ?: write_list(&l, &o.output);
	status = err ? exit_status__of_error(err) : EXIT_DONE;
out:
	list__free(&l);
	selector_list__free(&o.selectors);
	return status;
}
