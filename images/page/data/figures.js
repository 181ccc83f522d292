/* figures: what each verdict is called on the page, by its name in verdicts.csv. */

const LABELS = {
    one_load: "One load from memory", one_load_p99: "One load in a hundred takes longer than",
    overlap_behind_store: "Loads that pass a store", forwarding_latency: "Store to load",
    two_sequential: "Two loads, one after the other",
    one_access: "One access to memory", mlp: "Parallel loads (MLP)", time_at_mlp_plus_1: "Time of MLP + 1 loads",
    overhead: "Time added to the plainest case", mlp_sustained: "Sustained misses", mlp_counted: "Misses under way",
    fill_buffers: "Fill buffers", fill_buffers_seen: "Most misses at once",
    rob_cliff_k: "First K of two loads that wait", rob_entries: "Reorder buffer (ROB)",
    rob_entries_long_nop: "Reorder buffer (long NOPs)", sequential_slope: "Each load of a chain adds",
    sequential_constant: "A chain's time without its loads", node_one_load_extra: "One load, more than at home",
    node_two_loads_extra: "Two loads, more than at home", node_ten_loads_extra: "Ten loads, more than at home",
    node_mlp_extra: "Parallel loads (MLP), more than at home",
    node_two_sequential_extra: "Two loads, one after the other, more than at home",
    nops_in_flight: "1-byte NOPs in flight", integer_registers: "Integer registers",
    vector_registers: "Vector registers", loads_in_flight: "Loads in flight", loads_waiting: "Loads waiting",
    load_queue: "Load queue", store_queue: "Store queue", scheduler_entries: "Scheduler",
    port_scheduler: "Scheduler of one port", split: "Share beside a busy thread", dtlb_entries: "First TLB",
    dtlb_miss_cost: "First TLB, a miss adds", dtlb_ways: "First TLB, ways", stlb_entries: "Second TLB",
    stlb_ways: "Second TLB, ways", parallel_walks: "Page walks side by side", walk_cost: "Page walk",
    walk_cost_2m_stride: "Page walk, pages 2 MB apart", walk_cost_1g_stride: "Page walk, pages 1 GB apart",
    walk_cost_512g_stride: "Page walk, pages 512 GB apart", memory_latency: "Memory",
    memory_latency_random: "Memory, random lines with page walks",
    ticks_per_access: "Time of an access", ns_per_access: "Time of an access in ns", cpi: "Cycles per instruction",
    page_over_linear: "Order page, compared with linear", heap_over_linear: "Order heap, compared with linear",
    random_over_linear: "Order random, compared with linear", swap_ticks: "A swap by the best stage",
    best_stage: "Best stage", staged_gain: "A swap takes longer without stages by",
    plain_flatness: "Scatter over stages, plain loop", idle_latency: "Latency while other cores rest",
    latency_at_half: "Latency at half of the peak bandwidth", latency_at_peak: "Latency at the peak bandwidth",
    peak_bandwidth: "Peak bandwidth of the other cores", resolution: "Largest error of a counted cycle",
    cycle_zero: "Cycle 0", first_miss: "First miss", last_miss: "Last miss",
    misses_issued_in: "From the first miss to the last", walk_start: "First page walk",
    retirement_resumes: "First load retires", timer_floor: "Shortest time that the timer shows",
    timer_step: "Timer step", empty_sample: "Empty sample", cpi_floor: "Fewest cycles per instruction",
    frequency: "Core's frequency", payload_surplus: "Instructions counted beyond those run",
    reading_cost: "Cost of reading the counters", above_floor: "Shortest time in empty samples", max_gap: "Longest gap",
    gaps_over_1us: "Gaps of 1 µs or more", smi_count: "System-management interrupts",
    frequency_drift: "Frequency drift", shared_share: "Time with a shared core",
};

const WITH_LOADS = ["rob_entries", "integer_registers", "loads_in_flight", "loads_waiting", "load_queue"];

/** Returns how many of the two loads around the fillers a size counts: with K fillers it is full at K and so many. */
export const loadsIn = (name) => (WITH_LOADS.includes(name) ? 2 : 0);

// The verdicts of a level of the caches or of memory: l1_bytes, l4_copy_bandwidth, memory_latency_cycles, memory_overlap.
const OF_LEVEL = /^(l\d|memory)_(bytes|latency|latency_cycles|split|(?:read|write|copy)_bandwidth|overlap|stream_overlap)$/;
const PARTS = { bytes: "", latency_cycles: ", latency in cycles", split: ", share beside a busy thread",
    overlap: ", random loads under way", stream_overlap: ", lines under way in order" };

/** Returns a verdict's label: "L1 cache, latency", "Store queue"; its name if only another version knows it. */
export function labelOf(name) {
    if (Object.hasOwn(LABELS, name))
        return LABELS[name];
    const [, level, part] = OF_LEVEL.exec(name) ?? [];
    return level === undefined ? name : (level === "memory" ? "Memory" : `${level.toUpperCase()} cache`) +
        (PARTS[part] ?? `, ${part.replace("_", " ")}`);
}
