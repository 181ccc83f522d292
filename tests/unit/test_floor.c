/* test_floor: the probes of the floor run here, and the rule on rows whose answers are known. */
#include <sys/mman.h>

#include "../../kernel/analysis/judge.h"
#include "../../kernel/experiments/experiment.h"
#include "../../kernel/probe/floor_probe.h"
#include "../../kernel/report/table.h"
#include "kit.h"

#define CODE_BYTES 65536
#define GUARD 0xa5

/* --- the probes ------------------------------------------------------------------------------ */

static uint8_t code[CODE_BYTES];

static size_t emit(unsigned chains, unsigned adds, size_t room)
{
    struct floor_shape shape = {
        .chains = chains, .adds = adds, .timing = {.order = ORDER_LFENCE, .rdtscp = true}};

    memset(code, GUARD, sizeof code);
    return floor_probe_emit(code, room, &shape);
}

/* ADD r/m64, r64 of registers, in ModRM's reg the source (Intel SDM 2A, ADD). */
static bool is_add(const uint8_t *at, unsigned *to, unsigned *from)
{
    if ((at[0] & 0xfa) != 0x48 || at[1] != 0x01 || at[2] >> 6 != 3)
        return false;
    *to = (unsigned)((at[0] & 1) << 3 | (at[2] & 7));
    *from = (unsigned)((at[0] & 4) << 1 | (at[2] >> 3 & 7));
    return true;
}

/* As many additions as asked for, all of one register nobody writes, on so many others in turn. */
TEST(additions)
{
    for (unsigned chains = 1; chains <= FLOOR_CHAINS_MAX; chains++) {
        size_t with = emit(chains, 50, sizeof code), at = 0;
        unsigned seen[50], count = 0, source = 99, to, from;
        while (at < with && !is_add(code + at, &to, &from))
            at++;
        for (; is_add(code + at, &to, &from); at += 3) {
            assert_true(count < 50);
            assert_true(source == 99 || from == source);
            source = from;
            seen[count++] = to;
        }
        assert_int_equal(count, 50);
        assert_int_equal(with - emit(chains, 0, sizeof code), 50 * 3);
        for (unsigned i = 0; i < 50; i++)
            for (unsigned j = 0; j < i; j++)
                assert_int_equal(seen[i] == seen[j], (i - j) % chains == 0);
        for (unsigned i = 0; i < 50; i++) /* nor the stack, the addend or the first timestamp */
            assert_true(seen[i] != 4 && seen[i] != source && seen[i] != 8 && seen[i] != 9);
    }
}

TEST(room)
{
    size_t length = emit(12, 100, sizeof code);
    for (size_t room = 0; room < length; room++) {
        assert_int_equal(emit(12, 100, room), 0);
        for (size_t i = room; i < length; i++)
            assert_int_equal(code[i], GUARD);
    }
    assert_int_equal(emit(12, 100, length), length);
    length = floor_probe_emit_timer(code, sizeof code);
    assert_true(length > 0);
    assert_int_equal(floor_probe_emit_timer(code, length - 1), 0);
}

struct registers {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp;
};

