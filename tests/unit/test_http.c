/* test_http: servers that take their time, as a made-up firmware's HTTP shows them. */
#include "../../efi/firmware.c"
#include "../../efi/network/http.c"
#include "fake_firmware.h"
#include "kit.h"

#define SECOND 1000000 /* microseconds */

/* --- a firmware, and the server behind it ----------------------------------------------------- */

static struct http_token *pending;
static uint64_t answers_at;            /* microseconds, for what is pending */
static uint64_t piece_microseconds;    /* what the server takes for each piece of a body, */
static size_t piece_bytes, body_bytes; /* how long that is, and all of it */
static unsigned cancelled, children, taken_bytes;
static char asked_for[64], asked_host[64]; /* the URL of the latest request, and its first header */
static bool has_begun;                     /* the status is told before the body */
static bool refuses_to_cancel;
static uint32_t answer; /* the status, as UEFI counts them (2.10, 29.6.2) */

/* Ends what is pending, and signals it. */
static void end(EFI_STATUS status)
{
    struct http_token *token = pending;
    pending = NULL;
    token->status = status;
    assert_int_equal(fake.open_events, 1);
    note(token->event,
         (void *)&((struct exchange *)((char *)token - offsetof(struct exchange, token)))->is_done);
}

/* A reset ends all transfers. */
static EFI_STATUS EFIAPI configure(struct http_protocol *self, struct http_configuration *as)
{
    (void)self;
    if (as == NULL && pending != NULL)
        end(EFI_ABORTED);
    return EFI_SUCCESS;
}

