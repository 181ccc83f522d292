/* test_places: the next place gets everything, whatever the one before it had. */
#include "../../efi/storage/kept.h"
#include "../../efi/storage/places.h"
#include "fake_platform.h"
#include "kit.h"

#define FILE_BYTES 256

/* A place in memory, which fails when told to. */
struct fake_place {
    struct place place;
    const char *no_start, *no_save, *no_end; /* reasons; NULL: it works */
    unsigned starts, saves, ends, failing;   /* failing: the save that does, from 1 */
    size_t from;                             /* of the last one */
    char file[PLACE_FILES_MAX][FILE_BYTES];
};

static struct fake_platform fake;
static struct fake_place first, second;
static char told[4096];

static void tell(const char *words)
{
    strcat(strcat(told, words), "\n");
}

static struct places places = {.tell = tell};

static const char *start_place(struct place *place, const struct place_file *file, unsigned files)
{
    struct fake_place *p = (struct fake_place *)place;
    p->starts++;
    for (unsigned i = 0; i < files; i++)
        assert_non_null(file[i].name);
    return p->no_start;
}

static const char *save_file(struct place *place, const struct place_file *file, size_t from)
{
    struct fake_place *p = (struct fake_place *)place;
    size_t number = (size_t)(file - places.kept.file);
    if (++p->saves == p->failing)
        return p->no_save;
    if (place->no_copies && file->is_copy)
        return "no room";
    assert_compare(from, <=, strlen(p->file[number]));
    assert_compare(file->length, <, FILE_BYTES);
    memcpy(p->file[number] + from, file->data + from, file->length - from);
    p->file[number][file->length] = '\0';
    p->from = from;
    return NULL;
}

static const char *end_place(struct place *place)
{
    struct fake_place *p = (struct fake_place *)place;
    p->ends++;
    return p->no_end;
}

static void make(struct fake_place *place, const char *name)
{
    *place =
        (struct fake_place){.place = {.start = start_place, .save = save_file, .end = end_place}};
    strcpy(place->place.name, name);
}

SETUP(open)
{
    fake_platform_open(&fake);
    fake.platform.run = "0001-5";
    told[0] = '\0';
    make(&first, "the first");
    make(&second, "the second");
    places_init(&places, &fake.platform);
    kept_add(&places.kept, "log.txt", 100, false);
    kept_add(&places.kept, "run.json", 100, false);
    kept_add(&places.kept, "report.html", 100, true);
    places_add(&places, &first.place);
    places_add(&places, &second.place);
}

TEARDOWN(close)
{
    places_init(&places, &fake.platform);
    fake_platform_assert_returned(&fake);
}

static const char *append(const char *name, const char *text)
{
    return places_append(&places, name, text, strlen(text));
}

static const char *replace(const char *name, const char *text)
{
    return places_replace(&places, name, text, strlen(text));
}

static void start_with_a_line(void)
{
    assert_true(places_start(&places));
    assert_null(append("log.txt", "one\n"));
}

TEST(without_a_place_the_reason_says_so)
{
    places_init(&places, &fake.platform);
    assert_false(places_start(&places));
    assert_null(places_now(&places));
    assert_string_equal(places.reason, "there is no place for results");
}

TEST(the_first_place_that_works_gets_every_file)
{
    start_with_a_line();
    assert_null(append("log.txt", "two\n"));
    assert_int_equal(first.from, 4);
    assert_null(replace("run.json", "{\"long\": 1}"));
    assert_null(replace("run.json", "{}"));
    assert_int_equal(first.from, 0);
    assert_ptr_equal(places_now(&places), &first.place);
    assert_ptr_equal(places_end(&places), &first.place);
    assert_string_equal(first.file[0], "one\ntwo\n");
    assert_string_equal(first.file[1], "{}");
    assert_numbers((first.ends, second.starts), (1, 0));
    assert_string_equal(told, "");
    assert_string_equal(fake.printed, "");
}

TEST(a_place_that_cannot_begin_is_passed_over_in_words)
{
    first.no_start = "it is full";
    assert_true(places_start(&places));
    assert_string_equal(told, "the first takes no results: it is full\n");
    assert_int_equal(first.ends, 1);
    assert_null(append("log.txt", "one\n"));
    assert_string_equal(second.file[0], "one\n");
    assert_ptr_equal(places_end(&places), &second.place);
}

TEST(a_place_that_fails_is_ended_and_the_next_one_gets_all_files_so_far)
{
    first.failing = 3;
    first.no_save = "it was pulled";
    start_with_a_line();
    assert_null(replace("run.json", "{}"));
    assert_null(append("log.txt", "two\n"));
    assert_string_equal(second.file[0], "one\ntwo\n");
    assert_string_equal(second.file[1], "{}");
    assert_int_equal(first.ends, 1);
    assert_non_null(strstr(told, "the first takes no more results: it was pulled\n"));
    assert_non_null(strstr(told, "the second takes them from now on"));
    assert_null(append("log.txt", "three\n"));
    assert_int_equal(second.from, 8);
    assert_ptr_equal(places_end(&places), &second.place);
    assert_string_equal(second.file[0], "one\ntwo\nthree\n");
}

