/** Words of questions to a person. */
const en = {
  asked: "Your answer is needed",
  decline: "Decline",
  answer: "Answer",
  reason: "Reason (optional)",
  yes: "Yes",
  no: "No",
};

const zh: typeof en = {
  asked: "需要你的回答",
  decline: "拒绝回答",
  answer: "回答",
  reason: "理由（可选）",
  yes: "是",
  no: "否",
};

export const questionsWords = { en, zh };
