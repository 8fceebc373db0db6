import { isDeepStrictEqual } from "node:util";
import type { OpenRequest, RequestAnswer } from "./contract.ts";

/**
 * Answers to questions of an earlier process, whose asking code has ended with it. They are kept in memory and not read from the log, where
 * any plugin of the session could write one.
 */
export class LateAnswers {
  private readonly answers = new Map<string, { request: OpenRequest; answer: RequestAnswer }>();

  add(request: OpenRequest, answer: RequestAnswer): void {
    this.answers.set(request.requestId, { request, answer });
  }

  /** Returns the answer, and forgets it, if `asked` is the question that the user has seen. */
  recall(requestId: string, asked: Omit<OpenRequest, "requestId">): RequestAnswer | undefined {
    const known = this.answers.get(requestId);
    this.answers.delete(requestId);
    // In the form of the log, without undefined fields.
    const again: unknown = JSON.parse(JSON.stringify({ ...asked, requestId }));
    return known && isDeepStrictEqual(JSON.parse(JSON.stringify(known.request)), again) ? known.answer : undefined;
  }
}
