/* test_places_end: a place that took everything and fails at the very end. */
#include "../../efi/storage/kept.h"
#include "../../efi/storage/places.h"
#include "../hosted/serial_log.h"
#include "fake_platform.h"
#include "kit.h"

static struct fake_platform fake;
static const char *no_end; /* why the place cannot be ended; NULL: it can */

static const char *start(struct place *place, const struct place_file *file, unsigned files)
{
    (void)file;
    strcpy(place->name, "the volume");
    return files > 0 ? NULL : "no files";
}

static const char *save(struct place *place, const struct place_file *file, size_t from)
{
    (void)place;
    return from <= file->length ? NULL : "beyond its end";
}

static const char *end(struct place *place)
{
    (void)place;
    return no_end;
}

static void tell(const char *words)
{
    fake.platform.print(&fake.platform, words);
}

/* All but the copy is saved; the place that has it at the end. */
static const struct place *run(void)
{
    static struct place place = {.start = start, .save = save, .end = end};
    static struct places places = {.tell = tell};

    fake_platform_open(&fake);
    fake.platform.run = "0001-5";
    places_init(&places, &fake.platform);
    kept_add(&places.kept, "log.txt", 100, false);
    kept_add(&places.kept, "results.csv", 100, false);
    kept_add(&places.kept, "report.html", 100, true);
    places_add(&places, &place);
    assert_true(places_start(&places));
    assert_null(places_append(&places, "results.csv", "a,b\n", 4));
    assert_null(places_append(&places, "results.csv", "1,2\n", 4));
    assert_null(places_append(&places, "report.html", "<html>", 6));
    return places_end(&places);
}

TEST(what_is_saved_is_not_printed)
{
    no_end = NULL;
    assert_non_null(run());
    assert_string_equal(fake.printed, "");
    fake_platform_assert_returned(&fake);
}

TEST(what_was_saved_and_is_lost_is_printed)
{
    struct serial_log log;
    struct serial_whole whole;

    no_end = "it was pulled";
    assert_null(run());
    assert_non_null(strstr(fake.printed, "it was pulled"));
    assert_null(strstr(fake.printed, "report.html"));
    fake_platform_assert_returned(&fake);
    assert_true(serial_log_read(&log, fake.printed, strlen(fake.printed)));
    assert_int_equal(log.count, 1);
    assert_string_equal(log.runs[0].name, "0001-5");
    assert_int_equal(log.runs[0].count, 1); /* the log is empty */
    serial_file_join(&log.runs[0].files[0], &whole);
    assert_string_equal(whole.reason, "");
    assert_int_equal(whole.length, 8);
    assert_memory_equal(whole.data, "a,b\n1,2\n", 8);
    free(whole.data);
    serial_log_free(&log);
}
