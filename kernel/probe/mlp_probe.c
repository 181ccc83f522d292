/* mlp_probe: emits the classic body with its timestamps. */
#include "mlp_probe.h"

size_t mlp_probe_emit(uint8_t *code, size_t room, const struct mlp_shape *shape,
                      const int32_t *displacement)
{
    void (*load)(struct encoder *, int32_t) =
        shape->dependent ? encode_dependent_load : encode_load;
    struct encoder e;
    encoder_init(&e, code, room);
    encode_counting_enter(&e, shape->timing.counting);
    encode_enter(&e);
    encode_timer_start(&e, shape->timing);
    /* An address even where no load gave one. */
    if (shape->dependent || shape->filler == FILLER_WAITING_LOAD)
        encode_clear_index(&e);
    for (unsigned i = 0; i + 1 < shape->loads; i++)
        load(&e, displacement[i]);
    encode_fillers(&e, shape->filler, shape->fillers);
    if (shape->loads > 0)
        load(&e, displacement[shape->loads - 1]);
    encode_timer_stop(&e, shape->timing);
    encode_leave(&e);
    encode_counting_leave(&e, shape->timing.counting);
    encode_return(&e);
    return e.overflow ? 0 : e.length;
}
