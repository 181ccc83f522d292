/* efi_describe: tells run.json of the firmware, the memory, and what was changed and restored. */
#include "../kernel/cpu/machine_check.h"
#include "../kernel/lib/json.h"
#include "../kernel/lib/text.h"
#include "../kernel/report/conditions.h"
#include "choices.h"
#include "efi_counting.h"
#include "firmware.h"
#include "memory.h"
#include "platform_efi.h"

static void narrow(char *to, size_t size, const CHAR16 *from)
{
    struct text text;
    text_init(&text, to, size);
    for (; from != NULL && *from != 0; from++)
        text_char(&text, *from < 0x7f ? (char)*from : '?');
}

static void describe_firmware(struct json *json, const struct platform_efi *p)
{
    char vendor[64], revision[32];
    narrow(vendor, sizeof vendor, firmware_system->FirmwareVendor);
    json_open(json, "firmware");
    json_text(json, "vendor", vendor);
    json_text(json, "revision",
              text_write(revision, sizeof revision, "%08x", firmware_system->FirmwareRevision));
    json_text(json, "uefi",
              text_write(revision, sizeof revision, "%u.%u", firmware_system->Hdr.Revision >> 16,
                         firmware_system->Hdr.Revision & 0xffff));
    json_text(json, "results", p->base.results != NULL ? p->base.results : "");
    json_close(json);
}

static void describe_memory(struct json *json, const struct platform_efi *p)
{
    json_open(json, "memory");
    json_number(json, "free_bytes", (double)p->free_bytes, 0);
    json_hex(json, "array_at", p->space.array_at); /* of the last window */
    enum memory_type type = memory_type_of_range(&p->space.types, p->space.array_at);
    json_text(json, "type", p->space.array_at != 0 ? memory_type_name(type) : "");
    json_text(json, "type_without_range", memory_type_name(p->space.types.otherwise));
    json_text(json, "type_without_range_by", p->space.types.otherwise_by);
    json_text(json, "type_refused", p->space.type_refusal);
    json_text(json, "encryption", p->encryption != NULL ? p->encryption : "");
    json_close(json);
}

/* Lists the registers that quiet_run changes while samples are taken, and whether all came back. */
static void describe_changes(struct json *json, const struct platform_efi *p)
{
    const char *difference = quiet_difference(&p->quiet);
    json_open(json, "changed_and_restored");
    json_text(json, "while_measuring",
              "TPL, RFLAGS.IF, CR3, GDTR, IDTR, TR, APIC LVT masks, "
              "counters and settings below");
    json_number(json, "journalled_registers", p->quiet.registers_changed, 0);
    json_text(json, "lfence",
              p->quiet.no_lfence_order != NULL ? p->quiet.no_lfence_order
              : p->quiet.amd_lfence_set        ? "made ordering"
                                               : "orders already");
    json_bool(json, "task_register_was_null", p->quiet.tr_was_null);
    json_number(json, "nmi", exceptions_nmi_count(), 0);
    json_text(json, "not_restored", difference != NULL ? difference : "");
    json_close(json);
}

/* Counts the errors that the hardware reported; log.txt has each in words. */
static void describe_incidents(struct json *json)
{
    struct machine_check_totals checks = machine_check_totals();
    json_open(json, "hardware_errors");
    json_number(json, "machine_check_banks", checks.banks, 0);
    json_number(json, "machine_checks_found", checks.errors[MACHINE_CHECK_FOUND], 0);
    json_number(json, "machine_checks_noticed", checks.errors[MACHINE_CHECK_NOTICED], 0);
    json_number(json, "machine_check_exceptions", checks.errors[MACHINE_CHECK_EXCEPTION], 0);
    json_close(json);
}

void platform_efi_describe(struct platform *self, struct json *json)
{
    const struct platform_efi *p = (const struct platform_efi *)self;
    json_text(json, "tsc_hz_source",
              p->base.clock_check.is_believed ? p->tsc_source
                                              : "EFI Stall, the shortest of 5 times 10 ms");
    json_number(json, "tsc_hz_by_processor", p->tsc_hz != 0 ? (double)p->tsc_hz : __builtin_nan(""),
                0);
    json_text(json, "tsc_hz_by_processor_source", p->tsc_hz != 0 ? p->tsc_source : "");
    processors_describe(&p->processors, &p->quiet, json);
    describe_firmware(json, p);
    describe_memory(json, p);
    conditions_uncore(json, &p->uncore);
    describe_changes(json, p);
    describe_incidents(json);
    choices_describe(p, json);
    counting_describe(p, json);
}
