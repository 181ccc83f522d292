/* fuzz_load_options: any bytes as load options; a setting goes to the parser of settings. */
#include "fuzz.h"

#include "../../efi/load_options.h"
#include "../../kernel/config/config.h"

static void check(const struct load_options *options, bool from_shell)
{
    const char *last = options->memory;
    MUST(options->count <= LOAD_OPTIONS_SETTINGS_MAX);
    for (unsigned i = 0; i < options->count; i++) {
        const char *setting = options->setting[i];
        MUST(setting >= last && setting < options->memory + sizeof options->memory);
        last = setting + strlen(setting);
        MUST(last < options->memory + sizeof options->memory);
        MUST(strchr(setting, '=') != NULL);
        MUST(strcspn(setting, "\\/:") >= strcspn(setting, "="));
        MUST(from_shell || config_knows(setting));
    }
}

/* The first byte: whether a shell started it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct load_options options;
    static struct config config;
    static char said[1 << 17], errors[1 << 16];
    struct text remarks, wrong;
    if (size == 0)
        return 0;
    bool from_shell = data[0] & 1;
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    text_init(&remarks, said, sizeof said);
    memset(&options, 0xa5, sizeof options);
    load_options_read(&options, copy, size - 1, from_shell, &remarks);
    free(copy);
    check(&options, from_shell);
    fuzz_check_lines(options.error, sizeof options.error);
    MUST(remarks.length == 0 || said[remarks.length - 1] == '\n');
    text_init(&wrong, errors, sizeof errors);
    memset(&config, 0, sizeof config);
    unsigned count = 0;
    for (unsigned i = 0; i < options.count; i++)
        count += config_read_setting(&config, "load options", options.setting[i], &wrong);
    count += config_finish(&config, &wrong);
    MUST((count > 0) == (wrong.length > 0));
    fuzz_check_lines(errors, sizeof errors);
    return 0;
}
