/* kit: runs the tests of one file under cmocka. */
#include "kit.h"

#define PARTS_MAX 200
#define FIRST_BITS 1

static struct kit_part *first;
static uint64_t bits;

/* A test with what runs before and after it; either may be NULL. */
static struct fixture {
    const struct kit_part *setup, *test, *teardown;
} fixtures[PARTS_MAX];

static struct CMUnitTest tests[PARTS_MAX];
static const struct kit_part *setup_all, *teardown_all;

void kit_add(struct kit_part *part)
{
    struct kit_part **at = &first;
    while (*at != NULL && (*at)->line < part->line)
        at = &(*at)->next;
    part->next = *at;
    *at = part;
}

bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

/* Knuth's MMIX generator; its upper bits are the better ones. */
double uniform(void)
{
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    return (double)(bits >> 11) / 0x1p53;
}

uint32_t below(uint32_t bound)
{
    return (uint32_t)(uniform() * bound);
}

/* Returns how many digits show a number whole: a 64-bit integer has 20, a double's fraction 17. */
static int digits(long double value)
{
    return value == truncl(value) ? 20 : 17;
}

void kit_compared(bool holds, const char *text, long double a, long double b, const char *file,
                  int line)
{
    if (holds)
        return;
    print_error("%s does not hold: %.*Lg and %.*Lg\n", text, digits(a), a, digits(b), b);
    _fail(file, line);
}

void kit_within(long double value, long double low, long double high, const char *text,
                const char *file, int line)
{
    if (value >= low && value <= high)
        return;
    print_error("%s is %.*Lg, not within %.*Lg and %.*Lg\n", text, digits(value), value,
                digits(low), low, digits(high), high);
    _fail(file, line);
}

static void print_numbers(const char *before, const long double *numbers, size_t count)
{
    print_error("%s", before);
    for (size_t i = 0; i < count; i++)
        print_error(" %.*Lg", digits(numbers[i]), numbers[i]);
}

void kit_numbers(const long double *given, size_t given_bytes, const long double *wanted,
                 size_t wanted_bytes, const char *text, const char *file, int line)
{
    size_t count = given_bytes / sizeof *given;
    bool is_same = given_bytes == wanted_bytes;
    for (size_t i = 0; i < count && is_same; i++)
        is_same = given[i] == wanted[i];
    if (is_same)
        return;
    print_error("%s:", text);
    print_numbers("", given, count);
    print_numbers(", not", wanted, wanted_bytes / sizeof *wanted);
    print_error("\n");
    _fail(file, line);
}

void assert_contains(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", text != NULL ? text : "", part);
}

void assert_same_text(const char *text, const char *expected)
{
    if ((text == NULL) != (expected == NULL) || (text != NULL && strcmp(text, expected) != 0))
        fail_msg("\"%s\" in place of \"%s\"", text != NULL ? text : "NULL",
                 expected != NULL ? expected : "NULL");
}

unsigned take_lines(char *from, char **line, unsigned room)
{
    unsigned count = 0;
    for (char *end; (end = strchr(from, '\n')) != NULL; from = end + 1) {
        assert_true(count < room);
        *end = '\0';
        line[count++] = from;
    }
    assert_string_equal(from, "");
    return count;
}

FILE *output_of(const char *program, const void *bytes, size_t length)
{
    FILE *input = tmpfile(), *output = tmpfile();
    char command[256];
    assert_true(input != NULL && output != NULL);
    assert_int_equal(fwrite(bytes, 1, length, input), length);
    assert_int_equal(fflush(input), 0);
    snprintf(command, sizeof command, "%s /dev/fd/%d >/dev/fd/%d", program, fileno(input),
             fileno(output));
    assert_int_equal(system(command), 0);
    fclose(input);
    return output;
}

FILE *disassembled(const void *code, size_t length)
{
    return output_of("LC_ALL=C objdump -D -z -b binary -m i386:x86-64 -M intel --no-show-raw-insn",
                     code, length);
}

/* --- what cmocka calls ----------------------------------------------------------------------- */

static void run(const struct kit_part *part)
{
    if (part != NULL)
        part->run();
}

static int before(void **state)
{
    bits = FIRST_BITS;
    run(((struct fixture *)*state)->setup);
    return 0;
}

static void test(void **state)
{
    run(((struct fixture *)*state)->test);
}

static int after(void **state)
{
    run(((struct fixture *)*state)->teardown);
    return 0;
}

static int before_all(void **state)
{
    (void)state;
    bits = FIRST_BITS;
    run(setup_all);
    return 0;
}

static int after_all(void **state)
{
    (void)state;
    run(teardown_all);
    return 0;
}

/* --- the list -------------------------------------------------------------------------------- */

/* Takes one part into account for those below it; returns whether it is a test of its own. */
static bool take(const struct kit_part *part, struct fixture *now)
{
    switch (part->kind) {
    case KIT_SETUP:
        *now = (struct fixture){.setup = part};
        break;
    case KIT_TEARDOWN:
        now->teardown = part;
        break;
    case KIT_SETUP_ALL:
        setup_all = part;
        break;
    case KIT_TEARDOWN_ALL:
        teardown_all = part;
        break;
    case KIT_TEST:
        now->test = part;
    }
    return part->kind == KIT_TEST;
}

static size_t list_tests(void)
{
    struct fixture now = {NULL, NULL, NULL};
    size_t count = 0;
    for (const struct kit_part *part = first; part != NULL && count < PARTS_MAX; part = part->next)
        if (take(part, &now)) {
            fixtures[count] = now;
            tests[count] = (struct CMUnitTest){part->name, test, before, after, &fixtures[count]};
            count++;
        }
    return count;
}

int main(int count_of_arguments, char **arguments)
{
    size_t count = list_tests();
    if (count == 0 || count == PARTS_MAX) {
        fprintf(stderr, "%s: %zu tests; 1 to %d are possible\n", arguments[0], count,
                PARTS_MAX - 1);
        return 1;
    }
    if (count_of_arguments > 1)
        cmocka_set_test_filter(arguments[1]);
    return _cmocka_run_group_tests(arguments[0], tests, count, before_all, after_all);
}
