/* url: the parts of an address such as http://server:8000/results. */
#ifndef MLPBOOT_LIB_URL_H
#define MLPBOOT_LIB_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum url_scheme { URL_HTTP, URL_HTTPS, URL_TFTP };

/* Parts of somebody else's text. */
struct url {
    enum url_scheme scheme;
    struct piece host; /* a name, an IPv4 address, or an IPv6 address in brackets; never empty */
    uint16_t port;     /* that of the scheme where none is given */
    struct piece path; /* from its '/' on, or empty */
};

/*
 * Takes an absolute URL apart (RFC 3986, 3). Returns NULL, or what is wrong with it, to be read
 * behind its name: users, queries and fragments are refused. Nothing is decoded.
 */
const char *url_read(struct piece text, struct url *url);

#endif
