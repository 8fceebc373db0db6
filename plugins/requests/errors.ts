import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  REQUEST_CLOSED: (a: { id: string }) =>
    `The question ${a.id} is not open: it was answered or withdrawn, or never existed. list_requests shows the open questions.`,
  REQUEST_ANSWER: (a: { answer: string; offered: string }) =>
    `"${a.answer}" is not one of the answers to this question: ${a.offered}.`,
  REQUEST_CHOICES: (a: { title: string; reason: string }) =>
    `The question "${a.title}" cannot be asked: ${a.reason}. Pass select a list of texts or of { value, label }.`,
});
