import { expect, it } from "vitest";
import { Questions } from "../../../plugins/acp/questions.ts";
import { Updates } from "../../../plugins/acp/updates.ts";

it("a question that is asked again is withdrawn from the editor when it is answered elsewhere", async () => {
  const asked: AbortSignal[] = [];
  const editor = {
    choose: (_request: object, signal: AbortSignal) =>
      new Promise<null>((_resolve, reject) => {
        asked.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const requests = [{ requestId: "r1", kind: "confirm", title: "Sure?" }];
  const client = { request: async () => ({ requests }) };
  const place = { sessionId: "s", cwd: "/", calls: new Updates("/").calls, log: () => {} };
  const questions = new Questions({ ...place, client, editor } as never);
  await questions.attend();
  questions.withdraw();
  // The session was reloaded before the withdrawal was done.
  await questions.attend();
  await new Promise(setImmediate);
  questions.hear({ type: "approval_answer", requestId: "r1" } as never);
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, true]);
});
