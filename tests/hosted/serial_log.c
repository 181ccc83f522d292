/* serial_log: tells, line by line, blocks and plain files from other output. */
#define _GNU_SOURCE 1 /* memmem */
#include "serial_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/report/record.h"
#include "grow.h"

#define MARK "=== mlpboot "
#define MARK_END " ==="
#define LOG "log.txt"
#define WORDS_MAX 9 /* words of a title, and one more to notice too many */
#define DIGITS_MAX 15
#define FILES_MAX 64 /* files of a run, each writing counted; a run has eight */

struct log_slice {
    const char *at;
    size_t length;
};

/* The first line of a block. */
struct title {
    struct log_slice text;
    char run[BLOCK_RUN_MAX], file[BLOCK_FILE_MAX];
    uint64_t version, at, bytes;
    bool is_end; /* `bytes` is the whole file's size, and no text follows */
};

struct titles {
    struct title *at;
    size_t count;
};

struct log_reader {
    struct serial_log *log;
    size_t used;   /* bytes used, from the start of the log's memory */
    size_t margin; /* characters before the last mark: a time, perhaps */
    bool has_run;  /* the last line of a run belonged to one: */
    size_t run;
    bool in_block; /* the block of `title`, whose text begins at: */
    struct title title;
    size_t start;
    bool in_log;  /* between the marks of log.txt */
    bool goes_on; /* the log's last line does */
    struct titles damaged;
    bool no_memory;
};

/* --- what terminals add ---------------------------------------------------------------------- */

/* Returns the length of the control sequence that begins with ESC (ECMA-48, 5.4 and 5.6), or 1. */
static size_t sequence_length(const char *at, const char *end)
{
    const char *c = at + 1;

    if (c < end && *c == ']') { /* up to BEL or ESC, within the line */
        while (c < end && *c != '\a' && *c != '\033' && *c != '\n')
            c++;
        return (size_t)(c - at) + (c < end && *c == '\a');
    }
    if (c == end || *c != '[')
        return 1;
    for (c++; c < end && *c >= 0x20 && *c < 0x40;)
        c++;
    return (size_t)(c - at) + (c < end && *c >= 0x40 && *c < 0x7f);
}

/* Drops control sequences and other cursor movements; returns the length left. */
static size_t clean(char *to, const char *data, size_t length)
{
    const char *end = data + length;
    size_t used = 0;

    while (data < end) {
        if (*data == '\033')
            data += sequence_length(data, end);
        else if (*data == '\r' || *data == '\b' || *data == '\0')
            data++;
        else
            to[used++] = *data++;
    }
    return used;
}

/* --- titles ---------------------------------------------------------------------------------- */

static bool is_word(struct log_slice word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

static bool read_number(struct log_slice word, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return false;
        *number = *number * 10 + (uint64_t)(word.at[i] - '0');
    }
    return word.length > 0 && word.length <= DIGITS_MAX;
}

/* Reads a name that every file system accepts. */
static bool read_name(struct log_slice word, char *name, size_t size)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    if (word.length == 0 || word.length >= size || word.at[0] == '.')
        return false;
    memcpy(name, word.at, word.length);
    name[word.length] = '\0';
    return strspn(name, letters) == word.length;
}

static unsigned split(struct log_slice text, struct log_slice words[WORDS_MAX])
{
    unsigned count = 0;

    for (size_t start = 0, end; start <= text.length && count < WORDS_MAX; start = end + 1) {
        for (end = start; end < text.length && text.at[end] != ' ';)
            end++;
        words[count++] = (struct log_slice){text.at + start, end - start};
    }
    return count;
}

/* Reads: RUN FILE version V at N bytes M, or RUN FILE version V whole M. */
static bool read_title(struct log_slice text, struct title *title)
{
    struct log_slice word[WORDS_MAX];
    unsigned count = split(text, word);

    *title = (struct title){.text = text, .is_end = count == 6};
    if (count < 6 || text.length >= BLOCK_TITLE_MAX ||
        !read_name(word[0], title->run, sizeof(title->run)) ||
        !read_name(word[1], title->file, sizeof(title->file)) || !is_word(word[2], "version") ||
        !read_number(word[3], &title->version) || title->version == 0 ||
        title->version > UINT32_MAX)
        return false;
    if (title->is_end)
        return is_word(word[4], "whole") && read_number(word[5], &title->bytes);
    return count == 8 && is_word(word[4], "at") && read_number(word[5], &title->at) &&
           is_word(word[6], "bytes") && read_number(word[7], &title->bytes);
}

