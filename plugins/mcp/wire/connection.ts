import type { Client, Progress, ProtocolError, Transport } from "@modelcontextprotocol/client";
import { linkedTo } from "@scorel/kit/values/abort";
import type { McpAsk } from "../contract.ts";
import { type CallClock, Calls, type Limits, type Running } from "./calls.ts";
import { type Inventory, inventoryOf, type ListedResource, resourcesOf } from "./inventory.ts";

/** Milliseconds that a server may take to answer the first message. Programs such as npx may have to download packages before. */
export const START_MS = 60_000;
/** The longest time of a Node.js timer. Disables the SDK's own time limits, since `Calls` limits the time of a request. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** JSON-RPC error code for a method that is not supported. */
const METHOD_NOT_FOUND = -32_601;

/** The answer of a server to a call. */
export interface CallResult {
  content: readonly ResultPart[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}
export interface ResultPart {
  type: string;
  text?: unknown;
  data?: unknown;
  mimeType?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: unknown;
}

export interface PromptMessage {
  role: string;
  content: ResultPart;
}

export interface CallOptions extends Limits {
  onProgress(progress: Progress): void;
}

/** An open connection to a server. */
export interface Connection {
  /** Name and version that the server reports. */
  readonly version: string;
  list(): Promise<Inventory>;
  /** Its resources and resource templates. `isCut` is true if there are more than are read. */
  resources(signal: AbortSignal): Promise<{ entries: readonly ListedResource[]; isCut: boolean }>;
  /** The contents of a resource. */
  read(uri: string, limits: Limits): Promise<readonly Record<string, unknown>[]>;
  /** The messages of a prompt. */
  prompt(name: string, args: Record<string, string>, limits: Limits): Promise<readonly PromptMessage[]>;
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
}

/** A question of a server to a person: a form, or a URL to open. */
export interface ElicitRequest {
  mode?: string | undefined;
  message: string;
  requestedSchema?: unknown;
  url?: string | undefined;
}
export interface ElicitAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}
/** A request of a server to the model. */
export interface SampleRequest {
  messages: readonly { role: string; content: unknown }[];
  systemPrompt?: string | undefined;
  maxTokens: number;
}
export type SampleAnswer = { role: "assistant"; content: { type: "text"; text: string }; model: string };
/** Handlers for requests of a server. Without `sample`, the server is told that it cannot ask the model. */
export interface ServerRequests {
  elicit(request: ElicitRequest, signal: AbortSignal): Promise<ElicitAnswer>;
  sample?(request: SampleRequest, signal: AbortSignal): Promise<SampleAnswer>;
}

export interface ConnectOptions extends ServerRequests {
  transport: Transport;
  /** The version of Scorel. */
  version: string;
  /** Folders that servers may ask for, as file URLs. */
  roots: readonly string[];
  signal: AbortSignal;
  clock: CallClock;
  /** Called when the server reports that its tools, prompts or resources have changed. */
  onChanged(): void;
  /** Called when the server has asked for something, whether it gets it or not. */
  onAsked(what: McpAsk): void;
  /** Called for each log message of the server. */
  onLog(level: string, data: unknown): void;
  /** Called when the connection has ended. */
  onClose(): void;
}

/** Connects to a server. The SDK is loaded here, for the first connection of the process. Rejects with the SDK's errors. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { Client, ProtocolError } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "scorel", version: options.version },
    // Results are for a model and need no validation. The SDK would compile a validator from each untrusted schema.
    { capabilities: capabilitiesOf(options), jsonSchemaValidator: { getValidator: () => accepting } },
  );
  const calls = new Calls(options.clock);
  answerRequests(client, options, calls, ProtocolError);
  for (const kind of ["tools", "prompts", "resources"] as const)
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => options.onChanged());
  client.setNotificationHandler("notifications/message", ({ params }) => options.onLog(params.level, params.data));
  client.onclose = () => options.onClose();
  // A separate signal for each step: the SDK leaves its listeners on a signal, and Node.js warns about more than ten.
  const starting = linkedTo(options.signal);
  await client.connect(options.transport, { signal: starting.signal, timeout: START_MS }).finally(() => starting.end());
  return {
    version: versionOf(client),
    list: () => {
      const listing = linkedTo(options.signal);
      return inventoryOf(client, listing.signal).finally(() => listing.end());
    },
    resources: (signal) => resourcesOf(client, signal),
    read: (uri, limits) =>
      calls.run(limits, async ({ signal }) => {
        const { contents } = await client.request({ method: "resources/read", params: { uri } }, until(signal));
        return contents;
      }),
    prompt: (name, args, limits) =>
      calls.run(limits, async ({ signal }) => {
        const params = { name, arguments: args };
        return (await client.request({ method: "prompts/get", params }, until(signal))).messages;
      }),
    call: (name, args, { onProgress, ...limits }) =>
      calls.run(limits, (running) => callTool(client, name, args, onProgress, running)),
    close: () => client.close(),
  };
}

function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  onProgress: CallOptions["onProgress"],
  { signal, progressed }: Running,
): Promise<CallResult> {
  const onprogress = (progress: Progress) => {
    progressed();
    onProgress(progress);
  };
  return client.request({ method: "tools/call", params: { name, arguments: args } }, { ...until(signal), onprogress });
}

/** Handles the requests of the server. */
function answerRequests(client: Client, options: ConnectOptions, calls: Calls, Refusal: typeof ProtocolError): void {
  const { sample, onAsked } = options;
  client.setRequestHandler("roots/list", () => {
    onAsked("folder");
    return { roots: options.roots.map((uri) => ({ uri })) };
  });
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const request = params as ElicitRequest;
    onAsked(request.mode === "url" ? "address" : "answers");
    const asking = calls.answer(mcpReq.signal, (signal) => options.elicit(request, signal), formWithdrawn);
    return { ...(await asking) };
  });
  if (sample)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => {
      onAsked("model");
      return calls.answer(mcpReq.signal, (signal) => sample(params, signal), sampleWithdrawn);
    });
  client.fallbackRequestHandler = async ({ method }) => {
    if (method === "sampling/createMessage") onAsked("model");
    throw new Refusal(METHOD_NOT_FOUND, "Method not found");
  };
}

/** The answer to a form that was withdrawn: as if the person had dismissed it. */
const formWithdrawn = (): ElicitAnswer => ({ action: "cancel" });
const sampleWithdrawn = (): never => {
  throw new Error("the call for which the server asked has ended");
};

function capabilitiesOf({ sample }: ConnectOptions) {
  return { roots: {}, elicitation: { form: {}, url: {} }, ...(sample && { sampling: {} }) };
}

const until = (signal: AbortSignal) => ({ signal, timeout: NO_LIMIT_MS });

const accepting = <T>(input: unknown) => ({
  valid: true as const,
  data: input as NonNullable<T> & T,
  errorMessage: undefined,
});

function versionOf(client: Client): string {
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  return `${name} ${version}`.trim();
}