/* Calls code with what a called function has to keep set, and notes what is left of it. */
static uint64_t call(const void *at, struct registers *kept)
{
    uint64_t result;
    struct registers r = {1, 2, 3, 4, 5, 6, 0};

    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* past the red zone */
                     "push %%rbp\n\t"
                     "push %%rbx\n\t"
                     "push %%rsi\n\t"
                     "mov %%rsp, 48(%%rsi)\n\t"
                     "mov (%%rsi), %%rbx\n\t"
                     "mov 8(%%rsi), %%rbp\n\t"
                     "mov 16(%%rsi), %%r12\n\t"
                     "mov 24(%%rsi), %%r13\n\t"
                     "mov 32(%%rsi), %%r14\n\t"
                     "mov 40(%%rsi), %%r15\n\t"
                     "call *%%rax\n\t"
                     "mov (%%rsp), %%rsi\n\t"
                     "mov %%rbx, (%%rsi)\n\t"
                     "mov %%rbp, 8(%%rsi)\n\t"
                     "mov %%r12, 16(%%rsi)\n\t"
                     "mov %%r13, 24(%%rsi)\n\t"
                     "mov %%r14, 32(%%rsi)\n\t"
                     "mov %%r15, 40(%%rsi)\n\t"
                     "sub %%rsp, 48(%%rsi)\n\t"
                     "pop %%rsi\n\t"
                     "pop %%rbx\n\t"
                     "pop %%rbp\n\t"
                     "lea 128(%%rsp), %%rsp"
                     : "=a"(result)
                     : "a"(at), "S"(&r), "D"((uint64_t)7)
                     : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
                       "cc");
    *kept = r;
    return result;
}

static void assert_kept(const struct registers *r)
{
    assert_true(r->rbx == 1 && r->rbp == 2 && r->r12 == 3 && r->r13 == 4 && r->r14 == 5 &&
                r->r15 == 6 && r->rsp == 0);
}

TEST(probes_run_and_keep_registers)
{
    uint8_t *area = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct registers kept;
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX}, ticks;

    assert_true(area != MAP_FAILED);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(emit(i == 0 ? 1 : 12, 1937, sizeof code) > 0);
        memcpy(area, code, CODE_BYTES);
        for (unsigned j = 0; j < 100; j++) {
            ticks = call(area, &kept);
            assert_kept(&kept);
            least[i] = ticks < least[i] ? ticks : least[i];
        }
    }
    assert_true(least[1] > 0 && least[0] < 1000000);
    floor_probe_emit_timer(area, CODE_BYTES);
    least[0] = UINT64_MAX;
    for (unsigned j = 0; j < 100; j++) {
        ticks = call(area, &kept);
        assert_kept(&kept);
        least[0] = (int64_t)ticks > 0 && ticks < least[0] ? ticks : least[0];
    }
    assert_true(least[0] < 1000000);
    munmap(area, CODE_BYTES);
}

/* --- the rule -------------------------------------------------------------------------------- */

static struct row rows[64];
static size_t row_count;
static struct verdict memory[64];
static struct verdict_list verdicts;

/* In place of the table of experiments. */
const struct experiment *experiment_find(const char *name)
{
    static const struct experiment floor = {
        .name = "floor", .judge = floor_judge, .verdicts = floor_verdict_names};
    static const struct experiment mlp = {.name = "mlp"};

    return strcmp(name, "floor") == 0 ? &floor : strcmp(name, "mlp") == 0 ? &mlp : NULL;
}

/* Deciles at `spread` to either side. */
static struct row *add(const char *experiment, const char *variant, const char *metric,
                              int64_t n, int64_t k, double median, double spread)
{
    struct row *row = &rows[row_count++];

    *row = (struct row){.n = n,
                               .k = k,
                               .bytes = ROW_NONE,
                               .stage = ROW_NONE,
                               .samples = 100,
                               .min = median - spread,
                               .p10 = median - spread,
                               .median = median,
                               .p90 = median + spread,
                               .max = median + spread,
                               .mean = median};
    strcpy(row->experiment, experiment);
    strcpy(row->variant, variant);
    strcpy(row->metric, metric);
    strcpy(row->unit, strcmp(metric, "rate") == 0 ? "Hz" : "ticks");
    return row;
}

