// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports why an object cannot be opened or loaded. Owns these messages. libbpf's error does not
 * name the map or program that failed. So this file loads each map and each program alone, in a
 * copy of the object that is never run.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "btf/prog.h"
#include "kernel/feature.h"
#include "kernel/verifier_log.h"
#include "object/object_load.h"

/* Number of lines shown from the end of the verifier's log. */
#define TAIL_LINES 10

/* Returns "PATH: message", which the caller frees. */
static char *format_with_path(const struct bench_load *l, const char *fmt, va_list ap)
{
	char *text = text__vformat(fmt, ap), *line = text__format("%s: %s", l->path, text);

	free(text);
	return line;
}

int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = format_with_path(l, fmt, ap);
	va_end(ap);
	log_err(err, "%s", line);
	free(line);
	return err;
}

void bench_load__info(const struct bench_load *l, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = format_with_path(l, fmt, ap);
	va_end(ap);
	log_info("%s", line);
	free(line);
}

/* Turns libbpf's own errors, which start at 4000, into -EINVAL, because callers only know errno. */
static int to_errno(int err)
{
	return err <= -__LIBBPF_ERRNO__START ? -EINVAL : err;
}

/* ---- what libbpf says ---- */

/* Keeps libbpf's last message that says something about the object. */
struct listener {
	const struct log_sink *outer;
	struct log_sink sink;
	char text[512];
};

static bool is_reason(const char *text)
{
	static const char *const others[] = {
		"failed to load object",
		"license of ",
		"-- ",
		"loading object",
		"loading kernel BTF",
		"sec '",
		"BPF program load failed",
		"': failed to load: ",
		"': relo #",
		"': found ",
		"failed to prepare load attributes",
		"': created successfully",
		"': skipped auto-creating",
		"': skipped loading",
		"': setting size to",
		"': added ",
		"': resolved to ",
		"reused pinned map",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(text, others[i]))
			return false;
	return true;
}

static void listen(void *arg, enum log_level level, const char *message)
{
	static const char prefix[] = "libbpf: ";
	struct listener *l = arg;

	if (!strncmp(message, prefix, strlen(prefix)) && is_reason(message + strlen(prefix))) {
		snprintf(l->text, sizeof(l->text), "%s", message + strlen(prefix));
		if (*l->text && l->text[strlen(l->text) - 1] == '.')
			l->text[strlen(l->text) - 1] = '\0';
	}
	if (l->outer && level <= l->outer->max)
		l->outer->write(l->outer->arg, level, message);
}

static void listener__begin(struct listener *l)
{
	l->outer = log__sink();
	l->sink = (struct log_sink){.write = listen, .arg = l, .max = LOG_LEVEL_DEBUG};
	*l->text = '\0';
	log__set_sink(&l->sink);
}

static void listener__end(const struct listener *l)
{
	log__set_sink(l->outer);
}

