import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicMessages } from "./model-formats/anthropic-messages.ts";
import { googleGenerativeAi } from "./model-formats/google-generative-ai.ts";
import { openaiCompletions } from "./model-formats/openai-completions.ts";
import { openaiResponses } from "./model-formats/openai-responses.ts";

/** A model server that plays a script over real HTTP on 127.0.0.1, and records the requests. */

/** The reason why a reply ends. Default: `toolUse` after a tool call, else `stop`. */
export type Finish = "stop" | "length" | "toolUse" | "filtered";
export interface Tokens {
  /** All tokens of the prompt, including cached ones. */
  input: number;
  output: number;
  cached?: number;
}
/** Sizes of the pieces in which a text is sent, in characters; the last size repeats. Default: one piece. */
export type Pieces = number | readonly number[];

/** One step of a reply. All but `until` are plain JSON, so that a script can be handed to another process. */
export type Part =
  | { do: "text" | "thinking"; text: string; pieces?: Pieces }
  | { do: "toolCall"; name: string; json: string; id?: string; pieces?: Pieces }
  | { do: "usage"; tokens: Tokens }
  | { do: "finish"; reason: Finish }
  | { do: "wait"; ms: number }
  | { do: "until"; promise: Promise<unknown> }
  | { do: "cut" | "endEarly" | "hang" }
  | { do: "failure"; message: string }
  | { do: "status"; status: number; body: unknown; headers: Record<string, string> }
  | { do: "raw"; body: string; contentType: string };
export type Reply = Part | readonly Part[];
/** A list of replies, one per request, or a function that makes them. */
export type Script = readonly Reply[] | ((request: RecordedRequest, index: number) => Reply | Promise<Reply>);

export const text = (words: string, pieces?: Pieces): Part => ({ do: "text", text: words, pieces });
export const thinking = (words: string, pieces?: Pieces): Part => ({ do: "thinking", text: words, pieces });
/** A tool call. With `upTo`, only this many characters of the arguments' JSON are sent. */
export const toolCall = (
  name: string,
  args: object | string,
  options: { id?: string; pieces?: Pieces; upTo?: number } = {},
): Part => {
  const json = typeof args === "string" ? args : JSON.stringify(args);
  return { do: "toolCall", name, json: json.slice(0, options.upTo), id: options.id, pieces: options.pieces };
};
export const usage = (tokens: Tokens): Part => ({ do: "usage", tokens });
export const finish = (reason: Finish): Part => ({ do: "finish", reason });
/** A promise that the test resolves: `delayUntil(here.promise)` … `here.open()`. */
export function gate(): { promise: Promise<void>; open(): void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}
/** Continues when the promise has settled. */
export const delayUntil = (promise: Promise<unknown>): Part => ({ do: "until", promise });
/** Delays a stream by time; only for servers in another process, where promises cannot be used. */
export const wait = (ms: number): Part => ({ do: "wait", ms });
/** Destroys the connection after what was sent so far. */
export const cut = (): Part => ({ do: "cut" });
/** Ends the HTTP response regularly, but without the format's finish marker. */
export const endEarly = (): Part => ({ do: "endEarly" });
/** Sends the headers (and earlier parts), then nothing until the client disconnects. */
export const hang = (): Part => ({ do: "hang" });
/** Reports a server error inside the stream, in the format's way, and ends it. */
export const failure = (message: string): Part => ({ do: "failure", message });
/** Answers with a status instead of a stream; `body` is sent as JSON unless it is a string. */
export const status = (code: number, body: unknown = {}, headers: Record<string, string> = {}): Part => ({
  do: "status",
  status: code,
  body,
  headers,
});
/** Answers 200 with exactly this body. */
export const raw = (body: string, contentType = "text/event-stream"): Part => ({ do: "raw", body, contentType });

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined when it is not JSON. */
  body: any;
  /** The body as received. */
  text: string;
  /** When the body was complete, in milliseconds since the epoch. */
  at: number;
  /** Whether the script has no reply for the request. */
  unexpected: boolean;
  /** Resolves when the response is over: `finished`, or `gone` when the client disconnected or the server cut it. */
  over: Promise<"finished" | "gone">;
}

/** The APIs that the server supports. */
export type ApiName = "openai-completions" | "openai-responses" | "google-generative-ai" | "anthropic-messages";

/** How replies of an API look. */
export interface Format {
  api: ApiName;
  /** The path to append to a model's `baseUrl`. */
  base: string;
  /** Whether a request for this path, with its query, belongs to the API. */
  serves(path: string): boolean;
  contentType: string;
  reply(request: unknown, index: number, tokens: Tokens): WireReply;
  error(message: string): unknown;
}
/** One reply: what to send for each step, and after the last one. */
export interface WireReply {
  start(): string;
  text(piece: string): string;
  thinking(piece: string): string;
  callStart(call: number, id: string, name: string): string;
  callDelta(call: number, piece: string): string;
  /** Remaining bytes when the reply ends here. */
  broken(): string;
  failure(message: string): string;
  end(reason: Finish): string;
}

/** The formats by api. */
export const formats: Readonly<Record<ApiName, Format>> = {
  "openai-completions": openaiCompletions,
  "openai-responses": openaiResponses,
  "google-generative-ai": googleGenerativeAi,
  "anthropic-messages": anthropicMessages,
};

