/* record: saving, and what happens when saving fails. */
#include "record.h"

#include "elements.h"

void record_init(struct record *record, struct platform *platform)
{
    record->platform = platform;
    record->failed = record->is_printed = record->has_report = record->no_report = false;
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

void record_lines(struct record *record, const char *event, const char *lines)
{
    while (*lines != '\0') {
        size_t length = 0;
        while (lines[length] != '\0' && lines[length] != '\n')
            length++;
        record_event(record, "event=%s message=%.*s", event, (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void record_news(struct record *record)
{
    struct platform *platform = record->platform;
    const char *news = platform->news != NULL ? platform->news(platform) : NULL;
    if (news != NULL)
        record_lines(record, "place", news);
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

static void end_report(struct record *record, const char *reason)
{
    const char *what =
        record->has_report ? "report.html holds no more of this run" : "report.html is not written";
    record->no_report = true;
    print(record, "\n");
    print(record, what);
    print(record, ": ");
    print(record, reason);
    print(record, "\n");
    record_event(record, "event=report reason=%s", reason);
}

static const char *put_element(void *context, const struct text *element)
{
    struct record *record = context;
    struct platform *platform = record->platform;
    const char *reason = platform->report(platform, element->at, element->length);
    record->has_report |= reason == NULL;
    return reason;
}

/* A part of a file, or with `starts_anew` all of it. */
static void add_to_report(struct record *record, const char *file, const struct text *text,
                          bool starts_anew)
{
    struct platform *platform = record->platform;
    if (platform->report == NULL || record->no_report)
        return;
    struct element of = {platform->folder, file, starts_anew};
    const char *reason = "there is not enough memory";
    char *memory = platform->allocate(platform, RECORD_REPORT_BYTES);
    if (memory != NULL) {
        struct text element;
        text_init(&element, memory, RECORD_REPORT_BYTES);
        reason = elements_put(&element, &of, text->at, text->length, put_element, record);
    }
    platform_release(platform, memory, RECORD_REPORT_BYTES);
    if (reason != NULL)
        end_report(record, reason);
}

/* False: printed instead. */
static bool append(struct record *record, const char *file, const struct text *text)
{
    const char *reason = record->platform->append(record->platform, file, text->at, text->length);
    if (reason == NULL)
        return true;
    print_reason(record, file, reason);
    print_whole(record, file, text);
    return false;
}

void record_append(struct record *record, const char *file, const struct text *text)
{
    if (append(record, file, text))
        add_to_report(record, file, text, false);
}

void record_replace(struct record *record, const char *file, const struct text *text, bool final)
{
    const char *reason = record->platform->replace(record->platform, file, text->at, text->length);
    if (reason == NULL) {
        add_to_report(record, file, text, true);
        return;
    }
    print_reason(record, file, reason);
    if (final)
        print_whole(record, file, text);
}

/* One line, in pieces that no console breaks. */
static void print_line(struct record *record, const char *line, size_t length)
{
    char memory[RECORD_COLUMNS + 3];
    for (; length > RECORD_COLUMNS; line += RECORD_COLUMNS, length -= RECORD_COLUMNS)
        print(record, text_write(memory, sizeof memory, "%.*s\\\n", RECORD_COLUMNS, line));
    print(record, text_write(memory, sizeof memory, "%.*s\n", (int)length, line));
}

static void print_lines(struct record *record, const struct text *text)
{
    for (const char *line = text->at, *end; *line != '\0'; line = end + (*end == '\n')) {
        for (end = line; *end != '\0' && *end != '\n'; end++)
            ;
        print_line(record, line, (size_t)(end - line));
    }
}

static void print_marker(struct record *record, const char *file, const char *which)
{
    char memory[80];
    print(record, text_write(memory, sizeof memory, "=== mlpboot %s %s ===\n", file, which));
}

void record_save_log(struct record *record)
{
    if (record->platform->prints_files) {
        if (!record->is_printed)
            print_marker(record, "log.txt", "begin");
        record->is_printed = true;
        print_lines(record, &record->log);
    }
    append(record, "log.txt", &record->log);
    text_clear(&record->log);
}

void record_end_log(struct record *record)
{
    record_save_log(record);
    if (record->platform->prints_files)
        print_marker(record, "log.txt", "end");
}

void record_print(struct record *record, const char *file, const struct text *text)
{
    if (!record->platform->prints_files)
        return;
    print_marker(record, file, "begin");
    print_lines(record, text);
    print_marker(record, file, "end");
}
