/* platform_efi: implements each service by the firmware, the processor and our own tables. */
#include "platform_efi.h"

#include "../kernel/cpu/frequency.h"
#include "../kernel/cpu/machine_check.h"
#include "../kernel/cpu/msr.h"
#include "../kernel/cpu/processor.h"
#include "../kernel/cpu/quiet.h"
#include "../kernel/cpu/registers.h"
#include "../kernel/experiments/experiment.h"
#include "../kernel/lib/string.h"
#include "../kernel/lib/text.h"
#include "../kernel/probe/native.h"
#include "../kernel/probe/sentinel.h"
#include "choices.h"
#include "console.h"
#include "cores.h"
#include "efi_counting.h"
#include "efi_generators.h"
#include "efi_machine.h"
#include "efi_nodes.h"
#include "fault_report.h"
#include "firmware.h"
#include "memory.h"
#include "pm_timer.h"
#include "report.h"
#include "storage/volume.h"
#include "watchdog.h"

#define CORRUPT "a machine check left the processor in an unknown state"
#define CALIBRATIONS 5
#define CALIBRATION_MILLISECONDS 10
#define SETTLES_A_SECOND 200 /* a core takes less than 5 ms to take another clock */

static struct platform_efi *own(struct platform *self)
{
    return (struct platform_efi *)self;
}

static void print(struct platform *self, const char *text)
{
    (void)self;
    console_print(text);
}

static void record(struct platform *self, const char *text)
{
    (void)self;
    console_record(text);
}

static void *efi_allocate(struct platform *self, uint64_t bytes)
{
    (void)self;
    watchdog_feed();
    uint64_t address = memory_allocate(bytes);
    if (address != 0)
        memset((void *)address, 0, bytes);
    return (void *)address;
}

static void release(struct platform *self, void *memory, uint64_t bytes)
{
    (void)self;
    memory_free((uint64_t)memory, bytes);
}

static const char *efi_map_window(struct platform *self, const struct window_request *request,
                                  struct window *window)
{
    struct platform_efi *p = own(self);
    watchdog_feed();
    nodes_choose(p, request->node);
    const char *reason = address_space_map(&p->space, request, window);
    if (reason != NULL)
        return reason;
    reason = nodes_prove(p, request->node, window);
    if (reason != NULL)
        address_space_unmap(&p->space, window);
    return reason;
}

static void unmap_window(struct platform *self, struct window *window)
{
    address_space_unmap(&own(self)->space, window);
}

struct guarded {
    void (*work)(void *context);
    void *context;
    struct platform_efi *platform;
    enum machine_check_end noticed;
};

/* Does the work, and looks while our IDT is loaded: at the uncore while it still has the work's
 * clock, and for errors that raise no exception. */
static void work_and_look(void *context)
{
    struct guarded *guarded = context;
    struct platform_efi *p = guarded->platform;
    guarded->work(guarded->context);
    if (experiment_find(p->base.step) != NULL)
        uncore_look(&p->uncore, &p->processor, p->base.step);
    pmu_end_smis(&p->pmu);
    guarded->noticed = machine_check_look();
}

static bool efi_quietly(struct platform *self, void (*work)(void *context), void *context)
{
    static struct guarded guarded; /* another processor that comes back too late writes to it */
    struct platform_efi *p = own(self);
    struct text fault;
    text_init(&fault, self->fault, sizeof self->fault);
    if (p->ended_by[0] != '\0') { /* an earlier caller may have ignored it */
        text_printf(&fault, "%s", p->ended_by);
        generators_stop(self);
        return false;
    }
    guarded = (struct guarded){work, context, p, MACHINE_CHECK_GO_ON};
    p->quiet.cr3 = address_space_root(&p->space);
    p->quiet.no_execute = p->space.no_execute != 0;
    enum quiet_result result = QUIET_REFUSED;
    const char *reason = processors_gather(&p->processors);
    self->siblings_sleep = reason == NULL && p->processors.siblings_sleep;
    if (reason == NULL) {
        watchdog_rest();
        reason = processors_run(&p->processors, &p->quiet, work_and_look, &guarded, &result);
        if (reason == NULL && result == QUIET_DONE)
            reason = processors_await(
                &p->processors); /* waits for the generators that the work gave orders to */
        watchdog_feed();         /* only now: a pending tick brings the whole time of the work */
    }

    const char *difference = quiet_difference(&p->quiet);
    if (reason != NULL) {
        text_printf(&fault, "%s", reason);
    } else if (result == QUIET_REFUSED) {
        text_printf(&fault, "the firmware's GDT is too large to copy what it uses");
    } else if (result == QUIET_FAULT) {
        fault_report_print(&p->quiet.fault, self->step);
        fault_report_line(&p->quiet.fault, self->step, self->fault, sizeof self->fault);
    } else if (guarded.noticed != MACHINE_CHECK_GO_ON) {
        text_printf(&fault, "machine check, without its exception, during %s", self->step);
        console_printf("\nFAULT: %s\n", self->fault);
    } else if (difference != NULL) {
        text_printf(&fault, "%s was not restored during %s", difference, self->step);
        if (p->quiet.journal_failed != 0)
            text_printf(&fault, ": 0x%lx", p->quiet.failed_where);
    }
    bool has_faulted = result == QUIET_FAULT, is_checked = guarded.noticed != MACHINE_CHECK_GO_ON;
    if ((has_faulted && p->quiet.fault.corrupt) || guarded.noticed == MACHINE_CHECK_CORRUPT) {
        volume_give_up_all(CORRUPT);
        places_give_up(p->places, CORRUPT);
    }
    if (is_checked || (has_faulted && p->quiet.fault.frame.vector == VECTOR_MACHINE_CHECK) ||
        (reason != NULL && memory_is_kept()))
        text_write(p->ended_by, sizeof p->ended_by, "%s", self->fault);
    bool is_whole = reason == NULL && result == QUIET_DONE && difference == NULL && !is_checked;
    if (!is_whole)
        generators_stop(self);
    return is_whole;
}