export interface ModelServer extends AsyncDisposable {
  /** The `baseUrl` of a model with the requested API, by default openai-completions. */
  readonly baseUrl: string;
  /** The same for any API. */
  baseUrlFor(api: ApiName): string;
  readonly port: number;
  /** In order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** The request with this index (0 is the first), as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

/** Accepts the given API, or else all of them, which are distinguished by the request's path. */
export async function startModelServer(script: Script, only?: Format): Promise<ModelServer> {
  const spoken = only ? [only] : Object.values(formats);
  const requests: RecordedRequest[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => res.destroy(error as Error));
  });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await record(req, res);
    const index = requests.push(request) - 1;
    const format = request.method === "POST" ? spoken.find((each) => each.serves(request.path)) : undefined;
    const reply = format && (await replyFor(script, request, index));
    request.unexpected = reply === undefined;
    for (const wake of waiting.splice(0)) wake();
    await play(reply ?? [refusal(request, index, format)], format ?? openaiCompletions, request, index, res);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrlFor = (api: ApiName) => `http://127.0.0.1:${port}${formats[api].base}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    baseUrl: baseUrlFor((only ?? openaiCompletions).api),
    baseUrlFor,
    port,
    requests,
    async request(index) {
      while (requests.length <= index) await new Promise<void>((resolve) => waiting.push(resolve));
      return requests[index] as RecordedRequest;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refusal({ method, path }: RecordedRequest, index: number, format: Format | undefined): Part {
  if (format) return status(500, format.error(`The script has no reply for request ${index}.`));
  return status(404, openaiCompletions.error(`The script knows no ${method} ${path}.`));
}

async function replyFor(script: Script, request: RecordedRequest, index: number): Promise<readonly Part[] | undefined> {
  const reply = typeof script === "function" ? await script(request, index) : script[index];
  if (reply === undefined) return undefined;
  return "do" in reply ? [reply] : reply;
}

async function record(req: IncomingMessage, res: ServerResponse): Promise<RecordedRequest> {
  const over = new Promise<"finished" | "gone">((resolve) => {
    res.on("close", () => resolve(res.writableFinished ? "finished" : "gone"));
  });
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  const sent = Buffer.concat(pieces).toString("utf8");
  return {
    method: req.method ?? "",
    path: req.url ?? "",
    headers: req.headers,
    body: parsed(sent),
    text: sent,
    at: Date.now(),
    unexpected: false,
    over,
  };
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return undefined;
  }
}

async function play(
  parts: readonly Part[],
  format: Format,
  request: RecordedRequest,
  index: number,
  res: ServerResponse,
): Promise<void> {
  const [first] = parts;
  if (first?.do === "status") return answer(res, first.status, first.body, first.headers);
  if (first?.do === "raw") return answer(res, 200, first.body, { "content-type": first.contentType });
  res.writeHead(200, { "content-type": format.contentType, "cache-control": "no-cache" });
  res.flushHeaders();
  const wire = format.reply(request.body, index, tokensOf(parts));
  const state: Playing = { wire, index, calls: 0 };
  let opened = false;
  for (const part of parts) {
    if (!opened && says(part)) opened = await write(res, wire.start());
    if (await step(part, state, res)) return;
  }
  if (!opened) await write(res, wire.start());
  await write(res, wire.end(state.finish ?? (state.calls > 0 ? "toolUse" : "stop")));
  res.end();
}

interface Playing {
  wire: WireReply;
  index: number;
  calls: number;
  finish?: Finish;
}

function tokensOf(parts: readonly Part[]): Tokens {
  const told = parts.find((part) => part.do === "usage");
  return told?.do === "usage" ? told.tokens : { input: 10, output: 5 };
}

function says(part: Part): boolean {
  return part.do === "text" || part.do === "thinking" || part.do === "toolCall" || part.do === "failure";
}

/** Plays one part; returns true if nothing may follow it. */
async function step(part: Part, state: Playing, res: ServerResponse): Promise<boolean> {
  const { wire } = state;
  switch (part.do) {
    case "text":
    case "thinking":
      for (const piece of cutUp(part.text, part.pieces)) await write(res, wire[part.do](piece));
      return false;
    case "toolCall": {
      const call = state.calls++;
      await write(res, wire.callStart(call, part.id ?? `call_${state.index}_${call}`, part.name));
      for (const piece of cutUp(part.json, part.pieces)) await write(res, wire.callDelta(call, piece));
      return false;
    }
    case "usage":
      return false;
    case "finish":
      state.finish = part.reason;
      return false;
    case "wait":
      await new Promise((resolve) => setTimeout(resolve, part.ms));
      return false;
    case "until":
      await part.promise;
      return false;
    case "cut":
      await write(res, wire.broken());
      res.destroy();
      return true;
    case "endEarly":
      await write(res, wire.broken());
      res.end();
      return true;
    case "hang":
      await write(res, wire.broken());
      return true;
    case "failure":
      await write(res, wire.failure(part.message));
      res.end();
      return true;
    default:
      throw new Error(`"${part.do}" can only be a whole reply`);
  }
}

/** Resolves with true when the system has taken the bytes, so that a later cut does not lose them. */
function write(res: ServerResponse, bytes: string): Promise<true> {
  if (bytes === "" || res.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => res.write(bytes, () => resolve(true)));
}

function answer(res: ServerResponse, code: number, body: unknown, headers: Record<string, string>): void {
  const isText = typeof body === "string";
  res.writeHead(code, { "content-type": isText ? "text/plain" : "application/json", ...headers });
  res.end(isText ? body : JSON.stringify(body));
}

function cutUp(whole: string, sizes: Pieces = whole.length): string[] {
  const list = typeof sizes === "number" ? [sizes] : sizes;
  const pieces: string[] = [];
  for (let at = 0, i = 0; at < whole.length; i++) {
    const size = Math.max(1, list[Math.min(i, list.length - 1)] ?? whole.length);
    pieces.push(whole.slice(at, at + size));
    at += size;
  }
  return pieces;
}
