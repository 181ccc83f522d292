/* noise: to come */
export const noise = { id: "noise", title: "How quiet it was", experiments: ["noise"], render: () => [] };
