/*
 * kit: what every unit test needs: the usual headers, tests that list themselves, a few helpers.
 *
 * A test program is one file of these, linked with kit.c, which holds `main`. Without arguments it
 * runs every test in the order of the file; with one, those whose names match it (`*` and `?`).
 *
 *     SETUP(start) { ... }        before each test further down, up to the next SETUP
 *     TEARDOWN(end) { ... }       after each of them, though it failed
 *     TEST(adds_two_numbers) { assert_int_equal(1 + 1, 2); }
 *
 * SETUP_ALL and TEARDOWN_ALL run once, before the first and after the last test of the file. All of
 * them may assert; those with a bare name are functions that may also be called.
 */
#ifndef MLPBOOT_TESTS_KIT_H
#define MLPBOOT_TESTS_KIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 2 deprecates assert_in_range and the like for names that version 1 does not have. Its
 * macro `stop` would take that name from our functions. */
#define CMOCKA_DISABLE_DEPRECATION_WARNINGS
#include <cmocka.h>
#undef stop

enum kit_kind { KIT_TEST, KIT_SETUP, KIT_TEARDOWN, KIT_SETUP_ALL, KIT_TEARDOWN_ALL };

/* One function that the file handed to the kit. */
struct kit_part {
    enum kit_kind kind;
    unsigned line;
    const char *name;
    void (*run)(void);
    struct kit_part *next; /* of a greater line */
};

/* Takes a part; called before `main`, in any order. */
void kit_add(struct kit_part *part);

#define KIT_PART(part_kind, function, title)                                                       \
    static void function(void);                                                                    \
    __attribute__((constructor)) static void kit_add_##function(void)                              \
    {                                                                                              \
        static struct kit_part part = {part_kind, __LINE__, title, function, NULL};                \
        kit_add(&part);                                                                            \
    }                                                                                              \
    static void function(void)

#define TEST(name) KIT_PART(KIT_TEST, test_##name, #name)
#define SETUP(name) KIT_PART(KIT_SETUP, name, #name)
#define TEARDOWN(name) KIT_PART(KIT_TEARDOWN, name, #name)
#define SETUP_ALL(name) KIT_PART(KIT_SETUP_ALL, name, #name)
#define TEARDOWN_ALL(name) KIT_PART(KIT_TEARDOWN_ALL, name, #name)

/* The same as far as rounding goes: within 1e-9 of their sizes and 1. */
bool near(double a, double b);

/* For a loop over an array: for (EACH(c, cases)). */
#define EACH(element, array)                                                                       \
    __typeof__(&(array)[0]) element = (array);                                                     \
    element < (array) + sizeof(array) / sizeof *(array);                                           \
    element++

/* Random numbers, the same in every test whatever ran before it: in [0, 1), and in 0..bound-1. */
double uniform(void);
uint32_t below(uint32_t bound);

/* Fails unless the comparison of two numbers holds: assert_compare(row->median, >, 40). A failure
 * prints both values, which assert_true does not. Each is evaluated once, and compared as the
 * number it is, whatever its type. */
#define assert_compare(a, operator, b)                                                             \
    do {                                                                                           \
        const long double kit_a = (a), kit_b = (b);                                                \
        kit_compared(kit_a operator kit_b, #a " " #operator" " #b, kit_a, kit_b, __FILE__,         \
                     __LINE__);                                                                    \
    } while (0)

/* Fails unless low <= value <= high, and prints the value. */
#define assert_within(value, low, high)                                                            \
    kit_within((value), (low), (high), #value, __FILE__, __LINE__)

/* Fails unless both are `near` each other, and prints both. */
#define assert_near(a, b)                                                                          \
    do {                                                                                           \
        const double kit_a = (a), kit_b = (b);                                                     \
        kit_compared(near(kit_a, kit_b), #a " is near " #b, kit_a, kit_b, __FILE__, __LINE__);     \
    } while (0)

/* Fails unless the numbers of both lists are the same, and prints both lists:
 * assert_numbers((row->n, row->k), (2, 64)). */
#define assert_numbers(given, wanted)                                                              \
    kit_numbers(KIT_NUMBERS given, KIT_NUMBERS wanted, #given, __FILE__, __LINE__)
#define KIT_NUMBERS(...)                                                                           \
    (const long double[]){__VA_ARGS__}, sizeof((const long double[]){__VA_ARGS__})

/* The functions behind these macros. */
void kit_compared(bool holds, const char *text, long double a, long double b, const char *file,
                  int line);
void kit_within(long double value, long double low, long double high, const char *text,
                const char *file, int line);
void kit_numbers(const long double *given, size_t given_bytes, const long double *wanted,
                 size_t wanted_bytes, const char *text, const char *file, int line);

/* Fails unless there is a text and it holds this part. */
void assert_contains(const char *text, const char *part);

/* Fails unless both are the same text, or both are NULL. */
void assert_same_text(const char *text, const char *expected);

/* Takes a text apart into its lines, each of which has to end; returns how many, `room` at most. */
unsigned take_lines(char *from, char **line, unsigned room);

/* What a program says of a file of these bytes, the last word of its command line; it has to end
 * well. To close. */
FILE *output_of(const char *program, const void *bytes, size_t length);

/* The same of machine code and a disassembler. */
FILE *disassembled(const void *code, size_t length);

#endif
