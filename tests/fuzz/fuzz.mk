# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The fuzzers (libFuzzer; needs clang's runtime, libclang-rt-dev). Included by the Makefile.
#
# make fuzz SECONDS=60        runs each fuzzer for 60 s, and continues from the corpus of earlier runs
# make fuzz RUNS=2000         runs each fuzzer on 2000 inputs, from tests/fuzz/corpus only
# make fuzz-coverage          writes the table of docs/dev/testing.md: what the corpora reach
# make fuzz-oss               builds for OSS-Fuzz, with its variables: CC, CFLAGS, CXX, CXXFLAGS,
#                             LIB_FUZZING_ENGINE, OUT
# FUZZERS="pcap event"        only these
#
# Findings are kept in the build tree. The corpus has typical user input, what the kernel says about
# the programs of tests/progs (written by "drive dump" in the VM, x86-64, Linux 6.12), and the
# reports of tests/golden.

FUZZ_B := $(B)/fuzz
FUZZ_CC := $(CLANG)
FUZZ_LD := $(CLANG)
FUZZ_FLAGS := -gline-tables-only -O1 -fno-sanitize-recover=all -fsanitize=address,undefined,float-cast-overflow
FUZZ_TRACE := -fsanitize=fuzzer-no-link
FUZZ_ENGINE := -fsanitize=fuzzer
FUZZERS ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ := $(FUZZERS:%=$(FUZZ_B)/fuzz_%)
FUZZ_OBJ := $(UNITS:%.c=$(FUZZ_B)/obj/%.o)
# clang does not know all attributes of gcc.
FUZZ_COMPILE = $(FUZZ_CC) $(CPPFLAGS_ALL) -iquote $(FUZZ_B) -std=gnu11 $(WARN) -Wno-unknown-attributes $(FUZZ_FLAGS) -MMD -MP
FUZZ_LIBS := $(FUZZ_B)/world.o $(FUZZ_B)/internal.a $(FUZZ_B)/libbpf.a $(filter-out -lbpf,$(LDLIBS))
LIBBPF_A := $(shell $(PKG_CONFIG) --variable=libdir libbpf)/libbpf.a
SECONDS ?= 60

$(FUZZ_B)/obj/%.o: %.c | $(SKEL) $(PROTO).h
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) $(FUZZ_TRACE) -c -o $@ $<

$(FUZZ_B)/world.o: tests/fuzz/world.c
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) -c -o $@ $<

# A line for each function of world.c that replaces another function, such as "fopen fuzz_fopen".
$(FUZZ_B)/world.syms: $(FUZZ_B)/world.o
	nm $< | sed -n 's/.* T fuzz_\(.*\)/\1 fuzz_\1/p' >$@
	echo main bprof_main >>$@

$(FUZZ_B)/internal.a: $(FUZZ_OBJ) $(PROTO).o $(FUZZ_B)/world.syms
	@rm -f $@ $@.tmp
	$(AR) rcs $@.tmp $(FUZZ_OBJ) $(PROTO).o
	$(OBJCOPY) --redefine-syms=$(FUZZ_B)/world.syms $@.tmp $@
	@rm $@.tmp

$(FUZZ_B)/libbpf.a: $(LIBBPF_A) $(FUZZ_B)/world.syms
	$(OBJCOPY) --redefine-syms=$(FUZZ_B)/world.syms $< $@

# An object that is part of a fuzzer.
$(FUZZ_B)/%.skel.h: tests/fuzz/%.bpf.c tests/fuzz/%.h
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -c -o $(FUZZ_B)/$*.bpf.o $<
	$(LLVM_STRIP) -g $(FUZZ_B)/$*.bpf.o
	$(BPFTOOL) gen skeleton $(FUZZ_B)/$*.bpf.o name $*_bpf >$@

$(FUZZ_B)/fuzz_global.o: $(FUZZ_B)/globals.skel.h

$(FUZZ_B)/fuzz_%.o: tests/fuzz/fuzz_%.c
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) $(FUZZ_TRACE) -c -o $@ $<

# fuzz_prog has functions in place of some of libbpf's. OSS-Fuzz brings its own libraries.
$(FUZZ): $(FUZZ_B)/%: $(FUZZ_B)/%.o $(FUZZ_B)/internal.a $(FUZZ_B)/world.o $(FUZZ_B)/libbpf.a
	$(FUZZ_LD) $(FUZZ_FLAGS) -o $@ $< -Wl,--allow-multiple-definition,-rpath,'$$ORIGIN/lib' $(FUZZ_ENGINE) \
		$(FUZZ_LIBS)

.PHONY: fuzz fuzz-build fuzz-coverage fuzz-oss
fuzz-build: $(FUZZ)
fuzz: fuzz-build
	tests/fuzz/run.sh $(if $(RUNS),--runs $(RUNS),--seconds $(SECONDS)) $(FUZZ)

fuzz-coverage:
	$(MAKE) fuzz-build FUZZ_B=$(B)/fuzz-coverage FUZZ_TRACE= \
		FUZZ_FLAGS="-g -O1 -fprofile-instr-generate -fcoverage-mapping"
	tests/fuzz/coverage.py $(B)/fuzz-coverage $(FUZZ_B) docs/dev/testing.md

fuzz-oss:
	$(MAKE) fuzz-build FUZZ_B=$(B)/fuzz-oss FUZZ_CC="$$CC" FUZZ_LD="$$CXX $$CXXFLAGS" \
		FUZZ_FLAGS="$$CFLAGS" FUZZ_TRACE= FUZZ_ENGINE="$$LIB_FUZZING_ENGINE"
	tests/fuzz/oss.sh $(B)/fuzz-oss "$$OUT"
