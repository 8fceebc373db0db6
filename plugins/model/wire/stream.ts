import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
} from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import { adapters, loadAdapter, type SpokenApi } from "../choose/apis.ts";
import type { Choice } from "../choose/choice.ts";
import type { RequestFailure, StreamOptions } from "../contract.ts";
import type { Access } from "../keys/key.ts";
import { adviceOnKey } from "../keys/refused-key.ts";
import type { Secrets } from "../keys/secrets.ts";
import type { Passage } from "./body-lines.ts";
import { adviceOnCertificate, adviceOnSilence, cutMessage, explained } from "./explain.ts";
import { failureOf, onlyOnce, type Wire, wireTo } from "./fetch.ts";
import { renameIncompleteEnding } from "./incomplete-ending.ts";
import { type Marked, markFetch } from "./marked-fetch.ts";
import { withFetch, withVariables } from "./process-state.ts";
import { failedStream } from "./reply.ts";
import { chain, type ReplyListener, ReplyPassage } from "./reply-passage.ts";
import { removeRepeatedIds } from "./same-ids.ts";
import { SentMessages, type Shortened } from "./sent-messages.ts";

/** State shared by the requests of one session. */
export interface Session {
  secrets: Pick<Secrets, "redact">;
  sent?: SentMessages;
}

/** Makes one request. Never throws: failures are `error` events with a readable, redacted message. */
export async function streamModel(
  model: Model<Api>,
  { key, credential, ownServer }: Pick<Access, "key" | "credential"> & Pick<Choice, "ownServer">,
  context: Context,
  options: StreamOptions,
  session: Session,
): Promise<AssistantMessageEventStream> {
  const { redact } = session.secrets;
  try {
    const mayJoin = options.mayJoin ?? (() => false);
    const wire = wireTo(model.baseUrl, {
      onResponse: (response) => options.onResponse?.(response, model),
      passage: (listener) => passageOf(model.api as SpokenApi, { ...listener, mayJoin }),
    });
    const request = await requestOf(model, key, options);
    // Only the turns of a session make requests that extend each other.
    const mayShorten = options.sessionId !== undefined && options.onPayload === undefined;
    if (mayShorten) session.sent ??= new SentMessages();
    const shortened = mayShorten ? session.sent?.shorten(model, key, context) : undefined;
    const stream = shortened
      ? await startedShort(model, context, request, wire, shortened)
      : await started(model, context, request, wire);
    return watched(stream, wire, {
      explain: (message) => cutMessage(redact(explained(message, model.baseUrl, wire))),
      advise({ status, unreached }) {
        const { host } = new URL(model.baseUrl);
        if (ownServer && unreached === "ECONNREFUSED") return adviceOnSilence(host);
        return unreached === undefined
          ? adviceOnKey(status, model.provider, credential)
          : adviceOnCertificate(host, unreached);
      },
    });
  } catch (thrown) {
    return failedStream(model, redact(messageOf(thrown)));
  }
}

/** Creates the transformations of a reply for an api. */
function passageOf(api: SpokenApi, listener: ReplyListener): Passage {
  const reply = new ReplyPassage(api, listener);
  if (api === "openai-responses") return chain(reply, renameIncompleteEnding());
  return api === "openai-completions" ? chain(reply, removeRepeatedIds()) : reply;
}

/**
 * Returns the options for the adapter. Omits `onResponse`, which the library calls only for some apis; the wire calls
 * it for all.
 */
async function requestOf(
  model: Model<Api>,
  apiKey: string,
  { onResponse: _onResponse, mayJoin: _mayJoin, reasoning, ...options }: StreamOptions,
): Promise<SimpleStreamOptions> {
  const { cacheRetention = "short" } = options;
  const level = reasoning && (await import("@mariozechner/pi-ai")).clampThinkingLevel(model, reasoning);
  // A connection kept open between requests would keep the process alive and bypass the proxy.
  const fixed = { apiKey, maxRetries: 0, transport: "sse" } as const;
  return { ...options, ...fixed, cacheRetention, ...(level && level !== "off" && { reasoning: level }) };
}

/**
 * Starts a request for which the adapter converts only the end of the conversation; the cached beginning is inserted
 * into the body.
 */
