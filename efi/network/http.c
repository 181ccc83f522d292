/* http: opens one child, one connection and one request for each file. */
#include "http.h"

#include "../../kernel/lib/string.h"
#include "../../kernel/lib/text.h"
#include "../../kernel/lib/url.h"
#include "../firmware.h"
#include "../watchdog.h"
#include "interface.h"
#include "locations.h"
#include "protocols.h"
#include "replies.h"

#define ANSWER_SECONDS 20 /* a server's disk may be asleep */
#define POLL_MICROSECONDS 100
#define POLLS_PER_SECOND (1000000 / POLL_MICROSECONDS)
#define CONNECT_MILLISECONDS 10000

#define TOO_SLOW EFIERR_OEM(1) /* ours, not the firmware's */

#define STATUS_UNAUTHORIZED 401
#define STATUS_FORBIDDEN 403
#define STATUS_NOT_FOUND 404
#define STATUS_NO_METHOD 405
#define STATUS_GONE 410

static char words[REPLY_WORDS_MAX];

/* A request and its response. */
struct exchange {
    EFI_HANDLE child;
    struct http_protocol *http;
    EFI_EVENT event;
    volatile bool is_done;
    struct http_token token;
    struct http_message message;
    unsigned status;         /* of the response, such as 200; 0: unknown */
    size_t length;           /* of the response's body, or REPLY_LENGTH_UNKNOWN */
    uint64_t started, moved; /* milliseconds; bytes of a body */
};

static void EFIAPI note(EFI_EVENT event, void *context)
{
    (void)event;
    *(volatile bool *)context = true;
}

static const char *say_http(EFI_STATUS status)
{
    static const struct {
        EFI_STATUS status;
        const char *words;
    } known[] = {
        {EFI_TIMEOUT, "the server does not answer"},
        {EFI_NO_RESPONSE, "the server does not answer"},
        {EFI_ABORTED, "the connection was broken off"},
        {EFI_NOT_FOUND, "no server of that name is found"},
        {EFI_DEVICE_ERROR, "the connection failed"},
        {EFI_NO_MAPPING, "this machine has no address"},
        {EFIERR(104), "the server closed the connection"},
        {EFIERR(105), "the server reset the connection"},
        {EFIERR(106), "the server refuses the connection"},
        {EFIERR(100), "the server's network cannot be reached"},
        {EFIERR(101), "the server cannot be reached"},
        {EFIERR(102), "the server does not speak TCP"},
        {EFIERR(103), "the server's port cannot be reached"},
        {EFI_ACCESS_DENIED, "the firmware does not allow this connection"},
        {TOO_SLOW, TRANSPORT_TOO_SLOW},
        {EFI_SECURITY_VIOLATION, "the firmware does not trust the server's certificate"},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].words;
    return firmware_status(status);
}

/* Resets the child before the event goes: a transfer that could not be cancelled ends with it, and
 * signals its event. */
static void close(struct exchange *x)
{
    if (x->http != NULL)
        x->http->configure(x->http, NULL);
    if (x->event != NULL)
        firmware_boot->CloseEvent(x->event);
    if (x->http != NULL)
        interface_destroy(interface_opened()->card, &http_binding_guid, x->child);
}

static const char *open(struct exchange *x)
{
    const struct network_interface *interface = interface_opened();
    static struct http_address address;
    static struct http_configuration configuration;
    *x = (struct exchange){.length = REPLY_LENGTH_UNKNOWN, .started = firmware_milliseconds()};
    x->http = interface_child(interface->card, &http_binding_guid, &http_guid, &x->child);
    if (x->http == NULL)
        return "the firmware has no HTTP";
    address =
        (struct http_address){interface->is_default, interface->address, interface->subnet, 0};
    configuration =
        (struct http_configuration){HTTP_VERSION_11, CONNECT_MILLISECONDS, FALSE, &address};
    EFI_STATUS status = x->http->configure(x->http, &configuration);
    if (!EFI_ERROR(status))
        status = firmware_boot->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, note,
                                            (void *)&x->is_done, &x->event);
    x->token = (struct http_token){x->event, EFI_NOT_READY, &x->message};
    return EFI_ERROR(status) ? say_http(status) : NULL;
}

/* Starts the transfer, and waits until its token is signalled. */
static EFI_STATUS transfer(struct exchange *x,
                           EFI_STATUS(EFIAPI *start)(struct http_protocol *, struct http_token *))
{
    x->is_done = false;
    x->token.status = EFI_NOT_READY;
    watchdog_feed();
    EFI_STATUS status = start(x->http, &x->token);
    if (EFI_ERROR(status))
        return status;
    bool is_late = false;
    for (unsigned i = 0; !x->is_done && !is_late && i < ANSWER_SECONDS * POLLS_PER_SECOND; i++) {
        if (i % POLLS_PER_SECOND == 0)
            watchdog_feed();
        x->http->poll(x->http);
        is_late = transport_is_late(x->started, x->moved);
        if (!x->is_done)
            firmware_boot->Stall(POLL_MICROSECONDS);
    }
    if (x->is_done)
        return is_late ? TOO_SLOW : x->token.status;
    x->http->cancel(x->http, &x->token);
    return is_late ? TOO_SLOW : EFI_TIMEOUT;
}

