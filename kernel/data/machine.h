/* machine: which machine this is, as its firmware says. */
#ifndef MLPBOOT_DATA_MACHINE_H
#define MLPBOOT_DATA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_TEXT_MAX 65 /* with the final NUL: SMBIOS once allowed 64 characters, 2.7 any */
#define MACHINE_SOCKETS_MAX 8
#define MACHINE_MODULES_MAX 64

/* Printable ASCII without blanks at its ends; empty: not told. */
typedef char machine_text[MACHINE_TEXT_MAX];

struct machine_system {
    machine_text manufacturer, product, version, serial, uuid, sku, family;
};

struct machine_board {
    machine_text manufacturer, product, version, serial, asset_tag;
};

struct machine_bios {
    machine_text vendor, version, date;
};

/* A socket with a processor in it. Numbers: 0 is not told. */
struct machine_socket {
    machine_text socket, manufacturer, version, serial, asset_tag, part;
    uint32_t mhz_max, mhz, cores, cores_enabled, threads;
};

/* A slot with a module in it. Numbers: 0 is not told. */
struct machine_module {
    machine_text slot, bank, manufacturer, part, serial, asset_tag;
    const char *type; /* "DDR4"; empty: not told, or not known here */
    uint64_t bytes;
    uint32_t mts_max, mts; /* millions of transfers a second: the module's, and as configured */
    uint32_t ranks;
};

struct machine {
    machine_text boot; /* which boot of it this is: a word that no other boot has */
    char source[32];   /* who says so: "SMBIOS 3.0" */
    char reason[240];  /* what is not known and why, or what is wrong with it; empty: nothing */
    struct machine_system system;
    struct machine_board board;
    struct machine_bios bios;
    bool is_in_rack;  /* a rack's or a blade's: nobody is there to switch it on */
    uint32_t sockets; /* filled; the first MACHINE_SOCKETS_MAX are kept */
    struct machine_socket socket[MACHINE_SOCKETS_MAX];
    uint32_t slots, modules; /* of memory, empty ones too; filled: the first are kept */
    struct machine_module module[MACHINE_MODULES_MAX];
};

#endif
