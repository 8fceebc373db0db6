import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  REQUEST_CLOSED: (a: { id: string }) =>
    `The question ${a.id} does not wait for an answer (any more). The first answer counts; list_requests shows what is open.`,
  REQUEST_ANSWER: (a: { answer: string; offered: string }) =>
    `"${a.answer}" is no answer to this question. Answer with one of: ${a.offered}.`,
  REQUEST_CHOICES: (a: { title: string; reason: string }) =>
    `The question "${a.title}" cannot be asked: ${a.reason}. Give select a list of texts, or of { value, label }.`,
});
