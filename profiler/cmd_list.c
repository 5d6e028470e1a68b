// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof list: the loaded programs, where they are attached, and by what method each can be
 * measured. Owns which columns there are; knows nothing of events. Nothing is attached to the
 * programs listed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <jansson.h>

#include "attachments.h"
#include "command.h"
#include "feature.h"
#include "func_table.h"
#include "log.h"
#include "log_libbpf.h"
#include "options.h"
#include "prog.h"
#include "reason.h"
#include "table.h"
#include "target.h"
#include "text.h"
#include "util.h"

#define OWN_PREFIX "bprof_"

/* In the table; JSON has them all. */
#define MAX_SHOWN_ATTACHMENTS 4

struct list_opts {
	bool json;
	int verbose;
	int *type; /* enum bpf_prog_type; none: all */
	int type_cnt;
	const char **glob;
	int glob_cnt;
};

struct listed {
	struct prog *prog;
	struct reason reason; /* why fentry cannot measure it; REASON_NONE: it can */
};

struct list {
	const struct list_opts *opts;
	struct listed *v;
	int cnt;
	struct attachments attachments;
	struct reason machine; /* why fentry works nowhere here */
	bool run_stats;
	__s64 boot_ns; /* the time of the boot, in ns since the epoch */
};

static int add_types(void *options, const struct option_row *row, const char *arg)
{
	struct list_opts *o = options;
	char *copy = strdup(arg), *save, *name;
	int *slot, type, err = 0;

	if (!copy)
		return log_err(-ENOMEM, "out of memory");
	for (name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		type = prog_type__parse(name);
		if (type < 0) {
			err = log_err(-EINVAL, "--type %s: no such program type", name);
			break;
		}
		slot = array__add(&o->type, &o->type_cnt, sizeof(*slot));
		if (!slot) {
			err = log_err(-ENOMEM, "out of memory");
			break;
		}
		*slot = type;
	}
	if (!err && !o->type_cnt)
		err = log_err(-EINVAL, "--type: give program types, such as xdp,sched_cls");
	free(copy);
	return err;
}

static int add_glob(void *options, const struct option_row *row, const char *arg)
{
	struct list_opts *o = options;
	const char **slot = array__add(&o->glob, &o->glob_cnt, sizeof(*slot));

	if (!slot)
		return log_err(-ENOMEM, "out of memory");
	*slot = arg;
	return 0;
}

static const struct option_row rows[] = {
	{.name = "type",
	 .type = OPTION_CALL,
	 .arg = "TYPE[,TYPE]",
	 .add = add_types,
	 .help = "only programs of these types: xdp,sched_cls,..."},
	{.name = "name",
	 .type = OPTION_CALL,
	 .arg = "GLOB",
	 .add = add_glob,
	 .help = "only programs whose name matches, such as 'xdp_*'"},
	{.name = "json",
	 .letter = 'j',
	 .type = OPTION_FLAG,
	 .member = offsetof(struct list_opts, json),
	 .help = "print one JSON document"},
	{.name = "verbose",
	 .letter = 'v',
	 .type = OPTION_COUNT,
	 .member = offsetof(struct list_opts, verbose),
	 .help = "say more; twice: libbpf's messages too"},
	{0},
};

static const struct command_spec spec = {
	.name = "list",
	.synopsis = "[OPTIONS]",
	.summary =
		"Shows the loaded BPF programs, where they are attached, and whether they can be "
		"measured.",
	.rows = rows,
	.epilog =
		"METHOD is how 'bprof stat' measures the program: fentry (events of each run), or\n"
		"run_stats (mean time only) with the reason why fentry cannot.\n",
};

static bool is_wanted(const struct list_opts *o, struct prog *p)
{
	bool type_ok = !o->type_cnt, name_ok = !o->glob_cnt;

	for (int i = 0; i < o->type_cnt; i++)
		type_ok |= (__u32)o->type[i] == p->info.type;
	for (int i = 0; i < o->glob_cnt; i++)
		name_ok |= selector__matches(&(struct selector){SELECT_NAME, o->glob[i]}, p);
	return type_ok && name_ok;
}

