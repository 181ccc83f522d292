# tests: the recipes behind `make test`, one per kind of test.

SOURCES := $(wildcard efi/*.[ch] efi/*/*.[ch] kernel/*.[ch] kernel/*/*.[ch] kernel/*/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch])
FUZZ_SECONDS := $(or $(SECONDS),20)

# A folder is made once, by a target that ends in a slash.
.SECONDEXPANSION:
.PRECIOUS: $(BUILD)/%/
$(BUILD)/%/:
	@mkdir -p $@

# --- unit tests ------------------------------------------------------------------------------
# Everything is compiled once into a library; each file of tests is a program that takes from it what
# it needs. FLAVOUR=unit-plain does without sanitizers: with what the hosted command is made of;
# unit-coverage counts what is run instead.

FLAVOUR := unit
SANITIZE_unit := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# clang from 17 on looks for a function's type in the bytes before it: code that a probe generated has none there.
SANITIZE_unit += $(if $(findstring clang,$(CC)),-fno-sanitize=function)
SANITIZE_unit-plain :=
SANITIZE_unit-coverage := --coverage
UNIT := $(BUILD)/$(FLAVOUR)
UNIT_OBJECTS := $(BUILD)/$(if $(filter unit-plain,$(FLAVOUR)),hosted,$(FLAVOUR)-objects)
# Of what a debugger wants, the lines are enough: reports name them.
UNIT_FLAGS := $(COMMON) $(SANITIZE_$(FLAVOUR)) -Og $(or $(DEBUG),-g1)

# Of efi/, the parts that tests include: they read tables and know no firmware. Our own string
# functions stay out of libc's way; they are tested by name.
UNIT_EFI := $(sort $(shell sed -n 's|^.include "\(\.\./\)*\(efi/[a-z_/]*\)\.h"|\2.c|p' tests/unit/*.[ch]))
UNIT_SOURCES := $(filter-out kernel/lib/string.c tests/hosted/main.c $(LOOPS:%=%.c),$(wildcard \
	kernel/*.c kernel/*/*.c kernel/*/*/*.c $(UNIT_EFI) tests/hosted/*.c))
# The model, and loops that are timed, are as the hosted command has them: with sanitizers they take too long.
UNIT_HOSTED := $(patsubst %,$(BUILD)/hosted/%.o,page_template $(LOOPS) $(basename $(wildcard tests/model/*.c)))
UNIT_TESTS := $(wildcard tests/unit/test_*.c)
UNIT_HELPERS := $(filter-out $(UNIT_TESTS),$(wildcard tests/unit/*.c))
# Those that take longest come first: nothing waits for them at the end.
UNITS_LONG := experiments smt array shuffle mlp_probe cache_levels patterns
UNITS := $(UNITS_LONG) $(filter-out $(UNITS_LONG),$(UNIT_TESTS:tests/unit/test_%.c=%))

# The tests themselves run once: to make them fast takes longer.
$(BUILD)/$(FLAVOUR)-objects/tests/unit/%.o: UNIT_FLAGS += -O0
$(BUILD)/hosted/tests/unit/%.o: HOSTED += -O0 $(or $(DEBUG),-g1)

$(BUILD)/$(FLAVOUR)-objects/%.o: %.c $(BUILD)/flags | $$(@D)/ packages
	@$(call say-compiling,units)true
	@$(CC) $(UNIT_FLAGS) -c $< -o $@

$(BUILD)/$(FLAVOUR)-objects/events.o $(BUILD)/$(FLAVOUR)-objects/version.o: $(BUILD)/$(FLAVOUR)-objects/%.o: $(BUILD)/%.c $(BUILD)/flags
	@mkdir -p $(@D) && $(CC) $(UNIT_FLAGS) -I. -c $< -o $@

$(UNIT_OBJECTS)/library.a: $(UNIT_SOURCES:%.c=$(UNIT_OBJECTS)/%.o) $(UNIT_OBJECTS)/events.o \
		$(UNIT_OBJECTS)/version.o $(UNIT_HOSTED)
	@echo "ar    $@"
	@rm -f $@ && ar qcs $@ $^

# A helper is linked where its header is included: name.h brings name*.c. The first definition counts,
# so that a test or its helper may put a function of its own in the place of any.
unit-helpers = $(filter $(patsubst %,$(UNIT_OBJECTS)/tests/unit/%%.o, \
	$(shell sed -n 's/^.include "\([a-z_]*\)\.h"/\1/p' tests/unit/test_$*.c)),$^)

# gold links in half the time of GNU ld; newer binutils no longer have it.
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
$(UNIT)/%: $(UNIT_OBJECTS)/tests/unit/test_%.o $(UNIT_HELPERS:%.c=$(UNIT_OBJECTS)/%.o) \
		$(UNIT_OBJECTS)/library.a | $(UNIT)/
	@$(CC) $(SANITIZE_$(FLAVOUR)) $(GOLD) -Wl,-z,muldefs $< $(unit-helpers) $(lastword $^) -o $@ -lcmocka -lm -pthread

# Units that bring a firmware of their own to sources that include its header, and what they share of it.
UNITS_OF_FIRMWARE := tests/unit/fake_firmware \
	$(addprefix tests/unit/test_,console efi_memory firmware http interface power_on processors volume write_pace)
$(UNITS_OF_FIRMWARE:%=$(UNIT_OBJECTS)/%.o): UNIT_FLAGS += $(EFI_HEADERS)
$(UNITS_OF_FIRMWARE:%=$(UNIT_OBJECTS)/%.o): HOSTED += $(EFI_HEADERS)

.SECONDARY: $(patsubst %.c,$(UNIT_OBJECTS)/%.o,$(UNIT_TESTS) $(UNIT_HELPERS))

$(UNITS:%=run-%): run-%: $(UNIT)/%
	@echo "unit: $*"
	@if $< >$<.log 2>&1; then grep -E '^\[  (PASSED|SKIPPED)' $<.log; else cat $<.log; exit 1; fi

unit: packages
	@$(MAKE) --no-print-directory --keep-going --output-sync $(PARALLEL) FLAVOUR=$(FLAVOUR) \
		$(UNITS:%=run-%)

unit-plain:
	@$(MAKE) --no-print-directory FLAVOUR=unit-plain unit

-include $(patsubst %.c,$(UNIT_OBJECTS)/%.d,$(UNIT_SOURCES) $(UNIT_TESTS) $(UNIT_HELPERS))

# --- the rest of `make check` ----------------------------------------------------------------
# Warnings of both compilers, each file with the flags it is built with. clang reads everything, gcc
# what it has not compiled for the unit tests.

WATCH_SOURCES := $(wildcard tests/machines/watch/*.c)
KINDS := freestanding firmware hosted
FILES_freestanding := $(sort $(EFI_SOURCES) $(PORTABLE)) $(WATCH_SOURCES)
FILES_firmware := $(UNITS_OF_FIRMWARE:%=%.c)
FILES_hosted := $(filter-out $(FILES_firmware),$(wildcard tests/*/*.c))
FLAGS_freestanding := $(FREESTANDING)
FLAGS_firmware := $(COMMON) $(EFI_HEADERS)
FLAGS_hosted := $(COMMON)
READ_gcc = $(filter-out $(UNIT_SOURCES) $(UNIT_TESTS) $(UNIT_HELPERS),$(FILES_$*))