/* Runs work as firmware runs every application: interrupts on, without our tables and handlers. */
static bool openly(struct platform *self, void (*work)(void *context), void *context)
{
    (void)self;
    watchdog_rest(); /* the work calls no firmware, and takes as long as it likes */
    work(context);
    watchdog_feed();
    return true;
}

static void forget_pages(struct platform *self, uint8_t *base, const int32_t *displacement,
                         unsigned count)
{
    (void)self;
    for (unsigned i = 0; i < count; i++)
        invlpg(base + displacement[i]);
}

/* Evicts page-table lines: our tables are identity mapped, so an entry's address is its line's. */
static void evict_translations(struct platform *self, uint8_t *base, const int32_t *displacement,
                               unsigned count)
{
    const struct page_tables *tables = &own(self)->space.tables;
    enum page_size page;
    for (unsigned i = 0; i < count; i++)
        clflush(pagetable_entry(tables, (uint64_t)(base + displacement[i]), &page));
    mfence();
    native_fence();
}

static bool smi_count(struct platform *self, uint32_t *count)
{
    uint64_t value;
    struct platform_efi *p = own(self);
    if (p->counts_smis ? !msr_read(MSR_SMI_COUNT, &value) : !pmu_smis(&p->pmu, &value))
        return false;
    *count = (uint32_t)value;
    return true;
}

static bool microcode(struct platform *self, uint32_t *revision)
{
    return microcode_revision(&own(self)->processor, revision);
}

/* Returns the reason, and notes where files go now, which may have changed. */
static const char *told(struct platform *self, const char *reason)
{
    const struct place *place = places_now(own(self)->places);
    self->results = place != NULL ? place->name : NULL;
    return reason;
}

static const char *append(struct platform *self, const char *file, const char *data, size_t length)
{
    watchdog_feed();
    return told(self, places_append(own(self)->places, file, data, length));
}

static const char *replace(struct platform *self, const char *file, const char *data, size_t length)
{
    watchdog_feed();
    return told(self, places_replace(own(self)->places, file, data, length));
}

static const char *end_files(struct platform *self)
{
    struct places *places = own(self)->places;
    watchdog_feed();
    return told(self, places_end(places) != NULL ? NULL : places->reason);
}

static bool held(struct platform *self, const char *file, const char **data, size_t *length)
{
    const struct place_file *kept = kept_find(&own(self)->places->kept, file);
    if (kept == NULL || kept->length == 0)
        return false;
    *data = kept->data;
    *length = kept->length;
    return true;
}

/*
 * Returns the shortest of several waits of the firmware, which uses a clock of its own: a wait may
 * be longer than asked, never shorter. At high TPL, no event of the firmware interrupts it.
 */
static uint64_t measure_ticks_per_second(void)
{
    uint64_t least = UINT64_MAX;
    /* At high TPL, the watchdog could not end a first call that hangs. */
    firmware_pause(1);
    for (unsigned i = 0; i < CALIBRATIONS; i++) {
        EFI_TPL level = firmware_boot->RaiseTPL(TPL_HIGH_LEVEL);
        uint64_t start = native_ticks();
        firmware_pause(CALIBRATION_MILLISECONDS);
        uint64_t ticks = native_ticks() - start;
        firmware_boot->RestoreTPL(level);
        if (ticks < least)
            least = ticks;
    }
    return least * (1000 / CALIBRATION_MILLISECONDS);
}

