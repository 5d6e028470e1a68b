// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens an object in which libbpf cannot relocate some programs and therefore refuses the whole
 * object. Programs with variables in an arena are an example: only libbpf 1.4 and later relocates
 * them. Owns a copy of the object in which these programs have no relocations, so that the other
 * programs can be opened. Skips the programs that cannot be relocated, and the programs that call
 * them, with libbpf's reason.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/util.h"
#include "object/object_load.h"

/* The most functions of an object that bprof examines. */
#define MAX_FUNCS 4096

/* A function of the object: a symbol of type STT_FUNC. */
struct func {
	const char *name; /* points into the image */
	size_t section;
	__u64 start, end; /* the function's bytes in the section */
	bool broken;	  /* the function, or a function that it calls, cannot be relocated */
};

struct image {
	Elf *elf;
	struct func *func;
	int func_cnt;
};

static struct func *find_func(struct image *im, size_t section, __u64 offset)
{
	for (int i = 0; i < im->func_cnt; i++) {
		struct func *f = &im->func[i];

		if (f->section == section && offset >= f->start && offset < f->end)
			return f;
	}
	return NULL;
}

/* Returns true if the function is the entry function of a program. */
static bool is_program(Elf *elf, const struct func *f)
{
	Elf_Scn *scn = elf_getscn(elf, f->section);
	const char *name = NULL;
	size_t names;
	GElf_Shdr sh;

	if (scn && gelf_getshdr(scn, &sh) && !elf_getshdrstrndx(elf, &names))
		name = elf_strptr(elf, names, sh.sh_name);
	return name && strcmp(name, ".text");
}

static bool has_code(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

/* Returns the section with the symbols (SHT_SYMTAB), and sets *sh to its header; or NULL. */
static Elf_Data *find_symtab(Elf *elf, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == SHT_SYMTAB && sh->sh_entsize)
			return elf_getdata(scn, NULL);
	return NULL;
}

static void read_funcs(struct image *im)
{
	GElf_Shdr sh;
	Elf_Data *symbols = find_symtab(im->elf, &sh);
	GElf_Sym sym;

	for (int i = 0; symbols && gelf_getsym(symbols, i, &sym); i++) {
		const char *name = elf_strptr(im->elf, sh.sh_link, sym.st_name);
		struct func *f;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !name ||
		    !has_code(im->elf, sym.st_shndx) || im->func_cnt == MAX_FUNCS)
			continue;
		f = array__add(&im->func, &im->func_cnt, sizeof(*f));
		*f = (struct func){.name = name,
				   .section = sym.st_shndx,
				   .start = sym.st_value,
				   .end = sym.st_value + sym.st_size};
	}
}

/* Returns an instruction of a section with code. Returns NULL if there is none at this place. */
static const struct bpf_insn *insn_at(Elf *elf, size_t section, __u64 offset)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *code = scn ? elf_getdata(scn, NULL) : NULL;

	return code && offset % sizeof(struct bpf_insn) == 0 && offset < code->d_size &&
			       code->d_size - offset >= sizeof(struct bpf_insn)
		       ? (const struct bpf_insn *)((char *)code->d_buf + offset)
		       : NULL;
}

/* Returns the function to which the relocation of this instruction leads, or NULL. */
static struct func *find_callee(struct image *im, const struct bpf_insn *insn, Elf_Data *symbols,
				size_t symbol)
{
	GElf_Sym sym;
	__s64 offset;

	if (!gelf_getsym(symbols, symbol, &sym))
		return NULL;
	offset = sym.st_value;
	/*
	 * If the symbol is that of a section, the instruction has the function's place in the
	 * section (see libbpf's bpf_object__relocate_calls()).
	 */
	if (GELF_ST_TYPE(sym.st_info) == STT_SECTION)
		offset += insn->code == (BPF_LD | BPF_IMM | BPF_DW)
				  ? insn->imm
				  : ((__s64)insn->imm + 1) * (int)sizeof(*insn);
	return find_func(im, sym.st_shndx, offset);
}

/* Marks callers of broken functions in a section of relocations. Returns true if it marked any. */
static bool mark_relocated_callers(struct image *im, Elf_Scn *scn, const GElf_Shdr *sh,
				   Elf_Data *symbols)
{
	Elf_Data *rels = elf_getdata(scn, NULL);
	bool found = false;
	GElf_Rel rel;

	for (int i = 0; rels && gelf_getrel(rels, i, &rel); i++) {
		const struct bpf_insn *insn = insn_at(im->elf, sh->sh_info, rel.r_offset);
		struct func *caller = find_func(im, sh->sh_info, rel.r_offset);
		struct func *callee = insn ? find_callee(im, insn, symbols, GELF_R_SYM(rel.r_info))
					   : NULL;

		if (caller && !caller->broken && callee && callee->broken)
			found = caller->broken = true;
	}
	return found;
}

/*
 * Marks the callers of broken functions in the same section. Such calls have no relocation: the
 * instruction has the distance to the called function.
 */
