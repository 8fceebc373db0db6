import type { EventOf, Session } from "@scorel/kernel";
import type { CallRequest } from "./contract.ts";

/** Whether the last question about a call has no answer, because it was withdrawn or the process that asked it ended. */
export function isUnanswered(toolCallId: string, { tree }: Pick<Session, "tree">): boolean {
  let open: string | undefined;
  for (const event of tree.ofType("approval_request")) {
    const { requestId, data } = event as EventOf<"approval_request">;
    if ((data as Partial<CallRequest> | undefined)?.toolCallId === toolCallId) open = requestId;
  }
  if (open === undefined) return false;
  const answers = Array.from(tree.ofType("approval_answer"), (event) => event as EventOf<"approval_answer">);
  return !answers.some(({ requestId, answer }) => requestId === open && answer !== null);
}
