/* width: a table by family and model. */
#include "width.h"

#include <stddef.h>

static const struct {
    struct model_range models;
    unsigned additions;
} widths[] = {
    {AMD_FAMILIES(0x17, 0x19), 4}, /* Zen to Zen 4 */
    {AMD_FAMILIES(0x1a, 0x1a), 6}, /* Zen 5 */
    {INTEL_6(0x3c, 0x3d), 4},      /* Haswell, Broadwell */
    {INTEL_6(0x3f, 0x3f), 4},      {INTEL_6(0x45, 0x47), 4},
    {INTEL_6(0x4e, 0x4f), 4}, /* Skylake, Broadwell */
    {INTEL_6(0x55, 0x56), 4},      {INTEL_6(0x5e, 0x5e), 4},
    {INTEL_6(0x6a, 0x6a), 4}, /* Ice Lake */
    {INTEL_6(0x6c, 0x6c), 4},      {INTEL_6(0x7d, 0x7e), 4},
    {INTEL_6(0x8c, 0x8e), 4},                                /* Tiger Lake, Kaby Lake */
    {INTEL_6(0x8f, 0x8f), 5},                                /* Sapphire Rapids */
    {INTEL_6(0x9e, 0x9e), 4},      {INTEL_6(0xa5, 0xa7), 4}, /* Comet Lake, Rocket Lake */
    {INTEL_6(0xad, 0xad), 5},                                /* Granite Rapids */
    {INTEL_6(0xcf, 0xcf), 5},                                /* Emerald Rapids */
};

unsigned width_of_additions(const struct processor *processor)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (model_matches(&widths[i].models, processor))
            return widths[i].additions;
    return 0;
}
