/* test_boots: what is kept between boots comes back, damaged or not; and what follows from it. */
#include "../../efi/boots.h"
#include "kit.h"
#include "made_tables.h"

static struct boots boots;
static struct config config;
static char memory[BOOTS_BYTES_MAX], words[512];
static struct text file, says;

SETUP(start)
{
    memset(&boots, 0, sizeof boots);
    memset(&config, 0, sizeof config);
    config.runs = 1;
    text_init(&file, memory, sizeof memory);
    text_init(&says, words, sizeof words);
}

static unsigned read_bytes(const char *data, size_t length)
{
    char *copy = exact_copy(data, length);
    unsigned wrong = boots_read(&boots, copy, length);
    free(copy);
    return wrong;
}

static unsigned read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

/* Writes all and reads it again. */
static void through_the_file(void)
{
    text_clear(&file);
    boots_write(&boots, &file);
    assert_false(file.truncated);
    assert_int_equal(read_bytes(file.at, file.length), 0);
}

static void assert_says(const char *expected)
{
    assert_string_equal(words, expected);
    text_clear(&says);
}

static struct boots_entry *usual(void)
{
    return boots_find(&boots, 1, "a.cfg", 2);
}

/* A run gets as far as that step, and then the power goes; compares what the next boot says. */
static void cut_in(const char *step, uint32_t folder, const char *expected)
{
    boots_begin(usual(), step, folder);
    through_the_file();
    text_clear(&says);
    boots_resume(usual(), true, &says);
    if (expected != NULL)
        assert_says(expected);
}

TEST(an_entry_comes_back)
{
    struct boots_entry *e = boots_find(&boots, 0xfedcba9876543210, "b c=d.cfg", UINT64_MAX);
    *e = (struct boots_entry){e->machine, e->text, "b c=d.cfg",    3,          17,
                              "mlp",      1,       "taking-stock", "mlp,array"};
    struct boots_entry before = *e;
    boots_find(&boots, 1, "a.cfg", 2);
    through_the_file();
    assert_int_equal(boots.count, 2);
    const struct boots_entry *after = &boots.entry[0];
    assert_numbers((after->machine, after->text, after->done, after->folder, after->cut),
                   (before.machine, before.text, before.done, before.folder, before.cut));
    assert_string_equal(after->name, before.name);
    assert_string_equal(after->step, before.step);
    assert_string_equal(after->cut_step, before.cut_step);
    assert_string_equal(after->avoid, before.avoid);
    assert_memory_equal(memory, "# ", 2); /* first of all a person is told what the file is */
    assert_non_null(strstr(memory, "Delete this file to start anew.\nmachine=fedcba9876543210 "));
    assert_non_null(strstr(memory, "avoid=mlp,array name=b c=d.cfg\n"));
    assert_non_null(strstr(memory, "done=0 folder=0 step=- cut=0 in=- avoid=- name=a.cfg\n"));
}

TEST(a_file_padded_with_blanks_is_whole)
{
    usual()->done = 4;
    boots_write(&boots, &file);
    memset(memory + file.length, ' ', 4000);
    memory[file.length + 4000] = '\n';
    assert_int_equal(read_bytes(memory, file.length + 4001), 0);
    assert_int_equal(boots.count, 1);
    assert_int_equal(usual()->done, 4);
}

#define HEAD "machine=0000000000000001 text=0000000000000002 "