# clang takes longer to start than to read a file, so one clang reads all files of a kind: its driver,
# which would start one for each file, knows of the first and passes the others on.
$(KINDS:%=warnings-clang-%): warnings-clang-%: packages
	@echo "clang $*"
	@clang $(filter-out -M%,$(FLAGS_$*)) -fsyntax-only $(firstword $(FILES_$*)) \
		$(patsubst %,-Xclang %,$(wordlist 2,$(words $(FILES_$*)),$(FILES_$*)))

$(KINDS:%=warnings-gcc-%): warnings-gcc-%: packages
	@echo "gcc   $*"
	@$(if $(READ_gcc),gcc $(filter-out -M%,$(FLAGS_$*)) -fsyntax-only $(READ_gcc))

check-warnings: $(foreach kind,$(KINDS),warnings-clang-$(kind) warnings-gcc-$(kind))

# Each version of clang-format lays some lines out in its own way; the sources have the way of this one.
FORMAT_VERSION := 14
CLANG_FORMAT = $(firstword $(foreach name,clang-format-$(FORMAT_VERSION) clang-format,$(if \
	$(findstring version $(FORMAT_VERSION).,$(shell $(name) --version 2>&1)),$(name))))

check-format: packages
	@$(if $(CLANG_FORMAT),$(CLANG_FORMAT) --dry-run --Werror $(SOURCES), \
		echo "skipped: check-format: clang-format is not version $(FORMAT_VERSION): $$(clang-format --version 2>&1)")

