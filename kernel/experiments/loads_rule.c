/* loads_rule: the curve of N = 2. */
#include "loads_rule.h"

/* Too large for a firmware's stack. */
static struct curve curve;
static double drawn[CURVE_MAX];

static const char *const doubts[] = {
    [CLIFF_NONE] = "no jump: time does not rise by a twentieth at any K",
    [CLIFF_UNCLEAR] = "no clear jump: the points scatter too much around any two straight pieces",
};

void loads_cliff(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_find(&curve, drawn, cliff);
}

void loads_locate(const struct table *table, struct cliff *cliff)
{
    curve_over_k(table, 2, CURVE_MEDIAN, &curve);
    cliff_locate(&curve, cliff);
}

bool loads_have_cliff(const struct cliff *cliff, struct verdict *v)
{
    if (cliff->answer == CLIFF_TOO_FEW)
        verdict_conclude(v, VERDICT_SKIP, "needs N = 2 at six values of K or more");
    else if (cliff->answer != CLIFF_FOUND)
        verdict_conclude(v, VERDICT_DOUBT, "%s", doubts[cliff->answer]);
    return cliff->answer == CLIFF_FOUND;
}
