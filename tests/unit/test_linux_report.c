/* test_linux_report: a Linux run's report.html, where there is room and where there is not. */
#include <sys/statvfs.h>
#include <unistd.h>

#include "../hosted/page_template.h"
#include "../hosted/platform_linux.h"
#include "../hosted/read_file.h"
#include "kit.h"

static struct linux_platform linux_platform;
static struct results_dir results;
static char folder[] = "/tmp/mlpboot-test-XXXXXX", path[64];
static uint64_t room; /* that the file system has */

/* In the place of libc's. */
int fstatvfs(int handle, struct statvfs *volume)
{
    assert_int_equal(handle, results.handle);
    *volume = (struct statvfs){.f_frsize = 512, .f_bavail = room / 512};
    return 0;
}

SETUP_ALL(make_folder)
{
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.html", folder);
    assert_null(linux_platform_open(&linux_platform, LINUX_UNPINNED, &results));
    assert_null(results_dir_open(&results, folder));
}

TEARDOWN_ALL(remove_folder)
{
    linux_platform_close(&linux_platform);
    results_dir_close(&results);
    assert_int_equal(rmdir(folder), 0);
}

SETUP(start)
{
    room = UINT64_C(1) << 40;
    linux_platform.has_report = false;
}

TEARDOWN(remove_report)
{
    unlink(path);
}

static const char *add(const char *words)
{
    return linux_platform.platform.report(&linux_platform.platform, words, strlen(words));
}

/* The page and, behind it, these words. */
static void assert_holds(const char *words)
{
    size_t length;
    char *data;
    assert_null(read_file(path, 1 << 24, &data, &length));
    assert_int_equal(length, page_template_bytes + strlen(words));
    assert_memory_equal(data, page_template, page_template_bytes);
    assert_string_equal(data + page_template_bytes, words);
    free(data);
}

TEST(the_page_comes_first_and_once)
{
    assert_in_range(page_template_bytes, 1000, 300000);
    assert_memory_equal(page_template, "<!doctype html>", 15);
    assert_null(add("one"));
    assert_null(add(" two"));
    assert_holds("one two");
}

TEST(the_folder_has_its_own_name)
{
    assert_string_equal(linux_platform.platform.folder, strrchr(folder, '/') + 1);
}

TEST(no_room_for_the_page)
{
    room = PLATFORM_ROOM_KEPT + page_template_bytes - 512;
    assert_string_equal(add("one"), PLATFORM_NO_ROOM);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST(room_for_the_page_but_not_for_more)
{
    assert_null(add("one"));
    room = PLATFORM_ROOM_KEPT;
    assert_string_equal(add("two"), PLATFORM_NO_ROOM);
    assert_holds("one");
}
