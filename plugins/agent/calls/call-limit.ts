import type { AssistantMessage, ToolCall } from "@mariozechner/pi-ai";
import { errors } from "../errors.ts";

/** Enforces the maximum number of tool calls per reply. */
export class CallLimit {
  private readonly limit: number;
  /** The index of each call within its reply, by call id. */
  private readonly places = new WeakMap<AssistantMessage, Map<string, number>>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Throws AGENT_CALL_LIMIT when `limit` or more calls precede this one in its reply. */
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
