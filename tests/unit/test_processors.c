/* test_processors: processors that answer late or never, by the MP services of a firmware. */
#include "../../kernel/cpu/registers.h"

static void interrupts_go_off(void);
#define interrupts_disable() interrupts_go_off() /* which no process may */
#define cr3_read() UINT64_C(0)
#include "../../efi/processors.c"

#include "fake_firmware.h"
#include "kit.h"

#define PROCESSORS 4 /* of two threads a core: 0, the boot processor, and 1; 2 and 3 */
#define NEVER UINT64_MAX

/* Tells how another processor behaves, whose time is that of our own looks at the clock. */
static struct behaviour {
    EFI_STATUS kept, called; /* answers to a start without and with waiting */
    bool never_arrives, never_returns, has_mperf;
    unsigned silent;      /* looks that nobody answers */
    uint64_t done_at;     /* when its work ends */
    uint64_t awake_until; /* processor 2; all others sleep from the start */
} others;

static struct station *stations[PROCESSORS];
static uint64_t now;
static EFI_TPL level;
static bool are_interrupts_off, can_rest, memory_kept;
static unsigned pauses, starts, frees, sleeps;
static UINTN last_limit;
static struct processors p;

EFI_BOOT_SERVICES *firmware_boot;

uint64_t native_ticks(void)
{
    now++;
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (stations[i] != NULL && stations[i]->order == ORDER_WORK && now >= others.done_at)
            work_quietly(stations[i]);
    return now;
}

static void interrupts_go_off(void)
{
    are_interrupts_off = true;
}

bool rest_is_possible(void)
{
    return can_rest;
}

/* Ends with an interrupt, which must be let in, or with the other processor's store. */
void rest_once(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks)
{
    assert_int_equal(level, TPL_NOTIFY);
    assert_false(are_interrupts_off);
    assert_true(word != NULL && value == 0);
    *asleep_ticks += 1;
    sleeps++;
}

void rest_while(const volatile uint32_t *word, uint32_t value, uint64_t *asleep_ticks)
{
    assert_int_equal(*word, value);
    *asleep_ticks += 7;
}

__attribute__((ms_abi)) void crossing_enter(void *crossing)
{
    (void)crossing;
}

struct descriptor_pointer descriptors_join(void)
{
    return (struct descriptor_pointer){0, 0}; /* no processor runs this */
}

enum quiet_result quiet_run(struct quiet *quiet, void (*work)(void *context), void *context)
{
    (void)quiet, (void)work, (void)context;
    return QUIET_DONE; /* no processor runs any of this */
}

void firmware_pause(unsigned milliseconds)
{
    pauses += milliseconds;
}

const char *firmware_status(EFI_STATUS status)
{
    return status == EFI_UNSUPPORTED ? "the firmware does not support it" : "it fails";
}

uint64_t memory_allocate(uint64_t bytes)
{
    return (uint64_t)aligned_alloc(4096, (bytes + 4095) & ~4095ul);
}

void memory_free(uint64_t address, uint64_t bytes)
{
    (void)bytes;
    frees++;
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (stations[i] == (void *)address)
            stations[i] = NULL;
    free((void *)address);
}

void memory_keep(void)
{
    memory_kept = true;
}

/* --- the firmware ---------------------------------------------------------------------------- */

