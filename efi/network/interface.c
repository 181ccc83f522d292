/* interface: finds cards by HTTP's service binding; addresses come from PXE, firmware, or DHCP. */
#include "interface.h"

#include "../../kernel/lib/string.h"
#include "../console.h"
#include "../firmware.h"
#include "../watchdog.h"
#include "protocols.h"

#define LEASE_SECONDS 180    /* more than all tries, of offer and of lease, take */
#define INTERFACE_BYTES 4096 /* EFI_IP4_CONFIG2_INTERFACE_INFO with its routes */

static struct network_interface interface;
static bool is_open;
static EFI_HANDLE leased;    /* the DHCP child that holds the address; NULL: none */
static EFI_HANDLE connected; /* the card to which we connected drivers; NULL: none */

/* A card that a boot manager opened exclusively and lends us, such as GRUB while it waits. */
static struct {
    EFI_HANDLE card, owner;
} lent_card;

void *interface_child(EFI_HANDLE card, const EFI_GUID *binding, const EFI_GUID *protocol,
                      EFI_HANDLE *child)
{
    EFI_SERVICE_BINDING *service = firmware_protocol(card, binding);
    *child = NULL;
    if (service == NULL || EFI_ERROR(service->CreateChild(service, child)))
        return NULL;
    void *found = firmware_protocol(*child, protocol);
    if (found == NULL)
        service->DestroyChild(service, *child);
    return found;
}

void interface_destroy(EFI_HANDLE card, const EFI_GUID *binding, EFI_HANDLE child)
{
    EFI_SERVICE_BINDING *service = firmware_protocol(card, binding);
    if (service != NULL)
        service->DestroyChild(service, child);
}

static bool is_zero(const EFI_IPv4_ADDRESS *address)
{
    static const EFI_IPv4_ADDRESS zero;
    return memcmp(address, &zero, sizeof zero) == 0;
}

/* --- cards --- */

/* Returns the handle on the way to this one, or itself, that has the protocol; NULL: none has. */
static EFI_HANDLE card_below(EFI_HANDLE handle, const EFI_GUID *guid)
{
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
    EFI_DEVICE_PATH *path = firmware_protocol(handle, &path_guid);
    EFI_HANDLE found;
    if (path == NULL || EFI_ERROR(firmware_boot->LocateDevicePath((EFI_GUID *)guid, &path, &found)))
        return NULL;
    return found;
}

static EFI_STATUS connect(EFI_HANDLE handle)
{
    watchdog_feed();
    return firmware_boot->ConnectController(handle, NULL, NULL, TRUE);
}

/* Finds the card, and connects drivers to one that iPXE made, which has none of the firmware's. */
static EFI_HANDLE card_of(EFI_HANDLE loader)
{
    EFI_GUID network = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    EFI_HANDLE card = card_below(loader, &http_binding_guid);
    if (card != NULL)
        return card;
    EFI_HANDLE bare = card_below(loader, &network);
    if (bare == NULL || EFI_ERROR(connect(bare)))
        return NULL;
    connected = bare;
    return card_below(loader, &http_binding_guid);
}

static EFI_HANDLE *handles_with(const EFI_GUID *guid, UINTN *count)
{
    EFI_HANDLE *handles;
    if (EFI_ERROR(
            firmware_boot->LocateHandleBuffer(ByProtocol, (EFI_GUID *)guid, NULL, count, &handles)))
        return NULL;
    return handles;
}

/* Closes the first exclusive open of the card, which keeps drivers out. */
static void borrow_card(EFI_HANDLE card)
{
    EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *users;
    UINTN count;
    if (lent_card.card != NULL ||
        EFI_ERROR(firmware_boot->OpenProtocolInformation(card, &guid, &users, &count)))
        return;
    for (UINTN i = 0; i < count && lent_card.card == NULL; i++)
        if (users[i].Attributes == EFI_OPEN_PROTOCOL_EXCLUSIVE &&
            !EFI_ERROR(firmware_boot->CloseProtocol(card, &guid, users[i].AgentHandle,
                                                    users[i].ControllerHandle))) {
            lent_card.card = card;
            lent_card.owner = users[i].AgentHandle;
        }
    firmware_boot->FreePool(users);
    if (lent_card.card == card)
        connect(card);
}

/* Reopens the card exclusively, which disconnects the drivers. */
static void return_card(void)
{
    EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    void *protocol;
    if (lent_card.card != NULL)
        firmware_boot->OpenProtocol(lent_card.card, &guid, &protocol, lent_card.owner, NULL,
                                    EFI_OPEN_PROTOCOL_EXCLUSIVE);
    lent_card.card = NULL;
}

static void borrow_cards(void)
{
    EFI_GUID guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;
    UINTN count;
    EFI_HANDLE *handles = handles_with(&guid, &count);
    for (UINTN i = 0; handles != NULL && i < count; i++)
        borrow_card(handles[i]);
    if (handles != NULL)
        firmware_boot->FreePool(handles);
}

/* --- addresses --- */