/* A core of `pace` ticks a cycle that does `width` additions or `nops` NOPs in one. */
static void add_floor(double pace, double width, double nops, double rate)
{
    row_count = 0;
    add("floor", "timer", "pair", -1, -1, 26, 6);
    add("floor", "timer", "least", -1, -1, 18, 0)->samples = 1;
    add("floor", "timer", "step", -1, -1, 2, 0)->samples = 1;
    add("floor", "lfence", "tsc", 0, 0, 40, 4);
    add("floor", "cpuid", "tsc", 0, 0, 400, 50);
    for (int64_t k = 257; k <= 1937; k += 1680) {
        add("floor", "core", "tsc", 0, k, 40 + (double)k * pace / nops, 0);
        add("floor", "core", "tsc", 1, k, 40 + (double)k * pace, 0);
        add("floor", "core", "tsc", 12, k, 40 + (double)k * pace / width, 0);
    }
    if (rate > 0)
        add("floor", "core", "rate", -1, -1, rate, 0)->samples = 1;
}

static void judge(void)
{
    verdicts = (struct verdict_list){memory, 0, 64};
    judge_results(rows, row_count, &verdicts);
}

static const struct verdict *find(const char *variant, const char *name)
{
    for (size_t i = 0; i < verdicts.count; i++)
        if (strcmp(memory[i].variant, variant) == 0 && strcmp(memory[i].name, name) == 0)
            return &memory[i];
    return NULL;
}

static void assert_is(const char *variant, const char *name, enum verdict_status status,
                      double value)
{
    const struct verdict *v = find(variant, name);

    if (v == NULL)
        fail_msg("no %s of %s", name, variant);
    assert_int_equal(v->status, status);
    assert_true(isnan(value) ? isnan(v->value) : fabs(v->value - value) < 1e-9 * (1 + fabs(value)));
    assert_true(strlen(v->method) > 0 && strlen(v->method) <= 73);
}

TEST(verdicts)
{
    add_floor(0.75, 4, 6, 3e9);
    judge();
    assert_int_equal(verdicts.count, 6);
    assert_is("timer", "timer_floor", VERDICT_OK, 18);
    assert_true(find("timer", "timer_floor")->high == 26);
    assert_is("timer", "timer_step", VERDICT_OK, 2);
    assert_is("lfence", "empty_sample", VERDICT_OK, 40);
    assert_is("cpuid", "empty_sample", VERDICT_OK, 400);
    assert_is("core", "cpi_floor", VERDICT_OK, 1.0 / 6);
    assert_is("core", "frequency", VERDICT_OK, 4000);
    assert_string_equal(find("core", "frequency")->unit, "MHz");
    assert_non_null(strstr(find("core", "cpi_floor")->method, "NOPs"));
    add_floor(1.5, 5, 4, 2e9);
    judge();
    assert_is("core", "cpi_floor", VERDICT_OK, 0.2);
    assert_is("core", "frequency", VERDICT_OK, 2000 / 1.5);
    assert_non_null(strstr(find("core", "cpi_floor")->method, "additions side by side"));
}

TEST(doubts)
{
    add_floor(1, 1, 1, 0); /* one instruction a cycle, and ticks that are no time */
    judge();
    assert_is("core", "cpi_floor", VERDICT_DOUBT, 1);
    assert_is("core", "frequency", VERDICT_SKIP, NAN);
    add_floor(1, 4, 4, 3e9);
    for (size_t i = 0; i < row_count; i++) /* the long chain scatters by a third */
        if (rows[i].n == 1 && rows[i].k == 1937)
            rows[i].p10 -= 600, rows[i].p90 += 600;
    judge();
    assert_is("core", "frequency", VERDICT_DOUBT, 3000);
    assert_is("core", "cpi_floor", VERDICT_DOUBT, 0.25);
    assert_true(find("core", "frequency")->low < 3000 && find("core", "frequency")->high > 3000);
    add_floor(0, 4, 4, 3e9); /* time stands still */
    rows[1].samples = rows[2].samples = 0;
    judge();
    assert_is("core", "cpi_floor", VERDICT_DOUBT, NAN);
    assert_is("core", "frequency", VERDICT_DOUBT, NAN);
    assert_is("timer", "timer_floor", VERDICT_DOUBT, NAN);
    assert_is("timer", "timer_step", VERDICT_DOUBT, NAN);
}

