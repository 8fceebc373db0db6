import type { OpenRequest } from "@scorel/requests/contract";

type Answer = (question: OpenRequest) => string | null;
type Request = (operation: "answer_request", params: { requestId: string; answer: string | null }) => Promise<unknown>;

/** Answers the questions of a session with the function of its test. */
export class Questions {
  private readonly request: Request;
  private readonly answerTo: Answer;
  /** The error of the first question that was answered wrongly. */
  private mistake: unknown;

  constructor(request: Request, answerTo: Answer) {
    this.request = request;
    this.answerTo = answerTo;
  }

  async answer(question: OpenRequest): Promise<void> {
    const { requestId } = question;
    try {
      await this.request("answer_request", { requestId, answer: this.answerTo(question) ?? null });
    } catch (thrown) {
      this.mistake ??= thrown;
      // Withdraws the question, because its plugin is waiting for an answer.
      await this.request("answer_request", { requestId, answer: null });
    }
  }

  /** Waits for `work`, then throws the error of a question that was answered wrongly in the meantime. */
  async during<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      const thrown = this.mistake;
      this.mistake = undefined;
      // biome-ignore lint/correctness/noUnsafeFinally: the wrong answer is the cause of any error of the work
      if (thrown !== undefined) throw thrown;
    }
  }
}
