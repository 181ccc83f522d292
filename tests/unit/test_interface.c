/* test_interface: an address by DHCP, from a server behind a link that comes up late. */
#include "../../efi/firmware.c"
#include "../../efi/network/interface.c"
#include "fake_firmware.h"
#include "kit.h"

#define SECOND 1000000 /* microseconds */

static uint64_t silent_seconds, patience;
static struct dhcp4_configuration configuration;
static bool is_bound, is_configured;
static EFI_HANDLE card, child;

/* In place of efi/console.c. */
void console_print(const char *text)
{
    console_printf("%s", text);
}

static EFI_STATUS EFIAPI configure(struct dhcp4_protocol *self, struct dhcp4_configuration *as)
{
    assert_non_null(self);
    is_configured = as != NULL;
    if (as != NULL)
        configuration = *as;
    return EFI_SUCCESS;
}

/* Sends a message with each try; the server answers the first one that the link lets pass. */
static EFI_STATUS EFIAPI start(struct dhcp4_protocol *self, EFI_EVENT done)
{
    uint64_t from = fake.microseconds;
    assert_true(self != NULL && done == NULL);
    for (unsigned i = 0; i < configuration.discover_tries && !is_bound; i++) {
        is_bound = fake.microseconds - from >= silent_seconds * SECOND;
        if (!is_bound)
            fake.microseconds += (uint64_t)configuration.discover_seconds[i] * SECOND;
    }
    patience = (fake.microseconds - from) / SECOND;
    assert_compare(fake.fed_for, >, 2 * patience); /* a lease may take as long as an offer */
    return is_bound ? EFI_SUCCESS : EFI_TIMEOUT;
}

static EFI_STATUS EFIAPI get_mode_data(struct dhcp4_protocol *self, struct dhcp4_mode *mode)
{
    assert_non_null(self);
    *mode = (struct dhcp4_mode){.address = {{192, 0, 2, 7}}};
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI end(struct dhcp4_protocol *self)
{
    assert_non_null(self);
    is_bound = false;
    return EFI_SUCCESS;
}

static struct dhcp4_protocol dhcp = {.get_mode_data = get_mode_data,
                                     .configure = configure,
                                     .start = start,
                                     .release = end,
                                     .stop = end};

static EFI_STATUS EFIAPI create_child(EFI_SERVICE_BINDING *self, EFI_HANDLE *made)
{
    assert_non_null(self);
    *made = child;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI destroy_child(EFI_SERVICE_BINDING *self, EFI_HANDLE made)
{
    assert_non_null(self);
    assert_ptr_equal(made, child);
    return EFI_SUCCESS;
}

static EFI_SERVICE_BINDING binding = {create_child, destroy_child};

SETUP(make_card)
{
    fake_firmware_start();
    card = child = fake.owner = &dhcp;
    fake.handles_guid = http_binding_guid.Data1;
    fake.handle[0] = card;
    fake.handles = 1;
    fake_firmware_offer(dhcp4_binding_guid, &binding);
    fake_firmware_offer(dhcp4_guid, &dhcp);
    is_bound = is_configured = false;
}

/* A link that comes up at once, and others that let nothing pass for up to 28 seconds. */
TEST(a_late_link_gets_an_address)
{
    for (silent_seconds = 0; silent_seconds <= 28; silent_seconds += 4) {
        assert_null(interface_open(NULL, NULL));
        assert_int_equal(interface_opened()->address.Addr[3], 7);
        assert_compare(patience, <=, silent_seconds + 16);
        interface_close();
        assert_false(is_bound || is_configured);
    }
}

TEST(a_server_that_stays_silent_is_given_up_after_a_minute)
{
    silent_seconds = UINT32_MAX;
    assert_string_equal(interface_open(NULL, NULL), "no DHCP server gives this machine an address");
    assert_int_equal(patience, 60);
    assert_false(is_configured);
}
