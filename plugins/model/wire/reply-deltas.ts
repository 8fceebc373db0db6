import type { SpokenApi } from "../choose/apis.ts";
import { asObject, dataOf, objectIn, withData } from "./event-text.ts";

/** The text that an event adds to a reply, and where it is in the event's data. */
interface Delta {
  key: string;
  holder: Record<string, unknown>;
  field: string;
}
/** The text around the delta in events that differ in nothing else. */
interface Frame {
  key: string;
  before: string;
  after: string;
}
interface Run {
  key: string;
  first: string;
  frame: Frame | undefined;
  /** Texts in JSON-escaped form, so that they can be concatenated unparsed. */
  texts: string[];
}

/** Merges consecutive deltas of the same text into one event. */
export class DeltaJoiner {
  private readonly find: (data: Record<string, unknown>) => Delta | undefined;
  private frame: Frame | undefined;
  private run: Run | undefined;

  constructor(api: SpokenApi) {
    this.find = finders[api];
  }

  /**
   * Keeps a delta for `flush`; returns false for other events. Pushes what was kept before to `out` if it cannot be
   * continued.
   */
  take(event: string, out: string[]): boolean {
    const framed = this.framed(event);
    if (framed !== undefined) {
      this.add(this.frame as Frame, event, framed, out);
      return true;
    }
    const data = objectIn(dataOf(event) ?? "");
    const delta = data && this.find(data);
    const text = delta?.holder[delta.field];
    if (!delta || typeof text !== "string") return false;
    const raw = JSON.stringify(text).slice(1, -1);
    this.frame = frameOf(event, delta, raw);
    this.add(this.frame ?? { key: delta.key, before: "", after: "" }, event, raw, out);
    return true;
  }

  /** Pushes the merged event to `out`, if there is one. */
  flush(out: string[]): void {
    const { run } = this;
    this.run = undefined;
    if (!run) return;
    if (run.texts.length === 1) out.push(run.first);
    else if (run.frame) out.push(run.frame.before + run.texts.join("") + run.frame.after);
    else out.push(this.rewritten(run));
  }

  private add(frame: Frame, event: string, raw: string, out: string[]): void {
    if (this.run?.key !== frame.key) {
      this.flush(out);
      this.run = { key: frame.key, first: event, frame: frame.before === "" ? undefined : frame, texts: [] };
    }
    this.run?.texts.push(raw);
  }

  /** Returns the text of an event that fits the frame of the last one, without parsing it. */
  private framed(event: string): string | undefined {
    const { frame } = this;
    if (!frame || event.length < frame.before.length + frame.after.length) return undefined;
    if (!event.startsWith(frame.before) || !event.endsWith(frame.after)) return undefined;
    const raw = event.slice(frame.before.length, event.length - frame.after.length);
    return isInsideString(raw) ? raw : undefined;
  }

  private rewritten({ first, texts }: Run): string {
    const data = objectIn(dataOf(first) ?? "") as Record<string, unknown>;
    const { holder, field } = this.find(data) as Delta;
    holder[field] = JSON.parse(`"${texts.join("")}"`);
    return withData(first, data);
  }
}

function isInsideString(raw: string): boolean {
  if (!raw.includes('"') && !raw.includes("\\")) return true;
  return /^(?:[^"\\]|\\.)*$/.test(raw);
}

function frameOf(event: string, { key, field }: Delta, raw: string): Frame | undefined {
  const quoted = [`"${field}":"${raw}"`, `"${field}": "${raw}"`].find((text) => event.includes(text));
  if (quoted === undefined) return undefined;
  const at = event.indexOf(quoted);
  if (event.includes(quoted, at + 1)) return undefined;
  const start = at + quoted.length - raw.length - 1;
  return { key, before: event.slice(0, start), after: event.slice(start + raw.length) };
}

const TEXTS = new Set(["content", "reasoning_content", "reasoning", "reasoning_text"]);

function inCompletion({ choices, usage, error }: Record<string, unknown>): Delta | undefined {
  if (!isNone(usage) || !isNone(error) || !Array.isArray(choices) || choices.length !== 1) return undefined;
  const choice = asObject(choices[0]);
  const delta = asObject(choice?.delta);
  if (!choice || !delta || !isNone(choice.finish_reason) || !isNone(choice.usage)) return undefined;
  const said = Object.entries(delta).filter(([key, value]) => key !== "role" && !isNone(value) && value !== "");
  const [key, value] = said[0] ?? ["", undefined];
  if (said.length !== 1) return undefined;
  if (TEXTS.has(key)) return { key, holder: delta, field: key };
  return key === "tool_calls" && Array.isArray(value) && value.length === 1 ? inCall(value[0]) : undefined;
}

/** Returns the arguments delta of a call. A piece with an id or name starts a call and is not merged. */
function inCall(value: unknown): Delta | undefined {
  const { index, id, function: called } = asObject(value) ?? {};
  const holder = asObject(called);
  if (typeof index !== "number" || !holder || id || holder.name) return undefined;
  return { key: `call ${index}`, holder, field: "arguments" };
}

const ANTHROPIC: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

function inBlock({ type, index, delta }: Record<string, unknown>): Delta | undefined {
  const holder = asObject(delta);
  const field = ANTHROPIC[String(holder?.type)];
  if (type !== "content_block_delta" || !holder || field === undefined) return undefined;
  return { key: `${index} ${field}`, holder, field };
}

const RESPONSES = new Set([
  "response.output_text.delta",
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
  "response.function_call_arguments.delta",
]);

function inResponse(data: Record<string, unknown>): Delta | undefined {
  const { type, item_id, output_index, content_index, summary_index } = data;
  if (!RESPONSES.has(String(type))) return undefined;
  return { key: [type, item_id, output_index, content_index, summary_index].join(" "), holder: data, field: "delta" };
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

const finders: Readonly<Record<SpokenApi, (data: Record<string, unknown>) => Delta | undefined>> = {
  "openai-completions": inCompletion,
  "openai-responses": inResponse,
  "openai-codex-responses": inResponse,
  "anthropic-messages": inBlock,
  // Google's events hold whole sentences and token counts each.
  "google-generative-ai": () => undefined,
};
