/* numa: to come */
export const numa = { id: "numa", title: "Memory nodes", experiments: ["numa"], render: () => [] };