static EFI_STATUS EFIAPI count(struct mp_services *self, UINTN *processors, UINTN *enabled)
{
    (void)self;
    *processors = *enabled = PROCESSORS;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI information(struct mp_services *self, UINTN number, void *buffer)
{
    (void)self;
    struct processor_information *to = buffer;
    to->apic_id = number;
    to->flags = FLAG_ENABLED | FLAG_HEALTHY | (number == 0 ? FLAG_BOOT : 0);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start_processor(struct mp_services *self, void *procedure, UINTN number,
                                         EFI_EVENT event, UINTN microseconds, void *argument,
                                         BOOLEAN *finished)
{
    struct station *s = argument;
    assert_true(number > 0 && number < PROCESSORS && procedure == (void *)crossing_enter);
    assert_true((event == NULL) == (finished != NULL) && self == p.services);
    starts++;
    last_limit = microseconds;
    if (s->crossing.work == look_around && others.silent > 0) {
        others.silent--;
        free(s); /* which it would keep */
        return EFI_TIMEOUT;
    }
    if (s->crossing.work == look_around) {
        look_around(s);
        s->topology = (struct topology){(uint32_t)number, 1, "a test"};
        now++;
        uint64_t awake = now < others.awake_until ? now : others.awake_until;
        s->clock = (struct awake_clock){others.has_mperf, number == 2 ? awake : 0, now};
        return EFI_SUCCESS;
    }
    EFI_STATUS status = event != NULL ? others.kept : others.called;
    s->is_here = !EFI_ERROR(status) && !others.never_arrives;
    if (!EFI_ERROR(status) && s->is_here)
        stations[number] = s;
    return status;
}

static struct mp_services mp_services = {
    .count = count, .information = information, .start = start_processor};

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    assert_ptr_equal(event, FAKE_EVENT);
    return others.never_returns ? EFI_NOT_READY : EFI_SUCCESS;
}

static EFI_TPL EFIAPI raise_tpl(EFI_TPL to)
{
    EFI_TPL before = level;
    assert_compare(to, >=, level);
    level = to;
    return before;
}

static void EFIAPI restore_tpl(EFI_TPL to)
{
    level = to;
    are_interrupts_off = false;
}

/* --- tests ----------------------------------------------------------------------------------- */

static const struct processor identity;

static void open_on(unsigned measuring)
{
    processors_open(&p, &identity, 1);
    p.boot->topology = (struct topology){0, 1, "a test"};
    p.halts_siblings = true;
    for (unsigned i = 0; i < PROCESSORS; i++)
        p.all[i].topology.thread_bits = 1;
    p.measuring = &p.all[measuring];
}

SETUP(start_anew)
{
    fake_firmware_start();
    fake.boot.CheckEvent = check_event;
    fake.boot.RaiseTPL = raise_tpl;
    fake.boot.RestoreTPL = restore_tpl;
    fake.event_level = TPL_CALLBACK;
    fake_firmware_offer(mp_services_guid, &mp_services);
    memset(stations, 0, sizeof stations);
    others = (struct behaviour){.done_at = 0};
    level = TPL_APPLICATION;
    can_rest = true;
    are_interrupts_off = memory_kept = false;
    pauses = starts = frees = sleeps = 0;
}

/* Returns what processors_run does. */
static const char *run(void)
{
    struct quiet quiet = {.apic_id = p.measuring->topology.apic_id};
    enum quiet_result result = QUIET_REFUSED;
    assert_null(processors_gather(&p));
    const char *reason = processors_run(&p, &quiet, NULL, NULL, &result);
    assert_int_equal(level, TPL_APPLICATION);
    assert_true(!are_interrupts_off && (reason != NULL || result == QUIET_DONE));
    return reason;
}

/* Gives back what a lost processor keeps. */
static void free_kept(struct station *s)
{
    assert_true(memory_kept);
    free(s);
}

TEST(work_that_ends)
{
    for (unsigned measuring = 1; measuring < 3; measuring++) {
        open_on(measuring);
        others.done_at = now + 50;
        assert_null(run());
        assert_int_equal(sleeps > 0, measuring == 1); /* our sibling */
        processors_close(&p);
        assert_false(memory_kept);
        assert_int_equal(fake.open_events, 0);
        sleeps = 0;
    }
}

static void assert_lost(const char *what)
{
    char words[200];
    snprintf(words, sizeof words, "\nThe processor with APIC id %u %s. It may still use memory",
             p.measuring->topology.apic_id, what);
    assert_true(memory_kept);
    assert_contains(fake.printed, words);
    assert_string_equal(p.measuring->why_not, what);
}

/* Only a clock that tells when a processor is awake is worth a second look, and the wait for it. */
TEST(looks)
{
    static const struct {
        unsigned measuring;
        bool all, has_mperf;
        unsigned starts, pauses;
    } cases[] = {{0, false, false, 1, 0},
                 {0, false, true, 2, APART_MILLISECONDS},
                 {2, false, true, 4, APART_MILLISECONDS},
                 {2, true, false, 3, 0},
                 {0, true, false, 3, 0},
                 {0, true, true, 6, APART_MILLISECONDS}};
    for (EACH(c, cases)) {
        start_anew();
        others.has_mperf = c->has_mperf;
        open_on(c->measuring);
        processors_meet(&p, c->all);
        assert_numbers((starts, pauses), (c->starts, c->pauses));
        processors_look(&p);
        assert_int_equal(starts, c->has_mperf ? c->starts * 3 / 2 : c->starts);
        assert_int_equal(pauses, c->pauses);
        processors_close(&p);
    }
    start_anew();
    open_on(0);
    p.count = 1; /* nobody else */
    processors_meet(&p, true);
    assert_int_equal(starts + pauses, 0);
    processors_close(&p);
}

/* A processor that does not answer costs only itself; the third one ends the looks. */
TEST(after_three_that_do_not_answer_no_other_is_asked)
{
    for (unsigned silent = 0; silent < PROCESSORS; silent++) {
        start_anew();
        others.silent = silent;
        open_on(0);
        processors_meet(&p, true);
        unsigned asked = 0;
        for (unsigned i = 1; i < PROCESSORS; i++)
            asked += p.all[i].looks > 0;
        assert_int_equal(asked, PROCESSORS - 1 - silent);
        assert_string_equal(why_not_tried(&p) ?: "",
                            silent == 3 ? "is left alone, since others did not answer" : "");
        processors_close(&p);
    }
}

/* Each of the others has an object of its own. */
TEST(others_are_described)
{
    static char memory[8192];
    const struct quiet quiet = {.apic_id = 0};
    struct text text;
    struct json json;
    open_on(0);
    processors_meet(&p, true);
    text_init(&text, memory, sizeof memory);
    json_begin(&json, &text);
    processors_describe(&p, &quiet, &json);
    json_end(&json);
    unsigned objects = 0;
    for (const char *at = memory; (at = strstr(at, "\"apic_")) != NULL; at++)
        objects += at[6] >= '0' && at[6] <= '9'; /* not "apic_id_..." */
    assert_int_equal(objects, PROCESSORS - 1);
    assert_non_null(strstr(memory, "\"apic_3\": {"));
    processors_close(&p);
}

/* The summary counts those whose clock tells it, after the first two looks and after each other. */
TEST(who_sleeps_is_summarized)
{
    others.has_mperf = true;
    others.awake_until = NEVER;
    open_on(0);
    processors_meet(&p, true);
    assert_string_equal(p.summary, "3 of 4 by the firmware's MP services: 2 asleep by MPERF, "
                                   "1 running, 0 of which that is not known");
    others.awake_until = p.all[2].clock.ticks;
    processors_look(&p);
    assert_compare(p.all[2].before, >, AWAKE);
    assert_compare(p.all[2].during, <=, AWAKE);
    assert_contains(p.summary, ": 3 asleep by MPERF, 0 running");
    processors_close(&p);
    others.has_mperf = false;
    open_on(0);
    processors_meet(&p, true);
    assert_contains(p.summary, ": 0 asleep by MPERF, 0 running, 3 of which that is not");
    processors_close(&p);
}

TEST(work_of_another_processor_than_asked_is_refused)
{
    struct quiet quiet = {.apic_id = 3};
    enum quiet_result result = QUIET_REFUSED;
    open_on(2);
    assert_null(processors_gather(&p));
    assert_string_equal(processors_run(&p, &quiet, NULL, NULL, &result),
                        "the processor with APIC id 2: was to measure, and another one did");
    assert_false(memory_kept);
    processors_close(&p);
}

/* Asleep beside it or polling, we wait for two minutes, and for its return no more. */
TEST(work_that_never_ends)
{
    for (unsigned measuring = 1; measuring < 4; measuring++) {
        start_anew();
        can_rest = measuring < 3;
        open_on(measuring);
        others.done_at = NEVER;
        uint64_t before = now;
        const char *reason = run();
        assert_within(now - before, 120, 139);
        assert_lost("did not come back from its work");
        assert_contains(reason, "did not come back from its work");
        assert_int_equal(sleeps > 0, measuring == 1);
        assert_non_null(processors_gather(&p));
        struct station *s = p.measuring->station;
        pauses = frees = 0;
        processors_release(&p);
        assert_compare(pauses, <=, 1);
        assert_int_equal(s->order, ORDER_LEAVE);
        assert_null(p.measuring->station);
        assert_int_equal(frees, measuring == 2); /* the sibling's, which slept */
        assert_string_equal(p.measuring->why_not, "did not come back from its work");
        processors_close(&p);
        free_kept(s);
    }
}

/* A firmware that starts only who is waited for has the same limit. */
TEST(called_work_that_never_ends)
{
    others.kept = EFI_UNSUPPORTED;
    others.called = EFI_TIMEOUT;
    open_on(2);
    assert_non_null(run());
    assert_int_equal(last_limit, 120000000);
    assert_lost("did not come back from its work");
    processors_close(&p);
    others.called = EFI_DEVICE_ERROR;
    memory_kept = false;
    open_on(2);
    assert_string_equal(run(), "the processor with APIC id 2: it fails");
    assert_false(memory_kept);
    processors_close(&p);
}

TEST(a_processor_that_never_arrives_keeps_its_stack)
{
    others.never_arrives = true;
    open_on(2);
    assert_string_equal(processors_gather(&p), "the processor with APIC id 2: does not start");
    struct station *s = p.measuring->station, *sibling = p.all[3].station;
    assert_null(sibling);
    assert_int_equal(pauses, START_MILLISECONDS);
    processors_release(&p);
    assert_numbers((pauses, frees), (START_MILLISECONDS, 0));
    assert_string_equal(p.measuring->why_not, "does not start");
    free(s);
    processors_close(&p);
}

TEST(a_processor_that_does_not_go_back)
{
    open_on(2);
    assert_null(run());
    others.never_returns = true;
    struct station *s = p.measuring->station, *sibling = p.all[3].station;
    processors_release(&p);
    assert_lost("did not come back");
    assert_non_null(p.all[3].why_not);
    assert_int_equal(frees, 0);
    free_kept(s);
    free_kept(sibling);
    processors_close(&p);
}

/* A generator's work and sleep are added to its processor's once. */
TEST(a_generator_that_stops)
{
    open_on(0);
    assert_null(processors_employ(&p, &p.all[2], NULL, 0));
    struct station *s = p.all[2].station;
    rest_as_generator(&s->generator, s->generator.sequence);
    s->generator.done = 5;
    processors_dismiss(&p.all[2]);
    s->is_done = true;
    assert_true(processors_take_back(&p.all[2]));
    assert_null(p.all[2].generator);
    processors_release(&p);
    assert_numbers((p.all[2].generated, p.all[2].asleep_ticks), (5, 7));
    assert_false(memory_kept);
    assert_int_equal(frees, 1);
    processors_close(&p);
}

TEST(a_generator_that_does_not_stop)
{
    open_on(0);
    assert_null(processors_employ(&p, &p.all[2], NULL, 0));
    struct station *s = p.all[2].station;
    processors_dismiss(&p.all[2]);
    assert_false(processors_take_back(&p.all[2]));
    p.measuring = &p.all[2];
    assert_lost("did not end its work");
    assert_int_equal(pauses, START_MILLISECONDS);
    processors_release(&p);
    assert_numbers((pauses, frees), (START_MILLISECONDS, 0));
    free_kept(s);
    processors_close(&p);
}
