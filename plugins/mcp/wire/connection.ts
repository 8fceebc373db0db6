import type { Client, Progress, Transport } from "@modelcontextprotocol/client";

/** Pages of a list of tools, and tools, that are read from one server. */
const MOST_PAGES = 64;
const MOST_TOOLS = 256;
/** Milliseconds that a server may take to answer the first message. Programs such as npx may have to be downloaded before. */
const START_MS = 60_000;
/** How often as long as its limit a call may take if it tells of progress. */
const MOST_LIMITS = 30;

/** A tool as a server describes it. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** What a server may answer to a call. */
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

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress(progress: Progress): void;
}

/** What a server offers. */
export interface Inventory {
  tools: readonly ListedTool[];
  /** It has more tools than are read. */
  isCut: boolean;
}

/** An open connection to a server. */
export interface Connection {
  /** Its own name and version. */
  readonly version: string;
  list(): Promise<Inventory>;
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  transport: Transport;
  /** The version of Scorel. */
  version: string;
  /** Folders that servers may ask for, as addresses. */
  roots: readonly string[];
  signal: AbortSignal;
  /** The server says that its tools have changed. */
  onChanged(): void;
  /** The connection has ended. */
  onClose(): void;
}

/** Connects to a server. The SDK is loaded here, with the first connection of the process. Rejects with the SDK's errors. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "scorel", version: options.version },
    // Results are shown to a model, which needs no validator. The SDK would compile one from each schema of a stranger.
    { capabilities: { roots: {} }, jsonSchemaValidator: { getValidator: () => accepting } },
  );
  client.setRequestHandler("roots/list", () => ({ roots: options.roots.map((uri) => ({ uri })) }));
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onChanged());
  client.onclose = () => options.onClose();
  await client.connect(options.transport, { signal: options.signal, timeout: START_MS });
  return {
    version: versionOf(client),
    list: () => listed(client),
    call: async (name, args, { signal, timeoutMs, onProgress }) =>
      client.request(
        { method: "tools/call", params: { name, arguments: args } },
        {
          signal,
          timeout: timeoutMs,
          maxTotalTimeout: timeoutMs * MOST_LIMITS,
          resetTimeoutOnProgress: true,
          onprogress: onProgress,
        },
      ),
    close: () => client.close(),
  };
}

const accepting = <T>(input: unknown) => ({
  valid: true as const,
  data: input as NonNullable<T> & T,
  errorMessage: undefined,
});

function versionOf(client: Client): string {
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  return `${name} ${version}`.trim();
}

async function listed(client: Client): Promise<Inventory> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], isCut: false };
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, { timeout: START_MS });
    tools.push(...answer.tools.slice(0, MOST_TOOLS + 1 - tools.length));
    if (tools.length > MOST_TOOLS) return { tools: tools.slice(0, MOST_TOOLS), isCut: true };
    cursor = answer.nextCursor;
    if (cursor === undefined) return { tools, isCut: false };
  }
  return { tools, isCut: true };
}
