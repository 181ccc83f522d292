/* smt: to come */
export const smt = { id: "smt", title: "Two threads of a core", experiments: ["smt"], render: () => [] };
