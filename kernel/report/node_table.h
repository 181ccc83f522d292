/* node_table: what every node's memory costs against the own node's, as text. */
#ifndef MLPBOOT_REPORT_NODE_TABLE_H
#define MLPBOOT_REPORT_NODE_TABLE_H

#include "../lib/text.h"
#include "verdict_index.h"

/*
 * The comparison of IIT Delhi 2018, chapter 4: of every case one load, two sequential ones and MLP,
 * and on another node what one, two and ten loads and two sequential ones take more. Empty where no
 * case is on another node. The verdicts of an experiment stand together.
 */
void node_table(const struct verdict_index *verdicts, struct text *text);

#endif