/* --- runs and their files -------------------------------------------------------------------- */

/* Adds a run, which has no name yet. */
static void add_run(struct log_reader *reader)
{
    struct serial_log *log = reader->log;
    struct serial_run *runs = grow(log->runs, log->count, sizeof(*runs));

    reader->no_memory |= runs == NULL;
    if (runs == NULL)
        return;
    log->runs = runs;
    runs[log->count] = (struct serial_run){.files = NULL};
    reader->run = log->count++;
    reader->has_run = true;
}

static bool find_run(struct log_reader *reader, const char *name)
{
    const struct serial_log *log = reader->log;

    for (size_t i = log->count; i > 0; i--) /* the last one is wanted most */
        if (strcmp(log->runs[i - 1].name, name) == 0) {
            reader->run = i - 1;
            return reader->has_run = true;
        }
    return false;
}

/* Chooses the run of a block; the first block comes before the end of the run's log. What was
 * printed without a name since the log's beginning belongs to that run, too. */
static void choose_run(struct log_reader *reader, const char *name)
{
    if (find_run(reader, name))
        return;
    if (!reader->in_log || reader->log->runs[reader->run].name[0] != '\0') {
        add_run(reader);
        reader->in_log = false;
    }
    if (!reader->no_memory)
        strcpy(reader->log->runs[reader->run].name, name);
}

/* Returns a file of the chosen run. NULL: no memory, or more files than any run has. */
static struct serial_file *find_file(struct log_reader *reader, const char *name, unsigned version)
{
    if (reader->no_memory)
        return NULL;
    struct serial_run *run = &reader->log->runs[reader->run];
    for (size_t i = 0; i < run->count; i++)
        if (run->files[i].version == version && strcmp(run->files[i].name, name) == 0)
            return &run->files[i];
    if (run->count == FILES_MAX)
        return NULL;
    struct serial_file *files = grow(run->files, run->count, sizeof(*files));
    reader->no_memory |= files == NULL;
    if (files == NULL)
        return NULL;
    run->files = files;
    files[run->count] = (struct serial_file){.version = version};
    strcpy(files[run->count].name, name);
    return &files[run->count++];
}

static void add_part(struct log_reader *reader, struct serial_file *file, struct serial_part part)
{
    struct serial_part *parts = grow(file->parts, file->count, sizeof(*parts));

    reader->no_memory |= parts == NULL;
    if (parts == NULL)
        return;
    file->parts = parts;
    parts[file->count++] = part;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void note_damage(struct log_reader *reader)
{
    struct titles *damaged = &reader->damaged;
    struct title *titles = grow(damaged->at, damaged->count, sizeof(*titles));

    reader->in_block = false;
    reader->used = reader->start;
    reader->no_memory |= titles == NULL;
    if (titles == NULL)
        return;
    damaged->at = titles;
    titles[damaged->count++] = reader->title;
}

static void begin_block(struct log_reader *reader, const struct title *title)
{
    reader->in_block = true;
    reader->title = *title;
    reader->start = reader->used;
}

static void put(struct log_reader *reader, char c)
{
    reader->log->memory[reader->used++] = c;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c);

    return found == NULL ? -1 : (int)(found - digits);
}

/* Puts the character of an escape; returns its length. The checksum catches a wrong escape. */
static size_t put_escaped(struct log_reader *reader, const char *at, size_t length)
{
    if (length >= 3 && at[0] == 'x' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
        put(reader, (char)(digit(at[1]) * 16 + digit(at[2])));
        return 3;
    }
    put(reader, at[0]);
    return 1;
}

/* Adds a block's line, which is never longer decoded than with its bar and end. */
static void add_block_line(struct log_reader *reader, struct log_slice line)
{
    for (size_t i = 0; i < line.length;) {
        char c = line.at[i++];
        if (c != '\\')
            put(reader, c);
        else if (i == line.length)
            return; /* the line goes on in the next */
        else
            i += put_escaped(reader, line.at + i, line.length - i);
    }
    put(reader, '\n');
}

