import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@mariozechner/pi-ai";
import type { ProviderPart } from "../contract.ts";

type Words = Exclude<AssistantMessage["content"][number], ToolCall>;

/** A block of the reply, and its place in the content. */
interface Open<B> {
  block: B;
  contentIndex: number;
}

/** Turns the parts that a plugin's stream function yields into the events of a reply. */
export class ReplyParts {
  private readonly message: AssistantMessage;
  private readonly push: (event: AssistantMessageEvent) => void;
  private words: Open<Words> | undefined;
  /** The calls by id. They stay open until the end, since the pieces of several calls may arrive in turn. */
  private readonly calls = new Map<string, Open<ToolCall> & { json: string }>();

  constructor(message: AssistantMessage, push: (event: AssistantMessageEvent) => void) {
    this.message = message;
    this.push = push;
  }

  /** Adds a part. Returns the reason for the end if it is the last part, or the flaw of an invalid part. */
  take(part: ProviderPart): { end: "stop" | "length" | "toolUse" } | { flaw: string } | undefined {
    switch (part?.type) {
      case "text":
      case "thinking":
        return typeof part.text === "string"
          ? this.say(part.type, part.text)
          : flaw(`yielded a ${part.type} without text`);
      case "toolCall":
        return [part.id, part.name, part.json].every((value) => typeof value === "string") && part.id !== ""
          ? this.call(part)
          : flaw("yielded a toolCall without id, name or json");
      case "usage":
        return this.usage(part);
      case "end":
        return ["stop", "length", "toolUse"].includes(part.reason)
          ? { end: part.reason }
          : flaw('yielded an end whose reason is not "stop", "length" or "toolUse"');
      default:
        return flaw("yielded something that is not a part of a reply");
    }
  }

  /** Ends the blocks that are open. */
  close(): void {
    this.closeWords();
    for (const { block, json, contentIndex } of this.calls.values()) {
      block.arguments = parsed(json);
      this.push({ type: "toolcall_end", toolCall: block, contentIndex, partial: this.message });
    }
    this.calls.clear();
  }

  private closeWords(): void {
    if (!this.words) return;
    const { block, contentIndex } = this.words;
    this.words = undefined;
    const at = { contentIndex, partial: this.message };
    if (block.type === "text") this.push({ type: "text_end", content: block.text, ...at });
    else this.push({ type: "thinking_end", content: block.thinking, ...at });
  }

  private say(type: "text" | "thinking", text: string): undefined {
    if (text === "") return;
    if (this.words?.block.type !== type) {
      this.closeWords();
      this.words = this.begin<Words>(type === "text" ? { type, text: "" } : { type, thinking: "" }, `${type}_start`);
    }
    const { block, contentIndex } = this.words;
    if (block.type === "text") block.text += text;
    else block.thinking += text;
    this.push({ type: `${type}_delta`, delta: text, contentIndex, partial: this.message });
  }

  private call({ id, name, json }: Extract<ProviderPart, { type: "toolCall" }>): undefined {
    let call = this.calls.get(id);
    if (!call) {
      this.closeWords();
      call = { ...this.begin<ToolCall>({ type: "toolCall", id, name, arguments: {} }, "toolcall_start"), json: "" };
      this.calls.set(id, call);
    }
    call.json += json;
    this.push({ type: "toolcall_delta", delta: json, contentIndex: call.contentIndex, partial: this.message });
  }

  private usage({ input, output, cacheRead = 0, cacheWrite = 0 }: Extract<ProviderPart, { type: "usage" }>) {
    const counts = { input, output, cacheRead, cacheWrite };
    if (!Object.values(counts).every((count) => Number.isFinite(count) && count >= 0))
      return flaw("yielded a usage with something else than numbers");
    Object.assign(this.message.usage, counts, { totalTokens: input + output + cacheRead + cacheWrite });
    return undefined;
  }

  private begin<B extends Words | ToolCall>(block: B, type: `${"text" | "thinking" | "toolcall"}_start`): Open<B> {
    const contentIndex = this.message.content.push(block) - 1;
    this.push({ type, contentIndex, partial: this.message });
    return { block, contentIndex };
  }
}

function flaw(text: string): { flaw: string } {
  return { flaw: text };
}

/** Parses arguments for the message; an empty object for broken JSON, which the agent detects from the pieces themselves. */
function parsed(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json || "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
