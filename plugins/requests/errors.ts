import { defineErrors } from "@scorel/kernel";

/** How a question has ended. Only `id` and `why` are set for a question that this session never had. */
interface Closed {
  id: string;
  /** The end of the question as text. */
  why: string;
  /** The id of the client that has answered or declined; `name` is its name. Absent when the question was withdrawn. */
  clientId?: string;
  client?: string;
  answer?: string | null;
  reason?: string;
}

export const errors = defineErrors({
  REQUEST_CLOSED: (a: Closed) => `The question ${a.id} is not open: ${a.why}. list_requests shows the open questions.`,
  REQUEST_ANSWER: (a: { answer: string; offered: string }) =>
    `"${a.answer}" is not one of the answers to this question: ${a.offered}.`,
  REQUEST_CHOICES: (a: { title: string; reason: string }) =>
    `The question "${a.title}" cannot be asked: ${a.reason}. Pass select a list of strings or of { value, label }.`,
});
