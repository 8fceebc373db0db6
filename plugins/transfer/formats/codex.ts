import type { EventId } from "@scorel/kernel";
import type { AssistantMessage, ImageBlock, ToolCallBlock, ToolResultMessage, Usage } from "@scorel/messages/contract";
import { isRecord, type Json, lineOf, listIn, parseRecord, recordIn, textIn } from "../json.ts";
import {
  assistantMessage,
  blocksOf,
  callIdOf,
  compaction,
  contentOf,
  imageOfUrl,
  nameOf,
  textBlock,
  toolResult,
  usageOf,
  userMessage,
} from "./foreign-message.ts";
import type { ImportTarget, Reader } from "./reader.ts";

/** Matches what Codex tells the model about its environment; Scorel describes its own. */
const SURROUNDINGS =
  /^\s*(<(environment_context|user_instructions|permissions|INSTRUCTIONS)|# AGENTS\.md instructions)/;
/** Event types that repeat what a `response_item` says. */
const TWICE = /^(user_message|agent_message|agent_reasoning\w*|item_\w+|raw_response_item|\w+_delta)$/;
const APPROVALS = /approval|request_user_input|elicitation|request_permission/;
const CALLS = ["function_call", "custom_tool_call", "local_shell_call"];
const RESULTS = ["function_call_output", "custom_tool_call_output", "local_shell_call_output"];

/** A reply to which further blocks, results and usage may be added. */
interface Reply {
  content: AssistantMessage["content"];
  results: ToolResultMessage[];
  usage?: Usage;
  ts: unknown;
}

/** Reads session files of Codex: `~/.codex/sessions/<date>/rollout-*.jsonl`, which are linear. */
export class CodexReader implements Reader {
  private readonly target: ImportTarget;
  private readonly tools = new Map<string, string>();
  /** The leaf before each message of the user. */
  private readonly begun: (EventId | null)[] = [];
  private model = "unknown";
  private provider = "openai";
  private reply: Reply | undefined;

  constructor(target: ImportTarget) {
    this.target = target;
  }

  take(record: Json) {
    const { type, timestamp } = record;
    // The oldest files have items without an envelope and a first line without a type.
    const payload = isRecord(record.payload) ? record.payload : record;
    if (type === "session_meta" || type === undefined) this.takeMeta(payload, record);
    else if (type === "turn_context") this.model = nameOf(payload.model, this.model);
    else if (type === "event_msg") this.takeEvent(payload, timestamp);
    else if (type === "compacted") this.takeCompaction(payload, timestamp);
    else this.takeItem(payload, timestamp);
  }

  end(): void {
    this.flush();
  }

  private takeMeta(payload: Json, record: Json) {
    this.target.report.setOrigin(payload.id, payload.cwd);
    if (typeof payload.id !== "string") return this.unknown("unnamed", record, record.timestamp);
    this.provider = nameOf(payload.model_provider, this.provider);
  }

  private takeEvent(payload: Json, ts: unknown) {
    const type = textIn(payload.type);
    if (type === "token_count") return this.takeUsage(recordIn(recordIn(payload.info).last_token_usage));
    if (type === "thread_rolled_back") return this.goBack(payload, ts);
    if (TWICE.test(type) || APPROVALS.test(type)) return this.target.report.leaveOut(type);
    this.unknown(type, payload, ts);
  }

  private takeUsage(tokens: Json) {
    const { input_tokens: all, cached_input_tokens: cacheRead, output_tokens: output } = tokens;
    if (!this.reply || typeof all !== "number") return;
    const cached = typeof cacheRead === "number" ? cacheRead : 0;
    this.reply.usage = usageOf({ input: all - cached, output, cacheRead: cached });
  }

  private goBack({ num_turns }: Json, ts: unknown) {
    this.flush();
    const turns = typeof num_turns === "number" ? Math.min(Math.max(1, Math.floor(num_turns)), this.begun.length) : 1;
    const target = this.begun.splice(this.begun.length - turns)[0];
    if (target !== undefined) this.target.builder.jump(target, { ts });
  }

  private takeCompaction(payload: Json, ts: unknown) {
    this.flush();
    const { builder } = this.target;
    const summary = textIn(payload.message);
    if (builder.leaf === null || summary === "") return this.unknown("compacted", payload, ts);
    builder.path("compact", compaction({ summary, compactedThrough: builder.leaf, tokensBefore: 0 }), { ts });
  }

  private takeItem(payload: Json, ts: unknown) {
    const type = textIn(payload.type);
    if (type === "message" && payload.role === "assistant") this.say(partsOf(payload.content), ts);
    else if (type === "message" && payload.role === "user") this.takeUser(payload, ts);
    else if (type === "reasoning" && thoughtOf(payload) !== "")
      this.say([{ type: "thinking", thinking: thoughtOf(payload) }], ts);
    else if (CALLS.includes(type)) this.say([this.callOf(payload)], ts);
    else if (RESULTS.includes(type)) this.takeResult(payload, ts);
    else this.unknown(type === "message" ? `message of ${lineOf(payload.role, 20)}` : type, payload, ts);
  }

  private takeUser(payload: Json, ts: unknown) {
    const { builder } = this.target;
    const blocks = blocksOf(payload.content, image);
    const [first] = blocks;
    if (first?.type === "text" && SURROUNDINGS.test(first.text)) return this.unknown("surroundings", payload, ts);
    this.flush();
    if (blocks.length === 0) return builder.unknown("user without words", payload, { ts });
    this.begun.push(builder.leaf);
    builder.path("message", { message: userMessage(contentOf(blocks), builder.timeOf(ts)) }, { ts });
  }

  /** Adds to the current reply, or starts another one after results. */
  private say(content: AssistantMessage["content"], ts: unknown): void {
    if (this.reply && this.reply.results.length > 0) this.flush();
    this.reply ??= { content: [], results: [], ts };
    this.reply.content.push(...content);
  }

  private callOf({ call_id, id, name, arguments: json, input, action }: Json): ToolCallBlock {
    const callId = callIdOf(call_id ?? id);
    const tool = nameOf(name, "local_shell");
    this.tools.set(callId, tool);
    const given = typeof json === "string" ? parsed(json) : (json ?? input ?? action);
    const args = isRecord(given) ? given : { input: given ?? "" };
    return { type: "toolCall", id: callId, name: tool, arguments: args };
  }

  private takeResult({ call_id, output }: Json, ts: unknown) {
    const { builder } = this.target;
    const { content, isError } = outputOf(output);
    const toolName = this.tools.get(callIdOf(call_id)) ?? "unknown";
    const message = toolResult({ callId: call_id, toolName, content, isError, timestamp: builder.timeOf(ts) });
    if (this.reply) this.reply.results.push(message);
    else builder.path("message", { message }, { ts });
  }

  private flush(): void {
    const { reply } = this;
    this.reply = undefined;
    if (!reply) return;
    const { builder } = this.target;
    const { content, usage, results, ts } = reply;
    const { model, provider } = this;
    const timestamp = builder.timeOf(ts);
    const message = assistantMessage({
      content,
      api: "openai-responses",
      provider,
      model,
      timestamp,
      ...(usage && { usage }),
    });
    if (content.length > 0) builder.path("message", { message }, { ts });
    for (const result of results) builder.path("message", { message: result }, { ts: result.timestamp });
  }

  /** Keeps a record as a hidden event after the events so far; the current reply is written after it. */
  private unknown(type: string, record: Json, ts: unknown): void {
    this.target.builder.unknown(type || "unnamed", record, { ts });
  }
}

function partsOf(content: unknown): AssistantMessage["content"] {
  return blocksOf(content, () => undefined).flatMap((block) => (block.type === "text" ? [textBlock(block.text)] : []));
}

function thoughtOf({ summary, content }: Json): string {
  const texts = [...listIn(summary), ...listIn(content)].map((part) => textIn(recordIn(part).text));
  return texts.filter((text) => text !== "").join("\n\n");
}

function image(block: Json): ImageBlock | undefined {
  return block.type === "input_image" ? imageOfUrl(block.image_url) : undefined;
}

/** Reads a tool's output: a text, blocks, an object with a text, or such an object as JSON. */
function outputOf(output: unknown): { content: ToolResultMessage["content"]; isError: boolean } {
  const given = typeof output === "string" && output.startsWith("{") ? parsed(output) : output;
  if (!isRecord(given)) return { content: blocksOf(given, image), isError: false };
  const { output: text, content, success, metadata } = given;
  if (text === undefined && content === undefined) return { content: blocksOf(output, image), isError: false };
  const code = recordIn(metadata).exit_code;
  const isError = success === false || (typeof code === "number" && code !== 0);
  return { content: blocksOf(text ?? content, image), isError };
}

/** Parses JSON under the limits of a record. Returns the text itself when it is not an object. */
function parsed(json: string): unknown {
  const value = parseRecord(Buffer.from(json));
  return isRecord(value) ? value : json;
}
