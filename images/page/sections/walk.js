/* walk: to come */
export const walk = { id: "walk", title: "Access patterns", experiments: ["walk"], render: () => [] };
