/* test_shared_library: a library that is there, one that is not, and a function that is not. */
#include "../hosted/shared_library.h"
#include "kit.h"

static struct {
    double (*cos)(double);
    double (*floor)(double);
} math;

static const char *open_with(const char *file, const char *second)
{
    static const char *names[] = {"cos", NULL, NULL};
    const struct shared_library library = {file, "libc6", names, &math};
    names[1] = second;
    return shared_library_open(&library);
}

TEST(functions_are_found)
{
    assert_null(open_with("libm.so.6", "floor"));
    assert_true(near(math.cos(0), 1) && near(math.floor(2.5), 2));
}

TEST(what_is_missing_is_named)
{
    assert_contains(open_with("libnone.so.7", "floor"),
                    "libnone.so.7 is needed, of the Debian package libc6: ");
    assert_contains(open_with("libm.so.6", "no_such_function"), "no_such_function");
}