TEST(lines_that_are_no_entries_are_counted_and_forgotten)
{
    static const char *const wrong[] = {
        "x",
        "=",
        "machine=",
        "machine=1 text=2 done=0 folder=0 step=- cut=0 in=- avoid=- name=a",
        "machine=000000000000000g text=0000000000000002 done=0 folder=0 step=- cut=0 in=- avoid=- "
        "name=a",
        HEAD "done=0 folder=0 step=- cut=0 in=- avoid=- name=",
        HEAD "done=0 folder=0 step=- cut=0 in=- avoid=-",
        HEAD "done=-1 folder=0 step=- cut=0 in=- avoid=- name=a",
        HEAD "done=1234567890 folder=0 step=- cut=0 in=- avoid=- name=a",
        HEAD "done=0 folder=x step=- cut=0 in=- avoid=- name=a",
        HEAD "done=0 folder=0 step= cut=0 in=- avoid=- name=a",
        HEAD "done=0 folder=0 step=abcdefghijklmnopqrstuvwxyz cut=0 in=- avoid=- name=a",
        HEAD "done=0 folder=0 step=- cut=0 in=- avoid=mlp, name=a\x01",
        HEAD "done=0 folder=0 step=- cut=0 in=- avoid=- name=a\xff",
        HEAD "done=0 folder=0 cut=0 step=- in=- avoid=- name=a",
        HEAD "done=0 folder=0 step=- cut=0 in=- avoid=- name="
             "0123456789012345678901234567890123456789012345678901234567890123",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "# a comment\r\n\n%s\n" HEAD
                 "done=7 folder=0 step=- cut=0 in=- avoid=- name=a.cfg\r\n",
                 wrong[i]);
        if (read_text(text) != 1 || boots.count != 1 || boots.entry[0].done != 7)
            fail_msg("\"%s\" was taken for an entry", wrong[i]);
    }
}

TEST(a_name_may_be_one_letter)
{
    assert_int_equal(read_text(HEAD "done=3 folder=0 step=- cut=0 in=- avoid=- name=a\n"), 0);
    assert_string_equal(boots.entry[0].name, "a");
}

/* Cut anywhere, a file is read without harm. */
TEST(files_cut_short)
{
    boots_begin(usual(), "mlp", 3);
    boots_find(&boots, 3, "b.cfg", 4)->done = 2;
    boots_write(&boots, &file);
    for (size_t cut = 0; cut <= file.length; cut++) {
        read_bytes(memory, cut);
        assert_in_range(boots.count, 0, 2);
    }
}

TEST(another_text_or_machine_starts_anew)
{
    usual()->done = 1;
    assert_int_equal(boots_find(&boots, 9, "a.cfg", 2)->done, 0);
    assert_int_equal(boots_find(&boots, 1, "b.cfg", 2)->done, 0);
    assert_int_equal(boots.count, 3);
    assert_int_equal(usual()->done, 1);
    assert_int_equal(boots_find(&boots, 1, "a.cfg", 3)->done, 0);
    assert_int_equal(boots.count, 3);
    assert_int_equal(usual()->done, 0);
}

TEST(the_oldest_goes_where_there_is_no_room)
{
    for (unsigned i = 0; i <= BOOTS_ENTRIES_MAX; i++)
        boots_find(&boots, i, "a.cfg", 0)->done = i;
    assert_numbers((boots.count, boots.entry[0].machine), (BOOTS_ENTRIES_MAX, 1));
    through_the_file();
    assert_int_equal(boots.count, BOOTS_ENTRIES_MAX);
    assert_int_equal(boots.entry[BOOTS_ENTRIES_MAX - 1].done, BOOTS_ENTRIES_MAX);
}

TEST(hashes_differ)
{
    /* FNV-1a of "a" and "foobar", from the algorithm's public test vectors. */
    assert_int_equal(boots_hash(BOOTS_HASH, "a", 1), 0xaf63dc4c8601ec8c);
    assert_int_equal(boots_hash(BOOTS_HASH, "foobar", 6), 0x85944171f73967e8);
    assert_int_equal(boots_hash(boots_hash(BOOTS_HASH, "foo", 3), "bar", 3), 0x85944171f73967e8);
}

TEST(boots_count_where_the_next_comes_by_itself_or_somebody_says_how_many)
{
    config.finish = FINISH_WAIT;
    assert_false(boots_are_counted(&config));
    config.runs_is_set = true;
    assert_true(boots_are_counted(&config));
    config.runs_is_set = false;
    config.finish = FINISH_REBOOT;
    assert_true(boots_are_counted(&config));
}

