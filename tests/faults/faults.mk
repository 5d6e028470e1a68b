# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Builds a bprof in which calls can be made to fail (tests/faults/shim.h), and the program that lets them
# fail in turn (tests/faults/campaign.c). Included by the Makefile.
#
# make FAULTS=1                       for this machine, with ASan and LSan
# make FAULTS=1 STATIC=1 ARCH=arm64   for a VM; also lets the C library's own allocations fail
#
# The linker redirects the calls of all objects, also those of static libraries, to the shim (--wrap). Unlike
# LD_PRELOAD, this works in static programs, and with ASan, which has its own malloc(). bprof's objects are
# those of the same build without FAULTS=1.

FAULTS_B := $(B)/faults
SHIM_OBJ := $(O)/tests/faults/shim.o $(O)/tests/faults/shim_calls.o
CAMPAIGN_OBJ := $(patsubst %,$(O)/tests/faults/%.o,campaign findings judge lines objects runner)

.PHONY: faults
faults: $(FAULTS_B)/bprof $(FAULTS_B)/bprof.libraries $(FAULTS_B)/campaign $(if $(STATIC),,$(FAULTS_B)/test_judge) $(B)/tools/drive $(PROG_OBJ)

# Code lies at fixed addresses, so that a call has the same stack in each run. Libraries that make system
# calls or allocate much are linked statically, so that their calls also go to the shim.
$(FAULTS_B)/bprof: $(SHIM_OBJ) $(CMD_OBJ) $(B)/internal.a | $(LIBELF_EU)
	@mkdir -p $(@D)
	$(CC) $(patsubst -static-pie,-static,$(LDFLAGS_ALL)) -no-pie -Wl,--wrap=main \
		$$(nm $(SHIM_OBJ) | sed -n 's/.* T __wrap_/-Wl,--wrap=/p' | sort -u) -o $@ $^ \
		$(foreach l,$(LDLIBS),$(if $(filter -lbpf -ljansson -lelf -lcap -lprotobuf-c,$l),-l:lib$(l:-l%=%).a,$l))

# The address and the size of each function in the file "libraries".
$(FAULTS_B)/bprof.libraries: tests/faults/libraries $(FAULTS_B)/bprof
	nm -S $(FAULTS_B)/bprof | awk 'FNR == NR { if (!/^#/) name[$$1]; next } $$4 in name { print $$1, $$2, $$4 }' $< - >$@

$(FAULTS_B)/campaign: $(CAMPAIGN_OBJ) | $(LIBELF_EU)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(FAULTS_B)/test_judge: $(O)/tests/faults/test_judge.o $(O)/tests/faults/judge.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcmocka
