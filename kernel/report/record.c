/* record: saving, and what happens when saving fails. */
#include "record.h"

#include "../lib/string.h"
#include "elements.h"

#define LOG "log.txt"
#define FOLDER_SHOWN_MAX 8 /* characters of its name: a number, mostly */

/* True if the folder's name is short and plain enough for the run's name in blocks. */
static bool is_short_name(const char *folder)
{
    size_t length = 0;
    for (char c; (c = folder[length]) != '\0'; length++)
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')))
            return false;
    return length > 0 && length <= FOLDER_SHOWN_MAX;
}

void record_init(struct record *record, struct platform *platform, uint64_t started)
{
    const char *folder = platform->folder;
    bool is_shown = folder != NULL && is_short_name(folder);
    record->platform = platform;
    record->failed = record->is_printed = record->has_report = record->no_report = false;
    memset(record->files, 0, sizeof record->files);
    text_write(record->run, sizeof record->run, "%s%s%08x", is_shown ? folder : "",
               is_shown ? "-" : "", (uint32_t)started);
    platform->run = record->run;
    text_init(&record->log, record->log_memory, sizeof record->log_memory);
}

/* Returns the file of that name; adds it if it is new. */
static struct record_file *find(struct record *record, const char *name)
{
    struct record_file *file = record->files, *last = file + RECORD_FILES_MAX - 1;
    while (file < last && file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    if (file->name == NULL) {
        file->name = name;
        sha256_start(&file->content);
    }
    return file;
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
    for (struct piece rest = piece_of(lines); rest.length > 0; piece_take(&rest, "\n")) {
        struct piece line = piece_until(&rest, "\n");
        record_event(record, "event=%s message=%.*s", event, (int)line.length, line.at);
    }
}

void record_news(struct record *record)
{
    struct platform *platform = record->platform;
    const char *news = platform->news != NULL ? platform->news(platform) : NULL;
    if (news != NULL)
        record_lines(record, "place", news);
}

/* Prints on a line of its own what became of a file, and why. */
static void print(struct record *record, const char *file, const char *what, const char *reason)
{
    const char *const parts[] = {"\n", file, what, ": ", reason, "\n"};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        record->platform->print(record->platform, parts[i]);
}

/* Prints a line of the log, or around it, if the platform prints the log. */
static void print_log(struct record *record, const char *line)
{
    if (record->platform->prints_log)
        record->platform->record(record->platform, line);
}

/* Prints, once, the line that everything printed of a run follows. */
static void begin_log(struct record *record)
{
    if (!record->is_printed)
        print_log(record, "=== mlpboot log.txt begin ===\n");
    record->is_printed = true;
}

static void print_reason(struct record *record, struct record_file *file, const char *reason)
{
    char words[sizeof file->reason];
    record->failed = true;
    if (strcmp(file->reason, text_write(words, sizeof words, "%s", reason)) == 0)
        return;
    memcpy(file->reason, words, sizeof words);
    begin_log(record);
    print(record, file->name, " could not be saved", reason);
}

void record_tell_missing(const struct record *record, struct text *text)
{
    const char *reason = NULL;
    for (const struct record_file *f = record->files; f < record->files + RECORD_FILES_MAX; f++)
        if (f->reason[0] != '\0') {
            text_printf(text, "%s%s", reason == NULL ? "could not save " : " ", f->name);
            reason = f->reason;
        }
    if (reason != NULL)
        text_printf(text, ": %s", reason);
}

/* Prints what was appended and not printed yet; `last` alone where the platform holds no more. */
static void print_rest(struct record *record, struct record_file *file, const struct text *last)
{
    struct platform *platform = record->platform;
    const struct block_file block = {record->run, file->name, file->version = 1};
    uint64_t before = file->content.length - last->length;
    const char *data;
    size_t length;
    if (file->printed < before && platform->held != NULL &&
        platform->held(platform, file->name, &data, &length) && length >= before)
        blocks_print(platform, &block, file->printed, data + file->printed, before - file->printed);
    blocks_print(platform, &block, before, last->at, last->length);
    file->printed = file->content.length;
    file->is_open = true;
}

/* Adds a part of a file to the report or, with `starts_anew`, all of it: one element then, without
 * text too. */
static void add_to_report(struct record *record, const char *file, const struct text *text,
                          bool starts_anew)
{
    struct platform *platform = record->platform;
    if (platform->report == NULL || record->no_report)
        return;
    struct element part = {platform->folder, file, starts_anew};
    struct text element = {platform->allocate(platform, RECORD_REPORT_BYTES), RECORD_REPORT_BYTES,
                           0, false};
    const char *reason = element.at == NULL ? "there is not enough memory" : NULL;
    for (size_t done = 0; reason == NULL && (done < text->length || part.starts_anew);
         part.starts_anew = false) {
        done += element_make(&element, &part, text->at + done, text->length - done);
        reason = platform->report(platform, element.at, element.length);
        record->has_report |= reason == NULL;
    }
    platform_release(platform, element.at, RECORD_REPORT_BYTES);
    if (reason == NULL)
        return;
    record->no_report = true;
    print(record, "report.html",
          record->has_report ? " holds no more of this run" : " is not written", reason);
    if (strcmp(file, LOG) != 0) /* whose last event stays the last one */
        record_event(record, "event=report reason=%s", reason);
}

/* Appends to a file. False: that failed, and the text is printed instead. */
static bool append(struct record *record, const char *name, const struct text *text)
{
    struct record_file *file = find(record, name);
    const char *reason = record->platform->append(record->platform, name, text->at, text->length);
    sha256_add(&file->content, text->at, text->length);
    if (reason != NULL)
        print_reason(record, file, reason);
    if (reason != NULL || file->is_open)
        print_rest(record, file, text);
    return reason == NULL;
}

void record_append(struct record *record, const char *file, const struct text *text)
{
    if (append(record, file, text))
        add_to_report(record, file, text, false);
}

void record_replace(struct record *record, const char *name, const struct text *text, bool final)
{
    struct record_file *file = find(record, name);
    const char *reason = record->platform->replace(record->platform, name, text->at, text->length);
    if (reason != NULL) {
        print_reason(record, file, reason);
    } else if (final || !file->in_report) {
        add_to_report(record, name, text, true);
        file->in_report = true;
    }
    bool is_begun = file->version > 0;
    if (is_begun ? !final : reason == NULL)
        return;
    const struct block_file block = {record->run, name, ++file->version};
    blocks_print_file(record->platform, &block, text->at, text->length);
}

void record_save_log(struct record *record)
{
    char memory[RECORD_COLUMNS + 3];
    begin_log(record);
    for (struct piece rest = {record->log.at, record->log.length}; rest.length > 0;
         piece_take(&rest, "\n")) {
        struct piece line = piece_until(&rest, "\n");
        for (; line.length > RECORD_COLUMNS; piece_drop(&line, RECORD_COLUMNS))
            print_log(record,
                      text_write(memory, sizeof memory, "%.*s\\\n", RECORD_COLUMNS, line.at));
        print_log(record, text_write(memory, sizeof memory, "%.*s\n", (int)line.length, line.at));
    }
    if (append(record, LOG, &record->log))
        add_to_report(record, LOG, &record->log, false);
    text_clear(&record->log);
}

void record_end_log(struct record *record)
{
    record_save_log(record);
    print_log(record, "=== mlpboot log.txt end ===\n");
    for (const struct record_file *file = record->files; file < record->files + RECORD_FILES_MAX;
         file++) {
        const struct block_file block = {record->run, file->name, file->version};
        if (file->is_open)
            blocks_print_whole(record->platform, &block, &file->content);
    }
}