static bool has_own_address(EFI_HANDLE card)
{
    static union {
        struct ip4_interface interface;
        uint8_t bytes[INTERFACE_BYTES];
    } info;
    struct ip4_config2 *own = firmware_protocol(card, &ip4_config2_guid);
    UINTN bytes = sizeof info;
    if (own == NULL || EFI_ERROR(own->get_data(own, IP4_INTERFACE_INFO, &bytes, &info)) ||
        is_zero(&info.interface.address))
        return false;
    interface =
        (struct network_interface){card, info.interface.address, info.interface.subnet, true};
    return true;
}

/* Takes the first offer of an address: without this the firmware waits for others, too. */
static EFI_STATUS EFIAPI take_offer(struct dhcp4_protocol *self, void *context, UINT32 state,
                                    UINT32 event, struct dhcp4_packet *packet,
                                    struct dhcp4_packet **changed)
{
    (void)self, (void)context, (void)state, (void)changed;
    return event == DHCP4_OFFER_RECEIVED && is_zero(&packet->yours) ? EFI_NOT_READY : EFI_SUCCESS;
}

/*
 * Asks DHCP for an address. Returns NULL, or why it got no address. Waits as long as edk2's own
 * boot does (DxeNetLib): a port of a switch with spanning tree lets nothing pass for 30 seconds
 * after its link came up, and connecting a driver may bounce the link.
 */
static const char *lease(EFI_HANDLE card)
{
    static struct dhcp4_mode mode;
    UINT32 seconds[] = {4, 8, 16, 32};
    UINT32 tries = sizeof seconds / sizeof *seconds;
    struct dhcp4_configuration configuration = {.discover_tries = tries,
                                                .discover_seconds = seconds,
                                                .request_tries = tries,
                                                .request_seconds = seconds,
                                                .callback = take_offer};
    struct dhcp4_protocol *dhcp = interface_child(card, &dhcp4_binding_guid, &dhcp4_guid, &leased);
    if (dhcp == NULL) {
        leased = NULL;
        return "the firmware has no DHCP";
    }
    console_print("asking for an address on the network, for a minute at most ...");
    watchdog_feed_for(LEASE_SECONDS);
    EFI_STATUS status = dhcp->configure(dhcp, &configuration);
    if (!EFI_ERROR(status))
        status = dhcp->start(dhcp, NULL);
    watchdog_feed();
    if (!EFI_ERROR(status))
        status = dhcp->get_mode_data(dhcp, &mode);
    if (!EFI_ERROR(status) && !is_zero(&mode.address)) {
        const UINT8 *a = mode.address.Addr;
        console_printf(" %u.%u.%u.%u\n", a[0], a[1], a[2], a[3]);
        interface = (struct network_interface){card, mode.address, mode.subnet, false};
        return NULL;
    }
    dhcp->stop(dhcp);
    dhcp->configure(dhcp, NULL);
    interface_destroy(card, &dhcp4_binding_guid, leased);
    leased = NULL;
    console_print(" none\n");
    return "no DHCP server gives this machine an address";
}

static const char *take_address(EFI_HANDLE card, const EFI_IPv4_ADDRESS lent[2])
{
    if (lent != NULL) {
        interface = (struct network_interface){card, lent[0], lent[1], false};
        return NULL;
    }
    return has_own_address(card) ? NULL : lease(card);
}

static const char *take_any(void)
{
    const char *reason = "the firmware has no HTTP on any network card; is its network stack on?";
    UINTN count;
    EFI_HANDLE *cards = handles_with(&http_binding_guid, &count);
    if (cards == NULL) {
        firmware_connect(PCI_CLASS_NETWORK);
        borrow_cards();
        cards = handles_with(&http_binding_guid, &count);
    }
    for (UINTN i = 0; cards != NULL && i < count; i++) {
        reason = take_address(cards[i], NULL);
        if (reason == NULL)
            break;
    }
    if (cards != NULL)
        firmware_boot->FreePool(cards);
    return reason;
}

const char *interface_open(EFI_HANDLE loader, const EFI_IPv4_ADDRESS lent[2])
{
    if (is_open)
        return NULL;
    const char *reason;
    if (loader == NULL) {
        reason = take_any();
    } else {
        EFI_HANDLE card = card_of(loader);
        reason = card != NULL ? take_address(card, lent)
                              : "the firmware has no HTTP for the network card that this came by";
    }
    if (reason != NULL)
        interface_close();
    is_open = reason == NULL;
    return reason;
}

const struct network_interface *interface_opened(void)
{
    return &interface;
}

void interface_close(void)
{
    if (leased != NULL) {
        struct dhcp4_protocol *dhcp = firmware_protocol(leased, &dhcp4_guid);
        if (dhcp != NULL) {
            dhcp->release(dhcp);
            dhcp->stop(dhcp);
            dhcp->configure(dhcp, NULL);
        }
        interface_destroy(interface.card, &dhcp4_binding_guid, leased);
        leased = NULL;
    }
    if (connected != NULL) {
        watchdog_feed();
        firmware_boot->DisconnectController(connected, NULL, NULL);
        connected = NULL;
    }
    return_card();
    is_open = false;
}
