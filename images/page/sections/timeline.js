/* timeline: to come */
export const timeline = { id: "timeline", title: "Timeline", experiments: ["timeline"], render: () => [] };