static const char *incident(struct platform *self)
{
    static char words[256];
    struct machine_check_error error;
    if (machine_check_next(&error))
        return machine_check_words(&error, words, sizeof words);
    uint32_t nmis = exceptions_nmi_count() - own(self)->nmis_told;
    own(self)->nmis_told += nmis;
    return nmis == 0 ? NULL
                     : text_write(words, sizeof words,
                                  "non-maskable interrupts: %u during %s; the run went on", nmis,
                                  self->step);
}

void platform_efi_look(void *context)
{
    struct platform_efi *p = context;
    uint64_t value;
    machine_check_begin();
    p->counts_smis = p->processor.vendor == VENDOR_INTEL && msr_read(MSR_SMI_COUNT, &value);
    p->encryption = memory_encryption(&p->processor);
    p->space.types_unknown = memory_types_read(&p->space.types, &p->processor, cr0_read());
}

void platform_efi_init(struct platform_efi *p, struct places *places)
{
    *p = (struct platform_efi){
        .places = places,
        .base =
            {
                .name = "efi",
                .step = "start",
                .nodes = &p->nodes,
                .clock = "EFI GetTime",
                .other_processors = p->processors.summary,
                .choose_core = cores_choose,
                .release_processors = cores_release,
                .start_generators = generators_start,
                .stop_generators = generators_stop,
                .prefetch = "as found",
                .turbo = "as found",
                .prints_log = console_is_recorded(),
                .record = console_is_recorded() ? record : NULL,
                .now = machine_now,
                .print = print,
                .show_page = print,
                .allocate = efi_allocate,
                .release = release,
                .map_window = efi_map_window,
                .unmap_window = unmap_window,
                .quietly = efi_quietly,
                .set_prefetch = choices_set_prefetch,
                .set_turbo = choices_set_turbo,
                .openly = openly,
                .evict = native_evict,
                .touch_pages = native_touch_pages,
                .crowd_tlb = native_crowd_tlb,
                .forget_pages = forget_pages,
                .evict_translations = evict_translations,
                .publish_code = native_publish_code,
                .run_code = native_run_code,
                .sentinel_side_by_side = sentinel_side_by_side,
                .sentinel_chain = sentinel_chain,
                .order_generators = generators_order,
                .generated = generators_done,
                .smi_count = smi_count,
                .microcode = microcode,
                .append = append,
                .replace = replace,
                .held = held,
                .end_files = end_files,
                .report = report_add,
                .incident = incident,
                .selftest = platform_efi_selftest,
                .describe = platform_efi_describe,
            },
    };
}

/* Two clocks that agree are right against the firmware's wait. */
static void believe_clock(struct platform_efi *p)
{
    struct clock_check *check = &p->base.clock_check;
    uint64_t rate = tsc_rate_believed(p->base.ticks_per_second, p->tsc_hz, check->ticks_per_second);
    check->is_believed = rate != p->base.ticks_per_second;
    p->base.ticks_per_second = p->processors.ticks_per_second = rate;
    firmware_know_rate(rate);
}

const char *platform_efi_open(struct platform_efi *p)
{
    if (memory_is_kept())
        return "a processor did not come back from an earlier run";
    p->free_bytes = memory_free_within(&memory_everywhere, 1);
    processor_identify(&p->processor);
    p->quiet.processor = &p->processor;
    p->quiet.switches = &p->switches;
    if (p->processor.clflushopt)
        p->base.evict = native_evict_side_by_side;
    struct pm_timer_span span;
    pm_timer_start(&span);
    p->base.ticks_per_second = measure_ticks_per_second();
    if (p->base.ticks_per_second == 0)
        return "the time-stamp counter does not move";
    p->switches.settle_ticks = p->base.ticks_per_second / SETTLES_A_SECOND;
    const char *obstacle = takeover_obstacle(cr4_read());
    if (obstacle != NULL)
        return obstacle;
    pm_timer_end(&span, p->base.ticks_per_second, &p->base.clock_check);
    processors_open(&p->processors, &p->processor, p->base.ticks_per_second);
    nodes_find(p);
    const char *reason = address_space_open(&p->space, &p->processor, &p->base.code);
    if (reason == NULL && !p->base.quietly(&p->base, platform_efi_look, p))
        reason = p->base.fault;
    if (reason == NULL)
        counting_open(p);
    believe_clock(p);
    p->base.no_lfence_order =
        p->quiet.no_lfence_order; /* known since counting_open ran the quiet section */
    return reason;
}

void platform_efi_close(struct platform_efi *p)
{
    generators_stop(&p->base);
    processors_close(&p->processors);
    address_space_close(&p->space);
}
