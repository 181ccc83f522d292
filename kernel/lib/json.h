/* json: run.json, member by member, indented, always closed properly. */
#ifndef MLPBOOT_REPORT_JSON_H
#define MLPBOOT_REPORT_JSON_H

#include "text.h"

struct json {
    struct text *text;
    unsigned depth;
    bool needs_comma;
};

/* Starts the outermost object; json_end closes everything that is still open. */
void json_begin(struct json *json, struct text *text);
void json_end(struct json *json);

/* Members of the open object. Any bytes are escaped as needed; what is neither UTF-8 nor below 0x20
 * becomes `?`, and so do other control characters. */
void json_text(struct json *json, const char *name, const char *value);
void json_number(struct json *json, const char *name, double value, unsigned decimals);
void json_hex(struct json *json, const char *name, uint64_t value); /* as text: "0x1f" */
void json_bool(struct json *json, const char *name, bool value);

/* A nested object, and its end. */
void json_open(struct json *json, const char *name);
void json_close(struct json *json);

#endif
