/* test_run_members: the run.json of a folder that power was cut over. */
#include <sys/stat.h>
#include <unistd.h>

#include "../hosted/run_members.h"
#include "kit.h"

static char folder[] = "/tmp/mlpboot-members-XXXXXX", error[512];
static struct run_members members;

static void put(const char *name, const char *text)
{
    char path[RUN_JSON_PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    unlink(path);
    if (text == NULL)
        return;
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

static bool read_both(const char *json, const char *spare)
{
    put("run.json", json);
    put("run.bak", spare);
    return read_run_members(folder, &members, error, sizeof(error));
}

static void assert_status(const char *status)
{
    assert_string_equal(run_member(&members, "status"), status);
    run_members_free(&members);
}

SETUP_ALL(make_folder)
{
    assert_non_null(mkdtemp(folder));
}

TEARDOWN_ALL(remove_folder)
{
    put("run.json", NULL);
    put("run.bak", NULL);
    assert_int_equal(rmdir(folder), 0);
}

TEST(line_ends_behind_it_are_nothing)
{
    assert_true(read_both("{\"status\": \"running\"}\n\n\n\n", NULL));
    assert_status("running");
}

TEST(a_whole_one_is_taken_whatever_the_spare_one_says)
{
    assert_true(read_both("{\"status\": \"old\"}\n", "{\"status\": \"new\"}\n\n"));
    assert_status("old");
    assert_true(read_both("{\"status\": \"old\"}\n", "{\"status\": \"ne\n\n"));
    assert_status("old");
}

TEST(the_spare_one_is_taken_in_place_of_a_torn_one)
{
    char path[RUN_JSON_PATH_MAX], *data;
    size_t length;
    assert_true(read_both("{\"status\": \"new\", \"of the old", "{\"status\": \"new\"}\n\n"));
    assert_status("new");
    assert_true(read_both("", "{\"status\": \"new\"}\n\n"));
    assert_status("new");
    assert_true(read_run_json(folder, path, &data, &length));
    assert_string_equal(path + strlen(folder), "/run.bak");
    assert_int_equal(length, 19);
    free(data);
}

TEST(where_both_are_torn_the_first_is_named)
{
    assert_false(read_both("{\"status\": \"new", "\n\n\n"));
    assert_non_null(strstr(error, "/run.json: line 1: "));
    assert_false(read_both("{\"status\": \"new", NULL));
    assert_non_null(strstr(error, "/run.json: line 1: "));
    assert_false(read_both(NULL, "{\"status\": \"new\"}"));
    assert_non_null(strstr(error, "/run.json: No such file"));
}
