import type { AppendEntry, Session } from "@scorel/kernel";
import type { OpenRequest } from "@scorel/requests/contract";
import type { CallRequest } from "./contract.ts";

type Asked = Pick<OpenRequest, "plugin" | "data">;

/** The call that a question of this plugin is about. */
function callOf({ plugin, data }: Asked): Partial<CallRequest> {
  return plugin === "permissions" ? ((data as Partial<CallRequest> | undefined) ?? {}) : {};
}

/** Id of the open question about a call of this reply. */
export function openQuestion(reply: string, session: Pick<Session, "projection">): string | undefined {
  const open = Object.values(session.projection("openRequests"));
  return open.find((request) => callOf(request).reply === reply)?.requestId;
}

/** Ids of the questions about a call of this reply, the last one first. */
export function questionsAbout(reply: string, toolCallId: string, { tree }: Pick<Session, "tree">): string[] {
  const asked = Array.from(tree.ofType("approval_request"));
  const isAbout = (call: Partial<CallRequest>) => call.reply === reply && call.toolCallId === toolCallId;
  return asked.flatMap((request) => (isAbout(callOf(request)) ? request.requestId : [])).reverse();
}

/** The entry that closes an open question without an answer; none if the question is no longer open. */
export function endOf(requestId: string, reason: string, session: Pick<Session, "projection">): AppendEntry[] {
  if (!Object.hasOwn(session.projection("openRequests"), requestId)) return [];
  return [{ type: "approval_answer", payload: { requestId, answer: null, reason } }];
}

/** Whether the last question about a call has no answer, because it was withdrawn or the process that asked it ended. */
export function isUnanswered(toolCallId: string, { tree }: Pick<Session, "tree">): boolean {
  let open: string | undefined;
  for (const { requestId, data } of tree.ofType("approval_request")) {
    if ((data as Partial<CallRequest> | undefined)?.toolCallId === toolCallId) open = requestId;
  }
  if (open === undefined) return false;
  const answers = Array.from(tree.ofType("approval_answer"));
  return !answers.some(({ requestId, answer }) => requestId === open && answer !== null);
}
