/* value: turns the text of one configuration value into the field it stands for. */
#ifndef MLPBOOT_CONFIG_VALUE_H
#define MLPBOOT_CONFIG_VALUE_H

#include "config.h"

/* Without blanks and tabs at either end. */
struct piece piece_trim(struct piece piece);

/* Appends the piece made safe to print: unprintable bytes as '?', a long one cut with "...". */
void piece_show(struct text *text, struct piece piece);

/* Converts a trimmed value into the key's field. False: `reason` says why, the field is void. */
bool value_read(const struct config_key *key, struct piece value, void *field, struct text *reason);

/* Appends what the key accepts: "a number from 5 to 100000". */
void value_accepted(const struct config_key *key, struct text *text);

#endif