/* Returns what the user can do about the failure that this text of libbpf describes, or "". */
static const char *find_remedy(const char *text)
{
	static const struct {
		const char *part, *remedy;
	} remedies[] = {
		{"system Kconfig", "; give the kernel's configuration with --kconfig FILE"},
		{"extern (kcfg)", "; give the kernel's configuration with --kconfig FILE"},
		{"extern (func ksym)", "; this kernel, or a module that is not loaded, lacks the "
				       "function"},
		{"failed to find kernel BTF type ID of",
		 "; if its loader chooses the function, name one with --type PROG=fentry/FUNCTION"},
		{"extern (var ksym)", "; this kernel lacks the variable"},
		{"failed to find BTF for extern",
		 "; link the objects with 'bpftool gen object', or "
		 "define it in the object"},
		{"unrecognized extern section", "; link the objects with 'bpftool gen object'"},
		{": expected PTR, got ", "; a newer libbpf than bprof's may know it"},
		{"in section '.addr_space.", "; variables in an arena need libbpf 1.4"},
		{"legacy map definitions", "; declare its maps with SEC(\".maps\")"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
		if (strstr(text, remedies[i].part))
			return remedies[i].remedy;
	return "";
}

/*
 * Reports the error with libbpf's reason. what: the predicate of the message, such as "cannot be
 * loaded". Returns -errno.
 */
static int report_reason(const struct bench_load *l, int err, const char *what, const char *error,
			 const struct listener *heard)
{
	if (!*heard->text)
		return bench_load__err(l, to_errno(err), "%s: %s; -vv shows libbpf's messages",
				       what, error);
	return bench_load__err(l, to_errno(err), "%s: %s: %s%s", what, error, heard->text,
			       find_remedy(heard->text));
}

/* ---- errors of the file ---- */

int bench_load__check_file(const struct bench_load *l)
{
	Elf64_Ehdr head = {};
	FILE *f = fopen(l->path, "re");
	size_t len;
	int err;

	if (!f)
		return bench_load__err(l, -errno, "%s", strerror(errno));
	len = fread(&head, 1, sizeof(head), f);
	err = ferror(f) ? -(errno ?: EIO) : 0;
	fclose(f);
	if (err)
		return bench_load__err(l, err, "%s", strerror(-err));
	if (len < EI_NIDENT || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return bench_load__err(l, -EINVAL,
				       "not an ELF file; give an object file compiled with clang "
				       "-target bpf -g -c");
	if (len == sizeof(head) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	    head.e_ident[EI_DATA] == ELFDATA2MSB)
		return bench_load__err(l, -EINVAL,
				       "compiled for the other byte order; compile it with clang "
				       "-target bpf, not -target bpfeb");
	if (len < sizeof(head) || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_REL ||
	    (head.e_machine && head.e_machine != EM_BPF))
		return bench_load__err(l, -EINVAL,
				       "an ELF file, but not a BPF object; compile it with clang "
				       "-target bpf -g -c");
	return 0;
}

int bench_load__explain_open(const struct bench_load *l, int err)
{
	struct btf *btf = btf__parse_elf(l->path, NULL);
	int btf_err = libbpf_get_error(btf);
	struct bpf_object *obj;
	struct listener heard;
	char text[256], what[128];

	if (!btf_err)
		btf__free(btf);
	/* libbpf returns ENOENT if maps or externs need missing BTF (libbpf_needs_btf()). */
	if (err == -ENOENT && btf_err)
		return bench_load__err(l, -EINVAL,
				       "has no BTF, which libbpf needs for its maps; compile it "
				       "with clang -g");
	listener__begin(&heard);
	obj = bench_image__open(l, NULL);
	listener__end(&heard);
	if (obj) {
		bpf_object__close(obj);
		*heard.text = '\0'; /* clears the message: this time, the object was opened */
	}
	libbpf_strerror(err, text, sizeof(text));
	snprintf(what, sizeof(what), "cannot be opened by libbpf %s, which bprof is linked with",
		 libbpf_version_string() + 1);
	return report_reason(l, err == -ENOTSUP ? -EINVAL : err, what, text, &heard);
}

/* Leaves out the program that libbpf's message names. Returns 0, or -errno if there is none. */
static int leave_out_named(struct bench_load *l, const char *message)
{
	char name[128], *why;
	int at = 0, err;

	if (sscanf(message, "prog '%127[^']': %n", name, &at) != 1 || !at)
		return -ENOENT;
	why = text__format("libbpf %s, which bprof is linked with, cannot relocate it: %s%s",
			   libbpf_version_string() + 1, message + at, find_remedy(message));
	err = bench_image__leave_out(l, name, why);
	free(why);
	return err;
}

void bench_load__leave_out_broken(struct bench_load *l)
{
	struct listener heard;
	struct bpf_object *obj;
	int left;

	do {
		listener__begin(&heard);
		obj = bench_image__open(l, NULL);
		listener__end(&heard);
		bpf_object__close(obj);
		/* Each round removes relocations, so the loop ends. */
		left = !obj && !leave_out_named(l, heard.text);
	} while (left);
}

/* ---- finding the map or program whose load fails ---- */

#define NO_MAPS (-2)
#define ALL_MAPS (-1)

/* Loads a copy of the object with one program (-1: none), and one map, ALL_MAPS or NO_MAPS. */
static int try_alone(const struct bench_load *l, int prog_index, int map_index, char *log,
		     struct listener *heard)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct bpf_map *map;
	int i = 0, err = bench_load__open(l, false, &obj);

	if (err)
		/*
		 * bench_load__open() has reported this error. An earlier call with the same object succeeded,
		 * so the error is lack of memory and says nothing about this program or map.
		 */
		return 0;
	bpf_object__for_each_program (prog, obj) {
		bpf_program__set_autoload(prog, i == prog_index);
		if (i++ != prog_index)
			continue;
		bpf_program__set_log_level(prog, VERIFIER_LOG_STEPS);
		bpf_program__set_log_buf(prog, log, STEPS_LOG_SZ);
	}
	i = 0;
	bpf_object__for_each_map (map, obj) {
		if (map_index != ALL_MAPS && i != map_index)
			bpf_map__set_autocreate(map, false);
		i++;
	}
	err = bench_load__choose_struct_ops(l, obj);
	listener__begin(heard);
	err = err ?: bpf_object__load(obj);
	listener__end(heard);
	bpf_object__close(obj);
	/*
	 * As its last step, libbpf fills prog arrays. Here this step fails with EBADF, because the
	 * programs for the arrays are not loaded.
	 */
	return err == -EBADF ? 0 : err;
}

/* Writes libbpf's error to buf. For EPERM, adds the missing capabilities. Returns buf. */
static const char *describe_error(int err, char *buf, size_t sz)
{
	char caps[128];

	libbpf_strerror(err, buf, sz);
	if (err == -KERNEL_ENOTSUPP)
		snprintf(buf, sz, "not supported by this kernel (%d)", KERNEL_ENOTSUPP);
	if (err == -EPERM && features__missing_caps(1U << BPROF_CAP_BPF, caps, sizeof(caps))[0])
		snprintf(buf, sz, "%s (without %s; root has it)", strerror(EPERM), caps);
	return buf;
}

/* Like describe_error(), for the error of a program's load. ENOTSUPP of a program comes from the JIT. */
static const char *describe_prog_error(int err, char *buf, size_t sz)
{
	if (err != -KERNEL_ENOTSUPP)
		return describe_error(err, buf, sz);
	snprintf(
		buf, sz,
		"this kernel's JIT does not compile it, perhaps for lack of executable memory (%d)",
		KERNEL_ENOTSUPP);
	return buf;
}

static int report_map(const struct bench_load *l, const struct bpf_map *map, int err)
{
	const char *name = bpf_map__name(map), *remedy = "";
	char text[256], option[256] = "";

	if (!bpf_map__key_size(map) && bpf_map__value_size(map))
		remedy = "; the object may leave the size of its keys to its loader: ";
	else if (!bpf_map__value_size(map) && bpf_map__key_size(map))
		remedy = "; the object may leave the size of its values to its loader: ";
	if (*remedy)
		snprintf(option, sizeof(option), "--map-%s-size %s=BYTES",
			 bpf_map__key_size(map) ? "value" : "key", name);
	return bench_load__err(
		l, to_errno(err),
		"map %s (%s, key %u, value %u bytes, max_entries %u): cannot be "
		"created: %s%s%s",
		name, libbpf_bpf_map_type_str(bpf_map__type(map)) ?: "of unknown type",
		bpf_map__key_size(map), bpf_map__value_size(map), bpf_map__max_entries(map),
		describe_error(err, text, sizeof(text)), remedy, option);
}

/* Reports the first map that cannot be created alone. Returns -errno, or 0: there is none. */
static int explain_maps(const struct bench_load *l, struct bpf_object *names)
{
	struct listener heard;
	struct bpf_map *map;
	int i = 0;

	bpf_object__for_each_map (map, names) {
		int err = try_alone(l, -1, i++, NULL, &heard);

		if (err)
			return report_map(l, map, err);
	}
	return 0;
}

static void add_log_line(const char *line, size_t len, void *out)
{
	char *copy = xstrndup(line, len);
	char *printable = text__printable(copy);

	fprintf(out, "\n  %s", printable);
	free(printable);
	free(copy);
}

/* Reports a program that the verifier rejects, and shows the end of the verifier's log. */
static void report_refusal(const struct bench_load *l, const char *prog, const char *text,
			   const char *log)
{
	char *lines = NULL;
	size_t sz;
	FILE *out = text__open(&lines, &sz);

	fprintf(out, "%s: program %s: cannot be loaded: %s; the verifier's last lines:", l->path,
		prog, text);
	verifier_log__tail(log, TAIL_LINES, add_log_line, out);
	fclose(out);
	log_err_lines(lines);
	free(lines);
}

/* The last line that the verifier wrote; len is 0 if it wrote none. */
struct last_line {
	const char *line;
	size_t len;
};

static void keep_line(const char *line, size_t len, void *arg)
{
	*(struct last_line *)arg = (struct last_line){.line = line, .len = len};
}

/* Returns why the program cannot be loaded, for the program's row. The caller frees the text. */
static char *describe_refusal(const struct bpf_program *prog, int err, const char *log,
			      const struct listener *heard)
{
	char text[256], *why = NULL;
	struct last_line last = {};
	size_t sz;
	FILE *out = text__open(&why, &sz);

	if (!*log && err == -EINVAL && !libbpf_probe_bpf_prog_type(bpf_program__type(prog), NULL)) {
		fprintf(out, "cannot be loaded: this kernel has no programs of type %s",
			prog_type__name(bpf_program__type(prog)));
	} else {
		fprintf(out, "cannot be loaded: %s", describe_prog_error(err, text, sizeof(text)));
		verifier_log__tail(log, 1, keep_line, &last);
		if (last.len)
			fprintf(out, "; the verifier's last line: %.*s", (int)last.len, last.line);
		else if (*heard->text)
			fprintf(out, ": %s%s", heard->text, find_remedy(heard->text));
		else
			fputs("; the verifier's log is empty, -vv shows libbpf's messages", out);
	}
	fclose(out);
	return why;
}

/* Removes a program that cannot be loaded from the load, and reports it. */
static void drop_prog(struct bench_load *l, int index, const struct bpf_program *prog, int err,
		      const char *log, const struct listener *heard)
{
	char text[256], *why = describe_refusal(prog, err, log, heard);
	struct bench_skip *skip = bench_load__skip(l, bpf_program__name(prog), why);

	free(why);
	skip->failed = !l->for_figures || l->setup->prog_cnt;
	l->wanted[index] = l->measured[index] = false;
	if (!skip->failed && !l->nothing_runs)
		bench_load__info(l, "program %s: %s", skip->prog, skip->why);
	else if (*log)
		report_refusal(l, skip->prog, describe_prog_error(err, text, sizeof(text)), log);
	else
		bench_load__err(l, to_errno(err), "program %s: %s", skip->prog, skip->why);
}

/* Loads each program alone. Drops those that cannot be loaded, and returns their number. */
static int drop_progs(struct bench_load *l, struct bpf_object *names)
{
	struct bpf_program *prog;
	struct listener heard;
	int i = 0, cnt = 0, err;
	/* The buffer is large, but the kernel only allocates the pages that are written. */
	char *log = xcalloc(1, STEPS_LOG_SZ);

	bpf_object__for_each_program (prog, names) {
		*log = '\0';
		err = l->wanted[i] ? try_alone(l, i, ALL_MAPS, log, &heard) : 0;
		if (err) {
			drop_prog(l, i, prog, err, log, &heard);
			cnt++;
		}
		i++;
	}
	free(log);
	return cnt;
}

static int explain_load(struct bench_load *l, struct bpf_object *names, int err)
{
	struct listener heard, without_maps;
	char text[256];
	int alone = try_alone(l, -1, ALL_MAPS, NULL, &heard), found = 0;

	if (alone && !try_alone(l, -1, NO_MAPS, NULL, &without_maps))
		found = explain_maps(l, names);
	else if (!alone)
		found = drop_progs(l, names);
	if (found)
		return found < 0 ? found : 0;
	if (!alone)
		*heard.text = '\0'; /* clears the message: this load did not fail */
	return report_reason(l, alone ?: err, "cannot be loaded",
			     describe_error(alone ?: err, text, sizeof(text)), &heard);
}

int bench_load__drop(struct bench_load *l, int err)
{
	struct bpf_object *names;
	int ret = bench_load__open(l, false, &names);

	if (ret)
		return ret;
	ret = explain_load(l, names, err);
	bpf_object__close(names);
	return ret;
}