TEST(payload)
{
    row_count = 0;
    for (int64_t k = 0; k <= 1937; k += k == 0 ? 257 : 1680)
        strcpy(add("floor", "payload", "instructions", 0, k, 8 + (double)k, 0)->unit, "events");
    judge();
    assert_int_equal(verdicts.count, 1);
    assert_is("payload", "payload_surplus", VERDICT_OK, 0);
    rows[2].median -= 1;
    judge();
    assert_is("payload", "payload_surplus", VERDICT_DOUBT, -1);
}

/* --- above the floor ------------------------------------------------------------------------- */

TEST(above_the_floor)
{
    add_floor(1, 4, 4, 3e9);
    add("mlp", "2m", "tsc", 2, 0, 300, 9);
    add("mlp", "2m", "tsc", 1, 0, 200, 9);
    add("mlp", "4k", "tsc", 1, 0, 160, 9);
    add("mlp", "4k", "instructions", 1, 0, 9, 0);
    add("mlp", "4k", "tsc", 3, 0, 1, 0)->samples = 0;
    strcpy(add("mlp", "4k", "tsc", 1, 16, 1, 0)->unit, "ns");
    judge();
    assert_is("4k", "above_floor", VERDICT_OK, 4);
    const struct verdict *v = find("4k", "above_floor");
    assert_true(v->low < 3.9 && v->low > 3.8 && v->high > 4.1 && v->high < 4.2);
    assert_null(find("2m", "above_floor"));
    assert_null(find("core", "above_floor"));
    assert_int_equal(verdicts.count, 7);
    /* CPUID takes its own time: 800 ticks are two of its floors. */
    add("mlp", "2m-cpuid-dependent", "tsc", 1, 0, 800, 9);
    judge();
    assert_is("2m-cpuid-dependent", "above_floor", VERDICT_OK, 2);
}

TEST(within_the_spread)
{
    for (double median = 43; median <= 45; median++) {
        add_floor(1, 4, 4, 3e9); /* the empty sample's last decile is 44 */
        add("mlp", "2m", "tsc", 1, 0, median, 2);
        judge();
        assert_is("2m", "above_floor", median > 44 ? VERDICT_OK : VERDICT_DOUBT, median / 40);
    }
}

/* In steps, as a run takes them, or at once, as from a stored table: the same. */
TEST(steps)
{
    struct floor floor = {.has_lfence = false};

    add_floor(1, 4, 4, 3e9);
    size_t first = row_count;
    add("mlp", "2m", "tsc", 1, 0, 200, 2);
    verdicts = (struct verdict_list){memory, 0, 64};
    judge_further(rows, first, &floor, &verdicts);
    judge_further(rows + first, 1, &floor, &verdicts);
    assert_int_equal(verdicts.count, 7);
    assert_is("2m", "above_floor", VERDICT_OK, 5);
    row_count = 0; /* nothing to compare with */
    add("mlp", "2m", "tsc", 1, 0, 200, 2);
    judge();
    assert_int_equal(verdicts.count, 0);
    add("floor", "lfence", "skipped", -1, -1, 0, 0)->samples = 0;
    add("unknown", "2m", "tsc", 1, 0, 200, 2);
    judge();
    assert_null(find("2m", "above_floor"));
}

TEST(console_line)
{
    char buffer[256];
    struct text text;

    text_init(&text, buffer, sizeof buffer);
    add_floor(1, 4, 4, 3e9);
    judge();
    table_above_floor(memory, verdicts.count, &text);
    assert_string_equal(buffer, "");
    add("mlp", "2m", "tsc", 1, 0, 42, 2);
    judge();
    table_above_floor(memory, verdicts.count, &text);
    assert_string_equal(buffer,
                        "mlp, case 2m: its smallest time is only 1.05 times an empty sample's\n");
}
