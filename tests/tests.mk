# tests: the recipes behind `make test`, one per kind of test.

SOURCES := $(wildcard efi/*.[ch] efi/*/*.[ch] kernel/*.[ch] kernel/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch])
FUZZ_SECONDS := $(or $(SECONDS),60)

# As many jobs as there are processors, unless the caller said how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# --- unit tests ------------------------------------------------------------------------------
# Everything is compiled once into a library; each file of tests is a program that takes from it what
# it needs. FLAVOUR=unit-plain does without sanitizers.

FLAVOUR := unit
SANITIZE_unit := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANITIZE_unit-plain :=
UNIT := $(BUILD)/$(FLAVOUR)
UNIT_FLAGS := $(COMMON) $(SANITIZE_$(FLAVOUR)) -O1

# Of efi/, the parts that tests include: they read tables and know no firmware. Our own string
# functions stay out of libc's way; they are tested by name.
UNIT_EFI := $(sort $(shell sed -n 's|^.include "\(\.\./\)*\(efi/[a-z_/]*\)\.h"|\2.c|p' tests/unit/*.[ch]))
UNIT_SOURCES := $(filter-out kernel/lib/string.c tests/hosted/main.c,$(wildcard \
	kernel/*.c kernel/*/*.c $(UNIT_EFI) tests/hosted/*.c tests/model/*.c))
UNIT_TESTS := $(wildcard tests/unit/test_*.c)
UNIT_HELPERS := $(filter-out $(UNIT_TESTS),$(wildcard tests/unit/*.c))
UNITS := $(UNIT_TESTS:tests/unit/test_%.c=%)

$(UNIT)-objects/%.o: %.c
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(UNIT_FLAGS) -c $< -o $@

$(UNIT)-objects/events.o $(UNIT)-objects/version.o: $(UNIT)-objects/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(UNIT_FLAGS) -I. -c $< -o $@

$(UNIT)-objects/library.a: $(UNIT_SOURCES:%.c=$(UNIT)-objects/%.o) $(UNIT)-objects/events.o \
		$(UNIT)-objects/version.o $(BUILD)/hosted/page_template.o
	@echo "ar    $@"
	@rm -f $@ && ar qcs $@ $^

# A helper is linked where its header is included: name.h brings name*.c. The first definition counts,
# so that a test or its helper may put a function of its own in the place of any.
unit-helpers = $(filter $(patsubst %,$(UNIT)-objects/tests/unit/%%.o, \
	$(shell sed -n 's/^.include "\([a-z_]*\)\.h"/\1/p' tests/unit/test_$*.c)),$^)

$(UNIT)/%: $(UNIT)-objects/tests/unit/test_%.o $(UNIT_HELPERS:%.c=$(UNIT)-objects/%.o) \
		$(UNIT)-objects/library.a
	@mkdir -p $(@D)
	@$(CC) $(SANITIZE_$(FLAVOUR)) -Wl,-z,muldefs $< $(unit-helpers) $(lastword $^) -o $@ -lcmocka -lm -pthread

.SECONDARY: $(patsubst %.c,$(UNIT)-objects/%.o,$(UNIT_TESTS) $(UNIT_HELPERS))

$(UNITS:%=run-%): run-%: $(UNIT)/%
	@echo "unit: $*"
	@if $< >$<.log 2>&1; then grep -E '^\[  (PASSED|SKIPPED)' $<.log; else cat $<.log; exit 1; fi

unit: packages-test
	@$(MAKE) --no-print-directory --keep-going --output-sync $(PARALLEL) FLAVOUR=$(FLAVOUR) \
		$(UNITS:%=run-%)

unit-plain:
	@$(MAKE) --no-print-directory FLAVOUR=unit-plain unit

-include $(patsubst %.c,$(UNIT)-objects/%.d,$(UNIT_SOURCES) $(UNIT_TESTS) $(UNIT_HELPERS))

# --- the rest of `make check` ----------------------------------------------------------------
# Warnings of both compilers, each file with the flags it is built with. clang reads everything, gcc
# what it has not compiled for the unit tests.

WATCH_SOURCES := $(wildcard tests/machines/watch/*.c)
CHECKED_clang := $(EFI_SOURCES) $(WATCH_SOURCES) $(wildcard tests/*/*.c)
CHECKED_gcc := $(filter-out $(UNIT_SOURCES) $(UNIT_TESTS) $(UNIT_HELPERS),$(CHECKED_clang))
CHECKED_FLAGS = $(if $(filter efi/% kernel/% $(WATCH_SOURCES),$<),$(FREESTANDING),$(COMMON))

define checked-by
$(BUILD)/checked-$(1)/%: %
	@mkdir -p $$(@D)
	@$(1) $$(CHECKED_FLAGS) -fsyntax-only -MF $$@.d -MT $$@ $$<
	@touch $$@