/* Finds the text of a block's line after its bar. False: it is other output. */
static bool find_block_line(const struct log_reader *reader, struct log_slice *line)
{
    size_t margin = reader->margin;

    if (margin >= line->length || line->at[margin] != '|')
        margin = 0;
    if (line->length == 0 || line->at[margin] != '|')
        return false;
    *line = (struct log_slice){line->at + margin + 1, line->length - margin - 1};
    return true;
}

static void take_end(struct serial_file *file, uint64_t bytes, const char *sum)
{
    if (file->has_end && (file->end != bytes || strcmp(file->sum, sum) != 0)) {
        file->is_doubted = true;
        return;
    }
    file->has_end = true;
    file->end = bytes;
    strcpy(file->sum, sum);
}

/* Takes the data of a block that is complete. */
static void take_block(struct log_reader *reader, const char *data, size_t length)
{
    const struct title *title = &reader->title;
    char sum[BLOCK_WHOLE_MAX];

    choose_run(reader, title->run);
    struct serial_file *file = find_file(reader, title->file, (unsigned)title->version);
    if (file == NULL)
        return;
    if (title->is_end) {
        snprintf(sum, sizeof(sum), "%.*s", (int)length, data);
        take_end(file, title->bytes, sum);
    } else {
        add_part(reader, file, (struct serial_part){title->at, length, data});
    }
}

/* Ends the open block, which has this checksum. */
static void end_block(struct log_reader *reader, const char *sum)
{
    const struct title *title = &reader->title;
    const char *data = reader->log->memory + reader->start;
    size_t length = reader->used - reader->start;
    size_t wanted_length = title->is_end ? BLOCK_WHOLE_MAX - 1 : title->bytes;
    char wanted[BLOCK_CHECKSUM + 1];

    block_checksum(data, length, title->text.at, title->text.length, wanted);
    if (length != wanted_length || strcmp(sum, wanted) != 0) {
        note_damage(reader);
        return;
    }
    reader->in_block = false;
    take_block(reader, data, length);
}

/* Makes each damaged block a part without data of the file that it names, if there is such a run.
 */
static void place_damaged(struct log_reader *reader)
{
    for (size_t i = 0; i < reader->damaged.count; i++) {
        const struct title *title = &reader->damaged.at[i];
        struct serial_file *file = NULL;
        if (find_run(reader, title->run))
            file = find_file(reader, title->file, (unsigned)title->version);
        reader->log->lost += file == NULL;
        if (file != NULL && !title->is_end)
            add_part(reader, file, (struct serial_part){title->at, title->bytes, NULL});
    }
}

/* --- files without blocks --------------------------------------------------------------------- */

static struct serial_file *log_file(struct log_reader *reader)
{
    if (!reader->has_run)
        add_run(reader);
    return find_file(reader, LOG, 0);
}

/* Each run begins with its log. */
static void begin_log(struct log_reader *reader)
{
    add_run(reader);
    struct serial_file *file = log_file(reader);
    if (file == NULL)
        return;
    file->has_end = false;
    reader->in_log = true;
}

static void end_log(struct log_reader *reader)
{
    struct serial_file *file = log_file(reader);

    if (file != NULL)
        file->has_end = reader->in_log;
    reader->in_log = false;
}

/* Adds the console's text before the line's end, or before the backslash if it goes on. */
static void add_log_line(struct log_reader *reader, struct log_slice line)
{
    struct serial_file *file = log_file(reader);
    bool goes_on = line.length == RECORD_COLUMNS + 1 && line.at[RECORD_COLUMNS] == '\\';
    size_t start = reader->used;

    if (file == NULL)
        return;
    reader->goes_on = goes_on;
    for (size_t i = 0; i < line.length - goes_on; i++) {
        file->is_noisy |= line.at[i] < ' ' || line.at[i] > '~';
        put(reader, line.at[i]);
    }
    if (!goes_on)
        put(reader, '\n');
    size_t length = reader->used - start;
    add_part(reader, file, (struct serial_part){file->bytes, length, reader->log->memory + start});
    file->bytes += length;
}

