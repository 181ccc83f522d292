/* latency: to come */
export const latency = { id: "latency", title: "Latency by size", experiments: ["array"], render: () => [] };
