/* record: saving, and what happens when saving fails. */
#include "record.h"

void record_init(struct record *record, struct platform *platform)
{
    record->platform = platform;
    record->failed = false;
    text_init(&record->log, record->log_memory, sizeof record->log_memory);
}

void record_event(struct record *record, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&record->log, format, arguments);
    va_end(arguments);
    text_char(&record->log, '\n');
}

static void print(struct record *record, const char *text)
{
    record->platform->print(record->platform, text);
}

static void print_reason(struct record *record, const char *file, const char *reason)
{
    record->failed = true;
    print(record, "\n");
    print(record, file);
    print(record, " could not be saved: ");
    print(record, reason);
    print(record, "\n");
}

static void print_whole(struct record *record, const char *file, const struct text *text)
{
    print(record, "--- begin ");
    print(record, file);
    print(record, " ---\n");
    print(record, text->at);
    print(record, "--- end ");
    print(record, file);
    print(record, " ---\n");
}

void record_append(struct record *record, const char *file, const struct text *text)
{
    const char *reason = record->platform->append(record->platform, file, text->at, text->length);
    if (reason == NULL)
        return;
    print_reason(record, file, reason);
    print_whole(record, file, text);
}

void record_replace(struct record *record, const char *file, const struct text *text, bool final)
{
    const char *reason = record->platform->replace(record->platform, file, text->at, text->length);
    if (reason == NULL)
        return;
    print_reason(record, file, reason);
    if (final)
        print_whole(record, file, text);
}

void record_save_log(struct record *record)
{
    record_append(record, "log.txt", &record->log);
    text_clear(&record->log);
}