-include $$(CHECKED_$(1):%=$(BUILD)/checked-$(1)/%.d)
endef
$(eval $(call checked-by,gcc))
$(eval $(call checked-by,clang))

check-warnings: $(CHECKED_gcc:%=$(BUILD)/checked-gcc/%) $(CHECKED_clang:%=$(BUILD)/checked-clang/%)

# What compile-both has not compiled.
COMPILED_clang := $(EFI_SOURCES) $(WATCH_SOURCES) $(HOSTED_SOURCES)
check-warnings-here: $(CHECKED_gcc:%=$(BUILD)/checked-gcc/%) \
	$(patsubst %,$(BUILD)/checked-clang/%,$(filter-out $(COMPILED_clang),$(CHECKED_clang)))

check-format: packages-test
	@clang-format --dry-run --Werror $(SOURCES)

# Who may include whom, and that the check of it finds what it is to find.
walls:
	@python3 -B tests/test_walls.py
	@python3 -B tests/walls.py

check: packages-test
	@$(MAKE) --no-print-directory --keep-going $(PARALLEL) unit check-warnings check-format walls page-tests $(BUILD)/texts

# The other compiler's image has to link, too; its files go where nothing else looks.
compile-both: packages-test
	@$(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/clang $(BUILD)/clang/mlpboot.so \
		$(BUILD)/clang/watch.so $(BUILD)/clang/mlpboot-hosted

$(BUILD)/fuzz_config: tests/fuzz/fuzz_config.c $(filter-out kernel/lib/string.c, \
		$(wildcard kernel/config/*.c kernel/data/*.c kernel/lib/*.c))
	@echo "fuzz  $@"
	@clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $^ -o $@

fuzz: packages-test
	@$(MAKE) --no-print-directory $(BUILD)/fuzz_config
	@mkdir -p $(BUILD)/fuzz
	$(BUILD)/fuzz_config -max_total_time=$(FUZZ_SECONDS) -max_len=70000 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz

# The application that looks at the processor before and after the image; see tests/machines/watch.
WATCH_OBJECTS := $(patsubst %.c,$(BUILD)/efi/%.o,$(WATCH_SOURCES) \
	kernel/lib/text.c kernel/lib/string.c) $(BUILD)/efi/kernel/cpu/entry.o

$(BUILD)/watch.so: $(WATCH_OBJECTS) linker/mlpboot.lds
	$(link-application)

$(BUILD)/watch.efi: $(BUILD)/watch.so images/nx-compat.sh
	$(copy-application)

# The page's modules: what eslint finds, and their functions without a browser.
$(eval $(call modules,lint,tests/page))

modules: build/lint/$(MODULES) build/queries/$(MODULES)

page-tests: build/lint/$(MODULES)
	@cp tests/page/eslint.config.mjs build/lint
	@node build/lint/node_modules/eslint/bin/eslint.js --config build/lint/eslint.config.mjs images/page tests/page
	@node --test --test-reporter=tap tests/page/*.test.mjs

# DuckDB, in which the manual's queries are tried.
$(eval $(call modules,queries,tests/queries))

# An emulator waits now and then, so one more than there are processors.
machines: packages-test all build/page.html $(BUILD)/watch.efi build/queries/$(MODULES)
	/usr/bin/python3 -m pytest -q -n $$(($$(nproc) + 1)) --dist loadgroup tests/machines

# Settings of the modelled processor by the hundred.
truths: packages-test $(BUILD)/mlpboot-hosted
	SETTINGS=$(or $(SETTINGS),120) /usr/bin/python3 -m pytest -q -n 2 tests/machines/test_model.py

# Cores drawn with their vices: which verdicts are wrong, and whose intervals hold the truth.
coverage: packages-test $(BUILD)/mlpboot-hosted
	@/usr/bin/python3 -B tests/coverage.py --cores $(or $(CORES),200) --seed $(or $(SEED),1) $(COVERAGE_ARGS)

# Pairs of runs of this processor, or with PAIRS_ARGS="--on model" of modelled cores: `compare` is to find nothing.
pairs: packages-test $(BUILD)/mlpboot-hosted
	@/usr/bin/python3 -B tests/pairs.py --pairs $(or $(RUNS),40) $(PAIRS_ARGS)

# Power cuts as a disk sees them: the states of a recorded run.
replay: packages-test all
	@/usr/bin/python3 -B tests/machines/replay.py --states $(or $(STATES),12000) --seed $(or $(SEED),1) $(REPLAY_ARGS)

.PHONY: check check-format check-warnings-here modules page-tests walls check-warnings unit-plain truths coverage pairs replay $(UNITS:%=run-%)
test: packages-test
	@/usr/bin/python3 tests/all.py