/* Opens the program and keeps it, if it is wanted; its reason is what its functions' table says. */
static int add_prog(__u32 id, void *arg)
{
	struct list *l = arg;
	struct reason reason;
	struct listed *item;
	struct prog *p;
	int err;

	err = prog__open_id(id, &p);
	if (err == -ENOENT)
		return 0; /* unloaded since its id was read */
	if (err)
		return err;
	prog__load_funcs(p, &reason);
	if (!is_wanted(l->opts, p)) {
		prog__close(p);
		return 0;
	}
	item = array__add(&l->v, &l->cnt, sizeof(*item));
	if (!item) {
		prog__close(p);
		return -ENOMEM;
	}
	item->prog = p;
	item->reason = reason;
	return 0;
}

/* By the first that applies: what can be changed least comes first. */
static void find_reason(const struct list *l, struct listed *item)
{
	const struct prog *p = item->prog;

	if (!strncmp(p->info.name, OWN_PREFIX, strlen(OWN_PREFIX)))
		reason__set(&item->reason, REASON_OWN_PROG, 0, NULL);
	else if (!prog__is_jited(p))
		reason__set(&item->reason, REASON_NOT_JITED, 0, NULL);
	else if (item->reason.code == REASON_NONE && features__probe_crashes(p->info.type))
		reason__set(&item->reason, REASON_KERNEL_BUG, 0, NULL);
	else if (item->reason.code == REASON_NONE && l->machine.code != REASON_NONE)
		item->reason = l->machine;
	/*
	 * for these it depends on what they are attached to and on the kernel: let the verifier
	 * say
	 */
	else if (item->reason.code == REASON_NONE &&
		 (p->info.type == BPF_PROG_TYPE_TRACING || p->info.type == BPF_PROG_TYPE_EXT))
		features__try_fentry_on(p->fd, p->funcs->fn[0].name, false, &item->reason);
}

static __s64 to_ns(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000LL + ts->tv_nsec;
}

static int list__load(struct list *l)
{
	struct timespec now, since_boot;
	unsigned int sources = 0;
	int err;

	err = prog__for_each_id(add_prog, l);
	if (err == -EPERM)
		return log_err(err, "the ids of loaded programs are for CAP_SYS_ADMIN only; run as "
				    "root");
	if (err)
		return log_err(err, "reading the loaded programs: %s", strerror(-err));
	/* the ids were read first: what bprof loads to try things out is not among them */
	if (l->cnt)
		features__try_fentry(&l->machine);
	for (int i = 0; i < l->cnt; i++) {
		sources |= attachments__sources(l->v[i].prog->info.type);
		find_reason(l, &l->v[i]);
	}
	err = attachments__load(&l->attachments, sources);
	if (err)
		return log_err(err, "out of memory");
	l->run_stats = !features__try_run_stats();
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &since_boot);
	l->boot_ns = to_ns(&now) - to_ns(&since_boot);
	return 0;
}

static void list__free(struct list *l)
{
	for (int i = 0; i < l->cnt; i++)
		prog__close(l->v[i].prog);
	free(l->v);
	attachments__free(&l->attachments);
}

/* "fentry", "run_stats", or NULL where nothing measures it. */
static const char *find_method(const struct list *l, const struct listed *item)
{
	if (item->reason.code == REASON_NONE)
		return "fentry";
	/* an extension's runs are counted with those of the program that it extends */
	if (!l->run_stats || !reason__spec(item->reason.code)->run_stats ||
	    item->prog->info.type == BPF_PROG_TYPE_EXT)
		return NULL;
	return "run_stats";
}

/* "2026-01-01 12:00:00" in local time, or in UTC as ISO 8601 has it. */
static const char *format_loaded(const struct list *l, const struct prog *p, bool utc, char *buf,
				 size_t sz)
{
	time_t t = (l->boot_ns + (__s64)p->info.load_time) / 1000000000;
	struct tm tm;

	utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm);
	strftime(buf, sz, utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S", &tm);
	return buf;
}