TEST(a_configuration_is_open_until_all_its_runs_ended)
{
    config.runs = 3;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(boots_is_open(usual(), &config));
        boots_begin(usual(), "mlp", i);
        assert_true(boots_is_open(usual(), &config));
        boots_end(usual());
    }
    assert_false(boots_is_open(usual(), &config));
}

TEST(nothing_was_cut_short)
{
    boots_resume(usual(), true, &says);
    assert_says("");
    boots_begin(usual(), "mlp", 1);
    boots_end(usual());
    through_the_file();
    boots_resume(usual(), true, &says);
    assert_says("");
}

#define AGAIN                                                                                      \
    "a.cfg: not tried again, until mlpboot.state is deleted or the configuration changed: "

TEST(a_step_is_left_out_the_third_time)
{
    cut_in("mlp", 1, "a.cfg: run 0001 was cut short in mlp\n");
    assert_false(boots_avoids(usual(), "mlp"));
    boots_resume(usual(), true, &says); /* it is taken into account once */
    assert_says("");
    cut_in("taking-stock", 0, "a.cfg: a run without a folder was cut short in taking-stock\n");
    cut_in("mlp", 2, NULL);
    cut_in("mlp", 3,
           "a.cfg: run 0003 was cut short in mlp, as 1 before it in a row\n" AGAIN "mlp\n");
    assert_true(boots_avoids(usual(), "mlp"));
    assert_false(boots_avoids(usual(), "array"));
    assert_false(boots_avoids(usual(), "ml"));
    boots_end(usual());
    through_the_file();
    assert_true(boots_avoids(usual(), "mlp")); /* it would only be cut short again */
    boots_resume(usual(), true, &says);
    assert_says(AGAIN "mlp\n");
    assert_int_equal(usual()->cut, 0);
    assert_string_equal(usual()->cut_step, "");
    assert_false(boots_avoids(boots_find(&boots, 1, "a.cfg", 3), "mlp"));
}

TEST(one_step_after_the_other_is_left_out)
{
    static const char *const steps[] = {"floor", "taking-stock", "numa"};
    for (unsigned i = 0; i < 6; i++)
        cut_in(steps[i / 2], i, NULL);
    for (unsigned i = 0; i < 3; i++)
        assert_true(boots_avoids(usual(), steps[i]));
    assert_false(boots_avoids(usual(), "noise"));
}

/* A run loses little without other processors, and a user who pulls the plug a folder. */
TEST(other_processors_are_left_alone_the_second_time)
{
    cut_in("mlp", 1, NULL);
    cut_in("processors", 2, "a.cfg: run 0002 was cut short in processors\n" AGAIN "processors\n");
    assert_true(boots_avoids(usual(), "processors"));
}

/* As many as there are steps that nobody could foresee. */
TEST(steps_beyond_the_room_for_them_are_tried_again)
{
    for (unsigned i = 0; i < 60; i++) {
        char step[BOOTS_STEP_MAX];
        snprintf(step, sizeof step, "a-rather-long-step-%u", i / 2);
        cut_in(step, i, NULL);
    }
    assert_true(boots_avoids(usual(), "a-rather-long-step-3"));
    assert_false(boots_avoids(usual(), "a-rather-long-step-29"));
}

TEST(only_runs_in_a_row_count)
{
    cut_in("mlp", 1, NULL);
    boots_begin(usual(), "mlp", 2);
    boots_end(usual());
    cut_in("mlp", 3, NULL);
    assert_false(boots_avoids(usual(), "mlp"));
    cut_in("array", 4, NULL);
    cut_in("mlp", 5, NULL);
    assert_false(boots_avoids(usual(), "mlp"));
}

TEST(without_resume_everything_is_tried_again)
{
    for (unsigned i = 0; i < 5; i++) {
        boots_begin(usual(), "mlp", i);
        through_the_file();
        text_clear(&says);
        boots_resume(usual(), false, &says);
    }
    assert_says("a.cfg: run 0004 was cut short in mlp, as 4 before it in a row\n");
    assert_false(boots_avoids(usual(), "mlp"));
}
