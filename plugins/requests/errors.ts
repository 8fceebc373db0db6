import { defineErrors } from "@scorel/kernel";

/** How a question has ended. All but `id` and `why` are absent for one that this session never had. */
interface Closed {
  id: string;
  /** In words. */
  why: string;
  /** The id and the name of the client that answered or left it; absent when it was withdrawn. */
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
    `The question "${a.title}" cannot be asked: ${a.reason}. Pass select a list of texts or of { value, label }.`,
});
