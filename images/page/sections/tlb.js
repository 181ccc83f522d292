/* tlb: to come */
export const tlb = { id: "tlb", title: "TLB and page walks", experiments: ["tlb"], render: () => [] };
