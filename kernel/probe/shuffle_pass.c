/* shuffle_pass: the phases of a pass, each in pieces between which the clock is read. */
#include "shuffle_pass.h"

#include "native.h"

#define SLICES_PER_SECOND 5 /* between two slices the console may be written */
#define PIECE 65536         /* elements written or summed between two looks at the clock */

uint64_t shuffle_chunk(uint64_t stage)
{
    return SHUFFLE_CHUNK - SHUFFLE_CHUNK % stage;
}

uint64_t shuffle_chunks(uint64_t elements, uint64_t stage)
{
    return elements / shuffle_chunk(stage);
}

static void enter(struct shuffle_pass *pass, enum shuffle_phase phase)
{
    pass->phase = phase;
    pass->done = 0;
    pass->shuffle.left = pass->elements;
    pass->shuffle.state = pass->seed;
}

void shuffle_pass_start(struct shuffle_pass *pass, enum shuffle_phase first, enum shuffle_loop loop,
                        uint32_t stage)
{
    uint64_t chunks = shuffle_chunks(pass->elements, stage);
    pass->run =
        shuffle_runs[loop][pass->indices != NULL ? SHUFFLE_PRECOMPUTED : SHUFFLE_ON_THE_FLY];
    pass->shuffle.data = pass->data;
    pass->shuffle.indices = pass->indices;
    pass->shuffle.stage = stage;
    pass->chunk = shuffle_chunk(stage);
    pass->between = chunks > pass->wanted ? chunks / pass->wanted : 1;
    pass->count = pass->discarded = 0;
    pass->values = pass->squares = pass->weighted = 0;
    enter(pass, first);
}

/* The next piece is [done, end). */
static uint64_t piece_end(const struct shuffle_pass *pass)
{
    uint64_t left = pass->elements - pass->done;
    return pass->done + (left < PIECE ? left : PIECE);
}

static bool index_piece(struct shuffle_pass *pass)
{
    uint64_t end = piece_end(pass);
    shuffle_precompute(pass->indices, &pass->shuffle.state, pass->elements - pass->done,
                       pass->elements - end + 1);
    pass->done = end;
    return end == pass->elements;
}

static bool fill_piece(struct shuffle_pass *pass)
{
    uint64_t end = piece_end(pass);
    for (; pass->done < end; pass->done++)
        pass->data[pass->done] = (uint32_t)pass->done;
    return end == pass->elements;
}

static bool check_piece(struct shuffle_pass *pass)
{
    uint64_t end = piece_end(pass);
    for (; pass->done < end; pass->done++) {
        uint64_t value = pass->data[pass->done];
        pass->values += value - pass->done;
        pass->squares += value * value - pass->done * pass->done;
        pass->weighted += value * (pass->done + 1);
    }
    return end == pass->elements;
}

static void time_chunk(struct shuffle_pass *pass)
{
    struct platform *platform = pass->platform;
    uint32_t smi_before = 0, smi_after = 0;
    platform->smi_count(platform, &smi_before);
    uint64_t start = native_ticks();
    pass->run(&pass->shuffle, pass->chunk);
    uint64_t ticks = native_ticks() - start;
    platform->smi_count(platform, &smi_after);
    if (smi_before != smi_after)
        pass->discarded++;
    else
        pass->ticks[pass->count++] = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* What does not fill a chunk is left for the end and never a sample. */
static bool run_piece(struct shuffle_pass *pass)
{
    bool is_sample = pass->done++ % pass->between == 0;
    if (pass->shuffle.left < pass->chunk) {
        pass->run(&pass->shuffle, pass->shuffle.left);
        return true;
    }
    if (is_sample && pass->count + pass->discarded < pass->wanted)
        time_chunk(pass);
    else
        pass->run(&pass->shuffle, pass->chunk);
    return false;
}

void shuffle_pass_slice(void *context)
{
    static bool (*const pieces[SHUFFLE_DONE])(struct shuffle_pass *) = {
        [SHUFFLE_INDEX] = index_piece,
        [SHUFFLE_FILL] = fill_piece,
        [SHUFFLE_RUN] = run_piece,
        [SHUFFLE_CHECK] = check_piece,
    };
    struct shuffle_pass *pass = context;
    uint64_t end = native_ticks() + pass->platform->ticks_per_second / SLICES_PER_SECOND;
    do
        if (pieces[pass->phase](pass))
            enter(pass, pass->phase + 1);
    while (pass->phase < SHUFFLE_DONE && native_ticks() < end);
}

bool shuffle_pass_is_whole(const struct shuffle_pass *pass)
{
    return pass->values == 0 && pass->squares == 0;
}

uint32_t shuffle_pass_checksum(const struct shuffle_pass *pass)
{
    return (uint32_t)(pass->weighted ^ pass->weighted >> 32);
}
