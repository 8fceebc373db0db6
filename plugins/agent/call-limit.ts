import type { AssistantMessage, ToolCall } from "@mariozechner/pi-ai";
import { errors } from "./errors.ts";

/** Knows which calls of a reply are too many. */
export class CallLimit {
  private readonly limit: number;
  /** By reply, the place of each of its calls among them. */
  private readonly places = new WeakMap<AssistantMessage, Map<string, number>>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Throws AGENT_CALL_LIMIT for a call whose reply holds that many calls before it. */
  check(reply: AssistantMessage, { id, name }: ToolCall): void {
    const places = this.placesIn(reply);
    if ((places.get(id) ?? 0) < this.limit) return;
    throw errors.AGENT_CALL_LIMIT({ tool: name, calls: places.size, limit: this.limit });
  }

  private placesIn(reply: AssistantMessage): Map<string, number> {
    const known = this.places.get(reply);
    if (known) return known;
    const calls = reply.content.filter((block) => block.type === "toolCall");
    const places = new Map(calls.map(({ id }, place) => [id, place]));
    this.places.set(reply, places);
    return places;
  }
}
