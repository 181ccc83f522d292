/* fuzz_acpi: a firmware's memory of any contents: RSDP, XSDT and tables, each on the heap by itself
 * so that the sanitizer sees whoever reads past what may be read. */
#include "fuzz.h"

#include "../../efi/acpi.h"
#include "../unit/made_tables.h"

#define PIECES_MAX 16
#define RSDP_XSDT 24 /* where the RSDP has the XSDT's address */

/* The input: a byte of flags, then pieces, each with its length in two bytes in front. */
enum { SUMS_ARE_RIGHT = 1, LENGTHS_ARE_RIGHT = 2 };

static struct {
    uint8_t *at;
    size_t bytes;
} piece[PIECES_MAX];
static unsigned pieces;

static bool is_readable(uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < pieces; i++) {
        uint64_t start = (uintptr_t)piece[i].at;
        if (address >= start && address - start <= piece[i].bytes &&
            bytes <= piece[i].bytes - (address - start))
            return true;
    }
    return false;
}

static void take_pieces(const uint8_t *data, size_t size)
{
    for (pieces = 0; pieces < PIECES_MAX && size >= 2; pieces++) {
        size_t bytes = data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        bytes = bytes < size ? bytes : size;
        piece[pieces].at = fuzz_copy(data, bytes);
        piece[pieces].bytes = bytes;
        data += bytes;
        size -= bytes;
    }
}

/* A small number in place of an address is that of a piece. */
static void point(uint8_t *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    if (number < pieces)
        put(at, (uintptr_t)piece[number].at, 8);
}

static void mend(uint8_t flags)
{
    for (unsigned i = 1; i < pieces; i++) {
        if (piece[i].bytes < sizeof(struct acpi_header))
            continue;
        if (flags & LENGTHS_ARE_RIGHT)
            put(piece[i].at + 4, piece[i].bytes, 4);
        if (i == 1)
            for (size_t at = sizeof(struct acpi_header); at + 8 <= piece[i].bytes; at += 8)
                point(piece[i].at + at);
        if (flags & SUMS_ARE_RIGHT)
            make_sum_right(piece[i].at, piece[i].bytes, 9);
    }
    if (pieces == 0 || piece[0].bytes < 36)
        return;
    point(piece[0].at + RSDP_XSDT);
    if (flags & LENGTHS_ARE_RIGHT)
        put(piece[0].at + 20, piece[0].bytes, 4);
    if (flags & SUMS_ARE_RIGHT) {
        make_sum_right(piece[0].at, 20, 8);
        make_sum_right(piece[0].at, piece[0].bytes, 32);
    }
}

static void check_timer(const struct acpi_header *fadt)
{
    struct acpi_pm_timer timer;
    const char *reason = acpi_pm_timer(fadt, &timer);
    if (reason != NULL) {
        fuzz_check_reason(reason);
        return;
    }
    MUST(timer.bits == 24 || timer.bits == 32);
    MUST(timer.port != 0 && timer.port <= UINT16_MAX - 3);
    MUST(acpi_pm_elapsed(&timer, UINT32_MAX, 0) == 1);
}

static void check_table(const char signature[4])
{
    const void *rsdp = pieces > 0 ? piece[0].at : NULL;
    const char *reason = "never said";
    const struct acpi_header *table = acpi_find(rsdp, is_readable, signature, &reason);
    unsigned count = acpi_count(rsdp, is_readable, signature);
    uint8_t sum = 0;
    MUST((table == NULL) == (reason != NULL));
    if (table == NULL) {
        fuzz_check_reason(reason);
        return;
    }
    MUST(count >= 1 && memcmp(table->signature, signature, 4) == 0);
    MUST(table->length >= sizeof *table && is_readable((uintptr_t)table, table->length));
    for (uint32_t i = 0; i < table->length; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)table)[i]);
    MUST(sum == 0);
    if (memcmp(signature, "FACP", 4) == 0)
        check_timer(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    take_pieces(data + 1, size - 1);
    mend(data[0]);
    check_table("FACP");
    check_table("SRAT");
    while (pieces > 0)
        free(piece[--pieces].at);
    return 0;
}
