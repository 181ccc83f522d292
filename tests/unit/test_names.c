/* test_names: which files are configurations, and in which order. */
#include "../../efi/names.h"
#include "kit.h"

static struct names names;
static char words[8192];
static struct text remarks;

SETUP(start)
{
    memset(&names, 0, sizeof names);
    text_init(&remarks, words, sizeof words);
}

static void add(const char *name)
{
    uint16_t wide[256];
    size_t i = 0;
    do
        wide[i] = (unsigned char)name[i];
    while (name[i++] != '\0');
    names_add(&names, wide, &remarks);
}

TEST(order)
{
    static const char *const given[] = {"b.cfg",   "20.cfg", "A.CFG",    "1.cfg",
                                        "a-2.cfg", "C.cfg",  "b.cfg.cfg"};
    static const char *const wanted[] = {"1.cfg", "20.cfg",    "a-2.cfg", "A.CFG",
                                         "b.cfg", "b.cfg.cfg", "C.cfg"};
    for (size_t i = 0; i < 7; i++)
        add(given[i]);
    assert_int_equal(names.count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(names.at[i], wanted[i]);
    assert_string_equal(words, "");
}

TEST(other_files_are_none)
{
    static const char *const other[] = {"",       ".",         "..",      ".cfg", "cfg",
                                        "a.txt",  "a.cfg.txt", "a.cfg~",  "a.cf", "._a.cfg",
                                        ".a.cfg", "readme.md", "a.cfg.x", "acfg"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        add(other[i]);
    assert_int_equal(names.count, 0);
    assert_string_equal(words, "");
}

TEST(names_that_cannot_be_kept_are_told)
{
    static const uint16_t umlaut[] = {'a', 0xfc, '.', 'c', 'f', 'g', 0};
    char name[BOOTS_NAME_MAX + 1];
    names_add(&names, umlaut, &remarks);
    assert_string_equal(words,
                        "a?.cfg: a name of at most 63 plain characters is needed; left out\n");
    text_clear(&remarks);
    memset(name, 'x', sizeof name);
    strcpy(name + BOOTS_NAME_MAX - 5, ".cfg");
    add(name);
    assert_int_equal(names.count, 1);
    assert_string_equal(words, "");
    memset(name, 'x', sizeof name);
    strcpy(name + BOOTS_NAME_MAX - 4, ".cfg");
    add(name);
    assert_int_equal(names.count, 1);
    assert_non_null(strstr(words, "left out"));
}

TEST(of_too_many_the_first_are_kept)
{
    char name[16];
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        snprintf(name, sizeof name, "%03u.cfg", 2 * i + 10);
        add(name);
    }
    add("999.cfg");
    assert_string_equal(words, "999.cfg: more than 64 configurations; left out\n");
    text_clear(&remarks);
    add("001.cfg");
    assert_string_equal(words, "136.cfg: more than 64 configurations; left out\n");
    assert_int_equal(names.count, NAMES_MAX);
    assert_string_equal(names.at[0], "001.cfg");
    assert_string_equal(names.at[NAMES_MAX - 1], "134.cfg");
}
