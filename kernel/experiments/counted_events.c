/* counted_events: the list; a further event is a further line. */
#include "counted_events.h"

#include <stddef.h>

const struct counted_event counted_events[] = {
    /* The proof of the payload, and the clock. */
    {"instructions", "instructions_gp"},
    {"core_cycles", "core_cycles_gp"},
    /* Misses outstanding: the two halves of the MLP ratio first, for one pass if it can be. */
    {"l1d_pend_miss_pending", NULL},
    {"l1d_pend_miss_pending_cycles", "l1d_pend_miss_pending_cycles_derived"},
    {"l1d_pend_miss_fb_full", "l1d_pend_miss_fb_full_requests"},
    {"offcore_outstanding_demand_data_rd", NULL},
    {"offcore_outstanding_demand_data_rd_cycles", NULL},
    {"mab_alloc_loads", NULL},
    /* Where loads hit. */
    {"loads_retired", "loads_dispatched"},
    {"load_l1_hit", NULL},
    {"load_l1_miss", NULL},
    {"load_fb_hit", NULL},
    {"load_l2_hit", NULL},
    {"load_l2_miss", NULL},
    {"load_l3_hit", NULL},
    {"load_l3_miss", "local_dram_loads"},
    {"l2_requests_all", NULL},
    {"l2_requests_miss", NULL},
    {"llc_reference", NULL},
    {"llc_miss", NULL},
    /* Translation. */
    {"dtlb_stlb_hit", NULL},
    {"dtlb_walk_completed", NULL},
    {"dtlb_walk_pending", "dtlb_walk_duration"},
    {"dtlb_walk_active", NULL},
    {"load_stlb_miss", NULL},
    /* What the prefetchers did. */
    {"load_hit_hw_prefetch", "hw_prefetch_fills"},
    {"l2_prefetch_all", "l2_hwpf_requests"},
};

const unsigned counted_event_count = sizeof counted_events / sizeof *counted_events;