static bool mark_local_callers(struct image *im)
{
	bool found = false;

	for (int i = 0; i < im->func_cnt; i++) {
		struct func *f = &im->func[i], *callee;

		for (__u64 at = f->start; !f->broken && at < f->end;
		     at += sizeof(struct bpf_insn)) {
			const struct bpf_insn *insn = insn_at(im->elf, f->section, at);

			if (!insn)
				break;
			if (insn->code != (BPF_JMP | BPF_CALL) ||
			    insn->src_reg != BPF_PSEUDO_CALL || insn->imm == -1)
				continue;
			callee = find_func(im, f->section,
					   at + ((__s64)insn->imm + 1) * (int)sizeof(*insn));
			if (callee && callee->broken)
				found = f->broken = true;
		}
	}
	return found;
}

static void mark_all_callers(struct image *im)
{
	GElf_Shdr symbols_sh, sh;
	Elf_Data *symbols = find_symtab(im->elf, &symbols_sh);
	bool found = symbols;

	while (found) {
		Elf_Scn *scn = NULL;

		found = mark_local_callers(im);
		while ((scn = elf_nextscn(im->elf, scn)))
			if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_REL &&
			    has_code(im->elf, sh.sh_info))
				found |= mark_relocated_callers(im, scn, &sh, symbols);
	}
}

/*
 * Removes the relocations of a function from the section, directly in the image: libelf would write
 * the whole file again. Returns the number of removed relocations.
 */
static size_t remove_relocations(char *data, size_t sz, const struct func *f, Elf64_Shdr *sh)
{
	Elf64_Rel *rel;
	size_t cnt, kept = 0;

	if (sh->sh_type != SHT_REL || sh->sh_info != f->section || sh->sh_offset > sz ||
	    sh->sh_size > sz - sh->sh_offset || sh->sh_offset % 8)
		return 0;
	rel = (void *)(data + sh->sh_offset);
	cnt = sh->sh_size / sizeof(*rel);
	for (size_t i = 0; i < cnt; i++)
		if (rel[i].r_offset < f->start || rel[i].r_offset >= f->end)
			rel[kept++] = rel[i];
	sh->sh_size = kept * sizeof(*rel);
	return cnt - kept;
}

/*
 * Removes the relocations of a function. Returns 0; -ENOENT if the function has no relocations; or
 * -EINVAL if the file's table of sections is not inside of the file.
 */
static int patch(char *data, size_t sz, const struct func *f)
{
	Elf64_Ehdr *head = (void *)data;
	size_t removed = 0;

	if (sz < sizeof(*head) || head->e_shoff > sz || head->e_shoff % 8 ||
	    head->e_shentsize != sizeof(Elf64_Shdr) ||
	    head->e_shnum > (sz - head->e_shoff) / sizeof(Elf64_Shdr))
		return -EINVAL;
	for (int i = 0; i < head->e_shnum; i++)
		removed +=
			remove_relocations(data, sz, f, (Elf64_Shdr *)(data + head->e_shoff) + i);
	return removed ? 0 : -ENOENT;
}

static int read_image(struct bench_load *l)
{
	FILE *f = fopen(l->path, "re");
	struct stat st;
	int err = 0;

	if (!f || fstat(fileno(f), &st) || st.st_size <= 0)
		err = -(errno ?: EINVAL);
	if (!err) {
		l->image = xmalloc(st.st_size);
		if (fread(l->image, st.st_size, 1, f) == 1)
			l->image_sz = st.st_size;
		else
			err = -EIO;
	}
	if (f)
		fclose(f);
	return err;
}

struct bpf_object *bench_image__open(const struct bench_load *l, const char *kconfig)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kconfig = kconfig);
	const char *name = strrchr(l->path, '/');
	struct bpf_object *obj;
	char *object;

	if (!l->image)
		return bpf_object__open_file(l->path, &opts);
	/* libbpf gives this name to an object that it opens by path */
	name = name ? name + 1 : l->path;
	object = xstrndup(name, strcspn(name, "."));
	opts.object_name = object;
	obj = bpf_object__open_mem(l->image, l->image_sz, &opts);
	free(object);
	return obj;
}

int bench_image__leave_out(struct bench_load *l, const char *func, const char *why)
{
	struct image im = {};
	struct func *f = NULL;
	int err = l->image ? 0 : read_image(l);

	if (err)
		return err;
	elf_version(EV_CURRENT);
	im.elf = elf_memory(l->image, l->image_sz);
	if (!im.elf)
		return -EINVAL;
	read_funcs(&im);
	for (int i = 0; !f && i < im.func_cnt; i++)
		if (!strcmp(im.func[i].name, func))
			f = &im.func[i];
	if (f) {
		f->broken = true;
		mark_all_callers(&im);
	}
	for (int i = 0; i < im.func_cnt; i++)
		if (im.func[i].broken && is_program(im.elf, &im.func[i]))
			bench_load__skip(l, im.func[i].name, why);
	err = f ? patch(l->image, l->image_sz, f) : -ENOENT;
	elf_end(im.elf);
	free(im.func);
	return err;
}