static void format_attached(const struct list *l, const struct prog *p, char *buf, size_t sz)
{
	const struct attachment *at = NULL;
	size_t len = 0;
	char one[512];
	int cnt = 0;

	buf[0] = '\0';
	while ((at = attachments__next(&l->attachments, p->info.id, at)))
		if (cnt++ < MAX_SHOWN_ATTACHMENTS && len < sz)
			len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "",
					attachment__describe(at, one, sizeof(one)));
	if (cnt > MAX_SHOWN_ATTACHMENTS && len < sz)
		snprintf(buf + len, sz - len, ", and %d more", cnt - MAX_SHOWN_ATTACHMENTS);
}

static void add_row(struct table *t, const struct list *l, const struct listed *item)
{
	const struct prog *p = item->prog;
	const char *method = find_method(l, item);
	char tag[17], loaded[64], attached[2200];

	format_attached(l, p, attached, sizeof(attached));
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%u", p->info.id);
	table__add_cell(t, TABLE_PLAIN, "%s", prog_type__name(p->info.type));
	table__add_cell(t, TABLE_PLAIN, "%s", prog__name(p));
	table__add_cell(t, TABLE_PLAIN, "%s", prog__tag(p, tag));
	table__add_cell(t, TABLE_PLAIN, "%u", p->info.xlated_prog_len);
	table__add_cell(t, TABLE_PLAIN, "%u", p->info.jited_prog_len);
	table__add_cell(t, TABLE_PLAIN, "%s", format_loaded(l, p, false, loaded, sizeof(loaded)));
	if (item->reason.code == REASON_NONE)
		table__add_cell(t, TABLE_PLAIN, "%s", method);
	else
		table__add_cell(t, TABLE_DIM, "%s (%s)", method ?: "none",
				reason__spec(item->reason.code)->name);
	table__add_cell(t, TABLE_PLAIN, "%s", attached);
}

static int print_text(const struct list *l)
{
	static const struct {
		enum table_align align;
		const char *header;
	} cols[] = {
		{TABLE_RIGHT, "ID"},	{TABLE_LEFT, "TYPE"},	 {TABLE_LEFT, "NAME"},
		{TABLE_LEFT, "TAG"},	{TABLE_RIGHT, "XLATED"}, {TABLE_RIGHT, "JITED"},
		{TABLE_LEFT, "LOADED"}, {TABLE_LEFT, "METHOD"},	 {TABLE_LEFT, "ATTACHED"},
	};
	bool color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	struct table *t = table__new();
	char why[400];
	int err;

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(cols); i++)
		table__add_col(t, cols[i].align, cols[i].header);
	for (int i = 0; i < l->cnt; i++)
		add_row(t, l, &l->v[i]);
	err = table__print(t, stdout, TABLE_HEADER | (color ? TABLE_COLOR : 0));
	table__free(t);
	if (l->machine.code != REASON_NONE)
		log_warn("fentry does not work here, also for an empty program: it %s; "
			 "'bprof doctor' says more",
			 reason__describe(&l->machine, why, sizeof(why)));
	return err;
}

/* A cgroup's name may be any bytes; JSON takes UTF-8 only. */
static json_t *make_string(const char *s)
{
	json_t *str = json_string(s);
	char *printable;

	if (str)
		return str;
	printable = text__printable(s);
	str = printable ? json_string(printable) : NULL;
	free(printable);
	return str;
}

static int set_attached(const struct list *l, const struct prog *p, json_t *obj)
{
	const struct attachment *at = NULL;
	json_t *list = json_array();
	int err = 0;

	while ((at = attachments__next(&l->attachments, p->info.id, at))) {
		json_t *one = json_object();

		err |= json_object_set_new(one, "kind", json_string(at->kind));
		if (*at->target)
			err |= json_object_set_new(one, "target", make_string(at->target));
		if (*at->attach_type)
			err |= json_object_set_new(one, "attach_type",
						   json_string(at->attach_type));
		if (at->link_id)
			err |= json_object_set_new(one, "link_id", json_integer(at->link_id));
		if (at->ifindex)
			err |= json_object_set_new(one, "ifindex", json_integer(at->ifindex));
		if (at->cgroup_id)
			err |= json_object_set_new(one, "cgroup_id", json_integer(at->cgroup_id));
		err |= json_array_append_new(list, one);
	}
	return err | json_object_set_new(obj, "attached", list);
}

