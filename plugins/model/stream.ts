import type {
  Api,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  Model,
  ProviderResponse,
  SimpleStreamOptions,
} from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { RequestFailure } from "./contract.ts";
import { failureOf, type Wire, wireTo, withFetch } from "./fetch.ts";
import { failedStream } from "./reply.ts";

/** One request on the wire. Never throws: every failure is an `error` event with a readable, redacted message. */
export async function streamModel(
  model: Model<Api>,
  key: string,
  context: Context,
  options: SimpleStreamOptions,
  redact: (text: string) => string,
): Promise<AssistantMessageEventStream> {
  try {
    // The direct module, not the registry: its stream can be watched before the first event, and no plugin can replace it.
    const { streamSimpleOpenAICompletions } = await import("@mariozechner/pi-ai/openai-completions");
    const wire = wireTo(model.baseUrl);
    const onResponse = (response: ProviderResponse) => {
      refusePage(response);
      return options.onResponse?.(response, model);
    };
    const request = { ...options, apiKey: key, maxRetries: 0, onResponse };
    // The client keeps the fetch that it finds while it is made, which happens before this call returns.
    const stream = withFetch(wire.fetch, () =>
      streamSimpleOpenAICompletions(model as Model<"openai-completions">, context, request),
    );
    return watched(stream, wire, (message) => redact(explained(message, model, wire)));
  } catch (thrown) {
    return failedStream(model, redact(messageOf(thrown)));
  }
}

/** A web page with status 200 is what a wrong baseUrl or a captive network answers. */
function refusePage({ headers }: ProviderResponse): void {
  const type = headers["content-type"] ?? "";
  if (/^text\/html|^application\/xhtml/i.test(type))
    throw new Error(`The server answered with a web page (${type}) instead of a stream: is baseUrl right?`);
}

/**
 * The library calls a reply finished when the connection ends. So the reason it starts out with is taken away, and a
 * reply that ends without anyone having set one was cut.
 */
function watched(
  stream: AssistantMessageEventStream,
  wire: Wire,
  explain: (message: string) => string,
): AssistantMessageEventStream {
  const push = stream.push.bind(stream);
  stream.push = (event) => {
    if (event.type === "start") (event.partial as { stopReason: unknown }).stopReason = undefined;
    push(settled(event, wire, explain));
  };
  return stream;
}

function settled(
  event: AssistantMessageEvent,
  wire: Wire,
  explain: (message: string) => string,
): AssistantMessageEvent {
  if (event.type === "done" && event.message.stopReason === undefined) {
    const { content } = event.message;
    const errorMessage = `${content.length === 0 ? "empty reply: " : ""}stream ended without a finish marker`;
    return { type: "error", reason: "error", error: { ...event.message, stopReason: "error", errorMessage } };
  }
  if (event.type !== "error" || event.reason !== "error") return event;
  event.error.errorMessage = explain(event.error.errorMessage ?? "unknown error");
  const failure = failureOf(wire);
  if (failure) (event.error as { failure?: RequestFailure }).failure = failure;
  return event;
}

function explained(message: string, { baseUrl }: Model<Api>, { unreached }: Wire): string {
  return unreached === undefined
    ? message
    : `connection error: ${new URL(baseUrl).host} was not reached (${unreached})`;
}
