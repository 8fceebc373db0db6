import type { AgentMessage } from "@mariozechner/pi-agent-core";

/** Number of same rounds in a row that end a turn. A model that waits for something usually gets a different result before that. */
export const MOST_SAME = 50;

/** Counts rounds in a row that made the same calls and got the same results: such a model is stuck, and costs money until somebody looks. */
export class Repeats {
  private round = "";
  private ids = "";
  private count = 0;

  /** Returns the number of same rounds at the end of a conversation that is about to be sent. The same end counts once. */
  upTo(messages: readonly AgentMessage[]): number {
    const at = messages.findLastIndex(({ role }) => role !== "toolResult");
    const reply = messages[at];
    const results = messages.slice(at + 1);
    if (reply?.role !== "assistant" || results.length === 0) return this.begin("", "");
    const calls = reply.content.filter((block) => block.type === "toolCall");
    const ids = JSON.stringify(calls.map(({ id }) => id));
    if (ids === this.ids) return this.count;
    const made = calls.map(({ name, arguments: given }) => [name, given]);
    const got = results.map((result) => "content" in result && result.content);
    const round = JSON.stringify([made, got]);
    if (round !== this.round) return this.begin(round, ids);
    this.ids = ids;
    this.count++;
    return this.count;
  }

  private begin(round: string, ids: string): number {
    this.round = round;
    this.ids = ids;
    this.count = round === "" ? 0 : 1;
    return this.count;
  }
}
