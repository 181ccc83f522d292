# tests: the recipes behind `make test`, one per kind of test.

SOURCES := $(wildcard efi/*.[ch] kernel/*.[ch] kernel/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch])
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
UNIT_FLAGS := $(COMMON) $(SANITIZE) -O1
FUZZ_SECONDS := $(or $(SECONDS),60)

# Each unit test is one program; what it tests besides its own file is listed here.
UNIT_text := kernel/lib/text.c
UNIT_string :=
UNIT_random := kernel/lib/random.c
UNIT_config := $(wildcard kernel/config/*.c) kernel/lib/text.c kernel/lib/size.c
UNIT_encoder := kernel/probe/encoder.c kernel/probe/filler.c kernel/probe/counting.c
UNIT_mlp_probe := $(UNIT_encoder) kernel/probe/timing.c kernel/probe/mlp_probe.c
UNIT_events := kernel/cpu/event.c $(BUILD)/events.c
UNIT_load_sampler := $(UNIT_mlp_probe) kernel/probe/load_sampler.c kernel/lib/random.c
UNIT_distribution := kernel/probe/distribution.c kernel/lib/random.c
UNIT_sweep := kernel/probe/sweep.c kernel/probe/distribution.c kernel/lib/random.c
UNIT_load_case := $(UNIT_load_sampler) $(UNIT_events) kernel/cpu/schedule.c \
	$(addprefix kernel/experiments/,load_case.c measurement.c counted.c counted_plan.c counted_events.c) kernel/report/json.c kernel/nodes.c \
	$(addprefix kernel/probe/,sweep.c distribution.c native.c) $(addprefix kernel/analysis/,cliff.c curve.c step.c) \
	kernel/report/results.c kernel/lib/text.c
UNIT_counted := $(UNIT_load_case)
UNIT_pagetable := kernel/cpu/pagetable.c kernel/lib/random.c
UNIT_journal := kernel/cpu/journal.c kernel/cpu/apic.c
UNIT_schedule := kernel/cpu/schedule.c $(UNIT_events) kernel/lib/random.c
COUNTERS := $(addprefix kernel/cpu/,counter_unit.c counter_owner.c counter_errata.c counter_plan.c \
	counter_take.c counter_test.c counters.c selector.c core_type.c journal.c)
SETTINGS := $(addprefix kernel/cpu/,setting.c settings.c prefetch.c power.c tsc_rate.c)
REGISTERS_MODEL := tests/unit/registers_model.c tests/unit/registers_machines.c
UNIT_counters := $(COUNTERS) $(SETTINGS) $(REGISTERS_MODEL)
UNIT_counter_loop := kernel/cpu/counter_test_loop.c
UNIT_settings := $(SETTINGS) kernel/cpu/core_type.c kernel/cpu/journal.c $(REGISTERS_MODEL)
UNIT_report := kernel/report/results.c kernel/report/csv.c kernel/report/json.c kernel/report/plot.c kernel/report/table.c kernel/report/summary.c \
	$(addprefix kernel/lib/,text.c random.c size.c logarithm.c) \
	$(filter-out kernel/analysis/judge.c,$(wildcard kernel/analysis/*.c))
UNIT_record := kernel/report/record.c kernel/lib/text.c
UNIT_analysis := $(wildcard kernel/analysis/*.c) kernel/report/results.c \
	$(addprefix kernel/lib/,text.c random.c size.c logarithm.c)
UNIT_counts := $(addprefix kernel/analysis/,counts.c curve.c verdict.c) kernel/report/results.c \
	kernel/lib/text.c
UNIT_hypervisor := kernel/cpu/hypervisor.c
UNIT_model := $(wildcard tests/model/*.c tests/hosted/linux_*.c) \
	$(addprefix tests/hosted/,results_dir.c read_file.c platform_linux.c) kernel/nodes.c \
	$(addprefix kernel/probe/,native.c encoder.c filler.c timing.c counting.c mlp_probe.c chain_probe.c) \
	$(addprefix kernel/cpu/,cpuid.c event.c schedule.c counter_plan.c selector.c) $(BUILD)/events.c \
	kernel/report/json.c kernel/lib/text.c kernel/lib/random.c
UNIT_model_counters := $(UNIT_model)
UNIT_chain := kernel/probe/cycle.c kernel/probe/chain_probe.c kernel/probe/timing.c kernel/probe/counting.c kernel/probe/encoder.c
UNIT_levels := $(addprefix kernel/analysis/,case_name.c levels.c plateaus.c latency.c curve.c verdict.c) \
	kernel/report/results.c kernel/lib/text.c kernel/lib/size.c kernel/lib/logarithm.c
UNIT_case_name := kernel/analysis/case_name.c
UNIT_walks := $(UNIT_case_name) $(addprefix kernel/analysis/,walks.c curve.c step.c verdict.c) \
	kernel/report/results.c kernel/lib/text.c
UNIT_structures := $(addprefix kernel/analysis/,structure_rule.c cliff.c curve.c step.c verdict.c) \
	kernel/report/results.c kernel/lib/text.c kernel/lib/random.c
UNIT_hosted := $(wildcard tests/hosted/linux_*.c) \
	$(addprefix tests/hosted/,results_dir.c read_results.c csv_reader.c read_file.c options.c platform_linux.c) \
	kernel/probe/native.c kernel/cpu/cpuid.c kernel/report/json.c kernel/lib/text.c kernel/nodes.c
UNIT_linux_nodes := $(wildcard tests/hosted/linux_*.c) \
	$(addprefix tests/hosted/,results_dir.c read_file.c platform_linux.c) \
	kernel/probe/native.c kernel/cpu/cpuid.c kernel/report/json.c kernel/lib/text.c kernel/nodes.c
UNIT_gaps := kernel/probe/gaps.c
UNIT_noise := kernel/analysis/noise_rule.c kernel/analysis/curve.c kernel/analysis/verdict.c \
	$(addprefix kernel/report/,certificate.c results.c json.c) \
	$(addprefix kernel/lib/,text.c logarithm.c)
UNIT_walk_rule := $(addprefix kernel/analysis/,walk_rule.c curve.c verdict.c) \
	$(addprefix kernel/report/,results.c csv.c) kernel/lib/text.c kernel/experiments/walk_table.c kernel/lib/size.c
UNIT_walk := $(UNIT_walk_rule) kernel/probe/walk.c
UNIT_counted_loop := $(UNIT_schedule) kernel/probe/distribution.c kernel/report/results.c kernel/lib/text.c \
	$(addprefix kernel/experiments/,counted_loop.c counted_plan.c counted_events.c measurement.c) kernel/nodes.c
UNIT_walk_experiment := $(UNIT_counted_loop) kernel/probe/walk.c kernel/probe/native.c kernel/lib/size.c \
	$(addprefix kernel/experiments/,walk.c largest_window.c) $(addprefix kernel/analysis/,walk_rule.c curve.c verdict.c)
UNIT_shuffle := kernel/probe/shuffle_loops.c kernel/probe/shuffle_pass.c kernel/probe/native.c \
	$(addprefix kernel/analysis/,shuffle_rule.c counts.c curve.c verdict.c) kernel/report/results.c \
	kernel/lib/text.c kernel/lib/size.c
UNIT_shuffle_measure := $(sort $(UNIT_shuffle) $(UNIT_counted_loop)) kernel/experiments/shuffle.c
UNIT_floor := kernel/probe/floor_probe.c kernel/probe/timing.c kernel/probe/counting.c kernel/probe/encoder.c \
	$(addprefix kernel/analysis/,floor_rule.c judge.c counts.c curve.c verdict.c) \
	$(addprefix kernel/report/,results.c table.c summary.c plot.c csv.c) kernel/lib/text.c
UNIT_json_reader := tests/hosted/json_reader.c kernel/report/json.c kernel/lib/text.c kernel/lib/random.c
UNIT_acpi := efi/acpi.c
UNIT_node_tables := efi/srat.c efi/distances.c kernel/nodes.c
UNIT_nodes := kernel/nodes.c kernel/experiments/measurement.c kernel/analysis/node_rule.c \
	$(addprefix kernel/analysis/,chain.c curve.c step.c verdict.c) \
	$(addprefix kernel/report/,node_table.c table.c plot.c csv.c summary.c) \
	kernel/report/conditions.c kernel/cpu/hypervisor.c kernel/cpu/cpuid.c kernel/report/json.c kernel/report/results.c \
	kernel/config/keys.c kernel/probe/distribution.c kernel/probe/native.c kernel/lib/text.c
UNITS := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))

.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/test_%.c $$(UNIT_$$*) $(filter %.h,$(SOURCES))
	@mkdir -p $(@D)
	@echo "unit  $*"
	@$(CC) $(UNIT_FLAGS) -I. -MF $@.d $(filter %.c,$^) -o $@ -lcmocka -lm

unit: packages-test
	@$(MAKE) --no-print-directory $(UNITS:%=$(BUILD)/unit/%)
	@failed=0; for test in $(UNITS); do \
		echo "unit: $$test"; $(BUILD)/unit/$$test || failed=1; done; exit $$failed

# The other compiler has to agree; its files go where nothing else looks.
compile-both: packages-test
	@$(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/clang $(BUILD)/clang/mlpboot.so \
		$(BUILD)/clang/watch.so $(BUILD)/clang/mlpboot-hosted

check-format: packages-test
	@clang-format --dry-run --Werror $(SOURCES)

$(BUILD)/fuzz_config: tests/fuzz/fuzz_config.c $(UNIT_config)
	@echo "fuzz  $@"
	@clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $^ -o $@

fuzz: packages-test
	@$(MAKE) --no-print-directory $(BUILD)/fuzz_config
	@mkdir -p $(BUILD)/fuzz
	$(BUILD)/fuzz_config -max_total_time=$(FUZZ_SECONDS) -max_len=70000 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz

# The application that looks at the processor before and after the image; see tests/machines/watch.
WATCH_OBJECTS := $(patsubst %.c,$(BUILD)/efi/%.o,$(wildcard tests/machines/watch/*.c) \
	kernel/lib/text.c kernel/lib/string.c)

$(BUILD)/watch.so: $(WATCH_OBJECTS) linker/mlpboot.lds
	$(link-application)

$(BUILD)/watch.efi: $(BUILD)/watch.so images/nx-compat.sh
	$(copy-application)

machines: packages-test all $(BUILD)/watch.efi
	/usr/bin/python3 -m pytest -q -n 2 tests/machines

.PHONY: check-format
test: packages-test
	@/usr/bin/python3 tests/all.py
