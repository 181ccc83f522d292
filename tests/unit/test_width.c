/* test_width: the table by the processors it is for, and those it is not for. */
#include "../../kernel/cpu/width.h"
#include "kit.h"

TEST(widths)
{
    static const struct {
        struct processor processor;
        unsigned additions;
    } cases[] = {
        {{.vendor = VENDOR_AMD, .family = 0x15, .model = 2}, 0},
        {{.vendor = VENDOR_AMD, .family = 0x17, .model = 0x31}, 4},
        {{.vendor = VENDOR_AMD, .family = 0x19, .model = 0x11}, 4},
        {{.vendor = VENDOR_AMD, .family = 0x1a, .model = 2}, 6},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x2d}, 0},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x3c}, 4},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x3e}, 0},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0xcf}, 5},
        {{.vendor = VENDOR_INTEL, .family = 6, .model = 0x97}, 0}, /* two kinds of core */
        {{.vendor = VENDOR_INTEL, .family = 15, .model = 0xcf}, 0},
        {{.vendor = VENDOR_OTHER, .family = 6, .model = 0xcf}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(width_of_additions(&cases[i].processor), cases[i].additions);
}
