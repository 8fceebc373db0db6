import type { EventOf, ScorelError, Session } from "@scorel/kernel";
import { clientName } from "@scorel/kit/values/client-name";
import { errors } from "./errors.ts";

/** The error REQUEST_CLOSED, with the client that has ended the question and how, according to the log. */
export function closed(session: Session, id: string): ScorelError {
  const end = endOf(session, id);
  if (!end) return errors.REQUEST_CLOSED({ id, why: "this session never had it" });
  const { answer, reason } = end;
  const said = reason === undefined ? "" : ` (${reason})`;
  const given = { id, answer, ...(reason !== undefined && { reason }) };
  // A question that was withdrawn is ended by the host, not by a client.
  if (answer === null && reason !== LEFT)
    return errors.REQUEST_CLOSED({ ...given, why: reason === WITHDRAWN ? reason : `it was withdrawn${said}` });
  const client = clientName(end.clientId);
  const by = { clientId: end.clientId, ...(client !== undefined && { client }) };
  const who = client ?? "another client";
  const why = answer === null ? `${who} has left it` : `${who} has answered ${JSON.stringify(answer)}${said}`;
  return errors.REQUEST_CLOSED({ ...given, ...by, why });
}

/** The reason when the process that asked was killed or ended at once. */
export const VOID = "the host ended while it was open";
/** The reason when the turn that a question held up will not go on. */
export const PASSED = "the conversation continued without it";
/** The reason when the work that asked has ended. */
export const WITHDRAWN = "it was withdrawn";
/** The reason of a client that declines without one. */
export const LEFT = "the question was left";

function endOf({ tree }: Session, id: string): EventOf<"approval_answer"> | undefined {
  for (const end of tree.ofType("approval_answer")) if (end.requestId === id) return end;
  return undefined;
}
