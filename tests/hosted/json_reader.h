/* json_reader: a few members out of a JSON text, all of which has to be right. */
#ifndef MLPBOOT_HOSTED_JSON_READER_H
#define MLPBOOT_HOSTED_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 32  /* objects and arrays in each other */
#define JSON_PATH_MAX 256  /* characters of a member's path; longer ones are never wanted */
#define JSON_TEXT_MAX 256  /* characters kept of a text; what is longer is cut */
#define JSON_DIGITS_MAX 64 /* characters of a number */

/* A member that is wanted: either `text`, of JSON_TEXT_MAX bytes, or `number` is not NULL. */
struct json_member {
    const char *path; /* "processor.brand": names of objects, then its own, with dots between; a
                       * name that is `*` is any one, and of several members the last counts */
    char *text;       /* empty where there is none; what is not printable ASCII becomes `?` */
    double *number;   /* NAN where there is none */
};

/*
 * Reads `length` bytes of JSON (RFC 8259) that are an object, after a UTF-8 byte order mark if
 * there is one, and fills what is wanted; null is as good as not there, a name twice means the
 * last. Any bytes are safe. False: `error` names the line and what was expected; what was filled by
 * then is of no meaning.
 */
bool json_read(const char *data, size_t length, const struct json_member *wanted, size_t count,
               char *error, size_t error_size);

/* A text, a number or true and false as text; empty for null. Texts as above. */
typedef void json_visitor(void *context, const char *path, const char *text);

/* The same for every member that is neither object nor array, nor inside of an array. */
bool json_visit(const char *data, size_t length, json_visitor *visit, void *context, char *error,
                size_t error_size);

#endif
