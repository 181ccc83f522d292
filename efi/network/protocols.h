/* protocols: EFI_HTTP, EFI_DHCP4 and EFI_IP4_CONFIG2, of which gnu-efi 3.0.15 has no headers.
 * Members that are only passed over are void pointers. Source: UEFI 2.10, 29.6 (HTTP), 29.2
 * (DHCPv4), 28.5 (IPv4 configuration II). */
#ifndef MLPBOOT_EFI_NETWORK_PROTOCOLS_H
#define MLPBOOT_EFI_NETWORK_PROTOCOLS_H

#include <efi.h>

static const EFI_GUID http_binding_guid = {
    0xbdc8e6af, 0xd9bc, 0x4379, {0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c}};
static const EFI_GUID http_guid = {
    0x7a59b29b, 0x910b, 0x4171, {0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b}};
static const EFI_GUID dhcp4_binding_guid = {
    0x9d9a39d8, 0xbd42, 0x4a73, {0xa4, 0xd5, 0x8e, 0xe9, 0x4b, 0xe1, 0x13, 0x80}};
static const EFI_GUID dhcp4_guid = {
    0x8a219718, 0x4ef5, 0x4761, {0x91, 0xc8, 0xc0, 0xf0, 0x4b, 0xda, 0x9e, 0x56}};
static const EFI_GUID ip4_config2_guid = {
    0x5b446ed1, 0xe30b, 0x4faa, {0x87, 0x1a, 0x36, 0x54, 0xec, 0xa3, 0x60, 0x80}};

#define STATUS_HTTP_ERROR EFIERR(35) /* the status code tells; UEFI 2.10, appendix D */

/* --- HTTP --- */

enum http_version { HTTP_VERSION_10, HTTP_VERSION_11 };
enum http_method { HTTP_METHOD_GET = 0, HTTP_METHOD_PUT = 6 };

struct http_address {
    BOOLEAN uses_default;
    EFI_IPv4_ADDRESS address;
    EFI_IPv4_ADDRESS subnet;
    UINT16 port;
};

struct http_configuration {
    UINT32 version;
    UINT32 timeout_milliseconds;
    BOOLEAN is_ipv6;
    struct http_address *address;
};

struct http_request {
    UINT32 method;
    CHAR16 *url;
};

struct http_response {
    UINT32 status; /* counted as http_status of replies.h does */
};

struct http_header {
    CHAR8 *name;
    CHAR8 *value;
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    } data;
    UINTN headers;
    struct http_header *header; /* of a response: the caller frees it, and each text in it */
    UINTN length;
    VOID *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http_protocol {
    void *get_mode_data;
    EFI_STATUS(EFIAPI *configure)(struct http_protocol *self, struct http_configuration *as);
    EFI_STATUS(EFIAPI *request)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *cancel)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *response)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *poll)(struct http_protocol *self);
};

/* --- DHCP --- */

enum dhcp4_event { DHCP4_OFFER_RECEIVED = 2 };

/* The fixed part of a message (RFC 2131, 2); addresses that nobody gives are zero. */
struct dhcp4_packet {
    UINT32 size, length;
    UINT8 kind, hardware, address_bytes, hops;
    UINT32 number;
    UINT16 seconds, flags;
    EFI_IPv4_ADDRESS client, yours;
};

struct dhcp4_protocol;

struct dhcp4_configuration {
    UINT32 discover_tries;
    UINT32 *discover_seconds; /* for each try */
    UINT32 request_tries;
    UINT32 *request_seconds;
    EFI_IPv4_ADDRESS address;
    EFI_STATUS(EFIAPI *callback)
    (struct dhcp4_protocol *self, void *context, UINT32 state, UINT32 event,
     struct dhcp4_packet *packet, struct dhcp4_packet **changed);
    void *context;
    UINT32 options;
    void *option;
};

struct dhcp4_mode {
    UINT32 state;
    struct dhcp4_configuration configuration;
    EFI_IPv4_ADDRESS address;
    EFI_MAC_ADDRESS mac;
    EFI_IPv4_ADDRESS server;
    EFI_IPv4_ADDRESS router;
    EFI_IPv4_ADDRESS subnet;
    UINT32 lease_seconds;
    void *reply;
};

struct dhcp4_protocol {
    EFI_STATUS(EFIAPI *get_mode_data)(struct dhcp4_protocol *self, struct dhcp4_mode *mode);
    EFI_STATUS(EFIAPI *configure)(struct dhcp4_protocol *self, struct dhcp4_configuration *as);
    EFI_STATUS(EFIAPI *start)(struct dhcp4_protocol *self, EFI_EVENT done);
    void *renew_rebind;
    EFI_STATUS(EFIAPI *release)(struct dhcp4_protocol *self);
    EFI_STATUS(EFIAPI *stop)(struct dhcp4_protocol *self);
};

/* --- the firmware's own address --- */

enum ip4_data { IP4_INTERFACE_INFO };

/* A route table lies behind it in the same buffer. */
struct ip4_interface {
    CHAR16 name[32];
    UINT8 type;
    UINT32 mac_bytes;
    EFI_MAC_ADDRESS mac;
    EFI_IPv4_ADDRESS address;
    EFI_IPv4_ADDRESS subnet;
    UINT32 routes;
    void *route;
};

struct ip4_config2 {
    void *set_data;
    EFI_STATUS(EFIAPI *get_data)(struct ip4_config2 *self, UINT32 what, UINTN *bytes, void *data);
};

#endif
