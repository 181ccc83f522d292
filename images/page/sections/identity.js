/* identity: to come */
export const identity = { id: "identity", title: "Who and when", render: () => [] };
