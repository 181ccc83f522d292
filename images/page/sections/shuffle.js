/* shuffle: to come */
export const shuffle = { id: "shuffle", title: "Staged shuffle", experiments: ["shuffle"], render: () => [] };
