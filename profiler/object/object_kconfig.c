// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the kernel's configuration for an object with variables in section .kconfig (--kconfig).
 * Owns the text that libbpf gets; must not know what programs do with the variables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "object/object_load.h"

/* Limits the memory that a wrong file can take: a kernel's configuration has about 300 KiB. */
#define MAX_CONFIG (16 << 20)

/* Reads a file that may be compressed. The caller frees *out. */
static int read_config(const char *path, char **out)
{
	gzFile in = gzopen(path, "re");
	int len, err = 0;

	*out = NULL;
	if (!in)
		return -errno;
	*out = xmalloc(MAX_CONFIG + 1);
	len = gzread(in, *out, MAX_CONFIG);
	if (len < 0)
		err = -EIO;
	else
		(*out)[len] = '\0';
	gzclose(in);
	return err;
}

static bool has_option(const char *config, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = config; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == '=')
			return true;
	}
	return false;
}

/*
 * Writes the configuration, and adds a line for each option that the object uses and the
 * configuration lacks: the kernel was built without that option. If the line were missing, libbpf
 * would take the option from this machine's configuration.
 */
static void complete(const struct bench_load *l, const char *config, FILE *out)
{
	struct btf *btf = btf__parse_elf(l->path, NULL);
	int id = libbpf_get_error(btf) ? -1
				       : btf__find_by_name_kind(btf, ".kconfig", BTF_KIND_DATASEC);
	const struct btf_type *sec = id > 0 ? btf__type_by_id(btf, id) : NULL;

	fputs(config, out);
	for (int i = 0; sec && i < btf_vlen(sec); i++) {
		const struct btf_type *var = btf__type_by_id(btf, btf_var_secinfos(sec)[i].type);
		const char *name = var ? btf__name_by_offset(btf, var->name_off) ?: "" : "";
		const struct btf_type *t;

		if (strncmp(name, "CONFIG_", 7) || has_option(config, name))
			continue;
		id = btf__resolve_type(btf, var->type);
		t = id > 0 ? btf__type_by_id(btf, id) : NULL;
		fprintf(out, "\n%s=%s", name,
			t && btf_is_array(t)		    ? "\"\""
			: t && btf_is_int(t) && t->size > 1 ? "0"
							    : "n");
	}
	fputc('\n', out);
	if (!libbpf_get_error(btf))
		btf__free(btf);
}

int bench_load__read_kconfig(struct bench_load *l)
{
	const char *path = l->setup->kconfig;
	char *config = NULL;
	FILE *out;
	size_t sz;
	int err;

	if (!path)
		return 0;
	err = read_config(path, &config);
	if (err) {
		free(config);
		return bench_load__err(l, err, "--kconfig %s: %s", path, strerror(-err));
	}
	out = text__open(&l->kconfig, &sz);
	complete(l, config, out);
	fclose(out);
	free(config);
	return 0;
}
