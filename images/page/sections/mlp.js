/* mlp: to come */
export const mlp = { id: "mlp", title: "Memory-level parallelism", experiments: ["mlp"], render: () => [] };
