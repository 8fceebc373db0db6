import type { Client, Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import type { ForwardOptions, OpenRequest, Question, RequestAnswer } from "./contract.ts";
import type { Requests } from "./requests.ts";
import { oneLine } from "./words.ts";

const LABEL = 100;

/** The session whose questions are forwarded, and a client for it. */
interface Source {
  client: Client;
  sessionId: string;
}
type Ask = (question: Question, signal: AbortSignal) => Promise<RequestAnswer>;

/** The session in which the questions are asked. */
interface Target {
  requests: Pick<Requests, "attended" | "onAttendance">;
  ask: Ask;
}

/**
 * Asks the open and later questions of another session in this one, and passes the answers back. While no client answers questions here, none
 * does in the other session: its plugins then learn that nobody answers, not that a person has declined. Returns a function that ends this.
 */
export async function forward(
  source: Source,
  { requests, ask }: Target,
  { signal, label }: ForwardOptions,
): Promise<() => Promise<void>> {
  const { client, sessionId } = source;
  signal?.throwIfAborted();
  const asked = new Map<string, AbortController>();
  let ended: Promise<void> | undefined;
  const take = (request: OpenRequest) => {
    if (ended || asked.has(request.requestId)) return;
    const control = new AbortController();
    asked.set(request.requestId, control);
    // A forwarded question rejects only when it was withdrawn here.
    void pass(source, ask, { request, label, signal: control.signal }).catch(() => {});
  };
  const hear = ({ event }: Delivered) => {
    if (isEvent(event, "approval_request")) take(event);
    if (isEvent(event, "approval_answer"))
      asked.get(event.requestId)?.abort(new Error("the question was answered or withdrawn"));
  };
  const unsubscribe = await client.subscribe(sessionId, hear);
  const attend = async () => {
    const open = await client.request("attend_requests", { sessionId, attending: requests.attended });
    for (const request of open.requests) take(request);
  };
  // It fails only when the other session has ended.
  const unwatch = requests.onAttendance(() => void attend().catch(() => {}));
  let ignore = () => {};
  const stop = async () => {
    ignore();
    unwatch();
    for (const control of asked.values()) control.abort(new Error("the question is no longer forwarded"));
    await unsubscribe();
  };
  const end = () => {
    ended ??= stop();
    return ended;
  };
  try {
    // The signal may have aborted while the client subscribed.
    signal?.throwIfAborted();
    if (signal) ignore = onAbort(signal, () => void end());
    await attend();
    signal?.throwIfAborted();
  } catch (thrown) {
    await end();
    throw thrown;
  }
  return end;
}

interface Passing {
  request: OpenRequest;
  label: string | undefined;
  signal: AbortSignal;
}

/** Asks one question in this session, and passes its answer to the other one. */
async function pass({ client, sessionId }: Source, ask: Ask, { request, label, signal }: Passing): Promise<void> {
  const { requestId } = request;
  const { answer, reason } = await ask(questionFrom(request, sessionId, label), signal);
  // If the question was answered in the other session meanwhile, that answer counts, and this one is refused.
  await client.request("answer_request", { sessionId, requestId, answer, ...(reason !== undefined && { reason }) });
}

function questionFrom(request: OpenRequest, sessionId: string, label: string | undefined): Question {
  const { requestId, plugin, kind, title, body, options, fallback, data } = request;
  return {
    kind,
    title: label === undefined ? title : `${oneLine(label, LABEL)}: ${title}`,
    ...(body && { body: [...body] }),
    // Messages that follow an answer belong to the other session.
    ...(options && { options: options.map(({ message: _message, ...option }) => option) }),
    ...(fallback !== undefined && { fallback }),
    ...(data !== undefined && { data }),
    from: { sessionId, requestId, plugin },
  };
}