check-shell: packages
	@shellcheck images/*.sh tests/*.sh .ci/run

# What measures and judges keeps nothing between calls. Its objects are made here, quickly, to be searched.
STATELESS := $(filter $(addsuffix /%,$(addprefix kernel/,analysis data config engine experiments report)),$(PORTABLE))

$(BUILD)/statics/%.o: %.c | $$(@D)/
	@$(CC) $(FREESTANDING) -O0 -g0 -c $< -o $@

-include $(STATELESS:%.c=$(BUILD)/statics/%.d)

check-statics: $(STATELESS:%.c=$(BUILD)/statics/%.o)
	@$(PYTHON) -B tests/statics.py $^

# Who may include whom.
walls:
	@$(PYTHON) -B tests/walls.py

check-names:
	@$(PYTHON) -B tests/names.py

# Fails at a sentence whose subject names no actor, and at idioms that have a plain word.
SUBJECTS := (What(ever)?|Where|Whether|Who(ever|se)?|Of|None)
IDIOMS := (is|are|was|were|be|been|being) (told|said)|there (is|was|are|were) none|nobody (knows|looks|gets|asks)
IDIOMS := $(IDIOMS)|two in turn|neither is claimed|what it cannot
READ := README.md kernel efi $(addprefix images/,manual page tool *.sh *.mk) tests/hosted tests/model
# These may stay: an outcome that programs read, words within a longer sentence, and texts that are no sentences.
MAY_STAY := be told apart|as can be told|are (none|told)"|0: there are none|\# What mlpboot did|None of them was|Of \$$VERSION

check-words:
	@! grep -rInE '(^|[-*|#/] |"""|[.!] )$(SUBJECTS) [^?]*$$|\b($(IDIOMS))\b' $(READ) | grep -vE '$(MAY_STAY)'
	@! grep -niE '\b(stands?|stood|differs? by|less (those|one|its|that|what))\b' README.md kernel/README.md images/manual/*.md

# Tests the checks themselves: mutants.py, names.py, statics.py, walls.py and constants.py find what they are to find; systems.py counts.
check-changes:
	@$(PYTHON) -B tests/test_changes.py
	@$(PYTHON) -B tests/test_checkers.py

# The manual has the tables that the source makes.
check-texts: $(BUILD)/texts
	@$(PYTHON) -B images/references.py page | cmp -s - images/page/references.csv || \
		{ echo "images/page/references.csv: not made of images/data: make texts"; exit 1; }
	@for table in $(MANUAL_TABLES); do part=$${table##*:} text=images/manual/$${table%:*}.md; \
		$(call print_table,$$table) >$(BUILD)/table.md && sed -n "/^<!-- $$part: generated -->/,/^<!-- $$part: end -->/p" $$text | \
		sed '1d;$$d' | cmp -s - $(BUILD)/table.md || { echo "$$text: not the table of $$part: make texts"; exit 1; }; done

check: packages
	@$(MAKE) --no-print-directory --keep-going $(PARALLEL) unit check-warnings check-format check-shell check-statics check-names check-words walls check-changes page-tests check-texts

# The other compiler's image has to link, too; its files go where nothing else looks.
compile-both: packages
	@$(MAKE) --no-print-directory CC=clang CFLAGS=-g0 WARNINGS='$(WARNINGS)' BUILD=$(BUILD)/clang $(BUILD)/clang/mlpboot.so \
		$(BUILD)/clang/watch.so

# --- fuzzers -----------------------------------------------------------------------------------
# One for each parser. What they read goes into a library that clang has instrumented; seeds and what was
# found are in tests/fuzz/corpus/NAME, what they come upon is added to build/fuzz/NAME.
# The data tools' readers have property-based tests; here they try other examples than `make test` does.

FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ := $(BUILD)/fuzz
FUZZ_FLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -MMD -MP -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
FUZZED := $(filter-out kernel/lib/string.c,$(wildcard kernel/config/*.c kernel/data/*.c kernel/lib/*.c)) \
	kernel/report/csv.c $(wildcard kernel/report/blocks.c $(UNIT_EFI)) \
	tests/hosted/csv_reader.c tests/hosted/read_file.c tests/hosted/read_results.c

$(FUZZ)/objects/%.o: %.c
	@mkdir -p $(@D)
	@echo "clang $<"
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

$(FUZZ)/library.a: $(FUZZED:%.c=$(FUZZ)/objects/%.o)
	@echo "ar    $@"
	@rm -f $@ && ar qcs $@ $^

$(FUZZ)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(FUZZ)/library.a
	@echo "fuzz  $@"
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer $< $(FUZZ)/library.a -o $@ -lm

$(FUZZERS:%=fuzz-%): fuzz-%: $(FUZZ)/fuzz_%
	@mkdir -p $(FUZZ)/$*
	@echo "fuzz: $* for $(FUZZ_SECONDS) s"
	@$< -max_total_time=$(FUZZ_SECONDS) -max_len=70000 -timeout=20 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix=$(FUZZ)/$*- $(FUZZ)/$* tests/fuzz/corpus/$* >$(FUZZ)/$*.log 2>&1 || \
		{ tail -40 $(FUZZ)/$*.log; exit 1; }
	@grep -E '^(stat::number_of_executed_units|stat::average_exec|stat::new_units)' $(FUZZ)/$*.log

fuzz: packages
	@$(MAKE) --no-print-directory --keep-going $(if $(NAME),$(NAME:%=fuzz-%),$(FUZZERS:%=fuzz-%) properties)

properties: packages
	$(PYTHON) -m pytest -q -n $$(nproc) --hypothesis-profile=others tests/machines/test_*_properties.py \
		tests/machines/test_serial_log.py

-include $(FUZZED:%.c=$(FUZZ)/objects/%.d) $(FUZZERS:%=$(FUZZ)/fuzz_%.d)

# The application that looks at the processor before and after the image; see tests/machines/watch.
WATCH_OBJECTS := $(patsubst %.c,$(BUILD)/efi/%.o,$(WATCH_SOURCES) \
	kernel/lib/text.c kernel/lib/string.c) $(addprefix $(BUILD)/efi/,tests/machines/watch/levels.o tests/machines/watch/calls_stubs.o kernel/cpu/entry.o)

$(BUILD)/watch.so: $(WATCH_OBJECTS) linker/mlpboot.lds
	$(link-application)

$(BUILD)/watch.efi: $(BUILD)/watch.so $(COPY_NEEDS)
	$(copy-application)

# The page's modules: what eslint finds, and their functions without a browser.
$(eval $(call modules,lint,tests/page))

LINT := $(BUILD)/lint
modules: packages
	@mkdir -p $(BUILD)
	@command -v npm >/dev/null && $(MAKE) --no-print-directory $(LINT)/$(MODULES) >$(BUILD)/modules.log 2>&1 || \
		echo "skipped: the page's lint and accessibility: npm is not here, or cannot fetch eslint and axe-core"

lint: modules
	@cp tests/page/eslint.config.mjs $(LINT) 2>/dev/null || exit 0; [ ! -e $(LINT)/$(MODULES) ] || \
		node $(LINT)/node_modules/eslint/bin/eslint.js --config $(LINT)/eslint.config.mjs images/page tests/page

page-tests: packages
	@node --import ./tests/page/tables.mjs --test --test-reporter=tap tests/page/*.test.mjs

# Emulators wait now and then: one more than there are processors keeps those busy.
machines: packages modules built $(BUILD)/page.html $(BUILD)/mlpboot-hosted.1 $(BUILD)/watch.efi
	$(PYTHON) -m pytest -q -rs -n $$(($$(nproc) + 1)) --dist loadgroup tests/machines

# Settings of the modelled processor by the hundred.
truths: packages $(BUILD)/mlpboot-hosted
	SETTINGS="$${SETTINGS:-120}" $(PYTHON) -m pytest -q -n 2 tests/machines/test_model.py

# Cores drawn with their vices: which verdicts are wrong, and whose intervals hold the truth.
coverage: packages $(BUILD)/mlpboot-hosted
	@$(PYTHON) -B tests/coverage.py --cores "$${CORES:-200}" --seed "$${SEED:-1}" $(COVERAGE_ARGS)

# Which verdicts of the stored runs a change of a rule changes; STORED_ARGS=--write keeps them.
stored: packages $(BUILD)/mlpboot-hosted
	@$(PYTHON) -B tests/stored.py $(STORED_ARGS)

# Which numbers of the judging matter: each is halved and doubled, and stored runs are judged again.
constants: packages
	@$(PYTHON) -B tests/constants.py $(CONSTANTS_ARGS)

# Branches of kernel and efi that the units come to.
covered: packages
	@$(MAKE) --no-print-directory FLAVOUR=unit-coverage unit
	@for room in kernel efi; do echo "branches of $$room:"; \
		gcovr --root . --branches --exclude-throw-branches --filter $$room/ $(BUILD)/unit-coverage-objects || exit; done

# Fresh roots of Debian's releases: each builds and tests there, as README says.
systems: packages
	@$(PYTHON) -B tests/systems.py $(SYSTEMS_ARGS)

# The container of a release, for CI services.
container: dist
	@bash tests/container.sh $(DIST)

# Small changes of the code, and which of them no unit sees.
mutants: packages
	@$(PYTHON) -B tests/mutants.py --sample $(or $(SAMPLE),60) --seed $(or $(SEED),1) \
		--jobs $(or $(JOBS),$(shell nproc)) $(if $(ALL),--all) $(if $(MACHINES),--machines) \
		$(ONLY:%=--only %) $(NOT:%=--not %)

# Pairs of runs of this processor, or with PAIRS_ARGS="--on model" of modelled cores: `compare` is to find nothing.
pairs: packages $(BUILD)/mlpboot-hosted $(TOOL)
	@$(PYTHON) -B tests/pairs.py --pairs "$${RUNS:-40}" $(PAIRS_ARGS)

# Power cuts as a disk sees them: the states of a recorded run.
replay: packages built
	@$(PYTHON) -B tests/machines/replay.py --states "$${STATES:-12000}" --seed "$${SEED:-1}" $(REPLAY_ARGS)

# Each firmware call of a boot ends badly once. Outcomes are kept in build/faults: what was tried is not tried again.
faults: packages built $(BUILD)/watch.efi
	@$(PYTHON) -B tests/machines/firmware_calls.py --seed "$${SEED:-1}" $(FAULTS_ARGS)

# The image on newer firmwares than the installed one, which are fetched; each boot is a line.
firmwares: packages built $(BUILD)/watch.efi
	@$(PYTHON) -B tests/machines/firmwares.py $(FIRMWARES_ARGS)

.PHONY: check check-texts container constants stored covered lint systems check-changes check-format check-names check-shell check-statics modules page-tests walls check-warnings unit-plain truths coverage faults firmwares mutants pairs properties replay $(UNITS:%=run-%) $(FUZZERS:%=fuzz-%)
test: packages
	@$(PYTHON) -B tests/all.py
