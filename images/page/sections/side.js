/* side: to come */
export const side = { id: "side", title: "Side by side", render: () => [] };
