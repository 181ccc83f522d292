/* test_url: addresses taken apart, and those that are refused. */
#include "../../kernel/lib/url.h"
#include "kit.h"

static void assert_parts(const char *text, enum url_scheme scheme, const char *host, unsigned port,
                         const char *path)
{
    struct url url;
    assert_null(url_read(piece_of(text), &url));
    assert_int_equal(url.scheme, scheme);
    assert_true(piece_is(url.host, host));
    assert_int_equal(url.port, port);
    assert_true(piece_is(url.path, path));
}

TEST(parts)
{
    assert_parts("http://lab/results", URL_HTTP, "lab", 80, "/results");
    assert_parts("http://10.0.0.1:8000/a/b.cfg", URL_HTTP, "10.0.0.1", 8000, "/a/b.cfg");
    assert_parts("https://lab.example", URL_HTTPS, "lab.example", 443, "");
    assert_parts("tftp://10.0.0.1/", URL_TFTP, "10.0.0.1", 69, "/");
    assert_parts("http://[fd00::1]:65535/x:y", URL_HTTP, "[fd00::1]", 65535, "/x:y");
}

static void assert_refused(const char *text, const char *why)
{
    struct url url;
    assert_string_equal(url_read(piece_of(text), &url), why);
}

TEST(others_are_refused)
{
    const char *scheme = "does not begin with http://, https:// or tftp://";
    const char *characters = "has blanks, '?', '#', '@' or other characters than ASCII";
    const char *port = "has a port that is no number from 1 to 65535";
    assert_refused("", scheme);
    assert_refused("ftp://lab/", scheme);
    assert_refused("http:/lab/", scheme);
    assert_refused("http://", "names no server");
    assert_refused("http:///results", "names no server");
    assert_refused("http://:80/", "names no server");
    assert_refused("http://lab/a b", characters);
    assert_refused("http://me@lab/", characters);
    assert_refused("http://lab/?q", characters);
    assert_refused("http://lab/#f", characters);
    assert_refused("http://l\xc3\xa4", characters);
    assert_refused("http://lab:/", port);
    assert_refused("http://lab:0/", port);
    assert_refused("http://lab:65536/", port);
    assert_refused("http://lab:99999999999999999999/", port);
    assert_refused("http://lab:8o/", port);
    assert_refused("http://[fd00::1", "names no server");
    assert_refused("http://[fd00/x]/", "names no server");
    assert_refused("http://[fd00::1]x/", "has no '/' behind the server");
}
