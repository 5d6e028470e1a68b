// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why an object cannot be opened or loaded. Owns what is said of it. libbpf says that something
 * failed, not what: each map and each program is tried alone, in a copy that nobody runs.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bench/bench_load.h"
#include "kernel/feature.h"
#include "base/log.h"
#include "btf/prog.h"
#include "base/text.h"
#include "kernel/verifier_log.h"

/* Lines of the verifier's log that are shown. */
#define TAIL_LINES 10

/* The caller frees it; NULL: out of memory. */
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

/* libbpf has errors of its own, from 4000 on; nobody above this knows them. */
static int to_errno(int err)
{
	return err <= -__LIBBPF_ERRNO__START ? -EINVAL : err;
}

/* ---- the file ---- */

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
				       "not an ELF file: an object is wanted, as clang -target bpf "
				       "-g -c makes it");
	if (len == sizeof(head) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	    head.e_ident[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB))
		return bench_load__err(l, -EINVAL,
				       "compiled for machines of the other byte order: give clang "
				       "-target bpf, not -target %s",
				       __BYTE_ORDER == __LITTLE_ENDIAN ? "bpfeb" : "bpfel");
	if (len < sizeof(head) || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_REL ||
	    (head.e_machine && head.e_machine != EM_BPF))
		return bench_load__err(l, -EINVAL,
				       "an ELF file, but no BPF object: clang -target bpf -g -c "
				       "makes one");
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
	/* libbpf__needs_btf: for maps and externs */
	if (err == -ENOENT && btf_err)
		return bench_load__err(l, -EINVAL,
				       "no BTF, which libbpf needs for its maps: compile it with "
				       "clang -g");
	if (err == -ENOTSUP)
		return bench_load__err(
			l, -EINVAL,
			"libbpf does not support what is in it, such as maps as they "
			"were before BTF (SEC(\"maps\")); -vv shows what libbpf says");
	libbpf_strerror(err, text, sizeof(text));
	return bench_load__err(l, to_errno(err), "cannot be opened: %s; -vv shows what libbpf says",
			       text);
}

/* ---- what is to blame ---- */

/* Loads a copy of which only that program (-1: none) and that map (-1: all) are there. */
static int try_alone(const struct bench_load *l, int prog_index, int map_index, char *log)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct bpf_map *map;
	int i = 0, err = bench_load__open(l, false, &obj);

	if (err)
		return 0; /* it could be opened before: memory is short, and that is said */
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
	/* After all else libbpf fills prog arrays, with programs that are not loaded here. */
	return err == -EBADF ? 0 : err;
}

/* What an EPERM needs to be one no more. */
static const char *describe_error(int err, char *buf, size_t sz)
{
	char caps[128];

	libbpf_strerror(err, buf, sz);
	if (err == -EPERM && features__missing_caps(1U << BPROF_CAP_BPF, caps, sizeof(caps))[0])
		snprintf(buf, sz, "%s (without %s; root has it)", strerror(EPERM), caps);
	return buf;
}

/* 0: each of them can be created. */
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

/* The program that the verifier refuses, and the end of its log. Returns err. */
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
			"program %s: cannot be loaded: %s; the verifier says nothing, "
			"-vv shows what libbpf says",
			bpf_program__name(prog), text);
	return report_refusal(l, bpf_program__name(prog), to_errno(err), text, log);
}

/* 0: each of them can be loaded. */
static int explain_progs(const struct bench_load *l, struct bpf_object *names)
{
	struct bpf_program *prog;
	int i = 0, err = 0;
	/* Of so much memory only what is written is really taken. */
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
					"cannot be loaded: %s; -vv shows what libbpf says",
					describe_error(alone ?: err, text, sizeof(text)));
	bpf_object__close(names);
	return found;
}
