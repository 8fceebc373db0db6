import { setImmediate } from "node:timers/promises";
import {
  type Api,
  type AssistantMessage,
  type AssistantMessageEventStream,
  type Context,
  calculateCost,
  createAssistantMessageEventStream,
  type Model,
} from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { ProviderPart, RequestFailure, StreamOptions } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Access } from "../keys/key.ts";
import { adviceOnKey } from "../keys/refused-key.ts";
import { explained } from "../wire/explain.ts";
import { failureOf, type Wire } from "../wire/fetch.ts";
import { emptyMessage } from "../wire/reply.ts";
import { accessTo } from "./access.ts";
import { ReplyParts } from "./parts.ts";
import type { OwnStream } from "./provider.ts";

/** Number of parts to read per turn of the event loop. */
const PARTS_AT_ONCE = 256;

/** Runs a function of a plugin, so that the plugin can be named if the call never returns. */
export type Run = <T>(plugin: string, where: string, work: () => T) => T;

interface Request {
  model: Model<Api>;
  access: Pick<Access, "key" | "credential">;
  context: Context;
  options: StreamOptions & { signal: AbortSignal };
  redact(text: string): string;
  run: Run;
}

/** Makes one request with a plugin's stream function. Never throws: failures are `error` events, as with the known apis. */
export function streamOwn(own: OwnStream, request: Request): AssistantMessageEventStream {
  const out = createAssistantMessageEventStream();
  void feed(out, own, request);
  return out;
}

async function feed(out: AssistantMessageEventStream, own: OwnStream, request: Request): Promise<void> {
  const { model, options, redact } = request;
  const message = emptyMessage(model);
  const { key, credential } = request.access;
  const { access, wire } = accessTo(own.provider, {
    key: credential === "no key" ? undefined : key,
    signal: options.signal,
    headers: options.headers,
    onResponse: (response) => options.onResponse?.(response, model),
  });
  try {
    out.push({ type: "start", partial: message });
    const parts = new ReplyParts(message, (event) => out.push(event));
    const reason = await read(partsOf(own, { ...request, ...access }), own, parts);
    parts.close();
    if (!reason)
      throw new Error(`${message.content.length === 0 ? "empty reply: " : ""}stream ended without a finish marker`);
    message.stopReason = reason;
    calculateCost(model, message.usage);
    out.push({ type: "done", reason, message });
    out.end(message);
  } catch (thrown) {
    const words = redact(explained(messageOf(thrown), model.baseUrl, wire));
    fail(out, message, options.signal.aborted ? undefined : { words, failure: failureFor(wire, own, credential) });
  }
}

function partsOf(
  { plugin, id, provider, listed }: OwnStream,
  { run, fetch, signal, context, options }: Request & ReturnType<typeof accessTo>["access"],
): AsyncIterator<ProviderPart> {
  const { temperature, maxTokens, reasoning, sessionId } = options;
  const asked = {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(sessionId !== undefined && { sessionId }),
  };
  const where = `stream of provider ${id}`;
  const parts: unknown = run(plugin, where, () =>
    provider.stream?.({ fetch, signal, context, options: asked, model: listed }),
  );
  const iterator = (parts as Partial<AsyncIterable<ProviderPart>> | undefined)?.[Symbol.asyncIterator]?.();
  if (!iterator) throw errors.MODEL_STREAM({ plugin, reason: "returned nothing to read from" });
  return {
    next: () => run(plugin, where, () => iterator.next()),
    return: async () => (await run(plugin, where, () => iterator.return?.())) ?? { done: true, value: undefined },
  };
}

/** Reads parts up to the end and returns its reason; undefined when the parts end without one. */
async function read(parts: AsyncIterator<ProviderPart>, { plugin }: OwnStream, into: ReplyParts) {
  for (let count = 1; ; count++) {
    // A function that never waits would block timers, signals and the readers of the reply.
    if (count % PARTS_AT_ONCE === 0) await setImmediate();
    const { done, value } = await parts.next();
    if (done) return undefined;
    const taken = into.take(value);
    if (taken === undefined) continue;
    // Does not wait for work that the function does after its last part.
    void Promise.resolve(parts.return?.()).catch(() => {});
    if ("flaw" in taken) throw errors.MODEL_STREAM({ plugin, reason: taken.flaw });
    return taken.end;
  }
}

function failureFor(wire: Wire, { id }: OwnStream, credential: string): RequestFailure | undefined {
  const failure = failureOf(wire);
  const advice = adviceOnKey(failure?.status, id, credential);
  return failure && { ...failure, ...(advice !== undefined && { advice }) };
}

/** Ends the stream with an error; without `why`, as aborted. */
function fail(
  out: AssistantMessageEventStream,
  message: AssistantMessage,
  why: { words: string; failure: RequestFailure | undefined } | undefined,
): void {
  const reason = why ? "error" : "aborted";
  const error = {
    ...message,
    stopReason: reason,
    errorMessage: why?.words ?? "Request was aborted",
    ...(why?.failure && { failure: why.failure }),
  } as AssistantMessage;
  out.push({ type: "error", reason, error });
  out.end(error);
}
