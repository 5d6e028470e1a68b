# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# bprof with calls that can be made to fail (tests/faults/shim.h), and the campaign that lets each of
# them fail. Included by the Makefile.
#
# make FAULTS=1                       for this machine, with ASan and LSan
# make FAULTS=1 STATIC=1 ARCH=arm64   for a VM; also reaches the C library's own allocations
#
# The linker sends the calls of all objects, also those of static libraries, to the shim (--wrap): this
# works in static programs, in which nothing can be preloaded, and with ASan, which has its own
# malloc(). bprof's objects are those of the same build without FAULTS=1.

FAULTS_B := $(B)/faults
SHIM_OBJ := $(O)/tests/faults/shim.o $(O)/tests/faults/shim_calls.o
CAMPAIGN_OBJ := $(patsubst %,$(O)/tests/faults/%.o,campaign findings judge lines objects runner)

.PHONY: faults
faults: $(FAULTS_B)/bprof $(FAULTS_B)/bprof.libraries $(FAULTS_B)/campaign $(if $(STATIC),,$(FAULTS_B)/test_judge) $(B)/tools/drive $(PROG_OBJ)

# Code lies at fixed addresses, so that two runs have the same. Libraries that make system calls or
# allocate much are linked statically, with the shim.
$(FAULTS_B)/bprof: $(SHIM_OBJ) $(CMD_OBJ) $(B)/internal.a | $(LIBELF_EU)
	@mkdir -p $(@D)
	$(CC) $(patsubst -static-pie,-static,$(LDFLAGS_ALL)) -no-pie -Wl,--wrap=main \
		$$(nm $(SHIM_OBJ) | sed -n 's/.* T __wrap_/-Wl,--wrap=/p' | sort -u) -o $@ $^ \
		$(foreach l,$(LDLIBS),$(if $(filter -lbpf -ljansson -lelf -lcap -lprotobuf-c,$l),-l:lib$(l:-l%=%).a,$l))

# Where the functions are that the file libraries names: begin and size.
$(FAULTS_B)/bprof.libraries: tests/faults/libraries $(FAULTS_B)/bprof
	nm -S $(FAULTS_B)/bprof | awk 'FNR == NR { if (!/^#/) name[$$1]; next } $$4 in name { print $$1, $$2, $$4 }' $< - >$@

$(FAULTS_B)/campaign: $(CAMPAIGN_OBJ) | $(LIBELF_EU)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(FAULTS_B)/test_judge: $(O)/tests/faults/test_judge.o $(O)/tests/faults/judge.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcmocka
