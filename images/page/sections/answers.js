/* answers: to come */
export const answers = { id: "answers", title: "Answers", render: () => [] };