static struct log_slice behind_margin(const struct log_reader *reader, struct log_slice line)
{
    size_t margin = reader->margin < line.length ? reader->margin : line.length;

    return (struct log_slice){line.at + margin, line.length - margin};
}

/* True for a line of the log, known among others by its first word. */
static bool is_log_line(struct log_slice line)
{
    static const char first[] = "event=";
    const size_t length = sizeof(first) - 1;

    return line.length >= length && memcmp(line.at, first, length) == 0;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Finds the text between the marks. False: the line has none. */
static bool find_mark(struct log_reader *reader, struct log_slice line, struct log_slice *inside)
{
    const char *mark = memmem(line.at, line.length, MARK, sizeof(MARK) - 1);

    if (mark == NULL)
        return false;
    const char *start = mark + sizeof(MARK) - 1;
    const char *end =
        memmem(start, (size_t)(line.at + line.length - start), MARK_END, sizeof(MARK_END) - 1);
    if (end == NULL)
        return false;
    reader->margin = (size_t)(mark - line.at);
    *inside = (struct log_slice){start, (size_t)(end - start)};
    return true;
}

/* Reads: end sha256 CHECKSUM. */
static bool read_end(const struct log_slice word[WORDS_MAX], unsigned count,
                     char sum[BLOCK_CHECKSUM + 1])
{
    return count == 3 && is_word(word[0], "end") && is_word(word[1], "sha256") &&
           word[2].length == BLOCK_CHECKSUM && read_name(word[2], sum, BLOCK_CHECKSUM + 1);
}

static void take_mark(struct log_reader *reader, struct log_slice inside)
{
    struct log_slice word[WORDS_MAX];
    char sum[BLOCK_CHECKSUM + 1];
    unsigned count = split(inside, word);
    struct title title;

    if (read_end(word, count, sum)) {
        if (reader->in_block)
            end_block(reader, sum);
        else
            reader->log->lost++;
        return;
    }
    if (reader->in_block)
        note_damage(reader); /* the block's end is missing */
    if (read_title(inside, &title))
        begin_block(reader, &title);
    else if (count == 2 && is_word(word[0], LOG) && is_word(word[1], "begin"))
        begin_log(reader);
    else if (count == 2 && is_word(word[0], LOG) && is_word(word[1], "end"))
        end_log(reader);
}

static void take_line(struct log_reader *reader, struct log_slice line)
{
    struct log_slice inside, text = behind_margin(reader, line);

    if (reader->in_block && find_block_line(reader, &line))
        add_block_line(reader, line);
    else if (reader->goes_on || (reader->in_log && is_log_line(text)))
        add_log_line(reader, text);
    else if (find_mark(reader, line, &inside))
        take_mark(reader, inside);
}

static void take_lines(struct log_reader *reader, const char *text, size_t length)
{
    const char *end = text + length;

    for (const char *at = text; at < end && !reader->no_memory;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline == NULL ? end : newline;
        take_line(reader, (struct log_slice){at, (size_t)(line_end - at)});
        at = line_end + 1;
    }
    if (reader->in_block)
        note_damage(reader);
}

static void name_runs(struct serial_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->runs[i].name[0] == '\0')
            snprintf(log->runs[i].name, SERIAL_RUN_MAX, "run-%zu", i + 1);
}

bool serial_log_read(struct serial_log *log, const char *data, size_t length)
{
    struct log_reader reader = {.log = log};
    char *text = malloc(length + 1);

    /* no line becomes longer, but for the end that the last one may lack */
    *log = (struct serial_log){.memory = malloc(length + 1)};
    if (text != NULL && log->memory != NULL) {
        take_lines(&reader, text, clean(text, data, length));
        place_damaged(&reader);
        name_runs(log);
    }
    reader.no_memory |= text == NULL || log->memory == NULL;
    free(reader.damaged.at);
    free(text);
    return !reader.no_memory;
}

void serial_log_free(struct serial_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        for (size_t j = 0; j < log->runs[i].count; j++)
            free(log->runs[i].files[j].parts);
        free(log->runs[i].files);
    }
    free(log->runs);
    free(log->memory);
    *log = (struct serial_log){.runs = NULL};
}
