/* counted_events: the list; a further event is a further line. */
#include "counted_events.h"

#include <stddef.h>

const struct counted_event counted_events[] = {
    /* The proof of the payload, and the clock. */
    {"instructions", "instructions_gp", NULL},
    {"core_cycles", "core_cycles_gp", NULL},
    /* Misses outstanding: the two halves of the MLP ratio first, for one pass if it can be. */
    {"l1d_pend_miss_pending", NULL, NULL},
    /* Where the event adds a quarter of the misses, its cycles are those with four of them. */
    {"l1d_pend_miss_pending_cycles", "l1d_pend_miss_pending_cycles_derived",
     "l1d_pend_miss_pending_div4"},
    {"l1d_pend_miss_fb_full", "l1d_pend_miss_fb_full_requests", NULL},
    {"offcore_outstanding_demand_data_rd", NULL, NULL},
    {"offcore_outstanding_demand_data_rd_cycles", NULL, NULL},
    {"mab_alloc_loads", NULL, NULL},
    /* Where loads hit. */
    {"loads_retired", "loads_dispatched", NULL},
    {"load_l1_hit", NULL, NULL},
    {"load_l1_miss", NULL, NULL},
    {"load_fb_hit", NULL, NULL},
    {"load_l2_hit", NULL, NULL},
    {"load_l2_miss", NULL, NULL},
    {"load_l3_hit", NULL, NULL},
    {"load_l3_miss", "local_dram_loads", NULL},
    {"l2_requests_all", NULL, NULL},
    {"l2_requests_miss", NULL, NULL},
    {"llc_reference", NULL, NULL},
    {"llc_miss", NULL, NULL},
    /* Translation. */
    {"dtlb_stlb_hit", NULL, NULL},
    {"dtlb_walk_completed", NULL, NULL},
    {"dtlb_walk_pending", "dtlb_walk_duration", NULL},
    {"dtlb_walk_active", NULL, NULL},
    {"load_stlb_miss", NULL, NULL},
    /* What the prefetchers did. */
    {"load_hit_hw_prefetch", "hw_prefetch_fills", NULL},
    {"l2_prefetch_all", "l2_hwpf_requests", NULL},
};

const unsigned counted_event_count = sizeof counted_events / sizeof *counted_events;
