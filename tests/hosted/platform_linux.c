/* platform_linux: the services of platform.h, given by a Linux process. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "platform_linux.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../kernel/cpu/processor.h"
#include "../../kernel/probe/native.h"
#include "../../kernel/probe/sentinel.h"
#include "linux_clock.h"
#include "linux_fault.h"
#include "linux_generators.h"
#include "linux_machine.h"
#include "linux_memory.h"
#include "linux_nodes.h"
#include "page_template.h"
#include "stop.h"

#define PAGE_BYTES 4096u
#define NODES_FOLDER "/sys/devices/system/node"

static struct linux_platform *linux_of(struct platform *self)
{
    return (struct linux_platform *)self;
}

static void print(struct platform *self, const char *text)
{
    FILE *console = linux_of(self)->console;

    if (linux_of(self)->is_quiet)
        return;
    fputs(text, console);
    fflush(console);
}

static void show_page(struct platform *self, const char *page)
{
    FILE *to = linux_of(self)->is_quiet ? stdout : linux_of(self)->console;

    fputs(page, to);
    fflush(to);
}

/* Allocates memory after a look at how much is free: Linux promises more, and kills its users. */
static void *linux_allocate(struct platform *self, uint64_t bytes)
{
    (void)self;
    if (bytes == 0 || bytes > linux_memory_free())
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(struct platform *self, void *memory, uint64_t bytes)
{
    (void)self;
    munmap(memory, bytes);
}

/* Runs the work. If it faults, the dump's first line is what the log and run.json repeat. */
static bool linux_quietly(struct platform *self, void (*work)(void *context), void *context)
{
    char dump[LINUX_FAULT_DUMP_MAX];

    if (linux_fault_guard(work, context, dump))
        return true;
    linux_stop_generators(self);
    snprintf(self->fault, sizeof(self->fault), "%.*s, during %s", (int)strcspn(dump, "\n"), dump,
             self->step != NULL ? self->step : "no step");
    if (linux_of(self)->is_quiet)
        fprintf(stderr, "fault: %s", dump);
    print(self, "\nfault: ");
    print(self, dump);
    return false;
}

/* Fails: only the machine counts SMIs, in a register that no process may read. */
static bool smi_count(struct platform *self, uint32_t *count)
{
    (void)self;
    (void)count;
    return false;
}

static bool microcode(struct platform *self, uint32_t *revision)
{
    return linux_microcode("/proc/cpuinfo", linux_of(self)->cpu, revision);
}

/* Returns a reason without the folder, which the run names itself: it must fit the last page. */
static const char *without_folder(const struct results_dir *results, const char *reason)
{
    size_t length = strlen(results->path);

    return reason != NULL && strncmp(reason, results->path, length) == 0 && reason[length] == '/'
               ? reason + length + 1
               : reason;
}

static const char *append(struct platform *self, const char *file, const char *data, size_t length)
{
    struct results_dir *results = linux_of(self)->results;

    return results != NULL
               ? without_folder(results, results_dir_append(results, file, data, length))
               : "there is no results directory";
}

static const char *replace(struct platform *self, const char *file, const char *data, size_t length)
{
    struct results_dir *results = linux_of(self)->results;

    return results != NULL
               ? without_folder(results, results_dir_replace(results, file, data, length))
               : "there is no results directory";
}

/* True if the volume lacks room; false also if its room is unknown. */
static bool lacks_room(const struct results_dir *results, size_t length)
{
    struct statvfs volume;

    return results != NULL && fstatvfs(results->handle, &volume) == 0 &&
           volume.f_bavail * (uint64_t)volume.f_frsize < length + PLATFORM_ROOM_KEPT;
}

static const char *append_copy(struct platform *self, const char *data, size_t length)
{
    return lacks_room(linux_of(self)->results, length) ? PLATFORM_NO_ROOM
                                                       : append(self, "report.html", data, length);
}

static const char *report(struct platform *self, const char *data, size_t length)
{
    struct linux_platform *linux_platform = linux_of(self);

    if (!linux_platform->has_report) {
        const char *reason = append_copy(self, page_template, page_template_bytes);
        if (reason != NULL)
            return reason;
    }
    linux_platform->has_report = true;
    return append_copy(self, data, length);
}

/* No memory is both writable and executable: two views of the same pages. */
static bool linux_map_code(struct code_area *code)
{
    int handle = memfd_create("mlpboot-code", MFD_CLOEXEC);

    if (handle < 0)
        return false;
    void *write = MAP_FAILED, *execute = MAP_FAILED;
    if (ftruncate(handle, LINUX_CODE_BYTES) == 0) {
        write = mmap(NULL, LINUX_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                     handle, 0);
        execute = mmap(NULL, LINUX_CODE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_POPULATE,
                       handle, 0);
    }
    int reason = errno;
    close(handle);
    if (write == MAP_FAILED || execute == MAP_FAILED) {
        if (write != MAP_FAILED)
            munmap(write, LINUX_CODE_BYTES);
        if (execute != MAP_FAILED)
            munmap(execute, LINUX_CODE_BYTES);
        errno = reason;
        return false;
    }
    *code = (struct code_area){.write = write, .execute = execute, .bytes = LINUX_CODE_BYTES};
    return true;
}

static const char *set_nothing(struct platform *self, enum setting_choice choice)
{
    (void)self;
    return choice == SETTING_LEAVE ? NULL : "a Linux process cannot choose";
}

/* Moves to another CPU, which changes the node that memory is near of, too. */
static const char *linux_move_to(struct linux_platform *linux_platform, uint32_t apic_id)
{
    int cpu = linux_pin_apic_id(apic_id, linux_platform->reason, sizeof(linux_platform->reason));

    if (cpu < 0)
        return linux_platform->reason;
    linux_platform->cpu = cpu;
    linux_nodes_find(NODES_FOLDER, &linux_platform->nodes);
    return NULL;
}

static bool choose_linux_cpu(struct platform *self, const struct core_choice *choice,
                             unsigned number, const char **reason)
{
    (void)number; /* `all`, the only wish for several, is refused */
    *reason = NULL;
    if (choice->wish == WISH_NUMBER)
        *reason = linux_move_to(linux_of(self), choice->number);
    else if (choice->wish != WISH_BOOT)
        *reason = "under Linux it is boot, which is the CPU that --cpu names, or an APIC id";
    self->core = processor_apic_id();
    return *reason == NULL;
}

static const struct platform services = {
    .name = "linux",
    .clock = "Linux",
    .no_counters = "a Linux process cannot program them",
    .clock_check = {.reason = "Linux tells no clock but the one that gave the rate"},
    .other_processors = "as Linux schedules them",
    .siblings = "as Linux schedules them; a Linux process cannot put them to sleep",
    .prefetch = "as Linux left it",
    .turbo = "as Linux left it",
    .now = linux_now,
    .print = print,
    .show_page = show_page,
    .is_stopped = stop_is_wished,
    .allocate = linux_allocate,
    .release = release,
    .map_window = linux_map_window,
    .unmap_window = linux_unmap_window,
    .quietly = linux_quietly,
    .choose_core = choose_linux_cpu,
    .start_generators = linux_start_generators,
    .stop_generators = linux_stop_generators,
    .set_prefetch = set_nothing,
    .set_turbo = set_nothing,
    .interrupts_remain = "a Linux process cannot turn interrupts off",
    .openly = linux_quietly,
    .evict = native_evict,
    .touch_pages = native_touch_pages,
    .crowd_tlb = native_crowd_tlb,
    .forget_pages = NULL, /* INVLPG is for the kernel alone */
    .publish_code = native_publish_code,
    .run_code = native_run_code,
    .sentinel_side_by_side = sentinel_side_by_side,
    .sentinel_chain = sentinel_chain,
    .order_generators = linux_order_generators,
    .generated = linux_generated,
    .smi_count = smi_count,
    .microcode = microcode,
    .append = append,
    .replace = replace,
    .report = report,
    .selftest = NULL, /* each window is checked as it is mapped */
    .describe = linux_describe,
};

/* Grows the stack to what the image has (kernel/cpu/entry.S: rules keep curves on it) before it is
 * locked: Linux kills a process whose locked stack grows past the limit of locked memory. */
static void grow_stack(void)
{
    volatile uint8_t deep[1 << 20];
    for (size_t i = 0; i < sizeof deep; i += 4096)
        deep[i] = 0;
}

const char *linux_platform_open(struct linux_platform *linux_platform, int cpu,
                                struct results_dir *results)
{
    static uint64_t ticks_per_second; /* stays the same; measured once */

    *linux_platform =
        (struct linux_platform){.platform = services, .results = results, .console = stdout};
    linux_platform->platform.results = results != NULL ? results->path : NULL;
    linux_platform->platform.folder = results != NULL ? results->name : NULL;
    linux_platform->platform.has_no_cursor = isatty(STDOUT_FILENO) != 1;
    linux_platform->cpu = cpu;
    if (cpu != LINUX_UNPINNED)
        linux_platform->cpu =
            linux_pin(cpu, linux_platform->reason, sizeof(linux_platform->reason));
    if (linux_platform->cpu < 0 && cpu != LINUX_UNPINNED)
        return linux_platform->reason;
    linux_nodes_find(NODES_FOLDER, &linux_platform->nodes);
    linux_platform->platform.nodes = &linux_platform->nodes;
    linux_machine_find("/sys", &linux_platform->machine);
    linux_boot("/proc/sys/kernel/random/boot_id", linux_platform->machine.boot);
    linux_platform->platform.machine = &linux_platform->machine;
    struct processor processor;
    processor_identify(&processor);
    if (processor.clflushopt)
        linux_platform->platform.evict = native_evict_side_by_side;
    if (!linux_map_code(&linux_platform->platform.code)) {
        snprintf(linux_platform->reason, sizeof(linux_platform->reason),
                 "no memory that can hold code: %s", strerror(errno));
        return linux_platform->reason;
    }
    grow_stack();
    /* Memory mapped later is not locked: past its limit, Linux would refuse the mapping. */
    linux_platform->is_locked = mlockall(MCL_CURRENT) == 0;
    if (ticks_per_second == 0)
        ticks_per_second = linux_ticks_per_second();
    linux_platform->platform.ticks_per_second = ticks_per_second;
    return NULL;
}

void linux_platform_close(struct linux_platform *linux_platform)
{
    struct code_area *code = &linux_platform->platform.code;

    linux_stop_generators(&linux_platform->platform);
    for (unsigned i = 0; i < linux_platform->windows; i++)
        munmap(linux_platform->reservation[i].start, linux_platform->reservation[i].bytes);
    munlockall();
    munmap(code->write, code->bytes);
    munmap((void *)(uintptr_t)code->execute, code->bytes);
    *linux_platform = (struct linux_platform){.cpu = -1};
}