static EFI_STATUS start(struct http_token *token, uint64_t microseconds)
{
    assert_null(pending);
    pending = token;
    answers_at = fake.microseconds + microseconds;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI request_it(struct http_protocol *self, struct http_token *token)
{
    const CHAR16 *url = token->message->data.request->url;
    size_t at = 0;
    (void)self;
    for (; url[at] != 0 && at < sizeof asked_for - 1; at++)
        asked_for[at] = (char)url[at];
    asked_for[at] = '\0';
    assert_string_equal(token->message->header->name, "Host");
    strcpy(asked_host, (const char *)token->message->header->value);
    taken_bytes += (unsigned)token->message->length;
    return start(token, token->message->length > 0 ? piece_microseconds : 1);
}

static char *pooled(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static EFI_STATUS EFIAPI respond(struct http_protocol *self, struct http_token *token)
{
    struct http_message *message = token->message;
    (void)self;
    if (!has_begun) {
        char length[16];
        snprintf(length, sizeof length, "%zu", body_bytes);
        message->data.response->status = answer;
        message->header = malloc(sizeof *message->header);
        message->headers = 1;
        message->header->name = (CHAR8 *)pooled("Content-Length");
        message->header->value = (CHAR8 *)pooled(length);
        has_begun = true;
        return start(token, 1);
    }
    size_t bytes = message->length < piece_bytes ? message->length : piece_bytes;
    memset(message->body, 'x', bytes);
    message->length = bytes;
    return start(token, piece_microseconds);
}

static EFI_STATUS EFIAPI cancel(struct http_protocol *self, struct http_token *token)
{
    (void)self;
    assert_ptr_equal(token, pending);
    if (refuses_to_cancel)
        return EFI_UNSUPPORTED;
    pending = NULL;
    cancelled++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI poll(struct http_protocol *self)
{
    (void)self;
    if (pending == NULL || fake.microseconds < answers_at)
        return EFI_NOT_READY;
    end(EFI_SUCCESS);
    return EFI_SUCCESS;
}

void *interface_child(EFI_HANDLE card, const EFI_GUID *binding_guid, const EFI_GUID *protocol,
                      EFI_HANDLE *child)
{
    static struct http_protocol of_firmware = {.configure = configure,
                                               .request = request_it,
                                               .cancel = cancel,
                                               .response = respond,
                                               .poll = poll};
    assert_true(card == NULL && binding_guid != NULL && protocol != NULL);
    *child = &of_firmware;
    children++;
    return &of_firmware;
}

void interface_destroy(EFI_HANDLE card, const EFI_GUID *binding_guid, EFI_HANDLE child)
{
    assert_true(card == NULL && binding_guid != NULL && child != NULL);
    children--;
}

const struct network_interface *interface_opened(void)
{
    static const struct network_interface opened;
    return &opened;
}

SETUP(make_server)
{
    fake_firmware_start();
    fake.event_type = EVT_NOTIFY_SIGNAL;
    fake.event_level = TPL_CALLBACK;
    fake.event_notify = note;
    pending = NULL;
    has_begun = refuses_to_cancel = false;
    cancelled = taken_bytes = 0;
    piece_microseconds = 1000;
    piece_bytes = 1000;
    body_bytes = 3000;
    answer = 3; /* 200 OK */
}

static uint64_t started_at;
static enum refusal refusal; /* of the last file asked for, */
static size_t length;        /* and what came of it */

static const char *get(size_t room)
{
    static char buffer[1 << 20];
    assert_compare(room, <=, sizeof buffer);
    started_at = fake.microseconds;
    length = SIZE_MAX;
    const char *reason = http.get("http://10.0.2.2/a", buffer, room, &length, &refusal);
    assert_int_equal(children, 0);
    assert_null(pending);
    assert_int_equal(fake.open_events, 0);
    return reason;
}

TEST(a_file_in_pieces_is_read)
{
    assert_null(get(4000));
    assert_numbers((length, cancelled, refusal), (3000, 0, REFUSAL_NONE));
    assert_string_equal(asked_for, "http://10.0.2.2/a");
    assert_string_equal(asked_host, "10.0.2.2");
}

/* A server that has no such file, or denies it, is told apart from one that fails. */
TEST(what_a_server_refuses)
{
    static const struct {
        uint32_t answer;
        const char *number;
        enum refusal refusal;
    } cases[] = {{17, "answered 400", REFUSAL_NONE},   {18, "answered 401", REFUSAL_DENIED},
                 {20, "answered 403", REFUSAL_DENIED}, {21, "answered 404", REFUSAL_MISSING},
                 {22, "answered 405", REFUSAL_DENIED}, {27, "answered 410", REFUSAL_MISSING},
                 {35, "answered 500", REFUSAL_NONE}};
    for (EACH(c, cases)) {
        answer = c->answer;
        has_begun = false;
        const char *reason = get(4000);
        if (reason == NULL || strstr(reason, c->number) == NULL || refusal != c->refusal)
            fail_msg("%s: %s, %d", c->number, reason, (int)refusal);
    }
}

TEST(a_server_that_sends_a_byte_now_and_then_is_given_up)
{
    piece_bytes = 1;
    piece_microseconds = 5 * SECOND;
    assert_string_equal(get(4000), "the server is too slow");
    assert_int_equal(cancelled, 1);
    assert_in_range(fake.microseconds - started_at, 60 * SECOND, 62 * SECOND);
}

TEST(a_server_that_ceases_to_answer_is_not_waited_for_so_long)
{
    piece_microseconds = 1000ull * SECOND;
    assert_string_equal(get(4000), "the server does not answer");
    assert_compare(fake.microseconds - started_at, <, 25 * SECOND);
}

TEST(a_transfer_that_cannot_be_cancelled_ends_before_its_event_goes)
{
    piece_microseconds = 1000ull * SECOND;
    refuses_to_cancel = true;
    assert_string_equal(get(4000), "the server does not answer");
    assert_int_equal(cancelled, 0);
}

/* 1 MB at 20 KB a second. */
TEST(what_is_large_may_take_longer)
{
    body_bytes = 1 << 20;
    piece_bytes = 200000;
    piece_microseconds = 10 * SECOND;
    assert_null(get(1 << 20));
    assert_compare(fake.microseconds - started_at, >, 50 * SECOND);
    piece_bytes = 10000;
    piece_microseconds = 2 * SECOND;
    has_begun = false;
    assert_string_equal(get(1 << 20), "the server is too slow");
}

TEST(a_file_that_is_sent_counts_from_its_start)
{
    static const char data[2000000];
    piece_microseconds = 15 * SECOND;
    has_begun = false;
    assert_null(http.put("http://10.0.2.2/a", data, sizeof data));
    assert_int_equal(taken_bytes, sizeof data);
}
