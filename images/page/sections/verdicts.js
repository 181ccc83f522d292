/* verdicts: to come */
export const verdicts = { id: "verdicts", title: "All verdicts", render: () => [] };
