/* plot: marks points in a grid of characters. */
#include "plot.h"

#include "string.h"

#define WIDTH 64
#define HEIGHT 12

struct scale {
    double low, high;
};

static struct scale scale_of(const double *values, size_t count)
{
    struct scale s = {values[0], values[0]};
    for (size_t i = 1; i < count; i++) {
        if (values[i] < s.low)
            s.low = values[i];
        if (values[i] > s.high)
            s.high = values[i];
    }
    return s;
}

static unsigned place(struct scale s, double value, unsigned cells)
{
    if (s.high <= s.low)
        return 0;
    return (unsigned)((value - s.low) / (s.high - s.low) * (cells - 1) + 0.5);
}

void plot_curve(const double *x, const double *y, size_t count, struct text *text)
{
    char grid[HEIGHT][WIDTH + 1];
    struct scale across = scale_of(x, count), up = scale_of(y, count);
    up.low = 0; /* so that twice as long looks twice as high */
    memset(grid, ' ', sizeof grid);
    for (size_t i = 0; i < count; i++)
        grid[HEIGHT - 1 - place(up, y[i], HEIGHT)][place(across, x[i], WIDTH)] = '*';
    for (unsigned row = 0; row < HEIGHT; row++) {
        grid[row][WIDTH] = '\0';
        double label = up.high * (HEIGHT - 1 - row) / (HEIGHT - 1);
        text_printf(text, "%8.0f |%s\n", label, grid[row]);
    }
    text_printf(text,
                "         +----------------------------------------------------------------\n");
    text_printf(text, "          %-32.0f%32.0f\n", across.low, across.high);
}
