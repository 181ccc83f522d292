/* load_options: the words that a shell or a boot manager hands over, as settings. No firmware
 * header, so that tests can hand it bytes of their own. */
#ifndef MLPBOOT_EFI_LOAD_OPTIONS_H
#define MLPBOOT_EFI_LOAD_OPTIONS_H

#include <stddef.h>

#include "../kernel/lib/text.h"

#define LOAD_OPTIONS_CHARACTERS_MAX 4096 /* more than a shell's line */
#define LOAD_OPTIONS_SETTINGS_MAX 64

struct load_options {
    unsigned count;
    const char *setting[LOAD_OPTIONS_SETTINGS_MAX]; /* "key=value", as for config_read_setting */
    char error[160]; /* a line, of which each configuration is refused; "": all can be read */
    char memory[LOAD_OPTIONS_CHARACTERS_MAX + 1];
};

/*
 * Takes the words with a '=' out of what a shell or a boot manager hands over (UEFI 2.10,
 * EFI_LOADED_IMAGE_PROTOCOL; UEFI Shell 2.2, 3.7): UTF-16, the form of a shell's command line, or
 * plain text, with or without a byte order mark. Settings come out in UTF-8; one with a character
 * that is none is there as it is, to be refused by who reads it. Blanks and single NULs end a word,
 * two NULs the text. Blanks inside of double quotes belong to a word, the quotes do not; a quote
 * that is not closed is an error, as are words or characters that are too many. Words that are no
 * settings are left out, with a line in `remarks`: words without '=', paths; a program's name in
 * front needs none. A key that there is not is left for who reads the settings to refuse, if a
 * person at a shell wrote it; a boot manager's options may be meant for another program (U-Boot
 * hands over those of Linux) or be no text (edk2 marks entries of its own), and are left out, too.
 * `data` may be NULL, may lie anywhere, and may end with or without a NUL.
 */
void load_options_read(struct load_options *options, const void *data, size_t bytes,
                       bool from_shell, struct text *remarks);

#endif
