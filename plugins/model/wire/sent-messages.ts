import type { Api, Context, Message, Model } from "@mariozechner/pi-ai";
import { newId } from "@scorel/kernel";
import { ByteList } from "./byte-list.ts";

/** Apis whose adapters convert each message independently of its neighbours. */
const divisible: ReadonlySet<Api> = new Set<Api>(["openai-completions", "anthropic-messages"]);
/** Minimum number of messages from which on shortening pays off. */
const fewest = 8;
/** Maximum bytes to remember, more than any conversation has. */
const most = 64 * 1024 * 1024;

/** A request in which a placeholder stands for the messages that were sent before. */
export interface Shortened {
  /** The context for the adapter to convert. */
  context: Context;
  /**
   * Replaces the earlier messages in the adapter's payload by the placeholder; undefined when they cannot be
   * identified.
   */
  payload(made: unknown): object | undefined;
  /** Replaces the placeholder in the request body by the earlier messages. */
  body(made: RequestInit["body"]): RequestInit["body"];
}

/**
 * Caches the messages of a conversation as JSON, so that each is converted once and not for every request. The last
 * reply and what follows is not cached, because adapters may mark the end of a conversation. When the conversation
 * changes, only the unchanged beginning is used (the same message objects).
 */
export class SentMessages {
  private readonly standIn = newId() + newId();
  private readonly divider = newId() + newId();
  private key = "";
  private known: readonly Message[] = [];
  private readonly json = new ByteList();
  /** Size of the cache after each request. */
  private readonly steps: { messages: number; bytes: number }[] = [];
  /** Models whose payloads cannot be divided. */
  private readonly refused = new Set<string>();

  /** Returns a shortened request, or undefined if it must be sent unchanged. */
  shorten(model: Model<Api>, apiKey: string, context: Context): Shortened | undefined {
    const { messages } = context;
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    if (messages.length < fewest || last < 1 || !context.tools?.length) return undefined;
    if (!divisible.has(model.api) || model.provider === "github-copilot") return undefined;
    const key = JSON.stringify([model, apiKey]);
    if (this.refused.has(key)) return undefined;
    this.keepOnly(key, messages, last);
    if (this.json.length > most) return undefined;
    const { known } = this;
    const added = messages.slice(known.length, last);
    let before = this.json.bytes;
    return {
      context: {
        ...context,
        messages: [asUser(this.standIn), ...added, asUser(this.divider), ...messages.slice(last)],
      },
      payload: (made) => {
        // Another request has extended the cache in the meantime.
        if (this.known !== known) return undefined;
        const payload = this.divide(made, added);
        if (payload) this.remember(messages.slice(0, last));
        else this.refused.add(key);
        before = this.json.bytes;
        return payload;
      },
      body: (made) => this.restored(made, before),
    };
  }

  private remember(messages: readonly Message[]): void {
    this.known = messages;
    this.steps.push({ messages: messages.length, bytes: this.json.length });
  }

  /** Drops everything from the cache that is not the beginning of this conversation. */
  private keepOnly(key: string, messages: readonly Message[], last: number): void {
    const differs = this.known.findIndex((message, at) => message !== messages[at]);
    const same = Math.min(last, differs < 0 ? this.known.length : differs);
    const kept = key === this.key ? this.steps.findLastIndex((step) => step.messages <= same) + 1 : 0;
    this.key = key;
    if (kept === this.steps.length) return;
    this.steps.length = kept;
    const { messages: count, bytes } = this.steps.at(-1) ?? { messages: 0, bytes: 0 };
    this.known = this.known.slice(0, count);
    this.json.cut(bytes);
  }

  /** Moves the JSON of the added messages from the payload to the cache. */
  private divide(made: unknown, added: readonly Message[]): object | undefined {
    const { messages: rows } = made as { messages?: unknown };
    if (!Array.isArray(rows)) return undefined;
    const begin = rows.findIndex((row) => isUser(row, this.standIn));
    const end = rows.findIndex((row) => isUser(row, this.divider));
    // Only a system prompt may precede the placeholder.
    if (begin < 0 || begin > 1 || end < begin) return undefined;
    // The adapter inserted an assistant message before the divider, so the payload would differ.
    if (rows[end - 1]?.role === "assistant" && added.at(-1)?.role !== "assistant") return undefined;
    for (const row of rows.slice(begin + 1, end))
      this.json.add(`${this.json.length > 0 ? "," : ""}${JSON.stringify(row)}`);
    const before = this.json.length > 0 ? [this.standIn] : [];
    return { ...(made as object), messages: [...rows.slice(0, begin), ...before, ...rows.slice(end + 1)] };
  }

  private restored(made: RequestInit["body"], before: Uint8Array): RequestInit["body"] {
    if (typeof made !== "string") return made;
    const place = made.indexOf(`"${this.standIn}"`);
    if (place < 0) return made;
    const rest = place + this.standIn.length + 2;
    return Buffer.concat([Buffer.from(made.slice(0, place)), before, Buffer.from(made.slice(rest))]);
  }
}

function asUser(content: string): Message {
  return { role: "user", content, timestamp: 0 };
}

function isUser(row: unknown, content: string): boolean {
  const given = row as { role?: unknown; content?: unknown };
  return given.role === "user" && given.content === content && Object.keys(given).length === 2;
}
