// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports why an object cannot be opened or loaded. Owns these messages. libbpf's error does not
 * name the map or program that failed, so this file loads each of them alone, in a copy of the
 * object that is never run.
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
#include "base/text.h"
#include "bench/bench_load.h"
#include "btf/prog.h"
#include "kernel/feature.h"
#include "kernel/verifier_log.h"

/* Number of lines shown from the end of the verifier's log. */
#define TAIL_LINES 10

/* Returns "PATH: message", which the caller frees, or NULL if out of memory. */
static char *make_line(const struct bench_load *l, const char *fmt, va_list ap)
{
	char *text = NULL, *line = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	if (text && asprintf(&line, "%s: %s", l->path, text) < 0)
		line = NULL;
	free(text);
	return line;
}

int bench_load__err(const struct bench_load *l, int err, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = make_line(l, fmt, ap);
	va_end(ap);
	log_err(err, "%s", line ?: "out of memory");
	free(line);
	return err;
}

void bench_load__info(const struct bench_load *l, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = make_line(l, fmt, ap);
	va_end(ap);
	log_info("%s", line ?: "out of memory");
	free(line);
}

/* Maps libbpf's own errors, which start at 4000, to -EINVAL, because callers only know errno. */
static int to_errno(int err)
{
	return err <= -__LIBBPF_ERRNO__START ? -EINVAL : err;
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
	    head.e_ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB))
		return bench_load__err(l, -EINVAL,
				       "compiled for the other byte order; compile it with clang "
				       "-target bpf, not -target %s",
				       __BYTE_ORDER == __LITTLE_ENDIAN ? "bpfeb" : "bpfel");
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
	char text[256];

	if (!btf_err)
		btf__free(btf);
	if (err == -ENOMEM)
		return bench_load__err(l, err, "out of memory");
	/* libbpf needs BTF if the object has maps or externs (libbpf__needs_btf()). */
	if (err == -ENOENT && btf_err)
		return bench_load__err(l, -EINVAL,
				       "has no BTF, which libbpf needs for its maps; compile it "
				       "with clang -g");
	if (err == -ENOTSUP)
		return bench_load__err(
			l, -EINVAL,
			"uses a feature that libbpf does not support, such as maps without "
			"BTF (SEC(\"maps\")); -vv shows libbpf's messages");
	libbpf_strerror(err, text, sizeof(text));
	return bench_load__err(l, to_errno(err),
			       "cannot be opened: %s; -vv shows libbpf's messages", text);
}

/* ---- finding the map or program whose load fails ---- */

/* Loads a copy of the object with only one program (-1: none) and only one map (-1: all maps). */
static int try_alone(const struct bench_load *l, int prog_index, int map_index, char *log)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct bpf_map *map;
	int i = 0, err = bench_load__open(l, false, &obj);

	if (err)
		/* An earlier open succeeded, so this is -ENOMEM, which is already reported. */
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
		if (map_index >= 0 && i != map_index)
			bpf_map__set_autocreate(map, false);
		i++;
	}
	err = bpf_object__load(obj);
	bpf_object__close(obj);
	/*
	 * As its last step, libbpf fills prog arrays. That fails here with EBADF, because the
	 * programs for them are not loaded.
	 */
	return err == -EBADF ? 0 : err;
}

/* Writes libbpf's error to buf, with the missing capabilities if it is EPERM. Returns buf. */
static const char *describe_error(int err, char *buf, size_t sz)
{
	char caps[128];

	libbpf_strerror(err, buf, sz);
	if (err == -EPERM && features__missing_caps(1U << BPROF_CAP_BPF, caps, sizeof(caps))[0])
		snprintf(buf, sz, "%s (without %s; root has it)", strerror(EPERM), caps);
	return buf;
}

/*
 * Reports the first map that cannot be created. Returns -errno, or 0 if each map can be created
 * alone.
 */
static int explain_maps(const struct bench_load *l, struct bpf_object *names)
{
	struct bpf_map *map;
	char text[256];
	int i = 0;

	bpf_object__for_each_map (map, names) {
		int err = try_alone(l, -1, i++, NULL);

		if (err)
			return bench_load__err(
				l, to_errno(err),
				"map %s (%s, key %u, value %u bytes, max_entries %u): cannot be "
				"created: %s",
				bpf_map__name(map),
				libbpf_bpf_map_type_str(bpf_map__type(map)) ?: "of unknown type",
				bpf_map__key_size(map), bpf_map__value_size(map),
				bpf_map__max_entries(map), describe_error(err, text, sizeof(text)));
	}
	return 0;
}

static void add_log_line(const char *line, size_t len, void *out)
{
	char *copy = strndup(line, len);
	char *printable = copy ? text__printable(copy) : NULL;

	if (printable)
		fprintf(out, "\n  %s", printable);
	free(printable);
	free(copy);
}

/* Reports a program that the verifier rejects, with the end of the verifier's log. Returns err. */
static int report_refusal(const struct bench_load *l, const char *prog, int err, const char *text,
			  const char *log)
{
	char *lines = NULL;
	size_t sz;
	FILE *out = open_memstream(&lines, &sz);

	if (!out)
		return bench_load__err(l, err, "program %s: cannot be loaded: %s", prog, text);
	fprintf(out, "%s: program %s: cannot be loaded: %s; the verifier's last lines:", l->path,
		prog, text);
	verifier_log__tail(log, TAIL_LINES, add_log_line, out);
	fclose(out);
	log_err_lines(err, lines ?: "out of memory");
	free(lines);
	return err;
}

static int explain_prog(const struct bench_load *l, const struct bpf_program *prog, int err,
			const char *log)
{
	char text[256];

	describe_error(err, text, sizeof(text));
	if (!*log && err == -EINVAL && !libbpf_probe_bpf_prog_type(bpf_program__type(prog), NULL))
		return bench_load__err(l, err,
				       "program %s: cannot be loaded: this kernel has no programs "
				       "of type %s",
				       bpf_program__name(prog),
				       prog_type__name(bpf_program__type(prog)));
	if (!*log)
		return bench_load__err(
			l, to_errno(err),
			"program %s: cannot be loaded: %s; the verifier's log is empty, "
			"-vv shows libbpf's messages",
			bpf_program__name(prog), text);
	return report_refusal(l, bpf_program__name(prog), to_errno(err), text, log);
}

/*
 * Reports the first program that cannot be loaded. Returns -errno, or 0 if each program can be
 * loaded alone.
 */
static int explain_progs(const struct bench_load *l, struct bpf_object *names)
{
	struct bpf_program *prog;
	int i = 0, err = 0;
	/* The buffer is large, but the kernel only allocates the pages that are written. */
	char *log = calloc(1, STEPS_LOG_SZ);

	if (!log)
		return bench_load__err(l, -ENOMEM, "out of memory");
	bpf_object__for_each_program (prog, names) {
		*log = '\0';
		err = l->wanted[i] ? try_alone(l, i, -1, log) : 0;
		i++;
		if (err) {
			err = explain_prog(l, prog, err, log);
			break;
		}
	}
	free(log);
	return err;
}

int bench_load__explain(const struct bench_load *l, int err)
{
	struct bpf_object *names;
	int found = bench_load__open(l, false, &names), alone;
	char text[256];

	if (found)
		return found;
	alone = try_alone(l, -1, -1, NULL);
	found = alone ? explain_maps(l, names) : explain_progs(l, names);
	if (!found)
		found = bench_load__err(l, to_errno(alone ?: err),
					"cannot be loaded: %s; -vv shows libbpf's messages",
					describe_error(alone ?: err, text, sizeof(text)));
	bpf_object__close(names);
	return found;
}