TEST(a_place_that_fails_while_it_is_brought_everything_is_passed_over)
{
    first.failing = 2;
    first.no_save = "the first is broken";
    second.failing = 1;
    second.no_save = "the second is broken";
    start_with_a_line();
    assert_string_equal(append("log.txt", "two\n"), "the second is broken");
    assert_null(places_now(&places));
    assert_int_equal(second.ends, 1);
    assert_string_equal(append("log.txt", "three\n"), "the second is broken");
    assert_null(places_end(&places));
    assert_int_equal(second.ends, 1);
}

TEST(what_could_not_be_saved_is_kept_as_long_as_the_run_goes)
{
    first.no_start = second.no_start = "no";
    assert_false(places_start(&places));
    assert_non_null(append("log.txt", "one\n"));
    assert_non_null(append("log.txt", "two\n"));
    const struct place_file *log = kept_find(&places.kept, "log.txt");
    assert_int_equal(log->length, 8);
    assert_memory_equal(log->data, "one\ntwo\n", 8);
}

TEST(a_copy_without_room_fails_alone)
{
    first.place.no_copies = true;
    assert_true(places_start(&places));
    assert_string_equal(append("report.html", "<p>"), "no room");
    assert_null(append("log.txt", "one\n"));
    assert_ptr_equal(places_end(&places), &first.place);
    assert_string_equal(told, "");
}

TEST(files_go_on_when_a_place_fails_at_its_end)
{
    first.no_end = "it was not closed";
    start_with_a_line();
    assert_ptr_equal(places_end(&places), &second.place);
    assert_string_equal(second.file[0], "one\n");
    assert_int_equal(second.ends, 1);
}

TEST(nothing_is_saved_where_the_last_place_fails_at_its_end)
{
    first.no_start = "no";
    second.no_end = "it was not closed";
    start_with_a_line();
    assert_null(places_end(&places));
    assert_non_null(strstr(told, "the second takes no more results: it was not closed\n"));
}

TEST(nobody_is_asked_again_after_giving_up)
{
    start_with_a_line();
    places_give_up(&places, "the processor is in an unknown state");
    assert_string_equal(append("log.txt", "two\n"), "the processor is in an unknown state");
    assert_null(places_end(&places));
    assert_numbers((first.saves, first.ends), (1, 0));
}

/* The run prints what it is told cannot be saved; of the others it takes it that they are. */
TEST(a_file_that_was_saved_where_all_places_failed_later_is_printed_at_the_end)
{
    first.failing = 3;
    first.no_save = "it broke";
    second.no_start = "no";
    start_with_a_line();
    assert_null(replace("run.json", "{\"saved\": 1}\n"));
    assert_non_null(append("log.txt", "two\n"));
    fake.printed[0] = '\0';
    assert_null(places_end(&places));
    assert_non_null(strstr(fake.printed, "{\"saved\": 1}"));
    assert_null(strstr(fake.printed, "one"));
}

/* Neither empty files nor copies are printed. */
TEST(what_was_saved_and_is_lost_at_the_very_end_is_printed)
{
    first.no_end = "it was pulled";
    second.no_start = "no";
    assert_true(places_start(&places));
    assert_null(append("run.json", "a,b\n"));
    assert_null(append("run.json", "1,2\n"));
    assert_null(append("report.html", "<html>"));
    assert_null(places_end(&places));
    assert_null(places_end(&places)); /* once */
    assert_non_null(strstr(told, "it was pulled"));
    assert_string_equal(fake.printed,
                        "=== mlpboot 0001-5 run.json version 1 at 0 bytes 8 ===\n"
                        "|a,b\n"
                        "|1,2\n"
                        "=== mlpboot end sha256 ba5e26427005322e ===\n"
                        "=== mlpboot 0001-5 run.json version 1 whole 8 ===\n"
                        "|492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470\n"
                        "=== mlpboot end sha256 ecbcb0bbbf100e1f ===\n");
}

TEST(a_file_that_nobody_planned_is_refused)
{
    assert_true(places_start(&places));
    assert_string_equal(append("other.txt", "one\n"), "it is not one of the run's files");
    assert_string_equal(replace("other.txt", "one\n"), "it is not one of the run's files");
    assert_int_equal(first.saves, 0);
    assert_null(places_end(&places));
}

/* A text for which there is no memory just now. */
static void outgrow(const char *put(struct places *, const char *, const char *, size_t),
                    const char *name)
{
    static char large[100000];
    memset(large, 'x', sizeof large);
    fake.failing = fake.allocations + 1;
    assert_non_null(put(&places, name, large, sizeof large));
}

