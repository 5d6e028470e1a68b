// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LLVM's disassembler. Owns LLVM's names of architectures; must not know where the code comes from.
 *
 * Loads LLVM's shared library on demand. If bprof were linked with it, every bprof command would
 * start 60 ms later and take 50 MB more memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Disassembler.h>

#include "base/memory.h"
#include "base/util.h"
#include "sampling/disasm.h"

static const struct arch {
	const char *name, *triple, *cpu;
	const char *init[3]; /* names of the functions in LLVM that register the architecture */
} archs[] = {
	{"bpf",
	 "bpfel-unknown-none",
	 "v3",
	 {"LLVMInitializeBPFTargetInfo", "LLVMInitializeBPFTargetMC",
	  "LLVMInitializeBPFDisassembler"}},
	{"aarch64",
	 "aarch64-unknown-linux-gnu",
	 "generic",
	 {"LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64TargetMC",
	  "LLVMInitializeAArch64Disassembler"}},
	{"x86_64",
	 "x86_64-unknown-linux-gnu",
	 "x86-64",
	 {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86TargetMC",
	  "LLVMInitializeX86Disassembler"}},
};

struct disasm {
	void *lib;
	typeof(&LLVMCreateDisasmCPU) create;
	typeof(&LLVMDisasmInstruction) next;
	typeof(&LLVMDisasmDispose) dispose;
	LLVMDisasmContextRef context;
};

/*
 * Loads LLVM's library. Returns 0, -ENOENT if LLVM lacks the architecture, or -ELIBACC if the
 * library is missing.
 */
static int load_llvm(struct disasm *d, const struct arch *a)
{
	/* RTLD_NODELETE is needed because LLVM cannot be unloaded cleanly. */
	d->lib = dlopen(LLVM_SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (!d->lib)
		return -ELIBACC;
	for (size_t i = 0; i < ARRAY_SIZE(a->init); i++) {
		void (*init)(void) = dlsym(d->lib, a->init[i]);

		if (!init)
			return -ENOENT;
		init();
	}
	d->create = dlsym(d->lib, "LLVMCreateDisasmCPU");
	d->next = dlsym(d->lib, "LLVMDisasmInstruction");
	d->dispose = dlsym(d->lib, "LLVMDisasmDispose");
	if (!d->create || !d->next || !d->dispose)
		return -ELIBACC;
	d->context = d->create(a->triple, a->cpu, NULL, 0, NULL, NULL);
	return d->context ? 0 : -ENOENT;
}

int disasm__new(const char *arch, struct disasm **out)
{
	const struct arch *a = NULL;
	struct disasm *d;
	int err;

	*out = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (!strcmp(arch, archs[i].name))
			a = &archs[i];
	if (!a)
		return -ENOENT;
	d = xcalloc(1, sizeof(*d));
	err = load_llvm(d, a);
	if (err)
		disasm__free(d);
	else
		*out = d;
	return err;
}

void disasm__free(struct disasm *d)
{
	if (!d)
		return;
	if (d->context)
		d->dispose(d->context);
	if (d->lib)
		dlclose(d->lib);
	free(d);
}

/* Replaces all white space by single spaces: "\taddq\t$1, %rax" → "addq $1, %rax". */
static void strip_spaces(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\t' && *from != ' ')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

size_t disasm__next(struct disasm *d, const __u8 *bytes, size_t sz, __u64 pc, char *buf,
		    size_t buf_sz)
{
	size_t len;

	*buf = '\0';
	/* LLVM does not write to the bytes, although its parameter is not const. */
	len = d->next(d->context, (uint8_t *)bytes, sz, pc, buf, buf_sz);
	if (!len)
		*buf = '\0';
	strip_spaces(buf);
	return len;
}
