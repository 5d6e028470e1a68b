# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The fuzzers (libFuzzer; needs clang's runtime, libclang-rt-dev). Included by the Makefile.
#
# make fuzz SECONDS=60        runs each fuzzer for 60 s, and continues from the corpus of earlier runs
# make fuzz RUNS=2000         runs each fuzzer on 2000 inputs, from tests/fuzz/corpus only (make check)
#
# Findings are kept in the build tree. The corpus has typical user input, what the kernel says about
# the programs of tests/progs (written by "drive dump" in the VM, x86-64, Linux 6.12), and the
# reports of tests/golden.

FUZZ_B := $(B)/fuzz
FUZZ := $(patsubst tests/fuzz/%.c,$(FUZZ_B)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_OBJ := $(LIB_SRC:%.c=$(FUZZ_B)/obj/%.o)
FUZZ_CFLAGS := -std=gnu11 $(WARN) -g -O1 -fno-sanitize-recover=all
FUZZ_SANITIZE := address,undefined,float-cast-overflow
SECONDS ?= 60

$(FUZZ_B)/obj/%.o: %.c | $(SKEL) $(PROTO).h
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS_ALL) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -MMD -MP -c -o $@ $<

$(FUZZ_B)/internal.a: $(FUZZ_OBJ) $(PROTO).o
	@rm -f $@
	$(AR) rcs $@ $^

$(FUZZ): $(FUZZ_B)/%: tests/fuzz/%.c $(FUZZ_B)/internal.a
	$(CLANG) $(CPPFLAGS_ALL) $(FUZZ_CFLAGS) -fsanitize=fuzzer,$(FUZZ_SANITIZE) -MMD -MP -MF $@.d -o $@ $< \
		$(FUZZ_B)/internal.a $(LDLIBS)

.PHONY: fuzz
fuzz: $(FUZZ)
	tests/fuzz/run.sh $(if $(RUNS),--runs $(RUNS),--seconds $(SECONDS)) $^
