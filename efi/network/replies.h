/* replies: what servers answer, in words. */
#ifndef MLPBOOT_EFI_NETWORK_REPLIES_H
#define MLPBOOT_EFI_NETWORK_REPLIES_H

#include <stddef.h>
#include <stdint.h>

#define REPLY_WORDS_MAX 192

/*
 * The number of a status that the firmware counts by its place in a list (UEFI 2.10, 29.6,
 * EFI_HTTP_STATUS_CODE: 1 is 100, 3 is 200); 0: one that it does not know.
 */
unsigned reply_http_status(uint32_t counted);

#define REPLY_LENGTH_UNKNOWN SIZE_MAX

/* The bytes that a Content-Length tells (RFC 9110, 8.6); unknown where it is no number. */
size_t reply_length(const char *digits);

/* "the server answered 403 (forbidden)"; returns `words`. */
const char *reply_http_words(unsigned status, char words[REPLY_WORDS_MAX]);

/*
 * "the server says: ..." of a TFTP error packet (RFC 1350, 5): its code and its text, in which
 * there may be any bytes, so many of them, or fewer and a NUL. Returns `words`.
 */
const char *reply_tftp_words(uint16_t code, const char *text, size_t length,
                             char words[REPLY_WORDS_MAX]);

#endif
