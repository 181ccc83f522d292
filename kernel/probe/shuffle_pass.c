/* shuffle_pass: the phases of a pass, each in pieces between which the clock can be read. */
#include "shuffle_pass.h"

#define PIECE 65536 /* elements */

static void enter(struct shuffle_pass *pass, enum shuffle_phase phase)
{
    pass->phase = phase;
    pass->done = 0;
    pass->shuffle.left = pass->elements;
    pass->shuffle.state = pass->seed;
}

void shuffle_pass_start(struct shuffle_pass *pass, enum shuffle_phase first,
                        enum shuffle_phase last, enum shuffle_loop loop, uint32_t stage)
{
    pass->run =
        shuffle_runs[loop][pass->indices != NULL ? SHUFFLE_PRECOMPUTED : SHUFFLE_ON_THE_FLY];
    pass->shuffle.data = pass->data;
    pass->shuffle.indices = pass->indices;
    pass->shuffle.stage = stage;
    pass->chunk = SHUFFLE_CHUNK - SHUFFLE_CHUNK % stage;
    pass->last = last;
    pass->values = pass->squares = pass->weighted = 0;
    enter(pass, first);
}

static void index_piece(struct shuffle_pass *pass, uint64_t end)
{
    shuffle_precompute(pass->indices, &pass->shuffle.state, pass->elements - pass->done,
                       pass->elements - end + 1);
}

static void fill_piece(struct shuffle_pass *pass, uint64_t end)
{
    for (uint64_t i = pass->done; i < end; i++)
        pass->data[i] = (uint32_t)i;
}

/* Whole stages, but for the last piece: a piece that ends a stage early would change the work. */
static void run_piece(struct shuffle_pass *pass, uint64_t end)
{
    (void)end;
    uint64_t left = pass->shuffle.left, swaps = PIECE - PIECE % pass->shuffle.stage;
    pass->run(&pass->shuffle, left < swaps ? left : swaps);
}

static void check_piece(struct shuffle_pass *pass, uint64_t end)
{
    for (uint64_t i = pass->done; i < end; i++) {
        uint64_t value = pass->data[i];
        pass->values += value - i;
        pass->squares += value * value - i * i;
        pass->weighted += value * (i + 1);
    }
}

bool shuffle_pass_go_on(struct shuffle_pass *pass)
{
    static void (*const pieces[SHUFFLE_DONE])(struct shuffle_pass *, uint64_t end) = {
        [SHUFFLE_INDEX] = index_piece,
        [SHUFFLE_FILL] = fill_piece,
        [SHUFFLE_RUN] = run_piece,
        [SHUFFLE_CHECK] = check_piece,
    };
    if (pass->phase == SHUFFLE_DONE)
        return true;
    uint64_t left = pass->elements - pass->done;
    uint64_t end = pass->done + (left < PIECE ? left : PIECE); /* the next piece is [done, end) */
    pieces[pass->phase](pass, end);
    pass->done = pass->phase == SHUFFLE_RUN ? pass->elements - pass->shuffle.left : end;
    if (pass->done == pass->elements)
        enter(pass, pass->phase == pass->last ? SHUFFLE_DONE : pass->phase + 1);
    return pass->phase == SHUFFLE_DONE;
}

void shuffle_pass_seek(struct shuffle_pass *pass, uint64_t sample, uint64_t samples)
{
    uint64_t chunks = pass->elements / pass->chunk;
    uint64_t sweeps = (samples + chunks - 1) / chunks;
    uint64_t at = sample * sweeps % samples * chunks / samples;
    pass->shuffle.left = pass->elements - at * pass->chunk;
}

bool shuffle_pass_is_whole(const struct shuffle_pass *pass)
{
    return pass->values == 0 && pass->squares == 0;
}

uint32_t shuffle_pass_checksum(const struct shuffle_pass *pass)
{
    return (uint32_t)(pass->weighted ^ pass->weighted >> 32);
}
