/* loaded: to come */
export const loaded = { id: "loaded", title: "Loaded latency", experiments: ["loaded"], render: () => [] };