static EFI_STATUS request(struct exchange *x, enum http_method method, const char *url,
                          const char *data, size_t length)
{
    static CHAR16 wide[LOCATION_MAX];
    static char host[LOCATION_MAX], bytes[SIZE_TEXT_MAX];
    struct http_request request = {method, wide};
    struct http_header headers[] = {
        {(CHAR8 *)"Host", (CHAR8 *)host},
        {(CHAR8 *)"User-Agent", (CHAR8 *)"mlpboot"},
        {(CHAR8 *)"Accept", (CHAR8 *)"*/*"},
        {(CHAR8 *)"Content-Length", (CHAR8 *)bytes},
    };
    struct url parts;
    if (url_read(piece_of(url), &parts) != NULL)
        return EFI_INVALID_PARAMETER;
    /* Host and port are all that is between the scheme's slashes and the path. */
    const char *end = url + strlen(url) - parts.path.length;
    text_write(host, sizeof host, "%.*s", (int)(end - parts.host.at), parts.host.at);
    text_write(bytes, sizeof bytes, "%zu", length);
    size_t i = 0;
    for (; url[i] != '\0' && i < LOCATION_MAX - 1; i++)
        wide[i] = (unsigned char)url[i];
    wide[i] = 0;
    x->message = (struct http_message){
        .data.request = &request,
        .headers = method == HTTP_METHOD_PUT ? 4 : 3,
        .header = headers,
        .length = length,
        .body = (void *)data,
    };
    x->moved = length;
    return transfer(x, x->http->request);
}

static bool is_header(const CHAR8 *name, const char *lower)
{
    const char *at = (const char *)name;
    while (*at != '\0' && (*at | 0x20) == *lower)
        at++, lower++;
    return *at == '\0' && *lower == '\0';
}

/* Takes the body's length from the headers, and frees the headers. */
static void take_headers(struct exchange *x)
{
    struct http_header *header = x->message.header;
    for (UINTN i = 0; header != NULL && i < x->message.headers; i++) {
        if (is_header(header[i].name, "content-length"))
            x->length = reply_length((const char *)header[i].value);
        firmware_boot->FreePool(header[i].name);
        firmware_boot->FreePool(header[i].value);
    }
    if (header != NULL)
        firmware_boot->FreePool(header);
}

/* Waits for the response's status and headers, without its body. */
static const char *await_answer(struct exchange *x)
{
    struct http_response response = {0};
    x->message = (struct http_message){.data.response = &response};
    EFI_STATUS status = transfer(x, x->http->response);
    take_headers(x);
    if (EFI_ERROR(status) && status != STATUS_HTTP_ERROR)
        return say_http(status);
    x->status = reply_http_status(response.status);
    return x->status >= 200 && x->status < 300 ? NULL : reply_http_words(x->status, words);
}

/* Waits for `length` bytes of the body. */
static const char *await_body(struct exchange *x, char *buffer, size_t length)
{
    for (size_t got = 0; got < length;) {
        x->message = (struct http_message){.length = length - got, .body = buffer + got};
        EFI_STATUS status = transfer(x, x->http->response);
        if (EFI_ERROR(status))
            return say_http(status);
        if (x->message.length == 0 || x->message.length > length - got)
            return "the server's answer ends early";
        got += x->message.length;
        x->moved = got;
    }
    return NULL;
}

static enum refusal refusal_of(unsigned status)
{
    switch (status) {
    case STATUS_NOT_FOUND:
    case STATUS_GONE:
        return REFUSAL_MISSING;
    case STATUS_UNAUTHORIZED:
    case STATUS_FORBIDDEN:
    case STATUS_NO_METHOD:
        return REFUSAL_DENIED;
    default:
        return REFUSAL_NONE;
    }
}

static const char *http_get(const char *url, char *buffer, size_t room, size_t *length,
                            enum refusal *refusal)
{
    static struct exchange x;
    *length = 0;
    *refusal = REFUSAL_NONE;
    const char *reason = open(&x);
    if (reason == NULL) {
        EFI_STATUS status = request(&x, HTTP_METHOD_GET, url, NULL, 0);
        reason = EFI_ERROR(status) ? say_http(status) : await_answer(&x);
    }
    *refusal = refusal_of(x.status);
    if (reason == NULL && x.length == REPLY_LENGTH_UNKNOWN)
        reason = "the server does not tell how long the file is";
    if (reason == NULL) {
        *length = x.length;
        reason = await_body(&x, buffer, x.length < room ? x.length : room);
    }
    close(&x);
    return reason;
}

static const char *http_put(const char *url, const char *data, size_t length)
{
    static struct exchange x;
    const char *reason = open(&x);
    if (reason == NULL) {
        EFI_STATUS status = request(&x, HTTP_METHOD_PUT, url, data, length);
        reason = EFI_ERROR(status) ? say_http(status) : await_answer(&x);
    }
    close(&x);
    return reason;
}

const struct transport http = {http_get, http_put};