static int set_map_ids(struct prog *p, json_t *obj)
{
	json_t *list = json_array();
	__u32 *ids, cnt;
	int err = 0;

	/* what cannot be read is left out */
	if (prog__map_ids(p, &ids, &cnt))
		cnt = 0;
	for (__u32 i = 0; i < cnt; i++)
		err |= json_array_append_new(list, json_integer(ids[i]));
	free(ids);
	return err | json_object_set_new(obj, "map_ids", list);
}

/* The program as JSON; NULL: out of memory. */
static json_t *make_prog(const struct list *l, const struct listed *item)
{
	const struct prog *p = item->prog;
	const char *method = find_method(l, item);
	json_t *obj = json_object();
	char buf[64];
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(p->info.id));
	err |= json_object_set_new(obj, "type", json_string(prog_type__name(p->info.type)));
	err |= json_object_set_new(obj, "name", make_string(prog__name(p)));
	err |= json_object_set_new(obj, "tag", json_string(prog__tag(p, buf)));
	err |= set_attached(l, p, obj);
	err |= json_object_set_new(obj, "xlated_bytes", json_integer(p->info.xlated_prog_len));
	err |= json_object_set_new(obj, "jited_bytes", json_integer(p->info.jited_prog_len));
	format_loaded(l, p, true, buf, sizeof(buf));
	err |= json_object_set_new(obj, "loaded_at", json_string(buf));
	if (p->funcs)
		err |= json_object_set_new(obj, "func_count", json_integer(p->funcs->cnt));
	err |= set_map_ids(item->prog, obj);
	if (method)
		err |= json_object_set_new(obj, "method", json_string(method));
	if (item->reason.code != REASON_NONE) {
		err |= json_object_set_new(obj, "reason",
					   json_string(reason__spec(item->reason.code)->name));
		if (*item->reason.detail)
			err |= json_object_set_new(obj, "detail", make_string(item->reason.detail));
	}
	if (!err)
		return obj;
	json_decref(obj);
	return NULL;
}

static int print_json(const struct list *l)
{
	json_t *doc = json_object(), *progs = json_array();
	int err = 0;

	err |= json_object_set_new(doc, "schema", json_integer(1));
	err |= json_object_set_new(doc, "tool", json_string("bprof"));
	err |= json_object_set_new(doc, "version", json_string(BPROF_VERSION));
	for (int i = 0; i < l->cnt; i++)
		err |= json_array_append_new(progs, make_prog(l, &l->v[i]));
	err |= json_object_set_new(doc, "programs", progs);
	if (!err) {
		json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	json_decref(doc);
	return err ? -ENOMEM : 0;
}

int cmd_list(int argc, char **argv)
{
	struct list_opts o = {0};
	struct list l = {.opts = &o};
	int rest, err, status = EXIT_FAILED;

	err = options__parse(&spec, &o, argc, argv, &rest);
	if (!err && rest < argc)
		err = log_err(-EINVAL,
			      "list: '%s': takes no argument; --name and --type choose "
			      "programs",
			      argv[rest]);
	if (err) {
		status = err > 0 ? EXIT_DONE : EXIT_USAGE;
		goto out;
	}
	log_level = o.verbose;
	log__libbpf_init();
	if (list__load(&l))
		goto out;
	err = o.json ? print_json(&l) : print_text(&l);
	if (err)
		log_err(err, "out of memory");
	else if (fflush(stdout) || ferror(stdout))
		log_err(-EIO, "writing to standard output: %s", strerror(errno));
	else
		status = EXIT_DONE;
out:
	list__free(&l);
	free(o.type);
	free(o.glob);
	return status;
}
