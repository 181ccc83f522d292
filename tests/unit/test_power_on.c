/* test_power_on: notes of what was measured, in variables that a reset forgets; and the boot order.
 */
#include "../../efi/power_on.c"
#include "kit.h"

#define VARIABLES_MAX 8

EFI_SYSTEM_TABLE *firmware_system;
static EFI_SYSTEM_TABLE table;
static EFI_RUNTIME_SERVICES services;
static struct variable {
    char name[NAME_MAX];
    EFI_GUID vendor;
    uint16_t data[64];
    UINTN bytes;
} variable[VARIABLES_MAX];
static unsigned variables;

static bool is_named(const struct variable *v, const CHAR16 *name)
{
    size_t i = 0;
    while (name[i] != 0 && name[i] == (CHAR16)v->name[i])
        i++;
    return name[i] == 0 && v->name[i] == '\0';
}

static EFI_STATUS EFIAPI get(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *bytes,
                             void *data)
{
    assert_null(attributes);
    for (const struct variable *v = variable; v < variable + variables; v++) {
        if (!is_named(v, name) || memcmp(&v->vendor, vendor, sizeof *vendor) != 0)
            continue;
        bool fits = v->bytes <= *bytes;
        *bytes = v->bytes;
        if (fits)
            memcpy(data, v->data, v->bytes);
        return fits ? EFI_SUCCESS : EFI_BUFFER_TOO_SMALL;
    }
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI set(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN bytes,
                             void *data)
{
    assert_int_equal(attributes & EFI_VARIABLE_NON_VOLATILE, 0);
    assert_int_equal(attributes, EFI_VARIABLE_BOOTSERVICE_ACCESS);
    struct variable *v = &variable[variables++];
    for (size_t i = 0; i < NAME_MAX; i++) {
        v->name[i] = (char)name[i];
        if (name[i] == 0)
            break;
    }
    v->vendor = *vendor;
    v->bytes = bytes;
    memcpy(v->data, data, bytes);
    return EFI_SUCCESS;
}

static void add(const char *name, const void *data, size_t bytes)
{
    struct variable *v = &variable[variables++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->vendor = (EFI_GUID)EFI_GLOBAL_VARIABLE;
    v->bytes = bytes;
    memcpy(v->data, data, bytes);
}

/* Adds an entry: its attributes, a path of no bytes, and its description. */
static void add_entry(const char *name, uint32_t attributes, const char *description)
{
    uint16_t option[64] = {(uint16_t)attributes, (uint16_t)(attributes >> 16), 0};
    size_t length = 0;
    for (; description[length] != '\0'; length++)
        option[3 + length] = (unsigned char)description[length];
    add(name, option, 2 * (3 + length + 1));
}

static void add_order(uint16_t current)
{
    static const uint16_t order[] = {0x10, 0x2a, 3};
    add("BootCurrent", &current, sizeof current);
    add("BootOrder", order, sizeof order);
}

SETUP(start)
{
    memset(variable, 0, sizeof variable);
    variables = 0;
    services.GetVariable = get;
    services.SetVariable = set;
    table.RuntimeServices = &services;
    firmware_system = &table;
}

TEST(each_configuration_is_noted_by_itself)
{
    assert_false(power_on_measured(0xfedcba9876543210));
    power_on_note(0xfedcba9876543210);
    assert_string_equal(variable[0].name, "MeasuredFEDCBA9876543210");
    assert_true(power_on_measured(0xfedcba9876543210));
    assert_false(power_on_measured(0xfedcba9876543211));
    power_on_note(1);
    assert_true(power_on_measured(1));
    assert_true(power_on_measured(0xfedcba9876543210));
}

TEST(the_first_entry_has_no_rival)
{
    add_order(0x10);
    add_entry("Boot0010", OPTION_ACTIVE, "stick");
    assert_null(power_on_rival());
}

/* A firmware's setup is often first in the order, and is started by nobody. */
TEST(only_entries_that_are_tried_are_rivals)
{
    add_order(3);
    add_entry("Boot0010", OPTION_ACTIVE | 0x100, "setup");
    add_entry("Boot002A", 0, "switched off");
    assert_null(power_on_rival());
    variable[3] = variable[4] = (struct variable){.bytes = 0};
    variables = 2;
    assert_null(power_on_rival()); /* entries that are not there */
    add_entry("Boot002A", OPTION_ACTIVE, "An operating system\x01");
    assert_string_equal(power_on_rival(), "An operating system?");
}

/* An entry that is not in the order, as a boot menu makes them. */
TEST(all_entries_come_before_one_that_is_not_in_the_order)
{
    add_order(7);
    add_entry("Boot0003", OPTION_ACTIVE, "disk");
    assert_string_equal(power_on_rival(), "disk");
}

TEST(firmware_that_does_not_tell_has_no_rival)
{
    assert_null(power_on_rival());
    add("BootCurrent", "\3", 2);
    assert_null(power_on_rival());
    variable[0].bytes = 1;
    assert_null(power_on_rival());
}

/* The longest names and options fit. */
TEST(a_long_name_is_cut)
{
    char name[56];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    add_order(3);
    add_entry("Boot0010", OPTION_ACTIVE, name);
    assert_string_equal(power_on_rival(), name);
}