/* Nothing goes behind what is missing, though there is memory for that. */
TEST(without_memory_a_file_ends_early_and_has_no_hole)
{
    start_with_a_line();
    outgrow(places_append, "log.txt");
    assert_string_equal(append("log.txt", "three\n"), "there is not enough memory to keep it");
    assert_string_equal(first.file[0], "one\n");
    assert_string_equal(told, "log.txt ends early, after 4 bytes: "
                              "there is not enough memory to keep it\n");
    assert_null(replace("run.json", "{}")); /* the others go on */
    assert_null(places_end(&places));
}

TEST(without_memory_the_older_text_stays_until_there_is_some)
{
    assert_true(places_start(&places));
    assert_null(replace("run.json", "{1}"));
    outgrow(places_replace, "run.json");
    assert_string_equal(first.file[1], "{1}");
    assert_null(replace("run.json", "{2}"));
    assert_string_equal(first.file[1], "{2}");
}

TEST(of_a_copy_that_ends_early_the_run_tells)
{
    fake.failing = fake.allocations + 1;
    assert_true(places_start(&places));
    assert_non_null(append("report.html", "<p>"));
    assert_string_equal(told, "");
    assert_ptr_equal(places_end(&places), &first.place);
}

TEST(without_the_memory_that_is_planned_a_smaller_piece_will_do)
{
    struct kept *kept = &places.kept;
    kept_add(kept, "verdicts.csv", 10 << 20, false);
    struct place_file *file = kept_find(kept, "verdicts.csv");
    uint64_t before = fake.live_bytes;
    fake.failing = fake.allocations + 1;
    assert_null(kept_append(kept, file, "case", 4));
    assert_int_equal(fake.failed_bytes, 10 << 20);
    assert_memory_equal(file->data, "case", 4);
    assert_in_range(fake.live_bytes - before, 4, 1 << 20);
}

/* Each byte counts: also the only one, and where the file outgrows its memory. */
TEST(files_of_a_byte)
{
    char large[100000];
    memset(large, 'x', sizeof large);
    struct place_file *file = kept_find(&places.kept, "log.txt");
    assert_null(kept_append(&places.kept, file, "a", 1));
    assert_memory_equal(file->data, "a", 1);
    unsigned allocations = fake.allocations;
    assert_null(kept_replace(&places.kept, file, "a", 1));
    assert_int_equal(fake.allocations, allocations); /* there is room */
    assert_null(kept_append(&places.kept, file, large, sizeof large));
    assert_int_equal(file->length, 1 + sizeof large);
    assert_memory_equal(file->data, "ax", 2);
    assert_memory_equal(file->data + 1, large, sizeof large);
    assert_null(kept_replace(&places.kept, file, "b", 1));
    assert_int_equal(file->length, 1);
    assert_memory_equal(file->data, "b\n\n", 3);
}

TEST(a_file_grows_far_beyond_its_first_memory)
{
    char piece[7777];
    struct kept *kept = &places.kept;
    struct place_file *file = kept_find(kept, "run.json");
    for (unsigned i = 0; i < 100; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        assert_null(kept_append(kept, file, piece, sizeof piece));
    }
    assert_int_equal(file->length, 100 * sizeof piece);
    for (size_t i = 0; i < file->length; i++)
        if (file->data[i] != (char)('a' + i / sizeof piece % 26))
            fail_msg("byte %zu", i);
    assert_compare(fake.live_bytes, <=, 4 * file->length);
    size_t before = file->length;
    assert_null(kept_replace(kept, file, "{}", 2));
    assert_int_equal(file->length, 2);
    for (size_t i = 2; i < before; i++)
        assert_int_equal(file->data[i], '\n');
}

static struct fake_place late;

static void add_late(void)
{
    assert_int_equal(late.starts, 0);
    places_add(&places, &late.place);
}

TEST(further_places_are_asked_for_when_all_have_failed_and_once)
{
    make(&late, "the late one");
    places.more = add_late;
    assert_true(places_start(&places));
    assert_non_null(places.more);
    assert_null(append("log.txt", "one\n"));
    first.no_save = second.no_start = late.no_save = "no";
    first.failing = 2;
    late.failing = 2;
    assert_null(append("log.txt", "two\n"));
    assert_string_equal(late.file[0], "one\ntwo\n");
    assert_ptr_equal(places_now(&places), &late.place);
    assert_string_equal(append("log.txt", "three\n"), "no");
    assert_int_equal(late.starts, 1);
    assert_null(places_end(&places));
}

TEST(without_any_place_further_ones_are_asked_for_at_once)
{
    places_init(&places, &fake.platform);
    kept_add(&places.kept, "log.txt", 100, false);
    make(&late, "the late one");
    places.more = add_late;
    assert_true(places_start(&places));
    assert_ptr_equal(places_end(&places), &late.place);
}
