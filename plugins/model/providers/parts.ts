import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@mariozechner/pi-ai";
import type { ProviderPart } from "../contract.ts";

type Block = AssistantMessage["content"][number];

/** Turns the parts that a plugin's stream function yields into the events of a reply. */
export class ReplyParts {
  private readonly message: AssistantMessage;
  private readonly push: (event: AssistantMessageEvent) => void;
  private open: { block: Block; json: string } | undefined;

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
          ? this.words(part.type, part.text)
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

  /** Ends the block that is open. */
  close(): void {
    if (!this.open) return;
    const { block, json } = this.open;
    this.open = undefined;
    const at = { contentIndex: this.message.content.length - 1, partial: this.message };
    if (block.type === "text") this.push({ type: "text_end", content: block.text, ...at });
    else if (block.type === "thinking") this.push({ type: "thinking_end", content: block.thinking, ...at });
    else {
      block.arguments = parsed(json);
      this.push({ type: "toolcall_end", toolCall: block, ...at });
    }
  }

  private words(type: "text" | "thinking", text: string): undefined {
    if (text === "") return;
    const block = this.block(type, type === "text" ? { type, text: "" } : { type: "thinking", thinking: "" });
    if (block.type === "text") block.text += text;
    else if (block.type === "thinking") block.thinking += text;
    this.push({ type: `${type}_delta`, delta: text, contentIndex: this.last, partial: this.message });
  }

  private call({ id, name, json }: Extract<ProviderPart, { type: "toolCall" }>): undefined {
    this.block("toolCall", { type: "toolCall", id, name, arguments: {} }, id);
    if (this.open) this.open.json += json;
    this.push({ type: "toolcall_delta", delta: json, contentIndex: this.last, partial: this.message });
  }

  private usage({ input, output, cacheRead = 0, cacheWrite = 0 }: Extract<ProviderPart, { type: "usage" }>) {
    const counts = { input, output, cacheRead, cacheWrite };
    if (!Object.values(counts).every((count) => Number.isFinite(count) && count >= 0))
      return flaw("yielded a usage with something else than numbers");
    Object.assign(this.message.usage, counts, { totalTokens: input + output + cacheRead + cacheWrite });
    return undefined;
  }

  private get last(): number {
    return this.message.content.length - 1;
  }

  /** Returns the open block if the part belongs to it, else a new one. */
  private block(type: Block["type"], fresh: Block, id?: string): Block {
    const { block } = this.open ?? {};
    if (block?.type === type && (id === undefined || (block as ToolCall).id === id)) return block;
    this.close();
    this.open = { block: fresh, json: "" };
    this.message.content.push(fresh);
    const start = type === "toolCall" ? "toolcall_start" : (`${type}_start` as const);
    this.push({ type: start, contentIndex: this.last, partial: this.message } as AssistantMessageEvent);
    return fresh;
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
