/* processors: EFI_MP_SERVICES_PROTOCOL as far as it is used (PI specification 1.8, 2, 13.4). */
#include "processors.h"

#include "firmware.h"
#include "hang.h"
#include "state.h"
#include "vices.h"

#define NAME_MAX 16
#define SECOND 1000000 /* microseconds */

struct information {
    UINT64 apic_id;
    UINT32 flags;
    UINT32 place[16];
};

struct services {
    EFI_STATUS(EFIAPI *count)(struct services *self, UINTN *processors, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)(struct services *self, UINTN number, struct information *to);
    void *start_all;
    EFI_STATUS(EFIAPI *start)
    (struct services *self, void(EFIAPI *procedure)(void *), UINTN number, EFI_EVENT event,
     UINTN microseconds, void *argument, BOOLEAN *finished);
};

struct look {
    const struct list *list;
    const char *moment, *name;
    struct text *text;
};

/* On the other processor: no call of the firmware's. */
static void EFIAPI tell(void *argument)
{
    const struct look *look = argument;
    state_tell(look->list, look->moment, look->name, look->text);
}

static void tell_one(struct services *services, UINTN number, struct look *look)
{
    char name[NAME_MAX];
    struct information information;
    BOOLEAN finished;
    EFI_STATUS status = services->information(services, number, &information);
    if (EFI_ERROR(status))
        firmware_give_up("a processor is not described", status);
    if (information.flags & 1) /* ours */
        return;
    look->name = text_write(name, sizeof name, "cpu%lu-", (unsigned long)information.apic_id);
    text_printf(look->text, "%s %sflags %x\n", look->moment, name, information.flags);
    status = services->start(services, tell, number, NULL, SECOND, look, &finished);
    if (EFI_ERROR(status))
        firmware_give_up("a processor does not start", status);
}

static struct services *find(void)
{
    static EFI_GUID guid = {
        0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};
    void *services;
    EFI_STATUS status = firmware_system->BootServices->LocateProtocol(&guid, NULL, &services);
    return EFI_ERROR(status) ? NULL : services;
}

void processors_tell(const struct list *list, const char *moment, struct text *text)
{
    struct look look = {list, moment, "", text};
    struct services *services = find();
    UINTN count = 0, enabled = 0;
    if (services == NULL || EFI_ERROR(services->count(services, &count, &enabled)))
        return;
    for (UINTN i = 0; i < count; i++)
        tell_one(services, i, &look);
}

/* --- vices ----------------------------------------------------------------------------------- */

static struct services sound; /* as the firmware has them */
static enum { HANGS, TIMES_OUT, WAITS, IS_UNCACHED } start_vice;
static UINTN first_to_start, first_unknown;

#define MSR_PAT 0x277
#define PAT_FIRST 0xffull /* the type of entry 0; 0: uncacheable */

/* The work of a processor, which no other is given before it is done. */
static struct {
    void(EFIAPI *procedure)(void *);
    void *argument;
} uncached;

/* On the other processor: no call of the firmware's. */
static void EFIAPI work_uncached(void *unused)
{
    (void)unused;
    uint64_t pat = state_msr(MSR_PAT);
    state_set_msr(MSR_PAT, pat & ~PAT_FIRST);
    uncached.procedure(uncached.argument);
    state_set_msr(MSR_PAT, pat);
}

static EFI_STATUS EFIAPI start_badly(struct services *self, void(EFIAPI *procedure)(void *),
                                     UINTN number, EFI_EVENT event, UINTN microseconds,
                                     void *argument, BOOLEAN *finished)
{
    bool is_bad = vices_are_on() && number >= first_to_start;
    if (is_bad && start_vice == HANGS)
        hang_now();
    if (is_bad && start_vice == TIMES_OUT)
        return event != NULL ? EFI_SUCCESS : EFI_TIMEOUT;
    if (is_bad && start_vice == WAITS && event != NULL)
        return EFI_UNSUPPORTED;
    if (is_bad && start_vice == IS_UNCACHED) {
        uncached.procedure = procedure;
        uncached.argument = argument;
        procedure = work_uncached;
    }
    return sound.start(self, procedure, number, event, microseconds, argument, finished);
}

static EFI_STATUS EFIAPI describe_badly(struct services *self, UINTN number, struct information *to)
{
    if (vices_are_on() && number >= first_unknown)
        return EFI_DEVICE_ERROR;
    return sound.information(self, number, to);
}

static struct services *spoil(void)
{
    struct services *services = find();
    if (services == NULL)
        firmware_give_up("there are no MP services", 0);
    if (sound.start == NULL)
        sound = *services;
    return services;
}

static void spoil_start(int vice, uint64_t from)
{
    spoil()->start = start_badly;
    start_vice = vice;
    first_to_start = from;
}

void processors_start_hangs(uint64_t from)
{
    spoil_start(HANGS, from);
}

void processors_start_times_out(uint64_t from)
{
    spoil_start(TIMES_OUT, from);
}

void processors_start_waits(uint64_t from)
{
    spoil_start(WAITS, from);
}

void processors_are_uncached(uint64_t from)
{
    spoil_start(IS_UNCACHED, from);
}

void processors_information_fails(uint64_t from)
{
    spoil()->information = describe_badly;
    first_unknown = from;
}
