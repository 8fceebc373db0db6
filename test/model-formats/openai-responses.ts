import type { Finish, Format, Tokens } from "../model-server.ts";
import { namedSse } from "./sse.ts";

/** The server side of `POST /v1/responses` with `stream: true`, event by event as OpenAI sends them. */
export const openaiResponses: Format = {
  api: "openai-responses",
  base: "/v1",
  serves: (path) => path === "/v1/responses",
  contentType: "text/event-stream; charset=utf-8",
  reply(request, index, tokens) {
    const model = (request as { model?: unknown } | undefined)?.model ?? "none";
    let sequence = 0;
    const say = (type: string, rest: object) => namedSse({ type, sequence_number: sequence++, ...rest });
    const response = (status: string, rest: object = {}) => ({
      response: { id: `resp_${index}`, object: "response", created_at: 1, model, status, output: [], ...rest },
    });
    const items = createItems(index, say);
    return {
      start: () =>
        say("response.created", response("in_progress")) + say("response.in_progress", response("in_progress")),
      text: (piece) => items.delta("message", piece),
      thinking: (piece) => items.delta("reasoning", piece),
      callStart: (_call, id, name) => items.open("function_call", { call_id: id, name }),
      callDelta: (_call, piece) => items.delta("function_call", piece),
      broken: () => "",
      failure: (message) => say("response.failed", response("failed", { error: { code: "server_error", message } })),
      end: (reason) => items.close() + end(reason, tokens, (type, status, rest) => say(type, response(status, rest))),
    };
  },
  error: (message) => ({ error: { message, type: "server_error", param: null, code: null } }),
};

function end(reason: Finish, tokens: Tokens, say: (type: string, status: string, rest: object) => string): string {
  const usage = usageOf(tokens);
  if (reason === "stop" || reason === "toolUse") return say("response.completed", "completed", { usage });
  const why = reason === "length" ? "max_output_tokens" : "content_filter";
  return say("response.incomplete", "incomplete", { usage, incomplete_details: { reason: why } });
}

function usageOf({ input, output, cached = 0 }: Tokens): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

type ItemType = "message" | "reasoning" | "function_call";
interface Item {
  type: ItemType;
  id: string;
  [field: string]: unknown;
}
const prefixes: Record<ItemType, string> = { message: "msg", reasoning: "rs", function_call: "fc" };

/** Output items: one open at a time. The events depend on the kind of item. */
function createItems(reply: number, say: (type: string, rest: object) => string) {
  let at = -1;
  let open: Item | undefined;
  let sent = "";

  function begin(type: ItemType, fields: object = {}): string {
    const before = close();
    at++;
    sent = "";
    open = { type, id: `${prefixes[type]}_${reply}_${at}`, ...fields };
    return (
      before + say("response.output_item.added", { output_index: at, item: shaped(open, "", true) }) + partAdded(open)
    );
  }

  function partAdded({ type, id }: Item): string {
    const where = { item_id: id, output_index: at };
    if (type === "message")
      return say("response.content_part.added", { ...where, content_index: 0, part: outputText("") });
    if (type === "reasoning")
      return say("response.reasoning_summary_part.added", { ...where, summary_index: 0, part: summaryText("") });
    return "";
  }

  function delta(type: ItemType, piece: string): string {
    const before = open?.type === type ? "" : begin(type);
    sent += piece;
    return (
      before + say(`${deltaOf[type]}.delta`, { item_id: open?.id, output_index: at, ...indexOf[type], delta: piece })
    );
  }

  function close(): string {
    if (!open) return "";
    const { type, id } = open;
    const where = { item_id: id, output_index: at, ...indexOf[type] };
    const item = shaped(open, sent, false);
    open = undefined;
    const done = say(`${deltaOf[type]}.done`, { ...where, ...doneOf(type, sent) });
    return done + partDone(type, where) + say("response.output_item.done", { output_index: at, item });
  }

  function partDone(type: ItemType, where: object): string {
    if (type === "message") return say("response.content_part.done", { ...where, part: outputText(sent) });
    if (type === "reasoning") return say("response.reasoning_summary_part.done", { ...where, part: summaryText(sent) });
    return "";
  }

  return { open: begin, delta, close };
}

const deltaOf: Record<ItemType, string> = {
  message: "response.output_text",
  reasoning: "response.reasoning_summary_text",
  function_call: "response.function_call_arguments",
};
const indexOf: Record<ItemType, object> = {
  message: { content_index: 0 },
  reasoning: { summary_index: 0 },
  function_call: {},
};

function doneOf(type: ItemType, sent: string): object {
  return type === "function_call" ? { arguments: sent } : { text: sent };
}

function shaped(item: Item, sent: string, isNew: boolean): object {
  const status = isNew ? "in_progress" : "completed";
  if (item.type === "reasoning") return { ...item, summary: isNew ? [] : [summaryText(sent)] };
  if (item.type === "function_call") return { ...item, status, arguments: sent };
  return { ...item, status, role: "assistant", content: isNew ? [] : [outputText(sent)] };
}

const outputText = (text: string) => ({ type: "output_text", text, annotations: [] });
const summaryText = (text: string) => ({ type: "summary_text", text });
