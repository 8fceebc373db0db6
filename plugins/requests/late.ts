import { isDeepStrictEqual } from "node:util";
import type { OpenRequest, RequestAnswer } from "./contract.ts";

/**
 * Answers to questions whose asker has ended with its host. They are kept here and not read from the log, where every plugin of the
 * session could write one.
 */
export class LateAnswers {
  private readonly answers = new Map<string, { request: OpenRequest; answer: RequestAnswer }>();

  add(request: OpenRequest, answer: RequestAnswer): void {
    this.answers.set(request.requestId, { request, answer });
  }

  /** The answer, if `asked` is what the person has seen. It counts for one call. */
  recall(requestId: string, asked: Omit<OpenRequest, "requestId">): RequestAnswer | undefined {
    const known = this.answers.get(requestId);
    this.answers.delete(requestId);
    // As the log has it, without fields that are undefined.
    const again: unknown = JSON.parse(JSON.stringify({ ...asked, requestId }));
    return known && isDeepStrictEqual(JSON.parse(JSON.stringify(known.request)), again) ? known.answer : undefined;
  }
}