async function startedShort(
  model: Model<Api>,
  context: Context,
  request: SimpleStreamOptions,
  wire: Wire,
  shortened: Shortened,
): Promise<AssistantMessageEventStream> {
  const onPayload = async (made: unknown) => shortened.payload(made) ?? (await payloadOf(model, context, request));
  const whole: typeof fetch = (input, init) => wire.fetch(input, { ...init, body: shortened.body(init?.body) ?? null });
  return started(model, shortened.context, { ...request, onPayload }, { ...wire, fetch: whole });
}

/** Returns the adapter's payload for the whole conversation, without sending it. */
async function payloadOf(model: Model<Api>, context: Context, request: SimpleStreamOptions): Promise<unknown> {
  const speak = await loadAdapter(model.api as SpokenApi);
  return new Promise((resolve) => {
    const onPayload = (made: unknown) => {
      resolve(made);
      throw new Error("Only the payload was asked for.");
    };
    void speak(model, context, { ...request, onPayload })
      .result()
      .then(() => resolve(undefined));
  });
}

/**
 * Starts a request. SDK clients read fetch and variables when they are created, which happens synchronously in the
 * call.
 */
async function started(
  model: Model<Api>,
  context: Context,
  request: SimpleStreamOptions,
  wire: Wire,
): Promise<AssistantMessageEventStream> {
  const { late, insists, variables } = adapters[model.api as SpokenApi];
  const speak = await loadAdapter(model.api as SpokenApi);
  const found = isOpenAi(model) ? { OPENAI_LOG: "off" } : variables;
  if (!late) return withVariables(found, () => withFetch(wire.fetch, () => speak(model, context, request)));
  const marked = markFetch(insists ? onlyOnce(wire) : wire.fetch);
  const headers = { ...request.headers, ...marked.headers };
  return released(
    withVariables(found, () => speak(model, context, { ...request, headers })),
    marked,
  );
}

function released(stream: AssistantMessageEventStream, marked: Marked): AssistantMessageEventStream {
  void stream.result().then(marked.release);
  return stream;
}

/** True for OpenAI itself, which may read the organization and project from the environment. */
function isOpenAi({ baseUrl }: Model<Api>): boolean {
  return new URL(baseUrl).hostname === "api.openai.com";
}

/** Functions that phrase a failure and its remedy. */
interface Words {
  explain(message: string): string;
  advise(failure: RequestFailure): string | undefined;
}

/**
 * Detects cut replies. The library reports success when the connection just ends, so its initial stop reason is
 * removed; a reply that ends without one was cut.
 */
function watched(stream: AssistantMessageEventStream, wire: Wire, words: Words): AssistantMessageEventStream {
  const push = stream.push.bind(stream);
  stream.push = (event) => {
    if (event.type === "start") {
      (event.partial as { stopReason: unknown }).stopReason = undefined;
      if (event.partial.api === "google-generative-ai") keepBadEnding(event.partial);
    }
    push(settled(event, wire, words));
  };
  return stream;
}

/** Keeps "length" and "error", which Google's adapter would overwrite with "toolUse" for a reply with calls. */
function keepBadEnding(message: AssistantMessage): void {
  let reason = message.stopReason;
  Object.defineProperty(message, "stopReason", {
    enumerable: true,
    get: () => reason,
    set(next: typeof reason) {
      if (next !== "toolUse" || (reason !== "length" && reason !== "error")) reason = next;
    },
  });
}

type ErrorEvent = Extract<AssistantMessageEvent, { type: "error" }>;

function settled(event: AssistantMessageEvent, wire: Wire, words: Words): AssistantMessageEvent {
  if (event.type === "done" && event.message.stopReason === undefined)
    return failed(cutOff(event.message), wire, words);
  if (event.type !== "error") return event;
  if (event.reason === "aborted") event.error.errorMessage = "Request was aborted";
  return event.reason === "error" ? failed(event, wire, words) : event;
}

/** The error for a reply without an end: its connection was closed, or the library ignored an error. */
function cutOff(message: AssistantMessage): ErrorEvent {
  const errorMessage = `${message.content.length === 0 ? "empty reply: " : ""}stream ended without a finish marker`;
  return { type: "error", reason: "error", error: { ...message, stopReason: "error", errorMessage } };
}

function failed(event: ErrorEvent, wire: Wire, { explain, advise }: Words): ErrorEvent {
  event.error.errorMessage = explain(event.error.errorMessage ?? "unknown error");
  const failure = failureOf(wire);
  const advice = failure && advise(failure);
  if (failure)
    (event.error as { failure?: RequestFailure }).failure = { ...failure, ...(advice !== undefined && { advice }) };
  return event;
}
